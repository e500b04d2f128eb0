"""A line of play: positions one after the other, and the repetitions among them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kifuwatch.core.errors import IllegalMove, UsageError
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.rules.codes import RuleSet, ruleset
from kifuwatch.rules.faults import Fault
from kifuwatch.rules.position import Play, Position, Repetition


@dataclass(frozen=True, slots=True)
class Game:
    """A line of play. It never changes: :meth:`play` returns the longer line, and the shorter one stays usable.

    Lines share their plays, so that many of them with a common beginning can be held at once.
    Position 0 is ``start``, position ``n`` the one after the first ``n`` plays.
    """

    start: Position
    plays: tuple[Play, ...] = ()
    boards: tuple[str, ...] = ()
    """The cells of position 0, 1, ... : what repetition is looked up in. Filled by itself."""

    def __post_init__(self) -> None:
        if not self.boards:
            cells = (self.start.layout.cells, *(play.position.layout.cells for play in self.plays))
            object.__setattr__(self, "boards", cells)

    @classmethod
    def empty(cls, size: int) -> Game:
        """A game on an empty board of ``size`` lines, Black to play."""
        return cls(Position.empty(size))

    @classmethod
    def of(cls, layout: Layout, to_play: Colour) -> Game:
        """A game that goes on from a layout whose history is not known."""
        return cls(Position.of(layout, to_play))

    @property
    def position(self) -> Position:
        """The position after the last play."""
        return self.plays[-1].position if self.plays else self.start

    @property
    def last(self) -> Play | None:
        """The last play, or None before the first."""
        return self.plays[-1] if self.plays else None

    def __len__(self) -> int:
        return len(self.plays)

    def position_at(self, number: int) -> Position:
        """The position after the first ``number`` plays."""
        return self.upto(number).position

    def look(self, colour: Colour, point: Point | None) -> Play:
        """What this move would be, all its faults told, without making it. A pass (None) repeats nothing."""
        play = self.position.play(colour, point)
        cells = play.position.layout.cells
        if point is None or Fault.OFF_BOARD in play.faults or cells not in self.boards:
            return play
        number = len(self.boards)
        same = [i for i, board in enumerate(self.boards) if board == cells]
        mine = [i for i in same if self.position_at(i).to_play is play.position.to_play]
        faults = play.faults | Fault.POSITIONAL_REPEAT
        situational = None
        if mine:
            faults |= Fault.SITUATIONAL_REPEAT
            situational = Repetition(mine[-1], number - mine[-1])
        positional = Repetition(same[-1], number - same[-1])
        return replace(play, faults=faults, positional=positional, situational=situational)

    def play(self, colour: Colour, point: Point | None) -> Game:
        """The line with this move (None: a pass) executed as it stands, legal or not: see ``last.faults``."""
        play = self.look(colour, point)
        return Game(self.start, (*self.plays, play), (*self.boards, play.position.layout.cells))

    def play_legal(self, colour: Colour, point: Point | None, rules: RuleSet | None = None) -> Game:
        """The line with this move. Raises IllegalMove when the rules (default: cn2002) forbid it."""
        rules = rules or ruleset()
        longer = self.play(colour, point)
        broken = rules.forbidden(longer.plays[-1].faults)
        if broken:
            names = ", ".join(fault.name.lower().replace("_", " ") for fault in broken if fault.name)
            where = "a pass" if point is None else f"{colour.name.lower()} at {point}"
            raise IllegalMove(f"move {len(longer)}, {where}, is illegal under {rules.name}: {names}")
        return longer

    def is_legal(self, colour: Colour, point: Point | None, rules: RuleSet | None = None) -> bool:
        """Whether the rules (default: cn2002) allow this move now."""
        return not (rules or ruleset()).forbidden(self.look(colour, point).faults)

    def upto(self, number: int) -> Game:
        """The line of the first ``number`` plays. Raises UsageError when there are not so many."""
        if not 0 <= number <= len(self.plays):
            raise UsageError(f"the game has {len(self.plays)} moves, so it has no position after move {number}")
        return Game(self.start, self.plays[:number], self.boards[: number + 1])

    def undo(self, count: int = 1) -> Game:
        """The line without its last ``count`` plays. Raises UsageError when there are not so many."""
        return self.upto(len(self.plays) - count)
