"""Putting a board right: which points differ from what should be there, stone by stone."""

from __future__ import annotations

from dataclasses import dataclass

from kifuwatch.arbiter.desk_state import DeskState
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import HIDDEN, Layout, Point
from kifuwatch.rules import Game

PLAINLY = 1
"""A turn of the board has to differ by more points less than another to be taken instead of it."""


@dataclass(frozen=True)
class ToPutRight:
    """One point: what lies there, and what should (cells of board text)."""

    point: Point
    lies: str
    should: str


def to_put_right(should: Layout, lies: Layout) -> tuple[ToPutRight, ...]:
    """The points that differ, in the order of the board text; what is hidden is not judged.

    Raises UsageError when the two boards have not the same number of lines.
    """
    if should.size != lies.size:
        raise UsageError(f"the record is of {should.size} lines, and the board that lies there has {lies.size}")
    return tuple(ToPutRight(point, there, wanted) for point, wanted, there in should.changes(lies) if there != HIDDEN)


def as_recorded(should: Layout, lies: Layout) -> Layout:
    """A board read from a picture, turned as the record has it: of its four turns the one that differs least."""
    turns = [lies.turned(quarters) for quarters in range(4)]
    return min(turns, key=lambda turned: len(to_put_right(should, turned)))


def board_after(state: DeskState, number: int) -> Layout:
    """The board after a move of the record, with stones set up behind it. Raises UsageError for no such move."""
    if not 0 <= number <= len(state.moves):
        raise UsageError(f"the record has {len(state.moves)} moves, so there is no move {number}")
    first = next((entry.colour for entry in state.line if entry.is_move), state.code.first)
    game, moves = Game.of(Layout.empty(state.size).replaced(state.start), first), 0
    for entry in state.line:
        moves += entry.is_move
        if moves > number:
            break
        if entry.setup is not None:
            game = Game.of(game.position.layout.replaced(entry.setup), entry.to_play or game.position.to_play)
        else:
            game = game.play(entry.colour, entry.point)
    return game.position.layout


@dataclass(frozen=True)
class StillWrong:
    """How far a board is from what should be there, at ``t`` (seconds).

    ``points``: those that are known to differ and are not covered just now; ``covered``: those that differed when they
    were seen last; ``unseen``: how many points have not been seen yet, or are covered.
    """

    t: float
    points: tuple[ToPutRight, ...]
    covered: tuple[ToPutRight, ...]
    unseen: int

    @property
    def right(self) -> bool:
        """Whether nothing differs, and nothing is left that has not been seen."""
        return not self.points and self.unseen == 0


class RestoreAssistant:
    """Watches a board being put right, view after view.

    A point counts as it is seen when it has been seen so for ``steady`` seconds (fingers look like stones); a covered
    point is not judged, and keeps what was last known of it. The board may be filmed from any side: of its four turns
    the one is taken that differs least, and kept until another is plainly better.
    """

    def __init__(self, should: Layout, steady: float = 0.6) -> None:
        self.should, self._steady = should, steady
        self._known = Layout(should.size, HIDDEN * should.size**2)
        self._since: dict[int, tuple[str, float]] = {}
        self._quarters = 0

    def see(self, t: float, seen: Layout) -> StillWrong:
        """Take in one view, at ``t`` seconds; ``?`` where it does not show a point.

        Raises UsageError when the board that is seen has not the same number of lines.
        """
        if seen.size != self.should.size:
            to_put_right(self.should, seen)
        cells = list(self._known.cells)
        for i, cell in enumerate(seen.cells):
            if cell == HIDDEN or cell == cells[i]:
                self._since.pop(i, None)
                continue
            was, since = self._since.get(i, ("", t))
            if was != cell:
                self._since[i], since = (cell, t), t
            if t - since >= self._steady:
                cells[i] = cell
        self._known = Layout(seen.size, "".join(cells))
        self._turn()
        covered = seen.turned(self._quarters)
        known = self._known.turned(self._quarters)
        wrong = to_put_right(self.should, known)
        points = tuple(each for each in wrong if covered[each.point] != HIDDEN)
        below = tuple(each for each in wrong if covered[each.point] == HIDDEN)
        unseen = sum(HIDDEN in pair for pair in zip(known.cells, covered.cells, strict=True))
        return StillWrong(t, points, below, unseen)

    def _turn(self) -> None:
        differing = [len(to_put_right(self.should, self._known.turned(quarters))) for quarters in range(4)]
        best = min(range(4), key=lambda quarters: differing[quarters])
        if differing[best] + PLAINLY < differing[self._quarters]:
            self._quarters = best
