"""The commands live, games and publish: what they say, and how they end."""

from __future__ import annotations

import json
import socket
import zipfile
from pathlib import Path

import pytest

from kifuwatch.live.games import GameStore
from kifuwatch.live.setup import GameSetup
from kifuwatch.record.journal import Journal
from tests.cli.conftest import Run


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with one game of one move."""
    store = GameStore(tmp_path / "home")
    made = store.create(GameSetup("test:", "7", size=9, black="Li Hua", white="王芳", event="Cup"))
    with Journal.open(store.journal(made)) as journal:
        journal.append({"type": "move", "t": 1.0, "number": 1, "color": "B", "at": "E5"})
        journal.append({"type": "status", "state": "ended"})
    return store.home


def test_games_are_listed_exported_and_deleted(call: Run, home: Path, tmp_path: Path) -> None:
    where = ("--home", str(home))
    listed = call("games", *where)
    assert listed.status == 0
    assert "Li Hua – 王芳  1 moves" in listed.out
    (entry,) = json.loads(call("games", *where, "--json").out)["games"]
    assert (entry["board"], entry["state"], entry["moves"]) == ("7", "ended", 1)
    game, archive = entry["game_id"], tmp_path / "game.zip"
    assert call("games", "export", game, str(archive), *where).status == 0
    with zipfile.ZipFile(archive) as pack:
        assert f"{game}/journal.db" in pack.namelist()
    again = call("games", "export", game, str(archive), *where)
    assert (again.status, again.err.count("\n")) == (6, 1)
    refused = call("games", "delete", game, *where)
    assert refused.status == 2
    assert "--yes" in refused.err
    assert call("games", "delete", game, "--yes", *where).status == 0
    assert "No game" in call("games", *where).out
    assert call("games", "delete", game, "--yes", *where).status == 4


def test_games_are_published_once(call: Run, home: Path, tmp_path: Path) -> None:
    done = call("publish", str(tmp_path / "public"), "--home", str(home))
    assert (done.status, done.out) == (0, f"6 files written in {tmp_path / 'public'}.\n")
    assert (tmp_path / "public" / "cup" / "round-1" / "board-7.sgf").is_file()
    assert call("publish", str(tmp_path / "public"), "--home", str(tmp_path / "nowhere")).status == 4
    (tmp_path / "file").write_text("in the way")
    assert call("publish", str(tmp_path / "file"), "--home", str(home)).status == 6


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["nonsense.mp4"], 2, "there is no video nonsense.mp4"),
        (["ftp://camera/live"], 2, "is no address of a camera"),
        (["--start"], 2, "--start needs a source"),
        (["--delay", "soon"], 2, "'soon' is no delay"),
        (["--delay", "100000min"], 2, "at most 24 hours"),
        (["--board", "../x"], 2, "no name of a board"),
        (["--host", "300.1.1.1"], 2, "no address of this machine"),
        (["--webhook", "http://x/"], 2, "needs a secret"),
        (["--ogs", "1"], 2, "names no demo board"),
        (["--ogs", "1=5"], 2, "KIFUWATCH_OGS_JWT"),
        (["--token-file", "missing"], 2, "cannot be read"),
        (["--home", "/proc/nowhere"], 6, "cannot write into the folder of games"),
    ],
)
def test_what_cannot_be_served_is_one_sentence(
    call: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], status: int, sentence: str
) -> None:
    monkeypatch.setenv("KIFUWATCH_HOME", str(tmp_path))
    for name in ("KIFUWATCH_WEBHOOK_SECRET", "KIFUWATCH_OGS_JWT", "KIFUWATCH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    ended = call("live", "--no-browser", *arguments)
    assert ended.status == status
    assert sentence in ended.err
    assert ended.err.count("\n") == 1


def test_a_port_that_is_taken_is_one_sentence(call: Run, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        ended = call("live", "--no-browser", "--home", str(tmp_path), "--port", str(port))
    assert ended.status == 6
    assert ended.err == f"kifuwatch: port {port} is taken by another program: choose one with --port\n"
