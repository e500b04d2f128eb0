"""The web server: pages, feeds and the arbiter's desk over HTTP."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

import kifuwatch.live
from kifuwatch.core.errors import FileFormatError, InputError, KifuwatchError, OutputError
from kifuwatch.live import api_camera, api_desk, api_files, api_public, api_session, pages
from kifuwatch.live.auth import Gate
from kifuwatch.live.config import LiveConfig
from kifuwatch.live.guard import Guard
from kifuwatch.live.hall import Hall
from kifuwatch.live.hub import Hub
from kifuwatch.live.metrics import Metrics
from kifuwatch.live.outlets import AlertHook, Exporter, Outlet, calling, feeding
from kifuwatch.live.web import fault_json

log = logging.getLogger("kifuwatch.live")
STATIC = Path(kifuwatch.live.__file__).parent / "static"


def create_app(config: LiveConfig, hall: Hall, hub: Hub | None = None, exporters: Sequence[Exporter] = ()) -> FastAPI:
    """The application over the stations of a hall. ``exporters``: to where games are passed on. What it starts it ends;
    the hall is closed by its owner."""
    import time

    hub = hub or Hub(config, hall)
    gate = Gate(config.token, config.names, time.time, time.monotonic)
    app = FastAPI(title="kifuwatch", lifespan=_running, docs_url=None, redoc_url=None, openapi_url="/api/openapi.json")
    app.state.config, app.state.hall, app.state.hub, app.state.gate = config, hall, hub, gate
    app.state.assistants, app.state.exporters = {}, tuple(exporters)
    app.state.static, app.state.metrics = STATIC, Metrics(hub)
    open_to_all = (api_session.router, api_public.router, api_public.outside, api_files.public, pages.router)
    for router in (*open_to_all, api_camera.router, api_desk.router, api_files.router):
        app.include_router(router)
    app.add_exception_handler(KifuwatchError, _fault)
    app.add_exception_handler(HTTPException, _http_fault)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _unexpected)
    app.add_middleware(Guard, gate=gate, local=config.local)
    return app


@asynccontextmanager
async def _running(app: FastAPI) -> AsyncIterator[None]:
    hub: Hub = app.state.hub
    hub.outlets = [Outlet(exporter) for exporter in app.state.exporters]
    alerts = [outlet for outlet in hub.outlets if isinstance(outlet.exporter, AlertHook)]
    games = [outlet for outlet in hub.outlets if outlet not in alerts]
    hub.desk_listeners += [calling(alerts)] if alerts else []
    hub.listeners += [feeding(games)] if games else []
    task = asyncio.create_task(hub.run(), name="kifuwatch-hub")
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        for outlet in hub.outlets:
            outlet.close()
        hub.close()


async def _fault(request: Request, error: Exception) -> Response:
    """Every fault on purpose is one sentence: what was asked cannot be (422), is not there (404), or is our fault."""
    missing = isinstance(error, InputError) and not isinstance(error, FileFormatError)
    status = 404 if missing else 507 if isinstance(error, OutputError) else 422
    return JSONResponse(fault_json(str(error)), status)


async def _http_fault(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse(fault_json(str(error.detail)), error.status_code, headers=error.headers)


async def _unexpected(request: Request, error: Exception) -> Response:
    """A fault of ours: it is written down, and nothing of it is told."""
    log.error("something unexpected went wrong", extra={"path": request.url.path}, exc_info=error)
    return JSONResponse(fault_json("something unexpected went wrong"), 500)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return JSONResponse(fault_json("the request is no JSON"), 422)
    where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    return JSONResponse(fault_json(f"{where}: {str(first['msg']).lower()}"), 422)
