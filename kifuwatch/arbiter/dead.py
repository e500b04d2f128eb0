"""Which chains are probably dead at the end: proposed, and always for a person to confirm."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.rules import Position
from kifuwatch.rules.life import settled
from kifuwatch.rules.playouts import play_out

GAMES = 100
DOUBT = 0.5
"""A chain is proposed as dead when the opponent owns its points at the end of more games than its owner; it is in
doubt as long as the two shares lie closer together than this."""


@dataclass(frozen=True)
class DeadChain:
    """A chain proposed as dead. ``sure`` 0..1; ``why``: ``settled`` (it cannot live), ``played-out``, ``engine``."""

    colour: Colour
    points: tuple[Point, ...]
    sure: float
    why: str


@dataclass(frozen=True)
class Proposal:
    """The chains proposed as dead, and those (dead or not) of which nothing sure can be said."""

    dead: tuple[DeadChain, ...]
    doubtful: tuple[DeadChain, ...]

    @property
    def points(self) -> frozenset[Point]:
        """All stones proposed as dead."""
        return frozenset(point for chain in self.dead for point in chain.points)


def propose_dead(layout: Layout, games: int = GAMES, seed: int = 1) -> Proposal:
    """Propose dead chains by the rules alone: what cannot live, and what random play does not leave alive.

    The same board gives the same proposal. Doubtful are chains that are owned by neither side clearly.
    """
    beyond_doubt = settled(layout)
    ownership = play_out(layout, random.Random(seed), games)
    dead, doubtful = [], []
    for colour, chain in _chains(layout):
        points = tuple(sorted(chain))
        if chain <= beyond_doubt.alive:
            continue
        if chain & beyond_doubt.dead:
            dead.append(DeadChain(colour, points, 1.0, "settled"))
            continue
        own = sum(ownership.of(point) for point in chain) / len(chain) * (1 if colour is Colour.BLACK else -1)
        judged = DeadChain(colour, points, round((1 - own) / 2, 3), "played-out")
        if own < 0:
            dead.append(judged)
        if abs(own) < DOUBT:
            doubtful.append(judged)
    return Proposal(tuple(dead), tuple(doubtful))


def proposal_of(layout: Layout, stones: Iterable[Point]) -> Proposal:
    """What an engine names as dead, chain by chain. Points without a stone are left out."""
    named = set(stones)
    chains = [(colour, chain) for colour, chain in _chains(layout) if chain & named]
    return Proposal(tuple(DeadChain(colour, tuple(sorted(chain)), 1.0, "engine") for colour, chain in chains), ())


def _chains(layout: Layout) -> list[tuple[Colour, frozenset[Point]]]:
    position = Position.of(layout, Colour.BLACK)
    return [(colour, chain) for colour in Colour for chain in position.chains(colour)]
