"""Two boards in view: both are found, and the one that is meant is taken."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from kifuwatch.calibration.boards import BoardChoice, holds, middle, outline, whereabouts
from kifuwatch.calibration.finder import BoardFinder, FoundBoard
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.errors import NoBoardError, UsageError
from tests.two_boards import Picture, on_one_table


@cache
def table(left: int, right: int, seed: int, elevation: float) -> tuple[Picture, list[BoardPose]]:
    return on_one_table(left, right, seed, elevation)


@cache
def find(choice: str | None, left: int = 19, right: int = 13, seed: int = 1, elevation: float = 52) -> FoundBoard:
    return BoardFinder(choice=BoardChoice.parse(choice)).find(table(left, right, seed, elevation)[0])


def is_there(found: BoardPose, truth: BoardPose) -> bool:
    gaps = [np.abs(found.turned(k).corners - truth.corners).max() for k in range(4)]
    return found.size == truth.size and min(gaps) < 0.3 * truth.pitch


@pytest.mark.parametrize(("left", "right", "seed", "elevation"), [(19, 13, 1, 52), (9, 13, 5, 75)])
def test_both_boards_on_a_table_are_found_and_the_larger_is_taken(
    left: int, right: int, seed: int, elevation: float
) -> None:
    poses = table(left, right, seed, elevation)[1]
    larger, smaller = sorted(poses, key=lambda pose: -pose.size)
    found = find(None, left, right, seed, elevation)
    assert is_there(found.pose, larger)
    (other,) = found.others
    assert is_there(other.pose, smaller)


@pytest.mark.parametrize(("choice", "size"), [("left", 19), ("right", 13), ("smallest", 13), ("largest", 19)])
def test_the_board_that_is_asked_for_is_taken(choice: str, size: int) -> None:
    found = find(choice)
    assert (found.pose.size, [other.pose.size for other in found.others]) == (size, [32 - size])


def test_a_pixel_on_a_board_chooses_it() -> None:
    poses = table(19, 13, 1, 52)[1]
    for pose in poses:
        x, y = middle(pose)
        assert find(f"{x:.0f},{y:.0f}").pose.size == pose.size
    with pytest.raises(NoBoardError, match="pixel 3,4"):
        find("3,4")


@dataclass(frozen=True)
class Placed:
    pose: BoardPose


def square(x: float, y: float, side: float) -> Placed:
    corners = [[x, y], [x + side, y], [x + side, y + side], [x, y + side]]
    return Placed(BoardPose.from_corners(corners, BoardSpec.preset("square", 9), (1000, 1000)))


BOARDS = [square(100, 400, 200), square(500, 380, 320), square(520, 40, 150)]


@pytest.mark.parametrize(
    ("said", "place"),
    [("left", 0), ("right", 1), ("top", 2), ("bottom", 1), ("largest", 1), ("smallest", 2), (None, 1), ("590,110", 2)],
)
def test_what_a_person_says_chooses_a_board(said: str | None, place: int) -> None:
    assert BoardChoice.parse(said).pick(BOARDS) == place


@pytest.mark.parametrize("said", ["middle of the room", "1,2,3", "12", "nan,3", ""])
def test_what_chooses_no_board_is_said_in_one_sentence(said: str) -> None:
    with pytest.raises(UsageError, match="chooses no board"):
        BoardChoice.parse(said)


def test_where_a_board_is_among_others() -> None:
    poses = [board.pose for board in BOARDS]
    assert whereabouts(poses, 0) == "left"
    assert whereabouts(poses[1:], 1) == "top"
    row = [square(x, 100, 90).pose for x in (0, 300, 600)]
    assert [whereabouts(row, i) for i in range(3)] == ["left", "middle", "right"]


def test_the_outline_lies_around_the_grid() -> None:
    pose = BOARDS[0].pose
    places = pose.locate(outline(pose))
    assert places.min() == pytest.approx(-1)
    assert places.max() == pytest.approx(9)
    assert holds(pose, (95, 400))
    assert not holds(pose, (60, 400))
