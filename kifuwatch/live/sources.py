"""Which sources may be opened, which cameras there are, and the test source."""

from __future__ import annotations

import re
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path
from time import monotonic

from kifuwatch.core.errors import SourceError, UsageError
from kifuwatch.core.times import FrameTime
from kifuwatch.vision.sources import Frame, FrameSource, Patience, open_source
from kifuwatch.vision.sources.base import Rate, Sampler
from kifuwatch.vision.sources.opening import without_password
from kifuwatch.vision.sources.video import VideoSource

TEST = "test:"
_TEST = re.compile(r"test:(?:([1-9][0-9]?(?:\.[0-9])?)x)?")
_DEVICE = re.compile(r"(?:/dev/video)?(\d{1,4})")
_PROTOCOL = re.compile(r"[a-z][a-z0-9+.,-]*:", re.IGNORECASE)
_NETWORK = ("http", "https", "rtsp", "rtsps")
LONGEST_ADDRESS = 2000
BEHIND = 0.5
"""Seconds that a clip played in time may be behind before frames are left out."""
CAMERA = Patience(open_timeout=4.0, stall_timeout=2.5, attempts=20, first_pause=0.2, longest_pause=1.0)
"""A child tries to connect again so often; then it ends, and a new one begins."""


@dataclass(frozen=True)
class Camera:
    """A camera that can be chosen: what to give as source, and how it calls itself."""

    source: str
    name: str


def cameras(devices: Path = Path("/sys/class/video4linux")) -> list[Camera]:
    """The cameras at this machine, and the test source. A camera has several devices, of which the first gives
    pictures; the others carry what belongs to them."""
    found = []
    for folder in sorted(devices.glob("video*"), key=lambda each: (len(each.name), each.name)):
        try:
            name, index = (folder / "name").read_text().strip(), (folder / "index").read_text().strip()
        except (OSError, UnicodeDecodeError):
            name, index = folder.name, "0"
        if index in ("0", ""):
            found.append(Camera(f"/dev/{folder.name}", name or folder.name))
    return [*found, Camera(TEST, "test picture: a short game")]


def check_source(source: str, files: bool = False) -> str:
    """A source that may be opened: ``test:`` (``test:4x`` plays four times as fast), a camera's number,
    ``/dev/videoN``, an http(s) or rtsp(s) address; with ``files`` also a video file.

    Raises UsageError with one sentence for everything else: no ``file:``, no ``concat:``, nothing relative.
    """
    text = source.strip()
    if len(text) > LONGEST_ADDRESS or not text.isprintable():
        raise UsageError("the address of the camera is too long, or holds what no address holds")
    if _TEST.fullmatch(text) or _DEVICE.fullmatch(text):
        return text
    if _PROTOCOL.match(text) and not (files and Path(text).is_file()):
        return _check_address(text)
    if files and Path(text).expanduser().is_file():
        return str(Path(text).expanduser().absolute())
    if files and text:
        raise UsageError(f"there is no video {text}")
    raise UsageError("a source is test:, the number of a camera, /dev/video0, or an http or rtsp address")


def _check_address(text: str) -> str:
    try:
        parts = urllib.parse.urlsplit(text)
        fine = parts.scheme.lower() in _NETWORK and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        fine = False
    if not fine or " " in text or "\\" in text:
        raise UsageError(f"{shown(text)[:80]} is no address of a camera: http, https, rtsp and rtsps are opened")
    return text


def speed_of(source: str) -> float:
    """How many times as fast as in life a source plays."""
    found = _TEST.fullmatch(source)
    return float(found[1] or 1) if found else 1.0


def is_clip(source: str) -> bool:
    """Whether a source is a clip, whose times are its own, and not a camera."""
    return source.startswith(TEST) or not (_DEVICE.fullmatch(source) or "://" in source)


def shown(source: str) -> str:
    """A source as it may be shown and logged: without user, password and what stands behind a question mark."""
    if "://" not in source:
        return source
    try:
        return urllib.parse.urlsplit(without_password(source))._replace(query="", fragment="").geturl()
    except ValueError:
        return source.partition("://")[0] + "://…"


def open_live(
    source: str, start: float = 0.0, waits: bool = False, report: Callable[[str], None] | None = None
) -> FrameSource:
    """Open a source that :func:`check_source` has let through. Clips are played in time, from ``start`` seconds on;
    where it ``waits``, a clip shows its beginning until it is told to go on: nothing is missed during setting up.
    ``report`` is told, one sentence each, when a camera is lost, tried again and back.

    Raises SourceError when it gives no frames.
    """
    test = _TEST.fullmatch(source)
    if test:
        clips = [each for each in files("kifuwatch").joinpath("demo").iterdir() if each.name.endswith(".mp4")]
        if not clips:
            raise SourceError("this installation of kifuwatch comes without its test clip: install it again")
        return PacedSource(as_file(clips[0]), TEST, float(test[1] or 1), start, waits=waits)
    if _DEVICE.fullmatch(source) or "://" in source:
        return open_source(source, patience=CAMERA, report=report)
    return PacedSource(nullcontext(Path(source)), source, 1.0, start, waits=waits)


class OpenedAhead:
    """A camera that is being opened by a thread of its own, from when this is made; calling it waits for that, and
    gives the source or raises what opening it has raised."""

    def __init__(self, source: str, report: Callable[[str], None] | None = None) -> None:
        self._source: FrameSource | None = None
        self._error: Exception | None = None
        # A daemon: a driver that never returns keeps no process alive.
        self._thread = threading.Thread(target=self._open, args=(source, report), name="opening", daemon=True)
        self._thread.start()

    def _open(self, source: str, report: Callable[[str], None] | None) -> None:
        try:
            self._source = open_live(source, report=report)
        except Exception as error:  # told to whoever waits for the source
            self._error = error

    def __call__(self, source: str, start: float = 0.0, waits: bool = False) -> FrameSource:
        """The source. Raises SourceError."""
        self._thread.join()
        if self._source is None:
            raise self._error or SourceError(f"{shown(source)} cannot be opened")
        return self._source


class PacedSource(FrameSource):
    """A video file as if it were a camera: each frame comes at its time, and what nobody was ready for is left out.

    ``waits``: it shows its first frame until :meth:`begin` is called.
    """

    def __init__(
        self,
        clip: AbstractContextManager[Path],
        name: str,
        speed: float = 1.0,
        start: float = 0.0,
        clock: Callable[[], float] = monotonic,
        waits: bool = False,
    ) -> None:
        super().__init__(name)
        self._waits, self._waited = waits, 0.0
        self._clip, self._speed, self._start, self._clock = clip, speed, start, clock
        self._ending = threading.Event()
        self._began: float | None = None
        self._video = VideoSource(clip.__enter__())
        self.nominal_fps, self.frame_count = self._video.nominal_fps, None
        if start > 0:
            self._video.skip_to(start)

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) in pixels of the newest frame."""
        return self._video.size

    def frames(self, at_most_fps: Rate = None) -> Iterator[Frame]:
        """The frames that are still to come, each at its time; times count from the beginning of the clip."""
        sampler = Sampler(at_most_fps)
        self._check_open()
        if self._waits:
            yield from self._still(sampler)
        for frame in self._video.frames():
            if self._began is None:
                self._began = self._clock() - (frame.time.seconds - self._start) / self._speed
            due = self._began + (frame.time.seconds - self._start) / self._speed
            late = self._clock() - due
            if late > BEHIND:
                continue
            if late < 0 and self._ending.wait(-late):
                return
            time = FrameTime.of_seconds(frame.time.seconds + self._waited)
            if sampler.wants(time):
                yield replace(frame, time=time)

    def begin(self) -> None:
        """Play from now on."""
        self._waits = False

    def clip_seconds(self, seconds: float) -> float:
        """The clip's own time at a time of this source."""
        return max(0.0, seconds - self._waited)

    def _still(self, sampler: Sampler) -> Iterator[Frame]:
        """The first frame again and again, until the clip is to be played."""
        first, began = next(iter(self._video.frames())), self._clock()
        while self._waits and not self._ending.is_set():
            self._waited = self._clock() - began
            time = FrameTime.of_seconds(self._waited)
            if sampler.wants(time):
                yield replace(first, time=time, image=first.image.copy())
            self._ending.wait(1 / self.nominal_fps)

    def _release(self) -> None:
        self._ending.set()
        self._video.close()
        self._clip.__exit__(None, None, None)


class TappedSource(FrameSource):
    """A source whose every frame is told to ``tap`` before it is given, ``later`` seconds later than its own time.

    A camera that is lost raises :class:`CameraLost`, which is no end of the game.
    """

    def __init__(self, inner: FrameSource, tap: Callable[[Frame], None], later: float = 0.0) -> None:
        super().__init__(inner.name)
        self._inner, self._tap, self.later = inner, tap, later
        self.settled, self.live, self.nominal_fps = inner.settled, inner.live, inner.nominal_fps
        self.frame_count = None

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) in pixels of the newest frame."""
        return self._inner.size

    @property
    def last_picture(self) -> float | None:
        """When the camera gave its last good picture."""
        return self._inner.last_picture

    def begin(self) -> None:
        """A game begins: a clip that waits is played from now on."""
        if isinstance(self._inner, PacedSource):
            self._inner.begin()

    def clip_seconds(self, seconds: float) -> float:
        """The own time of a clip at a time of this source; of a camera 0."""
        return self._inner.clip_seconds(seconds) if isinstance(self._inner, PacedSource) else 0.0

    def frames(self, at_most_fps: Rate = None) -> Iterator[Frame]:
        """The frames of the source, each told before it is given."""
        try:
            for frame in self._inner.frames(at_most_fps):
                time = FrameTime.of_seconds(frame.time.seconds + self.later)
                moved = replace(frame, time=time) if self.later else frame
                self._tap(moved)
                yield moved
        except SourceError as error:
            raise CameraLost(str(error)) from error

    def _release(self) -> None:
        self._inner.close()


class CameraLost(Exception):
    """The camera gives no pictures any more; the game goes on when it is back."""
