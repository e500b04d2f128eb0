"""Results: the examples of the codes, handicap, warnings, group tax, seki, and their words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.arbiter import AlertTable
from kifuwatch.arbiter.recount import against_area, against_result, dead_by_marks
from kifuwatch.arbiter.result import Score, Terms, in_quarters, komi_of, score
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.rules.count import count_board, empty_regions, live_groups, whole_chains
from tests.rules.boards import diagram, points

TABLE = AlertTable.load()
OLD, NEW = TABLE.code("cn1988"), TABLE.code("cn2002")
B, W = Colour.BLACK, Colour.WHITE


def board(black: float) -> Layout:
    """A board of 19 lines on which Black has this area: walls through the middle, a half by one shared point."""
    whole = int(black)
    cells = "X" * whole + ("." if black % 1 else "") + "O" * (361 - whole - (1 if black % 1 else 0))
    return Layout(19, cells)


def result(black: float, code_name: str, **warnings: int) -> Score:
    code = TABLE.code(code_name)
    given = {Colour(name): count for name, count in warnings.items()}
    return score(count_board(board(black)), code, Terms(code.counting.komi, warnings=given))


# Black's area in zi, the result under the older code and under that of 2002, as SGF and as players say it.
EXAMPLES = [
    (183, "W+0.5", "白胜1/4子", "W+2.5", "白胜1又1/4子"),
    (183.5, "B+0.5", "黑胜1/4子", "W+1.5", "白胜3/4子"),
    (184, "B+1.5", "黑胜3/4子", "W+0.5", "白胜1/4子"),
    (184.5, "B+2.5", "黑胜1又1/4子", "B+0.5", "黑胜1/4子"),
    (185, "B+3.5", "黑胜1又3/4子", "B+1.5", "黑胜3/4子"),
]


@pytest.mark.parametrize(("black", "old", "old_zh", "new", "new_zh"), EXAMPLES)
def test_the_examples_of_the_codes(black: float, old: str, old_zh: str, new: str, new_zh: str) -> None:
    for name, sgf, zh in (("cn1988", old, old_zh), ("cn2002", new, new_zh)):
        found = result(black, name)
        assert found.area[B] == black
        assert (found.sgf, found.text_zh) == (sgf, zh)


def test_178_for_white_is_183_for_black() -> None:
    assert result(183, "cn2002").area[W] == 178


def test_words_in_english() -> None:
    assert result(185, "cn2002").text_en == "Black wins by 3/4 zi (1.5 points)"
    assert result(183, "cn2002").text_en == "White wins by 1 1/4 zi (2.5 points)"


def test_a_warning_costs_one_zi_under_the_code_of_2002_alone() -> None:
    fined = result(185, "cn2002", B=1)
    assert (fined.sgf, fined.text_zh) == ("W+0.5", "白胜1/4子")
    assert result(185, "cn1988", B=1).sgf == "B+3.5"
    assert result(184, "cn2002", W=1).sgf == "B+1.5"


def test_without_komi_half_of_the_board_is_a_draw() -> None:
    even = score(count_board(board(180.5)), NEW, Terms(0.0))
    assert (even.winner, even.sgf, even.text_zh, even.text_en) == (None, "0", "和棋", "a draw")


def test_black_wins_an_even_count_under_ing_rules() -> None:
    even = score(count_board(board(184.5)), TABLE.code("ing"), Terms(8.0))
    assert even.margin == 0
    assert (even.winner, even.text_zh) == (B, "黑胜（平局算黑胜）")


def test_komi_is_what_was_given_or_what_the_code_says() -> None:
    assert komi_of(NEW, 0, None) == 7.5
    assert komi_of(NEW, 0, 6.5) == 6.5
    assert komi_of(NEW, 4, None) == 0  # 让子: half a zi for each stone instead
    assert komi_of(TABLE.code("aga"), 4, None) == 0.5


def test_four_handicap_stones_cost_black_two_zi() -> None:
    """Black needs more than 180.5 + 4/2 = 182.5."""
    even = score(count_board(board(182.5)), NEW, Terms(komi_of(NEW, 4, None), 4))
    assert even.margin == 0
    assert score(count_board(board(182.5)), TABLE.code("aga"), Terms(0.5, 4)).margin == 4 - 3 - 0.5


FINISHED = """
    . X O . O
    X X O O .
    . X X O O
    X X O O .
    . X O . O
"""


def test_area_and_territory_of_a_small_board() -> None:
    count = count_board(diagram(FINISHED))
    assert (count.area(B), count.area(W)) == (11, 14)
    assert count.shared == ()
    japanese = score(count, TABLE.code("jp"), Terms(0.0, prisoners={W: 2}))
    assert japanese.territory == {B: 3 + 2, W: 4}
    assert japanese.sgf == "B+1"


def test_dead_stones_come_off_and_count_as_prisoners() -> None:
    layout = diagram(
        """
        . X . O .
        X X . O O
        X O X O .
        . X X O O
        O X . O .
        """
    )
    dead = whole_chains(layout, points("A1 B3"))
    assert dead == points("A1 B3")
    count = count_board(layout, dead)
    assert count.area(B) + count.area(W) == 25
    assert score(count, TABLE.code("jp"), Terms(0.0)).territory[B] == 4 + 2


def test_points_in_seki_are_nobodys_where_territory_is_counted() -> None:
    layout = diagram(
        """
        . X O . O
        X X O O O
        X . . X X
        X X X O O
        . . X O .
        """
    )
    count = count_board(layout)
    with_seki = score(count, TABLE.code("jp"), Terms(0.0, seki=whole_chains(layout, points("C5"))))
    assert with_seki.territory[W] == score(count, TABLE.code("jp"), Terms(0.0)).territory[W] - 1


def test_a_dead_chain_that_does_not_exist() -> None:
    with pytest.raises(UsageError, match="there is no chain at A5: the point is empty"):
        whole_chains(diagram(FINISHED), points("A5"))
    with pytest.raises(UsageError, match="the point Q16 is not on this board of 5 lines"):
        whole_chains(diagram(FINISHED), points("Q16"))
    with pytest.raises(UsageError, match="no stone on A5"):
        count_board(diagram(FINISHED), points("A5"))


def test_each_group_that_lives_apart_pays_the_group_tax() -> None:
    layout = diagram(
        """
        . X O O O O X X .
        X X O . . O X . X
        X X O . . O X X X
        . X O O O O O O O
        X X O . O . O . O
        O O O O O O O O O
        . O O X X X X X X
        O . O X . X . X .
        O O O X X X X X X
        """
    )
    count = count_board(layout)
    assert (live_groups(count, B), live_groups(count, W)) == (3, 1)
    ancient = TABLE.code("ancient")
    plain = count.area(B) - count.area(W)
    assert score(count, ancient, Terms(0.0)).margin == plain - 2 * (3 - 1)  # one zi a group, and a zi is two points
    agreed = Terms(0.0, groups={B: 2, W: 2})
    assert score(count, ancient, agreed).margin == plain


def test_a_recount_against_the_arbiters_number() -> None:
    found = result(185, "cn2002")
    assert against_area(found, B, 185) is None
    assert against_area(found, W, 176) is None
    slip = against_area(found, B, 184)
    assert slip is not None
    assert (slip.counted, slip.said, slip.difference) == (1.5, -0.5, 2)
    assert against_result(found, B, 1.5) is None
    assert against_result(found, W, 0.5) is not None


def test_marked_territory_says_which_stones_are_dead() -> None:
    layout = diagram(
        """
        X . O
        X . .
        X . .
        """
    )
    assert dead_by_marks(layout, points("B3 C3 T19"), ()) == points("C3")
    assert dead_by_marks(layout, (), points("A1 B1")) == points("A1")


@pytest.mark.parametrize(
    ("zi", "text"), [(0.25, "1/4"), (0.75, "3/4"), (1.25, "1又1/4"), (10.5, "10又1/2"), (7, "7"), (3.2, "3又1/5")]
)
def test_quarters_as_players_write_them(zi: float, text: str) -> None:
    assert in_quarters(zi, "又") == text


layouts = st.integers(2, 7).flatmap(
    lambda n: st.text("XO.", min_size=n * n, max_size=n * n).map(lambda t: Layout(n, t))
)


@given(layouts)
def test_the_areas_of_both_are_the_whole_board(layout: Layout) -> None:
    count = count_board(layout)
    assert count.area(B) + count.area(W) == layout.size**2


@given(layouts)
def test_the_other_colours_count_the_other_way_round(layout: Layout) -> None:
    swapped = Layout(layout.size, layout.cells.translate(str.maketrans("XO", "OX")))
    one, other = (score(count_board(each), NEW, Terms(0.0)) for each in (layout, swapped))
    assert one.margin == -other.margin


@given(layouts)
def test_every_empty_point_is_in_one_region(layout: Layout) -> None:
    regions = [point for region, _ in empty_regions(layout) for point in region]
    assert sorted(regions) == sorted(layout.points("."))


def test_a_board_without_stones_is_shared() -> None:
    assert count_board(Layout.empty(3)).area(B) == 4.5
    assert Point(0, 0) in count_board(Layout.empty(3)).shared
