"""What the server wants of the child process of a camera: read from its standard input by a thread of its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import IO, Any

from kifuwatch.live.setup import Corners, check_corners
from kifuwatch.live.wire import read_messages


@dataclass(frozen=True)
class LookOrder:
    """Look for the board, with what is known of it."""

    size: int | None = None
    corners: Corners | None = None
    board: str | None = None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> LookOrder:
        """From a message."""
        return cls(body.get("size"), check_corners(body.get("corners")), body.get("board"))


@dataclass(frozen=True)
class RecordOrder:
    """Record a game of the store at ``home``; go on with it when it has been begun."""

    home: str
    game_id: str


class Orders:
    """The orders that hold now. ``wanted`` is called when somebody looks at the pictures."""

    def __init__(self) -> None:
        self.look: LookOrder | None = None
        self.record: RecordOrder | None = None
        self.paused = self.stopped = False
        self.wanted: Callable[[], None] = lambda: None

    def obey(self, stream: IO[bytes]) -> None:
        """Take orders from a stream. When the server has gone, this process ends at once: what it has recorded lasts,
        and nobody would read what it says."""
        threading.Thread(target=self._obey, args=(stream,), name="orders", daemon=True).start()

    def _obey(self, stream: IO[bytes]) -> None:
        for message in read_messages(stream):
            self.take(message.kind, message.body)
        os._exit(0)

    def take(self, kind: str, body: Mapping[str, Any]) -> None:
        """Take one order."""
        if kind == "look":
            self.look = LookOrder.of(body)
        elif kind == "record":
            self.record = RecordOrder(str(body["home"]), str(body["game_id"]))
        elif kind == "pause":
            self.paused = bool(body["on"])
        elif kind == "stop":
            self.stopped = True
        elif kind == "picture":
            self.wanted()
