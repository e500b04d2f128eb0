"""Networks in parts: what lies between them, and what they see."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.closeup import PARTS, planes_of
from kifuwatch.calibration.network import NetworkInParts, side_by_side


def test_squares_are_laid_side_by_side_row_by_row() -> None:
    maps = np.arange(2 * 4 * 4, dtype=np.float32).reshape(2, 4, 4)
    aside = side_by_side(maps, 2)
    assert aside.shape == (8, 2, 2)
    assert aside[:4, 0, 0].tolist() == [0, 1, 4, 5]
    assert aside[:4, 1, 1].tolist() == [10, 11, 14, 15]
    assert aside[4:, 0, 1].tolist() == [18, 19, 22, 23]


def test_planes_hold_the_light_of_each_pixel_and_the_colour_of_each_square_of_four() -> None:
    picture = np.zeros((8, 16, 3), np.uint8)
    picture[5, 10] = (255, 255, 255)
    picture[0:2, 0:2] = (0, 0, 255)
    planes = planes_of(picture)
    assert planes.shape == (24, 2, 4)
    light, colour = planes[:16], planes[16:]
    assert light[1 * 4 + 2, 1, 2] == 1.0  # the pixel in the square of four by four that starts at line 4, column 8
    assert light.sum(axis=(1, 2))[6] == 1.0
    assert colour[0, 0, 0] > 0.9  # red, in the first of the four places of its square
    assert np.allclose(colour[:, 1, 3], 128 / 255)  # no colour where all is black


def shipped(picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    return NetworkInParts("closeup", PARTS)(planes_of(picture))


def test_a_part_of_a_picture_is_answered_as_within_the_whole() -> None:
    """Beyond a few cells nothing counts: so a board can be followed by looking only where something has changed."""
    picture = np.random.default_rng(1).integers(0, 255, (20 * 16, 20 * 16, 3), dtype=np.uint8)
    whole, part = shipped(picture), shipped(np.ascontiguousarray(picture[: 15 * 16, : 14 * 16]))
    assert whole.shape == (9, 20, 20)
    assert part.shape == (9, 15, 14)
    assert np.allclose(whole[:, :10, :9], part[:, :10, :9], atol=1e-3)
