"""Where a stone stands that lies off its point."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from kifuwatch.calibration.closeup import PITCH, CloseUp
from kifuwatch.vision.centres import SUSPECT, StoneCentres

SIZE, MARGIN, SCALE = 9, 2, 8
WOOD, LINE = (110, 165, 205), (40, 60, 75)


def closeup(at: tuple[int, int], offset: tuple[float, float], black: bool) -> CloseUp:
    """A board of 9 lines with one stone at (line, column), off its point by ``offset`` pitches, right and up."""
    cells = SIZE + 2 * MARGIN
    side = cells * PITCH * SCALE
    image = np.full((side, side, 3), WOOD, np.uint8)
    first, last = (round((k + 0.5) * PITCH * SCALE) for k in (MARGIN, MARGIN + SIZE - 1))
    for k in range(SIZE):
        here = first + k * PITCH * SCALE
        cv2.line(image, (first, here), (last, here), LINE, SCALE)
        cv2.line(image, (here, first), (here, last), LINE, SCALE)
    x = first + (at[1] + offset[0]) * PITCH * SCALE
    y = first + (at[0] - offset[1]) * PITCH * SCALE
    cv2.circle(image, (round(x), round(y)), round(0.46 * PITCH * SCALE), (25, 25, 25) if black else (225, 230, 230), -1)
    picture = cv2.resize(image, None, fx=1 / SCALE, fy=1 / SCALE, interpolation=cv2.INTER_AREA)
    noise = np.random.default_rng(3).normal(0, 4, picture.shape)
    picture = np.clip(picture + noise, 0, 255).astype(np.uint8)
    nothing = np.zeros((cells, cells, 4), np.float32)
    return CloseUp(MARGIN, nothing, nothing[..., 0], nothing[..., :2], nothing[..., :2], picture)


def refined(close: CloseUp, at: tuple[int, int], told: tuple[float, float], black: bool) -> tuple[float, float]:
    offsets = np.zeros((SIZE, SIZE, 2))
    offsets[at] = told
    right, up = StoneCentres().refine(close, offsets, np.full((SIZE, SIZE), black))[at]
    return float(right), float(up)


@pytest.mark.parametrize("black", [True, False])
@pytest.mark.parametrize("offset", [(0.45, 0.0), (-0.3, 0.3), (0.1, -0.4)])
@pytest.mark.parametrize("at", [(4, 4), (0, 8)])
def test_half_of_it_is_told_and_the_rim_shows_the_rest(
    at: tuple[int, int], offset: tuple[float, float], black: bool
) -> None:
    told = (0.5 * offset[0], 0.5 * offset[1])
    assert refined(closeup(at, offset, black), at, told, black) == pytest.approx(offset, abs=0.08)


def test_where_the_two_disagree_no_more_is_believed_than_was_told() -> None:
    close = closeup((4, 4), (0.4, 0.0), True)
    assert refined(close, (4, 4), (-0.2, 0.0), True) == (-0.2, 0.0)
    assert refined(close, (4, 4), (0.1, 0.0), True) == (0.1, 0.0), "too little to look closer"
    assert SUSPECT > 0.1
