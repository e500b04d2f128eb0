"""Cameras that OpenCV reads: at the machine (USB, built in) and over RTSP."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.core.errors import SourceError
from kifuwatch.vision.quiet import hold_captures_quiet, release_captures
from kifuwatch.vision.sources.live import Feed, Patience

# A network stream loses a picture now and then; this many in a row, and the connection is taken for lost.
_MOST_FAILED_GRABS = 10
_WANTED_SIZE = (1920, 1080)


class Capture(Protocol):
    """The part of ``cv2.VideoCapture`` that is used here; tests put their own camera in its place."""

    def isOpened(self) -> bool: ...  # noqa: D102
    def grab(self) -> bool: ...  # noqa: D102
    def retrieve(self) -> tuple[bool, Any]: ...  # noqa: D102
    def get(self, prop: int) -> float: ...  # noqa: D102
    def set(self, prop: int, value: float) -> bool: ...  # noqa: D102
    def release(self) -> None: ...  # noqa: D102


class CaptureFeed(Feed):
    """A capture of OpenCV as one connection. ``nothing`` is the reason that is given when it cannot be
    opened."""

    def __init__(self, open_capture: Callable[[], Capture], nothing: str) -> None:
        hold_captures_quiet()
        self._capture = open_capture()
        if not self._capture.isOpened():
            self.close()
            raise SourceError(nothing)
        fps = self._capture.get(cv2.CAP_PROP_FPS)
        self.fps = fps if 0.1 <= fps <= 1000 else None

    def grab(self) -> None:
        """Wait for the next picture; a few that fail are passed over."""
        for _ in range(_MOST_FAILED_GRABS):
            if self._capture.grab():
                return
        raise SourceError("the stream of pictures has ended")

    def retrieve(self) -> NDArray[np.uint8] | None:
        """Decode the grabbed picture."""
        done, image = self._capture.retrieve()
        if not done or image is None or image.ndim != 3:
            return None
        return np.ascontiguousarray(image, dtype=np.uint8)

    def close(self) -> None:
        """Let go of the device or the connection."""
        self._capture.release()
        release_captures()


def open_rtsp(url: str, patience: Patience, capture: Callable[..., Capture] = cv2.VideoCapture) -> Feed:
    """Connect to an RTSP camera; reads end within the time-outs as far as FFmpeg keeps them."""
    limits = [
        cv2.CAP_PROP_OPEN_TIMEOUT_MSEC,
        round(patience.open_timeout * 1000),
        cv2.CAP_PROP_READ_TIMEOUT_MSEC,
        round(patience.stall_timeout * 1000),
    ]
    # Only the backend of FFmpeg knows the time-outs.
    return CaptureFeed(
        lambda: capture(url, cv2.CAP_FFMPEG, limits),
        "the address does not answer as an RTSP camera",
    )


def open_device(device: int, fps: float | None, capture: Callable[[int], Capture] | None = None) -> Feed:
    """Open the camera of this number and ask it for its largest picture up to 1920 x 1080.

    Raises SourceError when there is none, or another program holds it.
    """
    if capture is None and sys.platform.startswith("linux") and not Path(f"/dev/video{device}").exists():
        raise SourceError(f"there is no /dev/video{device} at this machine")

    def opened() -> Capture:
        camera = (capture or _open_capture)(device)
        if camera.isOpened():
            # Uncompressed, most cameras manage five large pictures a second; as MJPEG, thirty.
            camera.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
            camera.set(cv2.CAP_PROP_FRAME_WIDTH, _WANTED_SIZE[0])
            camera.set(cv2.CAP_PROP_FRAME_HEIGHT, _WANTED_SIZE[1])
            if fps:
                camera.set(cv2.CAP_PROP_FPS, fps)
        return camera

    return CaptureFeed(opened, "it cannot be opened, another program may hold it")


def _open_capture(device: int) -> Capture:
    return cv2.VideoCapture(device, cv2.CAP_V4L2 if sys.platform.startswith("linux") else cv2.CAP_ANY)
