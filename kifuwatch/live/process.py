"""The child process of a station, as the server sees it: started, told what to do, listened to, ended."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import IO, Any

from kifuwatch.live.setup import without_secrets
from kifuwatch.live.wire import Mailbox, Message, read_messages

COMMAND = (sys.executable, "-m", "kifuwatch.live.child")
LAST_LINES = 20
LONGEST_LINE = 500


class Child:
    """One child process. ``heard`` is called with each of its messages, from a thread of its own, and ``gone`` when
    there will be no more."""

    def __init__(
        self,
        first: Mapping[str, Any],
        heard: Callable[[Message], None],
        gone: Callable[[], None] = lambda: None,
        command: Sequence[str] = COMMAND,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._clock, self._heard, self._gone = clock, heard, gone
        self.started = self.last_heard = clock()
        self.lines: deque[str] = deque(maxlen=LAST_LINES)
        self.status: int | None = None
        # A group of its own, so that Ctrl-C in a terminal ends the server, and the server its children in order.
        self._process = subprocess.Popen(
            [*command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        assert self._process.stdin
        assert self._process.stdout
        assert self._process.stderr
        self._orders = Mailbox(self._process.stdin)
        self._threads = [
            threading.Thread(target=target, args=(stream,), name="child", daemon=True)
            for target, stream in ((self._listen, self._process.stdout), (self._keep_lines, self._process.stderr))
        ]
        self.order("first", first)
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        """Its process number."""
        return self._process.pid

    def order(self, kind: str, body: Mapping[str, Any] | None = None) -> None:
        """Tell it what to do; never waits for it."""
        self._orders.put(kind, body or {})

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def silent(self) -> float:
        """Seconds since it gave its last sign of life."""
        return self._clock() - self.last_heard

    def kill(self) -> None:
        """End it at once, and wait until it is gone."""
        with contextlib.suppress(OSError):
            self._process.kill()
        self.finish()

    def finish(self, patience: float = 5.0) -> None:
        """It has ended, or is about to: take in the last that it had to say."""
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._orders.close(0.1)
        for thread in self._threads:
            thread.join(1.0)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with contextlib.suppress(OSError, ValueError):
                if stream is not None:
                    stream.close()

    def _listen(self, stream: IO[bytes]) -> None:
        for message in read_messages(stream):
            self.last_heard = self._clock()
            if message.kind == "end":
                self.status = int(message.body.get("status", 1))
            self._heard(message)
        self._gone()

    def _keep_lines(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in stream:
                self.lines.append(without_secrets(line.decode("utf-8", "replace").rstrip()[:LONGEST_LINE]))
