"""When a point counts as settled, although others are hidden."""

from __future__ import annotations

import numpy as np
import pytest

from kifuwatch.core.points import Layout, Point
from kifuwatch.core.times import FrameTime
from kifuwatch.reconstruct.settle import SettleFilter
from kifuwatch.vision.observation import Observation

SIZE = 9


def look(seconds: float, stones: str, covered: str, doubtful: str = "") -> Observation:
    """Black on ``stones``, empty elsewhere, surely read but at the ``doubtful`` ones; ``covered`` ones are hidden."""
    blank = Layout.empty(SIZE)
    chances = np.tile(np.array([0.99, 0.005, 0.005], np.float32), (SIZE * SIZE, 1))
    chances[[blank.index(Point.parse(name)) for name in stones.split()]] = [0.005, 0.99, 0.005]
    chances[[blank.index(Point.parse(name)) for name in doubtful.split()]] = [0.2, 0.1, 0.7]
    hidden = np.zeros(SIZE * SIZE, bool)
    hidden[[blank.index(Point.parse(name)) for name in covered.split()]] = True
    nothing = np.zeros((SIZE, SIZE), bool)
    return Observation(
        FrameTime.of_seconds(seconds),
        chances.reshape(SIZE, SIZE, 3),
        hidden.reshape(SIZE, SIZE),
        np.zeros((SIZE, SIZE, 2), np.float32),
        nothing,
    )


@pytest.mark.parametrize(
    ("covered", "settles"),
    [
        pytest.param("A3 A4 A5", True, id="three points that a stone hides from a low camera"),
        pytest.param("A3 A4 A5 A6 B5 B3", False, id="a hand that rests there"),
    ],
)
def test_a_stone_among_points_that_stay_hidden(covered: str, settles: bool) -> None:
    view = SettleFilter(SIZE)
    for step in range(80):
        placed = step >= 20
        view.update(look(step / 10, "B4" if placed else "", covered if placed else ""))
    assert (view.layout()[Point.parse("B4")] == "X") is settles


@pytest.mark.parametrize(
    ("doubtful", "settles"),
    [
        pytest.param("", True, id="a stone beside two points that are hidden"),
        pytest.param("B3 C3 C4", False, id="a knuckle: what is around it is read with doubt, too"),
    ],
)
def test_what_is_read_in_the_middle_of_a_hand_is_no_stone(doubtful: str, settles: bool) -> None:
    view = SettleFilter(SIZE)
    for step in range(35):
        there = step >= 20
        view.update(look(step / 10, "B4" if there else "", "A4 A5" if there else "", doubtful if there else ""))
    assert (view.layout()[Point.parse("B4")] == "X") is settles
