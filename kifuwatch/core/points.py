"""Points, colours and layouts: the words in which every stage speaks of a board.

A point is written as players say it (``Q16``): columns ``A``-``T`` without ``I``, row 1 at the bottom of the
board text. A :class:`Layout` is what lies on a board at one moment, as board text: the top line is the highest row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
EMPTY, BLACK, WHITE, HIDDEN = ".", "X", "O", "?"
STAR_LINES = {9: (2, 6), 13: (3, 9), 19: (3, 9, 15)}
CENTRES = {9: 4, 13: 6}


class Colour(Enum):
    """The colour of a player or a stone; its value is the letter used in SGF and in events."""

    BLACK = "B"
    WHITE = "W"

    @property
    def opponent(self) -> Colour:
        """The other colour."""
        return Colour.WHITE if self is Colour.BLACK else Colour.BLACK

    @property
    def cell(self) -> str:
        """The letter of this colour in board text: ``X`` or ``O``."""
        return BLACK if self is Colour.BLACK else WHITE

    @classmethod
    def of_cell(cls, cell: str) -> Colour | None:
        """The colour of a cell of board text, or None for an empty or hidden one."""
        return {BLACK: cls.BLACK, WHITE: cls.WHITE}.get(cell)


class Point(NamedTuple):
    """A point of the board: ``col`` 0 is A, ``row`` 0 is row 1 (the bottom line of the board text)."""

    col: int
    row: int

    def __str__(self) -> str:
        return f"{COLUMNS[self.col]}{self.row + 1}"

    @classmethod
    def parse(cls, text: str) -> Point:
        """Read ``Q16``. Raises ValueError with one sentence when it is no point."""
        text = text.strip().upper()
        col = COLUMNS.find(text[:1]) if text else -1
        if col < 0 or not text[1:].isdecimal() or not 1 <= int(text[1:]) <= len(COLUMNS):
            raise ValueError(f"{text!r} is not a point: write a letter (no I) and a number, like Q16")
        return cls(col, int(text[1:]) - 1)


@dataclass(frozen=True)
class Layout:
    """What lies on a board: ``size`` x ``size`` cells of ``.``, ``X``, ``O`` or ``?``, the top line first.

    ``cells[(size - 1 - row) * size + col]`` is the cell of ``Point(col, row)``: arrays of observations
    are indexed the same way, ``[size - 1 - row, col]``.
    """

    size: int
    cells: str

    def __post_init__(self) -> None:
        if len(self.cells) != self.size * self.size or set(self.cells) - {EMPTY, BLACK, WHITE, HIDDEN}:
            raise ValueError(f"a layout of size {self.size} needs {self.size}x{self.size} cells of '.XO?'")

    @classmethod
    def empty(cls, size: int) -> Layout:
        """A board without stones."""
        return cls(size, EMPTY * (size * size))

    @classmethod
    def from_rows(cls, rows: Iterable[str]) -> Layout:
        """Read board text, the top line first."""
        lines = [line.replace(" ", "") for line in rows]
        if any(len(line) != len(lines) for line in lines):
            raise ValueError(f"board text must be square: {len(lines)} lines of {[len(line) for line in lines]}")
        return cls(len(lines), "".join(lines))

    @property
    def rows(self) -> list[str]:
        """The board text: one string a line, the top line first."""
        return [self.cells[i : i + self.size] for i in range(0, len(self.cells), self.size)]

    def __str__(self) -> str:
        return "\n".join(self.rows)

    def index(self, point: Point) -> int:
        """The place of a point in ``cells``."""
        if not (0 <= point.col < self.size and 0 <= point.row < self.size):
            raise ValueError(f"the point {point} is not on a board of {self.size} lines")
        return (self.size - 1 - point.row) * self.size + point.col

    def point(self, index: int) -> Point:
        """The point at a place in ``cells``."""
        line, col = divmod(index, self.size)
        return Point(col, self.size - 1 - line)

    def __getitem__(self, point: Point) -> str:
        return self.cells[self.index(point)]

    def replaced(self, changes: Mapping[Point, str]) -> Layout:
        """The same layout with other cells at some points."""
        cells = list(self.cells)
        for point, cell in changes.items():
            cells[self.index(point)] = cell
        return Layout(self.size, "".join(cells))

    def points(self, cell: str) -> list[Point]:
        """All points that hold this cell, in the order of the board text."""
        return [self.point(i) for i, c in enumerate(self.cells) if c == cell]

    def changes(self, later: Layout) -> Iterator[tuple[Point, str, str]]:
        """Every point that differs in ``later``, as (point, cell here, cell there)."""
        for i, (was, now) in enumerate(zip(self.cells, later.cells, strict=True)):
            if was != now:
                yield self.point(i), was, now

    def turned(self, quarters: int) -> Layout:
        """The board text turned clockwise by this many quarter turns."""
        rows = self.rows
        for _ in range(quarters % 4):
            rows = ["".join(column) for column in zip(*reversed(rows), strict=True)]
        return Layout.from_rows(rows)


def star_points(size: int) -> frozenset[Point]:
    """The points that are marked on a board of this size; none where custom marks none."""
    stars = {Point(col, row) for col in STAR_LINES.get(size, ()) for row in STAR_LINES.get(size, ())}
    if size in CENTRES:
        stars.add(Point(CENTRES[size], CENTRES[size]))
    return frozenset(stars)
