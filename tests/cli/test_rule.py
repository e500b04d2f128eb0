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


def test_files_that_are_none(call: Run, journal: Path, tmp_path: Path) -> None:
    assert call("journal", tmp_path / "none.db").status == 4
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"type": "board-found", "size": 9}\nhello\n', encoding="utf-8")
    assert "bad.jsonl, line 2: this is no event" in call("journal", tmp_path / "new.db", "--from", bad).sentence
    assert not (tmp_path / "new.db").exists()
    again = call("journal", journal, "--from", tmp_path / "game.jsonl")
    assert (again.status, "never overwritten" in again.sentence) == (6, True)
