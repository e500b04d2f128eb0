"""Photographs become positions: rendered pictures read without an error, doubts listed, wrong requests refused."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Layout, Point
from kifuwatch.core.times import FrameTime
from kifuwatch.datasets.random_scenes import random_scene
from kifuwatch.datasets.render import Rendered, render
from kifuwatch.vision.observation import Observation
from kifuwatch.vision.reading import BoardReader, reading_of
from kifuwatch.vision.stones import StoneReader

UNSEEN = 910_000


@cache
def reader() -> BoardReader:
    return BoardReader()


@cache
def picture(seed: int) -> Rendered:
    return render(random_scene(UNSEEN + seed, (640, 480)))


def faults(seen: Layout, truth: Rendered) -> int:
    """Points read wrongly, those left out that something hides."""
    hidden = truth.covered.ravel() > 0.12
    pairs = zip(seen.cells, truth.scene.layout.cells, hidden, strict=True)
    return sum(a != b for a, b, covered in pairs if not covered)


def test_with_corners_given_rendered_boards_read_without_an_error() -> None:
    clean = 0
    for seed in range(12):
        truth = picture(seed)
        pose = truth.scene.pose
        reading = reader().read(truth.image, pose.size, pose.corners)
        clean += faults(reading.layout, truth) == 0
        assert reading.score == 1.0
    assert clean >= 8


def test_a_hand_covers_and_covered_is_not_empty() -> None:
    hidden = seen_hidden = 0
    for seed in range(40):
        if not random_scene(UNSEEN + seed, (640, 480)).hands:
            continue
        truth = picture(seed)
        observation = StoneReader().read(truth.image, truth.scene.pose)
        deep = truth.covered > 0.95
        hidden += int(deep.sum())
        seen_hidden += int((observation.covered & deep).sum())
        if hidden > 60:
            break
    assert hidden > 60
    assert seen_hidden > 0.7 * hidden


def test_doubts_are_listed() -> None:
    chances = np.zeros((9, 9, 3), np.float32)
    chances[..., 0] = 1
    chances[0, 0] = 0.55, 0.44, 0.01  # A9
    chances[8, 8] = 0.0, 0.999, 0.001  # J1
    covered = np.zeros((9, 9), bool)
    covered[4, 4] = True  # E5
    observation = Observation(FrameTime(0), chances, covered, np.zeros((9, 9, 2), np.float32), covered & False)
    reading = reading_of(picture(0).scene.pose, observation, 0.99)
    assert [str(doubt.at) for doubt in reading.uncertain] == ["A9", "E5"]
    assert reading.layout[Point.parse("J1")] == "X"
    said = reading.to_json()["uncertain"][0]
    assert said.pop("at") == "A9"
    assert said == pytest.approx({"empty": 0.55, "black": 0.44, "white": 0.01}, abs=0.03)
    assert reading.to_json()["uncertain"][1]["covered"] is True


def test_corners_far_outside_are_refused() -> None:
    image = np.zeros((480, 640, 3), np.uint8)
    with pytest.raises(UsageError, match="outside"):
        reader().read(image, 19, np.array([[0, 0], [1, 0], [1, 1], [0, 1]]) * 1e6)
