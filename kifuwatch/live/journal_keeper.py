"""The journal of a live game: every happening is a row that lasts before anybody is told of it.

When the disk is full, what has happened waits in memory, in order, and pictures are given up to make room; nothing is
acknowledged meanwhile, and recording goes on.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kifuwatch.core.errors import OutputError
from kifuwatch.record.events_log import event_line
from kifuwatch.record.journal import Journal
from kifuwatch.recorder import Happening
from kifuwatch.watch import View

Row = Mapping[str, Any]


class LiveJournal:
    """Keeps a recording in a journal that exists. Rows of one moment are stored together, or not at all.

    ``told`` is called with the id of the last row that lasts, ``trouble`` with one sentence while rows cannot be
    written, and with nothing when they can again. ``make_room`` gives something up; it says whether it could.
    """

    def __init__(
        self,
        path: Path,
        told: Callable[[int], None] = lambda row: None,
        trouble: Callable[[str], None] = lambda sentence: None,
        make_room: Callable[[], bool] = lambda: False,
    ) -> None:
        self._journal = Journal.open(path)
        self._told, self._trouble, self._make_room = told, trouble, make_room
        self._waiting: deque[list[Row]] = deque()
        self._troubled = False
        self._tight = False
        """The disk was full once: the log is kept short from then on, or it takes all the room that was found."""

    @property
    def waiting(self) -> int:
        """How many rows are not stored yet."""
        return sum(map(len, self._waiting))

    def rows(self) -> list[dict[str, Any]]:
        """All rows that are stored."""
        return self._journal.rows()

    def keep(self, happening: Happening, view: View | None = None) -> None:
        """Add one row."""
        self.add([event_line(happening)])

    def keep_all(self, happenings: Sequence[Happening], view: View | None = None) -> None:
        """Add the rows of one moment."""
        self.add([event_line(each) for each in happenings])

    def add(self, rows: Sequence[Row]) -> None:
        """Add rows that belong together, behind those that wait."""
        if rows:
            self._waiting.append(list(rows))
        self.flush()

    def flush(self) -> bool:
        """Store what waits, as far as that can be; whether nothing waits any more."""
        while self._waiting:
            if not self._stored(self._waiting[0]):
                return False
            self._waiting.popleft()
        if self._troubled:
            self._troubled = False
            self._trouble("")
        return True

    def _stored(self, rows: Sequence[Row]) -> bool:
        last = 0
        for help_out in (self._journal.shrink, self._find_room, lambda: False):
            try:
                with self._journal.alone():
                    for row in rows:
                        last = self._journal.append(row)
            except OutputError as error:
                self._troubled = self._tight = True
                self._trouble(str(error))
                help_out()
            else:
                self._told(last)
                if self._tight:
                    self._journal.shrink()
                return True
        return False

    def _find_room(self) -> bool:
        """Have something given up, and use the room at once to take in the log, which is what takes most of it."""
        return self._make_room() and self._journal.shrink()

    def close(self) -> None:
        """The recording is over: a last try to store what waits. The end of the game itself is still to be added."""
        self.flush()

    def release(self) -> None:
        """Close the file."""
        self._journal.close()
