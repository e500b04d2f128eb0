"""GAME.times.json: when each stone left the hand, how exactly that is known, and who thought how long."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sgfmill import sgf

from kifuwatch.core.errors import OutputError
from kifuwatch.core.points import Colour, Point
from kifuwatch.reconstruct import Gap, Move, Retract
from kifuwatch.record import GameInfo, GameRecord, TimesFile, event_line, times_path, to_sgf, to_times
from kifuwatch.rules import ruleset

B, W = Colour.BLACK, Colour.WHITE


def move(number: int, colour: Colour, at: str, t: float, **extra: float | bool) -> Move:
    return Move(t, t + 0.5, number, colour, None if at == "pass" else Point.parse(at), **extra)  # type: ignore[arg-type]


def record(*events: Move | Retract | Gap) -> GameRecord:
    made = GameRecord(9)
    for event in events:
        made.add(event)
    return made


def test_a_stone_left_the_hand_between_the_last_look_with_it_and_the_first_without() -> None:
    times = to_times(
        record(
            move(1, B, "E5", 2.0, not_before=1.0, left_after=1.8),
            move(2, W, "C3", 10.0, not_before=9.0, left_after=9.6),
            move(3, B, "G7", 15.0, not_before=14.0),
        )
    )
    assert [(m["t"], m["uncertainty"]) for m in times["moves"]] == [(1.9, 0.1), (9.8, 0.2), (14.5, 0.5)]
    assert [m["thinking"] for m in times["moves"]] == [None, 7.9, 4.7]
    assert times["totals"] == {
        "B": {"moves": 2, "timed": 1, "thinking": 4.7},
        "W": {"moves": 1, "timed": 1, "thinking": 7.9},
    }


def test_where_nothing_tells_no_certainty_is_claimed() -> None:
    (only,) = to_times(record(move(1, B, "E5", 2.0)))["moves"]
    assert (only["t"], only["uncertainty"], only["thinking"]) == (2.0, None, None)


def test_two_stones_of_a_colour_leave_open_whose_the_time_was() -> None:
    times = to_times(record(move(1, B, "E5", 2.0, left_after=2.0), move(2, B, "C3", 9.0, left_after=9.0)))
    assert [m["thinking"] for m in times["moves"]] == [None, None]


def test_moves_behind_a_head_have_wide_times_in_their_order() -> None:
    behind = {"not_before": 5.0, "inferred": True}
    times = to_times(record(move(1, B, "E5", 40.0, **behind), move(2, W, "C3", 35.0, **behind)))
    assert [(m["t"], m["uncertainty"], m["inferred"]) for m in times["moves"]] == [(20.0, 15.0, True)] * 2


def test_a_move_taken_back_takes_its_time_along_and_a_gap_is_told() -> None:
    gap = Gap(4.0, 30.0, 30.0, "a part of the board was hidden")
    made = record(move(1, B, "E5", 2.0), move(2, W, "C3", 3.0), Retract(5.0, 5.0, 2, "misread"), gap)
    made.add(move(2, W, "G7", 31.0, not_before=3.5))
    times = to_times(made)
    assert [m["at"] for m in times["moves"]] == ["E5", "G7"]
    assert times["gaps"] == [{"t": 4.0, "until": 30.0, "reason": "a part of the board was hidden"}]
    nodes = sgf.Sgf_game.from_bytes(to_sgf(made, ruleset(), GameInfo())).get_main_sequence()
    assert nodes[1].get("C") == "0:02.0"
    assert nodes[2].get("C") == "0:31.0\nnot seen from 0:04.0 to 0:30.0: a part of the board was hidden"
    assert event_line(gap) == {"type": "gap", "t": 4.0, "until": 30.0, "seen": 30.0, "reason": gap.reason}


def test_a_gap_that_lasts_to_the_end_stands_at_the_last_move() -> None:
    made = record(move(1, B, "E5", 2.0), Gap(4.0, 30.0, 30.0, "the board was not in view"))
    nodes = sgf.Sgf_game.from_bytes(to_sgf(made, ruleset(), GameInfo())).get_main_sequence()
    assert nodes[1].get("C").endswith("not seen from 0:04.0 to 0:30.0: the board was not in view")


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(0, 30), st.booleans()), max_size=12))
def test_times_never_run_backwards_and_sum_up(seen: list[tuple[float, float, bool]]) -> None:
    moves = [
        move(k + 1, W if k % 2 else B, "E5", t, **({"not_before": max(t - back, 0.0)} if known else {}))
        for k, (t, back, known) in enumerate(seen)
    ]
    times = to_times(record(*moves))
    told = [m["t"] for m in times["moves"]]
    assert all(a <= b + 0.002 for a, b in pairwise(told))
    assert all(m["uncertainty"] is None or m["uncertainty"] >= 0 for m in times["moves"])
    total = sum(each["thinking"] for each in times["totals"].values())
    assert abs(total - (told[-1] - told[0] if told else 0.0)) < 0.05


def test_the_file_lies_beside_the_game_and_is_whole_after_every_move(tmp_path: Path) -> None:
    path = times_path(tmp_path / "game.sgf")
    assert path.name == "game.times.json"
    file = TimesFile(path, 9)
    for number in (1, 2, 3):
        file.add(move(number, B if number % 2 else W, "E5", float(number)))
        assert len(json.loads(path.read_text())["moves"]) == number
    with pytest.raises(OutputError, match="exists already"):
        TimesFile(path, 9)
