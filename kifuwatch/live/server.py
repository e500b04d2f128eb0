"""Running the server: the socket, uvicorn, and an end in order."""

from __future__ import annotations

import errno
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn
from fastapi import FastAPI

from kifuwatch.core.ending import ending_signals
from kifuwatch.core.errors import OutputError, UsageError
from kifuwatch.live.config import LiveConfig
from kifuwatch.live.hub import Hub

WAITING = 512
"""Connections that may wait to be taken."""
STUCK_MS = 60_000
"""A connection whose other side takes nothing for so long is given up by the system."""
GRACE_SECONDS = 3


def bind(config: LiveConfig) -> socket.socket:
    """The socket on which the server listens. Raises OutputError with one sentence when it cannot be had."""
    try:
        family = socket.getaddrinfo(config.host, config.port, type=socket.SOCK_STREAM)[0][0]
        bound = socket.socket(family, socket.SOCK_STREAM)
    except (OSError, OverflowError) as error:
        raise UsageError(f"--host: {config.host!r} is no address of this machine") from error
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STUCK_MS)
    try:
        bound.bind((config.host, config.port))
        bound.listen(WAITING)
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            taken = f"port {config.port} is taken, by another program or another kifuwatch: choose one with --port"
            raise OutputError(taken) from error
        raise OutputError(f"cannot listen on {config.host} port {config.port}: {error.strerror}") from error
    return bound


class Server(uvicorn.Server):
    """uvicorn that ends the feeds when it is asked to stop, so that nobody who only listens holds it up."""

    def __init__(self, config: uvicorn.Config, hub: Hub) -> None:
        super().__init__(config)
        self._hub = hub

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ctrl-C, a polite kill, a terminal that is closed; the second Ctrl-C at once."""
        super().handle_exit(sig, frame)
        self._hub.end_feeds()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ctrl-C ends the server in order, and is not raised again afterwards."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in ending_signals()}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def end(self) -> None:
        """Stop in order."""
        self.should_exit = True
        self._hub.end_feeds()


def serve(app: FastAPI, config: LiveConfig, bound: socket.socket, ready: Callable[[], Any]) -> None:
    """Serve until stopped. ``ready`` is called once pages can be opened."""
    Server(uvicorn_settings(app, ready), app.state.hub).run([bound])


def uvicorn_settings(app: FastAPI, ready: Callable[[], Any]) -> uvicorn.Config:
    """How uvicorn runs the application: no log of its own, no name of a server, no websockets."""
    return uvicorn.Config(
        _calling(app, ready),
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=GRACE_SECONDS,
        timeout_keep_alive=30,
        lifespan="on",
    )


def _calling(app: FastAPI, ready: Callable[[], Any]) -> Any:
    """The application; ``ready`` is called when it has started."""

    async def calling(scope: Any, receive: Any, send: Any) -> None:
        async def told(message: Any) -> None:
            await send(message)
            if message["type"] == "lifespan.startup.complete":
                ready()

        await app(scope, receive, told if scope["type"] == "lifespan" else send)

    return calling
