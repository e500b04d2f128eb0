"""Between the stations and the pages: reads journals when they grow, works out what is told once, and tells it to all.

Journals are read, and games folded, in one thread of its own; the event loop only passes bytes on.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

from kifuwatch.arbiter.alerts import AlertTable
from kifuwatch.core.errors import KifuwatchError
from kifuwatch.live.book import Book
from kifuwatch.live.config import LiveConfig
from kifuwatch.live.feed import Feed
from kifuwatch.live.hall import Hall
from kifuwatch.live.layout import Published, layout
from kifuwatch.live.outlets import Outlet
from kifuwatch.live.setup import StationStatus
from kifuwatch.live.state import Json, change_of, to_bytes
from kifuwatch.live.station import Station
from kifuwatch.live.worker import Told, Worker, same_status, station_json

log = logging.getLogger("kifuwatch.live")
LOOK_SECONDS = 1.0
"""Journals are looked at so often anyway: somebody may rule on the command line."""
STILL_SECONDS = 20.0
DUE_SHARE = 0.25
"""Seconds for each board between two looks at what is due by its clock; at least one second."""


class Hub:
    """All boards of a server. Call :meth:`run` in the event loop; everything else from the same loop."""

    def __init__(
        self,
        config: LiveConfig,
        hall: Hall,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        table: AlertTable | None = None,
    ) -> None:
        self.config, self.hall = config, hall
        self._monotonic, self._wall = monotonic, wall
        epoch = format(int(wall() * 1000), "x")
        self.public = Feed(epoch, config.most_clients)
        self.briefs = Feed(epoch, config.most_clients)
        self.arbiter = Feed(epoch, config.most_clients)
        self._told: dict[str, Told] = {}
        self._reader = ThreadPoolExecutor(1, "kifuwatch-journals")
        self._aside = ThreadPoolExecutor(1, "kifuwatch-aside")
        self._worker = Worker(
            config, table or AlertTable.load(), monotonic, wall, self._aside, self._mark_from_anywhere
        )
        self.table = self._worker.table
        self._watched: set[str] = set()
        self._dirty = asyncio.Event()
        self._changed: set[str] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.listeners: list[Callable[[str, Told], None]] = []
        self.desk_listeners: list[Callable[[str, Told], None]] = []
        self.outlets: list[Outlet] = []
        self.latency: Callable[[float], None] = lambda seconds: None
        self._due_at = 0.0
        self._looked = monotonic()
        self._layout: tuple[tuple[int, ...], dict[str, bytes]] = ((), {})

    # The loop

    async def run(self) -> None:
        """Tell what changes until cancelled. Whatever goes wrong is written down, and it goes on."""
        self._loop = asyncio.get_running_loop()
        while True:
            self._looked = self._monotonic()
            try:
                await self._round()
            except Exception as error:
                log.error("the feed has stumbled", exc_info=error)
                await asyncio.sleep(LOOK_SECONDS)

    async def _round(self) -> None:
        """Look at all boards, then, for a second, at those of which something is heard."""
        self.watch_all()
        await self._raise_due()
        await self.look(set(self._watched), marked=False)
        deadline = self._monotonic() + LOOK_SECONDS
        while (left := self._wait_for(deadline)) > 0:
            try:
                async with asyncio.timeout(left):
                    await self._dirty.wait()
            except TimeoutError:
                return
            self._dirty.clear()
            changed, self._changed = self._changed, set()
            await self.look(changed)

    def _wait_for(self, deadline: float) -> float:
        releases = [release for book in self._worker.books.values() if (release := book.next_release()) is not None]
        return min([deadline, *releases]) - self._monotonic()

    def watch_all(self) -> None:
        """Listen to stations that have been opened since."""
        for station in self.hall.stations():
            if station.board not in self._watched:
                self._watched.add(station.board)
                station.on_change(self._caller(station.board))

    def _caller(self, board: str) -> Callable[..., None]:
        """What a station calls, from whatever thread, when something has changed."""
        return lambda *_: self._mark_from_anywhere(board)

    def _mark_from_anywhere(self, board: str) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            try:
                loop.call_soon_threadsafe(self._mark, board)
            except RuntimeError:  # closed in between
                return

    def _mark(self, board: str) -> None:
        self._changed.add(board)
        self._dirty.set()

    async def _raise_due(self) -> None:
        """Let running clocks raise their alerts."""
        now = self._monotonic()
        if now < self._due_at:
            return
        self._due_at = now + max(1.0, DUE_SHARE * len(self._watched))
        for station in self.hall.stations():
            try:
                running = await self.in_reader(self._worker.running, station.board)
                if running is not None and await asyncio.to_thread(self._worker.raise_due, *running):
                    station.changed()
            except KifuwatchError as error:
                log.warning("the clock cannot be followed", extra={"board": station.board, "error": str(error)})

    async def look(self, boards: set[str], marked: bool = True) -> None:
        """Look at some boards now, and tell what is new. A board with which something is wrong holds up no other."""
        for board in sorted(boards):
            station = self.hall.station(board)
            if station is None:
                continue
            try:
                await self._look_at(board, station, marked)
            except Exception as error:
                log.error("a board cannot be told", extra={"board": board}, exc_info=error)

    async def _look_at(self, board: str, station: Station, marked: bool) -> None:
        told = await self.in_reader(self._worker.work_out, board, station, marked)
        if told is None:
            return
        self._tell(board, told)
        if not told.only_station:
            self._tell(board, await self.in_reader(self._worker.with_desk, board, station))

    def _tell(self, board: str, told: Told) -> None:
        before = self._told.get(board)
        self._told[board] = told
        if before is None or before.public_bytes is not told.public_bytes:
            change = None if before is None else change_of(before.public, told.public)
            self.public.publish(board, "state", told.public_bytes, to_bytes(change) if change else None)
            self.briefs.publish(board, "state", to_bytes(told.brief | {"station": told.station}))
            for listen in self.listeners:
                listen(board, told)
        if told.desk_bytes is not None and (before is None or before.desk_bytes is not told.desk_bytes):
            self.arbiter.publish(board, "desk", told.desk_bytes)
            for listen in self.desk_listeners:
                listen(board, told)
        if before is not None and told.written is not None and told.written != before.written:
            self.latency(max(0.0, self._wall() - told.written))
        if before is None or not same_status(before.station, told.station):
            status = to_bytes({"board": board, "station": told.station})
            for feed in (self.public, self.briefs, self.arbiter):
                feed.publish(board, "status", status)

    # What is asked

    def told(self, board: str) -> Told | None:
        """What is told of a board now."""
        return self._told.get(board)

    def boards(self) -> list[str]:
        """All boards of which something is told."""
        return sorted(self._told)

    def book(self, board: str) -> Book | None:
        """The book of a board; only to be read in :meth:`in_reader`."""
        return self._worker.books.get(board)

    def today(self) -> str:
        """The date on the wall, YYYY-MM-DD."""
        return datetime.fromtimestamp(self._wall()).date().isoformat()

    def moment(self) -> float:
        """Seconds that only run forward."""
        return self._monotonic()

    @property
    def alive(self) -> bool:
        """Whether the journals are looked at."""
        return self._monotonic() - self._looked < STILL_SECONDS

    async def layout(self) -> dict[str, bytes]:
        """The games of all boards as plain files, by path."""
        told = [each for board in self.boards() if (each := self._told[board]).public["position"] is not None]
        key = tuple(id(each.core) for each in told)
        if key != self._layout[0]:
            self._layout = (key, await self.in_reader(self._laid_out, told))
        return self._layout[1]

    def station_json(self, status: StationStatus) -> Json:
        """How a station stands now, for everybody."""
        return station_json(status, self._wall())

    def public_sgf(self, told: Told) -> bytes:
        """The record of a board for everybody; only in the thread of the journals."""
        return self._worker.sgf(told)

    def _laid_out(self, told: list[Told]) -> dict[str, bytes]:
        return layout(Published(each.plain, self._worker.sgf(each)) for each in told)

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
        self._aside.shutdown(wait=False, cancel_futures=True)
        self._reader.submit(self._worker.close).result()
        self._reader.shutdown()
