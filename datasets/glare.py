"""A lamp or a window mirrored in the varnish of a board: what is bare gets as light as a white stone, or lighter.

Stones rise out of it: they are matt, or mirror the lamp elsewhere, and stay nearly what they are.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

FINE = 4  # bits of a pixel's place


def glare(
    image: NDArray[np.uint8], stones: NDArray[np.float64], radius: float, rng: np.random.Generator
) -> NDArray[np.uint8]:
    """The same picture of a straightened board (h, w, 3) with one spot of glare; ``stones`` (n, 2) are the middles of
    its stones in pixels, ``radius`` is theirs."""
    height, width = image.shape[:2]
    bare = np.full((height, width), 255, np.uint8)
    for x, y in np.round(stones * 2**FINE).astype(int).tolist():
        cv2.circle(bare, (x, y), round(radius * 2**FINE), 0, -1, cv2.LINE_AA, FINE)
    on_stones = rng.uniform(0, 0.4)
    share = on_stones + (1 - on_stones) * cv2.GaussianBlur(bare, (0, 0), 1.0).astype(np.float32) / 255
    lamp = rng.uniform(0.85, 1, 3) if rng.random() < 0.8 else rng.uniform(0.3, 1, 3)
    light = (255 * rng.uniform(0.15, 1.1) * lamp).astype(np.float32)
    brighter = image + (_spot(height, width, radius, rng) * share)[..., None] * light
    return np.clip(brighter + 0.5, 0, 255).astype(np.uint8)


def _spot(height: int, width: int, radius: float, rng: np.random.Generator) -> NDArray[np.float32]:
    """How much of the lamp each pixel (h, w) mirrors: an oblong spot that fades, somewhere in the picture."""
    x0, y0 = rng.uniform(-0.1, 1.1, 2) * (width, height)
    long, short = radius * np.exp(rng.uniform(np.log(2), np.log(12), 2))
    angle = rng.uniform(0, np.pi)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    along = ((x - x0) * np.cos(angle) + (y - y0) * np.sin(angle)) / long
    across = ((y - y0) * np.cos(angle) - (x - x0) * np.sin(angle)) / short
    spot: NDArray[np.float32] = np.exp(-((along**2 + across**2) ** rng.uniform(0.6, 1.6)) / 2).astype(np.float32)
    return spot
