"""Points in doubt are looked at again, mirrored and moved; the others stay what they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from kifuwatch.calibration.closeup import PITCH, CloseUp, CloseUpReader
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.rectify import camera_side
from kifuwatch.datasets.random_scenes import random_scene
from kifuwatch.vision.second_look import CONTEXT, STEP, look_again

MARGIN, SURE = 2, 9.0
LOW_CAMERA = next(
    pose for seed in range(99) if (pose := random_scene(seed, (640, 480)).pose).elevation < 60 and pose.shown.all()
)  # sees clearly from one side


class Brightness(CloseUpReader):
    """A network that knows nothing of stones: it tells how bright each cell is, and keeps what it was shown."""

    def __init__(self) -> None:
        self.shown: list[NDArray[np.uint8]] = []

    def answers(self, picture: NDArray[np.uint8]) -> NDArray[np.float32]:
        self.shown.append(picture)
        rows, cols = picture.shape[0] // PITCH, picture.shape[1] // PITCH
        cells = picture[..., 0].reshape(rows, PITCH, cols, PITCH).mean(axis=(1, 3))
        return np.repeat(cells[..., None] / 100, 9, axis=2).astype(np.float32)


def closeup(doubtful: list[tuple[int, int]], size: int) -> CloseUp:
    """Cells get brighter to the right and, less so, downwards. Points are surely bare, or anything if in doubt."""
    cells = size + 2 * MARGIN
    row, col = np.mgrid[0:cells, 0:cells]
    bright = (3 * row + 8 * col).astype(np.uint8)
    picture = np.repeat(bright.repeat(PITCH, axis=0).repeat(PITCH, axis=1)[..., None], 3, axis=2)
    stones = np.zeros((cells, cells, 4), np.float32)
    stones[..., 0] = SURE
    for line, col in doubtful:
        stones[MARGIN + line, MARGIN + col, 0] = 0
    nothing = np.zeros((cells, cells, 2), np.float32)
    return CloseUp(MARGIN, stones, nothing[..., 0], nothing, nothing, np.ascontiguousarray(picture))


def test_what_is_sure_is_not_looked_at_again() -> None:
    reader, sure = Brightness(), closeup([], LOW_CAMERA.size)
    assert look_again(reader, sure, LOW_CAMERA) is sure
    assert not reader.shown


@pytest.mark.parametrize("turn", range(4))
@pytest.mark.parametrize("at", [(0, 0), (3, 5), (8, 2)])
def test_a_point_in_doubt_is_the_mean_of_six_looks_at_its_own_place(turn: int, at: tuple[int, int]) -> None:
    pose: BoardPose = LOW_CAMERA.turned(turn)
    reader, before = Brightness(), closeup([at], pose.size)
    after = look_again(reader, before, pose)
    cell = MARGIN + at[0], MARGIN + at[1]
    # The first look said 0; mirrored it is as bright; moved by a fifth, a fifth of a neighbour's light comes in, and
    # neighbours at opposite sides make up for each other.
    own = before.picture[cell[0] * PITCH, cell[1] * PITCH, 0] / 100
    assert after.stones[cell][1] == pytest.approx(own * 5 / 6, abs=0.01)
    others = np.ones(before.points.shape, dtype=bool)
    others[cell] = False
    np.testing.assert_array_equal(after.stones[others], before.stones[others])
    assert after.picture is before.picture


@pytest.mark.parametrize("turn", range(4))
def test_the_network_sees_what_it_saw_before_from_its_own_side_and_no_more_than_it_has_to(turn: int) -> None:
    pose = LOW_CAMERA.turned(turn)
    reader, before = Brightness(), closeup([(4, 4)], pose.size)
    look_again(reader, before, pose)
    first, last = MARGIN + 4 - CONTEXT, MARGIN + 4 + CONTEXT + 1
    around = before.picture[first * PITCH : last * PITCH, first * PITCH : last * PITCH]
    mirrored, *moved = reader.shown
    seen = np.rot90(around, -camera_side(pose))
    np.testing.assert_array_equal(mirrored[:, ::-1], seen)
    right, left, down, up = moved
    np.testing.assert_array_equal(right[:, STEP:], seen[:, :-STEP])
    np.testing.assert_array_equal(left[:, :-STEP], seen[:, STEP:])
    np.testing.assert_array_equal(down[STEP:], seen[:-STEP])
    np.testing.assert_array_equal(up[:-STEP], seen[STEP:])


def test_the_camera_sides_of_these_tests_differ() -> None:
    assert {camera_side(LOW_CAMERA.turned(turn)) for turn in range(4)} == {0, 1, 2, 3}


def test_whether_a_point_is_hidden_may_be_in_doubt_as_well() -> None:
    reader, before = Brightness(), closeup([], LOW_CAMERA.size)
    before.stones[MARGIN + 1, MARGIN + 1, 3] = SURE
    assert look_again(reader, before, LOW_CAMERA) is not before


def test_what_is_surely_hidden_or_outside_the_picture_is_left_alone() -> None:
    reader, hidden = Brightness(), closeup([(1, 1)], LOW_CAMERA.size)
    hidden.stones[MARGIN + 1, MARGIN + 1, 3] = SURE
    assert look_again(reader, hidden, LOW_CAMERA) is hidden
    cut = replace(LOW_CAMERA, image_size=(1, 1))
    doubtful = closeup([(4, 4)], LOW_CAMERA.size)
    assert look_again(reader, doubtful, cut) is doubtful
