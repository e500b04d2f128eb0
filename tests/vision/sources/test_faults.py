"""Cameras that fail: each fault is noticed in bounded time, told, and overcome, or ends in one sentence."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count, islice

import cv2
import pytest

from kifuwatch.core.errors import SourceError
from kifuwatch.vision.sources import Frame, Patience, open_source
from kifuwatch.vision.sources.capture import open_device
from kifuwatch.vision.sources.live import LiveSource
from tests.vision.sources.backends import rtsp_server
from tests.vision.sources.cameras import FakeCapture, MjpegCamera, mjpeg_camera
from tests.vision.sources.clips import card_index

STALL = 0.3
HASTY = Patience(open_timeout=3, stall_timeout=STALL, attempts=8, first_pause=0.05, longest_pause=0.2)


@pytest.fixture(params=[True, False], ids=["with lengths", "without lengths"])
def camera(request: pytest.FixtureRequest) -> Iterator[MjpegCamera]:
    with mjpeg_camera(lengths=request.param) as opened:
        yield opened


def until(frames: Iterator[Frame], wanted: Callable[[Frame], bool], most: int = 200) -> list[Frame]:
    """The frames up to the first that is wanted."""
    taken = []
    for frame in islice(frames, most):
        taken.append(frame)
        if wanted(frame):
            return taken
    raise AssertionError(f"none of {most} frames was the one")


def captures(*cameras: FakeCapture, patience: Patience = HASTY, **options: object) -> LiveSource:
    """A camera that is another one after each interruption, in this order."""
    order = iter(cameras)
    return LiveSource(
        "camera 0",
        lambda: open_device(0, None, lambda number: next(order)),
        patience,
        **options,  # type: ignore[arg-type]
    )


def test_a_dropped_connection_is_made_anew_and_the_gap_is_marked(camera: MjpegCamera) -> None:
    told: list[str] = []
    with open_source(camera.url, patience=HASTY, report=told.append) as source:
        frames = iter(source)
        before = list(islice(frames, 3))
        camera.mode = "drop"
        threading.Timer(0.2, setattr, (camera, "mode", "run")).start()
        after = until(frames, lambda frame: frame.after_gap)
        assert not next(frames).after_gap
    assert not any(frame.after_gap for frame in before + after[:-1])
    assert after[-1].time > before[-1].time
    assert camera.connections >= 2
    assert told[0] == (
        f"{camera.url} is interrupted (the camera has ended the stream): attempt 1 of {HASTY.attempts} in 0.05 s"
    )
    assert told[-1] == f"{camera.url} is back"


def test_a_stalled_camera_is_noticed_in_bounded_time(camera: MjpegCamera) -> None:
    """The connection stays, but nothing comes: the clock on the wall decides."""
    noticed: list[float] = []
    with open_source(camera.url, patience=HASTY, report=lambda _: noticed.append(time.monotonic())) as source:
        frames = iter(source)
        next(frames)
        camera.mode = "stall"
        since = time.monotonic()
        threading.Timer(STALL + 0.5, setattr, (camera, "mode", "run")).start()
        until(frames, lambda frame: frame.after_gap)
    assert STALL * 0.5 < noticed[0] - since < STALL + 2


def test_a_camera_that_stays_away_is_lost_in_one_sentence(camera: MjpegCamera) -> None:
    with open_source(camera.url, patience=HASTY) as source:
        frames = iter(source)
        next(frames)
        camera.close()
        since = time.monotonic()
        with pytest.raises(SourceError) as lost:
            until(frames, lambda frame: False)
    assert str(lost.value) == (
        f"{camera.url} is lost after 8 attempts to connect again: the address cannot be reached: connection refused"
    )
    assert time.monotonic() - since < 10


def test_half_a_jpeg_is_counted_and_never_given(camera: MjpegCamera) -> None:
    """FFmpeg gives all of these as good frames; and the whole picture behind a half one is not lost with it."""
    with open_source(camera.url, patience=Patience(stall_timeout=20)) as source:
        frames = iter(source)
        for _ in range(3):
            next(frames)
            failures, camera.mode = source.decode_failures, "half"
            while source.decode_failures < failures + 3:
                time.sleep(0.005)
            camera.mode = "run"
        for frame in islice(frames, 5):
            assert frame.image[10, 10].min() > 180
            assert frame.image[-4:, 200:].mean() > 40, "the lower half is there"
            assert not frame.after_gap
    assert source.decode_failures >= 9
    assert camera.connections == 1


def test_nothing_but_damage_is_a_stall(camera: MjpegCamera) -> None:
    with open_source(camera.url, patience=Patience(1, STALL, 1, 0.05)) as source:
        frames = iter(source)
        next(frames)
        camera.mode = "half"
        with pytest.raises(SourceError, match=r"is lost after 1 attempts .*: no picture came in time"):
            until(frames, lambda frame: False)
    assert source.decode_failures > 3


def test_another_size_in_mid_stream_is_followed(camera: MjpegCamera) -> None:
    with open_source(camera.url, patience=HASTY) as source:
        frames = iter(source)
        assert next(frames).image.shape == (240, 320, 3)
        camera.size = (640, 480)
        frame = until(frames, lambda frame: frame.image.shape != (240, 320, 3))[-1]
        assert frame.image.shape == (480, 640, 3)
        assert source.size == (640, 480)


def test_a_slow_reader_gets_the_newest_frame_and_the_index_tells(camera: MjpegCamera) -> None:
    with open_source(camera.url, patience=HASTY) as source:
        frames = iter(source)
        first = next(frames)
        time.sleep(0.4)
        second = next(frames)
        assert second.index >= first.index + 8
        assert second.time - first.time > 0.25
        assert camera.sent - card_index(second.image) <= 3


def test_a_frame_that_waits_when_sampling_begins_is_sampled_too() -> None:
    with captures(FakeCapture()) as source:
        time.sleep(0.1)
        first, second = islice(source.frames(at_most_fps=2), 2)
    assert second.time - first.time >= 0.5


def test_a_sampled_camera_is_not_taken_for_stalled(camera: MjpegCamera) -> None:
    """A frame every second and a quarter, though a stall is noticed after a second."""
    told: list[str] = []
    patience = Patience(open_timeout=2, stall_timeout=1)
    with open_source(camera.url, patience=patience, report=told.append) as source:
        frames = list(islice(source.frames(at_most_fps=0.8), 3))
    assert told == []
    assert [int(0.8 * frame.time.seconds + 1e-6) for frame in frames] == [0, 1, 2]


def test_the_address_of_something_else_is_refused(camera: MjpegCamera) -> None:
    for mode, reason in [
        ("page", "the address sends text/html, not MJPEG (multipart/x-mixed-replace)"),
        ("locked", "the camera answers 401 Unauthorized"),
        ("file", "the camera answers 302"),
    ]:
        camera.mode = mode
        with pytest.raises(SourceError) as refused:
            open_source(camera.url, patience=HASTY)
        assert str(refused.value).startswith(f"{camera.url} gives no frames: {reason}")


def test_a_password_opens_the_camera_and_is_never_shown(camera: MjpegCamera) -> None:
    camera.mode = "locked"
    address = camera.url.replace("http://", "http://arbiter:secret@")
    with open_source(address, patience=HASTY) as source:
        assert next(iter(source)).image is not None
        assert source.name == camera.url
    camera.mode = "page"
    with pytest.raises(SourceError) as refused:
        open_source(address, patience=HASTY)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "address",
    ["file:///etc/hostname", "concat:a.mp4|b.mp4", "ftp://host/game.mp4", "rtsp:x", "http://", "udp://host:1"],
)
def test_other_protocols_are_refused(address: str) -> None:
    with pytest.raises(SourceError, match=r"is neither a file nor an rtsp, http or https address|names no host"):
        open_source(address)


def test_a_read_that_never_returns_is_given_up() -> None:
    stuck, fresh = FakeCapture(hangs_after=3), FakeCapture()
    since = time.monotonic()
    with captures(stuck, fresh) as source:
        frames = until(iter(source), lambda frame: frame.after_gap)
        assert not stuck.released.is_set(), "its thread still sits in the read"
    assert 1 <= len(frames) <= 4
    assert time.monotonic() - since < STALL + 2
    assert fresh.released.wait(2)


def test_closing_does_not_wait_for_a_read_that_never_returns() -> None:
    source = captures(FakeCapture(hangs_after=1), patience=Patience(stall_timeout=60))
    next(iter(source))
    since = time.monotonic()
    source.close()
    assert time.monotonic() - since < 3


def test_closing_wakes_a_reader_that_waits_for_the_network(camera: MjpegCamera) -> None:
    source = open_source(camera.url, patience=Patience(stall_timeout=60))
    camera.mode = "stall"
    time.sleep(0.1)
    since = time.monotonic()
    source.close()
    assert time.monotonic() - since < 0.6


def test_closing_from_another_thread_ends_the_waiting() -> None:
    source = captures(FakeCapture(hangs_after=2), patience=Patience(stall_timeout=60))
    threading.Timer(0.2, source.close).start()
    since = time.monotonic()
    assert len(list(source)) <= 2
    assert time.monotonic() - since < 3


def test_a_camera_that_never_gives_a_picture_is_refused_in_bounded_time() -> None:
    since = time.monotonic()
    with pytest.raises(SourceError, match="camera 0 gives no frames: no picture came in time"):
        captures(FakeCapture(hangs_after=0), patience=Patience(open_timeout=0.3))
    assert time.monotonic() - since < 4


def test_a_camera_held_by_another_program_is_refused() -> None:
    with pytest.raises(SourceError, match="camera 0 gives no frames: it cannot be opened, another program may hold it"):
        captures(FakeCapture(there=False))


def test_an_unplugged_camera_comes_back() -> None:
    with captures(FakeCapture(ends_after=4), FakeCapture(there=False), FakeCapture()) as source:
        frames = until(iter(source), lambda frame: frame.after_gap)
    assert [frame.index for frame in frames] == sorted({frame.index for frame in frames})


def test_a_gap_that_nobody_saw_yet_stays_marked() -> None:
    """The frames after an interruption pass unseen while the reader is busy: the next one it gets tells."""
    with captures(FakeCapture(ends_after=1), FakeCapture()) as source:
        frames = iter(source)
        next(frames)
        seen = []
        for _ in range(2):
            seen.append(next(frames).after_gap)
            time.sleep(0.1)
    assert seen == [True, False]


def test_damaged_pictures_of_a_camera_are_replaced_by_the_next() -> None:
    with captures(FakeCapture(damaged=lambda index: index % 3 == 1)) as source:
        frames = list(islice(source, 6))
        assert all(card_index(frame.image) % 3 != 1 for frame in frames)
        assert source.decode_failures > 0


def test_a_damaged_picture_is_replaced_at_once_though_few_are_wanted() -> None:
    """Five a second are wanted of 250; those from 1 to 199 are damaged, so the 200th is taken without delay."""
    with captures(FakeCapture(damaged=lambda index: 1 <= index < 200), patience=Patience(stall_timeout=20)) as source:
        first, second = islice(source.frames(at_most_fps=5), 2)
    assert (first.index, second.index) == (0, 200)
    assert source.decode_failures > 100


def test_a_clock_that_goes_back_or_stands_still_gives_times_that_grow() -> None:
    ticks = count()
    readings = [10.0, 10.1, 10.1, 9.0, 10.2]
    with captures(FakeCapture(), clock=lambda: readings[min(next(ticks), 4)]) as source:
        times = [frame.time.microseconds for frame in islice(source, 6)]
    assert times == sorted(set(times))
    assert times[0] == 0
    assert times[-1] <= 200_010


def test_a_camera_is_asked_for_its_largest_picture_as_mjpeg() -> None:
    fake = FakeCapture()
    feed = open_device(0, 15, lambda number: fake)
    feed.close()
    assert fake.settings == {
        cv2.CAP_PROP_FOURCC: cv2.VideoWriter.fourcc(*"MJPG"),
        cv2.CAP_PROP_FRAME_WIDTH: 1920,
        cv2.CAP_PROP_FRAME_HEIGHT: 1080,
        cv2.CAP_PROP_FPS: 15,
    }
    assert feed.fps == 15


@pytest.mark.parametrize("fault", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "frozen"])
def test_a_real_rtsp_camera_is_missed_and_found_again(fault: signal.Signals) -> None:
    patience = Patience(open_timeout=3, stall_timeout=1, attempts=30, first_pause=0.2, longest_pause=0.2)
    noticed: list[float] = []
    with (
        rtsp_server() as (url, server),
        open_source(url, patience=patience, report=lambda _: noticed.append(time.monotonic())) as source,
    ):
        frames = iter(source)
        next(frames)
        server.send_signal(fault)
        since = time.monotonic()
        if fault == signal.SIGKILL:
            server.wait()
            with rtsp_server(int(url.split(":")[2].partition("/")[0])):
                until(frames, lambda frame: frame.after_gap)
        else:
            threading.Timer(2.5, server.send_signal, (signal.SIGCONT,)).start()
            until(frames, lambda frame: frame.after_gap)
    assert noticed[0] - since < 5
