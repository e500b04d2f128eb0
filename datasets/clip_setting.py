"""The picture that a scenario asks for: camera, light, stones and coding; what it leaves open its seed decides.

"look": {"seed": 7, "elevation": 32, "azimuth": 15, "light": "lamp", "stones": "yunzi", "away": 1.2, "jpeg": 85}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np

from kifuwatch.core.errors import FileFormatError
from kifuwatch.datasets.clip_look import ClipLook, clip_look, clip_pose
from kifuwatch.datasets.clip_script import ClipScript
from kifuwatch.datasets.fields import Fields
from kifuwatch.datasets.scene import Colour3, Light, Scene, StoneLook

T = TypeVar("T")
Lighting = tuple[tuple[Light, ...], Colour3]


def _towards(height: float, way: float) -> tuple[float, float, float]:
    """The unit vector towards a light ``height`` degrees above the table, ``way`` degrees round it."""
    h, w = np.radians(height), np.radians(way)
    return float(np.cos(h) * np.cos(w)), float(np.cos(h) * np.sin(w)), float(np.sin(h))


def _window(rng: np.random.Generator) -> Lighting:
    """Daylight from one side, a little blue, with soft shadows."""
    direction = _towards(rng.uniform(35, 50), rng.uniform(0, 360))
    return (Light(direction, (0.98, 0.92, 0.88), rng.uniform(0.35, 0.6)),), (0.46, 0.42, 0.39)


def _lamp(rng: np.random.Generator) -> Lighting:
    """A warm lamp near by, with hard shadows and little else."""
    direction = _towards(rng.uniform(50, 70), rng.uniform(0, 360))
    return (Light(direction, (0.62, 0.86, 1.05), rng.uniform(0.05, 0.15)),), (0.17, 0.23, 0.28)


def _ceiling(rng: np.random.Generator) -> Lighting:
    """Tubes on the ceiling: light from two sides at once, hardly a shadow."""
    way = rng.uniform(0, 360)
    tubes = [Light(_towards(65, way + turn), (0.38, 0.4, 0.38), 0.5) for turn in (0.0, 180.0)]
    return tuple(tubes), (0.36, 0.38, 0.36)


def _evening(rng: np.random.Generator) -> Lighting:
    """A dim warm room."""
    direction = _towards(rng.uniform(40, 65), rng.uniform(0, 360))
    return (Light(direction, (0.30, 0.46, 0.62), rng.uniform(0.2, 0.4)),), (0.13, 0.18, 0.22)


LIGHTS: dict[str, Callable[[np.random.Generator], Lighting]] = {
    "window": _window,
    "lamp": _lamp,
    "ceiling": _ceiling,
    "evening": _evening,
}
STONES: dict[str, tuple[StoneLook, StoneLook]] = {
    "glass": (StoneLook((0.012, 0.012, 0.013), 0.6, 90.0), StoneLook((0.80, 0.84, 0.85), 0.6, 90.0)),
    "shell": (StoneLook((0.02, 0.02, 0.02), 0.12, 18.0), StoneLook((0.78, 0.84, 0.87), 0.35, 45.0, 0.08)),
    "yunzi": (
        StoneLook((0.014, 0.018, 0.014), 0.2, 25.0, 0.0, True),
        StoneLook((0.74, 0.83, 0.82), 0.2, 25.0, 0.0, True),
    ),
    "plain": (StoneLook((0.016, 0.016, 0.016), 0.2, 25.0), StoneLook((0.80, 0.83, 0.84), 0.15, 25.0)),
}
ANGLES = {"elevation": (15.0, 89.0), "azimuth": (-360.0, 360.0)}


def look_of(script: ClipScript, seed: int = 0) -> ClipLook:
    """How the clip of a script looks. Raises FileFormatError for a look that cannot be."""
    wish = Fields(script.record, "scenario").sub("look", {})
    seed += int(wish.number("seed", 0))
    look = clip_look(script.size, (script.width, script.height), seed)
    scene = _seen(look.scene, wish, np.random.default_rng([seed, 12]))
    if "light" in wish:
        lights, ambient = _one(LIGHTS, wish, "light")(np.random.default_rng([seed, 13]))
        scene = replace(scene, lights=lights, ambient=ambient)
    if "stones" in wish:
        black, white = _one(STONES, wish, "stones")
        scene = replace(scene, black=black, white=white)
    if "jpeg" in wish:
        scene = replace(scene, effects=replace(scene.effects, jpeg=int(_within(wish, "jpeg", 1, 100))))
    return replace(look, scene=scene, traced=wish.text("traced") if "traced" in wish else None)


def _seen(scene: Scene, wish: Fields, rng: np.random.Generator) -> Scene:
    """The same scene from where the scenario wants to see it."""
    if not any(key in wish for key in ("elevation", "azimuth", "away")):
        return scene
    elevation, azimuth = rng.uniform(50, 82), rng.normal(0, 7)
    roll, focal = rng.normal(0, 0.02), rng.uniform(0.95, 1.4)
    if "elevation" in wish:
        elevation = _within(wish, "elevation", *ANGLES["elevation"])
    if "azimuth" in wish:
        azimuth = _within(wish, "azimuth", *ANGLES["azimuth"])
    away = _within(wish, "away", 1.0, 4.0) if "away" in wish else 1.0
    angles = float(np.radians(elevation)), float(np.radians(azimuth)), float(roll)
    return replace(scene, pose=clip_pose(scene.pose.spec, scene.pose.image_size, *angles, float(focal), away))


def _one(choices: Mapping[str, T], wish: Fields, key: str) -> T:
    name = wish.text(key)
    if name not in choices:
        raise FileFormatError(f"{wish.where}: {key!r} must be one of {', '.join(choices)}, not {name!r}")
    return choices[name]


def _within(wish: Fields, key: str, low: float, high: float) -> float:
    value = wish.number(key)
    if not low <= value <= high:
        raise FileFormatError(f"{wish.where}: {key!r} must be from {low:g} to {high:g}, not {value:g}")
    return value
