"""What the routes share: the parts of the application, who asks, and answers with a mark of their version."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from email.utils import formatdate, parsedate_to_datetime
from typing import Annotated

from fastapi import Depends, Path, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from kifuwatch.core.chinese import in_chinese
from kifuwatch.live.auth import COOKIE, Gate
from kifuwatch.live.hub import Hub
from kifuwatch.live.station import Station
from kifuwatch.live.worker import Told

BOARD = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$"
BoardName = Annotated[str, Path(pattern=BOARD, description="The name of a board.")]


def fault_json(sentence: str) -> dict[str, str]:
    """A fault as answers tell it: one sentence, and the same in Chinese."""
    return {"error": sentence, "error_zh": in_chinese(sentence)}


def hub_of(request: Request) -> Hub:
    """The hub of the application."""
    hub = request.app.state.hub
    assert isinstance(hub, Hub)
    return hub


def is_arbiter(request: Request) -> bool:
    """Whether whoever asks has logged in."""
    gate = request.app.state.gate
    assert isinstance(gate, Gate)
    return gate.knows(request.cookies.get(COOKIE, ""))


def arbiter(request: Request) -> None:
    """Only for the arbiter: 401 for everybody else."""
    if not is_arbiter(request):
        raise HTTPException(401, "log in first")


HubOf = Annotated[Hub, Depends(hub_of)]


def told_of(hub: Hub, board: str) -> Told:
    """What is told of a board; 404 where there is none."""
    told = hub.told(board)
    if told is None:
        raise HTTPException(404, "there is no such board")
    return told


def station_of(hub: Hub, board: str) -> Station:
    """The station of a board; 404 where there is none."""
    station = hub.hall.station(board)
    if station is None:
        raise HTTPException(404, "there is no such board")
    return station


def versioned(
    request: Request, content: bytes, kind: str, changed: float | None = None, more: Mapping[str, str] | None = None
) -> Response:
    """An answer with ETag and Last-Modified, or 304 for who has it already. ``changed``: seconds since 1970."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:24]}"'
    known = {"etag": tag, "cache-control": "no-cache", **(more or {})}
    if changed is not None:
        known["last-modified"] = formatdate(changed, usegmt=True)
    if _has_it(request, tag, changed):
        return Response(status_code=304, headers=known)
    return Response(content, media_type=kind, headers=known)


def _has_it(request: Request, tag: str, changed: float | None) -> bool:
    asked = request.headers.get("if-none-match")
    if asked is not None:
        return tag in [each.strip().removeprefix("W/") for each in asked.split(",")] or asked.strip() == "*"
    since = request.headers.get("if-modified-since")
    if since is None or changed is None:
        return False
    try:
        return int(changed) <= parsedate_to_datetime(since).timestamp()
    except ValueError:
        return False
