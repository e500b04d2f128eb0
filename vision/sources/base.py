"""What every source of frames promises: the interface, the frame, and the rules of its times."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import TracebackType

import numpy as np
from numpy.typing import NDArray

from kifuwatch.core.errors import SourceError, UsageError
from kifuwatch.core.times import FrameTime

Rate = float | Callable[[], float | None] | None
"""So many frames a second, or a function that says how many for now; None is all of them."""
USUAL_FPS = 25.0
"""Frames a second of a source that does not say how many."""


@dataclass(frozen=True, eq=False)
class Frame:
    """One picture of a source.

    ``image`` is BGR uint8, shape (height, width, 3), contiguous, upright, and the receiver's own: no later
    frame writes into it. ``time`` counts from the start of the source and always grows. ``index`` counts the
    pictures of the source from 0, those that were skipped or could not be decoded included. ``after_gap``:
    the source was interrupted just before this frame, so anything may have happened meanwhile. ``label``
    names the picture where it has a name (a file).
    """

    index: int
    time: FrameTime
    image: NDArray[np.uint8]
    after_gap: bool = False
    label: str = ""


class FrameSource(ABC):
    """A stream of frames with exact times, from a file, a folder or a camera.

    Iterating gives the frames one by one; iterating again goes on where the last one stopped. A source is
    opened by its constructor, which raises SourceError when it gives no frames, and is closed by
    :meth:`close` or by the end of a ``with`` block.
    """

    name: str
    live: bool = False
    settled: bool = False
    """Each frame is a settled view (a folder of photographs), so a stone in it was played."""

    nominal_fps: float
    """Frames a second as the source announces them; true times are those of the frames."""

    frame_count: int | None = None
    """How many frames it announces to have (for a progress bar); None where nobody knows."""

    decode_failures: int = 0
    """Pictures that could not be decoded and were left out, so far."""

    warning: str | None = None
    """One sentence on what is wrong with a source that gives frames all the same (a file that is cut off)."""

    @property
    def last_picture(self) -> float | None:
        """When a camera gave its last good picture, whether or not anybody has taken it (monotonic seconds); None of
        a source that is always there."""
        return None

    def __init__(self, name: str) -> None:
        self.name = name
        self._closed = False

    @property
    @abstractmethod
    def size(self) -> tuple[int, int]:
        """(width, height) in pixels of the newest frame, or of the first one before any was given."""

    @abstractmethod
    def frames(self, at_most_fps: Rate = None) -> Iterator[Frame]:
        """Give the frames that are still to come.

        ``at_most_fps`` leaves out frames between, so that on average no more than this many come a second of
        the source's time: cheaper than dropping them afterwards; a function is asked for it again and again.
        Closing the source meanwhile ends the iteration. Raises SourceError when a camera is lost for good, and
        when the source has been closed
        before.
        """

    @abstractmethod
    def _release(self) -> None:
        """Let go of file, device or connection."""

    def __iter__(self) -> Iterator[Frame]:
        return self.frames()

    def close(self) -> None:
        """Release the source; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self._release()

    def __enter__(self) -> FrameSource:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _check_open(self) -> None:
        if self._closed:
            raise SourceError(f"{self.name} has been closed: open it again to read it")


class Sampler:
    """Chooses frames so that on average at most ``at_most_fps`` come a second, without drifting.

    A rate that is a function is asked again for every frame.
    """

    def __init__(self, at_most_fps: Rate) -> None:
        self._rate = at_most_fps
        self._period = self._period_now()
        self._start: int | None = None
        self._slot = -1
        self._last = 0

    def wants(self, time: FrameTime) -> bool:
        """Whether the frame of this time is to be given: the first one in each period."""
        period = self._period_now()
        if period is None:
            return True
        if self._start is None:
            self._start = time.microseconds
        elif period != self._period:
            self._start, self._slot = self._last, 0  # periods of another length begin with the last frame given
        self._period = period
        # Times are rounded to microseconds: without the half, a source of just this rate would lose frames.
        slot = int((time.microseconds - self._start + 0.5) // period)
        wanted = slot > self._slot
        self._slot = max(slot, self._slot)
        if wanted:
            self._last = time.microseconds
        return wanted

    def _period_now(self) -> float | None:
        rate = self._rate() if callable(self._rate) else self._rate
        if rate is not None and not rate > 0:
            raise UsageError(f"at most {rate} frames a second leaves none: give a number above 0")
        return 1e6 / rate if rate else None


class Timeline:
    """Turns the raw times of a source into times that start at 0 and always grow.

    A container or camera may repeat a time or jump back. A single odd frame is put one nominal interval after
    the one before it; a clock that was set back is followed from there on with its own intervals.
    """

    def __init__(self, nominal_fps: float) -> None:
        self._interval = 1 / nominal_fps
        self._offset = 0.0
        self._restart: float | None = None
        self._last: FrameTime | None = None

    def place(self, raw: float) -> FrameTime:
        """The time of the next frame, whose raw time is ``raw`` seconds."""
        if self._last is None:
            self._offset = -raw
            self._last = FrameTime(0)
            return self._last
        last = self._last
        time = FrameTime.of_seconds(raw + self._offset)
        if time > last:
            self._restart = None
        else:
            if self._restart is None or FrameTime.of_seconds(raw + self._restart) <= last:
                self._restart = last.seconds + self._interval - raw
            time = FrameTime.of_seconds(raw + self._restart)
        self._last = time
        return time
