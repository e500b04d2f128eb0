"""Passing games on: signed, in order, again after a failure, and never at the cost of the game."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from kifuwatch.core.errors import OutputError, UsageError
from kifuwatch.live.config import Delay
from kifuwatch.live.ogs import OgsDemoBoard, moves_text
from kifuwatch.live.outlets import SIGNATURE, AlertHook, Outlet, Webhook, calling, feeding
from tests.live.material import site

SECRET = "only the two of us know"


class Listener:
    """A server that takes what is posted; it answers with the statuses it was given, then with 200."""

    def __init__(self, *statuses: int) -> None:
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []
        answers = list(statuses)
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = answers.pop(0) if answers else 200
                listener.bodies.append(body)
                listener.headers.append(dict(self.headers.items()))
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", "http://127.0.0.1:9/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing is printed."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}/hook"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()


@pytest.fixture
def outlets() -> Iterator[Callable[..., Outlet]]:
    made: list[Outlet] = []

    def make(exporter: Any, **more: Any) -> Outlet:
        made.append(Outlet(exporter, **{"first_wait": 0.01, **more}))
        return made[-1]

    yield make
    for outlet in made:
        outlet.close()


def state(revision: int, *moves: str) -> dict[str, Any]:
    """A game of so many moves."""
    told = [{"n": n, "color": "BW"[(n + 1) % 2], "at": at} for n, at in enumerate(moves, 1)]
    players = {"black": {"name": "Li", "rank": ""}, "white": {"name": "Wang", "rank": ""}}
    head = {"game_id": "g", "event": "Cup", "size": 19, "players": players, "position": []}
    return {**head, "revision": revision, "moves": told, "start": {"B": [], "W": []}}


def until(what: Callable[[], bool], seconds: float = 5.0) -> None:
    """Wait until something has happened; fails when it does not."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.005)


def test_an_address_is_told_and_can_check_who_tells_it(outlets: Callable[..., Outlet]) -> None:
    listener = Listener()
    outlet = outlets(Webhook(listener.address, SECRET))
    outlet.offer("1", state(7, "Q16"))
    until(lambda: outlet.delivered == 1)
    (body,), (headers,) = listener.bodies, listener.headers
    told = json.loads(body)
    assert (told["board"], told["event"], told["revision"], told["kind"]) == ("1", "Cup", 7, "state")
    assert told["state"]["moves"][0]["at"] == "Q16"
    assert headers[SIGNATURE] == "sha256=" + hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest()
    assert headers["X-Kifuwatch-Delivery"] == told["delivery"] == "g:7"
    assert SECRET not in str(headers)
    listener.close()


def test_what_fails_is_tried_again_with_what_is_newest(outlets: Callable[..., Outlet]) -> None:
    listener = Listener(500, 503)
    outlet = outlets(Webhook(listener.address, SECRET), first_wait=0.1)
    outlet.offer("1", state(1, "Q16"))
    until(lambda: outlet.failed == 1)
    outlet.offer("1", state(2, "Q16", "D4"))
    until(lambda: outlet.delivered == 1)
    assert [json.loads(body)["revision"] for body in listener.bodies] == [1, 2, 2]
    listener.close()


def test_a_redirect_is_not_followed(outlets: Callable[..., Outlet]) -> None:
    listener = Listener(302)
    with pytest.raises(OutputError, match=r"127\.0\.0\.1 answered 302"):
        Webhook(listener.address, SECRET).export("1", state(1))
    listener.close()


def test_an_address_that_is_not_there_is_given_up_and_the_next_state_tried(outlets: Callable[..., Outlet]) -> None:
    outlet = outlets(Webhook("http://127.0.0.1:9/hook", SECRET), tries=3)
    outlet.offer("1", state(1))
    until(lambda: outlet.given_up == 1)
    assert (outlet.failed, outlet.waiting) == (3, 0)


def test_an_outlet_that_hangs_holds_nobody_up_and_keeps_only_the_newest(outlets: Callable[..., Outlet]) -> None:
    class Hanging:
        name = "hanging"

        def __init__(self) -> None:
            self.open = threading.Event()
            self.seen: list[int] = []

        def export(self, board: str, state: Mapping[str, Any]) -> None:
            self.seen.append(state["revision"])
            self.open.wait(5)

        def close(self) -> None:
            """Nothing."""

    hanging = Hanging()
    outlet = outlets(hanging)
    outlet.offer("1", state(0))
    until(lambda: hanging.seen == [0])
    before = time.monotonic()
    for revision in range(1, 1000):
        outlet.offer("1", state(revision))
    assert time.monotonic() - before < 0.5
    assert outlet.waiting == 1
    hanging.open.set()
    until(lambda: hanging.seen == [0, 999])


@pytest.mark.parametrize("address", ["ftp://x/y", "hook", "http://", "file:///etc/passwd"])
def test_only_http_addresses_are_told(address: str) -> None:
    with pytest.raises(UsageError, match="no http or https address"):
        Webhook(address, SECRET)
    with pytest.raises(UsageError, match="needs a secret"):
        Webhook("http://x/", "")


def test_outlets_hear_of_games_as_the_public_does(tmp_path: Path) -> None:
    class Notebook:
        def __init__(self) -> None:
            self.offered: list[tuple[str, Any]] = []

        def offer(self, board: str, state: Any) -> None:
            self.offered.append((board, state))

    async def story() -> None:
        async with site(tmp_path) as server:
            notebook = Notebook()
            server.hub.listeners.append(feeding([notebook]))  # type: ignore[list-item]
            table = server.hall.open("1")
            table.begin()
            table.play("Q16")
            table.alert("takeback", ["Q16"])
            await server.settle()
            board, told = notebook.offered[-1]
            assert (board, told["moves"][0]["at"]) == ("1", "Q16")
            assert "takeback" not in str(told)

    asyncio.run(story())


def test_an_arbiter_is_called_once_for_each_alert_and_not_for_notices(
    tmp_path: Path, outlets: Callable[..., Outlet]
) -> None:
    listener = Listener(500)
    outlet = outlets(AlertHook(listener.address, SECRET))

    async def story() -> None:
        async with site(tmp_path, Delay(3600, 0)) as server:
            server.hub.desk_listeners.append(calling([outlet]))
            table = server.hall.open("1")
            table.begin(black="Li", white="Wang")
            table.play("Q16", "D4")
            table.alert("takeback", ["D4"], color="W")
            table.row(type="alert", t=2.0, code="board-moved", level="info", at=[], move=2, text={"en": "x", "zh": "x"})
            await server.settle()
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(None, until, lambda: outlet.delivered == 1)
            table.play("C3")
            table.alert("ko-violation", ["C3"], color="B")
            await server.settle()
            await loop.run_in_executor(None, until, lambda: len(listener.bodies) == 3)

    asyncio.run(story())
    told = [json.loads(body) for body in listener.bodies]
    assert [each["alert"]["code"] for each in told] == ["takeback", "takeback", "ko-violation"]
    assert told[0] == told[1], "the first try was answered with 500"
    assert (told[2]["kind"], told[2]["board"], told[2]["players"]["black"]["name"]) == ("alert", "1", "Li")
    assert told[2]["alert"]["text"]["zh"]
    listener.close()


class FakeOgs:
    """Imitates the messages of OGS that a demo board needs."""

    def __init__(self) -> None:
        from websockets.sync.server import serve

        self.received: list[Any] = []
        self.sockets: list[Any] = []
        self._server = serve(self._serve, "127.0.0.1", 0)
        self.address = f"ws://127.0.0.1:{self._server.socket.getsockname()[1]}/"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def _serve(self, socket: Any) -> None:
        self.sockets.append(socket)
        for text in socket:
            name, data = json.loads(text)
            self.received.append((name, data))
            if name == "review/connect":
                socket.send(json.dumps(["active-bots", {}]))
                socket.send(json.dumps([f"review/{data['review_id']}/full_state", []]))

    def appended(self) -> list[str]:
        return [data["m"] for name, data in self.received if name == "review/append"]

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()


def test_an_ogs_demo_board_follows_a_game_through_corrections_and_lost_connections(
    outlets: Callable[..., Outlet],
) -> None:
    pytest.importorskip("websockets", reason="the package websockets is not installed")
    ogs = FakeOgs()
    outlet = outlets(OgsDemoBoard("1", 77, "a-jwt", ogs.address))
    outlet.offer("2", state(1, "A1"))
    for revision, moves in enumerate((["Q16"], ["Q16", "D4"], ["Q16", "D3"]), 2):
        outlet.offer("1", state(revision, *moves))
        until(lambda wanted=revision - 1: len(ogs.appended()) == wanted)  # type: ignore[misc]
    assert ogs.appended() == ["pd", "pddp", "pddq"]
    assert ogs.received[:2] == [
        ("authenticate", {"jwt": "a-jwt", "client": "kifuwatch"}),
        ("review/connect", {"review_id": 77}),
    ]
    ogs.sockets[0].close()
    outlet.offer("1", state(9, "Q16", "D3", "pass"))
    until(lambda: ogs.appended()[-1] == "pddq..")
    assert len(ogs.sockets) == 2
    outlet.close()
    ogs.close()


def test_moves_out_of_turn_handicap_and_stones_set_up_as_ogs_writes_them() -> None:
    game = state(1, "Q16", "D4")
    game["start"] = {"B": ["D16"], "W": []}
    game["moves"][1]["color"] = "B"
    game["moves"].append({"n": 2, "setup": {"B": [], "W": [], "E": ["D4"]}})
    game["moves"].append({"n": 3, "color": "W", "at": "C3"})
    assert moves_text(game) == "!1ddpd!1dp"
