"""What stands before every request: host, origin, the header that forms cannot send, and the headers of every answer.

Plain ASGI, since a feed must pass through it without being held up.
"""

from __future__ import annotations

import logging
import time
from urllib.parse import unquote

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kifuwatch.live.auth import HEADER, Gate
from kifuwatch.live.web import fault_json

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self' blob:; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors {}"
)
ANYWHERE = ("/embed/", "/overlay/")
FOR_OTHER_SITES = ("/t/", "/api/boards", "/api/events")
"""What pages of other sites may read too, once the server listens to more than this machine."""
SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
log = logging.getLogger("kifuwatch.live.requests")
MOST_BODY = 9 * 1024 * 1024
"""Bytes of a request: a game record of 8 MB fits."""


class Guard:
    """Lets through what may come, and puts the headers of safety on what goes out."""

    def __init__(self, app: ASGIApp, gate: Gate, local: bool) -> None:
        self.app, self.gate, self.local = app, gate, local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            status, sentence = refusal
            await JSONResponse(fault_json(sentence), status)(scope, receive, self._dressed(scope, send))
            return
        await self.app(scope, receive, self._dressed(scope, send))

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self.gate.right_host(host):
            return 421, "this server is not known under that name"
        if scope["method"] in SAFE:
            return None
        if not self.gate.right_origin(headers.get("origin"), host):
            return 403, "this comes from a page of another server"
        if headers.get(HEADER) != "1":
            return 403, "the header X-Kifuwatch: 1 is missing"
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > MOST_BODY or "transfer-encoding" in headers:
            return 413, f"more than {MOST_BODY} bytes, or of a length that is not told"
        return None

    def _dressed(self, scope: Scope, send: Send) -> Send:
        anywhere = unquote(scope["path"]).startswith(ANYWHERE)

        began = time.monotonic()

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                took = round((time.monotonic() - began) * 1000, 1)
                facts = {"method": scope["method"], "path": scope["path"], "status": message["status"], "ms": took}
                log.info("request", extra=facts)
                headers = MutableHeaders(scope=message)
                if not self.local and scope["method"] in SAFE and scope["path"].startswith(FOR_OTHER_SITES):
                    headers["access-control-allow-origin"] = "*"  # without cookies, that is: what everybody may see
                headers.setdefault("content-security-policy", POLICY.format("*" if anywhere else "'self'"))
                headers.setdefault("x-content-type-options", "nosniff")
                headers.setdefault("referrer-policy", "no-referrer")
                headers.setdefault("cross-origin-opener-policy", "same-origin")
                headers.setdefault("permissions-policy", "camera=(), microphone=(), geolocation=()")
                if not anywhere:
                    headers.setdefault("x-frame-options", "SAMEORIGIN")
            await send(message)

        return dressed
