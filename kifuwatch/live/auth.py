"""Who may rule: a token, a signed cookie made of it, and what keeps other pages and other names out.

The cookie is ``HttpOnly`` and ``SameSite=Strict``, so no other page can send or read it; every POST needs a header
that a form cannot send; requests under a name that is not this server's are refused, which is what stops a page that
has its own name resolve to this machine (DNS rebinding).
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import os
import secrets
import socket
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from kifuwatch.core.errors import OutputError, UsageError

COOKIE, HEADER = "kifuwatch", "x-kifuwatch"
LASTS = 30 * 24 * 3600
"""Seconds for which a login lasts."""
SHORTEST_TOKEN = 12
TRIES, TRIES_WINDOW = 10, 60.0
"""So many wrong tokens a minute are looked at from one address; then none is until the minute is over."""
MOST_ADDRESSES = 1000
"""Of so many addresses wrong tokens are remembered, the latest."""


def find_token(home: Path, file: Path | None, environment: Mapping[str, str]) -> str:
    """The token: of ``file``, of ``$KIFUWATCH_TOKEN``, or the one kept in HOME/token, which is made when missing.

    It is kept so that a restart in the middle of a game asks nobody to log in again. Raises UsageError for one that
    is too short to be safe, OutputError when it cannot be kept.
    """
    if file is not None:
        try:
            return _checked(file.read_text(encoding="utf-8").strip(), str(file))
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"--token-file: {file} cannot be read") from error
    if environment.get("KIFUWATCH_TOKEN"):
        return _checked(environment["KIFUWATCH_TOKEN"].strip(), "KIFUWATCH_TOKEN")
    kept = home / "token"
    try:
        home.mkdir(parents=True, exist_ok=True)
        if kept.is_file():
            return _checked(kept.read_text(encoding="utf-8").strip(), str(kept))
        token = secrets.token_urlsafe(18)
        handle = os.open(kept, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as made:
            made.write(token + "\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = (getattr(error, "strerror", None) or "it is no text").lower()
        raise OutputError(f"cannot write into the folder of games {home}: {reason}") from error
    return token


def _checked(token: str, where: str) -> str:
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        raise UsageError(f"the token in {where} is too weak: at least {SHORTEST_TOKEN} letters, digits and signs")
    return token


class Gate:
    """Checks tokens, cookies, hosts and origins. ``wall``: seconds since 1970; ``monotonic``: seconds that only run
    forward, for the limit on wrong tokens."""

    def __init__(
        self, token: str, names: frozenset[str], wall: Callable[[], float], monotonic: Callable[[], float]
    ) -> None:
        self._token, self._wall, self._monotonic = token.encode(), wall, monotonic
        self._key = hashlib.sha256(b"kifuwatch cookie\0" + self._token).digest()
        own = socket.gethostname().lower()
        self._names = {name.lower() for name in names} | {"localhost", own, f"{own}.local"}
        self._wrong: dict[str, deque[float]] = {}

    def busy(self, address: str) -> bool:
        """Whether too many wrong tokens have come lately from an address, so that none is looked at now."""
        wrong = self._wrong.get(address, deque())
        while wrong and self._monotonic() - wrong[0] > TRIES_WINDOW:
            wrong.popleft()
        return len(wrong) >= TRIES

    def admits(self, token: str, address: str) -> bool:
        """Whether this is the token; a wrong one is remembered."""
        right = hmac.compare_digest(token.encode(), self._token)
        if not right:
            wrong = self._wrong.pop(address, deque())
            wrong.append(self._monotonic())
            self._wrong[address] = wrong
            if len(self._wrong) > MOST_ADDRESSES:
                del self._wrong[next(iter(self._wrong))]
        return right

    def cookie(self) -> str:
        """A cookie that says when it was made, signed."""
        made = str(int(self._wall()))
        return f"{made}.{self._sign(made)}"

    def knows(self, cookie: str) -> bool:
        """Whether this is such a cookie, and not too old."""
        made, _, signature = cookie.partition(".")
        if not (made.isascii() and made.isdecimal() and len(made) <= 12):
            return False
        if not hmac.compare_digest(signature.encode(), self._sign(made).encode()):
            return False
        return self._wall() - int(made) < LASTS

    def _sign(self, made: str) -> str:
        return hmac.new(self._key, made.encode(), hashlib.sha256).hexdigest()

    def right_host(self, host: str) -> bool:
        """Whether a ``Host`` header names this server. An address of digits cannot be another's name."""
        name = urlsplit(f"//{host}").hostname if host else None
        if not name:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name.lower().rstrip(".") in self._names
        return True

    @staticmethod
    def right_origin(origin: str | None, host: str) -> bool:
        """Whether a request comes from a page of this server, or from no page at all."""
        return origin is None or urlsplit(origin).netloc.lower() == host.lower()
