"""Where the camera stands and what light it has, in turn over a list of scenarios, so that all come up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kifuwatch.datasets.clip_script import parse_script
from kifuwatch.datasets.clip_setting import LIGHTS, STONES, look_of
from kifuwatch.datasets.scenarios.teller import Shot

ELEVATIONS = ((65, 80), (50, 65), (36, 50), (65, 80), (50, 65), (36, 50), (25, 36), (50, 65))
"""Ranges in degrees, in turn."""
SIDES = (0, 0, 20, 0, -25, 180, 0, 90, 0, -15, 160, -90)
"""Azimuths in degrees, in turn: mostly from Black's side, where a player's own camera stands."""
LOW, WIDE = 40.0, 1.3
"""From below this elevation, or from so far away, the picture has more pixels."""


def shot(number: int, fps: float = 8.0) -> Shot:
    """The shot of the ``number``-th of a list of scenarios."""
    rng = np.random.default_rng([number, 61])
    low, high = ELEVATIONS[number % len(ELEVATIONS)]
    elevation = round(float(rng.uniform(low, high)), 1)
    away = round(float(rng.choice([1.0, rng.uniform(1.0, 1.5)])), 2)
    look: dict[str, object] = {
        "seed": number + 1,
        "elevation": elevation,
        "azimuth": round(SIDES[number % len(SIDES)] + float(rng.normal(0, 3)), 1),
        "light": list(LIGHTS)[number % len(LIGHTS)],
        "stones": list(STONES)[int(rng.integers(len(STONES)))],
        "away": away,
        "jpeg": int(rng.integers(72, 95)),
    }
    large = elevation < LOW or away > WIDE
    width, height = (800, 600) if large else ((640, 480), (720, 480), (640, 480))[number % 3]
    return Shot(look, width, height, fps)


@dataclass(frozen=True)
class Ranges:
    """Names for ranges of a number: below each limit its name."""

    limits: tuple[tuple[float, str], ...]

    def of(self, value: float) -> str:
        """The name of the range of a number."""
        return next(name for limit, name in self.limits if value < limit)


ELEVATION_RANGES = Ranges(((36, "25-36"), (50, "36-50"), (65, "50-65"), (91, "65-80")))
PITCH_RANGES = Ranges(((14, "below 14 px"), (18, "14-18 px"), (24, "18-24 px"), (1e9, "above 24 px")))


def conditions(record: dict[str, object]) -> dict[str, str]:
    """What the results of a scenario can be split by."""
    script = parse_script(record)
    pose = look_of(script).scene.pose
    look = record["look"]
    assert isinstance(look, dict)
    return {
        "elevation": ELEVATION_RANGES.of(pose.elevation),
        "light": str(look.get("light", "by seed")),
        "pitch": PITCH_RANGES.of(pose.pitch),
        "size": str(script.size),
        "side": {0: "Black's", 1: "right", 2: "White's", 3: "left"}[round(float(look.get("azimuth", 0)) / 90) % 4],
        "stones": str(look.get("stones", "by seed")),
    }
