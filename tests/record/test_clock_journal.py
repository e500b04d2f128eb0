"""The clock on the arbiter's desk: presses and stones together, over time, late, away. Named after the rows of the
table of alerts (A11, A12, A13, A21, A22, A23) and of the rulings compared."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.arbiter import AlertTable
from kifuwatch.arbiter.clock import ClockStory, parse_control
from kifuwatch.arbiter.clock.joining import SeenMove, pairs
from kifuwatch.arbiter.desk_state import AlertMood, AlertState, DeskState, Phase
from kifuwatch.arbiter.rulings_clock import ruling_for
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Colour, Point
from kifuwatch.record.desk_journal import DeskJournal
from kifuwatch.record.journal import Journal

TABLE = AlertTable.load()
B, W = Colour.BLACK, Colour.WHITE


class Table:
    """A board with a camera over it and a clock beside it."""

    def __init__(self, folder: Path, rules: str = "cn2002", time: str = "1h kept 5") -> None:
        self.desk = DeskJournal(Journal.create(folder / f"{rules}.db"), TABLE)
        self.desk.begin(9, rules, black="Li Hua", white="Wang Fang", time=time)
        self.desk.add({"type": "board-found", "t": 0.0, "size": 9})
        self.count = 0

    def stone(self, colour: str, at: str, t: float, captures: tuple[str, ...] = ()) -> Table:
        """A stone seen lying free at ``t``; 0.2 s before, the hand was still over it."""
        self.count += 1
        row = {"type": "move", "t": t, "seen": t + 0.6, "number": self.count, "color": colour, "at": at}
        self.desk.add({**row, "captures": list(captures), "not_before": t - 1.0, "left_after": t - 0.2})
        return self

    def cleared(self, t: float, *at: str, lying: float | None = None) -> Table:
        """The stones that the last move captured are off at ``t``; they were seen lying there 0.3 s before."""
        before = t - 0.3 if lying is None else lying
        stones = [{"at": point, "t": t, "not_before": before} for point in at]
        self.desk.add({"type": "cleared", "t": t, "seen": t + 0.5, "number": self.count, "stones": stones})
        return self

    def clock(self, do: str, t: float, color: str | None = None, **more: Any) -> Table:
        self.desk.add({"type": "clock", "do": do, "t": t, **({"color": color} if color else {}), **more})
        return self

    def due(self, now: float) -> list[str]:
        """The codes of the alerts that have become due."""
        return [str(row["code"]) for row in self.desk.raise_due(now)]

    def rule(self, do: str, alert: int | None = None, **fields: Any) -> DeskState:
        return self.desk.rule({"do": do, **({"alert": alert} if alert else {}), **fields})

    @property
    def state(self) -> DeskState:
        return self.desk.state()

    @property
    def alert(self) -> AlertState:
        """The last alert."""
        return self.state.alerts[-1]


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def main(state: DeskState, colour: Colour, t: float) -> float:
    """Seconds of main time that a player has at ``t``."""
    assert state.clock is not None
    return state.clock.at(round(t * 1000))[colour].main / 1000


# A11: pressed before the stone was placed


def test_a11_the_clock_is_pressed_before_the_stone_has_left_the_hand(table: Table) -> None:
    table.clock("start", 0).clock("press", 10.0, "B").stone("B", "E5", 10.9)
    assert table.due(12.0) == ["clock-before-stone"]
    assert (table.alert.offender, str(table.alert.at[0])) == (B, "E5")
    assert table.alert.facts["margin ms"] == "700"  # the hand was over the point until 10.7 s
    state = table.rule("uphold", 1)
    assert (state.warnings(B), state.ledger[0].article) == (1, "17.4")
    assert main(state, W, 20.0) == 55 * 60 - 10.0  # the reading is not changed


def test_a11_nothing_is_said_within_the_uncertainty(table: Table) -> None:
    table.clock("start", 0).clock("press", 10.0, "B").stone("B", "E5", 10.25)  # not before 10.05 s: 50 ms
    assert table.due(12.0) == []
    table.clock("press", 20.0, "W", uncertainty_ms=20).stone("W", "C3", 20.25)
    assert table.due(22.0) == ["clock-before-stone"]


def test_a11_a_press_after_the_stone_is_as_it_should_be(table: Table) -> None:
    table.clock("start", 0)
    for number, (colour, at) in enumerate([("B", "E5"), ("W", "C3"), ("B", "G7"), ("W", "C7")]):
        table.stone(colour, at, 10.0 + 10 * number).clock("press", 11.0 + 10 * number, colour)
    assert table.due(60.0) == []
    assert {row: press.t for row, press in table.state.presses.items()} == {4: 11000, 6: 21000, 8: 31000, 10: 41000}


def test_a11_a_forgotten_press_and_a_pass_are_no_violation(table: Table) -> None:
    table.clock("start", 0).stone("B", "E5", 10.0).stone("W", "C3", 15.0)  # Black has forgotten to press
    table.clock("press", 16.0, "B").clock("press", 17.0, "W").stone("B", "G7", 25.0).clock("press", 26.0, "B")
    assert table.due(30.0) == []
    table.clock("press", 40.0, "W")  # White passes
    table.stone("B", "G3", 50.0).clock("press", 51.0, "B")
    assert table.due(60.0) == []


def test_a11_of_a_game_that_has_gone_on_cannot_be_claimed_any_more(table: Table) -> None:
    table.stone("B", "E5", 10.9).stone("W", "C3", 20.0).stone("B", "G7", 30.0)
    table.clock("start", 0).clock("press", 10.0, "B").clock("press", 21.0, "W")  # a clock's file, added afterwards
    assert table.due(40.0) == ["clock-before-stone"]
    assert (table.alert.mood, table.alert.why) == (AlertMood.LAPSED, "not claimed before move 2 (Art. 16.3)")
    assert table.rule("reopen", 1).alerts[0].mood is AlertMood.OPEN


def test_a11_has_no_article_in_the_older_code(tmp_path: Path) -> None:
    old = Table(tmp_path, "cn1988")
    old.clock("start", 0).clock("press", 10.0, "B").stone("B", "E5", 10.9)
    assert old.due(12.0) == ["clock-before-stone"]
    with pytest.raises(UsageError, match="cn1988 prescribes nothing for clock-before-stone"):
        old.rule("uphold", 1)


# A12: pressed before all captured stones were off


def capture(table: Table, press: float) -> Table:
    """White captures two stones with C3 at 20 s and takes them off by 24 s."""
    table.clock("start", 0).stone("B", "B2", 10.0).clock("press", 11.0, "B")
    table.stone("W", "C3", 20.0, captures=("B2", "B3")).clock("press", press, "W")
    return table.cleared(24.0, "B2", "B3")


def test_a12_the_clock_is_pressed_while_captured_stones_lie_there(table: Table) -> None:
    capture(table, 22.0)
    assert table.due(25.0) == ["clock-before-clear"]
    assert (table.alert.offender, table.alert.facts["captured"], table.alert.facts["lying"]) == (W, "2", "2")
    assert table.alert.facts["cleared after ms"] == "2000"
    assert table.rule("uphold", 1).ledger[0].article == "22.6"
    assert table.due(26.0) == []  # told once


def test_a12_pressed_when_they_are_off_or_may_have_been(table: Table) -> None:
    assert capture(table, 24.5).due(30.0) == []


def test_a12_within_the_uncertainty_nothing_is_said(table: Table) -> None:
    assert capture(table, 23.65).due(30.0) == []  # last seen lying at 23.7 s


def test_a12_the_older_code_advises_or_warns(tmp_path: Path) -> None:
    old = Table(tmp_path, "cn1988")
    assert capture(old, 22.0).due(25.0) == ["clock-before-clear"]
    state = old.rule("uphold", 1)
    assert (state.ledger[0].kind, state.ledger[0].article, state.warnings(W)) == ("advice", "23.4", 0)


def test_a12_stones_left_there_are_a_matter_of_the_press_only_where_the_code_knows_no_other(tmp_path: Path) -> None:
    found = {}
    for rules in ("cn1988", "cn2002"):
        made = Table(tmp_path, rules)
        made.clock("start", 0).stone("B", "B2", 10.0).clock("press", 11.0, "B")
        made.stone("W", "C3", 20.0, captures=("B2",)).clock("press", 22.0, "W")
        missed = {"type": "alert", "t": 35.0, "code": "missed-capture", "level": "warning", "at": ["B2"]}
        made.desk.add({**missed, "evidence": ["capturing move: 2", "left: 1"]})
        found[rules] = made.due(40.0)
    assert found == {"cn1988": ["clock-before-clear"], "cn2002": []}


# A13: colours swapped


def test_a13_wrong_colours_are_reported_and_put_right_up_to_move_10(table: Table) -> None:
    table.stone("B", "E5", 10.0)
    state = table.rule("report", code="colours-swapped")
    assert state.alerts[0].facts["moves left to correct"] == "9"
    swapped = table.rule("uphold", 1)
    assert (swapped.players, swapped.alerts[0].mood) == (("Wang Fang", "Li Hua"), AlertMood.UPHELD)


def test_a13_after_move_10_it_stays_as_it_is(table: Table) -> None:
    table.rule("report", code="colours-swapped")
    for number in range(11):
        table.stone("BW"[number % 2], f"{'ABCDEFGHJ'[number % 9]}{1 + 2 * (number // 9)}", 10.0 * (number + 1))
    assert table.alert.mood is AlertMood.LAPSED
    with pytest.raises(UsageError, match="up to move 10 only"):
        table.rule("swap")


# A21: over time


def test_a21_who_is_over_time_loses(table: Table) -> None:
    table.clock("start", 0)
    assert table.due(3600.0) == []  # within the uncertainty: he may be pressing now
    assert table.due(3601.0) == ["over-time"]
    assert (table.alert.offender, table.alert.t, table.due(3602.0)) == (B, 3600.0, [])
    state = table.rule("uphold", 1)
    assert (state.phase, state.ending and state.ending.sgf) == (Phase.OVER, "W+T")


def test_a21_on_request_it_is_a_pass_and_the_game_goes_on(table: Table) -> None:
    """cn2002 22.5: 改判弃权一次，允许续弈，继续实施原先读秒方式."""
    table.clock("start", 0).due(3601.0)
    state = table.rule("uphold", 1, **{"as": ["pass"]})
    assert (state.moves[-1].point, state.to_play, state.phase) == (None, W, Phase.PLAYING)
    assert state.clock is not None
    assert (state.clock.running, state.clock.left[B].periods, state.clock.left[B].period) == (W, 1, 60_000)
    assert table.due(3650.0) == []
    table.clock("press", 3660.0, "W")
    assert table.due(3719.0) == []
    assert table.due(3721.0) == ["over-time"]


def test_a21_without_byo_yomi_there_is_nothing_to_go_on_in(tmp_path: Path) -> None:
    absolute = Table(tmp_path, time="10m")
    absolute.clock("start", 0).due(700.0)
    with pytest.raises(UsageError, match="there is no byo-yomi to go on in: the game is played with 10m"):
        absolute.rule("uphold", 1, **{"as": ["pass"]})
    assert absolute.rule("uphold", 1).phase is Phase.OVER


def test_a21_a_press_in_time_is_no_matter(table: Table) -> None:
    table.clock("start", 0).clock("press", 3599.9, "B")
    assert table.due(3605.0) == []


def test_a21_captures_in_byo_yomi_are_timed_by_the_code_of_2002_and_not_by_the_older_one(tmp_path: Path) -> None:
    """The row "captures in byo-yomi" of the rulings compared: the last minute began at 3540 s."""
    found = {}
    for rules in ("cn1988", "cn2002"):
        made = Table(tmp_path, rules)
        made.clock("start", 0).stone("B", "E5", 3590.0, captures=("A1", "A2"))
        made.cleared(3604.0, "A1", "A2").clock("press", 3605.0, "B")
        found[rules] = made.due(3610.0)
    assert found == {"cn1988": [], "cn2002": ["over-time"]}


def test_a21_time_out_in_the_last_minute_loses_under_both_codes_and_only_the_new_one_offers_a_pass() -> None:
    offers = {name: TABLE.code(name).ruling("over-time") for name in ("cn1988", "cn2002")}
    assert [offers[name].prescribed for name in offers] == [("loss",), ("loss",)]
    assert (offers["cn1988"].others, offers["cn2002"].others) == ((), (("pass",),))


# A22: late


def late(table: Table, minutes: float, color: str = "W", **more: Any) -> Table:
    table.clock("start", 0, absent=[color], **more)
    return table.clock("arrive", 60 * minutes, color)


def test_a22_who_comes_within_the_limit_loses_twice_the_time(table: Table) -> None:
    table.clock("start", 0, absent=["W"])
    assert table.due(1.0) == ["late"]
    assert table.alert.level == "info"
    table.clock("arrive", 600, "W")
    assert table.due(601.0) == ["late"]
    state = table.rule("uphold", 2)
    assert main(state, W, 601.0) == 55 * 60 - 1200
    assert main(table.rule("undo", row=state.revision), W, 601.0) == 55 * 60


def test_a22_the_older_code_takes_it_off_once(tmp_path: Path) -> None:
    old = late(Table(tmp_path, "cn1988"), 10)
    assert old.due(601.0) == ["late"]
    assert main(old.rule("uphold", 1), W, 601.0) == 55 * 60 - 600


@pytest.mark.parametrize(
    ("minutes", "same_house", "lost"),
    [(59.9, False, False), (60.0, False, False), (60.1, False, True), (14.9, True, False), (15.1, True, True)],
)
def test_a22_beyond_an_hour_or_a_quarter_where_the_players_live_the_game_is_lost(
    minutes: float, same_house: bool, lost: bool, table: Table
) -> None:
    late(table, minutes, same_house=same_house).clock("pause", 60 * minutes)
    assert table.due(60 * minutes + 1) == ["late"]
    assert ruling_for(table.state.code, table.alert).prescribed == (("loss",) if lost else ("clock",))
    state = table.rule("uphold", 1)
    assert (state.ending and state.ending.sgf) == ("B+F" if lost else None)


def test_a22_both_beyond_the_limit_lose_both(table: Table) -> None:
    table.clock("start", 0, absent=["B", "W"]).clock("pause", 1)
    assert table.due(3601.0) == ["late", "late"]
    state = table.rule("uphold", 1)
    assert state.ending is not None
    assert state.ending.zh == "双方均负"


def test_a22_after_a_pause_the_clock_simply_runs(table: Table) -> None:
    table.clock("start", 0).clock("pause", 10).clock("resume", 5000)
    assert table.due(5100.0) == []
    assert main(table.state, B, 5100.0) == 55 * 60 - 110


def test_a22_in_fast_games_the_time_is_counted_down_in_absence(tmp_path: Path) -> None:
    fast = Table(tmp_path, time="3x30s")
    fast.clock("start", 0, absent=["B"])
    assert fast.due(1.0) == ["late"]
    assert fast.alert.facts["count down"] == "his time is counted down in his absence"
    assert fast.due(91.0) == ["over-time"]


def test_a22_without_a_clock_a_person_tells_how_late(table: Table) -> None:
    table.rule("report", code="late", color="W", minutes=10)
    assert (table.alert.facts["late minutes"], table.alert.facts["deduct ms"]) == ("10.0", "1200000")
    assert "White, 10 min: late" in table.alert.told["text"]["en"]
    assert "白方（10分钟）疑似迟到" in table.alert.told["text"]["zh"]
    for minutes in (-1.0, 1441.0, math.inf, math.nan):
        with pytest.raises(UsageError, match="minutes late cannot be: from 0 to 1440"):
            table.rule("report", code="late", color="W", minutes=minutes)
    table.rule("report", code="late", color="W", minutes=20, same_house=True)
    assert ruling_for(table.state.code, table.alert).prescribed == ("loss",)
    with pytest.raises(UsageError, match="this report cannot be read"):
        table.rule("report", code="late", color="green")


# A23: away from the board


def byo_yomi(table: Table) -> Table:
    """Both are in byo-yomi, and it is Black's turn."""
    return table.clock("start", 0).clock("press", 3310, "B").clock("press", 6630, "W")


def test_a23_leaving_in_byo_yomi_needs_leave_and_the_opponents_time(table: Table) -> None:
    byo_yomi(table).clock("leave", 6635, "W", permitted=True).clock("return", 6650, "W")
    assert table.due(6651.0) == []
    table.clock("leave", 6660, "B")
    assert table.due(6661.0) == ["absent"]
    assert table.alert.facts["in byo-yomi"] == "in his own time, without leave"
    assert (table.alert.offender, table.state.code.ruling("absent").article) == (B, "22.7")


def test_a23_only_once_a_game(table: Table) -> None:
    byo_yomi(table).clock("leave", 6635, "W", permitted=True).clock("return", 6650, "W")
    table.clock("leave", 6655, "W", permitted=True)
    assert table.due(6656.0) == ["absent"]
    assert table.alert.facts["in byo-yomi"] == "for the 2. time"


def test_a23_who_comes_back_is_shown_the_last_move(table: Table) -> None:
    table.clock("start", 0).clock("leave", 5, "W").stone("B", "E5", 10.0).clock("return", 60, "W")
    assert table.due(61.0) == ["absent"]
    assert (table.alert.level, table.alert.facts["show"]) == ("info", "E5 was played meanwhile")


def test_a23_leaving_in_the_main_time_is_free(table: Table) -> None:
    table.clock("start", 0).clock("leave", 5, "B").clock("return", 60, "B")
    assert table.due(61.0) == []


# What people report


def test_everything_can_be_reported_by_a_person(table: Table) -> None:
    table.stone("B", "E5", 10.0)
    for code in TABLE.kinds:
        state = table.rule("report", code=code, color="B", at=["E5"], note="seen at the board")
        assert (state.alerts[-1].code, state.alerts[-1].offender) == (code, B)
        assert state.alerts[-1].facts["reported by"] == "operator"


games = st.lists(st.tuples(st.integers(300, 5000), st.one_of(st.none(), st.integers(0, 2000))), max_size=20)


@given(games)
def test_who_presses_after_his_stone_or_forgets_to_is_never_blamed(game: list[tuple[int, int | None]]) -> None:
    """Stones in turn, each with a press some time after it, but before the same player's next stone, or without one."""
    stones, now = [], 0
    for number, (wait, _) in enumerate(game):
        now += wait
        stones.append(SeenMove(number, number + 1, (B, W)[number % 2], Point(number, 0), now - 200, now, 0))
    story = ClockStory(TABLE.code("cn2002").time, B, parse_control("9h"))
    story.add({"type": "clock", "id": 1, "do": "start", "t": 0})
    for number, (_, press) in enumerate(game):
        before_next = stones[number + 2].latest - 201 if number + 2 < len(stones) else 10**9
        if press is not None:
            t = min(stones[number].latest + press, before_next)
            row = {"type": "clock", "id": 100 + number, "do": "press", "t": t / 1000, "uncertainty_ms": 0}
            story.add({**row, "color": stones[number].colour.value})
    clock = story.state()
    assert clock is not None
    assert not any(pair.early for pair in pairs(clock.presses, stones))


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"code": "sneezed"}, "'sneezed' is no alert code"),
        ({"code": "late", "at": ["Q16"]}, "Q16 is not on this board"),
    ],
)
def test_a_report_that_cannot_be_changes_nothing(fields: dict[str, Any], sentence: str, table: Table) -> None:
    before = table.state.revision
    with pytest.raises(UsageError, match=sentence):
        table.rule("report", **fields)
    assert table.state.revision == before
