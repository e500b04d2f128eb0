"""How hands move: from outside the picture to a point, a moment of rest, and away again, as one smooth path a player.

World coordinates are those of the board's pose: millimetres, X to the right, Y downwards in the board text, height up.
Black sits below the board text, White above it; both play with the right hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.points import EMPTY, Colour
from kifuwatch.datasets.clip_script import ClipScript, Reach
from kifuwatch.datasets.hand_place import HandState

Floats = NDArray[np.float64]

TRAVEL_HEIGHT = 42.0
"""Height (mm) at which a hand comes in and leaves."""
STAYS_IN = 0.9
"""Seconds between two reaches up to which the hand stays over the board."""


@dataclass(frozen=True)
class _Leg:
    """From one place to another between two times; ``arc`` is how far it rises between (mm)."""

    begin: float
    end: float
    start: tuple[float, float, float]
    goal: tuple[float, float, float]
    carries: str
    arc: float


@dataclass(frozen=True)
class HandPath:
    """The way of one player's hand through a clip."""

    player: Colour
    root: tuple[float, float]
    legs: tuple[_Leg, ...]

    def at(self, seconds: float) -> HandState | None:
        """The hand at a time, or None while it is nowhere over the board."""
        for leg in self.legs:
            if leg.begin <= seconds < leg.end:
                s = smooth((seconds - leg.begin) / (leg.end - leg.begin))
                x, y, z = (a + (b - a) * s for a, b in zip(leg.start, leg.goal, strict=True))
                aim = np.array(self.root) - [x, y]
                aim /= np.linalg.norm(aim) + 1e-9
                return HandState(x, y, z + leg.arc * np.sin(np.pi * s), (float(aim[0]), float(aim[1])), leg.carries)
        return None


def smooth(share: float) -> float:
    """The way covered by a hand that starts and stops without a jerk, 0..1 for a share of its time."""
    s = min(max(share, 0.0), 1.0)
    return s * s * s * (10 - 15 * s + 6 * s * s)


def hand_paths(script: ClipScript, pose: BoardPose, rng: np.random.Generator) -> tuple[HandPath, ...]:
    """The ways of both hands; ``pose`` says where the picture ends."""
    paths = []
    for player in Colour:
        reaches = sorted((r for r in script.reaches if r.player is player), key=lambda r: r.arrive)
        root = _root(pose, player, rng)
        paths.append(HandPath(player, root, tuple(_legs(_untangled(reaches), pose, root, rng))))
    return tuple(paths)


def _root(pose: BoardPose, player: Colour, rng: np.random.Generator) -> tuple[float, float]:
    """Where the player's shoulder is: beyond the own edge, to the right as the player sits."""
    span = np.array([pose.spec.across, pose.spec.along]) * (pose.size - 1)
    right, away = 0.12 * span[0] + rng.uniform(90, 140), 0.5 * span[1] + rng.uniform(400, 460)
    sign = 1 if player is Colour.BLACK else -1
    return float(span[0] / 2 + sign * right), float(span[1] / 2 + sign * away)


def _untangled(reaches: list[Reach]) -> list[Reach]:
    """The same, leaving each place in time for the next."""
    return [
        replace(now, leave=max(now.arrive, min(now.leave, then.arrive - 0.15))) for now, then in pairwise(reaches)
    ] + reaches[-1:]


def _legs(reaches: list[Reach], pose: BoardPose, root: tuple[float, float], rng: np.random.Generator) -> list[_Leg]:
    legs: list[_Leg] = []
    before: Reach | None = None
    for i, reach in enumerate(reaches):
        spot = _spot(reach, pose)
        if before is None or reach.arrive - before.leave > STAYS_IN:
            home, took = _home(spot, pose, root), rng.uniform(0.3, 0.36)
            legs.append(_Leg(reach.arrive - took, reach.arrive, home, spot, reach.brings, 10.0))
        else:
            carried = reach.brings if reach.brings != EMPTY else before.takes
            way = float(np.hypot(*np.subtract(spot[:2], _spot(before, pose)[:2])))
            arc = 0.0 if reach.low else min(22.0, 4.0 + 0.3 * way)
            legs.append(_Leg(before.leave, reach.arrive, _spot(before, pose), spot, carried, arc))
        held = reach.brings if reach.brings == reach.takes else EMPTY
        legs.append(_Leg(reach.arrive, reach.leave, spot, spot, held, 0.0))
        if i + 1 == len(reaches) or reaches[i + 1].arrive - reach.leave > STAYS_IN:
            home, took = _home(spot, pose, root), rng.uniform(0.28, 0.34)
            legs.append(_Leg(reach.leave, reach.leave + took, spot, home, reach.takes, 10.0))
        before = reach
    return [leg for leg in legs if leg.end > leg.begin]


def _spot(reach: Reach, pose: BoardPose) -> tuple[float, float, float]:
    return reach.at[0] * pose.spec.across, reach.at[1] * pose.spec.along, reach.height


def _home(spot: tuple[float, float, float], pose: BoardPose, root: tuple[float, float]) -> tuple[float, float, float]:
    """The nearest place on the way back to the shoulder from which nothing of the hand is in the picture."""
    width, height = pose.image_size
    start = np.array(spot[:2])
    way = np.array(root) - start
    way /= np.linalg.norm(way)
    for distance in np.arange(40.0, 900.0, 15.0):
        x, y = start + way * distance
        seen = pose.projection @ [x, y, TRAVEL_HEIGHT, 1.0]
        if seen[2] <= 1e-6:
            return x, y, TRAVEL_HEIGHT
        px, py, room = seen[0] / seen[2], seen[1] / seen[2], 1.6 * pose.pitch
        if not (-room < px < width + room and -room < py < height + room):
            return x, y, TRAVEL_HEIGHT
    return float(start[0] + way[0] * 900), float(start[1] + way[1] * 900), TRAVEL_HEIGHT
