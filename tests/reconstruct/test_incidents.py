"""The ambiguous situations of real play, each as a board and a script of what hands do on it: 14 to 28.

The numbers are those of the list of 28 in the rules reference. Those that lie outside the lines (bowls, lids, end
signals, the clock) never reach the reconstructor.
"""

from __future__ import annotations

from tests.reconstruct.script import EMPTY_9, FOUR_IN_ATARI, place, remove, slide, watch
from tests.reconstruct.stage import QUIET, Noise, moves

# White has just to take at D5; Black may not take back at E5 at once.
KO = """
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . X O . . . .
. . X . X O . . .
. . . X O . . . .
. . . . . . . . .
. . X . . . O . .
. . . . . . . . .
"""


def test_14_a_sleeve_moves_an_older_stone_to_the_next_point(seed: int) -> None:
    seen = watch(
        EMPTY_9,
        moves("B C3, W G7, B E5, W G3", 1.6),
        slide(8.5, "C3", "C4", "B", by="W"),
        moves("B C7, W E7", 11.0),
        seed=seed,
    )
    assert seen.moves == ["B C3", "W G7", "B E5", "W G3", "B C7", "W E7"]
    assert seen.codes == ["moved-stone C3 C4"]
    assert seen.final.rules_board != seen.final.board


def test_14_a_stone_is_knocked_off_the_board(seed: int) -> None:
    seen = watch(
        EMPTY_9, moves("B C3, W G7, B E5, W G3", 1.6), remove(8.5, "C3", by="W"), moves("B C7, W E7", 11.5), seed=seed
    )
    assert seen.moves == ["B C3", "W G7", "B E5", "W G3", "B C7", "W E7"]
    assert seen.codes == ["stone-vanished C3"]


def test_14_many_stones_are_swept_away(seed: int) -> None:
    swept = [
        slide(10.0, "C3", "C4", "B"),
        slide(10.0, "D3", "D4", "W"),
        slide(10.1, "E3", "F4", "B"),
        slide(10.1, "F3", "G5", "W"),
    ]
    seen = watch(EMPTY_9, moves("B C3, W D3, B E3, W F3, B E7, W G7", 1.6, 1.3), swept, duration=20.0, seed=seed)
    assert len(seen.moves) == 6
    assert [a.code for a in seen.alerts] == ["scattered-board"]


def test_15_a_ko_taken_back_at_once(seed: int) -> None:
    seen = watch(
        KO,
        place(1.6, "W D5"),
        remove(2.4, "E5", by="W"),
        place(4.4, "B E5"),
        remove(5.2, "D5"),
        moves("W G7, B C7", 8.0),
        seed=seed,
    )
    assert seen.moves == ["W D5", "B E5", "W G7", "B C7"]
    assert seen.codes == ["ko-violation D5 E5"]
    assert seen.standing[1].faults == ("ko",)


def test_15_a_ko_taken_back_after_a_threat(seed: int) -> None:
    seen = watch(
        KO,
        place(1.6, "W D5"),
        remove(2.4, "E5", by="W"),
        moves("B G7, W C7", 4.0),
        place(7.0, "B E5"),
        remove(7.8, "D5"),
        seed=seed,
    )
    assert seen.moves == ["W D5", "B G7", "W C7", "B E5"]
    assert seen.alerts == []


def test_16_the_same_colour_twice_is_a_question(seed: int) -> None:
    seen = watch(EMPTY_9, moves("B C3, W G7, B E5", 1.6), place(7.5, "B G3"), moves("W C7, B E7", 10.5), seed=seed)
    assert seen.moves == ["B C3", "W G7", "B E5", "B G3", "W C7", "B E7"]
    assert seen.codes == ["two-moves E5 G3"]


def test_16_a_stone_of_the_wrong_colour_dropped_by_the_other_hand(seed: int) -> None:
    seen = watch(
        EMPTY_9, moves("B C3, W G7, B E5", 1.6), place(7.5, "B G3", by="W"), moves("W C7, B E7", 10.5), seed=seed
    )
    assert seen.moves == ["B C3", "W G7", "B E5", "W C7", "B E7"]
    assert seen.codes == ["stone-appeared G3"]


FULL_GAME = "B C3, W G7, B C7, W G3, B E5, W E3, B E7, W C5, B G5, W D4, B D6, W F6"


def test_19_moves_taken_back_one_by_one_after_the_game_leave_the_record_alone(seed: int) -> None:
    back = remove(22.0, "F6", "D6", "D4", "G5", "C5", "E7", step=1.2)
    seen = watch(EMPTY_9, moves(FULL_GAME, 1.6), back, seed=seed)
    assert ", ".join(seen.moves) == FULL_GAME
    assert seen.alerts == []


def test_20_many_stones_moved_for_counting_is_asked_once(seed: int) -> None:
    moved = [
        slide(22.0 + 0.2 * k, a, b, c)
        for k, (a, b, c) in enumerate(
            [
                ("C3", "A1", "B"),
                ("C7", "A2", "B"),
                ("E5", "A3", "B"),
                ("E7", "A4", "B"),
                ("G5", "A5", "B"),
                ("D6", "A6", "B"),
            ]
        )
    ]
    seen = watch(EMPTY_9, moves(FULL_GAME, 1.6), moved, duration=40.0, seed=seed)
    assert ", ".join(seen.moves) == FULL_GAME
    assert [a.code for a in seen.alerts] == ["scattered-board"]


def test_21_the_board_is_cleared(seed: int) -> None:
    seen = watch(
        EMPTY_9,
        moves(FULL_GAME, 1.6),
        remove(22.0, *[m.split()[1] for m in FULL_GAME.split(", ")], step=0.25),
        duration=45.0,
        seed=seed,
    )
    assert ", ".join(seen.moves) == FULL_GAME
    assert seen.alerts == []


def test_23_the_first_stone_is_white(seed: int) -> None:
    seen = watch(EMPTY_9, moves("W C3, B G7, W E5", 1.6), seed=seed)
    assert seen.moves == ["W C3", "B G7", "W E5"]
    assert seen.alerts == []


def test_23_handicap_stones_are_put_down_one_by_one(seed: int) -> None:
    seen = watch(EMPTY_9, moves("B C3, B G7, B G3, W E5, B C7", 1.6, 2.5), seed=seed)
    assert seen.moves == ["W E5", "B C7"]
    assert {str(p) for p in seen.setups[-1].black} == {"C3", "G7", "G3"}
    assert seen.alerts == []


def test_24_a_board_met_in_the_middle_of_a_game(seed: int) -> None:
    seen = watch(FOUR_IN_ATARI, moves("W G7, B H3", 1.6), seed=seed)
    assert len(seen.setups[0].black) == 7
    assert len(seen.setups[0].white) == 6
    assert seen.moves == ["W G7", "B H3"]
    assert seen.alerts == []


def test_25_a_reflection_of_a_moment_is_nothing(seed: int) -> None:
    flash = [{"t": 6.0, "do": "swap", "at": "G3", "now": "O"}, {"t": 6.25, "do": "swap", "at": "G3", "now": "."}]
    seen = watch(EMPTY_9, moves("B C3, W G7", 1.6), flash, moves("B C7", 8.0), seed=seed)
    assert seen.moves == ["B C3", "W G7", "B C7"]
    assert seen.alerts == []


def test_26_a_stone_cannot_change_its_colour(seed: int) -> None:
    seen = watch(
        EMPTY_9, moves("B C3, W G7", 1.6), {"t": 6.0, "do": "swap", "at": "G7", "now": "X"}, duration=12.0, seed=seed
    )
    assert seen.moves == ["B C3", "W G7"]
    assert seen.codes == ["uncertain-reading G7"]
    assert seen.final.rules_board != seen.final.board


def test_26_and_when_it_is_read_right_again_nothing_has_happened(seed: int) -> None:
    glare = [{"t": 6.0, "do": "swap", "at": "G7", "now": "X"}, {"t": 8.0, "do": "swap", "at": "G7", "now": "O"}]
    seen = watch(EMPTY_9, moves("B C3, W G7", 1.6), glare, moves("B C7", 9.5), seed=seed)
    assert seen.moves == ["B C3", "W G7", "B C7"]
    assert seen.alerts == []


def test_27_a_board_out_of_view_for_some_seconds_is_taken_up_again(seed: int) -> None:
    seen = watch(
        EMPTY_9,
        moves("B C3, W G7", 1.6),
        {"t": 4.5, "do": "cover", "share": 1.0, "for": 4.0},
        moves("B C7", 10.0),
        seed=seed,
    )
    assert seen.moves == ["B C3", "W G7", "B C7"]
    assert seen.alerts == []


def test_a_view_blocked_for_long_is_told_once_and_nothing_invented(seed: int) -> None:
    seen = watch(
        EMPTY_9,
        moves("B C3, W G7", 1.6),
        {"t": 5.0, "do": "cover", "share": 0.5, "for": 25.0},
        place(14.0, "B G3"),
        moves("W C7", 33.0),
        seed=seed,
    )
    assert seen.moves == ["B C3", "W G7", "B G3", "W C7"]
    assert [a.code for a in seen.alerts] == ["view-blocked"]
    assert 14.5 <= seen.alerts[0].t <= 16.5


def test_a_stone_where_no_liberty_is_left(seed: int) -> None:
    eye = """
    . . . . . . . . .
    . . . . . . . . .
    . . . . . . . . .
    . . . O O . . . .
    . . O . X O . . .
    . . . O O . . . .
    . . . . . . . . .
    . . X . . . X . .
    . . . . . . . . .
    """
    seen = watch(eye, place(1.6, "W G7"), place(3.4, "B D5"), moves("W C7", 8.0), seed=seed)
    assert seen.moves == ["W G7", "B D5", "W C7"]
    assert seen.codes == ["forbidden-point D5"]


def test_a_heavier_noise_invents_nothing() -> None:
    rough = Noise(flip=0.004, edge=0.15, leak=0.08, false_cover=0.01)
    seen = watch(EMPTY_9, moves(FULL_GAME, 1.6), noise=rough, duration=60.0)
    assert ", ".join(seen.moves) == FULL_GAME
    assert seen.alerts == []


def test_a_quiet_board_stays_quiet() -> None:
    seen = watch(FOUR_IN_ATARI, duration=60.0, noise=QUIET)
    assert seen.moves == []
    assert seen.alerts == []


def test_14_a_swept_board_is_put_right_and_the_game_goes_on(seed: int) -> None:
    swept = [
        slide(10.0, a, b, c) for a, b, c in (("C3", "C4", "B"), ("D3", "D4", "W"), ("E3", "F4", "B"), ("F3", "G5", "W"))
    ]
    back = [
        slide(16.0 + 1.5 * k, b, a, c)
        for k, (a, b, c) in enumerate((("C3", "C4", "B"), ("D3", "D4", "W"), ("E3", "F4", "B"), ("F3", "G5", "W")))
    ]
    seen = watch(
        EMPTY_9,
        moves("B C3, W D3, B E3, W F3, B E7, W G7", 1.6, 1.3),
        swept,
        back,
        moves("B C7, W G2", 25.0),
        seed=seed,
    )
    assert seen.moves == ["B C3", "W D3", "B E3", "W F3", "B E7", "W G7", "B C7", "W G2"]
    assert [a.code for a in seen.alerts] == ["scattered-board"]
    assert seen.final.board == seen.final.rules_board


def test_16_two_moves_in_quick_play(seed: int) -> None:
    seen = watch(EMPTY_9, moves("B C3, W G7, B E5, B G3, W C7, B E7", 1.6, 1.3), seed=seed)
    assert seen.moves == ["B C3", "W G7", "B E5", "B G3", "W C7", "B E7"]
    assert seen.codes == ["two-moves E5 G3"]


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
