"""Stones of a clip are solid: whoever lays one beside another lays it against that."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.points import BLACK, EMPTY, WHITE, Point
from kifuwatch.datasets.clip_laying import laid
from kifuwatch.datasets.clip_script import StoneChange

SPEC = BoardSpec(9, 22.0, 23.6, 21.6, 8.0, 15.0, "test")


def change(t: float, at: str, cell: str = BLACK, offset: tuple[float, float] = (0.0, 0.0)) -> StoneChange:
    return StoneChange(t, Point.parse(at), cell, offset)


def apart(one: StoneChange, other: StoneChange) -> float:
    """How far two stones lie from each other (mm)."""
    columns = (one.point.col + one.offset[0] - other.point.col - other.offset[0]) * SPEC.across
    rows = (one.point.row + one.offset[1] - other.point.row - other.offset[1]) * SPEC.along
    return float(np.hypot(columns, rows))


def test_a_stone_aimed_at_its_neighbour_lies_against_it() -> None:
    there, came = laid([change(0, "E5"), change(1, "D5", WHITE, (0.25, -0.26))], SPEC)
    assert there.offset == (0.0, 0.0)
    assert apart(there, came) == pytest.approx(SPEC.stone_diameter, abs=0.01)
    assert came.offset[0] < 0.25


def test_a_stone_laid_on_its_point_pushes_back_one_that_reaches_over() -> None:
    there, pushed, came = laid([change(0, "E5", offset=(0.0, -0.35)), change(1, "E4", WHITE)], SPEC)
    assert (there.offset, came.offset) == ((0.0, -0.35), (0.0, 0.0))
    assert (pushed.point, pushed.seconds, pushed.cell) == (there.point, 1, BLACK)
    assert apart(pushed, came) == pytest.approx(SPEC.stone_diameter, abs=0.01)


def test_where_there_is_room_a_stone_lies_as_it_was_aimed() -> None:
    changes = [change(0, "E5"), change(1, "D5", WHITE, (-0.25, 0.2)), change(2, "G7", offset=(0.4, 0.0))]
    assert laid(changes, SPEC) == changes


def test_a_stone_stays_where_it_came_to_lie_when_its_neighbour_is_taken() -> None:
    changes = laid([change(0, "E5"), change(1, "D5", WHITE, (0.3, 0.0)), change(2, "E5", EMPTY)], SPEC)
    assert [each.cell for each in changes] == [BLACK, WHITE, EMPTY]
    assert changes[1].offset[0] < 0.05
    back = laid([change(0, "E5"), change(1, "E5", EMPTY), change(2, "D5", WHITE, (0.3, 0.0))], SPEC)
    assert back[2].offset == (0.3, 0.0)


@given(st.lists(st.tuples(st.integers(0, 8), st.floats(-0.3, 0.3), st.floats(-0.3, 0.3)), max_size=12))
def test_of_two_stones_in_a_row_none_lies_in_the_other(aims: list[tuple[int, float, float]]) -> None:
    changes = [StoneChange(t, Point(4, col), BLACK, (x, y)) for t, (col, x, y) in enumerate(aims)]
    lying = {each.point: each for each in laid(changes, SPEC)}
    for point, each in lying.items():
        beside = lying.get(Point(point.row, point.col + 1))
        if beside is not None:
            assert apart(each, beside) > 0.93 * SPEC.stone_diameter
