"""Short films of an incident, in a container that a crash or a power cut leaves readable: Matroska with Motion JPEG.

Every picture stands for itself, and the container is read from its beginning, so of a file that breaks off all but its
end can be shown.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from kifuwatch.core.errors import ImageError, OutputError
from kifuwatch.evidence.looks import QUALITY, Look, Picture

RATE = 3.0
"""Pictures a second."""
AT_ONCE = 6
"""So many pictures are written at each look, so that recording is not held up."""


class Clip:
    """A film being written: looks come in, pictures at a steady rate go out, a few at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer: cv2.VideoWriter | None = None
        self._waiting: deque[bytes] = deque()
        self._shown: Look | None = None
        self._next = 0.0

    def add(self, look: Look) -> None:
        """Show this look from its time on; the one before it until then."""
        if self._shown is None:
            self._next = look.t
        elif look.t > self._shown.t:
            self._fill(look.t)
        self._shown = look

    def _fill(self, until: float) -> None:
        assert self._shown is not None
        while self._next < until:
            self._waiting.append(self._shown.jpeg)
            self._next += 1 / RATE

    def write(self, most: int | None = AT_ONCE) -> None:
        """Write some of what waits, or all of it. Raises OutputError."""
        while self._waiting and most != 0:
            self._put(self._waiting.popleft())
            most = None if most is None else most - 1

    def close(self, until: float = 0.0) -> None:
        """Write all that waits, the last look at least once and until a time (seconds), and end the film. Raises
        OutputError."""
        if self._shown is not None:
            self._fill(max(until, self._next + 1 / RATE))
        self.write(None)
        if self._writer is not None:
            self._writer.release()
            self._writer = None

    def _put(self, jpeg: bytes) -> None:
        picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        assert picture is not None
        if self._writer is None:
            height, width = picture.shape[:2]
            code = cv2.VideoWriter.fourcc(*"MJPG")
            self._writer = cv2.VideoWriter(str(self.path), cv2.CAP_FFMPEG, code, RATE, (width, height))
            if not self._writer.isOpened():
                raise OutputError(f"cannot write the film {self.path}")
            self._writer.set(cv2.VIDEOWRITER_PROP_QUALITY, QUALITY)
        self._writer.write(picture)


def read_clip(path: Path) -> Iterator[Picture]:
    """The pictures of a film, (h, w, 3) BGR each, as far as the file goes. Raises ImageError when it holds none."""
    film = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    try:
        read, picture = film.read()
        if not read:
            raise ImageError(f"{path} is no film, or cut off before its first picture")
        while read:
            yield np.asarray(picture, dtype=np.uint8)
            read, picture = film.read()
    finally:
        film.release()
