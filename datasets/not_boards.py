"""Grids that are no Go boards: chessboards, crosswords, tables, sudokus, tiles.

Their lines cross as those of a board do. What tells them apart is what lies between the lines: on a Go board nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

Pixels = NDArray[np.uint8]
Rng = np.random.Generator

CELL = 24  # pixels of a cell as it is drawn
FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_PLAIN)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def no_board(cells: int, rng: Rng) -> Pixels:
    """A picture of ``cells`` x ``cells`` squares of CELL pixels, seen from straight above; more often than not the grid
    ends within it.
    """
    picture = KINDS[int(rng.integers(len(KINDS)))](cells, rng)
    return picture if rng.random() < 0.4 else _ended(picture, cells, rng)


def _ended(picture: Pixels, cells: int, rng: Rng) -> Pixels:
    """The same grid, with an end."""
    ended = np.empty_like(picture)
    ended[:] = rng.uniform(20, 250) * rng.uniform(0.7, 1, 3)
    squares = rng.integers(8, max(cells, 9), 2)
    top, left = (rng.uniform(0, 1, 2) * (cells - squares)).astype(int) * CELL
    part = np.s_[top : top + squares[0] * CELL + 2, left : left + squares[1] * CELL + 2]
    ended[part] = picture[part]
    return ended


def chess(cells: int, rng: Rng) -> Pixels:
    """Two colours in turn; here and there a piece, seen from above."""
    light, dark = _two_colours(rng, 30)
    picture = _squares(np.indices((cells, cells)).sum(axis=0) % 2 == 0, light, dark)
    if rng.random() < 0.5:
        _lines(picture, cells, rng, dark * 0.6)
    for row, col in np.argwhere(rng.random((cells, cells)) < rng.choice([0.0, 0.1, 0.3])):
        middle = (int((col + 0.5) * CELL), int((row + 0.5) * CELL))
        radius, shade = round(CELL * rng.uniform(0.2, 0.42)), float(rng.choice([25.0, 230.0]))
        cv2.circle(picture, middle, radius, [shade] * 3, -1, cv2.LINE_AA)
        cv2.circle(picture, middle, radius // 2, [abs(shade - 60)] * 3, 1, cv2.LINE_AA)
    return picture


def crossword(cells: int, rng: Rng) -> Pixels:
    """Some squares dark, letters in others."""
    light, dark = _two_colours(rng, 90)
    filled = rng.random((cells, cells)) < rng.uniform(0.12, 0.45)
    picture = _squares(~filled, light, dark)
    _lines(picture, cells, rng, dark)
    _letters(picture, ~filled & (rng.random((cells, cells)) < rng.uniform(0.0, 1.0)), rng, dark)
    return picture


def table(cells: int, rng: Rng) -> Pixels:
    """Words and numbers in nearly all squares."""
    light, dark = _two_colours(rng, 90)
    picture = _squares(np.ones((cells, cells), dtype=bool), light, dark)
    _lines(picture, cells, rng, dark)
    _letters(picture, rng.random((cells, cells)) < rng.uniform(0.6, 1.0), rng, dark, int(rng.integers(1, 4)))
    return picture


def sudoku(cells: int, rng: Rng) -> Pixels:
    """Every third line thick, digits in some squares."""
    light, dark = _two_colours(rng, 90)
    picture = _squares(np.ones((cells, cells), dtype=bool), light, dark)
    _lines(picture, cells, rng, dark)
    for k in range(int(rng.integers(3)), cells, 3):
        cv2.line(picture, (k * CELL, 0), (k * CELL, cells * CELL), dark.tolist(), 3)
        cv2.line(picture, (0, k * CELL), (cells * CELL, k * CELL), dark.tolist(), 3)
    _letters(picture, rng.random((cells, cells)) < rng.uniform(0.3, 0.8), rng, dark)
    return picture


def tiles(cells: int, rng: Rng) -> Pixels:
    """Tiles of a wall or a floor, none quite like the next, joints between them."""
    light, dark = _two_colours(rng, 25)
    shades = rng.normal(0, rng.uniform(8, 25), (cells, cells, 1)) + light
    picture = np.clip(shades, 0, 255).astype(np.uint8).repeat(CELL, axis=0).repeat(CELL, axis=1)
    _lines(picture, cells, rng, dark, int(rng.integers(2, 5)))
    return np.ascontiguousarray(picture)


KINDS: tuple[Callable[[int, Rng], Pixels], ...] = (chess, crossword, table, sudoku, tiles)


def _two_colours(rng: Rng, apart: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A lighter and a darker colour, so many levels apart or more."""
    light = rng.uniform(140, 255) * rng.uniform(0.75, 1, 3)
    dark = np.clip(light - apart - rng.uniform(0, 1) * (light.max() - apart), 5, 255) * rng.uniform(0.8, 1, 3)
    return light, dark


def _squares(first: NDArray[np.bool_], light: NDArray[np.float64], dark: NDArray[np.float64]) -> Pixels:
    colours = np.where(first[..., None], light, dark).astype(np.uint8)
    return np.ascontiguousarray(colours.repeat(CELL, axis=0).repeat(CELL, axis=1))


def _lines(picture: Pixels, cells: int, rng: Rng, ink: NDArray[np.float64], thick: int | None = None) -> None:
    width = thick or int(rng.integers(1, 3))
    for k in range(cells + 1):
        cv2.line(picture, (k * CELL, 0), (k * CELL, cells * CELL), ink.tolist(), width)
        cv2.line(picture, (0, k * CELL), (cells * CELL, k * CELL), ink.tolist(), width)


def _letters(picture: Pixels, where: NDArray[np.bool_], rng: Rng, ink: NDArray[np.float64], most: int = 1) -> None:
    """A letter or a short word in the middle of some squares."""
    font, share = FONTS[rng.integers(len(FONTS))], rng.uniform(0.4, 0.75)
    for row, col in np.argwhere(where):
        word = "".join(rng.choice(list(LETTERS), int(rng.integers(1, most + 1))))
        (wide, high), _ = cv2.getTextSize(word, font, 1.0, 1)
        factor = min(share * CELL / high, 0.85 * CELL / wide)
        corner = round((col + 0.5) * CELL - wide * factor / 2), round((row + 0.5) * CELL + high * factor / 2)
        cv2.putText(picture, word, corner, font, factor, ink.tolist(), 1, cv2.LINE_AA)
