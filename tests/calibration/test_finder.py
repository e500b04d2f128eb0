"""The finder on rendered pictures that no network was trained on: seeds beyond the training range."""

from __future__ import annotations

from functools import cache
from itertools import count as count_from

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kifuwatch.calibration.finder import BoardFinder, _why_none
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.errors import NoBoardError
from kifuwatch.datasets.random_scenes import random_scene
from kifuwatch.datasets.render import Rendered, render

UNSEEN = 900_000
COUNT = 12


@cache
def finder() -> BoardFinder:
    return BoardFinder()


@cache
def pictures(count: int) -> list[Rendered]:
    """Pictures in which a person sees the grid: not tiny, not dark, not under a hand, with lines that show."""
    found: list[Rendered] = []
    for seed in count_from(UNSEEN):
        scene = random_scene(seed, (720, 540))
        if (
            scene.pose.pitch > 12
            and scene.effects.exposure > 0.5
            and scene.board.line_strength > 0.6
            and not scene.glare
        ):
            picture = render(scene)
            if (picture.covered > 0.5).mean() < 0.1:
                found.append(picture)
        if len(found) == count:
            return found
    raise AssertionError("seeds do not end")


def corner_error(found: BoardPose, truth: BoardPose) -> float:
    """The largest error of a corner, in pitches, of the turn that agrees best."""
    errors = [np.linalg.norm(found.turned(k).corners - truth.corners, axis=1).max() for k in range(4)]
    return float(min(errors)) / truth.pitch


def test_rendered_boards_are_found_to_a_fraction_of_a_pitch_and_hardly_any_wrongly() -> None:
    good = wrong = 0
    for picture in pictures(COUNT):
        truth = picture.scene.pose
        try:
            found = finder().find(picture.image)
        except NoBoardError:
            continue
        right = found.pose.size == truth.size and corner_error(found.pose, truth) < 0.3
        good += right
        wrong += not right and found.confidence > 0.9
    assert good >= 0.75 * COUNT
    assert wrong <= 1


def test_the_text_is_upright_in_the_picture() -> None:
    for picture in pictures(COUNT)[:4]:
        found = finder().find(picture.image, picture.scene.pose.size)
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


def drawn_grid(lines: int) -> NDArray[np.uint8]:
    """Lines from 50 to 590 pixels on a yellow ground."""
    image = np.full((640, 640, 3), (120, 190, 220), np.uint8)
    pitch = 540 / (lines - 1)
    for i in range(lines):
        at = round(50 + i * pitch)
        cv2.line(image, (50, at), (590, at), (20, 20, 20), 2)
        cv2.line(image, (at, 50), (at, 590), (20, 20, 20), 2)
    return image


@pytest.mark.parametrize(
    ("sizes", "said"), [((19,), "19 lines"), ((9, 13), "9 or 13 lines"), ((9, 13, 19), "9, 13 or 19 lines")]
)
def test_the_sizes_that_were_asked_for_are_named(sizes: tuple[int, ...], said: str) -> None:
    assert _why_none(None, 81, sizes).endswith(f"does not make a grid of {said}")


@pytest.mark.parametrize("lines", [8, 10, 15, 18, 20, 21])
def test_a_grid_of_another_number_of_lines_is_no_go_board(lines: int) -> None:
    with pytest.raises(NoBoardError):
        finder().find(drawn_grid(lines))


@pytest.mark.parametrize("lines", [9, 13, 19])
def test_the_same_grid_of_a_right_number_of_lines_is_one(lines: int) -> None:
    found, pitch = finder().find(drawn_grid(lines)), 540 / (lines - 1)
    assert found.pose.size == lines
    np.testing.assert_allclose(found.pose.corners, [[50, 50], [590, 50], [590, 590], [50, 590]], atol=0.1 * pitch)


def test_a_pose_nearly_right_is_put_right() -> None:
    errors = []
    for picture in pictures(COUNT):
        truth = picture.scene.pose
        shift = np.array([[1, 0, 0.2 * truth.pitch], [0, 1, -0.15 * truth.pitch], [0, 0, 1]])
        moved = BoardPose.from_homography(shift @ truth.homography, truth.spec, truth.image_size, truth.k1)
        try:
            errors.append(corner_error(finder().check(picture.image, moved).pose, truth))
        except NoBoardError:
            errors.append(1.0)
    assert np.median(errors) < 0.1
    assert np.mean(np.array(errors) < 0.2) >= 0.75
