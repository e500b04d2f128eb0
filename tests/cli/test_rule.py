"""``kifuwatch journal`` and ``kifuwatch rule``: the desk on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

EVENTS = [
    {"type": "board-found", "t": 0.0, "size": 9},
    {"type": "move", "t": 1.0, "number": 1, "color": "B", "at": "E5"},
    {"type": "move", "t": 2.0, "number": 2, "color": "B", "at": "C3"},
    {
        "type": "alert",
        "t": 2.0,
        "code": "two-moves",
        "level": "warning",
        "at": ["E5", "C3"],
        "move": 1,
        "text": {"en": "two moves in a row", "zh": "连下两着"},
    },
]


@pytest.fixture
def journal(call: Run, tmp_path: Path) -> Path:
    events = tmp_path / "game.jsonl"
    events.write_text("".join(json.dumps(row) + "\n" for row in EVENTS), encoding="utf-8")
    assert call("journal", tmp_path / "game.db", "--from", events, "--black", "Li Hua").status == 0
    return tmp_path / "game.db"


def test_how_a_game_stands(call: Run, journal: Path) -> None:
    ended = call("journal", journal)
    assert "1. [open] two moves in a row" in ended.out
    assert "1.〔待裁决〕连下两着" in call("journal", journal, "--lang", "zh").out
    found = json.loads(call("journal", journal, "--json").out)
    assert (found["black"], found["rules"], found["phase"]) == ("Li Hua", "cn2002", "playing")
    assert found["alerts"][0]["prescribed"] == ["void", "warning"]


def test_a_ruling_changes_record_ledger_and_turn(call: Run, journal: Path) -> None:
    found = json.loads(call("rule", journal, "uphold", 1, "--json").out)
    assert ([move["at"] for move in found["moves"]], found["to_play"]) == (["E5"], "W")
    assert (found["warnings"], found["to_put_right"]) == ({"B": 1, "W": 0}, {"C3": "."})
    back = json.loads(call("rule", journal, "undo", found["revision"], "--json").out)
    assert [move["at"] for move in back["moves"]] == ["E5", "C3"]
    assert "Warnings" not in call("journal", journal).out


def test_another_ruling_than_the_prescribed(call: Run, journal: Path) -> None:
    found = json.loads(call("rule", journal, "uphold", 1, "--as", "was-pass", "--json").out)
    assert [move["at"] for move in found["moves"]] == ["E5", "pass", "C3"]


def test_the_record_with_its_rulings(call: Run, journal: Path, tmp_path: Path) -> None:
    call("rule", journal, "uphold", 1)
    assert call("journal", journal, "--sgf", tmp_path / "game.sgf").status == 0
    text = (tmp_path / "game.sgf").read_text(encoding="utf-8")
    assert "警告一次" in text
    assert "KO[]" in text
    assert call("journal", journal, "--sgf", tmp_path / "game.sgf").status == 6


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("uphold", "2"), "there is no alert 2: the game has 1"),
        (("uphold", "x"), "uphold needs the number of an alert, and 'x' is none"),
        (("uphold",), "uphold needs the number of an alert, and nothing is given"),
        (("warn", "green"), "'green' is no colour"),
        (("point", "Q99", "black"), "'Q99' is not a point"),
        (("point", "C3"), "point needs a point and what lies there"),
        (("dead",), "dead needs one stone of each dead chain, or none"),
        (("dead", "C3"), "dead chains are named when both have agreed on the end"),
        (("pause", "now"), "pause needs nothing more"),
        (("sing",), "'sing' is no ruling"),
        (("undo", "1"), "row 1 of the journal is no ruling that could be undone"),
    ],
)
def test_rulings_that_cannot_be(call: Run, journal: Path, words: tuple[str, ...], sentence: str) -> None:
    before = json.loads(call("journal", journal, "--json").out)
    ended = call("rule", journal, *words)
    assert (ended.status, ended.out) == (2, "")
    assert sentence in ended.sentence
    assert json.loads(call("journal", journal, "--json").out) == before


def test_events_that_a_crash_cut_off(call: Run, tmp_path: Path) -> None:
    events = tmp_path / "game.jsonl"
    whole = "".join(json.dumps(row) + "\n" for row in EVENTS)
    events.write_text(whole + '{"type": "mo', encoding="utf-8")
    ended = call("journal", tmp_path / "game.db", "--from", events)
    assert ended.status == 0
    assert ended.sentence == f"kifuwatch: {events}, line {len(EVENTS) + 1} is cut off: left out"
    assert len(json.loads(call("journal", tmp_path / "game.db", "--json").out)["alerts"]) == 1


def test_files_that_are_none(call: Run, journal: Path, tmp_path: Path) -> None:
    assert call("journal", tmp_path / "none.db").status == 4
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"type": "board-found", "size": 9}\nhello\n', encoding="utf-8")
    assert "bad.jsonl, line 2: this is no event" in call("journal", tmp_path / "new.db", "--from", bad).sentence
    assert not (tmp_path / "new.db").exists()
    again = call("journal", journal, "--from", tmp_path / "game.jsonl")
    assert (again.status, "never overwritten" in again.sentence) == (6, True)


# The clock, reports and corrections


def test_a_clock_from_a_file(call: Run, tmp_path: Path) -> None:
    events = tmp_path / "timed.jsonl"
    events.write_text("".join(json.dumps(row) + "\n" for row in EVENTS[:2]), encoding="utf-8")
    clock = tmp_path / "clock.jsonl"
    rows = [{"t": 0, "do": "start"}, {"t": 0.5, "do": "press", "color": "B"}, {"t": 400, "do": "reading"}]
    clock.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    made = ("journal", tmp_path / "timed.db", "--from", events, "--time", "6m kept 1", "--clock", clock)
    ended = call(*made)
    assert ended.status == 0
    assert "Time: 6 min, the last 1 × 1 min of it byo-yomi." in ended.out
    assert "White: over time" in ended.out
    assert "Black: 5:00 left" in ended.out  # pressed after half a second: rounded up, as clocks do
    assert "over time (cn2002 Art. 22.5)" in ended.out
    assert "白：超时" in call("journal", tmp_path / "timed.db", "--lang", "zh").out
    found = json.loads(call("journal", tmp_path / "timed.db", "--json").out)
    assert (found["clock"]["W"]["over_time"], found["clock"]["control"]["text"]) == (True, "6m kept 1")
    assert [alert["code"] for alert in found["alerts"]] == ["over-time"]


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--rules", "jp", "--black", "Other", "--komi", "3"), "--rules and --black and --komi belong to making"),
        (("--time", "90m"), "--time belongs to making"),
        (("--rules", "cn2002"), "--rules belongs to making"),
        (("--handicap", "0", "--white", "", "--event", "Cup"), "--white and --event and --handicap belong to making"),
    ],
)
def test_what_game_it_is_cannot_be_said_of_a_journal_that_exists(
    call: Run, journal: Path, options: tuple[str, ...], named: str
) -> None:
    before = call("journal", journal, "--json").out
    ended = call("journal", journal, *options)
    assert (ended.status, ended.out) == (2, "")
    assert f"{named} a journal, with --from" in ended.sentence
    assert call("journal", journal, "--json").out == before


def test_a_clock_without_a_time_control_is_said_to_lead_to_nothing(call: Run, journal: Path, tmp_path: Path) -> None:
    clock = tmp_path / "clock.jsonl"
    clock.write_text('{"t": 0, "do": "start"}\n', encoding="utf-8")
    assert "The journal has no time control" in call("journal", journal, "--clock", clock).sentence
    assert "日志没有用时规定" in call("journal", journal, "--clock", clock, "--lang", "zh").sentence
    refused = call("journal", journal, "--clock", clock, "--time", "2h kept 5")
    assert (refused.status, "--time belongs to making" in refused.sentence) == (2, True)


def test_a_time_control_that_is_none_leaves_no_journal(call: Run, tmp_path: Path) -> None:
    events = tmp_path / "game.jsonl"
    events.write_text(json.dumps(EVENTS[0]) + "\n", encoding="utf-8")
    ended = call("journal", tmp_path / "new.db", "--from", events, "--time", "soon")
    assert (ended.status, "'soon' is no time control" in ended.sentence) == (2, True)
    assert not (tmp_path / "new.db").exists()


def test_what_people_see_is_an_alert(call: Run, journal: Path) -> None:
    found = json.loads(call("rule", journal, "report", "late", "--color", "W", "--note", "ten minutes", "--json").out)
    assert [(a["code"], a["color"], a["prescribed"]) for a in found["alerts"][1:]] == [("late", "W", ["clock"])]
    assert "'sneeze' is no alert code" in call("rule", journal, "report", "sneeze").sentence


def test_what_people_report_of_a_stone_is_about_its_move(call: Run, journal: Path) -> None:
    def told(*words: str) -> str:
        found = json.loads(call("rule", journal, "report", *words, "--json").out)
        return str(found["alerts"][-1]["text"]["en"])

    assert told("ko-violation", "--color", "B", "--at", "E5").startswith("Move 1: Black E5: ko violation")
    assert told("moved-stone", "--at", "E5").startswith("Move 2: E5: moved stone")
    assert told("late", "--color", "W").startswith("Move 2: White: late")


def test_the_record_is_put_right_and_that_can_be_undone(call: Run, journal: Path) -> None:
    def moves(*words: object) -> list[str]:
        found = json.loads(call("rule", journal, *words, "--json").out)
        return [f"{move['color']} {move['at']}" for move in found["moves"]]

    assert moves("set-move", 2, "G7", "W") == ["B E5", "W G7"]
    assert moves("insert", 2, "C7", "B") == ["B E5", "B C7", "W G7"]
    assert moves("delete", 1) == ["B C7", "W G7"]
    assert moves("set-move", 1, "pass") == ["B pass", "W G7"]
    revision = json.loads(call("journal", journal, "--json").out)["revision"]
    assert moves("undo", revision) == ["B C7", "W G7"]
    assert moves("undo", revision - 1) == ["B E5", "B C7", "W G7"]
    assert "set-move needs the number of a move, a point" in call("rule", journal, "set-move", "x").sentence


def test_names_are_one_line_that_turns_nothing(call: Run, tmp_path: Path) -> None:
    """A name that turns the direction of writing would turn what stands beside it; half a character is no UTF-8."""
    events = tmp_path / "game.jsonl"
    events.write_text("".join(json.dumps(row) + "\n" for row in EVENTS), encoding="utf-8")
    path = tmp_path / "game.db"
    made = call("journal", path, "--from", events, "--black", "\u202eLi\n\x1b[1m Hua", "--white", "Wang\udcff")
    assert made.status == 0
    found = json.loads(call("journal", path, "--json").out)
    assert (found["black"], found["white"]) == ("Li [1m Hua", "Wang")


def test_a_journal_that_cannot_be_finished_is_not_left(call: Run, tmp_path: Path) -> None:
    events = tmp_path / "game.jsonl"
    rows = [*EVENTS, {"type": "clock", "t": 1.0, "do": "press", "color": "green"}]
    events.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ended = call("journal", tmp_path / "game.db", "--from", events)
    assert (ended.status, ended.out) == (2, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.jsonl"]


@pytest.mark.parametrize("komi", ["nan", "1e9"])
def test_a_komi_that_no_game_has(call: Run, tmp_path: Path, komi: str) -> None:
    events = tmp_path / "game.jsonl"
    events.write_text("".join(json.dumps(row) + "\n" for row in EVENTS), encoding="utf-8")
    ended = call("journal", tmp_path / "game.db", "--from", events, "--komi", komi)
    assert (ended.status, ended.err.count("\n")) == (2, 1)
    assert not (tmp_path / "game.db").exists()


def test_an_alert_with_nothing_to_uphold_says_what_can_be_done(call: Run, tmp_path: Path) -> None:
    events = tmp_path / "game.jsonl"
    lost = {**EVENTS[3], "code": "camera-lost", "at": []}
    events.write_text("".join(json.dumps(row) + "\n" for row in [*EVENTS[:3], lost]), encoding="utf-8")
    path = tmp_path / "game.db"
    assert call("journal", path, "--from", events).status == 0
    assert "reject it once it has been looked at" in call("rule", path, "uphold", 1).err


def test_a_journal_of_events_among_which_a_clock_tells(call: Run, tmp_path: Path) -> None:
    """What ``games export`` lays beside a journal holds its clock too."""
    events = tmp_path / "game.jsonl"
    rows = [*EVENTS, {"type": "clock", "t": 3.0, "do": "press", "color": "B"}]
    events.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    path = tmp_path / "game.db"
    assert call("journal", path, "--from", events, "--time", "10m").status == 0
    assert "left" in call("journal", path).out


def test_the_rules_of_an_event_are_found_from_another_folder(
    call: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "CUP.toml").write_text('base = "cn2002"\n[result]\nkomi = 6.5\n', encoding="utf-8")
    (tmp_path / "game.jsonl").write_text("".join(json.dumps(row) + "\n" for row in EVENTS), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert call("journal", "game.db", "--from", "game.jsonl", "--rules", "CUP.toml").status == 0
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert call("journal", tmp_path / "game.db").status == 0
