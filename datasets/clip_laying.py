"""Stones are solid: one that is laid beside others comes to lie against them, however carelessly it was aimed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.points import EMPTY, Point
from kifuwatch.datasets.clip_script import StoneChange

Floats = NDArray[np.float64]
TRIES = 6
"""Times that a stone is pushed back from each neighbour in turn; between three it may still overlap a little."""


def laid(changes: Iterable[StoneChange], spec: BoardSpec) -> list[StoneChange]:
    """The same changes in order of time, the offsets of stones such that none lies where another lies already."""
    places: dict[Point, Floats] = {}
    done = []
    for change in sorted(changes, key=lambda each: each.seconds):
        places.pop(change.point, None)
        if change.cell != EMPTY:
            goal = _place(change.point, change.offset, spec)
            near = [place for point, place in places.items() if _beside(point, change.point)]
            places[change.point] = place = _beside_all(goal, near, spec.stone_diameter)
            if place is not goal:
                right, down = (place - _place(change.point, (0.0, 0.0), spec)) / [spec.across, spec.along]
                change = replace(change, offset=(float(right), float(-down)))
        done.append(change)
    return done


def _place(point: Point, offset: tuple[float, float], spec: BoardSpec) -> Floats:
    """Where a stone is in mm; rows count upwards, so the second is negative."""
    return np.array([(point.col + offset[0]) * spec.across, -(point.row + offset[1]) * spec.along])


def _beside(one: Point, other: Point) -> bool:
    return max(abs(one.row - other.row), abs(one.col - other.col)) <= 1


def _beside_all(goal: Floats, near: list[Floats], diameter: float) -> Floats:
    """The goal, or where a stone comes to lie that slides off those that are there."""
    place = goal
    for _ in range(TRIES):
        moved = False
        for other in near:
            away = place - other
            gap = float(np.linalg.norm(away))
            if 1e-9 < gap < diameter - 1e-6:
                place, moved = other + away * (diameter / gap), True
        if not moved:
            break
    return place
