"""What is drawn over a picture: seen on any table, inside the picture, and telling stones from doubts."""

from __future__ import annotations

import numpy as np
import pytest

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.points import Layout, Point
from kifuwatch.overlay import AROUND_BLACK, GRID, INK_BLACK, UNCERTAIN, Picture, draw_grid, draw_reading

WHITE_TABLE = 255
EMPTY = Layout.empty(9)


def board(edge: float, side: int = 600) -> tuple[Picture, BoardPose]:
    """A blank white picture, and a board in it whose outermost lines are ``edge`` pixels from its sides."""
    low, high = edge, side - edge
    pose = BoardPose.from_corners([(low, low), (high, low), (high, high), (low, high)], BoardSpec(9), (side, side))
    return np.full((side, side, 3), WHITE_TABLE, np.uint8), pose


def share(picture: Picture, colour: tuple[int, int, int], within: int = 30) -> float:
    """How much of a picture has nearly this colour."""
    return float((np.abs(picture.astype(int) - colour).max(axis=2) < within).mean())


def strip(picture: Picture, side: str, width: int) -> Picture:
    """The part of a picture along its left or lower side."""
    return picture[:, :width] if side == "left" else picture[-width:]


@pytest.mark.parametrize("side", ["left", "below"])
def test_letters_and_numbers_show_on_a_white_table(side: str) -> None:
    picture, pose = board(edge=120)
    assert share(strip(draw_grid(picture, pose), side, 100), INK_BLACK) > 0.005


@pytest.mark.parametrize("side", ["left", "below"])
def test_letters_and_numbers_stay_inside_when_the_board_fills_the_picture(side: str) -> None:
    picture, pose = board(edge=4)
    assert share(strip(draw_grid(picture, pose), side, 30), INK_BLACK) > 0.02


def test_an_uncertain_stone_keeps_its_ring_within_a_yellow_square() -> None:
    picture, pose = board(edge=100)
    point = Point.parse("E5")
    layout = EMPTY.replaced({point: "X"})
    sure, unsure = draw_reading(picture, pose, layout), draw_reading(picture, pose, layout, [point])
    assert share(sure, UNCERTAIN) == 0
    assert share(unsure, UNCERTAIN) > 0
    assert share(unsure, AROUND_BLACK) == pytest.approx(share(sure, AROUND_BLACK), rel=0.05)


def test_the_grid_is_paler_where_the_board_is_small() -> None:
    picture, pose = board(edge=250)
    assert share(draw_grid(picture, pose), GRID) == 0
    large, pose = board(edge=100)
    assert share(draw_grid(large, pose), GRID) > 0


def test_the_picture_itself_stays_as_it_is() -> None:
    picture, pose = board(edge=100)
    draw_reading(picture, pose, EMPTY)
    assert (picture == WHITE_TABLE).all()
