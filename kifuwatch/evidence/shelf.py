"""The folder that evidence lies in: names, whole files, and a limit for all of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from kifuwatch.core.errors import OutputError, UsageError

DEFAULT_LIMIT = 500_000_000
"""Bytes: a long game with a hundred alerts takes less than half of it."""
LAST = 3
"""The evidence of so many last alerts is never removed."""
MOMENTS = ("before", "during", "after")
_ALERT = re.compile(r"alert-(\d{3,})-[a-z-]+\.(?:jpg|mkv)")
_MOVE = re.compile(r"move-(\d{3,})\.jpg")
_BYTES = re.compile(r"(\d+(?:\.\d+)?)\s*([kMGT]?)i?B?", re.IGNORECASE)
_FACTORS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def alert_files(number: int, code: str, film: bool) -> tuple[str, ...]:
    """The names of the evidence of one alert: before, during, after, and the film."""
    stem = f"alert-{number:03d}-{code}"
    return (*(f"{stem}-{moment}.jpg" for moment in MOMENTS), *([f"{stem}.mkv"] if film else []))


def move_picture(number: int) -> str:
    """The name of the picture of a move.

    >>> move_picture(12)
    'move-012.jpg'
    """
    return f"move-{number:03d}.jpg"


def parse_bytes(text: str) -> int:
    """A size as people write it. Raises UsageError.

    >>> parse_bytes("500MB"), parse_bytes("1.5 G"), parse_bytes("2000")
    (500000000, 1500000000, 2000)
    """
    found = _BYTES.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"{text!r} is no size: write 500MB or 2GB")
    return round(float(found.group(1)) * _FACTORS[found.group(2).upper()])


@dataclass(frozen=True)
class Shelf:
    """A folder of evidence that takes at most ``limit`` bytes, the evidence of the last alerts apart."""

    folder: Path
    limit: int = DEFAULT_LIMIT

    def names(self) -> list[str]:
        """The names of the evidence that lies there."""
        return sorted(found.string for name in (_ALERT, _MOVE) for found in self._found(name))

    def check_free(self, force: bool) -> None:
        """Make sure that no evidence of another recording lies there. Raises OutputError, unless ``force``."""
        if not force and self.names():
            raise OutputError(
                f"{self.folder} holds pictures of another recording: choose another folder, or replace them (--force)"
            )

    def clear(self) -> None:
        """Remove all evidence."""
        for name in self.names():
            (self.folder / name).unlink(missing_ok=True)

    def put(self, name: str, content: bytes) -> None:
        """Write a file, whole or not at all. Raises OutputError."""
        path = self.folder / name
        part = path.with_name(f".{name}.part")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            part.write_bytes(content)
            part.replace(path)
        except OSError as error:
            raise OutputError(f"cannot write {path}: {(error.strerror or str(error)).lower()}") from error

    def last_alert(self) -> int:
        """The highest number of an alert that there is evidence of; 0 where there is none."""
        return max((int(found.group(1)) for found in self._found(_ALERT)), default=0)

    def drop_moves(self, first: int) -> None:
        """Remove the pictures of the move of this number and all after it: they were taken back."""
        for found in self._found(_MOVE):
            if int(found.group(1)) >= first:
                (self.folder / found.string).unlink(missing_ok=True)

    def tidy(self) -> list[str]:
        """Remove the oldest evidence until the rest fits; the names of what is gone. Never raises for a file that is
        gone already."""
        last = self.last_alert()
        files = []
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if _ALERT.fullmatch(path.name) or _MOVE.fullmatch(path.name):
                state = path.stat()
                files.append((state.st_mtime_ns, path, state.st_size))
        total, gone = sum(size for _, _, size in files), []
        for _, path, size in sorted(files):
            if total <= self.limit:
                break
            found = _ALERT.fullmatch(path.name)
            if found is not None and int(found.group(1)) > last - LAST:
                continue
            path.unlink(missing_ok=True)
            total -= size
            gone.append(path.name)
        return gone

    def _found(self, name: re.Pattern[str]) -> list[re.Match[str]]:
        if not self.folder.is_dir():
            return []
        return [found for path in self.folder.iterdir() if (found := name.fullmatch(path.name))]
