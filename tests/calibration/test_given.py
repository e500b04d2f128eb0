"""Corners given by hand: the picture says how many lines are between them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from kifuwatch.calibration.closeup import CloseUpReader
from kifuwatch.calibration.given import USUAL, pose_at
from kifuwatch.calibration.spec import SIZES
from kifuwatch.core.errors import UsageError
from kifuwatch.datasets.random_scenes import random_scene
from kifuwatch.datasets.render import Rendered, render

UNSEEN = 940_000


@cache
def closeup() -> CloseUpReader:
    return CloseUpReader()


def pictures(size: int, count: int = 4) -> list[Rendered]:
    """Pictures in which a person sees the grid, of seeds that no network was trained on."""
    found: list[Rendered] = []
    for seed in range(UNSEEN, UNSEEN + 1000):
        scene = random_scene(seed)
        fair = scene.pose.size == size and scene.pose.pitch > 14 and scene.pose.elevation > 45 and not scene.hands
        if fair and scene.board.line_strength > 0.6 and scene.effects.exposure > 0.7:
            found.append(render(scene))
        if len(found) == count:
            return found
    raise AssertionError("no such pictures")


@pytest.mark.parametrize("size", SIZES)
def test_lines_between_corners_are_counted(size: int) -> None:
    for picture in pictures(size):
        assert pose_at(picture.scene.pose.corners, picture.image, closeup()).size == size


def test_a_size_that_is_said_is_believed() -> None:
    (picture,) = pictures(9, 1)
    assert pose_at(picture.scene.pose.corners, picture.image, closeup(), size=13).size == 13


def test_where_no_lines_are_seen_there_are_nineteen() -> None:
    night = np.zeros((480, 640, 3), np.uint8)
    assert pose_at([[100, 50], [500, 50], [500, 450], [100, 450]], night, closeup()).size == USUAL


def test_corners_far_outside_are_refused() -> None:
    with pytest.raises(UsageError, match="far outside"):
        pose_at([[0, 0], [9000, 0], [9000, 9000], [0, 9000]], np.zeros((480, 640, 3), np.uint8), closeup())
