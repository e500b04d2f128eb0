"""The ambiguous situations of real play, each as a board and a script of what hands do on it: 14 to 22.

The numbers are those of the list of 28 in the rules reference.
"""

from __future__ import annotations

from kifuwatch.core.points import Colour
from kifuwatch.reconstruct import Event, Incident, Reconstructor
from tests.reconstruct.script import EMPTY_9, place, played, remove, slide, stage_of, watch
from tests.reconstruct.stage import moves

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


def test_14_a_swept_stone_that_was_taken_for_a_move_is_told_with_the_others(seed: int) -> None:
    in_doubt = {"t": 10.0, "do": "misread", "at": "E7", "now": "O", "for": 4.0, "sure": 0.5}
    swept = [
        slide(10.0, "E7", "C8", "B"),
        slide(11.3, "C3", "C4", "B"),
        slide(11.3, "D3", "D4", "W"),
        slide(11.4, "E3", "F4", "B"),
        slide(11.4, "F3", "G5", "W"),
    ]
    line = moves("B C3, W D3, B E3, W F3, B E7, W G7", 1.6, 1.3)
    seen = watch(EMPTY_9, line, in_doubt, swept, duration=24.0, seed=seed)
    assert len(seen.moves) == 6
    assert {a.code for a in seen.alerts} == {"scattered-board"}
    told = {str(point) for point in seen.alerts[-1].at}
    assert told == {"E7", "C8", "C3", "C4", "D3", "D4", "E3", "F4", "F3", "G5"}


def test_14_stones_bumped_within_their_points_are_no_event(seed: int) -> None:
    bumped = [
        {"t": 8.0 + 0.05 * k, "do": "nudge", "at": at, "offset": [0.3, 0.15]} for k, at in enumerate(("C3", "E5", "G3"))
    ]
    seen = watch(EMPTY_9, moves("B C3, W G7, B E5, W G3", 1.6), bumped, moves("B C7, W E7", 10.5), seed=seed)
    assert seen.moves == ["B C3", "W G7", "B E5", "W G3", "B C7", "W E7"]
    assert [c for c in seen.codes if not c.startswith("off-point")] == []


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


def test_15_a_ko_may_be_taken_back_after_a_pass() -> None:
    script = [place(1.6, "W D5"), remove(2.4, "E5", by="W"), place(8.0, "B E5"), remove(8.8, "D5")]
    stage = stage_of(KO, script)
    report = played(stage, lambda watcher, now: watcher.passed(now, Colour.BLACK) if now == 5.0 else [])
    # Black passed; so White, not Black, is in turn at E5: what stands there is for the arbiter.
    assert report.moves[:2] == ["W D5", "B pass"]
    after = [place(6.0, "W G7"), place(8.0, "B E5"), remove(8.8, "D5")]
    stage = stage_of(KO, [*script[:2], *after])
    report = played(stage, lambda watcher, now: watcher.passed(now, Colour.BLACK) if now == 5.0 else [])
    assert report.moves == ["W D5", "B pass", "W G7", "B E5"]
    assert report.alerts == []


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


def test_16_the_same_colour_twice_is_a_question(seed: int) -> None:
    seen = watch(EMPTY_9, moves("B C3, W G7, B E5", 1.6), place(7.5, "B G3"), moves("W C7, B E7", 10.5), seed=seed)
    assert seen.moves == ["B C3", "W G7", "B E5", "B G3", "W C7", "B E7"]
    assert seen.codes == ["two-moves E5 G3"]


def test_16_two_moves_in_quick_play(seed: int) -> None:
    seen = watch(EMPTY_9, moves("B C3, W G7, B E5, B G3, W C7, B E7", 1.6, 1.3), seed=seed)
    assert seen.moves == ["B C3", "W G7", "B E5", "B G3", "W C7", "B E7"]
    assert seen.codes == ["two-moves E5 G3"]


def test_16_a_stone_of_the_wrong_colour_dropped_by_the_other_hand(seed: int) -> None:
    seen = watch(
        EMPTY_9, moves("B C3, W G7, B E5", 1.6), place(7.5, "B G3", by="W"), moves("W C7, B E7", 10.5), seed=seed
    )
    assert seen.moves == ["B C3", "W G7", "B E5", "W C7", "B E7"]
    assert seen.codes == ["stone-appeared G3"]


def test_16_a_pass_that_was_said_makes_two_stones_of_a_colour_legal() -> None:
    stage = stage_of(EMPTY_9, [*moves("B C3, W G7, B E5", 1.6), place(9.0, "B G3"), *moves("W C7", 11.0)])
    report = played(stage, lambda watcher, now: watcher.passed(now, Colour.WHITE) if now == 7.0 else [])
    assert report.moves == ["B C3", "W G7", "B E5", "W pass", "B G3", "W C7"]
    assert report.alerts == []


def test_16_22_a_clock_pressed_without_a_stone_proposes_a_pass() -> None:
    stage = stage_of(EMPTY_9, [*moves("B C3, W G7, B E5", 1.6), place(9.0, "B G3"), *moves("W C7", 11.0)])
    report = played(stage, lambda watcher, now: watcher.press(now, Colour.WHITE) if now == 7.0 else [])
    assert report.moves == ["B C3", "W G7", "B E5", "W pass", "B G3", "W C7"]
    assert report.alerts == []
    assert [e.facts["question"] for e in report.events if isinstance(e, Incident)] == ["a pass?"]
    assert report.standing[3].inferred


def test_22_a_clock_pressed_after_each_stone_changes_nothing() -> None:
    stage = stage_of(EMPTY_9, moves("B C3, W G7, B E5", 1.6))
    presses = {2.0: Colour.BLACK, 3.5: Colour.WHITE, 5.0: Colour.BLACK}
    report = played(stage, lambda watcher, now: watcher.press(now, presses[now]) if now in presses else [])
    assert report.moves == ["B C3", "W G7", "B E5"]
    assert report.events == [e for e in report.events if not isinstance(e, Incident)]


LOWER_RIGHT, UPPER_LEFT = (8.3, -1.1), (-0.3, 9.1)


def signals(*stones: tuple[float, tuple[float, float], Colour], before: bool = False) -> list[str]:
    """What stones outside the lines of a game of three moves are taken for: each there from a time on."""
    watcher = Reconstructor(9)
    told: list[Event] = []
    for seen in stage_of(EMPTY_9, moves("B C3, W G7, B E5", 1.6), 20.0).observations():
        now = seen.time.seconds
        watcher.see(seen)
        lying = tuple((*at, colour) for t, at, colour in stones if before or now >= t)
        told += watcher.beside(now, lying)
    return [f"{e.code} {e.facts['side']} {e.facts['reading']}" for e in told if isinstance(e, Incident)]


def test_17_a_stone_of_the_other_colour_outside_the_lines_proposes_the_end_and_the_next_confirms_it() -> None:
    assert signals((8.0, LOWER_RIGHT, Colour.WHITE), (12.0, UPPER_LEFT, Colour.BLACK)) == [
        "end-signal below proposes the end?",
        "end-signal above proposes the end?",
    ]


def test_17_two_stones_of_ones_own_outside_the_lines_resign() -> None:
    two = [(8.0, LOWER_RIGHT, Colour.BLACK), (8.0, (7.0, -1.2), Colour.BLACK)]
    assert signals(*two) == ["end-signal below resigns?"]


def test_17_a_stone_outside_the_lines_for_a_moment_says_nothing() -> None:
    assert signals((19.0, LOWER_RIGHT, Colour.WHITE)) == []


def test_18_what_lies_beside_the_board_from_the_start_or_farther_off_says_nothing() -> None:
    assert signals((0.0, LOWER_RIGHT, Colour.WHITE), before=True) == []
    bowls = [(8.0, (12.5, 1.0), Colour.BLACK), (8.0, (4.0, -1.2), Colour.WHITE), (9.0, (9.2, 7.0), Colour.BLACK)]
    assert signals(*bowls) == []


FULL_GAME = "B C3, W G7, B C7, W G3, B E5, W E3, B E7, W C5, B G5, W D4, B D6, W F6"


def test_19_moves_taken_back_one_by_one_after_the_game_leave_the_record_alone(seed: int) -> None:
    back = remove(22.0, "F6", "D6", "D4", "G5", "C5", "E7", step=1.2)
    seen = watch(EMPTY_9, moves(FULL_GAME, 1.6), back, seed=seed)
    assert ", ".join(seen.moves) == FULL_GAME
    assert seen.alerts == []


def test_19_a_variation_shown_after_the_game_stays_out_of_the_record(seed: int) -> None:
    back = remove(22.0, "F6", "D6", "D4", "G5", "C5", "E7", step=1.2)
    shown = [*moves("B D7, W F7, B G5, W H5, B H4", 34.0, 1.5)]
    seen = watch(EMPTY_9, moves(FULL_GAME, 1.6), back, shown, duration=60.0, seed=seed)
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


def test_21_the_next_game_is_not_added_to_the_one_that_is_over(seed: int) -> None:
    clearing = remove(22.0, *[m.split()[1] for m in FULL_GAME.split(", ")], step=0.25)
    again = moves("B G7, W C3, B C7, W G3", 40.0, 1.6)
    seen = watch(EMPTY_9, moves(FULL_GAME, 1.6), clearing, again, duration=60.0, seed=seed)
    assert ", ".join(seen.moves) == FULL_GAME
    assert seen.alerts == []


def test_16_a_stone_dropped_by_the_opponent_before_white_has_played(seed: int) -> None:
    """Of White nothing has been seen yet: he is taken to sit opposite, so the white stone is not his."""
    seen = watch(EMPTY_9, place(2.0, "B C3"), place(5.0, "W G3", by="B"), moves("W G7, B C7", 10.0, 3.0), seed=seed)
    assert seen.codes == ["stone-appeared G3"]
    assert seen.moves == ["B C3", "W G7", "B C7"]


def test_16_who_plays_both_colours_from_one_side_drops_nothing(seed: int) -> None:
    game = "B C3, W G7, B C7, W G3, B E5, W E3, B E7, W C5"
    seen = watch(EMPTY_9, moves(game, 2.0, 2.5, by="B"), place(24.0, "W G5", by="B"), seed=seed, duration=32.0)
    assert seen.codes == ["two-moves C5 G5"]
    assert seen.moves == [*game.split(", "), "W G5"]
