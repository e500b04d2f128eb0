"""What an incident carries: the boards before, expected and after, and how likely its readings are wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.core.points import EMPTY, Colour, Layout, Point
from kifuwatch.reconstruct import Incident
from kifuwatch.reconstruct.likelihoods import misread
from tests.reconstruct.script import EMPTY_9, FOUR_IN_ATARI, place, remove, slide, watch
from tests.reconstruct.stage import Report, moves
from tests.reconstruct.test_situations_14_to_22 import KO


def the_alert(seen: Report, code: str) -> Incident:
    (found,) = [alert for alert in seen.alerts if alert.code == code]
    return found


def stones(layout: Layout) -> str:
    """The stones as people name them: ``C3 E5 / G7``, black ones first."""
    return " / ".join(" ".join(sorted(map(str, layout.points(cell)))) for cell in "XO")


def test_two_moves_in_a_row_the_board_is_expected_as_it_was_before_the_second() -> None:
    seen = watch(EMPTY_9, moves("B C3, W G7, B E5", 1.6), place(7.5, "B G3"))
    alert = the_alert(seen, "two-moves")
    assert alert.boards is not None
    assert stones(alert.boards.before) == stones(alert.boards.expected) == "C3 E5 / G7"
    assert stones(alert.boards.after) == "C3 E5 G3 / G7"
    assert (alert.move, alert.colour) == (4, Colour.BLACK)
    assert alert.facts["question"] == "did the opponent pass?"
    assert set(alert.likelihoods) == {"misread", "stone-not-seen"}
    assert all(0 <= value < 0.5 for value in alert.likelihoods.values()), "seen well, so hardly misread"


def test_a_takeback_the_stone_belongs_where_it_lay_first() -> None:
    seen = watch(EMPTY_9, moves("B C3, W G7", 1.6), place(5.0, "B E5"), slide(8.0, "E5", "G3", "B"))
    boards = the_alert(seen, "takeback").boards
    assert boards is not None
    assert stones(boards.before) == stones(boards.expected) == "C3 E5 / G7"
    assert stones(boards.after) == "C3 G3 / G7"


def test_a_moved_stone_belongs_on_its_old_point() -> None:
    seen = watch(
        EMPTY_9, moves("B C3, W G7, B E5, W G3", 1.6), slide(8.5, "C3", "C4", "B", by="W"), moves("B C7", 11.0)
    )
    boards = the_alert(seen, "moved-stone").boards
    assert boards is not None
    assert stones(boards.expected) == "C3 E5 / G3 G7"
    assert stones(boards.after) == "C4 E5 / G3 G7"


def test_a_ko_taken_back_at_once() -> None:
    seen = watch(KO, place(2.0, "W D5"), remove(3.0, "E5", by="W"), place(5.0, "B E5"), remove(6.0, "D5"))
    alert = the_alert(seen, "ko-violation")
    d5, e5 = Point.parse("D5"), Point.parse("E5")
    assert alert.boards is not None
    assert (alert.boards.before[d5], alert.boards.before[e5]) == ("O", EMPTY)
    assert (alert.boards.after[d5], alert.boards.after[e5]) == (EMPTY, "X")
    assert alert.boards.expected == alert.boards.before
    assert (alert.move, alert.colour) == (2, Colour.BLACK)


def test_captured_stones_that_were_left_lying() -> None:
    seen = watch(FOUR_IN_ATARI, place(2.0, "B F5"), remove(3.0, "D5"), place(9.0, "W B7"), duration=16.0)
    alert = the_alert(seen, "missed-capture")
    left = [Point.parse(name) for name in ("D6", "E5", "E6")]
    assert alert.boards is not None
    assert alert.boards.before[Point.parse("F5")] == EMPTY
    assert [alert.boards.expected[point] for point in left] == [EMPTY] * 3
    assert [alert.boards.after[point] for point in left] == ["O"] * 3
    assert alert.likelihoods["misread"] < 1e-3, "all three would have to be misread"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_one_of_several_is_misread_more_easily_than_all(sure: list[float]) -> None:
    one, every = misread(sure, one_is_enough=True), misread(sure, one_is_enough=False)
    assert 0 <= every <= one + 1e-12 <= 1 + 2e-12
    assert one == pytest.approx(every) or len(sure) > 1
