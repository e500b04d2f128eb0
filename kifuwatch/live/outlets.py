"""Passing games on to elsewhere: each outlet in a thread of its own, which waits for whoever is slow and nobody else.

What waits is the newest state of each board; an older one is replaced by it. What cannot be delivered is tried again,
later each time.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import threading
import urllib.request
from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import IO, Any, NoReturn, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit

from kifuwatch.core.errors import OutputError, UsageError
from kifuwatch.live.state import Json, to_bytes

FIRST_WAIT, LONGEST_WAIT, TRIES = 1.0, 60.0, 10
PATIENCE = 10.0
"""Seconds that an address may take to answer."""
SIGNATURE, DELIVERY = "X-Kifuwatch-Signature", "X-Kifuwatch-Delivery"
TOLD = ("number", "code", "name", "level", "text", "ruling", "article", "at", "color", "move", "t", "claim")
"""What an arbiter's phone is told of an alert."""
log = logging.getLogger("kifuwatch.live")


class Exporter(Protocol):
    """Where games are passed on to. ``state`` is what everybody may see, as GET /api/boards/BOARD gives it."""

    name: str

    def export(self, board: str, state: Mapping[str, Any]) -> None:
        """Bring the other side up to this state. May take its time. Raises OutputError: it is tried again."""

    def close(self) -> None:
        """Let go of the other side."""


class Outlet:
    """Runs one exporter. :meth:`offer` never waits. ``first_wait``: seconds before the first new try, doubled each
    time; after ``tries`` of them a state is given up, until there is a newer one."""

    def __init__(self, exporter: Exporter, first_wait: float = FIRST_WAIT, tries: int = TRIES) -> None:
        self.exporter, self._first_wait, self._tries = exporter, first_wait, tries
        self._waiting: dict[str, Json] = {}
        self._ready = threading.Condition()
        self._closed = False
        self.delivered = self.failed = self.given_up = 0
        self._thread = threading.Thread(target=self._run, name=f"kifuwatch-outlet-{exporter.name}", daemon=True)
        self._thread.start()

    def offer(self, board: str, state: Json) -> None:
        """There is something newer of a board."""
        with self._ready:
            self._waiting[board] = state
            self._ready.notify()

    @property
    def waiting(self) -> int:
        """Of how many boards something has not been delivered."""
        with self._ready:
            return len(self._waiting)

    def close(self, patience: float = 1.0) -> None:
        """Stop, and wait a moment for what is under way."""
        with self._ready:
            self._closed = True
            self._ready.notify()
        self._thread.join(patience)

    def _run(self) -> None:
        while (found := self._next()) is not None:
            self._deliver(*found)
        self.exporter.close()

    def _next(self) -> tuple[str, Json] | None:
        with self._ready:
            while not self._waiting and not self._closed:
                self._ready.wait()
            if self._closed:
                return None
            board = next(iter(self._waiting))
            return board, self._waiting.pop(board)

    def _deliver(self, board: str, state: Json) -> None:
        wait = self._first_wait
        for _ in range(self._tries):
            try:
                self.exporter.export(board, state)
            except Exception as error:  # an exporter with a fault in it, too, must not end the passing on
                self.failed += 1
                expected = isinstance(error, OutputError)
                facts = {"outlet": self.exporter.name, "board": board, "error": str(error)}
                log.warning("not delivered", extra=facts, exc_info=None if expected else error)
            else:
                self.delivered += 1
                return
            newer = self._rest(board, wait)
            if newer is None:
                return
            state, wait = newer or state, min(2 * wait, LONGEST_WAIT)
        self.given_up += 1

    def _rest(self, board: str, seconds: float) -> Json | None:
        """Wait before the next try: None when all ends, else the newer state that has come, or an empty one."""
        with self._ready:
            self._ready.wait_for(lambda: self._closed, seconds)
            return None if self._closed else self._waiting.pop(board, {})


class Webhook:
    """POSTs JSON to an address: ``{"delivery", "event", "board", "revision", "kind", "state"}``, signed with
    HMAC-SHA256 over the body (``X-Kifuwatch-Signature: sha256=...``).

    Raises UsageError for what is no http(s) address, or a secret that is none.
    """

    def __init__(self, address: str, secret: str) -> None:
        parts = urlsplit(address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise UsageError(f"--webhook: {address[:60]!r} is no http or https address")
        if not secret:
            raise UsageError("--webhook needs a secret that signs what is sent: put it into KIFUWATCH_WEBHOOK_SECRET")
        self.name = parts.hostname
        self._address, self._secret = address, secret.encode()
        self._opener = urllib.request.build_opener(_NoRedirect)

    def export(self, board: str, state: Mapping[str, Any]) -> None:
        """Tell the address of a state; anything but a 2xx answer is a failure."""
        told = {"event": state.get("event", ""), "board": board, "kind": "state", "revision": state["revision"]}
        self.send(f"{state.get('game_id')}:{state['revision']}", told | {"state": state})

    def send(self, delivery: str, what: Json) -> None:
        """POST something under the name of a delivery. Raises OutputError."""
        body = to_bytes({"delivery": delivery} | what)
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "kifuwatch",
            DELIVERY: delivery,
            SIGNATURE: signature(self._secret, body),
        }
        request = urllib.request.Request(self._address, body, headers, method="POST")
        try:
            with self._opener.open(request, timeout=PATIENCE) as answer:
                answer.read(1024)
        except HTTPError as error:
            error.close()
            raise OutputError(f"{self.name} answered {error.code}") from error
        except (URLError, HTTPException, OSError, ValueError) as error:
            raise OutputError(f"{self.name} cannot be reached ({type(error).__name__})") from error

    def close(self) -> None:
        """Nothing is kept open."""


class AlertHook:
    """POSTs each alert that calls for the arbiter, once, to an address, at once and undelayed: ``{"delivery", "board",
    "kind": "alert", "alert": {number, code, text, ...}}``, signed as :class:`Webhook` signs; for an arbiter's phone.

    What it is offered are states of the desk. Raises UsageError as Webhook.
    """

    def __init__(self, address: str, secret: str) -> None:
        self._hook = Webhook(address, secret)
        self.name = f"alerts-{self._hook.name}"
        self._told: dict[str, set[int]] = {}

    def export(self, board: str, state: Mapping[str, Any]) -> None:
        """Tell what has not been told yet of this game."""
        told = self._told.setdefault(str(state["game_id"]), set())
        for alert in state["alerts"]:
            if alert["mood"] != "open" or alert["row"] in told:
                continue
            delivery = f"{state['game_id']}:alert-{alert['number']}"
            what = {name: alert[name] for name in TOLD}
            players = state["players"]
            self._hook.send(delivery, {"board": board, "kind": "alert", "players": players, "alert": what})
            told.add(alert["row"])

    def close(self) -> None:
        """Nothing is kept open."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """An address that sends elsewhere is told so: what is signed goes where it was meant to."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> NoReturn:
        raise HTTPError(req.full_url, code, "redirected", headers, fp)


def signature(secret: bytes, body: bytes) -> str:
    """The signature of a body; whoever knows the secret can check it."""
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()


def feeding(outlets: list[Outlet]) -> Callable[[str, Any], None]:
    """A listener of the hub that offers every change of a game to all outlets: what the public may know."""

    def told(board: str, what: Any) -> None:
        state: Json = json.loads(what.core)  # a copy of its own: other threads read it
        if state["position"] is not None:
            for outlet in outlets:
                outlet.offer(board, state)

    return told


def calling(outlets: list[Outlet]) -> Callable[[str, Any], None]:
    """A listener of the hub that offers the arbiter's desk, where an alert is open, to outlets."""

    def told(board: str, what: Any) -> None:
        if any(alert["mood"] == "open" for alert in what.desk["alerts"]):
            state: Json = json.loads(what.desk_bytes)
            for outlet in outlets:
                outlet.offer(board, state)

    return told
