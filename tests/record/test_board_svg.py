"""Diagrams: what is drawn where, however the board lies, and that names cannot break the picture."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.core.points import COLUMNS, Layout, Point
from kifuwatch.record.board_svg import (
    ALARM,
    EDGE,
    PITCH,
    STONE,
    BoardPicture,
    Mark,
    Style,
    board_svg,
    count_picture,
)
from kifuwatch.rules.count import count_board
from tests.arbiter.test_result import layouts
from tests.rules.boards import diagram

SVG = "{http://www.w3.org/2000/svg}"


def drawn(picture: BoardPicture, style: Style = Style.PRINT) -> ET.Element:
    return ET.fromstring(board_svg(picture, style))


def circles(root: ET.Element, fill: str) -> set[tuple[float, float]]:
    """Where stones of this fill lie, in lines from the upper left corner of the grid."""
    found = (each for each in root.iter(f"{SVG}circle") if each.get("fill") == fill)
    whole = (each for each in found if abs(float(each.attrib["r"]) - STONE) < 0.01)
    return {((float(each.attrib["cx"]) - EDGE) / PITCH, (float(each.attrib["cy"]) - EDGE) / PITCH) for each in whole}


def words(root: ET.Element) -> Counter[str]:
    return Counter(each.text or "" for each in root.iter(f"{SVG}text"))


@given(layouts, st.integers(0, 3))
def test_each_stone_lies_where_the_turned_board_text_has_it(layout: Layout, quarters: int) -> None:
    root = drawn(BoardPicture(layout, quarters=quarters))
    rows = layout.turned(quarters).rows
    for cell, fill in (("X", "#000000"), ("O", "#ffffff")):
        there = {(x, y) for y, row in enumerate(rows) for x, c in enumerate(row) if c == cell}
        assert circles(root, fill) == there


@pytest.mark.parametrize("size", [9, 13, 19])
@pytest.mark.parametrize("quarters", [0, 1])
def test_letters_and_numbers_stand_on_both_sides(size: int, quarters: int) -> None:
    said = words(drawn(BoardPicture(Layout.empty(size), quarters=quarters)))
    assert said == Counter({name: 2 for name in [*COLUMNS[:size], *map(str, range(1, size + 1))]})


def test_a_board_without_letters_is_smaller() -> None:
    bare = drawn(BoardPicture(Layout.empty(9), coordinates=False))
    assert words(bare) == Counter()
    assert bare.attrib["viewBox"] < drawn(BoardPicture(Layout.empty(9))).attrib["viewBox"]


def test_move_numbers_the_last_of_them_in_bold() -> None:
    board = diagram(".X.\n.O.\n...")
    b3, b2 = Point.parse("B3"), Point.parse("B2")
    root = drawn(BoardPicture(board, last=b2, labels={b3: "25", b2: "26"}))
    bold = {each.text for each in root.iter(f"{SVG}text") if each.get("font-weight") == "bold"}
    assert bold == {"26"}
    assert {"25", "26"} <= set(words(root))


def test_the_last_move_without_numbers_is_a_red_dot() -> None:
    root = drawn(BoardPicture(diagram("X..\n...\n..."), last=Point.parse("A3")))
    dots = [each for each in root.iter(f"{SVG}circle") if each.get("fill") == ALARM]
    assert [(float(each.attrib["cx"]), float(each.attrib["cy"])) for each in dots] == [(EDGE, EDGE)]


def test_what_is_not_right_is_framed_crossed_or_asked_for() -> None:
    should = diagram("X..\n.O.\n...")
    lies = {Point.parse("A3"): ".", Point.parse("B2"): "X", Point.parse("C1"): "O"}
    root = drawn(BoardPicture(should, lies=lies))
    frames = [each for each in root.iter(f"{SVG}polygon") if each.get("stroke") == ALARM]
    assert len(frames) == 3
    assert (2.0, 2.0) in circles(root, "#ffffff"), "the stone that has to go is shown, pale and crossed"
    crosses = [each for each in root.iter(f"{SVG}path") if each.get("stroke") == ALARM]
    assert len(crosses) == 3, "a plus at A3, a cross through the black stone at B2 and one at C1"


def test_a_counted_board() -> None:
    board = diagram(".X.\nXX.\nO..")
    found = count_picture(count_board(board, [Point.parse("A1")]), "counted")
    assert (found.layout, found.dead) == (board, frozenset([Point.parse("A1")]))
    assert {str(p): c for p, c in found.territory.items()} == {
        name: "X" for name in ("A3", "C3", "C2", "A1", "B1", "C1")
    }
    assert len(list(drawn(found).iter(f"{SVG}rect"))) == 8  # the paper, the frame of the board, six points


def test_marks_hidden_points_and_wood() -> None:
    marks = dict(zip(map(Point.parse, ("A1", "A2", "A3", "B1")), Mark, strict=True))
    root = drawn(BoardPicture(diagram("X.?\n...\n..."), marks=marks), Style.WOOD)
    assert words(root)["?"] == 1
    assert len(list(root.iter(f"{SVG}radialGradient"))) == 2


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"])))
def test_no_title_breaks_the_picture(title: str) -> None:
    root = drawn(BoardPicture(Layout.empty(9), title=title, captions=(title,)))
    found = root.find(f"{SVG}title")
    assert ("" if found is None else found.text) == title
    assert title in words(root) or title == ""


def test_a_point_that_is_not_on_the_board() -> None:
    with pytest.raises(ValueError, match="K10 is not on a board of 9 lines"):
        board_svg(BoardPicture(Layout.empty(9), labels={Point.parse("K10"): "1"}))
