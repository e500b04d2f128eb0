"""The pictures and films of a live game: kept as any recording keeps them, given up first when the disk is full."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from kifuwatch.arbiter import Alert
from kifuwatch.evidence import EvidenceKeeper
from kifuwatch.reconstruct import Move
from kifuwatch.recorder import Happening
from kifuwatch.watch import View

LIMIT = 500_000_000
"""Bytes for all of one game."""
AT_ONCE = 2_000_000
"""Bytes that are given up at a time."""
AGAIN = 10.0
"""Seconds after which writing is tried again."""
SPARE = 20_000_000
"""Bytes that stay free for the journal: with less, no picture is written."""


class Exhibits:
    """Evidence in a folder. ``alerts``: how many there were before; ``written`` is called when there is more to be
    seen. It never raises: the record comes first."""

    def __init__(
        self,
        folder: Path,
        alerts: int,
        clock: Callable[[], float] = monotonic,
        written: Callable[[], None] = lambda: None,
    ) -> None:
        self._folder, self._clock, self._written = folder, clock, written
        self._keeper = EvidenceKeeper(folder, LIMIT, films=True, alerts=alerts)
        self._since: float | None = None

    @property
    def fault(self) -> str:
        """Why no pictures are written now; empty while they are."""
        return self._keeper.fault

    def named(self, alert: Alert) -> Alert:
        """The alert with the names of its pictures."""
        return self._keeper.named(alert)

    def look(self, view: View) -> None:
        """Take in one look, and try again from time to time when nothing could be written."""
        if self._keeper.fault:
            now = self._clock()
            self._since = now if self._since is None else self._since
            if now - self._since >= AGAIN and self._room():
                self._keeper.fault, self._since = "", None
        to_come = self._keeper.to_come
        self._keeper.look(view)
        if self._keeper.to_come < to_come:
            self._written()

    def keep(self, happening: Happening, view: View) -> None:
        """Write the picture of a move, those of an alert."""
        self._keeper.keep(happening, view)
        if isinstance(happening, Move | Alert):
            self._written()

    def close(self) -> None:
        """End the films."""
        self._keeper.close()

    def trim(self) -> bool:
        """Remove the oldest pictures, a few at a time; whether there were any."""
        gone = 0
        for path in sorted(self._folder.glob("*.*"), key=_age) if self._folder.is_dir() else ():
            try:
                size = path.stat().st_size
                path.unlink()
            except OSError:
                continue
            gone += size
            if gone >= AT_ONCE:
                break
        return gone > 0

    def _room(self) -> bool:
        try:
            return shutil.disk_usage(self._folder).free >= SPARE
        except OSError:
            return False


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
