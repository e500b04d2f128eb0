"""Draw the light of a scene: a room with windows and ceiling lamps, lamps near the board, the sun, coloured lamps."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.datasets.photoreal_room import Panel, Room
from kifuwatch.datasets.scene import Colour3

Rng = np.random.Generator


MOODS = ("day", "club", "lamp", "dusk", "party")
"""Kinds of light: windows, lamps in the ceiling, one lamp near the board, nearly dark, coloured lamps."""


@dataclass(frozen=True)
class Lamp:
    """A ball of light: its place and radius in mm, and the light (linear BGR) that it throws on the board's middle."""

    place: tuple[float, float, float]
    radius: float
    colour: Colour3


@dataclass(frozen=True)
class Blind:
    """A dark sheet that stands in a light's way: its middle (mm), the direction it faces, and half its size in mm."""

    middle: tuple[float, float, float]
    facing: tuple[float, float, float]
    half: tuple[float, float]
    turn: float


@dataclass(frozen=True)
class Rig:
    """All light of a scene.

    ``sky`` is how much of the light on the board comes from the room (``room`` gives only its pattern), ``sun`` its
    direction (X, Y, height) and colour.
    """

    mood: str
    room: Room
    sky: float
    lamps: tuple[Lamp, ...]
    sun: tuple[tuple[float, float, float], Colour3] | None
    blinds: tuple[Blind, ...]

    @property
    def total(self) -> NDArray[np.float64]:
        """(3,) linear BGR: all light on the board's middle."""
        every = [np.full(3, self.sky), *(np.array(lamp.colour) for lamp in self.lamps)]
        if self.sun:
            every.append(np.array(self.sun[1]))
        return np.asarray(np.sum(every, axis=0), dtype=float)


def random_light(rng: Rng, spec: BoardSpec, mood: str) -> Rig:
    """Light of one of the ``MOODS``; what reaches the board is about 1 in all."""
    middle = np.array([spec.across * (spec.size - 1) / 2, spec.along * (spec.size - 1) / 2, 0.0])
    room = _room(rng, mood)
    lamps: list[Lamp] = []
    sun = None
    if mood == "day" and rng.random() < 0.3:
        direction = _direction(rng, (22, 60))
        sun = (direction, _tint(rng, 0.06, rng.uniform(0.5, 2.0), warm=0.12))
    if mood in ("day", "club") and rng.random() < 0.25:
        lamps.append(_lamp(rng, middle, _tint(rng, 0.05, rng.uniform(0.2, 0.7), warm=0.3)))
    if mood in ("lamp", "dusk"):
        warm = rng.uniform(0, 0.5)
        for _ in range(rng.integers(1, 3)):
            lamps.append(_lamp(rng, middle, _tint(rng, 0.05, rng.uniform(0.4, 1.2), warm=warm)))
    if mood == "party":
        lamps += _party(rng, middle)
    sky = {
        "day": 1.0,
        "club": 1.0,
        "lamp": rng.uniform(0.1, 0.5),
        "dusk": rng.uniform(0.1, 0.6),
        "party": rng.uniform(0.02, 0.3),
    }[mood]
    blinds = []
    sources = [np.array(lamp.place) for lamp in lamps] + ([middle + 3000 * np.array(sun[0])] if sun else [])
    if sources and rng.random() < 0.45:
        blinds.append(_blind(rng, middle, sources[int(rng.integers(len(sources)))], spec))
    return Rig(mood, room, float(sky), tuple(lamps), sun, tuple(blinds))


def _direction(rng: Rng, elevation: tuple[float, float]) -> tuple[float, float, float]:
    e, a = np.radians(rng.uniform(*elevation)), rng.uniform(0, 6.28)
    return float(np.cos(e) * np.cos(a)), float(np.cos(e) * np.sin(a)), float(np.sin(e))


def _tint(rng: Rng, spread: float, strength: float, warm: float = 0.0) -> Colour3:
    colour = strength * np.exp(rng.normal(0, spread, 3)) * np.exp(np.array([-warm, 0.0, warm]) * 0.9)
    return float(colour[0]), float(colour[1]), float(colour[2])


def _lamp(rng: Rng, middle: NDArray[np.float64], colour: Colour3) -> Lamp:
    direction = np.array(_direction(rng, (25, 85)))
    place = middle + direction * rng.uniform(500, 1800)
    return Lamp(
        (float(place[0]), float(place[1]), float(place[2])), float(np.exp(rng.uniform(np.log(18), np.log(140)))), colour
    )


HUES = {"red": 0.0, "orange": 0.06, "blue": 0.63, "green": 0.36, "purple": 0.78, "pink": 0.9, "cyan": 0.5}


def _party(rng: Rng, middle: NDArray[np.float64]) -> list[Lamp]:
    """One to three strongly coloured lamps, sometimes with a weak white one."""
    lamps = []
    for _ in range(rng.integers(1, 4)):
        hue = HUES[str(rng.choice(list(HUES)))] + rng.normal(0, 0.02)
        r, g, b = colorsys.hsv_to_rgb(hue % 1.0, float(rng.uniform(0.55, 0.97)), 1.0)
        strength = rng.uniform(0.3, 1.0)
        lamps.append(_lamp(rng, middle, (strength * b, strength * g, strength * r)))
    if rng.random() < 0.5:
        lamps.append(_lamp(rng, middle, _tint(rng, 0.1, rng.uniform(0.05, 0.35))))
    return lamps


def _blind(rng: Rng, middle: NDArray[np.float64], source: NDArray[np.float64], spec: BoardSpec) -> Blind:
    """Something between a lamp and the board, far enough from it to stay out of the picture."""
    span = spec.across * (spec.size - 1)
    aim = middle + np.array([*rng.uniform(-0.5, 0.5, 2) * span, 0.0])
    ray = (source - aim) / np.linalg.norm(source - aim)
    place = aim + ray * rng.uniform(0.5, 0.8) * min(float(np.linalg.norm(source - aim)), 1400.0)
    half = (
        (float(rng.uniform(15, 60)), 900.0)
        if rng.random() < 0.4
        else (float(rng.uniform(80, 300)), float(rng.uniform(80, 300)))
    )
    return Blind(
        (float(place[0]), float(place[1]), float(place[2])),
        (float(ray[0]), float(ray[1]), float(ray[2])),
        half,
        float(rng.uniform(0, 3.14)),
    )


def _room(rng: Rng, mood: str) -> Room:
    """Walls and ceiling, windows by day, lamps in the ceiling, and for the evening little light at all."""
    tone = rng.uniform(0.25, 0.8)
    wall = tone * np.exp(rng.normal(0, 0.1, 3)) * [0.92, 0.97, 1.0]
    ceiling, floor = wall * rng.uniform(0.9, 1.5), wall * rng.uniform(0.15, 0.6)
    panels: list[Panel] = []
    if mood in ("day", "dusk"):
        blue = np.array([1.12, 1.0, 0.9]) if rng.random() < 0.7 else np.array([0.9, 1.0, 1.05])
        for _ in range(rng.integers(1, 4)):
            light = blue * rng.uniform(6, 30) * (0.3 if mood == "dusk" else 1.0)
            bars = (int(rng.integers(1, 4)), int(rng.integers(1, 4)))
            size = float(rng.uniform(0.12, 0.45)), float(rng.uniform(0.15, 0.4))
            panels.append(Panel(float(rng.uniform(-3.1, 3.1)), float(rng.uniform(0.2, 0.75)), *size, _bgr(light), bars))
    if mood in ("club", "lamp") or rng.random() < 0.25:
        warm = rng.uniform(-0.1, 0.35)
        light = np.exp(np.array([-warm, 0, warm])) * rng.uniform(8, 40) * (0.3 if mood == "lamp" else 1.0)
        round_ = bool(rng.random() < 0.4)
        turn, rows = rng.uniform(-3.1, 3.1), int(rng.integers(1, 4))
        for i in range(rows * 2):
            size = (0.09, 0.09) if round_ else (float(rng.uniform(0.03, 0.07)), float(rng.uniform(0.12, 0.3)))
            elevation = float(np.clip(1.25 - 0.28 * (i // 2) + rng.normal(0, 0.03), 0.5, 1.5))
            panels.append(
                Panel(
                    float(turn + np.pi * (i % 2) + rng.normal(0, 0.15)), elevation, *size, _bgr(light), (0, 0), round_
                )
            )
    return Room(int(rng.integers(2**31)), _bgr(wall), _bgr(ceiling), _bgr(floor), tuple(panels))


def _bgr(colour: NDArray[np.float64]) -> Colour3:
    return float(colour[0]), float(colour[1]), float(colour[2])
