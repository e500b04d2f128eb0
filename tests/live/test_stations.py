"""Real children on the test clip: a game through kills of its camera and of its server, pauses, and its end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from kifuwatch.core.errors import OutputError
from kifuwatch.live.games import EVIDENCE, SGF, GameStore
from kifuwatch.live.hall import Hall
from kifuwatch.live.setup import GameSetup
from kifuwatch.live.station import Station
from kifuwatch.record.journal import Journal
from kifuwatch.record.sgf_game import read_game
from tests.live.test_supervision import runs, until
from tests.vision.sources.cameras import MjpegCamera

SERVER = """
import sys, time
from pathlib import Path
from kifuwatch.live.hall import Hall
from kifuwatch.live.setup import GameSetup
hall = Hall(Path(sys.argv[1]))
station = hall.open("A")
print(station.start(GameSetup("test:", "A", black="Li Hua", white="王芳")), flush=True)
while True:
    print(station.status().pid, flush=True)
    time.sleep(0.1)
"""
CLIP = files("kifuwatch").joinpath("demo", "demo.scenario.json")
PLAYED = {(e["color"], e["at"]) for e in json.loads(CLIP.read_text())["events"] if e["do"] == "place"}


def rows_of(path: Path) -> list[dict[str, Any]]:
    with Journal.open(path) as journal:
        return journal.rows()


def moves_of(rows: list[dict[str, Any]]) -> list[tuple[int, str, str]]:
    return [(row["number"], row["color"], row["at"]) for row in rows if row["type"] == "move"]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, int]:
    """A server that was killed in the middle of a game: its home, the game, and the process of its camera."""
    home = tmp_path_factory.mktemp("home")
    server = subprocess.Popen([sys.executable, "-c", SERVER, str(home)], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    game = server.stdout.readline().strip()
    path = home / "games" / game / "journal.db"
    pid = 0
    while len(moves_of(rows_of(path))) < 2:
        pid = int(server.stdout.readline().replace("None", "0"))
    server.kill()
    server.wait()
    server.stdout.close()
    return home, game, pid


class TestAServerThatIsKilled:
    """The tests follow one another: it is one game."""

    @pytest.fixture(scope="class")
    @classmethod
    def hall(cls, killed: tuple[Path, str, int]) -> Iterator[Hall]:
        hall = Hall(killed[0])
        yield hall
        hall.close()

    def test_its_cameras_process_ends_by_itself(self, killed: tuple[Path, str, int]) -> None:
        until(lambda: not runs(killed[2]), 3.0)

    def test_the_game_goes_on_by_itself(self, killed: tuple[Path, str, int], hall: Hall) -> None:
        home, game, _ = killed
        path = home / "games" / game / "journal.db"
        before = rows_of(path)
        assert hall.resume_all() == [game]
        station = hall.station("A")
        assert station is not None
        assert station.status().state == "recording"
        until(lambda: any(row["type"] == "gap" for row in rows_of(path)), 30.0)
        until(lambda: len(moves_of(rows_of(path))) > len(moves_of(before)), 30.0)
        after = rows_of(path)
        assert after[: len(before)] == before, "what was acknowledged stands"
        assert [number for number, _, _ in moves_of(after)] == list(range(1, len(moves_of(after)) + 1))
        told = [(colour, at) for _, colour, at in moves_of(after)]
        assert set(told) <= PLAYED
        assert len(set(told)) == len(told), "no move is told twice"

    def test_a_camera_process_that_is_killed_is_back_soon(self, hall: Hall) -> None:
        station = hall.station("A")
        assert station is not None
        pid = station.status().pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        began, gaps = time.monotonic(), gaps_of(station)
        until(lambda: station.status().pid not in (pid, None), 10.0)
        until(lambda: gaps_of(station) > gaps, 30.0)
        print(f"the game goes on {time.monotonic() - began:.1f} s after the kill")
        assert station.status().restarts == 1
        assert station.status().state == "recording"

    def test_nobody_else_records_the_board_meanwhile(self, hall: Hall, killed: tuple[Path, str, int]) -> None:
        other = Hall(killed[0])
        with pytest.raises(OutputError, match="board A is recorded already by process"):
            other.open("A").start(GameSetup("test:", "A"))
        other.close()

    def test_a_pause_is_a_gap(self, hall: Hall) -> None:
        station = hall.station("A")
        assert station is not None
        gaps = gaps_of(station)
        station.pause()
        assert station.status().state == "paused"
        path = station.journal_path()
        assert path is not None
        until(lambda: any(row.get("state") == "paused" for row in rows_of(path)), 20.0)
        time.sleep(0.5)
        station.resume()
        until(lambda: gaps_of(station) > gaps, 15.0)
        reasons = [row["reason"] for row in rows_of(path) if row["type"] == "gap"]
        assert "the recording was paused" in reasons

    def test_it_ends_in_order(self, hall: Hall, killed: tuple[Path, str, int]) -> None:
        station = hall.station("A")
        assert station is not None
        station.stop()
        until(lambda: station.status().state == "ended", 15.0)
        path = station.journal_path()
        assert path is not None
        rows = rows_of(path)
        assert [row["type"] for row in rows[-2:]] == ["position", "status"]
        hall.close()
        record = read_game(path.with_name(SGF))
        assert record.players == ("Li Hua", "王芳")
        assert len(record.steps) == len(moves_of(rows))
        (entry,) = GameStore(killed[0]).games()
        assert (entry.state, entry.moves, entry.board, entry.error) == ("ended", len(moves_of(rows)), "A", "")
        assert GameStore(killed[0]).unfinished() == []
        assert (path.parent / EVIDENCE / "move-001.jpg").stat().st_size > 1000


def gaps_of(station: Station) -> int:
    path = station.journal_path()
    assert path is not None
    return sum(row["type"] == "gap" for row in rows_of(path))


def test_a_network_camera_that_freezes_is_noticed_and_found_again(tmp_path: Path) -> None:
    camera = MjpegCamera(interval=0.1)
    hall = Hall(tmp_path)
    station = hall.open("1")
    try:
        station.preview(camera.url)
        until(lambda: station.picture() is not None, 30.0)
        assert station.status().state == "setup"
        until(lambda: station.status().frames >= 4, 30.0)  # it has settled to its work
        camera.mode = "stall"
        gone = time.monotonic()
        until(lambda: station.status().note == "no-picture")
        noticed = time.monotonic() - gone
        camera.mode = "run"
        back = time.monotonic()
        until(lambda: station.status().note != "no-picture", 30.0)
        print(f"noticed after {noticed:.1f} s, pictures again {time.monotonic() - back:.1f} s after it ran")
        assert noticed <= 5.0
    finally:
        hall.close()
        camera.close()
