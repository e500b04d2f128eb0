"""A lamp mirrored in the board: bare wood gets lighter, stones hardly."""

from __future__ import annotations

import numpy as np
import pytest

from kifuwatch.datasets.glare import glare


@pytest.mark.parametrize("seed", range(20))
def test_wood_gets_lighter_and_a_stone_in_it_less(seed: int) -> None:
    board = np.full((160, 160, 3), 120, np.uint8)
    with_stones = glare(board, np.array([[80.0, 80.0]]), 8.0, np.random.default_rng(seed)).astype(int)
    without = glare(board, np.zeros((0, 2)), 8.0, np.random.default_rng(seed)).astype(int)
    assert (without >= 120).all()
    assert without.max() > 120
    stone = np.s_[78:83, 78:83]
    assert (with_stones[stone] - 120 <= 0.45 * (without[stone] - 120) + 1).all()
    np.testing.assert_array_equal(with_stones[:60], without[:60])


def test_the_same_seed_makes_the_same_glare() -> None:
    board = np.full((80, 80, 3), 90, np.uint8)
    one, other = (glare(board, np.zeros((0, 2)), 8.0, np.random.default_rng(7)) for _ in range(2))
    np.testing.assert_array_equal(one, other)
