"""A demo board on OGS (online-go.com) that shows a game: an exporter.

Written from the messages in OGS's own client (goban, src/engine/protocol): over a websocket, JSON arrays
``[name, data]``; ``authenticate``, ``review/connect``, then ``review/append`` with ``f`` (from which move) and ``m``
(moves as pairs of letters, ``..`` a pass, ``!1`` or ``!2`` before a move out of turn). Somebody makes the demo board by
hand first; its owner's ``user_jwt`` (of /api/v1/ui/config) is what it is written with.

A correction becomes a branch there, and the board is led to the new line: OGS has no way to replace a move. Stones set
up by the arbiter in the middle of a game cannot be shown: what comes after them is left out. It has been tried
against a server that imitates these messages, not against OGS itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from kifuwatch.core.errors import OutputError, UsageError
from kifuwatch.core.points import Colour, Point

ADDRESS = "wss://online-go.com/"
PATIENCE = 10.0
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


class OgsDemoBoard:
    """Shows one board of ours on one demo board. Raises UsageError when the package websockets is not there."""

    def __init__(self, board: str, review: int, jwt: str, address: str = ADDRESS) -> None:
        try:
            import websockets.sync.client as client
        except ImportError as error:
            raise UsageError("--ogs needs the package websockets: pip install 'kifuwatch[ogs]'") from error
        self.name = f"ogs-{review}"
        self._client, self._board, self._review, self._jwt, self._address = client, board, review, jwt, address
        self._open = ExitStack()
        self._socket: Any = None
        self._shown: str | None = None

    def export(self, board: str, state: Mapping[str, Any]) -> None:
        """Lead the demo board to this line of moves."""
        if board != self._board:
            return
        moves = moves_text(state)
        try:
            if self._socket is None:
                self._connect()
            if moves == self._shown:
                return
            last = moves_of(state)
            text = f"{state['players']['black']['name']} - {state['players']['white']['name']}"
            self._send("review/append", {"review_id": self._review, "f": 0, "m": moves, "t": text if not last else ""})
            self._shown = moves
        except (OSError, TimeoutError, ValueError, self._errors()) as error:
            self.close()
            raise OutputError(f"OGS cannot be reached ({type(error).__name__})") from error

    def _errors(self) -> type[Exception]:
        from websockets.exceptions import WebSocketException

        return WebSocketException

    def _connect(self) -> None:
        opening = self._client.connect(self._address, open_timeout=PATIENCE, close_timeout=1)
        self._socket = self._open.enter_context(opening)
        self._shown = None
        self._send("authenticate", {"jwt": self._jwt, "client": "kifuwatch"})
        self._send("review/connect", {"review_id": self._review})
        self._wait_for(f"review/{self._review}/full_state")

    def _wait_for(self, name: str) -> None:
        """The server shows that it knows the board before anything is written to it."""
        for _ in range(100):
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if isinstance(message, list) and message and message[0] == name:
                return
        raise TimeoutError(name)

    def _send(self, name: str, data: Mapping[str, Any]) -> None:
        self._socket.send(json.dumps([name, data]))

    def close(self) -> None:
        """Leave the demo board."""
        self._socket = None
        self._open.close()


def moves_of(state: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The moves up to the first stones that were set up in the middle of the game."""
    found: list[Mapping[str, Any]] = []
    for each in state["moves"]:
        if "setup" in each:
            break
        found.append(each)
    return found


def moves_text(state: Mapping[str, Any]) -> str:
    """The stones of the start and the moves as OGS writes them, the first line at the top.

    >>> moves_text({"size": 19, "start": {"B": [], "W": []}, "moves": [
    ...     {"color": "B", "at": "Q16"}, {"color": "W", "at": "pass"}, {"color": "W", "at": "D4"}]})
    'pd..!2dp'
    """
    size = int(state["size"])
    words = [f"!{1 if colour == 'B' else 2}{_pair(at, size)}" for colour in "BW" for at in state["start"][colour]]
    turn = Colour.BLACK
    for move in moves_of(state):
        colour = Colour(move["color"])
        forced = "" if colour is turn else f"!{1 if colour is Colour.BLACK else 2}"
        words.append(forced + _pair(move["at"], size))
        turn = colour.opponent
    return "".join(words)


def _pair(at: str, size: int) -> str:
    if at == "pass":
        return ".."
    point = Point.parse(at)
    return _LETTERS[point.col] + _LETTERS[size - 1 - point.row]
