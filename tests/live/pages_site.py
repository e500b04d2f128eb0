"""A server with a real socket for a real browser, over tables that are played by the test."""

from __future__ import annotations

import asyncio
import socket
import threading
from pathlib import Path
from typing import Any, cast

import cv2
import numpy as np
import uvicorn

from kifuwatch.live.app import create_app
from kifuwatch.live.config import LiveConfig
from kifuwatch.live.hall import Hall
from kifuwatch.live.hub import Hub
from kifuwatch.live.server import Server, _calling, bind
from kifuwatch.live.setup import StationStatus
from tests.live.material import TOKEN, Clock, Table, TestHall

CORNERS = [[400.0, 90.0], [880.0, 90.0], [1010.0, 640.0], [270.0, 640.0]]


def camera_picture(size: int = 19) -> bytes:
    """What a camera would see: a wooden board on a table, 1280 by 720, its corners at ``CORNERS``."""
    image = np.full((720, 1280, 3), (60, 70, 78), np.uint8)
    flat = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    to_pixels = cv2.getPerspectiveTransform(flat, np.array(CORNERS, np.float32))

    def place(x: float, y: float) -> tuple[int, int]:
        u, v, w = to_pixels @ (x, y, 1.0)
        return round(u / w), round(v / w)

    rim = [place(x, y) for x, y in ((-0.05, -0.05), (1.05, -0.05), (1.05, 1.05), (-0.05, 1.05))]
    cv2.fillPoly(image, [np.array(rim, np.int32)], (110, 170, 215))
    for n in range(size):
        at = n / (size - 1)
        cv2.line(image, place(0, at), place(1, at), (30, 45, 60), 1, cv2.LINE_AA)
        cv2.line(image, place(at, 0), place(at, 1), (30, 45, 60), 1, cv2.LINE_AA)
    return bytes(cv2.imencode(".jpg", image)[1])


def reading(board: list[str] | None = None) -> dict[str, Any]:
    """What a camera reads on that picture."""
    return {"corners": CORNERS, "size": 19, "board": board or ["." * 19] * 19, "width": 1280, "height": 720}


class SeenTable(Table):
    """A table with a camera picture, and what is read on it."""

    reading: dict[str, Any] | None = None
    view: dict[str, Any] | None = None
    age: float | None = 0.2
    error: str = ""
    corners: Any = None
    which: Any = None

    def status(self) -> StationStatus:
        known = super().status()
        return StationStatus(**{**known.__dict__, "last_picture_age": self.age, "error": self.error})

    def overlay(self) -> dict[str, Any] | None:
        return self.reading

    def quality(self) -> dict[str, Any] | None:
        return self.view

    def preview(self, source: str, size: Any = None, corners: Any = None, board: Any = None) -> None:
        super().preview(source, size, corners, board)
        self.corners, self.which = corners, board
        self.tell()


class SeenHall(TestHall):
    """A hall of such tables."""

    def open(self, board: str) -> SeenTable:
        if board not in self._tables:
            table = SeenTable(board, self.folder, self.clock)
            table.jpeg, table.reading = camera_picture(), reading()
            self._tables[board] = table
        return cast(SeenTable, self._tables[board])


def free_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


class PagesSite:
    """The server in a thread of its own. ``hall.open("1")`` gives a table; ``address`` is where it listens.
    ``real``: a hall of real stations instead."""

    def __init__(
        self, folder: Path, port: int | None = None, hall: SeenHall | None = None, real: Hall | None = None
    ) -> None:
        port = port or free_port()
        self.hall = hall or SeenHall(folder, Clock())
        shown = real or cast(Hall, self.hall)
        config = LiveConfig(folder, TOKEN, port=port)
        hub = Hub(config, shown)
        self._hub = hub
        self._socket = bind(config)
        self.address = f"http://127.0.0.1:{port}"
        app = create_app(config, shown, hub)
        started = threading.Event()
        calling = _calling(app, started.set)
        settings = uvicorn.Config(
            calling, log_config=None, access_log=False, ws="none", lifespan="on", timeout_graceful_shutdown=1
        )
        self._server = Server(settings, hub)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)
        self._thread.start()
        assert started.wait(20), "the server did not start"

    def settle(self, board: str) -> None:
        """Let the server hear now of a board that is new; by itself it would within a second."""
        loop = self._hub._loop
        assert loop is not None, "the server has not begun"
        asyncio.run_coroutine_threadsafe(self._look(board), loop).result(20)

    async def _look(self, board: str) -> None:
        self._hub.watch_all()
        await self._hub.look({board})

    def stop(self) -> None:
        """End the server."""
        self._server.end()
        self._thread.join(10)
        self._socket.close()
