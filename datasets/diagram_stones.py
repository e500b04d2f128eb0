"""Stones of printed and on-screen diagrams: flat discs, often with a move number or a mark."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.datasets.stone_shading import StoneBody

Image = NDArray[np.float32]
SHIFT = 3  # OpenCV draws with fractions of 1/8 pixel
FONTS = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_DUPLEX,
    cv2.FONT_HERSHEY_COMPLEX,
    cv2.FONT_HERSHEY_TRIPLEX,
    cv2.FONT_HERSHEY_PLAIN,
)


def draw_diagram(
    image: Image, pose: BoardPose, stones: list[StoneBody], numbered: float, rng: np.random.Generator
) -> None:
    """Draw discs into a linear image (h, w, 3); a share ``numbered`` of them bears a number or a mark."""
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    outline = [0.03, 0.03, 0.03] if rng.random() < 0.8 else [0.2, 0.2, 0.2]
    numbers, font = rng.permutation(len(stones)) + 1, FONTS[int(rng.integers(len(FONTS)))]
    for stone, number in zip(stones, numbers, strict=True):
        pixels = _fixed(pose, np.array([stone.x, stone.y]) + 0.95 * stone.radius * circle)
        cv2.fillPoly(image, [pixels], list(stone.look.albedo), cv2.LINE_AA, SHIFT)
        cv2.polylines(image, [pixels], True, outline, 1, cv2.LINE_AA, SHIFT)
        if rng.random() < numbered:
            _mark(image, pose, stone, int(number), font, rng)


def _fixed(pose: BoardPose, places: NDArray[np.float64]) -> NDArray[np.int32]:
    """Places on the board (n, 2) in mm as pixels in OpenCV's fixed point."""
    world = np.column_stack([places, np.zeros(len(places)), np.ones(len(places))]) @ pose.projection.T
    return np.asarray(np.round(world[:, :2] / world[:, 2:] * 2**SHIFT), dtype=np.int32)


def _mark(image: Image, pose: BoardPose, stone: StoneBody, number: int, font: int, rng: np.random.Generator) -> None:
    dark = sum(stone.look.albedo) < 1.0
    ink = [0.95, 0.95, 0.95] if dark else [0.02, 0.02, 0.02]
    if rng.random() < 0.06:
        ink = [0.05, 0.05, 0.8]  # the last move is often red
    centre = np.array([stone.x, stone.y])
    kind = rng.random()
    if kind < 0.8:
        _number(image, pose, stone, str(number), font, ink)
    elif kind < 0.9:
        turns = np.radians([-90, 30, 150])
        corners = centre + 0.6 * stone.radius * np.column_stack([np.cos(turns), np.sin(turns)])
        cv2.polylines(image, [_fixed(pose, corners)], True, ink, 1, cv2.LINE_AA, SHIFT)
    else:
        turns = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        ring = centre + 0.5 * stone.radius * np.column_stack([np.cos(turns), np.sin(turns)])
        cv2.fillPoly(image, [_fixed(pose, ring)], ink, cv2.LINE_AA, SHIFT)


def _number(image: Image, pose: BoardPose, stone: StoneBody, text: str, font: int, ink: list[float]) -> None:
    spots = _fixed(pose, np.array([[stone.x, stone.y], [stone.x + stone.radius, stone.y]])) / 2**SHIFT
    radius = float(np.linalg.norm(spots[1] - spots[0]))
    if radius < 3.5:
        return  # nobody prints what nobody can read
    wide = {1: 0.7, 2: 1.1, 3: 1.35}[min(len(text), 3)] * radius
    thickness = max(1, round(radius / 9))
    (width, height), _ = cv2.getTextSize(text, font, 1.0, thickness)
    scale = min(wide / width, 1.0 * radius / height)
    side = 2 * int(np.ceil(radius)) + 2
    mask = np.zeros((side, side), np.uint8)  # text is drawn on bytes only
    corner = round(side / 2 - width * scale / 2), round(side / 2 + height * scale / 2)
    cv2.putText(mask, text, corner, font, scale, 255, thickness, cv2.LINE_AA)
    left, top = np.round(spots[0] - side / 2).astype(int)
    x0, y0, x1, y1 = max(left, 0), max(top, 0), min(left + side, image.shape[1]), min(top + side, image.shape[0])
    if x1 <= x0 or y1 <= y0:
        return
    share = mask[y0 - top : y1 - top, x0 - left : x1 - left, None].astype(np.float32) / 255
    image[y0:y1, x0:x1] = image[y0:y1, x0:x1] * (1 - share) + np.array(ink, np.float32) * share
