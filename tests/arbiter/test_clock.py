"""A game clock: what is left, byo-yomi, what is called out, pauses, and a clock that was wrong."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.arbiter.clock import CallOut, ClockState, ClockStory, Remaining, TimeControl, call_outs, parse_control
from kifuwatch.arbiter.clock.clock import DOINGS
from kifuwatch.arbiter.clock.faults import matters, shared
from kifuwatch.arbiter.clock.running import is_out, longest, moved, spend
from kifuwatch.arbiter.code import load_code
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Colour
from tests.arbiter.test_time_control import controls

B, W = Colour.BLACK, Colour.WHITE
NEW, OLD = load_code("cn2002"), load_code("cn1988")
MINUTE = 60_000


def story(control: str, *rows: dict[str, Any], rules: str = "cn2002") -> ClockState:
    """The clock after these rows; press("B", 3) presses at 3 s."""
    told = ClockStory(load_code(rules).time, B, parse_control(control))
    for number, row in enumerate(rows, 1):
        told.add({"type": "clock", "id": number, **row})
    found = told.state()
    assert found is not None
    return found


def press(colour: str, t: float, **more: Any) -> dict[str, Any]:
    return {"do": "press", "color": colour, "t": t, **more}


def do(what: str, t: float, **more: Any) -> dict[str, Any]:
    return {"do": what, "t": t, **more}


def left(state: ClockState, colour: Colour, t: float) -> tuple[float, int, float]:
    """Seconds of main time, periods, seconds of the period that a player has at ``t``."""
    found = state.at(round(t * 1000))[colour]
    return found.main / 1000, found.periods, found.period / 1000


def spoken(calls: tuple[CallOut, ...]) -> list[tuple[float, str]]:
    return [(call.t / 1000, call.zh) for call in calls]


# What is left


def test_each_ones_time_runs_while_it_is_his_turn() -> None:
    state = story("10m", do("start", 0), press("B", 20), press("W", 50))
    assert (left(state, B, 60), left(state, W, 60)) == ((570.0, 0, 0.0), (570.0, 0, 0.0))
    assert state.running is B


def test_a_move_within_the_minute_costs_nothing_and_a_whole_minute_one() -> None:
    """cn2002 12.3: 不足60秒的着手不予计时。达到60秒的视为已使用保留时限之中的1分钟。"""
    start = [do("start", 0), press("B", 300), press("W", 310)]  # 10 minutes with 5 kept: Black's first five are used
    assert left(story("10m kept 5", *start, press("B", 369.9)), B, 400) == (0.0, 5, 60.0)
    assert left(story("10m kept 5", *start, press("B", 370.0)), B, 400) == (0.0, 4, 60.0)
    assert left(story("10m kept 5", *start, press("B", 430.0)), B, 500) == (0.0, 3, 60.0)


def test_the_last_minute_may_not_be_used_up() -> None:
    last = Remaining(0, 1, MINUTE)
    kept = parse_control("10m kept 5")
    assert not is_out(spend(kept, last, MINUTE - 1))
    assert is_out(spend(kept, last, MINUTE))  # the stone that lands together with "10" is too late


def test_fifteen_moves_in_ten_minutes_and_what_is_left_is_carried_over() -> None:
    """cn2002 12.5: 节余时间可延至下一节使用."""
    control = parse_control("1m+15/10m carry")
    now = Remaining.full(control)
    now = moved(control, spend(control, now, 2 * MINUTE))  # one minute of main time, one of the period
    assert (now.main, now.moves, now.period) == (0, 14, 9 * MINUTE)
    for _ in range(14):
        now = moved(control, spend(control, now, MINUTE // 2))
    assert (now.moves, now.period) == (15, 12 * MINUTE)
    without = parse_control("1m+15/10m")
    assert moved(without, Remaining(0, 1, 2 * MINUTE, 1)) == Remaining(0, 1, 10 * MINUTE, 15)


def test_fischer_adds_after_each_move() -> None:
    state = story("1m+20s", do("start", 0), press("B", 30))
    assert left(state, B, 40)[0] == 50.0


@given(controls, st.integers(0, 10**8), st.integers(0, 10**8))
def test_time_spent_in_two_parts_is_their_sum(control: TimeControl, first: int, second: int) -> None:
    full = Remaining.full(control)
    assert spend(control, spend(control, full, first), second) == spend(control, full, first + second)


@given(controls, st.integers(0, 10**9))
def test_nobody_is_out_before_his_time_and_everybody_at_it(control: TimeControl, time: int) -> None:
    full = Remaining.full(control)
    limit = longest(control, full)
    assert is_out(spend(control, full, time)) == (time >= limit)


@given(controls, st.lists(st.integers(0, 4 * 10**6), max_size=12))
def test_a_move_never_takes_time_away(control: TimeControl, thoughts: list[int]) -> None:
    now = Remaining.full(control)
    for thought in thoughts:
        after = spend(control, now, thought)
        assert longest(control, after) <= longest(control, now)
        now = moved(control, after)
        assert longest(control, now) >= longest(control, after)
        assert min(now.main, now.periods, now.period, now.moves) >= 0


# Pauses, readings, the end


def test_a_pause_does_not_count() -> None:
    """cn2002 14: 暂停时间不计入对局时限."""
    state = story("10m", do("start", 0), do("pause", 60), do("resume", 4000))
    assert left(state, B, 4010)[0] == 530.0
    assert story("10m", do("start", 0), do("pause", 60)).running is None


def test_rows_may_come_in_any_order() -> None:
    rows = [do("start", 0), press("B", 20), press("W", 50), do("pause", 60), do("resume", 90)]
    assert left(story("10m", *rows), B, 100) == left(story("10m", *reversed(rows)), B, 100) == (560.0, 0, 0.0)


def test_what_a_clock_shows_stands_above_what_was_worked_out() -> None:
    state = story("10m", do("start", 0), do("reading", 30, black_ms=571_000, white_ms=600_000, running="B"))
    assert (left(state, B, 40)[0], state.read) == (561.0, True)
    beyond = story("1m+3x30s", do("start", 0), do("reading", 100, black_ms=12_000, black_periods=2, white_ms=60_000))
    assert left(beyond, B, 105) == (0.0, 2, 7.0)


def test_the_arbiter_sets_the_clock() -> None:
    state = story("10m", do("start", 0), do("set", 30, black_ms=300_000))
    assert (left(state, B, 40)[0], state.read) == (290.0, False)


def test_a_press_out_of_turn_changes_nothing() -> None:
    state = story("10m", do("start", 0), press("W", 10), press("B", 20), press("B", 25))
    assert (state.running, left(state, W, 30)[0]) == (W, 590.0)
    assert [each.ended for each in state.presses] == [False, True, False]


def test_the_first_press_starts_a_clock_that_nobody_has_started() -> None:
    state = story("10m", press("W", 100))
    assert (state.running, left(state, B, 110)[0]) == (B, 590.0)


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ({"do": "sing", "t": 1}, "'sing' is nothing that a clock does"),
        ({"do": "press", "color": "B"}, "needs its time t"),
        ({"do": "press", "t": 1}, "press needs a color"),
        ({"do": "reading", "t": 1, "black_ms": "full"}, "black_ms must be a number"),
        ({"do": "fault", "t": 1}, "needs true_ms"),
        ({"do": "start", "t": 1, "color": "green"}, "start needs a color, B or W"),
        ({"do": "start", "t": 1, "absent": ["X"]}, "absent is a list of colours"),
        ({"do": "start", "t": 1, "absent": "W"}, "absent is a list of colours"),
        ({"do": "reading", "t": 1, "running": "both"}, "running is B, W or null"),
        ({"do": "press", "color": ["B"], "t": 1}, "press needs a color"),
        ({"do": "reading", "t": True}, "needs its time t"),
        ({"do": "start", "t": 1, "control": "soon"}, "'soon' is no time control"),
    ],
)
def test_a_row_that_is_none_is_one_sentence(row: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        story("10m", row)


values = st.one_of(st.none(), st.booleans(), st.integers(-10, 10**7), st.floats(), st.sampled_from(["B", "W", "x", ""]))
fields = st.sampled_from(
    ["t", "color", "black_ms", "white_ms", "black_periods", "white_moves", "running", "absent", "true_ms", "lost"]
)


@given(st.lists(st.tuples(st.sampled_from(DOINGS), st.dictionaries(fields, values)), max_size=8), controls)
def test_whatever_a_feed_sends_is_taken_in_or_one_sentence(
    rows: list[tuple[str, dict[str, Any]]], control: TimeControl
) -> None:
    told = ClockStory(NEW.time, B, control)
    for number, (doing, row) in enumerate(rows, 1):
        try:
            told.add({"t": float(number), **row, "type": "clock", "id": number, "do": doing})
        except UsageError:
            continue
    with suppress(UsageError):  # nothing says what both have used in truth
        state = told.state()
        assert state is None or all(min(left.main, left.periods) >= 0 for left in state.at(10**9).values())


# Call-outs: RULES.md 1.4, cn1988 12.2 and cn2002 12.3


@pytest.mark.parametrize("code", [NEW, OLD])
def test_the_calls_of_a_minute_that_is_not_the_last(code: Any) -> None:
    calls = call_outs(parse_control("2h kept 5"), code.time, B, Remaining(0, 5, MINUTE), 0, MINUTE)
    assert spoken(calls) == [
        (30.0, "30秒"),
        (40.0, "40秒"),
        (50.0, "50秒"),
        (55.0, "55秒"),
        (58.0, "58秒"),
        (60.0, "1分钟，还剩4分钟"),
    ]


@pytest.mark.parametrize("code", [NEW, OLD])
def test_the_calls_of_the_last_minute(code: Any) -> None:
    calls = call_outs(parse_control("2h kept 5"), code.time, B, Remaining(0, 1, MINUTE), 0, MINUTE)
    counted = [(51.0 + n, str(n + 1)) for n in range(9)]
    assert spoken(calls) == [(30.0, "30秒"), (40.0, "40秒"), (50.0, "50秒"), *counted, (60.0, "10，超时判负")]
    assert all(call.last for call in calls)


def test_calls_go_on_into_the_next_minute_and_begin_when_the_main_time_is_used_up() -> None:
    state = story("3m kept 2", do("start", 0))
    assert [t for t, _ in spoken(state.calls(0, 200_000))][:3] == [90.0, 100.0, 110.0]
    assert spoken(state.calls(119_000, 151_000)) == [(120.0, "1分钟，还剩1分钟"), (150.0, "30秒")]
    assert state.calls(0, 59_000) == ()


def test_fast_games_are_called_on_the_same_principle() -> None:
    calls = call_outs(parse_control("3x30s"), NEW.time, B, Remaining(0, 1, 30_000), 0, 30_000)
    assert [t for t, _ in spoken(calls)] == [10.0, 20.0, *[21.0 + n for n in range(10)]]
    before = call_outs(parse_control("3x30s"), NEW.time, B, Remaining(0, 3, 30_000), 0, 30_000)
    assert spoken(before)[-1] == (30.0, "30秒，还剩2次")


def test_nothing_is_called_where_no_periods_are_counted() -> None:
    for control in ("10m", "10m+20s", "10m+25/10m"):
        assert story(control, do("start", 0)).calls(0, 10**7) == ()


# A clock that was wrong: cn2002 22.8 and 22.9


def test_an_error_of_two_minutes_an_hour_is_put_right_in_proportion() -> None:
    rows = [do("start", 0), press("B", 2400), press("W", 3600)]  # 40 and 20 minutes by the clock
    small = story("2h", *rows, do("fault", 3600, true_ms=61 * MINUTE))
    assert (left(small, B, 3600)[0], small.faults) == (4800.0, ("the error is too small to be put right",))
    large = story("2h", *rows, do("fault", 3600, true_ms=66 * MINUTE))
    assert (left(large, B, 3600)[0], left(large, W, 3600)[0]) == (7200 - 44 * 60, 7200 - 22 * 60)
    assert "B 2640 s, W 1320 s" in large.faults[0]


def test_two_minutes_an_hour_exactly_is_large_enough() -> None:
    assert matters(58 * MINUTE, 60 * MINUTE, 2.0)
    assert not matters(58 * MINUTE + 1, 60 * MINUTE, 2.0)


def test_without_a_record_of_the_first_half_both_have_used_the_same() -> None:
    state = story("2h", do("start", 0), press("B", 2400), press("W", 3600), do("fault", 3600, lost=True))
    assert left(state, B, 3600)[0] == left(state, W, 3600)[0] == 7200 - 1800


@given(st.integers(0, 10**8), st.integers(0, 10**8), st.integers(0, 10**9))
def test_a_shared_error_is_shared_wholly_and_keeps_who_used_more(black: int, white: int, true: int) -> None:
    found = shared({B: black, W: white}, true)
    assert sum(found.values()) == true
    if black != white:
        assert (found[B] - found[W]) * (black - white) >= -abs(black - white)
