"""A diagram as PNG, for places that take no SVG: chats, forums, printed bulletins."""

from __future__ import annotations

from collections.abc import Mapping

import cv2
import numpy as np
import numpy.typing as npt

from kifuwatch.core.points import BLACK, COLUMNS, EMPTY, Layout, Point, star_points

Image = npt.NDArray[np.uint8]
Tone = tuple[int, int, int]
WOOD: Tone = (0x5F, 0xB6, 0xE3)
INK: Tone = (0x10, 0x2A, 0x3A)
DARK: Tone = (0x20, 0x1C, 0x1C)
LIGHT: Tone = (0xF6, 0xF8, 0xF8)
EDGE = 1.75
"""Pitches from the outermost line to the edge of the picture."""
FINE = 4
"""cv2 takes positions with so many bits behind the point, and smooths edges by them."""


def board_png(
    layout: Layout, last: Point | None = None, labels: Mapping[Point, str] | None = None, width: int = 760
) -> bytes:
    """A board as PNG, ``width`` x ``width`` pixels. ``labels``: move numbers on stones; ``last`` is marked else."""
    drawing = _Drawing(layout, width)
    drawing.lines()
    for index, cell in enumerate(layout.cells):
        if cell != EMPTY:
            drawing.stone(layout.point(index), cell)
    for point, text in (labels or {}).items():
        drawing.label(point, text)
    if last is not None and last not in (labels or {}):
        drawing.mark(last)
    done, png = cv2.imencode(".png", drawing.image)
    assert done
    return png.tobytes()


class _Drawing:
    def __init__(self, layout: Layout, width: int) -> None:
        self.layout, self.size = layout, layout.size
        self.pitch = width / (self.size - 1 + 2 * EDGE)
        self.image: Image = np.full((width, width, 3), WOOD, np.uint8)

    def place(self, point: Point) -> tuple[float, float]:
        return (EDGE + point.col) * self.pitch, (EDGE + self.size - 1 - point.row) * self.pitch

    def lines(self) -> None:
        thick = max(1, round(self.pitch / 40))
        low, high = round(EDGE * self.pitch), round((EDGE + self.size - 1) * self.pitch)
        for step in range(self.size):
            at = round((EDGE + step) * self.pitch)
            cv2.line(self.image, (low, at), (high, at), INK, thick)
            cv2.line(self.image, (at, low), (at, high), INK, thick)
        for point in star_points(self.size):
            self._disc(point, 0.11, INK)
        for step in range(self.size):
            for row, shift in ((0, 1.15), (self.size - 1, -1.15)):
                x, y = self.place(Point(step, row))
                self._text(COLUMNS[step], x, y + shift * self.pitch, INK, 0.42)
            for col, shift in ((0, -1.15), (self.size - 1, 1.15)):
                x, y = self.place(Point(col, step))
                self._text(str(step + 1), x + shift * self.pitch, y, INK, 0.42)

    def stone(self, point: Point, cell: str) -> None:
        self._disc(point, 0.478, INK)
        self._disc(point, 0.445, DARK if cell == BLACK else LIGHT)

    def label(self, point: Point, text: str) -> None:
        dark = self.layout[point] == BLACK
        self._text(text, *self.place(point), LIGHT if dark else DARK, 0.46 if len(text) < 3 else 0.36)

    def mark(self, point: Point) -> None:
        dark = self.layout[point] == BLACK
        x, y = self.place(point)
        self._ring(x, y, 0.24, LIGHT if dark else DARK)

    def _disc(self, point: Point, radius: float, tone: Tone) -> None:
        x, y = self.place(point)
        cv2.circle(self.image, _fine(x, y), _bits(radius * self.pitch), tone, -1, cv2.LINE_AA, FINE)

    def _ring(self, x: float, y: float, radius: float, tone: Tone) -> None:
        thick = max(1, round(self.pitch / 14))
        cv2.circle(self.image, _fine(x, y), _bits(radius * self.pitch), tone, thick, cv2.LINE_AA, FINE)

    def _text(self, text: str, x: float, y: float, tone: Tone, height: float) -> None:
        font, thick = cv2.FONT_HERSHEY_SIMPLEX, max(1, round(self.pitch / 24))
        scale = cv2.getFontScaleFromHeight(font, max(4, round(height * self.pitch)), thick)
        (wide, high), _ = cv2.getTextSize(text, font, scale, thick)
        where = (round(x - wide / 2), round(y + high / 2))
        cv2.putText(self.image, text, where, font, scale, tone, thick, cv2.LINE_AA)


def _bits(length: float) -> int:
    return round(length * (1 << FINE))


def _fine(x: float, y: float) -> tuple[int, int]:
    return _bits(x), _bits(y)
