"""Stones are solid: one that is laid beside others comes to lie against them, however carelessly it was aimed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.points import EMPTY, Point
from kifuwatch.datasets.clip_script import StoneChange

Floats = NDArray[np.float64]
TRIES = 6
"""Times that a stone and each neighbour in turn give way; between three some may still overlap a little."""


def laid(changes: Iterable[StoneChange], spec: BoardSpec) -> list[StoneChange]:
    """The same changes in order of time, the offsets of stones such that none lies in another.

    Of two that touch, the one that is farther off its own point gives way: the new one slides off, or pushes the other
    back, which is a change of its own.
    """
    lying: dict[Point, StoneChange] = {}
    done: list[StoneChange] = []
    for change in sorted(changes, key=lambda each: each.seconds):
        lying.pop(change.point, None)
        moved = [change] if change.cell == EMPTY else _giving_way(change, lying, spec)
        lying |= {each.point: each for each in moved if each.cell != EMPTY}
        done += moved
    return done


def _giving_way(new: StoneChange, lying: Mapping[Point, StoneChange], spec: BoardSpec) -> list[StoneChange]:
    """The stones that a new one pushes back, as changes of its time, and last where itself comes to lie."""
    beside = {point: other for point, other in lying.items() if _beside(point, new.point)}
    pushed: dict[Point, StoneChange] = {}
    for _ in range(TRIES):
        before = new
        for point, other in beside.items():
            other = pushed.get(point, other)
            if _off(other, spec) <= _off(new, spec):
                new = _pushed(new, other, spec)
            elif (back := _pushed(other, new, spec)) is not other:
                pushed[point] = replace(back, seconds=new.seconds)
        if new is before:
            break
    return [*pushed.values(), new]


def _off(change: StoneChange, spec: BoardSpec) -> float:
    """How far a stone lies off its point, in mm."""
    return float(np.hypot(change.offset[0] * spec.across, change.offset[1] * spec.along))


def _pushed(change: StoneChange, other: StoneChange, spec: BoardSpec) -> StoneChange:
    """The stone where another leaves room for it, in the direction in which it lies from that."""
    fixed = _place(other, spec)
    away = _place(change, spec) - fixed
    gap = float(np.linalg.norm(away))
    if not 1e-9 < gap < spec.stone_diameter - 1e-6:
        return change
    right, up = (fixed + away * (spec.stone_diameter / gap)) / [spec.across, spec.along]
    return replace(change, offset=(float(right - change.point.col), float(up - change.point.row)))


def _place(change: StoneChange, spec: BoardSpec) -> Floats:
    """Where a stone lies: mm to the right and up."""
    column, row = change.point.col + change.offset[0], change.point.row + change.offset[1]
    return np.array([column * spec.across, row * spec.along])


def _beside(one: Point, other: Point) -> bool:
    return max(abs(one.row - other.row), abs(one.col - other.col)) <= 1
