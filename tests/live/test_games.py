"""The store of games: one folder each, listed, packed and removed; what is broken is said and spoils nothing else."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import datetime
from pathlib import Path

import pytest

from kifuwatch.core.errors import InputError, KifuwatchError, OutputError, UsageError
from kifuwatch.live.games import EVIDENCE, JOURNAL, SGF, GameStore
from kifuwatch.live.hall import Hall
from kifuwatch.live.setup import GameSetup, StationStatus
from kifuwatch.record.desk_journal import DeskJournal
from kifuwatch.record.journal import Journal
from kifuwatch.record.lease import Lease
from kifuwatch.record.sgf_game import game_of_bytes, read_game

SETUP = GameSetup("test:", "3", 9, black="Li Hua", white="王芳", event="Spring Cup", round="2", komi=5.5)
ROWS = [
    {"type": "board-found", "t": 0.0, "size": 9, "corners": [[0, 0], [90, 0], [90, 90], [0, 90]]},
    {"type": "move", "t": 2.0, "seen": 2.5, "number": 1, "color": "B", "at": "E5", "captures": [], "inferred": False},
    {"type": "move", "t": 5.0, "seen": 5.5, "number": 2, "color": "W", "at": "C3", "captures": [], "inferred": False},
]


@pytest.fixture
def store(tmp_path: Path) -> GameStore:
    return GameStore(tmp_path / "home", lambda: datetime(2026, 5, 4, 9, 30))


@pytest.fixture
def game(store: GameStore) -> str:
    game_id = store.create(SETUP)
    with Journal.open(store.journal(game_id)) as journal:
        for row in ROWS:
            journal.append(row)
    return game_id


def test_a_game_is_listed_as_it_stands(store: GameStore, game: str) -> None:
    (entry,) = store.games()
    assert entry.game_id == game == "20260504-093000-3"
    assert (entry.board, entry.state, entry.started) == ("3", "recording", "2026-05-04 09:30")
    assert (entry.black, entry.white, entry.event, entry.round) == ("Li Hua", "王芳", "Spring Cup", "2")
    assert (entry.size, entry.moves, entry.alerts, entry.result) == (9, 2, 0, "")
    assert entry.bytes > 4096


def test_games_of_one_second_have_names_of_their_own(store: GameStore) -> None:
    names = [store.create(SETUP) for _ in range(3)]
    assert names == ["20260504-093000-3", "20260504-093000-3-2", "20260504-093000-3-3"]
    assert {entry.game_id for entry in store.games()} == set(names)
    assert store.unfinished() == [max(names)], "of each board the newest goes on"


def test_the_sgf_beside_the_journal_holds_rulings_too(store: GameStore, game: str) -> None:
    with Journal.open(store.journal(game)) as journal:
        DeskJournal(journal).rule({"do": "resign", "color": "W"})
    store.save_sgf(game)
    record = read_game(store.folder(game) / SGF)
    assert (record.players, record.komi, record.result.text) == (("Li Hua", "王芳"), 5.5, "B+R")
    times = json.loads((store.folder(game) / "game.times.json").read_text())
    assert [move["at"] for move in times["moves"]] == ["E5", "C3"]
    assert store.games()[0].result == "B+R"


def test_an_archive_holds_everything_and_can_be_opened_anywhere(store: GameStore, game: str, tmp_path: Path) -> None:
    store.save_sgf(game)
    (store.folder(game) / EVIDENCE / "move-001.jpg").write_bytes(b"a picture")
    with Journal.open(store.journal(game)):  # somebody has it open, as always while a game goes on
        whole = zipfile.ZipFile(io.BytesIO(store.archive(game)))
    names = {name.removeprefix(f"{game}/") for name in whole.namelist()}
    assert {JOURNAL, SGF, "game.jsonl", "game.times.json", "game.json", f"{EVIDENCE}/move-001.jpg"} == names
    lines = [json.loads(line) for line in whole.read(f"{game}/game.jsonl").decode().splitlines()]
    assert [line["type"] for line in lines] == ["game", "status", "board-found", "move", "move"]
    (tmp_path / "copy.db").write_bytes(whole.read(f"{game}/{JOURNAL}"))
    with Journal.open(tmp_path / "copy.db") as copy:
        assert copy.rows() == lines
    assert len(game_of_bytes(whole.read(f"{game}/{SGF}")).steps) == 2


def test_an_export_overwrites_nothing(store: GameStore, game: str, tmp_path: Path) -> None:
    target = store.export(game, tmp_path / "game.zip")
    assert zipfile.is_zipfile(target)
    with pytest.raises(OutputError, match="exists already"):
        store.export(game, target)
    with pytest.raises(OutputError, match="cannot write"):
        store.export(game, tmp_path / "nowhere" / "game.zip")


def test_a_game_that_is_being_recorded_is_not_deleted(store: GameStore, game: str) -> None:
    lease = Lease(store.folder(game) / f"{JOURNAL}.lease", "the game")
    with pytest.raises(UsageError, match=f"the game {game} is being recorded: end it first"):
        store.delete(game)
    lease.release()
    store.delete(game)
    assert store.games() == []


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../../etc", "20260504-093000-3/../..", "20260504-093000-4", "x\0y", "a" * 500]
)
def test_no_other_folder_is_touched(store: GameStore, game: str, name: str) -> None:
    for act in (store.folder, store.journal, store.archive, store.delete, store.save_sgf, store.setup):
        with pytest.raises(InputError, match="there is no game"):
            act(name)
    assert len(store.games()) == 1


def test_a_damaged_journal_is_listed_with_its_fault_and_disturbs_no_other(store: GameStore, game: str) -> None:
    broken = store.create(SETUP)
    (store.folder(broken) / JOURNAL).write_bytes(b"this is no database at all, and long enough to be looked at" * 20)
    found = {entry.game_id: entry.error for entry in store.games()}
    assert found[game] == ""
    assert "is no journal of a game" in found[broken]
    assert store.unfinished() == [game]


class TestAfterARestart:
    """A board shows again what it showed last: the audience of a round sees its results, whatever became of the
    server."""

    def ended(self, store: GameStore, game: str) -> str:
        store.end(game)
        return game

    def station(self, store: GameStore) -> StationStatus | None:
        hall = Hall(store.home)
        hall.store = store
        try:
            assert hall.resume_all() == []
            station = hall.station("3")
            return None if station is None else station.status()
        finally:
            hall.close()

    def test_a_game_that_is_over_is_shown_as_at_its_end(self, store: GameStore, game: str) -> None:
        self.ended(store, game)
        status = self.station(GameStore(store.home, lambda: datetime(2026, 5, 5, 9, 0)))
        assert status is not None
        assert (status.state, status.game_id, status.pid) == ("ended", game, None)

    def test_of_several_it_is_the_last(self, store: GameStore, game: str) -> None:
        later = self.ended(store, store.create(SETUP))
        self.ended(store, game)
        status = self.station(store)
        assert status is not None
        assert status.game_id == later

    def test_yesterdays_are_not(self, store: GameStore, game: str) -> None:
        self.ended(store, game)
        assert self.station(GameStore(store.home, lambda: datetime(2026, 5, 5, 9, 31))) is None

    def test_an_older_one_that_goes_on_comes_first(self, store: GameStore, game: str) -> None:
        later = self.ended(store, store.create(SETUP))
        assert store.lately_ended() == [later]
        assert store.unfinished() == [game]


def test_a_game_whose_setup_is_gone_keeps_no_server_from_starting(store: GameStore, game: str) -> None:
    (store.folder(game) / "game.json").unlink()
    hall = Hall(store.home)
    assert hall.resume_all() == []
    hall.close()


class TestRulesOfAnEvent:
    EVENT = 'base = "cn2002"\n[warnings]\nloss_at = 3\n'

    def test_they_are_kept_with_the_game(self, store: GameStore, tmp_path: Path) -> None:
        event = tmp_path / "CUP.toml"
        event.write_text(self.EVENT)
        game = store.create(GameSetup("test:", rules=str(event)))
        for broken in ("base = ", None):
            event.unlink() if broken is None else event.write_text(broken)
            with Journal.open(store.journal(game)) as journal:
                assert DeskJournal(journal).state().code.warnings.loss_at == 3
            assert store.games()[0].error == ""

    def test_broken_ones_are_refused_before_anything_is_made(self, store: GameStore, tmp_path: Path) -> None:
        event = tmp_path / "CUP.toml"
        event.write_text("base = ")
        with pytest.raises(KifuwatchError, match="no TOML"):
            store.create(GameSetup("test:", rules=str(event)))
        assert store.games() == []
