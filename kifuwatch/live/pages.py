"""The pages themselves: files that come with kifuwatch, and nothing from elsewhere."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from kifuwatch.live.web import BoardName, versioned

router = APIRouter(include_in_schema=False)
KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}


def _file(request: Request, name: str) -> Response:
    """A file of the folder of pages; 404 for everything that is not in it, however it is written."""
    root = Path(request.app.state.static).resolve()
    if "\0" in name or "\\" in name:
        raise HTTPException(404, "there is no such page")
    path = (root / name).resolve()
    if not path.is_relative_to(root) or not path.is_file():
        raise HTTPException(404, "there is no such page")
    kind = KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return versioned(request, path.read_bytes(), kind, path.stat().st_mtime)


@router.get("/static/{name:path}")
def static(request: Request, name: str) -> Response:
    """A file that a page asks for."""
    return _file(request, name)


@router.get("/")
def hall(request: Request) -> Response:
    """All boards."""
    return _file(request, "hall.html")


@router.get("/login")
def login(request: Request) -> Response:
    """Where the arbiter logs in."""
    return _file(request, "login.html")


@router.get("/setup")
def setup_any(request: Request) -> Response:
    """Set a board up that has no name yet."""
    return RedirectResponse("/setup/1", 307)


@router.get("/favicon.ico")
def icon(request: Request) -> Response:
    """The sign of the pages."""
    return _file(request, "icon.svg")


def _page(name: str) -> None:
    def page(request: Request, board: BoardName) -> Response:
        return _file(request, f"{name}.html")

    router.add_api_route(f"/{name}/{{board}}", page, methods=["GET"], name=name)


for _name in ("board", "desk", "setup", "review", "overlay", "embed"):
    _page(_name)
