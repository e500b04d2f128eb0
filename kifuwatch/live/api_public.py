"""What everybody may ask: boards, games, feeds. All of it is behind by the delay that the server keeps."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from kifuwatch.live import metrics
from kifuwatch.live.state import Json, to_bytes
from kifuwatch.live.stream import EventStream
from kifuwatch.live.web import BoardName, HubOf, is_arbiter, station_of, told_of, versioned

router = APIRouter(prefix="/api")
JSON, SGF = "application/json", "application/x-go-sgf; charset=utf-8"


@router.get("/boards")
def boards(request: Request, hub: HubOf) -> list[Json]:
    """All boards in short; for the arbiter with how many alerts wait."""
    rows: list[Json] = []
    for board in hub.boards():
        told = hub.told(board)
        station = hub.hall.station(board)
        if told is None or station is None:
            continue
        status = hub.station_json(station.status())
        row = told.brief | status | {"station": status, "last_seen": status["last_picture_age"]}
        if is_arbiter(request) and told.desk is not None:
            row["alerts"] = sum(each["mood"] == "open" for each in told.desk["alerts"])
        rows.append(row)
    return rows


@router.get("/boards/{board}")
def board_state(request: Request, board: BoardName, hub: HubOf) -> Response:
    """One game, as far as the public may know it."""
    told = told_of(hub, board)
    station = hub.station_json(station_of(hub, board).status())
    return versioned(request, to_bytes(told.public | {"station": station}), JSON)


@router.get("/events")
def events(
    request: Request,
    hub: HubOf,
    boards: Annotated[str | None, Query(description="Names of boards with commas; without it all.")] = None,
    since: Annotated[str | None, Query(max_length=64)] = None,
    brief: bool = False,
    desk: bool = False,
    changes: Annotated[bool, Query(description="Tell of a board only what has changed, where that is enough.")] = False,
    last_event_id: Annotated[str | None, Header(max_length=64)] = None,
) -> Response:
    """Server-sent events: how each board stands, whenever that changes. ``desk=1``: for the arbiter, undelayed."""
    if desk and not is_arbiter(request):
        raise HTTPException(401, "log in first")
    feed = hub.arbiter if desk else hub.briefs if brief else hub.public
    if feed.full:
        raise HTTPException(503, "too many are listening: try again later")
    wanted = None if boards is None else frozenset(name for name in boards.split(",") if name)
    return EventStream(feed, wanted, last_event_id or since, changes=changes)


outside = APIRouter()


@outside.get("/t/{path:path}", include_in_schema=False)
async def plain_file(request: Request, path: str, hub: HubOf) -> Response:
    """The games as plain files; see :mod:`kifuwatch.live.layout`."""
    content = (await hub.layout()).get(path)
    if content is None:
        raise HTTPException(404, "there is no such file")
    return versioned(request, content, JSON if path.endswith(".json") else SGF)


@outside.get("/health")
def health(hub: HubOf) -> Response:
    """200 while all is well, 503 with what is not."""
    well, told = metrics.health(hub)
    return JSONResponse(told, 200 if well else 503, headers={"cache-control": "no-store"})


@outside.get("/metrics", include_in_schema=False)
def figures(request: Request) -> Response:
    """Figures for Prometheus."""
    kept = request.app.state.metrics
    assert isinstance(kept, metrics.Metrics)
    return Response(kept.text(), media_type=CONTENT_TYPE_LATEST)
