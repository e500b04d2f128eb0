"""The count of a record against what it says its result is, or against the arbiter's own number."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kifuwatch.arbiter.result import Score
from kifuwatch.core.points import Colour, Layout, Point


@dataclass(frozen=True)
class Mismatch:
    """Two counts that differ; margins in points, positive for Black."""

    counted: float
    said: float

    @property
    def difference(self) -> float:
        """By how many points they differ."""
        return abs(self.counted - self.said)


def dead_by_marks(layout: Layout, black: Iterable[Point], white: Iterable[Point]) -> frozenset[Point]:
    """The stones that lie in territory marked for the other colour (SGF ``TB``, ``TW``)."""
    size = layout.size
    found: set[Point] = set()
    for points, cell in ((black, Colour.WHITE.cell), (white, Colour.BLACK.cell)):
        on_board = (point for point in points if 0 <= point.col < size and 0 <= point.row < size)
        found.update(point for point in on_board if layout[point] == cell)
    return frozenset(found)


def against_result(score: Score, winner: Colour | None, points: float) -> Mismatch | None:
    """The mismatch between a count and a result that was written down, or None where they agree."""
    said = points if winner is Colour.BLACK else -points
    return None if score.margin == said else Mismatch(score.margin, said)


def against_area(score: Score, colour: Colour, zi: float) -> Mismatch | None:
    """The mismatch between a count and the number of zi that the arbiter counted for one colour, or None."""
    other = zi - score.area[colour]
    if other == 0:
        return None
    shift = 2 * other * (1 if colour is Colour.BLACK else -1)
    return Mismatch(score.margin, score.margin + shift)
