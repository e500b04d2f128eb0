"""Rows of a clock: from a feed or a file, in the journal, and in the record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sgfmill import sgf

from kifuwatch.arbiter.desk_state import DeskState
from kifuwatch.core.errors import FileFormatError, InputError, UsageError
from kifuwatch.core.points import Colour
from kifuwatch.record.clock_journal import clock_json, moment_of, read_clock
from kifuwatch.record.desk_journal import DeskJournal
from kifuwatch.record.desk_sgf import desk_to_sgf
from kifuwatch.record.journal import Journal
from tests.record.test_clock_journal import TABLE, Table

W = Colour.WHITE


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def test_a_row_that_cannot_be_is_not_written(table: Table) -> None:
    before = table.state.revision
    with pytest.raises(UsageError, match="say with true_ms what both have used together"):
        table.clock("fault", 0.0, lost=True)
    with pytest.raises(UsageError, match="is nothing that a clock does"):
        table.clock("strike", 1.0)
    assert table.state.revision == before


def test_a_time_control_that_is_none_is_told_before_anything_is_written(tmp_path: Path) -> None:
    desk = DeskJournal(Journal.create(tmp_path / "game.db"), TABLE)
    with pytest.raises(UsageError, match="'soon' is no time control"):
        desk.begin(9, time="soon")
    assert desk.journal.rows() == []


def test_call_outs_are_told_ahead(tmp_path: Path) -> None:
    fast = Table(tmp_path, time="1m kept 1")
    fast.clock("start", 0.0)
    clock = fast.state.clock
    assert clock is not None
    told = clock_json(clock, 45.0)
    assert [(call["t"], call["text"]["zh"]) for call in told["calls"]][:3] == [(50.0, "50秒"), (51.0, "1"), (52.0, "2")]
    assert (told["B"]["period_ms"], told["B"]["in_overtime"], told["running"]) == (15_000, True, "B")
    assert clock_json(clock, 61.0)["calls"] == []


def test_white_begins_where_black_is_given_stones(tmp_path: Path) -> None:
    desk = DeskJournal(Journal.create(tmp_path / "given.db"), TABLE)
    desk.begin(9, handicap=2, time="10m")
    desk.clock({"do": "start", "t": 0})
    clock = desk.state().clock
    assert clock is not None
    assert clock.running is W


def test_a_row_without_its_time_is_of_this_moment() -> None:
    rows: list[dict[str, Any]] = [
        {"type": "game", "at_time": "2026-05-01T10:00:00.000+00:00"},
        {"type": "move", "t": 9.0, "seen": 10.0, "at_time": "2026-05-01T10:00:12.000+00:00"},
        {"type": "move", "t": 19.5, "seen": 20.0, "at_time": "2026-05-01T10:00:20.500+00:00"},
    ]
    assert moment_of(rows, "2026-05-01T10:01:00.500+00:00") == 60.0
    with pytest.raises(UsageError, match="nothing has been recorded yet"):
        moment_of(rows[:1], "2026-05-01T10:01:00+00:00")


def test_a_file_of_clock_rows(tmp_path: Path) -> None:
    path = tmp_path / "clock.jsonl"
    path.write_text('{"t": 0, "do": "start"}\n\n{"type": "clock", "t": 5, "do": "press", "color": "B"}\n', "utf-8")
    assert [row["do"] for row in read_clock(path)] == ["start", "press"]
    for text, sentence in (
        ('{"t": 0, "do": "start"}\n{"t": 1', "line 2: this is no JSON"),
        ('{"t": 0, "do": "strike"}', "line 1: 'strike' is nothing that a clock does"),
        ('{"type": "move"}', "line 1: this is no row of a clock"),
        ("[]", "line 1: this is no row of a clock"),
    ):
        path.write_text(text, "utf-8")
        with pytest.raises(FileFormatError, match=sentence):
            read_clock(path)
    with pytest.raises(InputError, match="cannot read"):
        read_clock(tmp_path / "none.jsonl")


# The record: BL WL OB OW only from a real clock


def node_times(state: DeskState) -> list[dict[str, float]]:
    game = sgf.Sgf_game.from_bytes(desk_to_sgf(state))
    names = ("BL", "WL", "OB", "OW")
    return [{n: float(node.get(n)) for n in names if node.has_property(n)} for node in game.get_main_sequence()[1:]]


def test_the_record_has_the_times_of_a_clock_and_no_others(table: Table) -> None:
    table.stone("B", "E5", 10.0).stone("W", "C3", 15.0)
    assert node_times(table.state) == [{}, {}]
    table.clock("start", 0).clock("press", 10.5, "B").clock("press", 15.5, "W", white_ms=3_290_000)
    assert node_times(table.state) == [{"BL": 3289.5}, {"WL": 3290.0}]
    root = sgf.Sgf_game.from_bytes(desk_to_sgf(table.state)).get_root()
    assert (root.get("TM"), root.get("OT")) == (3600.0, "5x60 kept within the limit (保留5次)")


def test_the_record_counts_the_periods_in_byo_yomi(table: Table) -> None:
    table.clock("start", 0).stone("B", "E5", 3420.0).clock("press", 3421.0, "B")
    assert node_times(table.state) == [{"BL": 60.0, "OB": 3.0}]


def test_moves_a_period_are_counted_as_sgf_wants(tmp_path: Path) -> None:
    canadian = Table(tmp_path, time="1m+25/10m")
    canadian.clock("start", 0).stone("B", "E5", 70.0).clock("press", 71.0, "B")
    assert node_times(canadian.state) == [{"BL": 589.0, "OB": 24.0}]


def test_json_of_rows_is_what_the_journal_holds(table: Table) -> None:
    table.clock("start", 0).clock("press", 10.0, "B").stone("B", "E5", 10.9)
    (row,) = table.desk.raise_due(12.0)
    stored = table.desk.journal.rows()[-1]
    assert {key: stored[key] for key in row} == json.loads(json.dumps(row))
    assert (row["color"], row["articles"]["cn2002"]) == ("B", "17.4")
