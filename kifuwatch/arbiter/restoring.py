"""Putting a board right: which points differ from what should be there, stone by stone."""

from __future__ import annotations

from dataclasses import dataclass

from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import HIDDEN, Layout, Point


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
