"""Counting a finished board: live stones, the points each colour encloses, and those they share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import EMPTY, Colour, Layout, Point
from kifuwatch.rules import cells as bare
from kifuwatch.rules.position import Position


@dataclass(frozen=True)
class BoardCount:
    """A board without its dead stones. ``enclosed``: the empty points that only one colour touches; ``shared``:
    those that both touch, or none; ``dead``: the stones taken off for the count."""

    layout: Layout
    stones: dict[Colour, int]
    enclosed: dict[Colour, tuple[Point, ...]]
    shared: tuple[Point, ...]
    dead: dict[Colour, tuple[Point, ...]]

    def area(self, colour: Colour) -> float:
        """Live stones, enclosed points, and half of the shared ones (数子法): in zi."""
        return self.stones[colour] + len(self.enclosed[colour]) + len(self.shared) / 2


def count_board(layout: Layout, dead: Iterable[Point] = ()) -> BoardCount:
    """Count a board after its dead stones are taken off. Every dead point must hold a stone, or UsageError."""
    off: dict[Colour, list[Point]] = {Colour.BLACK: [], Colour.WHITE: []}
    for point in sorted(set(dead)):
        colour = Colour.of_cell(layout[point])
        if colour is None:
            raise UsageError(f"there is no stone on {point} that could be dead")
        off[colour].append(point)
    cleared = layout.replaced({point: EMPTY for points in off.values() for point in points})
    enclosed: dict[Colour, list[Point]] = {Colour.BLACK: [], Colour.WHITE: []}
    shared: list[Point] = []
    for region, borders in empty_regions(cleared):
        owner = next(iter(borders)) if len(borders) == 1 else None
        (enclosed[owner] if owner else shared).extend(region)
    return BoardCount(
        cleared,
        {colour: cleared.cells.count(colour.cell) for colour in Colour},
        {colour: tuple(points) for colour, points in enclosed.items()},
        tuple(shared),
        {colour: tuple(points) for colour, points in off.items()},
    )


def empty_regions(layout: Layout) -> list[tuple[tuple[Point, ...], frozenset[Colour]]]:
    """The connected empty regions, each with the colours that touch it, in the order of the board text."""
    found, seen = [], set()
    for index, cell in enumerate(layout.cells):
        if cell != EMPTY or index in seen:
            continue
        region = bare.chain(layout.cells, layout.size, index)
        seen |= region
        near = {layout.cells[i] for p in region for i in bare.neighbours(layout.size)[p]} - {EMPTY}
        borders = frozenset(colour for colour in Colour if colour.cell in near)
        found.append((tuple(map(layout.point, sorted(region))), borders))
    return found


def whole_chains(layout: Layout, points: Iterable[Point]) -> frozenset[Point]:
    """All stones of the chains named by one stone each. Raises UsageError for a point without a stone, or off the
    board: a chain that does not exist."""
    position = Position.of(layout, Colour.BLACK)
    found: set[Point] = set()
    for point in points:
        if not (0 <= point.col < layout.size and 0 <= point.row < layout.size):
            raise UsageError(f"the point {point} is not on this board of {layout.size} lines")
        chain = position.chain_at(point)
        if not chain:
            raise UsageError(f"there is no chain at {point}: the point is empty")
        found |= chain
    return frozenset(found)


def live_groups(count: BoardCount, colour: Colour) -> int:
    """How many groups of a colour live apart: chains that are not joined through points they enclose themselves."""
    own = {*count.layout.points(colour.cell), *count.enclosed[colour]}
    groups = 0
    while own:
        groups += 1
        waiting = [own.pop()]
        while waiting:
            col, row = waiting.pop()
            for near in (Point(col - 1, row), Point(col + 1, row), Point(col, row - 1), Point(col, row + 1)):
                if near in own:
                    own.remove(near)
                    waiting.append(near)
    return groups
