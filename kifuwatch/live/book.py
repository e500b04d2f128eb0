"""What is known of one board, twice: at once for the arbiter, and for the public when its delay is over."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from kifuwatch.arbiter.alerts import AlertTable
from kifuwatch.core.errors import KifuwatchError
from kifuwatch.live.config import Delay
from kifuwatch.live.story import Row, Story, Teller
from kifuwatch.record.desk_journal import DeskJournal
from kifuwatch.record.journal import Journal


class Book:
    """The rows of one game as they come. Not for several threads at once, and its journal for one thread only.

    ``monotonic``: seconds that only run forward, by which the delay is counted, so that a clock that is put right
    does not open it; ``wall``: seconds since 1970, asked once for rows that lay in the journal before.
    """

    def __init__(
        self,
        path: Path,
        table: AlertTable,
        delay: Delay,
        monotonic: Callable[[], float],
        wall: Callable[[], float],
    ) -> None:
        self.path = path
        self._journal = Journal.open(path)
        self._delay, self._monotonic, self._wall = delay, monotonic, wall
        desk_journal = DeskJournal(self._journal, table)
        self._desk = Teller(desk_journal)
        self._public = self._desk if delay.seconds == 0 else Teller(desk_journal)
        self._held: deque[tuple[float, Row]] = deque()
        self._first = True

    def refresh(self) -> bool:
        """Read what has come; whether anything has changed for anybody. Raises FileFormatError when the journal
        cannot be read."""
        rows = self._journal.rows(after=self._desk.revision)
        now = self._monotonic()
        if rows:
            self._desk.take(rows)
            if self._public is not self._desk:
                self._held.extend((self._release(row, now), row) for row in rows)
            self._first = False
        return bool(rows) | self._let_out(now)

    def _release(self, row: Row, now: float) -> float:
        """When a row may be told. Rows of before this server ran are as old as the wall clock says."""
        age = 0.0
        if self._first:
            try:
                age = self._wall() - datetime.fromisoformat(str(row["at_time"])).timestamp()
            except (KeyError, ValueError):
                age = 0.0
        return now - max(0.0, age) + self._delay.seconds

    def _let_out(self, now: float) -> bool:
        due: list[Row] = []
        while self._held and self._held[0][0] <= now:
            due.append(self._held.popleft()[1])
        self._public.take(due) if due else None
        return bool(due)

    def next_release(self) -> float | None:
        """When the public is to be told more, in seconds of ``monotonic``."""
        return self._held[0][0] if self._held else None

    @property
    def desk(self) -> Story | None:
        """The game as it is; None before its first row."""
        return _story(self._desk)

    @property
    def public(self) -> Story | None:
        """The game as the public may know it, before moves are held back; None before its first row."""
        return _story(self._public)

    @property
    def rows(self) -> list[Row]:
        """All rows, for the arbiter."""
        return self._desk.rows

    @property
    def teller(self) -> Teller:
        """The rows themselves, for the arbiter."""
        return self._desk

    def close(self) -> None:
        """Close the journal."""
        self._journal.close()


def _story(teller: Teller) -> Story | None:
    try:
        return teller.story()
    except KifuwatchError:
        return None
