"""The finder on rendered pictures that no network was trained on: seeds beyond the training range."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from kifuwatch.calibration.finder import BoardFinder
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.errors import NoBoardError
from kifuwatch.datasets.random_scenes import random_scene
from kifuwatch.datasets.render import Rendered, render

UNSEEN = 900_000


@cache
def finder() -> BoardFinder:
    return BoardFinder()


@cache
def picture(seed: int) -> Rendered:
    return render(random_scene(UNSEEN + seed))


def corner_error(found: BoardPose, truth: BoardPose) -> float:
    """The largest error of a corner, in pitches, of the turn that agrees best."""
    errors = [np.linalg.norm(found.turned(k).corners - truth.corners, axis=1).max() for k in range(4)]
    return float(min(errors)) / truth.pitch


def test_most_rendered_boards_are_found_to_a_fraction_of_a_pitch_and_none_wrongly() -> None:
    seeds = range(24)
    good, wrong = 0, []
    for seed in seeds:
        truth = picture(seed).scene.pose
        try:
            found = finder().find(picture(seed).image)
        except NoBoardError:
            continue
        right = found.pose.size == truth.size and corner_error(found.pose, truth) < 0.3
        good += right
        if not right and found.confidence > 0.9:
            wrong.append(seed)
    assert good >= 0.75 * len(seeds)
    assert len(wrong) <= 1


def test_the_text_is_upright_in_the_picture() -> None:
    scene = picture(1).scene
    found = finder().find(picture(1).image, scene.pose.size)
    across = found.pose.corners[1] - found.pose.corners[0]
    assert abs(across[1]) <= abs(across[0])
    assert across[0] > 0


@pytest.mark.parametrize("kind", ["black", "noise", "stripes", "tiny"])
def test_no_board_is_no_board(kind: str) -> None:
    rng = np.random.default_rng(5)
    pictures: dict[str, NDArray[np.uint8]] = {
        "black": np.zeros((480, 640, 3), np.uint8),
        "noise": rng.integers(0, 256, (480, 640, 3), dtype=np.uint8),
        "stripes": np.repeat((np.arange(640) // 20 % 2 * 255).astype(np.uint8)[None, :, None], 480, axis=0).repeat(
            3, axis=2
        ),
        "tiny": rng.integers(0, 256, (9, 7, 3), dtype=np.uint8),
    }
    with pytest.raises(NoBoardError, match="board"):
        finder().find(pictures[kind])


def test_a_pose_nearly_right_is_put_right() -> None:
    for seed in range(24):
        truth = picture(seed).scene.pose
        moved = BoardPose.from_homography(
            np.array([[1, 0, 0.2 * truth.pitch], [0, 1, -0.15 * truth.pitch], [0, 0, 1]]) @ truth.homography,
            truth.spec,
            truth.image_size,
            truth.k1,
        )
        try:
            found = finder().check(picture(seed).image, moved)
        except NoBoardError:
            continue
        assert corner_error(found.pose, truth) < 0.15
        return
    pytest.fail("no board was recognised")
