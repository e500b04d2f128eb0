"""Cameras that die, hang, fall silent or are not there: the station notices, says so, and starts anew."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.core.errors import OutputError, UsageError
from kifuwatch.live.games import GameStore, state_of
from kifuwatch.live.notifier import Notifier
from kifuwatch.live.patience import WatchdogPatience
from kifuwatch.live.setup import GameSetup
from kifuwatch.live.station import Station
from kifuwatch.live.wire import Mailbox, Message, read_messages
from kifuwatch.record.journal import Journal
from kifuwatch.record.lease import Lease

CHILDREN = Path(__file__).parent / "children.py"
HASTY = WatchdogPatience(
    missed=0.4,
    stuck=0.9,
    silent=1.3,
    first=6.0,
    ending=1.0,
    pause=0.05,
    longest=1.0,
    reachable=0.3,
    proven=60.0,
    probe=0.1,
)
Start = Callable[..., Station]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a game with a child that behaves in some way."""
    stations: list[Station] = []

    def started(how: str, board: str = "1", source: str = "test:", patience: WatchdogPatience = HASTY) -> Station:
        command = [sys.executable, str(CHILDREN), how, str(tmp_path / f"{board}.log")]
        station = Station(board, GameStore(tmp_path), command=command, patience=patience)
        stations.append(station)
        station.start(GameSetup(source, board))
        return station

    yield started
    for station in stations:
        station.close()


def until(true: Callable[[], object], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it has not come to that"
        time.sleep(0.02)


def starts(tmp_path: Path, board: str = "1") -> list[float]:
    log = tmp_path / f"{board}.log"
    return [float(line) for line in log.read_text().split()] if log.exists() else []


def test_a_child_that_dies_is_replaced_and_no_other_board_is_disturbed(start: Start, tmp_path: Path) -> None:
    dying, other = start("dies-once"), start("well", "2")
    until(lambda: other.status().row == 1)
    calm = other.status().pid
    until(lambda: dying.status().row == 2)
    status = dying.status()
    assert (status.state, status.restarts, status.note) == ("recording", 1, "looking")
    assert other.status().pid == calm
    assert other.status().restarts == 0
    assert len(starts(tmp_path, "2")) == 1


@pytest.mark.parametrize("how", ["hangs-once", "mute-once"])
def test_a_child_that_hangs_is_noticed_and_replaced(start: Start, how: str) -> None:
    station = start(how)
    until(lambda: station.status().frames > 0)
    until(lambda: station.status().note == "no-picture", 3.0)
    age = station.status().last_picture_age
    assert age is not None
    assert HASTY.missed <= age < 2.0
    until(lambda: station.status().restarts == 1)
    until(lambda: station.status().row == 2)
    assert station.status().note != "no-picture"


def test_a_child_that_may_not_record_is_not_started_again(start: Start, tmp_path: Path) -> None:
    station = start("refused")
    until(lambda: station.status().state == "failed")
    assert station.status().error == "board 1 is recorded already by process 7: end that first"
    time.sleep(0.4)
    assert len(starts(tmp_path)) == 1


@pytest.mark.parametrize("act", ["stop", "start"])
def test_a_game_that_cannot_be_recorded_is_not_tried_at_every_start(start: Start, tmp_path: Path, act: str) -> None:
    """It is over when it is ended, and when another game begins on its board."""
    station = start("refused")
    until(lambda: station.status().state == "failed")
    failed, store = station.status().game_id, GameStore(tmp_path)
    assert store.unfinished() == [failed]
    if act == "stop":
        station.stop()
        assert (station.status().state, store.unfinished()) == ("ended", [])
    else:
        station.start(GameSetup("test:"))
        assert [each.state for each in store.games() if each.game_id == failed] == ["ended"]


def test_nobody_ends_a_game_that_somebody_else_records(start: Start, tmp_path: Path) -> None:
    station = start("refused")
    until(lambda: station.status().state == "failed")
    lease = Lease(GameStore(tmp_path).lease("1"), "board 1")
    with pytest.raises(OutputError, match="board 1 is recorded already"):
        station.stop()
    lease.release()
    assert GameStore(tmp_path).unfinished() == [station.status().game_id]


def test_a_camera_that_is_not_there_is_tried_less_and_less_often(start: Start, tmp_path: Path) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        station = start("lost", source=f"http://127.0.0.1:{nobody.getsockname()[1]}/video")
        until(lambda: len(starts(tmp_path)) >= 6)
    assert station.status().note == "no-picture"
    assert station.status().state == "recording"
    # Between two tries nothing may be known for a moment.
    until(lambda: station.status().error.endswith("it cannot be opened, another program may hold it"))
    times = starts(tmp_path)
    pauses = [after - before for before, after in pairwise(times)]
    assert pauses[4] >= 0.75 * HASTY.pause * 2**4


def test_it_is_tried_at_once_when_its_address_answers_again(start: Start, tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    start("lost", source=f"rtsp://127.0.0.1:{port}/stream", patience=replace(HASTY, longest=20.0))
    until(lambda: len(starts(tmp_path)) >= 7, 30.0)  # the next pause would be 2.4 seconds long, or 4
    before = len(starts(tmp_path))
    with socket.create_server(("127.0.0.1", port)):
        back = time.monotonic()
        until(lambda: len(starts(tmp_path)) > before)
    assert starts(tmp_path)[before] - back < 2.0


@given(failures=st.integers(1, 10_000), there=st.booleans(), chance=st.floats(0, 1, exclude_max=True))
def test_pauses_grow_up_to_a_limit_and_no_two_stations_wait_alike(failures: int, there: bool, chance: float) -> None:
    patience = WatchdogPatience()
    pause = patience.before(failures, there, lambda: chance)
    assert 0 < pause <= 30 * 1.25
    assert not there or pause <= 5.0
    assert patience.before(failures, there, lambda: 0.0) <= pause <= patience.before(failures, there, lambda: 1.0)
    assert patience.before(1, there, lambda: 0.0) < patience.before(3, there, lambda: 0.0)


def test_a_game_ends_although_its_child_does_not(start: Start) -> None:
    station = start("stubborn")
    until(lambda: station.status().row == 1)
    station.stop()
    until(lambda: station.status().state == "ended")
    path = station.journal_path()
    assert path is not None
    with Journal.open(path) as journal:
        assert state_of(journal.rows()) == "ended"
    station.start(GameSetup("test:"))  # the board is free


def test_a_game_ends_while_its_camera_is_away(start: Start) -> None:
    station = start("lost")
    until(lambda: station.status().restarts >= 2)
    station.stop()
    until(lambda: station.status().state == "ended")


def test_what_is_asked_at_the_wrong_time_is_refused(start: Start, tmp_path: Path) -> None:
    station = start("well")
    with pytest.raises(UsageError, match="a game is being recorded on board 1: end it first"):
        station.start(GameSetup("test:"))
    with pytest.raises(UsageError, match="end it first"):
        station.preview("test:")
    idle = Station("9", GameStore(tmp_path))
    with pytest.raises(UsageError, match="board 9 has no game that could be paused"):
        idle.pause()
    with pytest.raises(UsageError, match="this is board 9, and the game is set up for board 1"):
        idle.start(GameSetup("test:"))
    with pytest.raises(UsageError, match="no address of a camera"):
        idle.preview("concat:a|b")


def test_a_board_that_somebody_else_records_is_refused(tmp_path: Path) -> None:
    store = GameStore(tmp_path)
    other = Lease(store.lease("1"), "board 1")
    station = Station("1", store)
    with pytest.raises(OutputError, match=r"board 1 is recorded already by process \d+: end that first"):
        station.start(GameSetup("test:"))
    assert store.games() == []
    other.release()


def test_a_child_ends_when_its_server_is_killed(tmp_path: Path) -> None:
    script = f"""
import sys, time
from kifuwatch.live.process import Child
command = [sys.executable, {str(CHILDREN)!r}, "well", {str(tmp_path / "log")!r}]
child = Child({{"source": "test:"}}, lambda m: None, command=command)
print(child.pid, flush=True)
time.sleep(60)
"""
    server = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    pid = int(server.stdout.readline())
    until(lambda: starts_of(tmp_path / "log"))
    server.kill()
    server.wait()
    server.stdout.close()
    until(lambda: not runs(pid), 3.0)


def starts_of(log: Path) -> int:
    return len(log.read_text().split()) if log.exists() else 0


def runs(pid: int) -> bool:
    with contextlib.suppress(ChildProcessError, ProcessLookupError):
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not state.exists() or state.read_text().split()[2] != "Z"
    return False


def test_closing_leaves_no_process_and_ends_no_game(start: Start) -> None:
    station = start("well")
    until(lambda: station.status().row == 1)
    pid = station.status().pid
    assert pid is not None
    station.close()
    assert not runs(pid)
    path = station.journal_path()
    assert path is not None
    with Journal.open(path) as journal:
        assert state_of(journal.rows()) == "recording"


class TestMessages:
    def test_a_server_that_does_not_read_holds_nobody_up(self) -> None:
        inside, outside = os.pipe()
        with os.fdopen(outside, "wb") as out, os.fdopen(inside, "rb") as read:
            mailbox = Mailbox(out)
            began = time.monotonic()
            for number in range(300):
                mailbox.put("picture", {"number": number}, bytes(100_000))
                mailbox.put("beat", {"number": number})
            assert time.monotonic() - began < 1.0
            heard: list[Message] = []
            reader = threading.Thread(target=lambda: heard.extend(read_messages(read)), daemon=True)
            reader.start()
            mailbox.close()
            out.close()
            reader.join(5.0)
        # The one that was on its way, and the latest of each kind.
        assert len(heard) <= 4
        assert {message.kind: message.body["number"] for message in heard} == {"picture": 299, "beat": 299}

    @given(st.lists(st.tuples(st.sampled_from(["beat", "picture"]), st.binary(max_size=50)), max_size=5), st.data())
    def test_a_stream_that_breaks_off_gives_the_whole_messages_before(
        self, sent: list[tuple[str, bytes]], data: st.DataObject
    ) -> None:
        import io

        from kifuwatch.live.wire import write_message

        stream, ends = io.BytesIO(), [0]
        for number, (kind, load) in enumerate(sent):
            write_message(stream, Message(kind, {"number": number}, load))
            ends.append(stream.tell())
        cut = data.draw(st.integers(0, ends[-1]))
        heard = list(read_messages(io.BytesIO(stream.getvalue()[:cut])))
        whole = sum(end <= cut for end in ends[1:])
        assert [(m.kind, m.load) for m in heard] == sent[:whole]


def test_what_cannot_be_saved_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    """Each move would say it again, all evening."""
    faults, saved = ["full", "full", "", "full", "away"], threading.Semaphore(0)

    def save() -> None:
        if fault := faults.pop(0):
            raise OutputError(fault)

    notifier = Notifier(save)
    notifier.add(saved.release)
    while faults:
        notifier.rows_changed()
        assert saved.acquire(timeout=5.0)
    notifier.close()
    assert [record.message for record in caplog.records] == ["full", "full", "away"]
