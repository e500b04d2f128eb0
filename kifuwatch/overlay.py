"""A reading drawn over the picture it was read from, so that a person sees at a glance whether it is right.

Grid lines in green with letters and numbers at the edge, a ring around each stone (blue: read as black, red: as
white), a cross where a point is hidden, a yellow square around what the reading is uncertain of.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.quality import ViewQuality
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
GLARE: BGR = (0, 120, 255)
SHADOW: BGR = (255, 80, 40)
SQUARE = 0.58  # half its side in pitches: outside the ring of the stone
FULL_PITCH = 40.0  # pixels of a pitch at which the grid is drawn in full; where it is less, paler, not to hide stones
PALEST = 0.45
SEGMENTS = 8  # a grid line is drawn as so many pieces, because a lens bends it
FONT = cv2.FONT_HERSHEY_SIMPLEX
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
        return cls(picture.copy(), pose, max(1, round(pose.pitch / 20)))

    def line(
        self, lattice: NDArray[np.float64], colour: BGR, thickness: int | None = None, height: float = 0.0
    ) -> None:
        """A bent line through lattice coordinates (n, 2), ``height`` mm above the board."""
        pixels = np.round(self.pose.project(lattice, height) * (1 << SHIFT)).astype(np.int32)
        cv2.polylines(self.picture, [pixels], False, colour, thickness or self.thickness, cv2.LINE_AA, SHIFT)

    def ring(self, u: float, v: float, radius: float, colour: BGR, height: float) -> None:
        """A circle on the board, ``radius`` in pitches, ``height`` mm above the board."""
        turns = np.linspace(0, 2 * np.pi, 33)
        lattice = np.column_stack([u + radius * np.cos(turns), v + radius * np.sin(turns)])
        pixels = np.round(self.pose.project(lattice, height) * (1 << SHIFT)).astype(np.int32)
        cv2.polylines(self.picture, [pixels], True, colour, self.thickness + 1, cv2.LINE_AA, SHIFT)

    def text(self, u: float, v: float, words: str) -> None:
        """Words centred at a place of the lattice, but within the picture: light with a dark edge, to be read on any
        table."""
        size = max(0.35, self.pose.pitch / 60)
        edge = max(1, round(2 * size))
        (width, height), _ = cv2.getTextSize(words, FONT, size, self.thickness)
        x, y = self.pose.project([[u, v]])[0]
        left = _within(x - width / 2, edge, self.picture.shape[1] - width - edge)
        base = _within(y + height / 2, height + edge, self.picture.shape[0] - edge - 1)
        # A thicker stroke makes no edge with every font of OpenCV: the dark letters are drawn all around.
        around = [(dx, dy) for dx in (-edge, 0, edge) for dy in (-edge, 0, edge)]
        for (dx, dy), colour in (*((step, INK_BLACK) for step in around), ((0, 0), INK_WHITE)):
            at: Pixel = (left + dx, base + dy)
            cv2.putText(self.picture, words, at, FONT, size, colour, self.thickness, cv2.LINE_AA)


def _within(place: float, low: int, high: int) -> int:
    return round(min(max(place, low), max(low, high)))


def draw_grid(picture: Picture, pose: BoardPose) -> Picture:
    """The found grid over a copy of ``picture`` (h, w, 3) BGR, with letters and numbers and the corner A1 marked."""
    pen = Pen.on(picture, pose)
    _draw_lines(pen)
    last = pose.size - 1
    pen.ring(0, last, 0.25, UNCERTAIN, 0.0)
    _draw_labels(pen)
    return pen.picture


def draw_view(picture: Picture, pose: BoardPose, view: ViewQuality) -> Picture:
    """The grid over a copy of ``picture`` (h, w, 3) BGR, and what is wrong with the view: points where a light mirrors
    framed in orange, those in shadow in blue, covered ones crossed, those not read surely framed in yellow."""
    pen = Pen.on(draw_grid(picture, pose), pose)
    last = pose.size - 1
    for points, colour, side in (
        (view.unsure, UNCERTAIN, SQUARE),
        (view.glare, GLARE, 0.44),
        (view.shadow, SHADOW, 0.44),
    ):
        for point in points:
            _draw_square(pen, point.col, last - point.row, 0.0, colour, side)
    for point in view.covered:
        _draw_cross(pen, point.col, last - point.row)
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
        stands = layout[point] in (BLACK, WHITE)
        _draw_square(pen, point.col, layout.size - 1 - point.row, height if stands else 0.0)
    _draw_labels(pen)
    return pen.picture


def _draw_lines(pen: Pen) -> None:
    last = pen.pose.size - 1
    along = np.linspace(0, last, SEGMENTS + 1)
    bare = pen.picture.copy()
    for place in range(pen.pose.size):
        across = np.full_like(along, place)
        pen.line(np.column_stack([along, across]), GRID, max(1, pen.thickness - 1))
        pen.line(np.column_stack([across, along]), GRID, max(1, pen.thickness - 1))
    strength = min(max(pen.pose.pitch / FULL_PITCH, PALEST), 1.0)
    cv2.addWeighted(pen.picture, strength, bare, 1 - strength, 0.0, dst=pen.picture)


def _draw_labels(pen: Pen) -> None:
    last = pen.pose.size - 1
    for place in range(pen.pose.size):
        pen.text(place, last + 0.85, COLUMNS[place])
        pen.text(-0.85, last - place, str(place + 1))


def _draw_cross(pen: Pen, u: float, v: float) -> None:
    for slope in (1, -1):
        pen.line(np.array([[u - 0.3, v - 0.3 * slope], [u + 0.3, v + 0.3 * slope]]), COVERED)


def _draw_square(pen: Pen, u: float, v: float, height: float, colour: BGR = UNCERTAIN, side: float = SQUARE) -> None:
    around = side * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]], dtype=float)
    pen.line(around + np.array([u, v]), colour, pen.thickness + 1, height)
