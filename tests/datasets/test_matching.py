"""Holding reports against the truth: every way of being wrong must be noticed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.datasets.labelled import ExpectedAlert, Move
from kifuwatch.datasets.matching import (
    ReportedAlert,
    board_turn,
    corner_distances,
    match_alerts,
    match_moves,
    match_steps,
    turned_move,
    turned_point,
    wrong_points,
)

SQUARE = ((100.0, 100.0), (900.0, 100.0), (900.0, 900.0), (100.0, 900.0))  # 9 lines: a pitch is 100 pixels
SLANTED = ((300.0, 200.0), (700.0, 220.0), (950.0, 700.0), (40.0, 660.0))

BOARD = Layout.from_rows(["X..", ".O.", "..?"])


def moves(script: str) -> list[Move]:
    """``"B Q16, W D4, B pass"`` as moves."""
    made = []
    for words in filter(None, (part.strip() for part in script.split(","))):
        colour, at = words.split()
        made.append(Move(Colour(colour), None if at == "pass" else Point.parse(at)))
    return made


points = st.builds(Point, st.integers(0, 18), st.integers(0, 18))
layouts = st.text(alphabet=".XO?", min_size=25, max_size=25).map(lambda cells: Layout(5, cells))


class TestTurns:
    @given(layouts, st.integers(0, 4), st.integers(0, 4))
    def test_a_point_turns_with_its_board(self, layout: Layout, quarters: int, place: int) -> None:
        point = Point(place, 4 - quarters)
        assert layout.turned(quarters)[turned_point(point, 5, quarters)] == layout[point]

    @given(points)
    def test_four_quarters_are_none(self, point: Point) -> None:
        assert turned_point(turned_point(point, 19, 3), 19, 1) == point

    def test_a_pass_stays_a_pass(self) -> None:
        assert turned_move(Move(Colour.BLACK, None), 19, 2) == Move(Colour.BLACK, None)


class TestCorners:
    def test_the_true_corners_are_found_without_a_turn(self) -> None:
        assert board_turn(SLANTED, 19, SLANTED, 19) == 0

    @pytest.mark.parametrize("turn", [0, 1, 2, 3])
    def test_corners_and_text_turn_together(self, turn: int) -> None:
        """Turning the text clockwise by one quarter makes the old bottom left the new top left."""
        found = [SQUARE[(i - turn) % 4] for i in range(4)]
        assert board_turn(found, 9, SQUARE, 9) == turn
        assert wrong_points(BOARD.turned(turn), BOARD, turn) == []

    def test_text_turned_without_its_corners_is_wrong(self) -> None:
        assert wrong_points(BOARD.turned(1), BOARD, 0) != []

    @pytest.mark.parametrize(("shift", "found"), [(49.0, True), (51.0, False), (100.0, False)])
    def test_half_a_pitch_is_the_limit(self, shift: float, found: bool) -> None:
        off = [(x + shift, y) if i == 2 else (x, y) for i, (x, y) in enumerate(SQUARE)]
        assert (board_turn(off, 9, SQUARE, 9) is not None) is found

    def test_one_line_too_few_is_not_found(self) -> None:
        """A 17-line part of a 19-line board, presented as 19 lines."""
        inner = [(100 + 800 / 18, 100.0), (900.0, 100.0), (900.0, 900.0), (100 + 800 / 18, 900.0)]
        assert board_turn(inner, 19, SQUARE, 19) is None

    def test_another_size_is_not_found(self) -> None:
        assert board_turn(SQUARE, 13, SQUARE, 19) is None

    def test_mirrored_corners_are_not_a_turn(self) -> None:
        mirrored = [SQUARE[1], SQUARE[0], SQUARE[3], SQUARE[2]]
        assert board_turn(mirrored, 9, SQUARE, 9) is None

    def test_a_far_corner_is_judged_in_its_own_pitches(self) -> None:
        """10 pixels are little at the near edge of a slanted board and much at the far one."""
        small = tuple((x / 4, y / 4) for x, y in SLANTED)
        far = [(x + 4, y) if i == 0 else (x, y) for i, (x, y) in enumerate(small)]
        near = [(x + 4, y) if i == 3 else (x, y) for i, (x, y) in enumerate(small)]
        assert corner_distances(far, small, 19)[0] > corner_distances(near, small, 19)[0]

    def test_nonsense_is_infinitely_far(self) -> None:
        assert board_turn([(0.0, 0.0)] * 3 + [(float("nan"), 0.0)], 9, SQUARE, 9) is None


class TestReadings:
    def test_a_right_reading_has_no_wrong_point(self) -> None:
        assert wrong_points(Layout.from_rows(["X..", ".O.", "..X"]), BOARD, 0) == []

    @pytest.mark.parametrize(
        ("rows", "wrong"),
        [
            (["O..", ".O.", "..."], ["A3"]),
            (["X..", "...", "..."], ["B2"]),
            (["X.X", ".O.", "..."], ["C3"]),
            (["?..", ".O.", "..."], ["A3"]),
        ],
        ids=["wrong colour", "stone missed", "stone invented", "hidden although known"],
    )
    def test_every_kind_of_error_counts(self, rows: list[str], wrong: list[str]) -> None:
        assert [str(p) for p in wrong_points(Layout.from_rows(rows), BOARD, 0)] == wrong

    def test_wrong_points_are_named_in_the_text_that_was_read(self) -> None:
        read = BOARD.turned(1).replaced({Point.parse("A1"): "X"})
        assert [str(p) for p in wrong_points(read, BOARD, 1)] == ([] if BOARD.turned(1)[Point(0, 0)] == "?" else ["A1"])


GAME = moves("B R16, W D4, B P3, W C17, B C14")


class TestMoves:
    def test_the_game_itself_is_exact(self) -> None:
        match = match_moves(GAME, GAME, 19)
        assert (match.right, match.exact, match.turn) == (5, True, 0)

    @pytest.mark.parametrize("turn", [1, 2, 3])
    def test_a_game_seen_from_another_side_is_exact(self, turn: int) -> None:
        match = match_moves(GAME, [turned_move(move, 19, turn) for move in GAME], 19)
        assert match.exact
        assert match.turn == turn

    def test_moves_that_turn_one_by_one_are_not(self) -> None:
        reported = [turned_move(move, 19, i % 4) for i, move in enumerate(GAME)]
        assert not match_moves(GAME, reported, 19).exact

    @pytest.mark.parametrize(
        ("reported", "right"),
        [
            ("B R16, W D4, B P3, W C17", 4),
            ("B R16, W D4, B P3, W C17, B C14, W K10", 5),
            ("B R16, B P3, W D4, W C17, B C14", 4),
            ("B R16, W D4, B R3, W C17, B C14", 4),
            ("W R16, B D4, W P3, B C17, W C14", 0),
            ("", 0),
        ],
        ids=["last missing", "one too many", "two swapped", "one beside", "colours swapped", "nothing"],
    )
    def test_every_kind_of_fault_is_noticed(self, reported: str, right: int) -> None:
        match = match_moves(GAME, moves(reported), 19)
        assert not match.exact
        assert match.right == right

    def test_a_mirrored_game_is_not_the_game(self) -> None:
        mirrored = [Move(m.colour, None if m.at is None else Point(18 - m.at.col, m.at.row)) for m in GAME]
        assert not match_moves(GAME, mirrored, 19).exact

    def test_the_board_settles_which_of_two_turns_is_meant(self) -> None:
        tengen = moves("B K10")
        assert match_moves(tengen, tengen, 19, hint=2).turn == 2

    @given(st.lists(points, max_size=12, unique=True), st.lists(points, max_size=12, unique=True))
    def test_what_is_right_grows_in_both_lists(self, first: list[Point], second: list[Point]) -> None:
        match = match_moves([Move(Colour.BLACK, p) for p in first], [Move(Colour.BLACK, p) for p in second], 19)
        assert list(match.pairs) == sorted(set(match.pairs))
        assert match.right <= min(len(first), len(second))


class TestSteps:
    """Photographs of a game: several stones may have come between two of them."""

    STEPS = ([*moves("B Q16")], [*moves("W D4")], [*moves("W E15, W E5, W P5")], [*moves("B N7")])

    def test_the_order_within_a_step_is_free(self) -> None:
        reported = moves("B Q16, W D4, W P5, W E15, W E5, B N7")
        assert match_steps(self.STEPS, reported, 19).exact

    def test_the_order_of_the_steps_is_not(self) -> None:
        reported = moves("B Q16, W P5, W D4, W E15, W E5, B N7")
        assert not match_steps(self.STEPS, reported, 19).exact

    def test_passes_between_the_stones_do_not_count(self) -> None:
        reported = moves("B Q16, W D4, B pass, W E15, B pass, W E5, B pass, W P5, B N7")
        assert match_steps(self.STEPS, reported, 19).exact

    @pytest.mark.parametrize(
        "reported",
        [
            "B Q16, W D4, W E15, W E5, B N7",
            "B Q16, W D4, W E15, W E5, W P5, W P6, B N7",
            "B Q16, W D4, W E15, W E5, B P5, B N7",
        ],
        ids=["one missed", "one invented", "one of the wrong colour"],
    )
    def test_faults_are_noticed(self, reported: str) -> None:
        assert not match_steps(self.STEPS, moves(reported), 19).exact

    def test_a_fault_early_on_does_not_spoil_the_rest(self) -> None:
        reported = moves("W D4, W P5, W E15, W E5, B N7")
        assert match_steps(self.STEPS, reported, 19).right == 5


def alert(code: str, at: str, seconds: float, seen: float | None = None, level: str = "warning") -> ReportedAlert:
    """An alert that was reported."""
    where = frozenset(map(Point.parse, at.split()))
    return ReportedAlert(code, level, seconds, seconds if seen is None else seen, where)


MOVED = ExpectedAlert("moved-stone", 30.0, frozenset({Point.parse("D4"), Point.parse("E4")}))
BLOCKED = ExpectedAlert("view-blocked", 30.0, frozenset())


class TestAlerts:
    def test_the_right_alert_in_time_is_met(self) -> None:
        match = match_alerts([MOVED], [alert("moved-stone", "E4", 29.5, 33.0)], 19, 0)
        assert (match.met, match.missed, match.false) == ((MOVED,), (), ())

    @pytest.mark.parametrize(
        "wrong",
        [
            alert("takeback", "E4", 30.0),
            alert("moved-stone", "Q16", 30.0),
            alert("moved-stone", "", 30.0),
            alert("moved-stone", "E4", 28.5),
            alert("moved-stone", "E4", 46.0),
            alert("moved-stone", "E4", 30.0, 46.0),
        ],
        ids=["another code", "another point", "no point", "too early", "too late", "said too late"],
    )
    def test_a_wrong_alert_is_false_and_the_right_one_missed(self, wrong: ReportedAlert) -> None:
        match = match_alerts([MOVED], [wrong], 19, 0)
        assert (match.met, match.missed, match.false) == ((), (MOVED,), (wrong,))

    def test_where_no_point_is_expected_none_is_asked(self) -> None:
        assert match_alerts([BLOCKED], [alert("view-blocked", "", 31.0)], 19, 0).met == (BLOCKED,)
        assert match_alerts([BLOCKED], [alert("view-blocked", "A1", 31.0)], 19, 0).met == (BLOCKED,)

    def test_points_turn_with_the_board(self) -> None:
        there = turned_point(Point.parse("D4"), 19, 1)
        assert match_alerts([MOVED], [alert("moved-stone", str(there), 30.0)], 19, 1).met == (MOVED,)
        assert match_alerts([MOVED], [alert("moved-stone", str(there), 30.0)], 19, 0).met == ()

    def test_notices_are_neither_met_nor_false(self) -> None:
        match = match_alerts([MOVED], [alert("moved-stone", "E4", 30.0, level="info")], 19, 0)
        assert (match.met, match.false) == ((), ())

    def test_a_notice_is_enough_where_one_is_expected(self) -> None:
        bumped = ExpectedAlert("board-moved", 30.0, frozenset(), notice=True)
        for level in ("info", "warning"):
            match = match_alerts([bumped], [alert("board-moved", "", 30.5, level=level)], 19, 0)
            assert (match.met, match.false) == ((bumped,), ()), level
        assert match_alerts([bumped], [], 19, 0).missed == (bumped,)

    def test_what_is_said_twice_is_not_false(self) -> None:
        match = match_alerts([MOVED], [alert("moved-stone", "E4", 30.0), alert("moved-stone", "D4", 35.0)], 19, 0)
        assert (len(match.met), match.false) == (1, ())


def test_a_board_seen_from_low_down_whose_horizon_cuts_the_picture_is_judged_by_its_corners() -> None:
    # Seen along its diagonal from close by: the picture's own corner lies beyond the horizon of the board.
    true = ((200.0, 300.0), (900.0, 260.0), (1500.0, 420.0), (500.0, 900.0))
    nearly = [(x + 1.0, y - 1.0) for x, y in true]
    assert board_turn(nearly, 19, true, 19) == 0
    assert board_turn([nearly[3], *nearly[:3]], 19, true, 19) == 1
    assert board_turn([(x + 60.0, y) for x, y in true], 19, true, 19) is None
