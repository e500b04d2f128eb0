"""Where a painted hand lies in a picture, and how it and its shadow are laid over what is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.datasets.clip_hand import HandSprite

Image = NDArray[np.float32]
Floats = NDArray[np.float64]
Box = tuple[int, int, int, int]

GRIP = (-3.0, -3.0)
"""Where the middle of a carried stone lies in the sprite (mm)."""
RISE = np.radians(9.0)
"""How steeply a forearm rises from the fingertips."""


class HandState(NamedTuple):
    """A hand in one moment: the middle of the stone in its fingers ``x, y, z`` (mm, z the stone's underside), where
    its arm points (unit vector on the board), and the cell of the stone that it carries."""

    x: float
    y: float
    z: float
    back: tuple[float, float]
    carries: str


@dataclass(frozen=True, eq=False)
class PlacedHand:
    """A sprite in one place: (3, 3) from texels to pixels for itself and its shadow, the rows in use, the pixels."""

    plane: Floats
    shadow: Floats
    rows: int
    box: Box

    @classmethod
    def of(
        cls,
        sprite: HandSprite,
        state: HandState,
        pose: BoardPose,
        light: tuple[float, float, float],
        stretch: tuple[float, float] = (1.0, 1.0),
    ) -> PlacedHand:
        """Where a hand of that state lies, and its shadow in ``light`` (unit direction X, Y, height).

        ``stretch``: how many times as wide and as long as the sprite the hand is; a left one has a negative width.
        """
        bx, by = state.back
        across, back = np.array([by, -bx, 0.0]), np.array([bx * np.cos(RISE), by * np.cos(RISE), np.sin(RISE)])
        base = np.array([state.x, state.y, max(state.z, 0.0) + pose.spec.stone_thickness + 2.0])
        across, back = across * stretch[0], back * stretch[1]
        origin = base - across * GRIP[0] - back * GRIP[1]
        body = np.column_stack([across, back, origin])
        fall = np.array(light[:2]) / max(light[2], 0.3)
        cast = body.copy()
        cast[:2] -= np.outer(fall, body[2])
        cast[2] = 0.0
        last = np.array([0.0, 0.0, 1.0])
        plane, shadow = (pose.projection @ np.vstack([m, last]) @ sprite.place for m in (body, cast))
        rows = min(_rows_in_front(plane, sprite), _rows_in_front(shadow, sprite))
        return cls(plane, shadow, rows, _outline([plane, shadow], sprite, rows))


def _rows_in_front(plane: Floats, sprite: HandSprite) -> int:
    """How many rows of texels lie well before the camera."""
    height, width = sprite.alpha.shape
    rows = np.arange(0, height, 8.0)
    ends = [np.column_stack([np.full_like(rows, x), rows, np.ones_like(rows)]) @ plane[2] for x in (0, width)]
    depth = np.min(ends, axis=0)
    behind = np.flatnonzero(depth < 0.3 * depth[0])
    return int(rows[behind[0]]) if len(behind) else height


def _outline(planes: list[Floats], sprite: HandSprite, rows: int) -> Box:
    rim = np.array([[x, y, 1.0] for x in (0, sprite.alpha.shape[1]) for y in (0, rows)])
    pixels = np.vstack([(q := rim @ plane.T)[:, :2] / np.maximum(q[:, 2:], 1e-6) for plane in planes])
    low, high = np.clip(pixels.min(axis=0), -1e5, 1e5), np.clip(pixels.max(axis=0), -1e5, 1e5)
    return int(low[0]) - 12, int(low[1]) - 12, int(high[0]) + 12, int(high[1]) + 12


def rectangle_round(laid: list[PlacedHand], size: tuple[int, int]) -> Box | None:
    """The rectangle (pixels) round all of these within a picture of ``size`` (width, height), or None."""
    boxes = [placed.box for placed in laid]
    x0, y0 = max(0, min(b[0] for b in boxes)), max(0, min(b[1] for b in boxes))
    x1, y1 = min(size[0], max(b[2] for b in boxes)), min(size[1], max(b[3] for b in boxes))
    return (x0, y0, x1, y1) if x1 - x0 > 2 and y1 - y0 > 2 else None


def composed(crop: Image, sprite: HandSprite, laid: list[PlacedHand], box: Box) -> tuple[Image, Image]:
    """The crop under a hand's shadow and the hand itself; the hand's share of each pixel (h, w)."""
    x0, y0, x1, y1 = box
    size, move = (x1 - x0, y1 - y0), np.array([[1.0, 0, -x0], [0, 1.0, -y0], [0, 0, 1.0]])
    alpha, shade = np.zeros(size[::-1], np.float32), np.zeros(size[::-1], np.float32)
    paint = np.zeros((*size[::-1], 3), np.float32)
    for placed in laid:
        whole, colour = sprite.alpha[: placed.rows], sprite.colour[: placed.rows]
        part = cv2.warpPerspective(whole, move @ placed.plane, size)
        paint += cv2.warpPerspective(colour, move @ placed.plane, size) * part[..., None]
        alpha += part
        shade += cv2.warpPerspective(whole, move @ placed.shadow, size)
    alpha /= len(laid)
    soft = cv2.blur(cv2.blur(shade / len(laid), (9, 9)), (13, 13))
    dark = crop * (1 - 0.5 * soft)[..., None] * (1 - alpha)[..., None]
    return (dark + paint / len(laid)).astype(np.float32), alpha
