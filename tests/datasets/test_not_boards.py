"""Grids that are no boards: drawn from a seed, with something between their lines."""

from __future__ import annotations

import numpy as np
import pytest

from kifuwatch.datasets.not_boards import CELL, no_board


@pytest.mark.parametrize("seed", range(25))
def test_what_lies_between_the_lines_tells_them_from_a_go_board(seed: int) -> None:
    picture = no_board(15, np.random.default_rng(seed)).astype(float)
    assert picture.shape == (15 * CELL, 15 * CELL, 3)
    inside = picture.reshape(15, CELL, 15, CELL, 3)[:, 4:-4, :, 4:-4].mean(axis=4)
    cells = inside.transpose(0, 2, 1, 3).reshape(225, -1)
    # They fill a third of the picture at least. Squares differ from each other, or have something written in them.
    assert cells.mean(axis=1).std() > 3 or np.quantile(cells.std(axis=1), 0.75) > 3


def test_the_same_seed_draws_the_same() -> None:
    one, other = (no_board(15, np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(one, other)
