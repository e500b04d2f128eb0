"""What falls on a board while training: bare wood changes, stones hardly, and never what is on a point."""

from __future__ import annotations

import numpy as np
import pytest

from kifuwatch.datasets.surface import OnBoard, disturb, glare, marks, numbers, shadows

GREY, PITCH = 120, 16.0
POINTS = np.array([[x, y] for x in range(8, 160, 16) for y in range(8, 160, 16)], dtype=float)
ONE_STONE = OnBoard(POINTS, np.array([[88.0, 88.0]]), np.array([True]), PITCH)
NO_STONE = OnBoard(POINTS, np.zeros((0, 2)), np.zeros(0, dtype=bool), PITCH)
STONE = np.s_[86:91, 86:91]
BOARD = np.full((160, 160, 3), GREY, np.uint8)


@pytest.mark.parametrize("seed", range(20))
def test_glare_makes_wood_lighter_and_a_stone_in_it_less(seed: int) -> None:
    bare = glare(BOARD, NO_STONE, np.random.default_rng(seed)).astype(int)
    stone = glare(BOARD, ONE_STONE, np.random.default_rng(seed)).astype(int)
    assert (bare >= GREY).all()
    assert bare.max() > GREY
    assert (stone[STONE] - GREY <= 0.45 * (bare[STONE] - GREY) + 1).all()


@pytest.mark.parametrize("seed", range(20))
def test_a_shadow_lies_beside_its_stone_and_nowhere_else(seed: int) -> None:
    dark = GREY - shadows(BOARD, ONE_STONE, np.random.default_rng(seed)).astype(int).mean(axis=2)
    assert (dark >= 0).all()
    assert dark.max() > 5
    row, col = np.unravel_index(dark.argmax(), dark.shape)
    assert 5 < np.hypot(row - 88, col - 88) < 1.8 * PITCH
    assert dark[STONE].max() < 0.5 * dark.max()
    np.testing.assert_array_equal(shadows(BOARD, NO_STONE, np.random.default_rng(seed)), BOARD)


@pytest.mark.parametrize("seed", range(20))
def test_marks_are_smaller_than_stones(seed: int) -> None:
    touched = (marks(BOARD, ONE_STONE, np.random.default_rng(seed)) != BOARD).any(axis=2)
    assert 0 < touched.sum() < 6 * np.pi * (0.35 * PITCH) ** 2


def test_a_number_is_written_on_the_stone_in_the_other_colour() -> None:
    for black, dark in ((True, False), (False, True)):
        board = OnBoard(POINTS, ONE_STONE.stones, np.array([black]), PITCH)
        drawn = [numbers(BOARD, board, np.random.default_rng(seed)) for seed in range(30)]
        change = (np.array(drawn, dtype=int) - GREY).sum(axis=0)
        assert (np.sign(change[change != 0]) == (-1 if dark else 1)).all()
        row, col = np.nonzero(change.any(axis=2))
        assert np.abs(row - 88).max() < 0.4 * PITCH
        assert np.abs(col - 88).max() < 0.47 * PITCH


def test_the_same_seed_disturbs_alike() -> None:
    one, other = ([disturb(BOARD, ONE_STONE, np.random.default_rng(k)) for k in range(30)] for _ in range(2))
    np.testing.assert_array_equal(one, other)
    assert any((picture != BOARD).any() for picture in one)
    assert any((picture == BOARD).all() for picture in one)
