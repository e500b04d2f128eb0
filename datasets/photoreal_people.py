"""Hands that reach over a board, sleeves, heads that lean over it, players who sit at it: smooth bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kifuwatch.datasets.photoreal_mesh import Limb, body
from kifuwatch.datasets.photoreal_props import Material, Part
from kifuwatch.datasets.scene import Colour3

Floats = NDArray[np.float64]
Rng = np.random.Generator
Spot = tuple[float, float, float]


@dataclass(frozen=True)
class Person:
    """A part of someone: ``kind`` "hand", "head" or "player", the place it is at (mm), and the way it comes from.

    A hand's place is the tip of its fingers; ``heading`` is the direction (radians, 0: to the right, a quarter turn:
    downwards) in which it reaches.
    """

    kind: str
    place: Spot
    heading: float
    skin: Colour3
    cloth: Colour3
    hair: Colour3
    seed: int


def parts_of_person(person: Person) -> list[Part]:
    """The person's parts in the world."""
    rng = np.random.default_rng(person.seed)
    parts = {"hand": _hand, "head": _head, "player": _player}[person.kind](rng, person)
    return [part.moved(person.place, person.heading) for part in parts]


def _skin(person: Person) -> Material:
    return Material(person.skin, 0.5, 0.5)


def _spot(point: Floats) -> Spot:
    return float(point[0]), float(point[1]), float(point[2])


def _moved(point: Floats, x: float, y: float, z: float) -> Spot:
    return _spot(point + np.array([x, y, z]))


def _hand(rng: Rng, person: Person) -> list[Part]:
    """A hand whose longest finger ends at the origin, seen reaching to the right, and its arm with a sleeve."""
    size, mirror = rng.uniform(0.88, 1.12), float(rng.choice([-1, 1]))
    lean, lift = rng.uniform(0.15, 0.55), rng.uniform(28, 60)
    knuckles = np.array([[-82, -30, lift], [-76, -10, lift + 5], [-80, 10, lift + 4], [-90, 28, lift]])
    wrist = np.array([-165, 0, lift + 80 * lean + rng.uniform(-10, 25)])
    flat = rng.random() < 0.3
    limbs: list[Limb] = []
    for i, knuckle in enumerate(knuckles):
        tip = _finger_tip(rng, i, knuckle, flat)
        bend = (knuckle + tip) / 2 + [8, 0, rng.uniform(6, 20)]
        limbs += [Limb(_moved(wrist, 15, 0.3 * knuckle[1], 0), _spot(knuckle), 15, 11)]
        limbs += [Limb(_spot(knuckle), _spot(bend), 9.8, 8.6), Limb(_spot(bend), _spot(tip), 8.4, 6.8)]
    joint = np.array([-128, -36, lift - 2.0])
    thumb = np.array([-95, -52, lift * 0.7])
    end = np.array([-48, -30 + rng.uniform(-15, 12), rng.uniform(12, 30)])
    limbs += [Limb(_moved(wrist, 18, -8, -4), _spot(joint), 15, 13), Limb(_spot(joint), _spot(thumb), 12, 10)]
    limbs += [Limb(_spot(thumb), _spot(end), 10, 7.5)]
    away = np.array([-1.0, rng.normal(0, 0.15), lean * rng.uniform(0.6, 1.2)])
    elbow = wrist + away / np.linalg.norm(away) * 280
    limbs += [Limb(_moved(wrist, 20, 0, 0), _spot(wrist), 23, 21), Limb(_spot(wrist), _spot(elbow), 22, 40)]
    mirrored = [_scaled(limb, size, mirror) for limb in limbs]
    parts = [Part(body(mirrored, 2.5, 3.2), _skin(person))]
    start = wrist + (elbow - wrist) * rng.uniform(-0.1, 0.7)
    shoulder = elbow + np.array([-260, rng.normal(0, 60), 160])
    loose = rng.uniform(1.1, 1.6)
    sleeve = [
        Limb(_spot(start), _spot(elbow), 27 * loose, 44 * loose),
        Limb(_spot(elbow), _spot(shoulder), 44 * loose, 60),
    ]
    cloth = body(
        [_scaled(limb, size, mirror) for limb in sleeve], 8, 7.0, wrinkle=float(rng.uniform(0.5, 4)), seed=person.seed
    )
    if rng.random() < 0.85:
        parts.append(Part(cloth, Material(person.cloth, 0.0, 1.0)))
    return parts


def _finger_tip(rng: Rng, finger: int, knuckle: Floats, flat: bool) -> Floats:
    """Where a finger ends: the first two hold a stone, the others are bent or stretched."""
    if flat:
        step = np.array([70 - 8 * abs(finger - 1.3), (finger - 1.3) * 6, -knuckle[2] * 0.7 + rng.normal(0, 4)])
    elif finger < 2:
        return np.array([-6.0 + 6 * finger, -9.0 + 11 * finger, 7.0 + rng.uniform(0, 6)])
    else:
        step = np.array([62 * rng.uniform(0.1, 1) - 5, rng.normal(0, 5), -18 - 16 * rng.random()])
    return np.asarray(knuckle + step, dtype=float)


def _scaled(limb: Limb, size: float, mirror: float) -> Limb:
    turn = np.array([size, size * mirror, size])
    start, end = _spot(np.array(limb.start) * turn), _spot(np.array(limb.end) * turn)
    return Limb(start, end, limb.thick * size, limb.thin * size)


def _head(rng: Rng, person: Person) -> list[Part]:
    """A head bent over the board, its hair towards the camera, and the shoulders behind it."""
    hair = [Limb((-20, 0, 10), (25, 0, 0), 92, 84), Limb((-60, 0, -20), (0, 0, 0), 80, 85)]
    face = [Limb((45, 0, -25), (60, 0, -60), 68, 55), Limb((115, 0, -45), (95, 0, -60), 12, 14)]
    trunk = [Limb((-230, -150, -30), (-230, 150, -30), 80, 80), Limb((-60, 0, -50), (-200, 0, -40), 60, 75)]
    wild = float(rng.uniform(0.5, 5))
    return [
        Part(body(hair, 8, 8.0, wrinkle=wild, seed=person.seed), Material(person.hair, 0.3, 0.5)),
        Part(body(face, 8, 7.0), _skin(person)),
        Part(body(trunk, 20, 14.0, wrinkle=5, seed=person.seed + 1), Material(person.cloth, 0.0, 1.0)),
    ]


def _player(rng: Rng, person: Person) -> list[Part]:
    """Someone who sits at the board: trunk, arms folded or on the table, neck and head."""
    wide = rng.uniform(150, 200)
    trunk = [Limb((-120, 0, -250), (-60, 0, 120), 130, 120), Limb((-60, -wide, 190), (-60, wide, 190), 65, 65)]
    elbow = np.array([60.0, wide + 40, 0])
    for side in (-1.0, 1.0):
        hand = np.array([rng.uniform(80, 170), rng.uniform(-60, 60) * side, 10])
        bend = elbow * [1, side, 1]
        trunk += [Limb((-60, wide * side, 180), _spot(bend), 60, 48), Limb(_spot(bend), _spot(hand), 46, 36)]
    nod = rng.uniform(20, 110)
    head = [Limb((nod - 60, 0, 260), (nod, 0, 400), 55, 60), Limb((nod, 0, 400), (nod + 20, 0, 440), 80, 92)]
    hair = [Limb((nod - 15, 0, 440), (nod, 0, 475), 94, 88)]
    return [
        Part(body(trunk, 18, 13.0, wrinkle=6, seed=person.seed), Material(person.cloth, 0.0, 1.0)),
        Part(body(head, 12, 10.0), _skin(person)),
        Part(body(hair, 10, 10.0, wrinkle=3, seed=person.seed + 1), Material(person.hair, 0.3, 0.5)),
    ]
