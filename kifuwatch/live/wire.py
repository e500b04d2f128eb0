"""Messages between a server and the child processes of its cameras.

A message is one line of JSON, and behind it as many bytes as its ``bytes`` says. What a child has to say replaces
what it said before (the latest picture, the latest state), so a server that does not read costs a child nothing but
the one write that waits, in a thread of its own.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

LONGEST_LINE, LARGEST_LOAD = 16 << 20, 16 << 20


@dataclass(frozen=True)
class Message:
    """One message: what it is, what it says, and the bytes that come with it."""

    kind: str
    body: Mapping[str, Any]
    load: bytes = b""


def write_message(stream: IO[bytes], message: Message) -> None:
    """Write one message and flush it. Raises OSError or ValueError when nobody reads any more."""
    head = {"kind": message.kind, **message.body} | ({"bytes": len(message.load)} if message.load else {})
    stream.write(json.dumps(head, ensure_ascii=False).encode() + b"\n" + message.load)
    stream.flush()


def read_messages(stream: IO[bytes]) -> Iterator[Message]:
    """Messages as they come, until the other side has gone. A line that is no message ends them."""
    while True:
        try:
            line = stream.readline(LONGEST_LINE)
            if not line.endswith(b"\n"):
                return
            body = json.loads(line)
            kind, size = str(body.pop("kind")), int(body.pop("bytes", 0))
            if not 0 <= size <= LARGEST_LOAD:
                return
            load = stream.read(size) if size else b""
        except (OSError, ValueError, KeyError, AttributeError, TypeError):
            return
        if len(load) < size:
            return
        yield Message(kind, body, load)


class Mailbox:
    """What is to be sent: of each kind the latest only. A thread of its own sends it, so putting never waits."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._waiting = stream, dict[str, Message]()
        self._changed = threading.Condition()
        self._ended = self._broken = False
        self._thread = threading.Thread(target=self._run, name="mailbox", daemon=True)
        self._thread.start()

    def put(self, kind: str, body: Mapping[str, Any], load: bytes = b"") -> None:
        """Send this when the other side is ready, in place of an older one of its kind that still waits."""
        with self._changed:
            self._waiting[kind] = Message(kind, body, load)
            self._changed.notify()

    def close(self, patience: float = 1.0) -> None:
        """Send what waits still, but do not wait longer than ``patience`` seconds for that."""
        with self._changed:
            self._ended = True
            self._changed.notify()
        self._thread.join(patience)

    @property
    def broken(self) -> bool:
        """Whether the other side has gone."""
        return self._broken

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._ended:
                    self._changed.wait()
                if not self._waiting:
                    return
                message = self._waiting.pop(next(iter(self._waiting)))
            try:
                write_message(self._stream, message)
            except (OSError, ValueError):
                self._broken = True
                return
