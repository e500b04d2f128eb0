"""A line of play: positions one after the other, and the repetitions among them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kifuwatch.core.errors import IllegalMove, UsageError
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.rules.faults import Fault
from kifuwatch.rules.position import Play, Position, Repetition
from kifuwatch.rules.ruleset import RuleSet, ruleset

_BY_PASS = ""


def _made(play: Play) -> str:
    """What a play adds to the boards that can be repeated: a pass makes no board of its own."""
    return _BY_PASS if play.point is None else play.position.layout.cells


@dataclass(frozen=True, slots=True)
class Game:
    """A line of play. It never changes: :meth:`play` returns the longer line, and the shorter stays usable.

    Lines share their plays, so that many of them with a common beginning can be held at once.
    Position 0 is ``start``, position ``n`` the one after the first ``n`` plays.
    """

    start: Position
    plays: tuple[Play, ...] = ()
    _boards: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """The cells of position 0, 1, ... where a stone made it: repetition is looked up here, at C speed."""

    def __post_init__(self) -> None:
        if not self._boards:
            boards = (self.start.layout.cells, *map(_made, self.plays))
            object.__setattr__(self, "_boards", boards)

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
        """The position after the first ``number`` plays. Raises UsageError when there are not so many."""
        self._check(number)
        return self.plays[number - 1].position if number else self.start

    def look(self, colour: Colour, point: Point | None) -> Play:
        """What this move would be, all its faults told, without making it.

        A repetition names the latest earlier board that is the same. Only boards made by a stone (and the
        start) can be repeated, and only by a stone: a pass repeats nothing and makes no board to be repeated.
        So "the same colour to play" means a board made by a stone of the same colour. Some read the
        situational rule as counting the board after a pass too, with the other colour to play (GNU Go does).
        """
        play = self.position.play(colour, point)
        cells = play.position.layout.cells
        if point is None or Fault.OFF_BOARD in play.faults or cells not in self._boards:
            return play
        number = len(self._boards)
        same = [i for i, board in enumerate(self._boards) if board == cells]
        alike = [i for i in same if self.position_at(i).to_play is play.position.to_play]
        faults = play.faults | Fault.POSITIONAL_REPEAT
        if alike:
            faults |= Fault.SITUATIONAL_REPEAT
        if self._takes_back(play):
            faults |= Fault.KO
        positional = Repetition(same[-1], number - same[-1])
        situational = Repetition(alike[-1], number - alike[-1]) if alike else None
        return replace(play, faults=faults, positional=positional, situational=situational)

    def play(self, colour: Colour, point: Point | None) -> Game:
        """The line with this move (None: a pass) executed as it stands, legal or not: see ``last.faults``."""
        play = self.look(colour, point)
        return Game(self.start, (*self.plays, play), (*self._boards, _made(play)))

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
        self._check(number)
        return Game(self.start, self.plays[:number], self._boards[: number + 1])

    def undo(self, count: int = 1) -> Game:
        """The line without its last ``count`` plays. Raises UsageError when there are not so many."""
        return self.upto(len(self.plays) - count)

    def _takes_back(self, play: Play) -> bool:
        """Whether it undoes what the opponent's stone has just done. A suicide takes nothing back."""
        number = len(self.plays)
        if not number or self.plays[-1].point is None or play.self_captured:
            return False
        return play.position.layout == self.position_at(number - 1).layout

    def _check(self, number: int) -> None:
        if not 0 <= number <= len(self.plays):
            raise UsageError(f"the game has {len(self.plays)} moves, so there is no position {number}")
