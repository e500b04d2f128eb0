"""The labelled cases and real game records: every move must be judged as they say."""

from __future__ import annotations

import csv
import json
from functools import cache
from typing import Any

import pytest
from sgfmill import sgf

from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.rules import Fault, Game, Play
from tests.rules.boards import SHARED, move, play

pytestmark = pytest.mark.skipif(not SHARED.is_dir(), reason="the labelled data (../shared) is not here")
KNOWN_FAULTS = {"occupied": Fault.OCCUPIED, "suicide": Fault.SUICIDE}


def cases() -> list[dict[str, Any]]:
    path = SHARED / "rules" / "cases.json"
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8")) if path.is_file() else []
    return found


@cache
def records() -> dict[str, dict[str, Any]]:
    """The main lines of the real records, by file."""
    lines = (SHARED / "sgf" / "moves.jsonl").read_text("utf-8").splitlines()
    return {record["file"]: record for record in map(json.loads, lines) if "error" not in record}


@cache
def manifest() -> dict[str, dict[str, str]]:
    with (SHARED / "sgf" / "manifest.csv").open(encoding="utf-8", newline="") as file:
        return {row["file"]: row for row in csv.DictReader(file)}


@cache
def replayed(file: str) -> Game:
    record = records()[file]
    stones = {Point.parse(at): cell for key, cell in (("AB", "X"), ("AW", "O")) for at in record[key]}
    line = [move(colour, at) for colour, at, *_ in record["moves"]]
    start = Layout.empty(record["size"]).replaced(stones)
    return play(Game.of(start, line[0][0]), line)


def judged(play: Play) -> dict[str, Any]:
    """A play in the words of the cases."""
    return {
        "captured": len(play.captured),
        "occupied": Fault.OCCUPIED in play.faults,
        "suicide": len(play.self_captured),
        "simple_ko": Fault.KO in play.faults,
        "psk": play.positional.earlier if play.positional else None,
        "ssk": play.situational.earlier if play.situational else None,
        "illegal_all": bool(play.faults & (Fault.OCCUPIED | Fault.OFF_BOARD)),
        "board": play.position.layout.rows,
    }


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["name"])
def test_case(case: dict[str, Any]) -> None:
    line = [move(*wanted["move"].split()) for wanted in case["moves"]]
    game = play(Game.of(Layout.from_rows(case["setup"]), line[0][0]), line)
    for wanted, one in zip(case["moves"], game.plays, strict=True):
        got = judged(one)
        assert {key: got[key] for key in wanted if key != "move"} == {
            key: value for key, value in wanted.items() if key != "move"
        }, wanted["move"]
        assert bool(one.faults & (Fault.KO | Fault.SUICIDE | Fault.OCCUPIED)) == bool(
            wanted.get("simple_ko") or wanted.get("suicide") or wanted["occupied"]
        )


def test_every_record_that_can_be_parsed_is_here() -> None:
    assert len(records()) == 132
    assert set(manifest()) > set(records())


def test_records_have_the_same_captures_marks_and_final_board() -> None:
    for file, record in records().items():
        game = replayed(file)
        assert game.position.layout.rows == record["final"], file
        for number, (wanted, one) in enumerate(zip(record["moves"], game.plays, strict=True), 1):
            marked = KNOWN_FAULTS[wanted[3]] if len(wanted) > 3 else Fault.NONE
            where = f"{file}, move {number}"
            assert len(one.captured) == wanted[2], where
            assert one.faults & (Fault.OCCUPIED | Fault.SUICIDE) == marked, where


def counted(plays: tuple[Play, ...]) -> dict[str, int]:
    """What the manifest counts in a record."""

    def having(fault: Fault) -> int:
        return sum(fault in one.faults for one in plays)

    return {
        "moves": len(plays),
        "passes": sum(one.point is None for one in plays),
        "caps": sum(len(one.captured) for one in plays),
        "capst": sum(bool(one.captured) for one in plays),
        "maxcap": max(len(one.captured) for one in plays),
        "kocap": sum(one.position.ko_point is not None for one in plays),
        "simpleko": having(Fault.KO),
        "psk": having(Fault.POSITIONAL_REPEAT),
        "ssk": having(Fault.SITUATIONAL_REPEAT),
        "suic1": sum(len(one.self_captured) == 1 for one in plays),
        "suicN": sum(len(one.self_captured) > 1 for one in plays),
        "occ": having(Fault.OCCUPIED),
        "samecol": having(Fault.OUT_OF_TURN),
    }


def test_records_have_the_counts_of_the_manifest() -> None:
    for file in records():
        got, row = counted(replayed(file).plays), manifest()[file]
        assert got == {key: int(row[key]) for key in got}, file


def test_repetitions_are_those_of_the_manifest() -> None:
    """The manifest writes the first four as (move, earlier move, cycle length)."""
    told = 0
    for file in records():
        note = manifest()[file]["note"]
        if not note.startswith("repetition events"):
            continue
        plays = enumerate(replayed(file).plays, 1)
        found = [[n, r.earlier, r.cycle] for n, one in plays if (r := one.positional) is not None]
        assert note.endswith(f": {json.dumps(found[:4])}; total {len(found)}"), file
        told += 1
    assert told == 14


def exotics() -> dict[str, sgf.Sgf_game]:
    paths = sorted((SHARED / "sgf" / "exotics").glob("*.sgf"))
    return {path.stem: sgf.Sgf_game.from_bytes(path.read_bytes()) for path in paths}


def set_up(record: sgf.Sgf_game, to_play: Colour) -> Game:
    """The game that starts from the stones that a record sets up, in whichever node."""
    stones: dict[Point, str] = {}
    for node in record.main_sequence_iter():
        black, white, _ = node.get_setup_stones()
        stones |= {Point(col, row): "X" for row, col in black} | {Point(col, row): "O" for row, col in white}
    return Game.of(Layout.empty(record.get_size()).replaced(stones), to_play)


def test_exotic_positions_have_no_chain_without_liberties() -> None:
    assert len(exotics()) == 11
    for name, record in exotics().items():
        start = set_up(record, Colour.BLACK).start
        assert start.chains_without_liberties(Colour.BLACK) == (), name
        assert start.chains_without_liberties(Colour.WHITE) == (), name


def test_a_joseki_with_a_ko_is_legal_to_its_end() -> None:
    game = Game.empty(19)
    for node in exotics()["onadare_ko"].main_sequence_iter():
        letter, at = node.get_move()
        if letter is not None:
            game = game.play_legal(Colour(letter.upper()), at and Point(at[1], at[0]))
    assert len(game) == 37


def test_an_exotic_triple_ko_comes_round_after_six() -> None:
    game = set_up(exotics()["threeko2"], Colour.BLACK)
    line = [move(*one.split()) for one in ["B A4", "W E1", "B D4", "W A5", "B F1", "W D3"]]
    game = play(game, line)
    assert [len(one.captured) for one in game.plays] == [1] * 6
    assert [one.situational and one.situational.cycle for one in game.plays] == [None] * 5 + [6]
