"""What all cameras have in common: a reader thread, a watchdog, the newest frame, and coming back after a
loss.

A :class:`Feed` is one connection to a camera. Its reads may block, and some never return, so a thread of its
own does them. The consumer waits no longer than ``stall_timeout``; when nothing has come, it gives that
thread up and connects anew. It always gets the newest frame, and is told when it missed something.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from kifuwatch.core.errors import SourceError
from kifuwatch.core.times import FrameTime
from kifuwatch.vision.sources.base import USUAL_FPS, Frame, FrameSource, Rate, Sampler

_CLOSING_PATIENCE = 1.0


class Feed(ABC):
    """One connection to a camera, open when constructed. One thread calls all of it but :meth:`interrupt`."""

    fps: float | None = None
    """Pictures a second that the camera announces."""

    @abstractmethod
    def grab(self) -> None:
        """Wait for the next picture. Raises SourceError when this connection will give none."""

    @abstractmethod
    def retrieve(self) -> NDArray[np.uint8] | None:
        """Decode the grabbed picture: BGR uint8 (height, width, 3), or None when it is damaged."""

    @abstractmethod
    def close(self) -> None:
        """End the connection."""

    def interrupt(self) -> None:  # noqa: B027 - a read inside a driver cannot be woken
        """Make a :meth:`grab` that blocks in another thread return, where that is possible."""


@dataclass(frozen=True)
class Patience:
    """How long a camera is waited for, in seconds, and how often it is tried again after a loss.

    The pause before an attempt doubles from ``first_pause`` up to ``longest_pause``: as it stands here, a
    camera may be away for three minutes.
    """

    open_timeout: float = 10.0
    stall_timeout: float = 5.0
    attempts: int = 20
    first_pause: float = 0.5
    longest_pause: float = 10.0

    def pause(self, attempt: int) -> float:
        """Seconds to wait before this attempt, counted from 1."""
        return min(self.longest_pause, self.first_pause * 2.0 ** min(attempt - 1, 30))


class _Arrivals:
    """Numbers and times of the pictures of a camera, over all its connections, and which of them are
    wanted."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.sampler = Sampler(None)
        self.failures = 0
        self.latest: float | None = None
        self._clock = clock
        self._start: float | None = None
        self._last = -1
        self._count = 0
        self._still_wanted = False

    def register(self) -> tuple[int, FrameTime] | None:
        """Count one more picture; its index and time when it is wanted."""
        now = self._clock()
        if self._start is None:
            self._start = now
        self._last = max(self._last + 1, round((now - self._start) * 1_000_000))
        index, self._count = self._count, self._count + 1
        wanted = self.sampler.wants(FrameTime(self._last)) or self._still_wanted
        self._still_wanted = False
        return (index, FrameTime(self._last)) if wanted else None

    def failed(self) -> None:
        """The picture just registered is damaged: the next one is wanted in its place."""
        self.failures += 1
        self._still_wanted = True


class _Reader:
    """The thread that reads one connection. It keeps the newest frame, or the sentence why there are no
    more."""

    def __init__(self, connect: Callable[[], Feed], arrivals: _Arrivals, patience: Patience, after_gap: bool) -> None:
        self.fps: float | None = None
        self._connect = connect
        self._arrivals = arrivals
        self._patience = patience
        self._gap = after_gap
        self._changed = threading.Condition()
        self._newest: Frame | None = None
        self._failure: str | None = None
        self._given_up = False
        self._feed: Feed | None = None
        self._deadline = monotonic() + patience.open_timeout
        # A daemon, since a read inside a driver may never return: it must not keep the process alive.
        self._thread = threading.Thread(target=self._run, name="camera reader", daemon=True)
        self._thread.start()

    def take(self) -> Frame | str | None:
        """Wait for a frame; or give the reason why none comes, or None when the reader was given up."""
        with self._changed:
            while not self._given_up:
                if self._newest is not None:
                    frame, self._newest = self._newest, None
                    self._gap = False
                    return frame
                if self._failure is not None:
                    return self._failure
                left = self._deadline - monotonic()
                if left <= 0:
                    return "no picture came in time"
                self._changed.wait(left)
        return None

    def start_sampling(self, sampler: Sampler) -> None:
        """From now on keep only what the sampler wants; that goes for a frame that waits already."""
        with self._changed:
            if self._newest is not None and not sampler.wants(self._newest.time):
                self._newest = None
            self._arrivals.sampler = sampler

    def give_up(self) -> None:
        """Stop reading as soon as the connection lets the thread go; nothing more is taken from it."""
        with self._changed:
            self._given_up = True
            self._changed.notify_all()
            feed = self._feed
        if feed is not None:
            feed.interrupt()

    def join(self, seconds: float) -> None:
        """Wait for the thread to end, but not for ever."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            feed = self._connect()
            with self._changed:
                self._feed, self.fps = feed, feed.fps
            try:
                while not self._given_up:
                    feed.grab()
                    self._handle(feed)
            finally:
                feed.close()
        except SourceError as error:
            with self._changed:
                self._failure = str(error)
                self._changed.notify_all()

    def _handle(self, feed: Feed) -> None:
        """Decode the grabbed picture if it is wanted. Only a good picture, or one not wanted, moves the
        deadline."""
        with self._changed:
            sampler = self._arrivals.sampler
            arrival = None if self._given_up else self._arrivals.register()
        image = feed.retrieve() if arrival else None
        with self._changed:
            if self._given_up:
                return
            if arrival and image is None:
                self._arrivals.failed()
                return
            self._arrivals.latest = monotonic()
            self._deadline = self._arrivals.latest + self._patience.stall_timeout
            if sampler is not self._arrivals.sampler and arrival and not self._arrivals.sampler.wants(arrival[1]):
                return  # sampling began while this picture was decoded
            if arrival and image is not None:
                self._newest = Frame(*arrival, image, after_gap=self._gap)
                self._changed.notify_all()


class LiveSource(FrameSource):
    """A camera. It gives the newest frame; those for which nobody was ready are skipped (``Frame.index``
    tells).

    After an interruption it connects anew, and the first frame then is marked ``after_gap``. A camera that is
    not back after ``patience.attempts`` is lost: iterating raises SourceError.
    """

    live = True

    def __init__(
        self,
        name: str,
        connect: Callable[[], Feed],
        patience: Patience,
        clock: Callable[[], float] = monotonic,
        report: Callable[[str], None] | None = None,
    ) -> None:
        """Connect and wait for the first frame. Raises SourceError when none comes within ``open_timeout``.

        ``connect`` opens a connection or raises SourceError; ``clock`` gives monotonic seconds for the times
        of frames; ``report`` is told, one sentence each, that the camera is lost, tried again and back.
        """
        super().__init__(name)
        self._connect = connect
        self._patience = patience
        self._report = report or (lambda sentence: None)
        self._ending = threading.Event()
        self._arrivals = _Arrivals(clock)
        self._reader = self._new_reader(after_gap=False)
        first = self._reader.take()
        if not isinstance(first, Frame):
            self.close()
            raise SourceError(f"{name} gives no frames: {first or 'it was closed'}")
        self.nominal_fps = self._reader.fps or USUAL_FPS
        self._first: Frame | None = first
        self._size = (first.image.shape[1], first.image.shape[0])

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) in pixels of the newest frame, or of the first one before any was given."""
        return self._size

    @property
    def last_picture(self) -> float | None:
        """When the camera gave its last good picture, in monotonic seconds."""
        return self._arrivals.latest

    @property
    def decode_failures(self) -> int:  # type: ignore[override]
        """Pictures that came damaged and were left out, so far."""
        return self._arrivals.failures

    def frames(self, at_most_fps: Rate = None) -> Iterator[Frame]:
        """Give frames as they come, until the source is closed; see :meth:`FrameSource.frames`."""
        sampler = Sampler(at_most_fps)
        self._check_open()
        frame, self._first = self._first, None
        if frame is not None:
            sampler.wants(frame.time)
        self._reader.start_sampling(sampler)
        if frame is not None:
            yield frame
        while (frame := self._next_frame()) is not None:
            self._size = (frame.image.shape[1], frame.image.shape[0])
            yield frame

    def _next_frame(self) -> Frame | None:
        """The newest frame, over as many connections as it takes; None when the source was closed."""
        attempt = 0
        while not self._closed:
            outcome = self._reader.take()
            if isinstance(outcome, Frame):
                if attempt:
                    self._report(f"{self.name} is back")
                return outcome
            if outcome is not None:
                attempt += 1
                self._reconnect(outcome, attempt)
        return None

    def _reconnect(self, reason: str, attempt: int) -> None:
        self._reader.give_up()
        most = self._patience.attempts
        if attempt > most:
            raise SourceError(f"{self.name} is lost after {most} attempts to connect again: {reason}")
        pause = self._patience.pause(attempt)
        self._report(f"{self.name} is interrupted ({reason}): attempt {attempt} of {most} in {pause:g} s")
        if not self._ending.wait(pause):
            self._reader = self._new_reader(after_gap=True)

    def _new_reader(self, after_gap: bool) -> _Reader:
        return _Reader(self._connect, self._arrivals, self._patience, after_gap)

    def _release(self) -> None:
        self._ending.set()
        self._reader.give_up()
        self._reader.join(_CLOSING_PATIENCE)
