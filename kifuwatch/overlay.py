"""A reading drawn over the picture it was read from, so that a person sees at a glance whether it is right.

Grid lines in green with letters and numbers at the edge, a ring around each stone in the colour that it was read
as, a cross where a point is hidden, a yellow square where the reading is uncertain.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.points import BLACK, COLUMNS, HIDDEN, WHITE, Layout, Point

Picture = NDArray[np.uint8]
Pixel = tuple[int, int]
BGR = tuple[int, int, int]

GRID: BGR = (80, 200, 60)
INK_BLACK: BGR = (20, 20, 20)
INK_WHITE: BGR = (250, 250, 250)
AROUND_BLACK: BGR = (255, 160, 0)
AROUND_WHITE: BGR = (0, 0, 230)
UNCERTAIN: BGR = (0, 220, 255)
COVERED: BGR = (200, 0, 200)
SEGMENTS = 8  # a grid line is drawn as so many pieces, because a lens bends it
SHIFT = 3  # sub-pixel bits of OpenCV's drawing functions


@dataclass(frozen=True)
class Pen:
    """A copy of the picture that is drawn on, and how thick a line shows well on it."""

    picture: Picture
    pose: BoardPose
    thickness: int

    @classmethod
    def on(cls, picture: Picture, pose: BoardPose) -> Pen:
        """A pen for a copy of ``picture``."""
        return cls(picture.copy(), pose, max(1, round(pose.pitch / 16)))

    def line(self, lattice: NDArray[np.float64], colour: BGR, thickness: int | None = None) -> None:
        """A bent line through lattice coordinates (n, 2)."""
        pixels = np.round(self.pose.project(lattice) * (1 << SHIFT)).astype(np.int32)
        cv2.polylines(self.picture, [pixels], False, colour, thickness or self.thickness, cv2.LINE_AA, SHIFT)

    def ring(self, u: float, v: float, radius: float, colour: BGR, height: float) -> None:
        """A circle on the board, ``radius`` in pitches, ``height`` mm above the board."""
        turns = np.linspace(0, 2 * np.pi, 33)
        lattice = np.column_stack([u + radius * np.cos(turns), v + radius * np.sin(turns)])
        pixels = np.round(self.pose.project(lattice, height) * (1 << SHIFT)).astype(np.int32)
        cv2.polylines(self.picture, [pixels], True, colour, self.thickness + 1, cv2.LINE_AA, SHIFT)

    def text(self, u: float, v: float, words: str) -> None:
        """Words centred at a place of the lattice: light with a dark edge, to be read on any table."""
        size = max(0.35, self.pose.pitch / 60)
        (width, height), _ = cv2.getTextSize(words, cv2.FONT_HERSHEY_SIMPLEX, size, self.thickness)
        x, y = self.pose.project([[u, v]])[0]
        at: Pixel = (round(x - width / 2), round(y + height / 2))
        for colour, thick in ((INK_BLACK, self.thickness + 3), (INK_WHITE, self.thickness)):
            cv2.putText(self.picture, words, at, cv2.FONT_HERSHEY_SIMPLEX, size, colour, thick, cv2.LINE_AA)


def draw_grid(picture: Picture, pose: BoardPose) -> Picture:
    """The found grid over a copy of ``picture`` (h, w, 3) BGR, with letters and numbers and the corner A1 marked."""
    pen = Pen.on(picture, pose)
    _draw_lines(pen)
    last = pose.size - 1
    pen.ring(0, last, 0.25, UNCERTAIN, 0.0)
    return pen.picture


def draw_reading(picture: Picture, pose: BoardPose, layout: Layout, uncertain: Iterable[Point] = ()) -> Picture:
    """A reading over a copy of ``picture`` (h, w, 3) BGR.

    ``uncertain`` are the points that the reading itself is not sure of.
    """
    pen = Pen.on(picture, pose)
    _draw_lines(pen)
    height = pose.spec.stone_thickness / 2
    radius = pose.spec.stone_diameter / (pose.spec.across + pose.spec.along)
    for index, cell in enumerate(layout.cells):
        line, col = divmod(index, layout.size)
        if cell == BLACK:
            pen.ring(col, line, radius, AROUND_BLACK, height)
        elif cell == WHITE:
            pen.ring(col, line, radius, AROUND_WHITE, height)
        elif cell == HIDDEN:
            _draw_cross(pen, col, line)
    for point in uncertain:
        _draw_square(pen, point.col, layout.size - 1 - point.row)
    return pen.picture


def _draw_lines(pen: Pen) -> None:
    last = pen.pose.size - 1
    along = np.linspace(0, last, SEGMENTS + 1)
    for place in range(pen.pose.size):
        across = np.full_like(along, place)
        pen.line(np.column_stack([along, across]), GRID, max(1, pen.thickness - 1))
        pen.line(np.column_stack([across, along]), GRID, max(1, pen.thickness - 1))
        pen.text(place, last + 0.85, COLUMNS[place])
        pen.text(-0.85, last - place, str(place + 1))


def _draw_cross(pen: Pen, u: float, v: float) -> None:
    for slope in (1, -1):
        pen.line(np.array([[u - 0.3, v - 0.3 * slope], [u + 0.3, v + 0.3 * slope]]), COVERED)


def _draw_square(pen: Pen, u: float, v: float) -> None:
    around = np.array([[-0.45, -0.45], [0.45, -0.45], [0.45, 0.45], [-0.45, 0.45], [-0.45, -0.45]])
    pen.line(around + np.array([u, v]), UNCERTAIN, pen.thickness + 1)
