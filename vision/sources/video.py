"""A video file, frame by frame, with the times that the file gives each of them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.core.errors import SourceError
from kifuwatch.core.times import FrameTime
from kifuwatch.vision.quiet import hold_captures_quiet, release_captures
from kifuwatch.vision.sources.base import USUAL_FPS, Frame, FrameSource, Rate, Sampler, Timeline

# A damaged packet fails one grab, and so does every packet up to the next key frame, after which decoding
# goes on; at the end of a file 300 failing grabs take 3 ms.
_MOST_FAILED_GRABS = 300
# How containers of video begin. FFmpeg alone would take a text file for a video, too: of the letters in it.
_ISO = (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot")
_MATROSKA, _AVI = b"\x1a\x45\xdf\xa3", b"RIFF"
_OTHERS = (
    b"\x00\x00\x01",  # MPEG program stream, bare H.264
    b"\x00\x00\x00\x01",
    b"\x30\x26\xb2\x75",  # ASF, WMV
    b"FLV",
    b"OggS",
    b"YUV4MPEG2",
    b"\x06\x0e\x2b\x34",  # MXF
)
_TS_SYNC, _TS_PACKETS = 0x47, (188, 192, 204)


class VideoSource(FrameSource):
    """A video file that FFmpeg (inside OpenCV) can read, upright as the rotation flag of a phone says.

    A damaged stretch is left out and counted, and reading goes on behind it with a frame ``after_gap``.
    ``fps`` replaces the times of the file by a constant rate.
    """

    def __init__(self, path: Path, fps: float | None = None) -> None:
        super().__init__(str(path))
        start = _read_start(path)
        no_frame = f"{path} gives no frame: it holds none, is damaged, or has a format that cannot be decoded"
        hold_captures_quiet()
        # An absolute path: FFmpeg takes what stands before a colon in a relative one for a protocol.
        self._capture = cv2.VideoCapture(str(path.absolute()), cv2.CAP_FFMPEG)
        try:
            self.warning = _cut_off(path) if start[4:8] in _ISO else None
            if not self._capture.isOpened():
                raise SourceError(self.warning or no_frame)
            self._constant_fps = fps
            self.nominal_fps = fps or _announced_fps(self._capture)
            self.frame_count = _announced_frames(self._capture, start)
            self._timeline = Timeline(self.nominal_fps)
            self._index = -1
            self._gap = False
            self._size = (0, 0)
            self._first = self._next_frame(Sampler(None))
            if self._first is None:
                raise SourceError(no_frame)
        except BaseException:
            self.close()
            raise

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) in pixels of the newest frame, or of the first one before any was given."""
        return self._size

    def frames(self, at_most_fps: Rate = None) -> Iterator[Frame]:
        """Give the frames that are still to come; see :meth:`FrameSource.frames`."""
        sampler = Sampler(at_most_fps)
        self._check_open()
        frame, self._first = self._first, None
        if frame is not None:
            sampler.wants(frame.time)
            yield frame
        while not self._closed and (frame := self._next_frame(sampler)) is not None:
            yield frame

    def skip_to(self, seconds: float) -> None:
        """Go on with the frame of this time, or nearly: a file that was read so far already."""
        self._check_open()
        if self._constant_fps is None and seconds > 0:
            self._first, self._gap = None, True
            self._capture.set(cv2.CAP_PROP_POS_MSEC, seconds * 1000)

    def _next_frame(self, sampler: Sampler) -> Frame | None:
        """The next frame that the sampler wants; those between are decoded but not converted."""
        while (time := self._grab()) is not None:
            if sampler.wants(time) and (image := self._retrieve()) is not None:
                frame = Frame(self._index, time, image, after_gap=self._gap)
                self._gap = False
                return frame
        return None

    def _grab(self) -> FrameTime | None:
        """Decode the next frame and return its time; None at the end of the file."""
        failed = 0
        while not self._capture.grab():
            failed += 1
            if failed > _MOST_FAILED_GRABS:
                return None
        if failed:
            self.decode_failures += failed
            self._gap = self._index >= 0
        self._index += 1 + failed
        return self._timeline.place(self._raw_seconds())

    def _raw_seconds(self) -> float:
        if self._constant_fps:
            return self._index / self._constant_fps
        return float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000

    def _retrieve(self) -> NDArray[np.uint8] | None:
        done, image = self._capture.retrieve()
        if not done:
            self.decode_failures += 1
            self._gap = self._index > 0
            return None
        self._size = (image.shape[1], image.shape[0])
        return image  # type: ignore[return-value]

    def _release(self) -> None:
        self._capture.release()
        release_captures()


def _read_start(path: Path) -> bytes:
    if not path.exists():
        raise SourceError(f"{path} does not exist")
    if not path.is_file():
        raise SourceError(f"{path} is not a video file")
    try:
        with path.open("rb") as stream:
            start = stream.read(1024)
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from None
    if not start:
        raise SourceError(f"{path} is empty")
    if not _is_container(start):
        raise SourceError(f"{path} is not a video")
    return start


def _is_container(start: bytes) -> bool:
    if start[4:8] in _ISO or start.startswith((_MATROSKA, *_OTHERS)):
        return True
    if start.startswith(_AVI):
        return start[8:12] in (b"AVI ", b"AVIX")
    return any(
        len(start) > first + packet and start[first] == _TS_SYNC and start[first + packet] == _TS_SYNC
        for packet in _TS_PACKETS
        for first in (0, 4)
    )


def _announced_fps(capture: cv2.VideoCapture) -> float:
    fps = float(capture.get(cv2.CAP_PROP_FPS))
    return fps if 0.01 <= fps <= 1000 else USUAL_FPS


def _announced_frames(capture: cv2.VideoCapture, start: bytes) -> int | None:
    """The count of frames, from containers that hold one (MP4, MOV, AVI) or a duration (MKV, WebM)."""
    count = capture.get(cv2.CAP_PROP_FRAME_COUNT)
    known = start[4:8] in _ISO or start.startswith((_MATROSKA, _AVI))
    return int(count) if known and 0 < count < 1e9 else None


def _cut_off(path: Path) -> str | None:
    """Walk the outermost boxes of an MP4 or MOV: a sentence when the last of them goes on beyond the file."""
    end, at = path.stat().st_size, 0
    with path.open("rb") as stream:
        while at + 8 <= end:
            stream.seek(at)
            length, _ = struct.unpack(">I4s", stream.read(8))
            if length == 1:
                length = int.from_bytes(stream.read(8), "big")
            elif length == 0:
                return None
            if length < 8:
                return None
            at += length
    return f"{path} is cut off: its end is missing" if at > end else None
