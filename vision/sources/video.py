"""A video file, frame by frame, with the times that the file gives each of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.core.errors import SourceError
from kifuwatch.core.times import FrameTime
from kifuwatch.vision.quiet import ffmpeg_environment, hold_captures_quiet, release_captures
from kifuwatch.vision.sources.base import Frame, FrameSource, Sampler, Timeline

_USUAL_FPS = 25.0
# After damage the decoder refuses packets until the next key frame: ten seconds of them at 30 frames a
# second.
_MOST_FAILED_GRABS = 300


class VideoSource(FrameSource):
    """A video file that FFmpeg (inside OpenCV) can read; frames are turned as the rotation flag of a phone
    says.

    A damaged stretch is left out and counted, and reading goes on behind it with a frame ``after_gap``.
    ``fps`` replaces the times of the file by a constant rate.
    """

    def __init__(self, path: Path, fps: float | None = None) -> None:
        super().__init__(str(path))
        _check_file(path)
        hold_captures_quiet()
        try:
            with ffmpeg_environment():
                self._capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
            if not self._capture.isOpened():
                raise SourceError(f"{path} is not a video that can be read, or it is cut off")
            self._own_fps = fps
            self.nominal_fps = fps or _announced_fps(self._capture)
            self.frame_count = _announced_frames(self._capture)
            self._timeline = Timeline(self.nominal_fps)
            self._index = -1
            self._gap = False
            self._ended = False
            self._grabbed = self._grab()
            self._first = self._retrieve() if self._grabbed is not None else None
            if self._first is None:
                raise SourceError(f"{path} is a video without a single frame that can be decoded")
        except BaseException:
            self.close()
            raise

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) in pixels of the newest frame, or of the first one before any was given."""
        return self._size

    def frames(self, at_most_fps: float | None = None) -> Iterator[Frame]:
        """Give the frames that are still to come; see :meth:`FrameSource.frames`."""
        sampler = Sampler(at_most_fps)
        self._check_open()
        while (time := self._take_grabbed()) is not None:
            if not sampler.wants(time):
                continue
            image = self._take_image()
            if image is None:
                continue
            frame = Frame(self._index, time, image, after_gap=self._gap)
            self._gap = False
            yield frame
            self._check_open()

    def _take_grabbed(self) -> FrameTime | None:
        """The time of the frame that is in hand: the one that opening the file has grabbed, or the next."""
        time, self._grabbed = self._grabbed, None
        if time is None:
            self._first = None
            time = self._grab()
        return time

    def _take_image(self) -> NDArray[np.uint8] | None:
        image, self._first = self._first, None
        return image if image is not None else self._retrieve()

    def _grab(self) -> FrameTime | None:
        """Decode the next frame and return its time; None at the end of the file."""
        failed = 0
        while not self._ended and not self._capture.grab():
            failed += 1
            self._ended = failed > _MOST_FAILED_GRABS or self._is_at_end()
        if self._ended:
            return None
        if failed:
            self._gap = True
            self.decode_failures += failed
        self._index += 1 + failed
        return self._timeline.place(self._raw_seconds())

    def _raw_seconds(self) -> float:
        if self._own_fps:
            return self._index / self._own_fps
        return float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000

    def _is_at_end(self) -> bool:
        """After a failed grab: is it the end of the file, rather than damage, as the file announces it?"""
        return self.frame_count is None or self._index + 1 >= self.frame_count

    def _retrieve(self) -> NDArray[np.uint8] | None:
        done, image = self._capture.retrieve()
        if not done:
            self.decode_failures += 1
            self._gap = True
            return None
        self._size = (image.shape[1], image.shape[0])
        return image  # type: ignore[return-value]

    def _release(self) -> None:
        if hasattr(self, "_capture"):
            self._capture.release()
        release_captures()


def _check_file(path: Path) -> None:
    if not path.exists():
        raise SourceError(f"{path} does not exist")
    if not path.is_file():
        raise SourceError(f"{path} is not a video file")
    try:
        with path.open("rb") as stream:
            if not stream.read(1):
                raise SourceError(f"{path} is empty")
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from None


def _announced_fps(capture: cv2.VideoCapture) -> float:
    fps = float(capture.get(cv2.CAP_PROP_FPS))
    return fps if 0.01 <= fps <= 1000 else _USUAL_FPS


def _announced_frames(capture: cv2.VideoCapture) -> int | None:
    count = capture.get(cv2.CAP_PROP_FRAME_COUNT)
    return int(count) if 0 < count < 1e9 else None
