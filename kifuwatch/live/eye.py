"""What a child shows of its camera: the picture, where the board is in it, whether the picture stands still."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from time import monotonic
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.points import Layout
from kifuwatch.live.report import Report
from kifuwatch.vision.sources import Frame

Picture = NDArray[np.uint8]
Corners = tuple[tuple[float, float], ...]
WIDEST, QUALITY = 1280, 80
SELDOM, OFTEN, WATCHED = 2.0, 0.2, 10.0
"""Seconds between pictures when nobody looks at them, when somebody does, and for how long that counts."""
STALE, LONGEST_STALE = 4.0, 20.0
"""Seconds in which the picture of a camera has not changed by one bit: no sensor is so quiet. Some encoders are, until
something moves: for a camera that has stood still before and gone on, it takes half as long again, up to the second."""


class Eye:
    """Sends pictures and overlays to the server, no more of them than are looked at."""

    def __init__(self, report: Report, clock: Callable[[], float] = monotonic) -> None:
        self._report, self._clock = report, clock
        self._sent = self._wanted = float("-inf")
        self._scale = 1.0
        self._size = (0, 0)
        self._print, self._changed = 0, clock()
        self._stillest = 0.0
        self.latest: Frame | None = None

    def wanted(self) -> None:
        """Somebody looks at the pictures."""
        self._wanted = self._clock()

    @property
    def watched(self) -> bool:
        """Whether somebody has looked at the pictures of late."""
        return self._clock() - self._wanted <= WATCHED

    def take(self, frame: Frame) -> None:
        """One more frame: it may be sent."""
        self.latest = frame
        now = self._clock()
        self._note_change(frame.image, now)
        if now - self._sent < (OFTEN if self.watched else SELDOM):
            return
        self._sent = now
        small, self._scale = shrunk(frame.image)
        self._size = (small.shape[1], small.shape[0])
        done, data = cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        if done:
            self._report.send("picture", {"width": self._size[0], "height": self._size[1]}, data.tobytes())

    @property
    def stale_since(self) -> float | None:
        """For how many seconds the picture has not changed by one bit, where that is too long."""
        age = self._clock() - self._changed
        return age if age >= min(max(STALE, 1.5 * self._stillest), LONGEST_STALE) else None

    def _note_change(self, image: Picture, now: float) -> None:
        found = zlib.crc32(np.ascontiguousarray(image[::4, ::4]).tobytes())
        if found != self._print:
            self._stillest = max(self._stillest, now - self._changed)
            self._print, self._changed = found, now

    def show(self, pose: BoardPose | None, layout: Layout | None) -> None:
        """Where the board is, and what was read; of None nothing is known."""
        if pose is None or self._size == (0, 0):
            self._report.send("overlay", {"overlay": None})
            return
        overlay: dict[str, Any] = {
            "corners": [[round(float(x) * self._scale, 1), round(float(y) * self._scale, 1)] for x, y in pose.corners],
            "size": pose.size,
            "board": None if layout is None else layout.rows,
            "width": self._size[0],
            "height": self._size[1],
        }
        self._report.send("overlay", {"overlay": overlay})


def corners_in(width: int, corners: Corners) -> Corners:
    """Corners given by hand in pixels of the picture that was shown, in those of frames of a width: they may be
    larger."""
    factor = max(1.0, width / WIDEST)
    return tuple((x * factor, y * factor) for x, y in corners)


def shrunk(image: Picture) -> tuple[Picture, float]:
    """A picture at most ``WIDEST`` pixels wide, and by what factor it is smaller."""
    scale = min(1.0, WIDEST / image.shape[1])
    if scale == 1.0:
        return image, scale
    size = (WIDEST, max(1, round(image.shape[0] * scale)))
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8), scale
