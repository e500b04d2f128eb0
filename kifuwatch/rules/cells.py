"""Chains, liberties and captures on the bare cells of a layout, by index: what is called thousands of times.

``cells`` is the string of :attr:`kifuwatch.core.points.Layout.cells`, and an index is a place in it.
Points and colours come in only in :mod:`kifuwatch.rules.position`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from kifuwatch.core.points import BLACK, EMPTY, WHITE

OTHER = {BLACK: WHITE, WHITE: BLACK}


class Placed(NamedTuple):
    """A stone set down on bare cells: the cells after it, and what came off, as indices."""

    cells: str
    captured: frozenset[int]
    self_captured: frozenset[int]


_NOTHING: frozenset[int] = frozenset()


@cache
def neighbours(size: int) -> tuple[tuple[int, ...], ...]:
    """For every index of a board of ``size`` lines, the two to four indices beside it."""
    table: list[tuple[int, ...]] = []
    for index in range(size * size):
        line, col = divmod(index, size)
        beside = [
            index - size if line > 0 else None,
            index - 1 if col > 0 else None,
            index + 1 if col < size - 1 else None,
            index + size if line < size - 1 else None,
        ]
        table.append(tuple(i for i in beside if i is not None))
    return tuple(table)


def chain(cells: str, size: int, index: int) -> set[int]:
    """The stones joined to the one at ``index``, itself included."""
    beside, cell = neighbours(size), cells[index]
    found, waiting = {index}, [index]
    while waiting:
        for near in beside[waiting.pop()]:
            if cells[near] == cell and near not in found:
                found.add(near)
                waiting.append(near)
    return found


def liberties(cells: str, size: int, stones: Iterable[int]) -> set[int]:
    """The empty points beside any of these stones."""
    beside = neighbours(size)
    return {near for stone in stones for near in beside[stone] if cells[near] == EMPTY}


def dead_chain(cells: str, size: int, index: int) -> set[int] | None:
    """The chain at ``index`` when it has no liberty, else None (known at the first liberty met)."""
    beside, cell = neighbours(size), cells[index]
    found, waiting = {index}, [index]
    while waiting:
        for near in beside[waiting.pop()]:
            there = cells[near]
            if there == EMPTY:
                return None
            if there == cell and near not in found:
                found.add(near)
                waiting.append(near)
    return found


def without(cells: str, indices: Iterable[int]) -> str:
    """The cells with these stones taken off."""
    changed = list(cells)
    for index in indices:
        changed[index] = EMPTY
    return "".join(changed)


def place(cells: str, size: int, index: int, cell: str) -> Placed:
    """Set a stone down: the opponent's chains that it leaves without liberties come off, then its own.

    Nothing is refused. A stone that was there is replaced; chains without liberties elsewhere stay.
    """
    cells = cells[:index] + cell + cells[index + 1 :]
    opponent = OTHER[cell]
    captured: set[int] | None = None
    for near in neighbours(size)[index]:
        if cells[near] == opponent and (captured is None or near not in captured):
            dead = dead_chain(cells, size, near)
            if dead is not None:
                captured = dead if captured is None else captured | dead
    if captured is not None:
        return Placed(without(cells, captured), frozenset(captured), _NOTHING)
    own = dead_chain(cells, size, index)
    if own is not None:
        return Placed(without(cells, own), _NOTHING, frozenset(own))
    return Placed(cells, _NOTHING, _NOTHING)


def ko_after(placed: Placed, size: int, index: int) -> int | None:
    """Where taking back would be a simple ko: the point of the one stone taken by a lone stone in atari."""
    if len(placed.captured) != 1:
        return None
    (taken,) = placed.captured
    cell = placed.cells[index]
    for near in neighbours(size)[index]:
        there = placed.cells[near]
        if there == cell or (there == EMPTY and near != taken):
            return None
    return taken
