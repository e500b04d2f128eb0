"""Keep the picture and video libraries from writing on standard error by themselves.

libjpeg and libpng print straight to file descriptor 2, FFmpeg and OpenCV have loggers of their own. A command
of kifuwatch says one sentence of its own instead. What the libraries had to say about a picture is not lost:
it is handed back, because it is the only sign of some kinds of damage.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

import cv2

_PICTURE_LIBRARIES = (b"libpng", b"Corrupt JPEG", b"Premature end", b"Unsupported marker", b"[ WARN")
_FFMPEG_LEVEL = "OPENCV_FFMPEG_LOGLEVEL"
_FFMPEG_QUIET = "-8"


@dataclass
class Complaints:
    """The lines that a library wrote while it was listened to; filled in when the listening ends."""

    lines: tuple[str, ...] = ()


class _Process:
    """What there is once in a process: file descriptor 2, and the level of OpenCV's logger."""

    def __init__(self) -> None:
        self.stderr = threading.Lock()
        self.logging = threading.Lock()
        self.captures = 0
        self.level = 0
        self.set_ffmpeg_level = False


_process = _Process()


@contextmanager
def listening() -> Iterator[Complaints]:
    """Catch what C code writes to file descriptor 2; afterwards it is in the lines of the value that is
    yielded.

    One thread at a time. Lines that do not come from the picture libraries (another thread may write
    meanwhile) are passed on when the block ends.
    """
    heard = Complaints()
    with _process.stderr:
        try:
            kept = os.dup(2)
        except OSError:  # standard error is closed: nothing that is written there can be seen anyway
            yield heard
            return
        with _scratch() as scratch:
            _flush()
            os.dup2(scratch.fileno(), 2)
            try:
                yield heard
            finally:
                _flush()
                os.dup2(kept, 2)
                os.close(kept)
                heard.lines = _sort_out(scratch)


def _flush() -> None:
    if sys.stderr is not None and not sys.stderr.closed:
        sys.stderr.flush()


def _scratch() -> BinaryIO:
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("stderr"), "r+b", buffering=0)
    return tempfile.TemporaryFile(buffering=0)


def _sort_out(scratch: BinaryIO) -> tuple[str, ...]:
    """The lines of the picture libraries; all others are written on standard error."""
    if scratch.seek(0, os.SEEK_END) == 0:
        return ()
    scratch.seek(0)
    lines = scratch.read().splitlines(keepends=True)
    others = b"".join(line for line in lines if not line.startswith(_PICTURE_LIBRARIES))
    if others:
        os.write(2, others)
    ours = (line for line in lines if line.startswith(_PICTURE_LIBRARIES))
    return tuple(line.decode(errors="replace").strip() for line in ours)


def hold_captures_quiet() -> None:
    """Silence the loggers of OpenCV and FFmpeg until the matching :func:`release_captures`; calls may overlap.

    OpenCV reads FFmpeg's level from the environment when the first capture or writer of a process is opened, and
    keeps it: whoever writes a video before reading one does that within :func:`quiet_captures`, too. A level that the
    user has set stays.
    """
    with _process.logging:
        if _process.captures == 0:
            _process.level = cv2.utils.logging.getLogLevel()
            cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
            _process.set_ffmpeg_level = _FFMPEG_LEVEL not in os.environ
            if _process.set_ffmpeg_level:
                os.environ[_FFMPEG_LEVEL] = _FFMPEG_QUIET
        _process.captures += 1


def release_captures() -> None:
    """Undo one :func:`hold_captures_quiet`: the last one puts level and environment back."""
    with _process.logging:
        _process.captures -= 1
        if _process.captures == 0:
            cv2.utils.logging.setLogLevel(_process.level)
            if _process.set_ffmpeg_level:
                os.environ.pop(_FFMPEG_LEVEL, None)


@contextmanager
def quiet_captures() -> Iterator[None]:
    """Hold the loggers of OpenCV and FFmpeg quiet for a block: around a ``cv2.VideoWriter``, for example."""
    hold_captures_quiet()
    try:
        yield
    finally:
        release_captures()
