"""The ambiguous situations of real play, each as a board and a script of what hands do on it: 1 to 13.

The numbers are those of the list of 28 in the rules reference.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.reconstruct import Reconstructor
from tests.reconstruct.script import EMPTY_9, FOUR_IN_ATARI, board, place, remove, slide, watch
from tests.reconstruct.stage import QUIET, Report, Stage, moves


def test_01_a_stone_pushed_straight_is_no_event(seed: int) -> None:
    seen = watch(
        EMPTY_9,
        place(1.6, "B E5", offset=[0.3, 0.2]),
        {"t": 3.4, "do": "nudge", "at": "E5", "offset": [0, 0]},
        moves("W C3, B G7", 5.0),
        seed=seed,
    )
    assert seen.moves == ["B E5", "W C3", "B G7"]
    assert seen.alerts == []


def test_01_a_stone_slid_on_before_the_hand_leaves_is_played_where_it_ends(seed: int) -> None:
    seen = watch(
        EMPTY_9,
        moves("B C3, W G3", 1.6),
        place(4.6, "B E5", stay=0.4),
        slide(5.2, "E5", "E6", "B"),
        moves("W C7, B G7", 7.4),
        seed=seed,
    )
    assert seen.moves == ["B C3", "W G3", "B E6", "W C7", "B G7"]
    assert seen.alerts == []


def test_a_look_too_short_for_anything_to_settle_is_still_a_position() -> None:
    seen = watch(FOUR_IN_ATARI, duration=1 / 8, fps=8.0, noise=QUIET)
    lying = Layout.from_rows(board(FOUR_IN_ATARI).split("\n"))
    assert (seen.final.board, seen.final.rules_board) == (lying, lying)
    assert [(len(setup.black), len(setup.white)) for setup in seen.setups] == [(7, 6)]
    assert (seen.moves, seen.alerts) == ([], [])


def test_a_short_look_at_a_covered_board_says_nothing() -> None:
    seen = watch(FOUR_IN_ATARI, {"t": 0, "do": "cover", "for": 1, "share": 1.2}, duration=1 / 8, noise=QUIET)
    assert seen.final.board == Layout(9, "?" * 81)
    assert (seen.setups, seen.moves, seen.alerts) == ([], [], [])


def test_02_03_stones_off_their_points_still_belong_to_them(seed: int) -> None:
    bulging = [
        place(1.6 + 1.4 * k, f"{'BW'[k % 2]} {c}5", offset=[0.05 * k - 0.2, 0]) for k, c in enumerate("ABCDEFGHJ")
    ]
    seen = watch(EMPTY_9, bulging, seed=seed)
    assert seen.moves == [f"{'BW'[k % 2]} {c}5" for k, c in enumerate("ABCDEFGHJ")]
    assert seen.alerts == []


def test_04_captured_stones_may_come_off_slowly(seed: int) -> None:
    seen = watch(
        FOUR_IN_ATARI,
        place(1.6, "B F5"),
        remove(2.6, "D5", "E5", "D6", "E6", step=2.0),
        moves("W G7, B C7", 11.0),
        seed=seed,
    )
    assert seen.moves == ["B F5", "W G7", "B C7"]
    assert seen.alerts == []
    assert [str(p) for p in seen.standing[0].captures] == ["D6", "E6", "D5", "E5"]
    assert seen.final.board == seen.final.rules_board


def test_05_captured_stones_may_come_off_before_the_stone_that_takes_them(seed: int) -> None:
    seen = watch(
        FOUR_IN_ATARI,
        remove(1.6, "D5", "E5", "D6", "E6", step=0.8),
        place(6.0, "B F5"),
        moves("W G7, B C7", 8.0),
        seed=seed,
    )
    assert seen.moves == ["B F5", "W G7", "B C7"]
    assert seen.alerts == []


def test_05_and_when_no_stone_follows_they_were_taken_wrongly(seed: int) -> None:
    seen = watch(FOUR_IN_ATARI, remove(1.6, "D5", "E5", "D6", "E6"), place(17.5, "B H3"), seed=seed)
    assert seen.codes == ["wrong-capture D5 D6 E5 E6"]
    assert seen.moves == ["B H3"]


def test_06_the_opponent_may_take_off_his_own_stones(seed: int) -> None:
    seen = watch(
        FOUR_IN_ATARI,
        place(1.6, "B F5"),
        remove(2.8, "D5", "E5", "D6", "E6", by="W"),
        moves("W G7, B C7", 6.4),
        seed=seed,
    )
    assert seen.moves == ["B F5", "W G7", "B C7"]
    assert seen.alerts == []


def test_07_captured_stones_left_lying_when_the_next_stone_comes(seed: int) -> None:
    seen = watch(FOUR_IN_ATARI, place(1.6, "B F5"), place(4.0, "W G7"), place(6.0, "B C7"), seed=seed)
    assert seen.moves == ["B F5", "W G7", "B C7"]
    assert seen.codes == ["missed-capture D5 D6 E5 E6"]
    assert abs(seen.alerts[0].t - 4.0) < 1.0
    assert seen.final.board[Point.parse("D5")] == "O"
    assert seen.final.rules_board.points("O") != seen.final.board.points("O")


def test_07_some_of_them_left_lying(seed: int) -> None:
    seen = watch(
        FOUR_IN_ATARI, place(1.6, "B F5"), remove(2.8, "D5", "E5"), place(4.9, "W G7"), duration=14.0, seed=seed
    )
    assert seen.moves == ["B F5", "W G7"]
    assert seen.codes == ["missed-capture D6 E6"]


def test_07_left_lying_for_long(seed: int) -> None:
    seen = watch(FOUR_IN_ATARI, place(1.6, "B F5"), duration=20.0, seed=seed)
    assert seen.codes == ["missed-capture D5 D6 E5 E6"]
    assert 15.0 <= seen.alerts[0].t <= 18.5


# D5 and E5 are captured by F5; C3 and D3 belong to another white chain, with liberties.
TOO_MANY = """
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . X X . . . .
. . X O O . . . .
. . . X X . . . .
. . O O . . . . .
. . . . . . O . .
. . . . . . . . .
"""


def test_08_stones_with_liberties_taken_along(seed: int) -> None:
    seen = watch(TOO_MANY, place(1.6, "B F5"), remove(2.6, "D5", "E5", "D3", "C3"), place(9.0, "W G7"), seed=seed)
    assert seen.moves == ["B F5", "W G7"]
    assert seen.codes == ["wrong-capture C3 D3"]
    assert seen.final.board != seen.final.rules_board


def test_08_and_put_back_when_noticed(seed: int) -> None:
    seen = watch(
        TOO_MANY,
        place(1.6, "B F5"),
        remove(2.6, "D5", "E5", "D3"),
        place(4.9, "W D3", by="B"),
        moves("W G7, B C7", 7.0),
        seed=seed,
    )
    assert seen.moves == ["B F5", "W G7", "B C7"]
    assert seen.alerts == []


def test_09_a_prisoner_dropped_and_picked_up_again(seed: int) -> None:
    seen = watch(
        TOO_MANY,
        place(1.6, "B F5"),
        remove(2.6, "D5", "E5"),
        place(5.0, "B H8", by="B", stay=0.1),
        remove(6.4, "H8"),
        moves("W G7, B C7", 8.4),
        seed=seed,
    )
    assert seen.moves == ["B F5", "W G7", "B C7"]
    assert seen.alerts == []


def test_10_two_stones_come_into_view_together(seed: int) -> None:
    seen = watch(
        EMPTY_9,
        moves("B C3, W G7", 1.6),
        {"t": 4.0, "do": "cover", "share": 0.7, "for": 5.0},
        place(5.5, "B G3"),
        place(7.5, "W H5"),
        moves("B C7", 11.0),
        seed=seed,
    )
    assert seen.moves == ["B C3", "W G7", "B G3", "W H5", "B C7"]
    assert seen.alerts == []
    assert [m.inferred for m in seen.standing] == [False, False, True, True, False]


def test_10_six_stones_with_a_capture_among_them(seed: int) -> None:
    seen = watch(
        FOUR_IN_ATARI,
        {"t": 1.0, "do": "cover", "share": 1.0, "for": 9.0},
        moves("B F5, W C4, B B4", 2.0, 1.2),
        remove(3.0, "D5", "E5", "D6", "E6", step=0.1),
        moves("W G7, B C7, W G4", 6.0, 1.2),
        to_play=Colour.BLACK,
        seed=seed,
    )
    assert sorted(seen.moves) == sorted(["B F5", "W C4", "B B4", "W G7", "B C7", "W G4"])
    assert [m[0] for m in seen.moves] == ["B", "W", "B", "W", "B", "W"]
    assert all(m.inferred for m in seen.standing)
    assert seen.alerts == []
    assert seen.final.board == seen.final.rules_board


# White at A1 would be captured by B1 at once.
CORNER = """
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
X . . . . . . . .
. . . . . . O . .
"""


def test_11_a_stone_played_and_captured_before_it_was_seen(seed: int) -> None:
    seen = watch(
        CORNER,
        place(1.6, "B G7"),
        {"t": 3.0, "do": "cover", "share": 1.0, "for": 5.0},
        place(4.0, "W A1"),
        place(5.4, "B B1"),
        remove(6.2, "A1"),
        moves("W C7, B C5", 10.0),
        seed=seed,
    )
    assert seen.moves == ["B G7", "W A1", "B B1", "W C7", "B C5"]
    assert seen.alerts == []
    assert seen.standing[1].inferred


def test_12_a_hand_hesitates_over_the_board(seed: int) -> None:
    seen = watch(
        EMPTY_9,
        moves("B C3, W G7", 1.6),
        {"t": 4.6, "do": "hover", "near": "E5", "for": 2.5, "by": "B"},
        moves("B G3, W C7", 8.5),
        seed=seed,
    )
    assert seen.moves == ["B C3", "W G7", "B G3", "W C7"]
    assert seen.alerts == []


def test_12_a_stone_put_down_and_taken_up_at_once(seed: int) -> None:
    seen = watch(
        EMPTY_9,
        moves("B C3, W G7", 1.6),
        place(4.6, "B E5", stay=0.2),
        remove(5.6, "E5"),
        moves("B G3, W C7", 8.5),
        seed=seed,
    )
    assert seen.moves == ["B C3", "W G7", "B G3", "W C7"]
    assert seen.alerts == []


def test_13_a_stone_taken_back_and_played_elsewhere(seed: int) -> None:
    seen = watch(
        EMPTY_9,
        moves("B C3, W G7", 1.6),
        place(4.6, "B E5"),
        remove(7.4, "E5"),
        place(8.6, "B G3"),
        moves("W C7", 11.0),
        seed=seed,
    )
    assert seen.moves == ["B C3", "W G7", "B G3", "W C7"]
    assert seen.codes == ["takeback E5 G3"]
    assert [r.number for r in seen.retracts] == [3]


def test_13_a_stone_that_fell_and_is_played_elsewhere(seed: int) -> None:
    """It lies nearly between two points: a stone that is put down does not."""
    seen = watch(
        EMPTY_9,
        moves("B C3, W G7", 1.6),
        place(4.6, "B E5", offset=[0.36, 0.12]),
        remove(7.4, "E5"),
        place(8.6, "B G3"),
        moves("W C7", 11.0),
        seed=seed,
    )
    assert seen.moves == ["B C3", "W G7", "B G3", "W C7"]
    assert seen.codes == ["dropped-stone E5 G3"]


def test_13_a_stone_taken_up_and_put_back_on_its_point(seed: int) -> None:
    seen = watch(
        EMPTY_9,
        moves("B C3, W G7", 1.6),
        place(4.6, "B E5"),
        remove(7.4, "E5"),
        place(9.5, "B E5"),
        moves("W C7", 12.0),
        seed=seed,
    )
    assert seen.moves == ["B C3", "W G7", "B E5", "W C7"]
    assert seen.alerts == []
    assert seen.retracts == []


def test_02_a_stone_between_two_points_is_a_question(seed: int) -> None:
    seen = watch(
        EMPTY_9, moves("B C3, W G7", 1.6), place(4.6, "B E5", offset=[0.46, 0.05]), moves("W C7", 9.0), seed=seed
    )
    assert seen.moves == ["B C3", "W G7", "B E5", "W C7"]
    assert seen.codes == ["off-point E5 F5"]


def test_02_and_none_when_it_is_pushed_straight(seed: int) -> None:
    straight = {"t": 6.4, "do": "nudge", "at": "E5", "offset": [0.05, 0.0], "by": "B"}
    seen = watch(
        EMPTY_9, moves("B C3, W G7", 1.6), place(4.6, "B E5", offset=[0.46, 0.05]), straight, duration=14.0, seed=seed
    )
    assert seen.moves == ["B C3", "W G7", "B E5"]
    assert seen.alerts == []


def test_stones_hidden_at_the_start_belong_to_the_first_position() -> None:
    """A hand rests on a corner while the first moves are played; what it hid had always been there."""
    setup = Layout.empty(9).replaced({Point(0, 0): "X", Point(1, 1): "X", Point(1, 0): "O"})
    stage = Stage(9, setup, moves("B E5, W G7, B C7"), noise=QUIET)
    corner = np.zeros((9, 9), dtype=bool)
    corner[7:, :2] = True
    watcher, events = Reconstructor(9), []
    for seen in stage.observations():
        hidden = seen.covered | corner if seen.time.seconds < 5.5 else seen.covered
        events += watcher.see(replace(seen, covered=hidden))
    events += watcher.finish(stage.end)
    report = Report(events)
    assert report.moves == ["B E5", "W G7", "B C7"]
    assert report.alerts == []
    assert {str(point) for point in report.setups[-1].black} == {"A1", "B2"}
    assert {str(point) for point in report.setups[-1].white} == {"B1"}


def test_03_a_full_line_pushed_wide_by_its_stones_moves_none_of_them(seed: int) -> None:
    """Stones are wider than the short pitch: each new one pushes its neighbours a little farther outwards."""
    line = [place(1.6 + 1.4 * k, f"{'BW'[k % 2]} {c}5") for k, c in enumerate("ABCDEFGHJ")]
    pushed = [
        {"t": 1.6 + 1.4 * k, "do": "nudge", "at": f"{c}5", "offset": [0.07 * (i - 4) / 4 * k, 0.0]}
        for k in range(1, 9)
        for i, c in enumerate("ABCDEFGHJ"[:k])
    ]
    seen = watch(EMPTY_9, line, pushed, seed=seed)
    assert seen.moves == [f"{'BW'[k % 2]} {c}5" for k, c in enumerate("ABCDEFGHJ")]
    assert seen.alerts == []


def test_09_a_captured_stone_put_back_and_left_there_is_a_question(seed: int) -> None:
    seen = watch(
        TOO_MANY,
        place(1.6, "B F5"),
        remove(2.6, "D5", "E5"),
        place(5.0, "W E5", by="B"),
        moves("W G7, B C7", 10.0),
        seed=seed,
    )
    assert seen.moves == ["B F5", "W G7", "B C7"] or seen.moves == ["B F5", "W E5", "W G7", "B C7"]
    assert [a.code for a in seen.alerts] in (["stone-appeared"], ["forbidden-point"], ["two-moves"])
    assert "E5" in {str(p) for a in seen.alerts for p in a.at}


def test_10_an_order_that_nobody_saw_is_said_to_be_inferred(seed: int) -> None:
    seen = watch(
        EMPTY_9,
        {"t": 1.5, "do": "cover", "share": 1.0, "for": 6.0},
        moves("B G3, W B5, B G7, W B2", 2.5, 1.2),
        moves("B D5", 10.0),
        seed=seed,
        to_play=Colour.BLACK,
    )
    assert sorted(seen.moves[:4]) == ["B G3", "B G7", "W B2", "W B5"]
    assert [m.inferred for m in seen.standing] == [True] * 4 + [False]


def test_11_a_stone_gone_without_any_stone_that_could_have_taken_it_is_asked_for(seed: int) -> None:
    seen = watch(
        EMPTY_9,
        moves("B C3, W G7, B E5, W G3", 1.6),
        {"t": 7.4, "do": "cover", "share": 1.0, "for": 4.0},
        remove(9.0, "C3"),
        moves("B C7", 14.0),
        seed=seed,
    )
    assert seen.moves == ["B C3", "W G7", "B E5", "W G3", "B C7"]
    assert seen.codes == ["stone-vanished C3"]


def test_12_a_stone_held_over_a_point_is_not_played(seed: int) -> None:
    """Between two fingers it looks like a stone on the board, half a second long."""
    held = {"t": 4.9, "do": "misread", "at": "E5", "now": "X", "for": 0.5, "sure": 0.95}
    hand = {"t": 4.6, "do": "hover", "near": "E4", "for": 1.5, "by": "B"}
    seen = watch(EMPTY_9, moves("B C3, W G7", 1.6), hand, held, moves("B G3, W C7", 8.5), seed=seed)
    assert seen.moves == ["B C3", "W G7", "B G3", "W C7"]
    assert seen.alerts == []


def test_13_a_quick_takeback(seed: int) -> None:
    seen = watch(
        EMPTY_9,
        moves("B C3, W G7", 1.6),
        place(4.6, "B E5"),
        remove(6.6, "E5"),
        place(7.4, "B G3"),
        moves("W C7", 9.5),
        seed=seed,
    )
    assert seen.moves == ["B C3", "W G7", "B G3", "W C7"]
    assert seen.codes == ["takeback E5 G3"]
