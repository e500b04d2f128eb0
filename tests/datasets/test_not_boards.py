"""Grids that are no boards: drawn from a seed, with something between their lines."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from kifuwatch.datasets.not_boards import CELL, KINDS, no_board


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_what_lies_between_the_lines_tells_them_from_a_go_board(
    kind: Callable[[int, np.random.Generator], NDArray[np.uint8]], seed: int
) -> None:
    picture = kind(15, np.random.default_rng(seed)).astype(float)
    assert picture.shape == (15 * CELL, 15 * CELL, 3)
    inside = picture.reshape(15, CELL, 15, CELL, 3)[:, 4:-4, :, 4:-4].mean(axis=4)
    cells = inside.transpose(0, 2, 1, 3).reshape(225, -1)
    # Squares differ from each other, or most have something written in them.
    assert cells.mean(axis=1).std() > 3 or np.median(cells.std(axis=1)) > 3


@pytest.mark.parametrize("seed", range(10))
def test_grids_go_on_or_end_but_there_always_is_one(seed: int) -> None:
    picture = no_board(15, np.random.default_rng(seed))
    assert picture.shape == (15 * CELL, 15 * CELL, 3)
    assert (np.abs(np.diff(picture.astype(int), axis=1)).max(axis=2) > 10).mean() > 0.01


def test_the_same_seed_draws_the_same() -> None:
    one, other = (no_board(15, np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(one, other)
