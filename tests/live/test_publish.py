"""Games as plain files for any host."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.live.config import Delay
from kifuwatch.live.games import GameStore
from kifuwatch.live.layout import Published, layout
from kifuwatch.live.publishing import Publisher
from kifuwatch.live.setup import GameSetup
from kifuwatch.record.desk_journal import DeskJournal
from kifuwatch.record.journal import Journal
from kifuwatch.record.sgf_game import game_of_bytes
from tests.live.material import Clock


def game(store: GameStore, board: str, **setup: Any) -> str:
    """A game that is being recorded."""
    made = store.create(GameSetup("test:", board, size=9, **setup))
    play(store, made, "E5", "C3")
    return made


def play(store: GameStore, made: str, *points: str) -> None:
    with Journal.open(store.journal(made)) as journal:
        number = sum(row["type"] == "move" for row in journal.rows())
        for at in points:
            number += 1
            journal.append({"type": "move", "t": 1.0 * number, "number": number, "color": "WB"[number % 2], "at": at})


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_event_is_laid_out_by_round_and_board(tmp_path: Path) -> None:
    store = GameStore(tmp_path / "home", lambda: datetime(2026, 11, 30, 10))
    first = game(store, "1", event="Autumn Cup", round="1", black="Li", white="Wang", black_rank="5d")
    game(store, "2", event="Autumn Cup", round="1")
    game(store, "1", event="Autumn Cup", round="round 2")
    game(store, "3", event="秋季杯")
    with Journal.open(store.journal(first)) as journal:
        DeskJournal(journal).rule({"do": "resign", "color": "W"})
    publisher = Publisher(store, tmp_path / "public", Delay())
    assert publisher.publish() == len(tree(tmp_path / "public"))
    files = tree(tmp_path / "public")
    assert sorted(files) == sorted(
        [
            "index.json",
            "autumn-cup/tournament.json",
            *[f"autumn-cup/round-1/{name}" for name in ("index.json", "all.sgf")],
            *[f"autumn-cup/round-1/board-{n}.{kind}" for n in (1, 2) for kind in ("json", "sgf")],
            *[f"autumn-cup/round-2/{name}" for name in ("index.json", "all.sgf", "board-1.json", "board-1.sgf")],
            "秋季杯/tournament.json",
            *[f"秋季杯/round-1/{name}" for name in ("index.json", "all.sgf", "board-3.json", "board-3.sgf")],
        ]
    )
    assert json.loads(files["autumn-cup/tournament.json"])["live_round"] == 2
    pairings = json.loads(files["autumn-cup/round-1/index.json"])["pairings"]
    assert pairings[0] == {
        "board": "1",
        "black": {"name": "Li", "rank": "5d"},
        "white": {"name": "Wang", "rank": ""},
        "result": "B+R",
        "live": False,
        "moves": 2,
        "game": "board-1.json",
        "sgf": "board-1.sgf",
    }
    assert game_of_bytes(files["autumn-cup/round-1/board-1.sgf"]).players == ("Li", "Wang")
    assert files["autumn-cup/round-1/all.sgf"].count(b"GM[1]") == 2
    assert "source" not in files["autumn-cup/round-1/board-1.json"].decode()
    publisher.close()


def test_only_what_has_changed_is_written(tmp_path: Path) -> None:
    store = GameStore(tmp_path / "home")
    made = game(store, "1", event="Cup")
    game(store, "2", event="Cup")
    publisher = Publisher(store, tmp_path / "public", Delay())
    publisher.publish()
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "public").rglob("*") if path.is_file()}
    assert publisher.publish() == 0
    play(store, made, "G7")
    assert publisher.publish() == 4
    changed = {path.name for path, when in before.items() if path.stat().st_mtime_ns != when}
    assert changed == {"board-1.json", "board-1.sgf", "index.json", "all.sgf"}
    again = Publisher(store, tmp_path / "public", Delay())
    assert again.publish() == 0, "another run finds the files as they should be"
    publisher.close()
    again.close()


def test_files_are_behind_by_the_delay(tmp_path: Path) -> None:
    store, clock = GameStore(tmp_path / "home"), Clock()
    clock.now = datetime.now().timestamp()
    made = game(store, "1", event="Cup")
    publisher = Publisher(store, tmp_path / "public", Delay(60, 1), clock, clock)
    assert publisher.publish() == 1, "of a game of which nothing may be known there is only the empty list"
    clock.now += 62
    publisher.publish()
    read = tmp_path / "public" / "cup" / "round-1" / "board-1.json"
    assert [move["at"] for move in json.loads(read.read_bytes())["moves"]] == ["E5"]
    play(store, made, "G7")
    publisher.publish()
    assert len(json.loads(read.read_bytes())["moves"]) == 1
    publisher.close()


def test_a_journal_that_cannot_be_read_is_named_and_the_others_are_published(tmp_path: Path) -> None:
    store = GameStore(tmp_path / "home")
    broken = game(store, "1", event="Cup")
    game(store, "2", event="Cup")
    store.journal(broken).write_bytes(b"no journal at all, but long enough to be looked at" * 50)
    publisher = Publisher(store, tmp_path / "public", Delay())
    publisher.publish()
    assert list(publisher.faults) == [broken]
    assert (tmp_path / "public" / "cup" / "round-1" / "board-2.sgf").is_file()
    publisher.close()


@given(event=st.text(max_size=80), number=st.text(max_size=20), board=st.sampled_from(["1", "A-2", "x_3"]))
def test_no_name_of_an_event_leads_out_of_the_folder(event: str, number: str, board: str) -> None:
    players = {"black": {"name": "", "rank": ""}, "white": {"name": "", "rank": ""}}
    state = {"event": event, "round": number, "board": board, "game_id": "g", "phase": "playing", "recorded": ""}
    made = layout([Published(state | {"players": players, "result": None, "moves": [], "date": ""}, b"(;)")])
    for path in made:
        assert all(part not in {"", ".", ".."} and "\\" not in part and "\0" not in part for part in path.split("/"))
        assert path.count("/") <= 2
        assert len(path.split("/")[0].encode()) <= 255
