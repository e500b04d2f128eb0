"""The feed: what is told to many pages at once, as server-sent events.

Every event says how a board stands as a whole, so the next one replaces it. What waits for a client is therefore never
more than one event of each kind for each board: a slow client misses steps in between, holds no memory, and slows
nobody; one that takes nothing for a while is dropped. A client that comes back with the id of the last event it saw
is told of the boards that have changed since.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass

PING_SECONDS = 15.0
SEND_SECONDS = 20.0
"""A client that takes nothing for so long is dropped."""
RETRY_MS = 2000
CHANGE = "change"
"""The name of an event that tells only what has changed."""
PING = b": ping\n\n"


@dataclass(frozen=True)
class FeedEvent:
    """One event, ready to be sent. ``number``: its place in the feed. ``change``: the same, much shorter, for who has
    taken in event ``after`` of that kind for that board."""

    number: int
    board: str
    kind: str
    frame: bytes
    change: bytes | None = None
    after: int = 0


class Client:
    """One listener: what waits for it, newest of each kind for each board. ``changes``: it can do with what has
    changed, where it has what was before."""

    def __init__(self, boards: frozenset[str] | None, changes: bool = False) -> None:
        self.boards, self._changes = boards, changes
        self._sent: dict[tuple[str, str], int] = {}
        self._waiting: dict[tuple[str, str], FeedEvent] = {}
        self._wake = asyncio.Event()
        self.closed = False
        self.replaced = 0

    def offer(self, event: FeedEvent) -> None:
        """Put an event before the client; what waits of the same kind for the same board is replaced."""
        if self.boards is not None and event.board not in self.boards:
            return
        key = (event.board, event.kind)
        self.replaced += self._waiting.pop(key, None) is not None
        self._waiting[key] = event
        self._wake.set()

    def close(self) -> None:
        """Nothing more comes."""
        self.closed = True
        self._wake.set()

    @property
    def waiting(self) -> int:
        """How many events wait."""
        return len(self._waiting)

    def take(self) -> list[FeedEvent]:
        """What waits, in order; nothing waits then."""
        self._wake.clear()
        events, self._waiting = list(self._waiting.values()), {}
        return events

    async def next(self) -> bytes:
        """What is to be sent next: the events that wait, in order, or a ping when none has come for a while; empty
        at the end."""
        if not self._waiting and not self.closed:
            try:
                async with asyncio.timeout(PING_SECONDS):
                    await self._wake.wait()
            except TimeoutError:
                return PING
        return b"".join(self._frame(event) for event in self.take())

    def _frame(self, event: FeedEvent) -> bytes:
        key = (event.board, event.kind)
        known = self._sent.get(key)
        self._sent[key] = event.number
        if self._changes and event.change is not None and known == event.after:
            return event.change
        return event.frame


class Feed:
    """All clients of one kind, and the last event of each kind for each board. For one event loop.

    ``epoch`` names this run of the server: ids of another run mean nothing, and such a client is told everything.
    """

    def __init__(self, epoch: str, most: int) -> None:
        self.epoch, self._most = epoch, most
        self._number = 0
        self._last: dict[tuple[str, str], FeedEvent] = {}
        self._clients: set[Client] = set()
        self.dropped = 0
        self._ended = False

    @property
    def told(self) -> int:
        """How many events have been told."""
        return self._number

    def publish(self, board: str, kind: str, data: bytes, change: bytes | None = None) -> None:
        """Tell everybody how a board stands. ``data``: JSON on one line; ``change``: what has changed since the event
        before of this kind for this board."""
        self._number += 1
        before = self._last.pop((board, kind), None)
        frame = self._framed(kind, data)
        shorter = None if change is None or before is None else self._framed(CHANGE, change)
        event = FeedEvent(self._number, board, kind, frame, shorter, before.number if before is not None else 0)
        self._last[board, kind] = event
        for client in self._clients:
            client.offer(event)

    def _framed(self, kind: str, data: bytes) -> bytes:
        return b"event: %b\nid: %b-%d\ndata: %b\n\n" % (kind.encode(), self.epoch.encode(), self._number, data)

    def forget(self, board: str) -> None:
        """A board is gone."""
        for key in [key for key in self._last if key[0] == board]:
            del self._last[key]

    @property
    def clients(self) -> int:
        """How many listen."""
        return len(self._clients)

    @property
    def full(self) -> bool:
        """Whether no more can listen."""
        return len(self._clients) >= self._most

    def join(self, boards: Iterable[str] | None, since: str | None = None, changes: bool = False) -> Client:
        """A new listener to some boards (None: to all), told first what has changed since the event of an id."""
        client = Client(None if boards is None else frozenset(boards), changes)
        after = self._number_of(since)
        for event in self._last.values():
            if event.number > after:
                client.offer(event)
        if self._ended:
            client.close()
        self._clients.add(client)
        return client

    def _number_of(self, since: str | None) -> int:
        epoch, _, number = (since or "").rpartition("-")
        return int(number) if epoch == self.epoch and number.isascii() and number.isdecimal() else 0

    def leave(self, client: Client, dropped: bool = False) -> None:
        """A listener is gone; ``dropped`` when it took nothing any more."""
        self._clients.discard(client)
        self.dropped += dropped

    def close(self) -> None:
        """End all listening, that of who comes later too."""
        self._ended = True
        for client in list(self._clients):
            client.close()
