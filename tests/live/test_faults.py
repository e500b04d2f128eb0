"""What can go wrong beside the camera itself: a full disk, a folder that cannot be written, a picture that stands
still, frames out of order, addresses that are none."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kifuwatch.core.errors import OutputError, SourceError, UsageError
from kifuwatch.core.points import Colour, Point
from kifuwatch.core.times import FrameTime
from kifuwatch.live.exhibits import Exhibits
from kifuwatch.live.eye import STALE, Eye, corners_in
from kifuwatch.live.games import EVIDENCE, RESERVE, GameStore
from kifuwatch.live.journal_keeper import LiveJournal
from kifuwatch.live.orders import Orders
from kifuwatch.live.report import Report
from kifuwatch.live.setup import GameSetup
from kifuwatch.live.sources import Camera, OpenedAhead, cameras, check_source, open_live, shown
from kifuwatch.live.watching import FROZEN, PAUSED, LiveWatch
from kifuwatch.live.wire import Mailbox
from kifuwatch.reconstruct import Incident, Move, Reconstructor
from kifuwatch.vision.sources import Frame
from kifuwatch.vision.sources.base import Timeline
from kifuwatch.watch import View
from tests.live.made_up import HEIGHT, WIDTH, Script, ScriptWatch, chequered, plain

SCRIPT = Script(9, chequered(9, 6))


def frame(seconds: float, shade: int = 90) -> Frame:
    image = np.full((HEIGHT, WIDTH, 3), shade, np.uint8)
    return Frame(round(seconds * 10), FrameTime.of_seconds(seconds), image)


@pytest.fixture
def report() -> Iterator[Report]:
    mailbox = Mailbox(io.BytesIO())
    yield Report(mailbox)
    mailbox.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 420 kB."""
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=420k", "tmpfs", str(tmp_path)], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("a small disk can be made only by a superuser")
    yield tmp_path
    subprocess.run(["umount", "-l", str(tmp_path)], capture_output=True, check=False)


def rows(count: int) -> list[dict[str, Any]]:
    return [{"type": "move", "number": n, "at": "D4", "note": "x" * 3000} for n in range(1, count + 1)]


def fill(journal: LiveJournal, pages: int = 0) -> None:
    """The disk has room for so many pages still."""
    connection = journal._journal._connection
    used = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {used + pages}")


class TestFullDisk:
    def journal(self, home: Path, room: Callable[[], bool]) -> tuple[LiveJournal, list[int], list[str]]:
        store, told, said = GameStore(home), list[int](), list[str]()
        path = store.journal(store.create(GameSetup("test:")))
        return LiveJournal(path, told.append, said.append, room), told, said

    def test_the_game_goes_on_and_is_stored_when_there_is_room(self, tmp_path: Path) -> None:
        journal, told, said = self.journal(tmp_path, lambda: False)
        fill(journal)
        for row in rows(4):
            journal.add([row])
        assert journal.waiting >= 3
        assert len(told) + journal.waiting == 4, "what has not been stored is not acknowledged"
        assert "full" in said[-1]
        fill(journal, 100)
        assert journal.flush()
        assert said[-1] == ""
        assert [row["number"] for row in journal.rows() if row["type"] == "move"] == [1, 2, 3, 4]
        assert told[-1] == journal.rows()[-1]["id"]
        journal.release()

    def test_pictures_are_given_up_before_a_row_has_to_wait(self, tmp_path: Path) -> None:
        given_up = []

        def make_room() -> bool:
            given_up.append("pictures")
            fill(journal, 100)
            return True

        journal, _, said = self.journal(tmp_path, make_room)
        fill(journal)
        journal.add(rows(3))
        assert given_up == ["pictures"]
        assert journal.waiting == 0
        assert said[-1] == ""
        journal.release()

    def test_a_disk_that_is_really_full(self, small_disk: Path) -> None:
        store, said = GameStore(small_disk), list[str]()
        game = store.create(GameSetup("test:"))
        (store.folder(game) / EVIDENCE / "move-001.jpg").write_bytes(bytes(60_000))
        exhibits = Exhibits(store.folder(game) / EVIDENCE, 0)

        def make_room() -> bool:
            reserve = store.folder(game) / RESERVE
            if exhibits.trim():
                return True
            there = reserve.exists()
            reserve.unlink(missing_ok=True)
            return there

        journal = LiveJournal(store.journal(game), lambda row: None, said.append, make_room)
        for number in range(120):
            journal.add([{"type": "move", "number": number, "at": "D4", "note": "x" * 400}])
        assert journal.waiting == 0
        assert [row["number"] for row in journal.rows() if row["type"] == "move"] == list(range(120))
        assert said[-1:] == [""], "it was full, and that was said, and then it was not any more"
        journal.release()

    def test_the_oldest_pictures_go_first(self, tmp_path: Path) -> None:
        for age, name in enumerate(("move-003.jpg", "move-002.jpg", "move-001.jpg")):
            (tmp_path / name).write_bytes(bytes(1_500_000))
            os.utime(tmp_path / name, (time.time() - 10 * age,) * 2)
        exhibits = Exhibits(tmp_path, 0)
        assert exhibits.trim()
        assert [path.name for path in tmp_path.iterdir()] == ["move-003.jpg"]
        assert exhibits.trim()
        assert not exhibits.trim()

    def test_pictures_are_written_again_when_there_is_room(self, tmp_path: Path) -> None:
        folder, now = tmp_path / "evidence", [0.0]
        exhibits = Exhibits(folder, 0, lambda: now[0])
        folder.write_text("a file: nothing can be written into it")
        view = ScriptWatch(SCRIPT).look(frame(0.0))
        assert view is not None
        exhibits.keep(Move(0.0, 0.0, 1, Colour.BLACK, Point(3, 3)), view)
        assert "cannot write" in exhibits.fault
        folder.unlink()
        folder.mkdir()
        for seconds in (1.0, 20.0):
            now[0] = seconds
            exhibits.look(view)
        assert exhibits.fault == ""
        exhibits.keep(Move(0.0, 0.0, 2, Colour.WHITE, Point(4, 4)), view)
        assert (folder / "move-002.jpg").exists()

    @pytest.mark.skipif(not Path("/proc/version").exists(), reason="there is no folder here that nobody can write into")
    def test_a_folder_that_cannot_be_written_is_refused_in_one_sentence(self) -> None:
        with pytest.raises(OutputError, match=r"^cannot write into the folder of games /proc/kifuwatch/games: .+$"):
            GameStore(Path("/proc/kifuwatch")).create(GameSetup("test:"))


class TestAPictureThatStandsStill:
    """A sensor is never so quiet that two pictures are the same: the encoder hangs."""

    def watch(self, report: Report, now: list[float], seen: list[View], folder: Path) -> tuple[LiveWatch, Eye, Orders]:
        eye, orders = Eye(report, lambda: now[0]), Orders()
        watch = LiveWatch(ScriptWatch(SCRIPT), orders, report, eye, folder / "pose.json", seen.append, True)
        return watch, eye, orders

    def test_it_is_told_and_what_it_shows_does_not_count(self, report: Report, tmp_path: Path) -> None:
        now, seen = [0.0], list[View]()
        watch, eye, _ = self.watch(report, now, seen, tmp_path)
        for k in range(120):
            now[0] = k / 10
            each = frame(now[0], 90 if 30 <= k < 100 else k)
            eye.take(each)
            view = watch.look(each)
            still = 30 + STALE * 10 <= k < 100
            assert (view is None) == still, k
            assert (watch.pause is not None and watch.pause.reason == FROZEN) == still
            if still:
                assert watch.pause is not None
                assert watch.pause.since == pytest.approx(3.0, abs=0.2), (
                    "since it has stood still, not since that was seen"
                )
        assert len(seen) == 120 - (100 - 30 - STALE * 10)

    def test_an_encoder_that_stands_still_between_moves_is_learnt(self, report: Report) -> None:
        now = [0.0]
        eye = Eye(report, lambda: now[0])
        told = []
        for still in (5.0, 7.0, 7.0, 7.0, 40.0):
            began = now[0]
            eye.take(frame(now[0], int(now[0]) + 1))
            while now[0] < began + still:
                now[0] += 0.5
                told.append(eye.stale_since is not None)
            if still < 40:
                told.append(False)
        runs = "".join("x" if each else "." for each in told)
        assert runs.count("x") > 40, "a picture that stands still for good is told all the same"
        assert "x" not in runs[12:41], "as long as before is what this camera does"

    def test_a_pause_holds_the_game_and_says_nothing_of_the_view(self, report: Report, tmp_path: Path) -> None:
        now, seen = [0.0], list[View]()
        watch, eye, orders = self.watch(report, now, seen, tmp_path)
        for k, paused in ((0, False), (1, True), (2, True), (3, False)):
            orders.take("pause", {"on": paused})
            now[0] = k / 10
            eye.take(frame(now[0], k))
            assert (watch.look(frame(now[0], k)) is None) == paused
            assert (watch.pause is not None) == paused
            if watch.pause is not None:
                assert (watch.pause.since, watch.pause.reason) == (0.1, PAUSED)


@settings(max_examples=4, deadline=None)
@given(st.lists(st.sampled_from(["shown", "shown", "shown", "dropped", "twice", "back"]), min_size=170, max_size=170))
def test_frames_that_are_missing_doubled_or_out_of_order_make_no_false_move(fates: list[str]) -> None:
    story, times, events = Reconstructor(9), Timeline(10.0), []
    for k, fate in enumerate(fates):
        raw = k / 10
        for t in {"dropped": (), "twice": (raw, raw), "back": (raw, raw - 0.3)}.get(fate, (raw,)):
            events += story.see(plain(SCRIPT.board(raw), times.place(t)))
    moves = [(event.colour.value, event.at) for event in events if isinstance(event, Move)]
    played = [("BW"[i % 2], point) for i, point in enumerate(SCRIPT.points)]
    assert moves == played[: len(moves)]
    assert len(moves) >= 5
    assert not any(isinstance(event, Incident) for event in events)


class TestSources:
    @pytest.mark.parametrize(
        "source",
        ["test:", "test:4x", "0", "/dev/video2", "http://10.0.0.7:8080/video", "https://camera/x?a=1", "rtsp://u:p@c/live",
         "rtsps://c/live"],
    )  # fmt: skip
    def test_those_that_are_opened(self, source: str) -> None:
        assert check_source(f" {source} ") == source

    @pytest.mark.parametrize(
        "source",
        ["", "file:///etc/passwd", "concat:a|b", "/etc/passwd", "../x.mp4", "ftp://c/x", "http://", "http:///x",
         "gopher://c", "rtsp://c/a b", "http://c:99999/", "http://[::1", "data:text/plain,x", "test:0x", "test:x",
         "/dev/video0;ls", "-1",
         "http://c/\nx", "subfile,,start,0,,:x", "http://" + "a" * 3000, "/dev/../etc/passwd", "pipe:0"],
    )  # fmt: skip
    @pytest.mark.parametrize("files", [False, True])
    def test_those_that_are_not(self, source: str, files: bool) -> None:
        if files and Path(source).is_file():
            assert check_source(source, files) == source
            return
        with pytest.raises(UsageError) as refused:
            check_source(source, files)
        assert len(str(refused.value)) < 200
        assert "\n" not in str(refused.value)

    def test_a_video_is_opened_only_where_files_are(self, tmp_path: Path) -> None:
        video = tmp_path / "game.mp4"
        video.write_bytes(b"")
        assert check_source(str(video), files=True) == str(video)
        with pytest.raises(UsageError):
            check_source(str(video))

    def test_no_password_is_shown(self) -> None:
        assert shown("rtsp://arbiter:secret@10.0.0.7/live?key=secret2#x") == "rtsp://10.0.0.7/live"
        assert shown("http://[::1:secret@x") == "http://…"
        assert shown("/dev/video0") == "/dev/video0"

    def test_what_a_child_says_is_told_without_passwords(self) -> None:
        out = io.BytesIO()
        mailbox = Mailbox(out)
        Report(mailbox).say(picture="rtsp://arbiter:secret@10.0.0.7/live gives no frames")
        mailbox.close()
        assert b"secret" not in out.getvalue()
        assert b"rtsp://10.0.0.7/live gives no frames" in out.getvalue()

    def test_cameras_are_listed_by_their_names(self, tmp_path: Path) -> None:
        for device, name, index in (
            ("video10", "Door\n", "0"),
            ("video0", "HD Webcam\n", "0"),
            ("video1", "HD Webcam\n", "1"),
        ):
            (tmp_path / device).mkdir()
            (tmp_path / device / "name").write_text(name)
            (tmp_path / device / "index").write_text(index)
        (tmp_path / "video3").mkdir()
        assert cameras(tmp_path)[:-1] == [
            Camera("/dev/video0", "HD Webcam"),
            Camera("/dev/video3", "video3"),
            Camera("/dev/video10", "Door"),
        ]
        assert [each.source for each in cameras(tmp_path / "nowhere")] == ["test:"]

    def test_the_test_clip_waits_for_the_game_and_then_plays_in_time(self) -> None:
        with open_live("test:20x", waits=True) as source:
            shown_first = [each for each, _ in zip(source.frames(), range(3), strict=False)]
            assert all(np.array_equal(each.image, shown_first[0].image) for each in shown_first)
            source.begin()  # type: ignore[attr-defined]
            began, times = time.monotonic(), []
            for each in source.frames():
                times.append(each.time.seconds - shown_first[-1].time.seconds)
                if times[-1] > 8.0:
                    break
        assert 0.2 < time.monotonic() - began < 2.0
        assert times == sorted(times)
        assert times[0] < 1.0

    def test_a_camera_opened_ahead_is_given_or_its_fault_is(self) -> None:
        with OpenedAhead("test:")("test:") as source:
            assert source.size == (960, 540)
        with pytest.raises(SourceError, match="does not exist"):
            OpenedAhead("/nowhere/game.mp4")("/nowhere/game.mp4")

    def test_it_goes_on_where_it_should_be_by_now(self) -> None:
        with open_live("test:4x", 30.0) as source:
            first = next(iter(source.frames()))
        assert first.time.seconds == pytest.approx(30.0, abs=0.3)


class TestCorners:
    def test_they_are_those_of_the_picture_that_was_shown(self) -> None:
        """A camera of 2560 pixels is shown with 1280."""
        corners = ((100.0, 100.0), (500.0, 100.0), (500.0, 500.0), (100.0, 500.0))
        assert corners_in(2560, corners)[1] == (1000.0, 200.0)
        assert corners_in(1280, corners) == corners

    @pytest.mark.parametrize("corners", [[[0, 0]] * 3, [[0, 0, 0]] * 4, [[0, 0]] * 5])
    def test_what_is_no_four_of_them_is_refused(self, corners: list[list[int]]) -> None:
        with pytest.raises(UsageError, match="corners are four positions"):
            GameSetup.from_dict({"source": "test:", "corners": corners})

    @pytest.mark.parametrize(
        "corners",
        [
            [[0, 0], [0, 9], [9, 9], [9, 0]],  # against the clock
            [[0, 0], [9, 9], [9, 0], [0, 9]],  # crossed
            [[0, 0], [9, 0], [9, 9], [6, 3]],  # dented
            [[0, 0], [9, 0], [18, 0], [0, 9]],  # three on one line
            [[5, 5]] * 4,
            [[0, 0], [9, 0], [9, float("nan")], [0, 9]],
        ],
    )
    def test_what_makes_no_board_is_refused_before_anything_begins(self, corners: list[list[float]]) -> None:
        with pytest.raises(UsageError, match="these corners do not make a board: give them clockwise"):
            GameSetup.from_dict({"source": "test:", "corners": corners})


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"board": "../x"}, "is no name of a board"),
        ({"size": 12}, "12 is not a size"),
        ({"handicap": 99}, "a handicap of 99 stones cannot be"),
        ({"handicap": 2, "corner_stones": True}, "not with both"),
        ({"komi": 1e9}, "komi"),
        ({"black": "x" * 300}, "black is longer than 200 letters"),
        ({"size": "nine"}, "size"),
        ({"handicap": "two"}, "cannot be read"),
    ],
)
def test_a_setup_that_cannot_be_is_one_sentence(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        GameSetup.from_dict({"source": "test:", **given})


def test_a_setup_is_what_it_was_after_a_restart() -> None:
    setup = GameSetup("test:", "2", 9, ((1, 2), (30, 2), (30, 30), (1, 30)), black="甲", komi=0.5, time="30m+5x60s")
    assert GameSetup.from_dict(setup.as_dict()) == setup
    assert "white" not in setup.facts()
