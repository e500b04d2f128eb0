"""What lies and falls on a straightened board while training: a lamp mirrored in its varnish, the shadows of its stones
in low light, numbers on the stones of a diagram, and small marks, as screens put on the last move and laser pointers on
a point.

Each changes how a point looks and never what is on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float32]
Places = NDArray[np.float64]
Rng = np.random.Generator

GLARE, SHADOWS, NUMBERS, MARKS = 0.15, 0.12, 0.06, 0.1  # how often
FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_PLAIN)
FINER = 4  # numbers are drawn so much larger, and shrunk
FINE = 4  # bits of a pixel's place


@dataclass(frozen=True, eq=False)
class OnBoard:
    """Where the points (m, 2) and the middles of the stones (n, 2) of a straightened board are, pixels (x, y), which of
    the stones are black (n,), and its pitch in pixels."""

    points: Places
    stones: Places
    black: NDArray[np.bool_]
    pitch: float

    def discs(self, height: int, width: int) -> Floats:
        """What the stones hide (h, w): 1 on them, 0 beside them."""
        discs = np.zeros((height, width), np.uint8)
        for at in _fine(self.stones):
            cv2.circle(discs, at, round(0.47 * self.pitch * 2**FINE), 255, -1, cv2.LINE_AA, FINE)
        return np.asarray(cv2.GaussianBlur(discs, (0, 0), self.pitch / 16) / np.float32(255), dtype=np.float32)


def disturb(image: Pixels, board: OnBoard, rng: Rng) -> Pixels:
    """The same board (h, w, 3), now and then with shadows, glare, numbers, marks."""
    for share, effect in ((SHADOWS, shadows), (GLARE, glare), (NUMBERS, numbers), (MARKS, marks)):
        if rng.random() < share:
            image = effect(image, board, rng)
    return image


def glare(image: Pixels, board: OnBoard, rng: Rng) -> Pixels:
    """One lamp or window mirrored in the board: what is bare gets as light as a white stone, or lighter.

    Stones rise out of it: they are matt, or mirror the lamp elsewhere, and stay nearly what they are.
    """
    height, width = image.shape[:2]
    share = 1 - rng.uniform(0.6, 1) * board.discs(height, width)
    share *= image.any(axis=2)  # beyond the edge of the camera's picture all is black
    lamp = rng.uniform(0.85, 1, 3) if rng.random() < 0.8 else rng.uniform(0.3, 1, 3)
    light = (255 * rng.uniform(0.15, 1.1) * lamp).astype(np.float32)
    return _bytes(image + (_spot(height, width, board.pitch, rng) * share)[..., None] * light)


def shadows(image: Pixels, board: OnBoard, rng: Rng) -> Pixels:
    """A lamp low at one side: every stone throws a shadow, as far as the next point."""
    height, width = image.shape[:2]
    angle, reach = rng.uniform(0, 2 * np.pi), rng.uniform(0.2, 1.1) * board.pitch
    away = reach * np.array([np.cos(angle), np.sin(angle)])
    dark = np.zeros((height, width), np.uint8)
    thick = round(2 * rng.uniform(0.3, 0.45) * board.pitch)
    for near, far in zip(_fine(board.stones), _fine(board.stones + away), strict=True):
        cv2.line(dark, near, far, 255, thick, cv2.LINE_AA, FINE)
    soft = cv2.GaussianBlur(dark, (0, 0), float(rng.uniform(0.04, 0.2) * board.pitch)).astype(np.float32) / 255
    on_stones = 1 - rng.uniform(0.6, 1) * board.discs(height, width)
    kept = 1 - (soft * on_stones)[..., None] * rng.uniform(0.15, 0.85)
    return _bytes(image * kept)


def numbers(image: Pixels, board: OnBoard, rng: Rng) -> Pixels:
    """The number of its move on every stone, or on most of them."""
    font, most = FONTS[rng.integers(len(FONTS))], rng.choice([rng.uniform(0.4, 1.0), 1.0])
    height, width = image.shape[:2]
    share, thick = rng.uniform(0.35, 0.6), int(rng.integers(1, 3))
    drawn, ink = np.zeros((height * FINER, width * FINER), np.uint8), np.zeros((height, width, 1), np.float32)
    for at, black in zip(board.stones, board.black, strict=True):
        if rng.random() < most:
            word = str(rng.integers(1, 300))
            (wide, high), _ = cv2.getTextSize(word, font, 1.0, thick)
            factor = FINER * board.pitch * min(share / high, 0.75 / wide)
            x, y = (at + 0.5) * FINER + factor * np.array([-wide, high]) / 2
            cv2.putText(drawn, word, (round(x), round(y)), font, factor, 255, thick, cv2.LINE_AA)
            cv2.circle(ink, _fine(at[None])[0], round(0.6 * board.pitch * 2**FINE), 240.0 * black + 12, -1, 8, FINE)
    covers = cv2.resize(drawn, (width, height), interpolation=cv2.INTER_AREA)[..., None].astype(np.float32) / 255
    return _bytes(image * (1 - covers) + ink * covers)


def marks(image: Pixels, board: OnBoard, rng: Rng) -> Pixels:
    """A few small marks, on stones and on bare points."""
    places = np.concatenate([board.points, *[board.stones] * 3])
    if not len(places):
        return image
    image = image.copy()
    height, width = image.shape[:2]
    for _ in range(int(rng.integers(1, 7))):
        at = places[rng.integers(len(places))] + rng.normal(0, 0.06 * board.pitch, 2)
        drawn = np.zeros((height, width), np.uint8)
        _draw_mark(drawn, at, board.pitch, rng)
        share = drawn[..., None].astype(np.float32) / 255 * rng.uniform(0.5, 1)
        image = _bytes(image * (1 - share) + share * _ink(rng))
    return image


def _draw_mark(drawn: Pixels, at: Places, pitch: float, rng: Rng) -> None:
    kind, reach = int(rng.integers(0, 5)), float(rng.uniform(0.08, 0.26) * pitch)
    thick = -1 if kind < 2 else max(1, round(0.06 * pitch))
    if kind == 0:
        cv2.circle(drawn, _fine(at[None])[0], round(0.7 * reach * 2**FINE), 255, -1, cv2.LINE_AA, FINE)
    elif kind == 1 or kind == 2:
        angles = np.arange(3) * 2 * np.pi / 3 - np.pi / 2
        corners = at + reach * np.column_stack([np.cos(angles), np.sin(angles)])
        cv2.polylines(drawn, [np.array(_fine(corners))], True, 255, max(1, thick), cv2.LINE_AA, FINE)
        if thick < 0:
            cv2.fillPoly(drawn, [np.array(_fine(corners))], 255, cv2.LINE_AA, FINE)
    elif kind == 3:
        cv2.circle(drawn, _fine(at[None])[0], round(reach * 2**FINE), 255, thick, cv2.LINE_AA, FINE)
    else:
        turn = rng.choice([0.0, np.pi / 4])
        for k in range(2):
            arm = reach * np.array([np.cos(turn + k * np.pi / 2), np.sin(turn + k * np.pi / 2)])
            ends = _fine(np.array([at - arm, at + arm]))
            cv2.line(drawn, ends[0], ends[1], 255, thick, cv2.LINE_AA, FINE)


def _ink(rng: Rng) -> Floats:
    """Red, blue, black, white or any colour."""
    if rng.random() < 0.5:
        return rng.uniform(0, 255, 3).astype(np.float32)
    inks = np.array([[40, 40, 230], [230, 80, 30], [15, 15, 15], [250, 250, 250]], np.float32)
    ink: Floats = inks[rng.integers(len(inks))]
    return ink


def _spot(height: int, width: int, pitch: float, rng: Rng) -> Floats:
    """How much of a lamp each pixel (h, w) mirrors: an oblong spot that fades, somewhere in the picture."""
    x0, y0 = rng.uniform(-0.1, 1.1, 2) * (width, height)
    long, short = pitch * np.exp(rng.uniform(0, np.log(6), 2))
    angle = rng.uniform(0, np.pi)
    y, x = np.mgrid[0:height, 0:width].astype(np.float32)
    along = ((x - x0) * np.cos(angle) + (y - y0) * np.sin(angle)) / long
    across = ((y - y0) * np.cos(angle) - (x - x0) * np.sin(angle)) / short
    spot: Floats = np.exp(-((along**2 + across**2) ** rng.uniform(0.6, 1.6)) / 2).astype(np.float32)
    return spot


def _fine(places: Places) -> list[tuple[int, int]]:
    """Places (n, 2) as OpenCV takes them, in parts of a pixel."""
    return [(x, y) for x, y in np.round(places * 2**FINE).astype(int).tolist()]


def _bytes(image: NDArray[np.floating]) -> Pixels:
    return np.asarray(np.clip(image + 0.5, 0, 255), dtype=np.uint8)
