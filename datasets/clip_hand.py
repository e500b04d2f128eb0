"""The hand that plays: painted once as a relief seen from above, then laid into each frame in perspective.

The sprite's own coordinates are millimetres: ``x`` to the right and ``y`` backwards from the tip of the middle finger,
fingers pointing to smaller ``y``, a right hand with its palm down. Colours are linear BGR.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.datasets.scene import Colour3
from kifuwatch.datasets.texture import noise

Image = NDArray[np.float32]
Floats = NDArray[np.float64]

FINEST = 1.6
"""The most texels a millimetre that a hand is painted with."""
LEFT, AHEAD, WIDE, LONG = 95.0, 22.0, 190.0, 760.0
"""How far the sprite reaches left of and ahead of the fingertip, and its whole width and length, in mm."""
CUFF = 218.0
"""Where the sleeve begins, in mm behind the fingertip."""

# Limbs as cones with round ends: x, y, radius at both ends, and how high the bone runs (mm).
FINGERS = (
    ((-8.5, 5.0, 6.6), (-16.5, 46.0, 8.4), 4.0),
    ((-16.5, 46.0, 8.4), (-19.0, 94.0, 10.5), 7.0),
    ((0.0, 1.0, 7.0), (3.0, 47.0, 8.8), 9.0),
    ((3.0, 47.0, 8.8), (4.0, 95.0, 11.0), 9.0),
    ((22.0, 27.0, 6.8), (24.5, 60.0, 8.4), 2.0),
    ((24.5, 60.0, 8.4), (25.0, 99.0, 10.5), 7.0),
    ((39.0, 52.0, 5.8), (42.0, 78.0, 7.2), 0.0),
    ((42.0, 78.0, 7.2), (43.0, 106.0, 9.5), 4.0),
)
THUMB = (
    ((-34.0, 57.0, 7.6), (-41.0, 86.0, 9.2), -4.0),
    ((-41.0, 86.0, 9.2), (-39.0, 122.0, 13.0), -1.0),
    ((-39.0, 122.0, 13.0), (-20.0, 165.0, 20.0), 2.0),
)
PALM = (
    ((-19.0, 94.0, 11.0), (-13.0, 172.0, 18.0), 7.0),
    ((4.0, 95.0, 12.0), (0.0, 175.0, 18.0), 9.0),
    ((25.0, 99.0, 11.0), (12.0, 175.0, 18.0), 7.0),
    ((42.0, 108.0, 10.5), (18.0, 172.0, 17.0), 3.0),
    ((-22.0, 128.0, 16.0), (20.0, 128.0, 16.0), 3.0),
    ((-7.0, 170.0, 21.0), (-9.0, 262.0, 25.0), 4.0),
    ((9.0, 170.0, 20.0), (11.0, 262.0, 25.0), 4.0),
)
SLEEVE = (
    ((-6.0, CUFF + 22.0, 33.0), (-2.0, LONG, 62.0), -2.0),
    ((8.0, CUFF + 22.0, 33.0), (4.0, LONG, 62.0), -2.0),
)
NAILS = (
    (-9.6, 9.0, 4.1, 6.2, 11.0),
    (0.3, 5.5, 4.4, 6.6, 3.0),
    (22.3, 31.0, 3.9, 5.6, 4.0),
    (39.2, 55.5, 3.2, 4.6, 5.0),
)
"""x, y, half width, half length (mm) and turn (degrees)."""

Limb = tuple[tuple[float, float, float], tuple[float, float, float], float]


@dataclass(frozen=True, eq=False)
class HandSprite:
    """A painted hand: ``colour`` (h, w, 3) linear, as lit; ``alpha`` (h, w) 0..1.

    Texel (0, 0) lies at (-LEFT, -AHEAD); there are ``scale`` texels a millimetre.
    """

    colour: Image
    alpha: Image
    scale: float

    @property
    def place(self) -> Floats:
        """(3, 3) from texels to the sprite's millimetres."""
        return np.array([[1 / self.scale, 0, -LEFT], [0, 1 / self.scale, -AHEAD], [0, 0, 1.0]])


def paint_hand(
    rng: np.random.Generator,
    skin: Colour3,
    sleeve: Colour3,
    light: tuple[float, float, float],
    sun: Colour3,
    sky: Colour3,
    scale: float = FINEST,
) -> HandSprite:
    """Paint one hand with ``scale`` texels a millimetre.

    ``light``: unit direction towards the light in the sprite's axes (x, y, height).
    """
    height, width = round(LONG * scale), round(WIDE * scale)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32) / scale - np.array([AHEAD, LEFT], np.float32)[:, None, None]
    fingers, palm = _union(x, y, (*FINGERS, *THUMB), 1.2), _union(x, y, PALM, 3.0)
    bare = _blend(fingers, palm, 2.5)
    cloth = _union(x, y, SLEEVE, 4.0)
    cloth = np.where(y > CUFF + 1.2 * np.sin(x / 9), cloth, -99.0)
    folds = noise(rng, height, width, 34 * scale, 70 * scale) * 2.6
    folds += noise(rng, height, width, 13 * scale, 40 * scale)
    is_cloth = (cloth > -90) & (cloth >= bare - 30)
    relief = np.where(is_cloth, cloth + folds * np.clip((y - CUFF) / 14, 0, 1), bare + _tendons(x, y))
    skin_edge, cloth_edge = _edge(x, y, (*FINGERS, *THUMB, *PALM), scale), _edge(x, y, SLEEVE, scale)
    alpha = np.maximum(skin_edge, cloth_edge * (y > CUFF + 1.2 * np.sin(x / 9)))
    relief = _spread(relief[..., None].astype(np.float32), relief > -90, 2.5 * scale)[..., 0]
    tint = np.where(is_cloth[..., None], _cloth(rng, sleeve, height, width), _skin(rng, skin, x, y, height, width))
    lit = _light(relief, alpha, np.array(light), sun, sky, scale)
    colour = (tint * lit).astype(np.float32)
    soft = cv2.GaussianBlur(alpha.astype(np.float32), (0, 0), 0.5 * scale)
    return HandSprite(_spread(colour, alpha > 0.99, 2.0), soft, scale)


def _cone(x: Floats, y: Floats, limb: Limb) -> tuple[Floats, Floats]:
    """Distance (mm) from a limb's axis and its radius there."""
    (x0, y0, r0), (x1, y1, r1), _ = limb
    along = np.clip(((x - x0) * (x1 - x0) + (y - y0) * (y1 - y0)) / ((x1 - x0) ** 2 + (y1 - y0) ** 2), 0, 1)
    away = np.hypot(x - x0 - along * (x1 - x0), y - y0 - along * (y1 - y0))
    return away, r0 + along * (r1 - r0)


def _union(x: Floats, y: Floats, limbs: tuple[Limb, ...], melt: float) -> Floats:
    """Height (mm) of the upper side of limbs that melt into each other; -99 beside them."""
    total: Floats = np.full(x.shape, -99.0)
    for limb in limbs:
        away, radius = _cone(x, y, limb)
        top = limb[2] + np.sqrt(np.maximum(radius**2 - away**2, 0)) * 0.9
        total = _blend(total, np.where(away < radius, top, -99.0), melt)
    return total


def _blend(one: Floats, two: Floats, melt: float) -> Floats:
    """The higher of two surfaces, with a seam as soft as ``melt`` mm."""
    high, gap = np.maximum(one, two), np.abs(one - two)
    out: Floats = high + melt * 0.5 * np.exp(-gap / melt) * (np.minimum(one, two) > -90)
    return out


def _edge(x: Floats, y: Floats, limbs: tuple[Limb, ...], scale: float) -> Floats:
    share: Floats = np.zeros(x.shape)
    for limb in limbs:
        away, radius = _cone(x, y, limb)
        share = np.maximum(share, np.clip((radius - away) * scale + 0.5, 0, 1))
    return share


def _tendons(x: Floats, y: Floats) -> Floats:
    """Faint ridges from the knuckles to the wrist, and the knuckles themselves."""
    ridge: Floats = np.zeros(x.shape)
    for knuckle in ((-19.0, 94.0), (4.0, 95.0), (25.0, 99.0), (42.0, 107.0)):
        away, _ = _cone(x, y, ((knuckle[0], knuckle[1], 1.0), (2.0, 172.0, 1.0), 0.0))
        ridge += 1.1 * np.exp(-((away / 3.2) ** 2)) * np.clip((165 - y) / 60, 0, 1)
        ridge += 2.2 * np.exp(-((x - knuckle[0]) ** 2 + (y - knuckle[1]) ** 2) / 90)
    return ridge


def _skin(rng: np.random.Generator, skin: Colour3, x: Floats, y: Floats, height: int, width: int) -> Floats:
    """Colour of skin: redder at tips and knuckles, creased at the joints, nails."""
    blotch = noise(rng, height, width, height / 34, height / 34) * 0.035 + noise(rng, height, width, 3, 3) * 0.02
    flush: Floats = np.zeros(x.shape)
    crease: Floats = np.zeros(x.shape)
    for (x0, y0, _), (x1, y1, _), _ in (FINGERS[0], FINGERS[2], FINGERS[4], FINGERS[6], THUMB[0]):
        flush += np.exp(-((x - x0) ** 2 + (y - y0) ** 2) / 180)
        flush += 0.8 * np.exp(-((x - x1) ** 2 + (y - y1) ** 2) / 110)
        for lift in (-3.0, 0.0, 3.0):
            crease += np.exp(-(((y - y1 - lift) / 0.6) ** 2) - ((x - x1) / 5.5) ** 2)
    flush = np.clip(flush, 0, 1)
    base = np.array(skin) * (1 + blotch)[..., None]
    base = base * (1 - flush[..., None] * np.array([0.16, 0.13, 0.0])) * (1 - 0.22 * np.clip(crease, 0, 1)[..., None])
    for nx, ny, half_x, half_y, turn in NAILS:
        cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        u, v = ((x - nx) * cos + (y - ny) * sin) / half_x, (-(x - nx) * sin + (y - ny) * cos) / half_y
        nail = np.clip((1 - (np.abs(u) ** 2.6 + np.abs(v) ** 2.6)) * 3, 0, 1)[..., None]
        base = base * (1 - nail) + np.array(skin) * np.array([1.12, 1.08, 1.12]) * nail
    out: Floats = base
    return out


def _cloth(rng: np.random.Generator, sleeve: Colour3, height: int, width: int) -> Floats:
    weave = noise(rng, height, width, 1.2, 1.2) * 0.05 + noise(rng, height, width, 60, 60) * 0.05
    out: Floats = np.array(sleeve) * (1 + weave)[..., None]
    return out


def _light(relief: Image, alpha: Floats, light: Floats, sun: Colour3, sky: Colour3, scale: float) -> Floats:
    """Light (h, w, 3) on a relief in mm: the sun by its slope, the sky by how deep it lies among its surroundings."""
    smooth = cv2.GaussianBlur(relief, (0, 0), 0.9 * scale)
    slope_y, slope_x = np.gradient(smooth * scale)
    slope = np.stack([-slope_x, -slope_y, np.ones_like(slope_x)], -1)
    normal = slope / np.linalg.norm(slope, axis=2, keepdims=True)
    lit = np.clip((normal @ light + 0.25) / 1.25, 0, None)
    weight = cv2.GaussianBlur(alpha.astype(np.float32), (0, 0), 5 * scale) + 1e-3
    around = cv2.GaussianBlur((relief * alpha).astype(np.float32), (0, 0), 5 * scale) / weight
    deep = np.clip(1 - 0.055 * np.clip(around - smooth, 0, 10), 0.4, 1) * (0.55 + 0.45 * normal[..., 2])
    between = light + np.array([0, 0, 1.0])
    shine = 0.05 * np.clip(normal @ (between / np.linalg.norm(between)), 0, 1) ** 24
    direct, indirect = (lit * (0.6 + 0.4 * deep))[..., None] * np.array(sun), deep[..., None] * np.array(sky)
    out: Floats = direct + indirect + shine[..., None]
    return out


def _spread(values: Image, inside: NDArray[np.bool_], reach: float) -> Image:
    """Carry values (h, w, c) a little beyond an outline: what is smoothed there mixes in nothing from outside."""
    known = inside.astype(np.float32)
    weight = cv2.GaussianBlur(known, (0, 0), reach) + 1e-4
    spread = cv2.GaussianBlur(values * known[..., None], (0, 0), reach).reshape(values.shape) / weight[..., None]
    out: Image = np.where(inside[..., None], values, spread).astype(np.float32)
    return out
