"""The light that comes from the room round a board, as a picture of all directions."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.datasets.scene import Colour3
from kifuwatch.datasets.texture import noise

Image = NDArray[np.float32]

ROWS, COLS = 256, 512


@dataclass(frozen=True)
class Panel:
    """Something bright in the room: its middle (azimuth, elevation) and half its size in radians, and its light.

    ``bars``: panes in each direction (a window's), or 0, 0.
    """

    azimuth: float
    elevation: float
    wide: float
    high: float
    light: Colour3
    bars: tuple[int, int] = (0, 0)
    round: bool = False


@dataclass(frozen=True)
class Room:
    """Walls, ceiling and floor (linear BGR), what shines in them, and a seed for the furniture."""

    seed: int
    wall: Colour3
    ceiling: Colour3
    floor: Colour3
    panels: tuple[Panel, ...]


def room_picture(room: Room) -> Image:
    """Light from all directions (ROWS, COLS, 3), linear BGR: azimuth to the right, the zenith at the top."""
    rng = np.random.default_rng(room.seed)
    elevation = (0.5 - (np.arange(ROWS) + 0.5) / ROWS) * np.pi
    picture = np.empty((ROWS, COLS, 3), np.float32)
    picture[:] = room.wall
    picture[elevation > 0.75] = room.ceiling
    picture[elevation < -0.3] = room.floor
    _furniture(picture, rng)
    picture *= 1 + 0.12 * noise(rng, ROWS, COLS, 60, 80)[..., None]
    picture = np.clip(cv2.GaussianBlur(picture, (0, 0), 1.5), 0, None).astype(np.float32)
    picture[:, -8:] = (
        picture[:, :1] * np.linspace(0, 1, 8)[None, :, None] + picture[:, -8:] * np.linspace(1, 0, 8)[None, :, None]
    )
    for panel in room.panels:
        _panel(picture, panel)
    return picture


def _furniture(picture: Image, rng: np.random.Generator) -> None:
    """Shelves, posters, people far off: patches at the height of the horizon."""
    mean = picture.mean(axis=(0, 1))
    for _ in range(rng.integers(4, 22)):
        wide, high = rng.integers(8, 70), rng.integers(6, 50)
        x, y = rng.integers(0, COLS), ROWS // 2 - rng.integers(-25, 40)
        colour = mean * rng.uniform(0.1, 1.6) * np.exp(rng.normal(0, 0.25, 3))
        for shift in (-COLS, 0):
            start = int(x + shift - wide // 2), int(y - high // 2)
            cv2.rectangle(picture, start, (start[0] + int(wide), start[1] + int(high)), colour.tolist(), -1)


def _panel(picture: Image, panel: Panel) -> None:
    """Lay a window or a lamp over the picture, as seen from the board."""
    azimuth = ((np.arange(COLS) + 0.5) / COLS * 2 - 1) * np.pi
    elevation = (0.5 - (np.arange(ROWS) + 0.5) / ROWS) * np.pi
    gx, gy = np.meshgrid(azimuth, elevation)
    ray = np.stack([np.cos(gy) * np.cos(gx), np.cos(gy) * np.sin(gx), np.sin(gy)], -1)
    a, e = panel.azimuth, panel.elevation
    ahead = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
    aside = np.array([-np.sin(a), np.cos(a), 0.0])
    above = np.cross(ahead, aside)
    depth = ray @ ahead
    x = ray @ aside / np.maximum(depth, 1e-3) / np.tan(panel.wide)
    y = ray @ above / np.maximum(depth, 1e-3) / np.tan(panel.high)
    inside = (depth > 0) & ((x**2 + y**2 < 1) if panel.round else ((np.abs(x) < 1) & (np.abs(y) < 1)))
    for place, count in ((x, panel.bars[0]), (y, panel.bars[1])):
        if count:
            inside &= np.abs((place + 1) / 2 * count % 1 - 0.5) < 0.46
    soft = cv2.GaussianBlur(inside.astype(np.float32), (0, 0), 0.6)[..., None]
    picture *= 1 - soft
    picture += soft * np.array(panel.light, np.float32)
