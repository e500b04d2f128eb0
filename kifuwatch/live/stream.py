"""A feed as an HTTP answer: server-sent events to one page, until it goes away or takes nothing any more."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from kifuwatch.live.feed import RETRY_MS, SEND_SECONDS, Client, Feed

log = logging.getLogger("kifuwatch.live")
HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class EventStream(Response):
    """The events of a feed for some boards (None: all), from the event of an id on."""

    media_type = "text/event-stream"

    def __init__(
        self,
        feed: Feed,
        boards: frozenset[str] | None,
        since: str | None,
        patience: float = SEND_SECONDS,
        changes: bool = False,
    ) -> None:
        self.feed, self.boards, self.since, self.patience, self.changes = feed, boards, since, patience, changes
        self.background = None
        self.status_code = 200

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send until the end."""
        client = self.feed.join(self.boards, self.since, self.changes)
        gone = asyncio.create_task(_until_gone(receive, client))
        dropped = False
        try:
            async with asyncio.timeout(self.patience):
                await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            await self._send(send, b"retry: %d\n\n" % RETRY_MS)
            while not client.closed:
                if frames := await client.next():
                    await self._send(send, frames)
            if not gone.done():
                await self._send(send, b"", more=False)
        except TimeoutError:
            dropped = True
            log.info("a page takes nothing any more and is dropped", extra={"seconds": self.patience})
        finally:
            self.feed.leave(client, dropped)
            gone.cancel()
            with suppress(asyncio.CancelledError):
                await gone

    async def _send(self, send: Send, body: bytes, more: bool = True) -> None:
        message = {"type": "http.response.body", "body": body, "more_body": more}
        async with asyncio.timeout(self.patience):
            await send(message)


async def _until_gone(receive: Receive, client: Client) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    client.close()
