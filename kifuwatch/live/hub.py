"""Between the stations and the pages: reads journals when they grow, works out what is told once, and tells it to all.

Journals are read, and games folded, in one thread of its own; the event loop only passes bytes on.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kifuwatch.arbiter.alerts import AlertTable
from kifuwatch.core.errors import KifuwatchError
from kifuwatch.live.book import Book
from kifuwatch.live.config import LiveConfig
from kifuwatch.live.desk_json import desk_state
from kifuwatch.live.feed import Feed
from kifuwatch.live.hall import Hall
from kifuwatch.live.setup import StationStatus
from kifuwatch.live.state import Json, brief, empty_state, public_state, to_bytes
from kifuwatch.live.station import Station

LOOK_SECONDS = 1.0
"""Journals are looked at so often anyway: somebody may rule on the command line."""
log = logging.getLogger("kifuwatch.live")


@dataclass
class Told:
    """What is told of one board now, made once for everybody."""

    public: Json
    public_bytes: bytes
    brief: Json
    desk: Json | None = None
    desk_bytes: bytes | None = None
    station: Json = field(default_factory=dict)
    revision: int = 0
    changed: float = 0.0
    files: dict[str, bytes] = field(default_factory=dict)
    """Game records made of it, when first asked for."""


class Hub:
    """All boards of a server. Call :meth:`run` in the event loop; everything else from the same loop."""

    def __init__(
        self,
        config: LiveConfig,
        hall: Hall,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.config, self.hall = config, hall
        self._monotonic, self._wall = monotonic, wall
        self.table = AlertTable.load()
        epoch = format(int(wall() * 1000), "x")
        self.public = Feed(epoch, config.most_clients)
        self.briefs = Feed(epoch, config.most_clients)
        self.arbiter = Feed(epoch, config.most_clients)
        self._told: dict[str, Told] = {}
        self._books: dict[str, Book] = {}
        self._worked_out: dict[str, Told] = {}  # by the thread of the journals, and perhaps not told yet
        self._reader = ThreadPoolExecutor(1, "kifuwatch-journals")
        self._watched: set[str] = set()
        self._dirty = asyncio.Event()
        self._changed: set[str] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.listeners: list[Callable[[str, str, Json], None]] = []
        self.latency = 0.0

    # The loop

    async def run(self) -> None:
        """Tell what changes until cancelled."""
        self._loop = asyncio.get_running_loop()
        while True:
            self.watch_all()
            await self.look(set(self._watched))
            deadline = self._monotonic() + LOOK_SECONDS
            while (left := self._wait_for(deadline)) > 0:
                try:
                    async with asyncio.timeout(left):
                        await self._dirty.wait()
                except TimeoutError:
                    break
                self._dirty.clear()
                changed, self._changed = self._changed, set()
                await self.look(changed)

    def _wait_for(self, deadline: float) -> float:
        releases = [release for book in self._books.values() if (release := book.next_release()) is not None]
        return min([deadline, *releases]) - self._monotonic()

    def watch_all(self) -> None:
        """Listen to stations that have been opened since."""
        for station in self.hall.stations():
            if station.board not in self._watched:
                self._watched.add(station.board)
                station.on_change(self._caller(station.board))

    def _caller(self, board: str) -> Callable[..., None]:
        """What a station calls, from whatever thread, when something has changed."""

        def changed(*_: object) -> None:
            loop = self._loop
            if loop is not None and not loop.is_closed():
                try:
                    loop.call_soon_threadsafe(self._mark, board)
                except RuntimeError:  # closed in between
                    return

        return changed

    def _mark(self, board: str) -> None:
        self._changed.add(board)
        self._dirty.set()

    async def look(self, boards: set[str]) -> None:
        """Look at some boards now, and tell what is new."""
        loop = asyncio.get_running_loop()
        for board in sorted(boards):
            station = self.hall.station(board)
            if station is None:
                continue
            told = await loop.run_in_executor(self._reader, self._work_out, board, station)
            if told is not None:
                self._tell(board, told)

    def _tell(self, board: str, told: Told) -> None:
        before = self._told.get(board)
        self._told[board] = told
        if before is None or before.public_bytes is not told.public_bytes:
            self.public.publish(board, "state", told.public_bytes)
            self.briefs.publish(board, "state", to_bytes(told.brief | {"station": told.station}))
            for listen in self.listeners:
                listen(board, "state", told.public)
        if told.desk_bytes is not None and (before is None or before.desk_bytes is not told.desk_bytes):
            self.arbiter.publish(board, "desk", told.desk_bytes)
        if before is None or before.station != told.station:
            status = to_bytes({"board": board, "station": told.station})
            for feed in (self.public, self.briefs, self.arbiter):
                feed.publish(board, "status", status)

    # In the thread of the journals

    def _work_out(self, board: str, station: Station) -> Told | None:
        try:
            status = station.status()
            path = station.journal_path()
            book, fresh = self._book(board, path)
            changed = book.refresh() if book is not None else False
        except KifuwatchError as error:
            log.warning("the journal cannot be read", extra={"board": board, "error": str(error)})
            return None
        before = self._worked_out.get(board)
        shown = station_json(status)
        if before is not None and not changed and not fresh:
            if same_status(before.station, shown):
                return None
            told = replace(before, station=shown)
        else:
            told = self._made(board, status.game_id, book, shown, station.evidence)
        self._worked_out[board] = told
        return told

    def _book(self, board: str, path: Path | None) -> tuple[Book | None, bool]:
        """The book of the game that a board has now; whether it is another than before."""
        book = self._books.get(board)
        if book is not None and book.path == path:
            return book, False
        if book is not None:
            self._books.pop(board).close()
        if path is None or not path.is_file():
            return None, book is not None
        self._books[board] = Book(path, self.table, self.config.delay, self._monotonic, self._wall)
        return self._books[board], True

    def _made(
        self, board: str, game_id: str | None, book: Book | None, station: Json, evidence: Callable[[int], list[Path]]
    ) -> Told:
        public, desk = (book.public, book.desk) if book else (None, None)
        held = self.config.delay.moves
        state = empty_state(board) if public is None else public_state(board, game_id, public, held)
        state |= {"delay": {"seconds": self.config.delay.seconds, "moves": self.config.delay.moves}}
        told = Told(state, to_bytes(state | {"station": station}), brief(state), station=station, changed=self._wall())
        if book is not None and desk is not None:
            told.revision = desk.state.revision
            told.desk = desk_state(board, game_id, desk, book.teller, self.table, evidence) | {"station": station}
            told.desk_bytes = to_bytes(told.desk)
        return told

    # What is asked

    def told(self, board: str) -> Told | None:
        """What is told of a board now."""
        return self._told.get(board)

    def boards(self) -> list[str]:
        """All boards of which something is told."""
        return sorted(self._told)

    def book(self, board: str) -> Book | None:
        """The book of a board; only to be read in :meth:`in_reader`."""
        return self._books.get(board)

    async def in_reader(self, work: Callable[..., Any], *arguments: Any) -> Any:
        """Do something in the thread of the journals."""
        return await asyncio.get_running_loop().run_in_executor(self._reader, work, *arguments)

    def end_feeds(self) -> None:
        """End all listening. May be called from any thread, and between two steps of the loop."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end_feeds)

    def _end_feeds(self) -> None:
        for feed in (self.public, self.briefs, self.arbiter):
            feed.close()

    def close(self) -> None:
        """End all listening and close the journals."""
        self._end_feeds()
        self._reader.submit(self._close_books).result()
        self._reader.shutdown()

    def _close_books(self) -> None:
        for book in self._books.values():
            book.close()
        self._books.clear()


def station_json(status: StationStatus) -> Json:
    """How a station stands, for everybody: without its source, which may hold a password."""
    return {
        "state": status.state,
        "note": status.note,
        "note_since": round(status.note_since, 1),
        "last_picture_age": None if status.last_picture_age is None else round(status.last_picture_age, 1),
    }


def same_status(before: Json, after: Json) -> bool:
    """Whether nothing has changed that has to be told: seconds that go on by themselves are not."""
    return (before.get("state"), before.get("note")) == (after["state"], after["note"])
