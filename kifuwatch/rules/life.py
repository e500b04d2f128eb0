"""Chains that live, and stones that are dead, whatever is played: by the rules alone.

Source: D. B. Benson, "Life in the Game of Go", Information Sciences 10 (1976): a set of chains lives without another
move when each has two vital regions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kifuwatch.core.points import EMPTY, Colour, Layout, Point
from kifuwatch.rules import cells as bare


@dataclass(frozen=True)
class Settled:
    """What is beyond doubt: chains that live even if their owner always passes, and stones that cannot live within
    what such chains enclose."""

    alive: frozenset[Point]
    dead: frozenset[Point]


def settled(layout: Layout) -> Settled:
    """The unconditional life and death on a board."""
    alive: set[int] = set()
    dead: set[int] = set()
    for colour in Colour:
        chains, regions = _unconditional(layout, colour)
        alive.update(*chains)
        for region in regions:
            if not _room_for_two_eyes(layout, region, colour):
                dead.update(i for i in region if layout.cells[i] == colour.opponent.cell)
    return Settled(frozenset(map(layout.point, alive)), frozenset(map(layout.point, dead)))


def _unconditional(layout: Layout, colour: Colour) -> tuple[list[set[int]], list[set[int]]]:
    """Benson's algorithm: the chains of a colour that live by themselves, and the regions that they alone enclose."""
    chains = _parts(layout, {colour.cell})
    regions = _parts(layout, {EMPTY, colour.opponent.cell})
    beside = bare.neighbours(layout.size)
    of_stone = {stone: number for number, chain in enumerate(chains) for stone in chain}
    around = [{of_stone[n] for i in region for n in beside[i] if n in of_stone} for region in regions]
    vital = [_vital(layout, region, chains, around[number]) for number, region in enumerate(regions)]
    living, whole = set(range(len(chains))), set(range(len(regions)))
    while True:
        weak = {c for c in living if sum(c in vital[r] for r in whole) < 2}
        broken = {r for r in whole if around[r] & weak or not around[r] <= living}
        if not weak and not broken:
            return [chains[c] for c in sorted(living)], [regions[r] for r in sorted(whole) if around[r]]
        living -= weak
        whole -= broken


def _vital(layout: Layout, region: set[int], chains: list[set[int]], around: set[int]) -> set[int]:
    """The chains of which every empty point of a region is a liberty."""
    beside = bare.neighbours(layout.size)
    empty = [i for i in region if layout.cells[i] == EMPTY]
    return {c for c in around if all(any(n in chains[c] for n in beside[i]) for i in empty)} if empty else set()


def _parts(layout: Layout, wanted: set[str]) -> list[set[int]]:
    """The connected parts of the points that hold one of these cells."""
    beside, seen, parts = bare.neighbours(layout.size), set[int](), []
    for index, cell in enumerate(layout.cells):
        if cell not in wanted or index in seen:
            continue
        part, waiting = {index}, [index]
        while waiting:
            for near in beside[waiting.pop()]:
                if near not in part and layout.cells[near] in wanted:
                    part.add(near)
                    waiting.append(near)
        seen |= part
        parts.append(part)
    return parts


def _room_for_two_eyes(layout: Layout, region: Iterable[int], colour: Colour) -> bool:
    """Whether a region enclosed by living chains has room for two eyes of the opponent.

    A point beside a living chain is no eye of his, and two neighbours are one eye.
    """
    beside = bare.neighbours(layout.size)
    inner = [i for i in region if all(layout.cells[n] != colour.cell for n in beside[i])]
    return any(a not in beside[b] for place, a in enumerate(inner) for b in inner[:place])
