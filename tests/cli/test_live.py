"""The commands live, games and publish: what they say, and how they end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest

from kifuwatch.cli.live import HOME_LEASE, has_screen, open_board, tell_going_on
from kifuwatch.cli.session import Session
from kifuwatch.cli.texts import Language
from kifuwatch.live.games import GameStore
from kifuwatch.live.hall import Hall
from kifuwatch.live.setup import GameSetup
from kifuwatch.record.journal import Journal
from kifuwatch.record.lease import Lease
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
    assert (
        ended.err
        == f"kifuwatch: port {port} is taken, by another program or another kifuwatch: choose one with --port\n"
    )


def test_a_home_has_one_server(call: Run, tmp_path: Path) -> None:
    lease = Lease(tmp_path / HOME_LEASE, "the home", "served")
    try:
        ended = call("live", "--no-browser", "--home", str(tmp_path))
    finally:
        lease.release()
    assert ended.status == 6
    assert ended.err == f"kifuwatch: the home {tmp_path} is served already by process {os.getpid()}: end that first\n"


@pytest.mark.parametrize("name", ["SIGINT", "SIGHUP"], ids=["Ctrl-C", "terminal closed"])
def test_the_server_says_where_it_is_answers_and_ends_in_order(tmp_path: Path, name: str) -> None:
    if name not in signal.Signals.__members__:
        pytest.skip("this system tells of no terminal that is closed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "kifuwatch", "live", "--no-browser", "--home", str(tmp_path), "--port", str(port)]
    environment = {**os.environ, "KIFUWATCH_LANG": "en"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        assert run.stdout.readline() == f"kifuwatch is at http://127.0.0.1:{port}\n"
        token = run.stdout.readline().strip().partition(": ")[2]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/session", timeout=10) as answer:
            assert json.load(answer) == {"arbiter": False}
        listening = socket.create_connection(("127.0.0.1", port))
        listening.sendall(b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        run.send_signal(signal.Signals[name])
        assert run.wait(15) == 0
        assert run.stdout.read().endswith("Stopped.\n")
        assert run.stderr.read() == ""
        listening.close()
    assert token == (tmp_path / "token").read_text().strip()
    assert not (tmp_path / HOME_LEASE).exists()


@pytest.mark.parametrize(
    ("platform", "environment", "there"),
    [
        ("linux", {}, False),
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("darwin", {}, True),
        ("win32", {}, True),
    ],
)
def test_a_browser_is_opened_where_there_is_a_screen(platform: str, environment: dict[str, str], there: bool) -> None:
    assert has_screen(platform, environment) is there


def test_a_game_that_goes_on_is_told_and_keeps_its_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever gives another camera than that of last evening's game has to know why it is not opened."""
    store = GameStore(tmp_path)
    game = store.create(GameSetup("http://li:secret@192.168.1.20/video"))
    hall = Hall(tmp_path, command=[sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        tell_going_on(Session.open(Language.EN), hall, "test:", "1")
        assert open_board(hall, "test:", "1", start=True) == "/desk/1"
        assert [each.game_id for each in store.games()] == [game]
    finally:
        hall.close()
    told = capsys.readouterr()
    assert told.out == f"Board 1: the game {game} goes on, from http://192.168.1.20/video.\n"
    assert told.err.startswith("kifuwatch: Board 1 stays with the game that goes on, test: is not opened")


def test_a_home_that_is_not_there_is_not_one_without_games(call: Run, tmp_path: Path) -> None:
    ended = call("games", "--home", tmp_path / "hmoe")
    assert (ended.status, ended.out) == (4, "")
    assert ended.err == f"kifuwatch: there are no games in {tmp_path / 'hmoe'}: no such folder\n"
