"""Games in figures: numbers on stones, and the moves that found their point taken below."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.record.figures import Below, Figure, Step, Turn, figures, position_after

B, W = Colour.BLACK, Colour.WHITE


def game(text: str) -> list[Step]:
    """``B C3, W D3, B pass``."""
    steps: list[Step] = []
    for number, move in enumerate(text.split(","), 1):
        colour, at = move.split()
        steps.append(Turn(number, Colour(colour), None if at == "pass" else Point.parse(at)))
    return steps


def drawn(figure: Figure) -> str:
    return " ".join(f"{label}:{point}" for point, label in figure.picture.labels.items())


def test_a_stone_captured_in_the_figure_stays_drawn_and_its_point_is_named_below() -> None:
    # White takes A1 with A2; Black plays on A1 again after a while.
    steps = game("B A1, W B1, B E5, W A2, B A1, W pass")
    (figure,) = figures(Layout.empty(5), steps)
    assert drawn(figure) == "1:A1 2:B1 3:E5 4:A2"
    assert figure.picture.layout.rows == ["....X", ".....", ".....", "O....", "XO..."]
    assert figure.below == (Below(5, B, "1"), Below(6, W))
    assert (figure.captured[B], figure.captured[W]) == (2, 0), "at A1 the second time it is suicide"


def test_a_point_that_was_taken_before_the_figure_is_called_by_its_name() -> None:
    steps = game("B A1, W B1, B E5, W A2, B A1")
    first, second = figures(Layout.empty(5), steps, every=4)
    assert (first.first, first.last, second.first, second.last) == (1, 4, 5, 5)
    assert drawn(second) == "5:A1", "the stone captured before the figure begins is not drawn any more"
    again = figures(Layout.empty(5), game("B C3, W C3"), every=1)
    assert again[1].below == (Below(2, W, "C3"),)


def test_fifty_moves_a_figure_and_the_last_move_marked_on_the_last() -> None:
    points = [Point(col, row) for row in (0, 3, 6, 9, 12, 15, 18) for col in range(19)][:120]
    steps: list[Step] = [Turn(n, B if n % 2 else W, point) for n, point in enumerate(points, 1)]
    found = figures(Layout.empty(19), steps)
    assert [(each.first, each.last) for each in found] == [(1, 50), (51, 100), (101, 120)]
    assert [each.picture.last for each in found] == [None, None, points[119]]
    assert found[1].picture.labels.keys().isdisjoint(points[:50]), "earlier stones have no numbers"


def test_stones_that_the_arbiter_put_down_begin_another_figure() -> None:
    put: Step = {Point.parse("C3"): "X", Point.parse("D4"): "."}
    steps = [*game("B D4, W E5"), put, Turn(3, B, Point.parse("A1"))]
    first, second = figures(Layout.empty(5), steps)
    assert (drawn(first), drawn(second)) == ("1:D4 2:E5", "3:A1")
    assert second.picture.layout.rows == ["....O", ".....", "..X..", ".....", "X...."]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=40), st.integers(1, 12))
def test_every_move_is_drawn_or_named_below_once(points: list[tuple[int, int]], every: int) -> None:
    steps: list[Step] = [Turn(n, B if n % 2 else W, Point(*at)) for n, at in enumerate(points, 1)]
    found = figures(Layout.empty(5), steps, every)
    told = [int(label) for each in found for label in each.picture.labels.values()]
    told += [below.number for each in found for below in each.below]
    assert sorted(told) == list(range(1, len(points) + 1))
    assert sum(sum(each.captured.values()) for each in found) == len(points) - _played_on_stones(steps) - _left(steps)


def _left(steps: list[Step]) -> int:
    return sum(cell != "." for cell in position_after(Layout.empty(5), steps).cells)


def _played_on_stones(steps: list[Step]) -> int:
    """Moves on occupied points: they add no stone of their own, but change the one that lies there."""
    count = 0
    for place, step in enumerate(steps):
        assert isinstance(step, Turn)
        assert step.point is not None
        count += position_after(Layout.empty(5), steps[:place])[step.point] != "."
    return count
