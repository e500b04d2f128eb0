"""Cameras for tests: one that stands in for ``cv2.VideoCapture``, and one that serves MJPEG over HTTP."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import cv2

from tests.vision.pictures import encode
from tests.vision.sources.clips import SIZE, Image, card


class FakeCapture:
    """A camera under the interface of ``cv2.VideoCapture``.

    It gives a test card every ``interval`` seconds; after ``ends_after`` cards every grab fails, after
    ``hangs_after`` a grab does not return. The cards whose index is in ``damaged`` cannot be decoded.
    """

    def __init__(
        self,
        there: bool = True,
        interval: float = 0.004,
        ends_after: int | None = None,
        hangs_after: int | None = None,
        damaged: Callable[[int], bool] = lambda index: False,
    ) -> None:
        self.settings: dict[int, float] = {}
        self.released = threading.Event()
        self._there = there
        self._interval = interval
        self._ends_after = ends_after
        self._hangs_after = hangs_after
        self._damaged = damaged
        self._index = -1

    def isOpened(self) -> bool:
        return self._there

    def grab(self) -> bool:
        if self._index + 1 == self._hangs_after:
            threading.Event().wait()
        if self._index + 1 == self._ends_after:
            return False
        time.sleep(self._interval)
        self._index += 1
        return True

    def retrieve(self) -> tuple[bool, Image | None]:
        if self._damaged(self._index):
            return False, None
        return True, card(self._index)

    def get(self, prop: int) -> float:
        return self.settings.get(prop, 30.0 if prop == cv2.CAP_PROP_FPS else 0.0)

    def set(self, prop: int, value: float) -> bool:
        self.settings[prop] = value
        return True

    def release(self) -> None:
        self.released.set()


class MjpegCamera:
    """An HTTP camera with switchable faults.

    ``mode``: ``run``; ``stall`` (keeps the connection, sends nothing); ``drop`` (closes it); ``half`` (sends the first
    half of each picture under the length of a whole one); ``page`` (answers with a web page); ``file`` (redirects to
    a file); ``locked`` (wants a password). ``lengths``: whether parts carry their Content-Length.
    """

    def __init__(self, lengths: bool = True, interval: float = 0.02) -> None:
        self.mode = "run"
        self.size = SIZE
        self.lengths = lengths
        self.interval = interval
        self.sent = 0
        self.connections = 0
        self.authorization: str | None = None
        self._ending = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/stream"

    def close(self) -> None:
        """Take the camera from the network: no connection is accepted from now on."""
        self._ending.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def stream(self, out: Any) -> None:
        while not self._ending.is_set() and self.mode != "drop":
            if self.mode != "stall":
                self._send(out)
            time.sleep(self.interval)

    def _send(self, out: Any) -> None:
        data = encode(".jpg", card(self.sent % 256, self.size))
        length = f"Content-Length: {len(data)}\r\n" if self.lengths else ""
        if self.mode == "half":
            data = data[: len(data) // 2]
        out.write(f"--card\r\nContent-Type: image/jpeg\r\n{length}\r\n".encode() + data + b"\r\n")
        out.flush()
        self.sent += 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        camera = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                camera.connections += 1
                camera.authorization = self.headers.get("Authorization")
                if camera.mode == "locked" and camera.authorization is None:
                    self.send_error(401)
                elif camera.mode == "file":
                    self.send_response(302)
                    self.send_header("Location", "file:///etc/hostname")
                    self.end_headers()
                elif camera.mode == "page":
                    self.send_response(200)
                    self.send_header("Content-Type", "text/html")
                    self.end_headers()
                else:
                    self.send_response(200)
                    self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=--card")
                    self.end_headers()
                    try:
                        camera.stream(self.wfile)
                    except OSError:
                        return  # the viewer has gone

            def log_message(self, *_: object) -> None:
                return

        return Handler


@contextmanager
def mjpeg_camera(**options: Any) -> Iterator[MjpegCamera]:
    camera = MjpegCamera(**options)
    try:
        yield camera
    finally:
        camera.close()
