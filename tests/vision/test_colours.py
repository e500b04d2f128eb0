"""Colours of this board: doubtful points are decided by what the sure ones look like, in any light."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from kifuwatch.calibration.closeup import PITCH, CloseUp
from kifuwatch.vision.colours import BoardColours

# Board 9x9: black stones on the left, white ones on the right, bare wood between.
TRUTH = np.array([[1] * 3 + [0] * 3 + [2] * 3] * 9)
LIGHTS = {"day": (1.0, 1.0, 1.0), "red lamp": (0.15, 0.2, 1.0), "blue lamp": (1.0, 0.35, 0.2), "dusk": (0.2, 0.2, 0.22)}


def board(light: tuple[float, float, float], seed: int = 1) -> CloseUp:
    rng = np.random.default_rng(seed)
    colours = np.array([[90, 150, 200], [25, 25, 25], [235, 235, 230]]) * np.array(light)
    cells = np.pad(TRUTH, 2)
    picture = colours[cells].repeat(PITCH, axis=0).repeat(PITCH, axis=1) + rng.normal(0, 4, (13 * PITCH, 13 * PITCH, 3))
    nothing = np.zeros((13, 13, 2), np.float32)
    return CloseUp(
        2, np.zeros((13, 13, 4), np.float32), np.ones((13, 13), np.float32), nothing, nothing,
        np.clip(picture, 0, 255).astype(np.uint8),
    )  # fmt: skip


def chances(doubtful: list[tuple[int, int]]) -> NDArray[np.float64]:
    sure = np.full((9, 9, 3), 0.005)
    np.put_along_axis(sure, TRUTH[..., None], 0.99, axis=2)
    for line, col in doubtful:
        sure[line, col] = 1 / 3
    return sure


@pytest.mark.parametrize("light", LIGHTS)
def test_doubt_is_settled_by_the_boards_own_colours(light: str) -> None:
    doubtful = [(0, 0), (4, 4), (8, 8)]
    none = np.zeros((9, 9), dtype=bool)
    settled = BoardColours().settle(board(LIGHTS[light]), chances(doubtful), none, 0.0)
    assert [int(settled[at].argmax()) for at in doubtful] == [1, 0, 2]
    np.testing.assert_allclose(settled.sum(axis=2), 1, atol=1e-9)


def test_sure_and_covered_points_stay_as_they_are() -> None:
    before = chances([(0, 0), (4, 4)])
    covered = np.zeros((9, 9), dtype=bool)
    covered[0, 0] = True
    settled = BoardColours().settle(board(LIGHTS["day"]), before, covered, 0.0)
    same = np.ones((9, 9), dtype=bool)
    same[4, 4] = False
    np.testing.assert_array_equal(settled[same], before[same])


def test_with_too_few_examples_nothing_is_claimed() -> None:
    before = chances([(4, 4)])
    before[:, 6:] = 1 / 3  # no white stone is sure
    none = np.zeros((9, 9), dtype=bool)
    np.testing.assert_array_equal(BoardColours().settle(board(LIGHTS["day"]), before, none, 0.0), before)


def test_it_follows_the_light() -> None:
    colours, none = BoardColours(), np.zeros((9, 9), dtype=bool)
    for seconds, light in enumerate(("day", "dusk", "red lamp")):
        settled = colours.settle(board(LIGHTS[light]), chances([(8, 8)]), none, float(seconds))
        assert settled[8, 8].argmax() == 2


def test_light_that_falls_off_across_the_board_hides_no_difference() -> None:
    close = board(LIGHTS["day"])
    fall = np.linspace(1.0, 0.3, close.picture.shape[1])[None, :, None]
    dim = replace(close, picture=(close.picture * fall).astype(np.uint8))
    none, doubtful = np.zeros((9, 9), dtype=bool), [(0, 0), (4, 4), (8, 8)]
    settled = BoardColours().settle(dim, chances(doubtful), none, 0.0)
    assert [int(settled[at].argmax()) for at in doubtful] == [1, 0, 2]


def test_a_network_that_is_nearly_sure_is_not_overruled() -> None:
    before = chances([])
    before[4, 4] = 0.12, 0.86, 0.02  # bare wood by its colour
    settled = BoardColours().settle(board(LIGHTS["day"]), before, np.zeros((9, 9), dtype=bool), 0.0)
    assert 0.5 < settled[4, 4, 1] < 0.8
