"""The server over real sockets: listening, coming back, being dropped, and ending in order."""

from __future__ import annotations

import json
import logging
import socket
import threading
import time
import urllib.request
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any, cast
from urllib.error import HTTPError

import pytest

from kifuwatch.live import logs
from kifuwatch.live.app import create_app
from kifuwatch.live.config import LiveConfig
from kifuwatch.live.hall import Hall
from kifuwatch.live.hub import Hub
from kifuwatch.live.server import Server, bind, uvicorn_settings
from tests.live.material import OPENING, TOKEN, Clock, Table, TestHall, alert_table


class Running:
    """A server in a thread; its clock is the true one."""

    def __init__(self, folder: Path) -> None:
        self.hall = TestHall(folder, Clock(time.time()))
        self.table: Table = self.hall.open("1")
        self.table.begin(black="Li", white="Wang")
        self.table.play(*OPENING[:2])
        config = LiveConfig(folder, TOKEN, port=0)
        self.app = create_app(config, cast(Hall, self.hall), Hub(config, cast(Hall, self.hall), table=alert_table()))
        self.bound = bind(config)
        self.port = int(self.bound.getsockname()[1])
        ready = threading.Event()
        self.server = Server(uvicorn_settings(self.app, ready.set), self.app.state.hub)
        self.thread = threading.Thread(target=self.server.run, args=([self.bound],), daemon=True)
        self.thread.start()
        assert ready.wait(10)

    def get(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def listen(self, query: str = "", last: str | None = None) -> Page:
        return Page(self.port, query, last)

    def end(self) -> float:
        """Stop; the seconds that took."""
        began = time.monotonic()
        self.server.end()
        self.thread.join(10)
        assert not self.thread.is_alive()
        return time.monotonic() - began


class Page:
    """A page that listens: reads events as they come."""

    def __init__(self, port: int, query: str, last: str | None) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        extra = f"Last-Event-ID: {last}\r\n" if last else ""
        head = f"GET /api/events?{query} HTTP/1.1\r\nHost: 127.0.0.1\r\n{extra}\r\n"
        self._socket.sendall(head.encode())
        self._file = self._socket.makefile("rb")

    def next(self) -> tuple[str, str, Any]:
        """The next event: (name, id, data)."""
        fields: dict[str, str] = {}
        for line in self._file:
            name, _, value = line.decode().rstrip("\r\n").partition(": ")
            if name in {"event", "id", "data"}:
                fields[name] = value
            if line.strip() == b"" and "data" in fields:
                return fields["event"], fields["id"], json.loads(fields["data"])
        raise EOFError

    def rest(self) -> bytes:
        """What comes until the end."""
        return self._file.read()

    def close(self) -> None:
        self._file.close()
        self._socket.close()


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    made = Running(tmp_path)
    yield made
    if made.thread.is_alive():
        made.end()


def test_a_page_hears_a_move_comes_back_and_misses_nothing(running: Running) -> None:
    page = running.listen("boards=1&changes=1")
    kind, _, state = page.next()
    assert (kind, [move["at"] for move in state["moves"]]) == ("state", ["Q16", "D4"])
    page.next()  # how the camera is
    began = time.monotonic()
    running.table.play("Q3")
    kind, number, change = page.next()
    assert time.monotonic() - began < 2
    assert (kind, change["moves_from"], [move["at"] for move in change["moves"]]) == ("change", 2, ["Q3"])
    page.close()
    running.table.play("D17", "R5")
    again = running.listen("boards=1&changes=1", last=number)
    kind, _, state = again.next()
    while len(state.get("moves", ())) < 5:  # the page may be quicker than the second of the two moves
        kind, _, change = again.next()
        state = {**change, "moves": state["moves"][: change["moves_from"]] + change["moves"]}
    assert [move["at"] for move in state["moves"]][2:] == ["Q3", "D17", "R5"]
    again.close()


def test_the_server_ends_soon_although_pages_listen(running: Running) -> None:
    pages = [running.listen() for _ in range(5)]
    for page in pages:
        page.next()
    assert running.end() < 3
    for page in pages:
        page.rest()
        page.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", running.port), timeout=1)


def test_health_and_metrics_say_how_it_is(running: Running) -> None:
    page = running.listen()
    page.next()
    running.table.alert("takeback", ["D4"], color="W")
    end = time.monotonic() + 5
    while 'kifuwatch_alerts_open{board="1"} 1.0' not in running.get("/metrics")[1]:
        assert time.monotonic() < end
        time.sleep(0.05)
    text = running.get("/metrics")[1]
    for line in (
        'kifuwatch_clients{feed="public"} 1.0',
        "kifuwatch_boards 1.0",
        'kifuwatch_moves{board="1"} 2.0',
        'kifuwatch_recording{board="1"} 1.0',
        'kifuwatch_restarts_total{board="1"} 0.0',
        'kifuwatch_clients_dropped_total{feed="public"} 0.0',
    ):
        assert line in text.splitlines()
    assert "kifuwatch_feed_latency_seconds_bucket" in text
    assert running.get("/health") == (200, '{"status":"ok","boards":1,"problems":[]}')
    path = running.table.journal_path()
    assert path is not None
    path.rename(path.with_suffix(".away"))
    assert running.get("/health")[0] == 503
    path.with_suffix(".away").rename(path)
    running.table.state = "failed"
    status, told = running.get("/health")
    assert status == 503
    assert json.loads(told)["problems"] == [{"board": "1", "problem": "the camera has failed"}]
    page.close()


def test_a_log_for_machines_is_one_object_a_line_whatever_is_asked(running: Running) -> None:
    stream = StringIO()
    before = {name: list(logging.getLogger(name).handlers) for name in logs.ROOTS}
    logs.set_up(as_json=True, stream=stream)
    try:
        running.get("/api/boards/%0a%7b%22level%22:%22forged%22%7d?token=never-in-a-log")
        lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    finally:
        restore(before)
    (line,) = [line for line in lines if line["message"] == "request"]
    assert (line["method"], line["status"], line["level"]) == ("GET", 422, "info")
    assert line["path"].startswith("/api/boards/\n")
    assert "never-in-a-log" not in stream.getvalue()


def test_what_uvicorn_says_of_dropped_pages_is_not_repeated() -> None:
    stream = StringIO()
    before = {name: list(logging.getLogger(name).handlers) for name in logs.ROOTS}
    logs.set_up(as_json=False, stream=stream)
    try:
        logging.getLogger("uvicorn.error").error("ASGI callable returned without completing response.")
        logging.getLogger("uvicorn.error").error("something else")
    finally:
        restore(before)
    assert stream.getvalue() == "kifuwatch: something else\n"


def restore(handlers: dict[str, list[logging.Handler]]) -> None:
    """Loggers as they were before a server wrote to them."""
    for name, before in handlers.items():
        logging.getLogger(name).handlers[:] = before
        logging.getLogger(name).setLevel(logging.NOTSET)
        logging.getLogger(name).propagate = True


def test_a_log_for_people_is_one_line() -> None:
    record = logging.makeLogRecord({"msg": "not delivered", "board": "1\nforged", "error": "no answer"})
    assert logs.Sentences().format(record) == "kifuwatch: not delivered (1 forged, no answer)"
