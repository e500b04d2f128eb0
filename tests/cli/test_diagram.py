"""Boards as text."""

from __future__ import annotations

from kifuwatch.cli.diagram import diagram, star_points
from kifuwatch.core.points import Layout, Point

BOARD = Layout.from_rows(
    [
        "........O",
        ".........",
        "......X..",
        ".........",
        "....X....",
        ".........",
        "..O......",
        ".........",
        "?........",
    ]
)


def test_a_small_board() -> None:
    assert diagram(BOARD).splitlines() == [
        "    A B C D E F G H J",
        "  9 . . . . . . . . O 9",
        "  8 . . . . . . . . . 8",
        "  7 . . + . . . X . . 7",
        "  6 . . . . . . . . . 6",
        "  5 . . . . X . . . . 5",
        "  4 . . . . . . . . . 4",
        "  3 . . O . . . + . . 3",
        "  2 . . . . . . . . . 2",
        "  1 ? . . . . . . . . 1",
        "    A B C D E F G H J",
    ]


def test_the_last_move_stands_in_brackets() -> None:
    assert "  5 . . . .(X). . . . 5" in diagram(BOARD, Point.parse("E5")).splitlines()
    assert "  9 . . . . . . . .(O)9" in diagram(BOARD, Point.parse("J9")).splitlines()
    assert "  1(?). . . . . . . . 1" in diagram(BOARD, Point.parse("A1")).splitlines()


def test_stars_are_where_they_are_on_a_board() -> None:
    assert {str(point) for point in star_points(9)} == {"C3", "G3", "C7", "G7", "E5"}
    assert {str(point) for point in star_points(13)} == {"D4", "K4", "D10", "K10", "G7"}
    assert len(star_points(19)) == 9
    assert Point.parse("K10") in star_points(19)
    assert star_points(11) == frozenset()


def test_every_line_of_a_full_board_is_as_long() -> None:
    lines = diagram(Layout.empty(19)).splitlines()
    assert len(lines) == 21
    assert {len(line) for line in lines[1:-1]} == {3 + 2 * 19 + 1 + 1, 3 + 2 * 19 + 1 + 2}
