"""A folder of photographs, one settled view each, in the order in which a person counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from kifuwatch.core.errors import ImageError, SourceError
from kifuwatch.core.times import FrameTime
from kifuwatch.vision.images import EXTENSIONS, image_size, load_image
from kifuwatch.vision.sources.base import Frame, FrameSource, Rate, Sampler

PICTURES_A_SECOND = 1.0
MOST_NAMED = 5  # pictures that cannot be read, in one sentence


def natural_key(name: str) -> list[tuple[int, str]]:
    """Sort key under which ``move_9.jpg`` comes before ``move_10.jpg``."""
    parts = re.split(r"(\d+)", name.casefold())
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts] + [(-1, name)]


class FolderSource(FrameSource):
    """The JPEG, PNG and WebP files of one folder (not of folders within it), hidden ones left out.

    A picture that cannot be read is left out, counted and named in ``warning``; its place in time stays empty.
    """

    settled = True

    def __init__(self, path: Path, fps: float | None = None) -> None:
        super().__init__(str(path))
        self.nominal_fps = fps or PICTURES_A_SECOND
        self._paths = pictures_in(path)
        self.frame_count = len(self._paths)
        self._next = 0
        self._faults: list[str] = []
        self._size = self._first_size()

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) in pixels of the newest picture, or of the first readable one at the start."""
        return self._size

    def frames(self, at_most_fps: Rate = None) -> Iterator[Frame]:
        """Give the pictures that are still to come; see :meth:`FrameSource.frames`."""
        sampler = Sampler(at_most_fps)
        self._check_open()
        while self._next < len(self._paths):
            index, path = self._next, self._paths[self._next]
            self._next += 1
            time = FrameTime.of_seconds(index / self.nominal_fps)
            if sampler.wants(time) and (frame := self._load(index, time, path)) is not None:
                yield frame

    def _load(self, index: int, time: FrameTime, path: Path) -> Frame | None:
        try:
            image = load_image(path)
        except ImageError as error:
            self.decode_failures += 1
            self._faults.append(str(error))
            self.warning = f"{_said(self._faults)}: left out"
            return None
        self._size = (image.shape[1], image.shape[0])
        return Frame(index, time, image, label=path.name)

    def _first_size(self) -> tuple[int, int]:
        problem = None
        for path in self._paths:
            try:
                return image_size(path)
            except ImageError as error:
                problem = problem or error
        raise SourceError(f"no picture in {self.name} can be read: {problem}")

    def _release(self) -> None:
        self._paths = []


def _said(faults: Sequence[str]) -> str:
    """What is wrong with some files, as one sentence."""
    more = len(faults) - MOST_NAMED
    return "; ".join(faults[:MOST_NAMED]) + (f"; and {more} more pictures" if more > 0 else "")


def pictures_in(path: Path) -> list[Path]:
    """The pictures of a folder in the order in which they are read. Raises SourceError where there are none."""
    try:
        files = [
            file
            for file in path.iterdir()
            if file.suffix.lower() in EXTENSIONS and not file.name.startswith(".") and file.is_file()
        ]
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from None
    if not files:
        raise SourceError(f"{path} holds no picture: its files should end with .jpg, .png or .webp")
    return sorted(files, key=lambda file: natural_key(file.name))
