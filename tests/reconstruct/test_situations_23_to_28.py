"""The ambiguous situations of real play, each as a board and a script of what hands do on it: 23 to 28.

The numbers are those of the list of 28 in the rules reference.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.reconstruct import Gap, Reconstructor
from tests.reconstruct.script import EMPTY_9, FOUR_IN_ATARI, place, remove, stage_of, watch
from tests.reconstruct.stage import QUIET, Noise, Report, Stage, moves, perform

FULL_GAME = "B C3, W G7, B C7, W G3, B E5, W E3, B E7, W C5, B G5, W D4, B D6, W F6"


def test_23_the_first_stone_is_white(seed: int) -> None:
    seen = watch(EMPTY_9, moves("W C3, B G7, W E5", 1.6), seed=seed)
    assert seen.moves == ["W C3", "B G7", "W E5"]
    assert seen.alerts == []
    assert seen.notices == ["setup C3"], "said once, and nobody is called: in clubs that is often agreed"


def test_23_handicap_stones_are_put_down_one_by_one(seed: int) -> None:
    seen = watch(EMPTY_9, moves("B C3, B G7, B G3, W E5, B C7", 1.6, 2.5), seed=seed)
    assert seen.moves == ["W E5", "B C7"]
    assert {str(p) for p in seen.setups[-1].black} == {"C3", "G7", "G3"}
    assert seen.alerts == []


def test_23_two_handicap_stones_then_white(seed: int) -> None:
    seen = watch(EMPTY_9, moves("B C3, B G7, W E5, B C7", 1.6, 2.5), seed=seed)
    assert seen.moves == ["W E5", "B C7"]
    assert {str(p) for p in seen.setups[-1].black} == {"C3", "G7"}
    assert seen.alerts == []


CORNERS_19 = Layout.empty(19).replaced(
    {Point.parse("D4"): "X", Point.parse("Q16"): "X", Point.parse("Q4"): "O", Point.parse("D16"): "O"}
)


def test_23_corner_stones_that_stand_from_the_start_and_white_begins() -> None:
    seen = perform(Stage(19, CORNERS_19, moves("W F17, B C14, W R6", 1.6)))
    assert seen.moves == ["W F17", "B C14", "W R6"]
    assert {str(p) for p in seen.setups[-1].black} == {"D4", "Q16"}
    assert {str(p) for p in seen.setups[-1].white} == {"Q4", "D16"}
    assert seen.alerts == []


@pytest.mark.parametrize("order", ["B D4, B Q16, W Q4, W D16", "W D16, W Q4, B D4, B Q16"])
def test_23_corner_stones_put_down_one_by_one_are_no_moves(order: str) -> None:
    seen = perform(Stage(19, Layout.empty(19), moves(f"{order}, W F17, B C14, W R6", 1.6, 2.5)))
    assert seen.moves == ["W F17", "B C14", "W R6"]
    assert {str(p) for p in seen.setups[-1].black} == {"D4", "Q16"}
    assert {str(p) for p in seen.setups[-1].white} == {"Q4", "D16"}
    assert seen.alerts == []


def test_23_stones_played_in_turn_on_the_four_corners_are_moves() -> None:
    seen = perform(Stage(19, Layout.empty(19), moves("B D4, W D16, B Q16, W Q4, B F3", 1.6)))
    assert seen.moves == ["B D4", "W D16", "B Q16", "W Q4", "B F3"]
    assert seen.alerts == []


def test_23_but_under_the_ancient_rules_they_are_the_corner_stones() -> None:
    script = moves("B D4, W D16, B Q16, W Q4, W F3, B C6", 1.6, 2.0)
    seen = perform(Stage(19, Layout.empty(19), script), rules="ancient")
    assert seen.moves == ["W F3", "B C6"]
    assert {str(p) for p in seen.setups[-1].black} == {"D4", "Q16"}
    assert seen.alerts == []


def test_24_a_board_met_in_the_middle_of_a_game(seed: int) -> None:
    seen = watch(FOUR_IN_ATARI, moves("W G7, B H3", 1.6), seed=seed)
    assert len(seen.setups[0].black) == 7
    assert len(seen.setups[0].white) == 6
    assert seen.moves == ["W G7", "B H3"]
    assert seen.alerts == []


def test_24_a_game_resumed_with_the_turn_known(seed: int) -> None:
    seen = watch(
        FOUR_IN_ATARI, moves("B F5", 1.6), remove(2.6, "D5", "E5", "D6", "E6"), seed=seed, to_play=Colour.BLACK
    )
    assert seen.moves == ["B F5"]
    assert seen.setups[0].to_play is Colour.BLACK
    assert seen.alerts == []


def test_25_a_reflection_of_a_moment_is_nothing(seed: int) -> None:
    flash = [{"t": 6.0, "do": "swap", "at": "G3", "now": "O"}, {"t": 6.25, "do": "swap", "at": "G3", "now": "."}]
    seen = watch(EMPTY_9, moves("B C3, W G7", 1.6), flash, moves("B C7", 8.0), seed=seed)
    assert seen.moves == ["B C3", "W G7", "B C7"]
    assert seen.alerts == []


def test_25_a_stone_under_a_hand_is_unknown_not_gone(seed: int) -> None:
    resting = {"t": 5.0, "do": "hover", "near": "C4", "for": 7.0, "by": "B"}
    seen = watch(EMPTY_9, moves("B C3, W G7", 1.6), resting, moves("B C7, W G3", 14.0), seed=seed)
    assert seen.moves == ["B C3", "W G7", "B C7", "W G3"]
    assert seen.alerts == []


def test_26_a_stone_cannot_change_its_colour(seed: int) -> None:
    seen = watch(
        EMPTY_9, moves("B C3, W G7", 1.6), {"t": 6.0, "do": "swap", "at": "G7", "now": "X"}, duration=17.0, seed=seed
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


def test_27_a_bumped_camera_is_a_gap_and_nothing_else(seed: int) -> None:
    """The camera is pushed at 6 s: what is read until it has been found again is nonsense, and not looked at."""
    stage = stage_of(EMPTY_9, moves("B C3, W G7, B E5, W G3", 1.6), 16.0, seed)
    watcher, events = Reconstructor(9), []
    for seen in stage.observations():
        now = seen.time.seconds
        if now == 7.5:
            watcher.hold(now, "the camera was moved")
        if now == 10.0:
            events += watcher.resume(now)
        bumped = 7.5 <= now < 10.0
        events += watcher.see(replace(seen, probabilities=np.roll(seen.probabilities, 1, axis=1)) if bumped else seen)
    events += watcher.finish(16.0)
    report = Report(events)
    assert report.moves == ["B C3", "W G7", "B E5", "W G3"]
    assert report.alerts == []
    assert [(e.t, e.until, e.reason) for e in events if isinstance(e, Gap)] == [(7.5, 10.0, "the camera was moved")]


def test_27_two_stones_laid_while_the_board_was_lost_are_inferred(seed: int) -> None:
    stage = stage_of(EMPTY_9, moves("B C3, W G7, B E5, W G3, B C7", 1.6, 2.0), 16.0, seed)
    watcher, events = Reconstructor(9), []
    for seen in stage.observations():
        now = seen.time.seconds
        if now == 4.5:
            watcher.hold(now)
        if now == 8.5:
            events += watcher.resume(now)
        events += watcher.see(seen)
    events += watcher.finish(16.0)
    report = Report(events)
    assert report.moves == ["B C3", "W G7", "B E5", "W G3", "B C7"]
    assert [m.inferred for m in report.standing] == [False, False, True, True, False]
    assert report.alerts == []


def test_28_a_stone_put_on_a_stone_of_its_colour_changes_nothing_that_is_seen(seed: int) -> None:
    laid = {"t": 6.0, "do": "hover", "near": "C3", "for": 0.6, "by": "B"}
    seen = watch(EMPTY_9, moves("B C3, W G7", 1.6), laid, moves("B C7", 9.0), seed=seed)
    assert seen.moves == ["B C3", "W G7", "B C7"]
    assert seen.alerts == []


def test_28_a_stone_put_on_a_stone_of_the_other_colour_is_a_question(seed: int) -> None:
    seen = watch(EMPTY_9, moves("B C3, W G7", 1.6), place(5.0, "B G7"), moves("B C7, W E5", 12.0), seed=seed)
    assert seen.codes[:1] == ["stone-appeared G7"]
    assert seen.alerts[0].facts["question"] == "a stone put on a stone?"
    assert seen.final.rules_board[Point.parse("G7")] == "O"
    assert seen.moves == ["B C3", "W G7", "B C7", "W E5"]


def test_a_heavier_noise_invents_nothing() -> None:
    rough = Noise(flip=0.004, edge=0.15, leak=0.08, false_cover=0.01)
    seen = watch(EMPTY_9, moves(FULL_GAME, 1.6), noise=rough, duration=60.0)
    assert ", ".join(seen.moves) == FULL_GAME
    assert seen.alerts == []


def test_a_quiet_board_stays_quiet() -> None:
    seen = watch(FOUR_IN_ATARI, duration=60.0, noise=QUIET)
    assert seen.moves == []
    assert seen.alerts == []
