"""Games as files: the SGF at an address that stays, diagrams, evidence, everything in one archive."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import cv2
from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, Response, StreamingResponse

from kifuwatch.core.errors import ImageError
from kifuwatch.core.points import EMPTY, Layout, Point
from kifuwatch.evidence import read_clip
from kifuwatch.live.api_desk import NO_GAME, story_of
from kifuwatch.live.desk_json import clip_of, picture_of
from kifuwatch.live.games import EVIDENCE
from kifuwatch.live.hub import Hub
from kifuwatch.live.state import shown_steps
from kifuwatch.live.story import Step
from kifuwatch.live.web import BoardName, HubOf, arbiter, is_arbiter, station_of, told_of, versioned
from kifuwatch.live.worker import Told
from kifuwatch.record.board_svg import BoardPicture, Style, board_svg
from kifuwatch.record.desk_journal import DeskJournal
from kifuwatch.record.desk_sgf import desk_to_sgf
from kifuwatch.record.journal import Journal
from kifuwatch.record.sheet import sheet_of_rows
from kifuwatch.record.sheet_html import sheet_html

public = APIRouter(prefix="/api/boards/{board}")
router = APIRouter(prefix="/api/boards/{board}", dependencies=[Depends(arbiter)])
SGF = "application/x-go-sgf; charset=utf-8"
ALONE = "default-src 'none'; style-src 'unsafe-inline'; img-src data: 'self'; sandbox"
"""What a file that is shown by itself may do: nothing."""
SHEET = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; base-uri 'none'"
"""The sheet holds its own style and pictures, and no script."""
BETWEEN, CLIP_RATE = "picture", 4
"""What stands between the pictures of a film, and how many a second there are."""
Wanted = Annotated[int | None, Query(ge=0, le=100_000, description="After this move; by default after the last.")]
Desk = Annotated[bool, Query(description="For the arbiter: undelayed.")]


@public.get("/sgf")
async def sgf(request: Request, board: BoardName, hub: HubOf, desk: Desk = False) -> Response:
    """The game record. The arbiter's (``desk=1``) holds rulings, side lines and warnings too."""
    told = told_of(hub, board)
    content: bytes = await hub.in_reader(_sgf, hub, told, _asked_by_arbiter(request, desk))
    name = f'inline; filename="{board}.sgf"'
    return versioned(request, content, SGF, told.changed, {"content-disposition": name})


def _sgf(hub: Hub, told: Told, desk: bool) -> bytes:
    story = story_of(hub, told.public["board"], public=not desk)
    return desk_to_sgf(story.state) if desk else hub.public_sgf(told)


def _asked_by_arbiter(request: Request, desk: bool) -> bool:
    if desk and not is_arbiter(request):
        raise HTTPException(401, "log in first")
    return desk


@public.get("/diagram.svg")
async def diagram_svg(
    request: Request,
    board: BoardName,
    hub: HubOf,
    move: Wanted = None,
    desk: Desk = False,
    numbers: Annotated[int, Query(ge=0, le=1000, description="So many last moves with their numbers.")] = 0,
    turn: Annotated[int, Query(ge=0, le=3, description="Quarter turns, clockwise.")] = 0,
    style: Literal["wood", "print"] = "print",
) -> Response:
    """The board as a drawing."""
    layout, last, labels = await _diagram(request, hub, board, move, desk, numbers)
    picture = BoardPicture(layout, last=last, labels=labels, quarters=turn)
    content = board_svg(picture, Style(style)).encode("utf-8")
    return versioned(request, content, "image/svg+xml", None, {"content-security-policy": ALONE})


@public.get("/diagram.png")
async def diagram_png(
    request: Request,
    board: BoardName,
    hub: HubOf,
    move: Wanted = None,
    desk: Desk = False,
    numbers: Annotated[int, Query(ge=0, le=1000)] = 0,
    width: Annotated[int, Query(ge=200, le=2000)] = 760,
) -> Response:
    """The board as a picture."""
    from kifuwatch.live.board_png import board_png

    layout, last, labels = await _diagram(request, hub, board, move, desk, numbers)
    content = await run_in_threadpool(board_png, layout, last, labels, width)
    return versioned(request, content, "image/png")


async def _diagram(
    request: Request, hub: Hub, board: str, move: int | None, desk: bool, numbers: int
) -> tuple[Layout, Point | None, dict[Point, str]]:
    told_of(hub, board)
    _asked_by_arbiter(request, desk)
    found: tuple[Layout, Point | None, dict[Point, str]] = await hub.in_reader(_drawn, hub, board, move, desk, numbers)
    return found


def _drawn(
    hub: Hub, board: str, move: int | None, desk: bool, numbers: int
) -> tuple[Layout, Point | None, dict[Point, str]]:
    story = story_of(hub, board, public=not desk)
    steps = story.steps if desk else shown_steps(story, hub.config.delay.moves)
    most = steps[-1].number if steps else 0
    if move is not None and move > most:
        raise HTTPException(404, f"the record has {most} moves, so there is no move {move}")
    steps = steps if move is None else tuple(step for step in steps if step.number <= move)
    layout = steps[-1].board if steps else story.start
    played = [step for step in steps if step.entry.is_move]
    last = played[-1].entry.point if played else None
    return layout, last, _numbered(layout, played[-numbers:] if numbers else [])


def _numbered(layout: Layout, played: list[Step]) -> dict[Point, str]:
    """The numbers of moves whose stones still lie there; of two on one point the later."""
    found = {step.entry.point: str(step.number) for step in played if step.entry.point is not None}
    return {point: number for point, number in found.items() if layout[point] != EMPTY}


@router.get("/moves/{number}/frame.jpg")
async def frame(board: BoardName, hub: HubOf, number: int) -> Response:
    """What the camera saw of a move, by its number in the record."""
    camera = await hub.in_reader(_camera_number, hub, board, number)
    path = None if camera is None else station_of(hub, board).frame_of(camera)
    return _evidence(path, "there is no picture of this move")


def _camera_number(hub: Hub, board: str, number: int) -> int | None:
    moves = story_of(hub, board).state.moves
    if not 1 <= number <= len(moves):
        raise HTTPException(404, f"the record has {len(moves)} moves, so there is no move {number}")
    return moves[number - 1].camera


@router.get("/alerts/{number}/{which}.jpg")
async def alert_picture(
    board: BoardName, hub: HubOf, number: int, which: Literal["before", "during", "after"]
) -> Response:
    """What the camera saw before, during or after what an alert is about."""
    files = await _alert_files(hub, board, number)
    return _evidence(picture_of(files, which), f"there is no picture {which} this alert")


@router.get("/alerts/{number}/clip")
async def alert_clip(board: BoardName, hub: HubOf, number: int, download: bool = False) -> Response:
    """The short film of what an alert is about: as pictures that an ``<img>`` plays, or the file."""
    path = clip_of(await _alert_files(hub, board, number))
    if download or path is None:
        return _evidence(path, "there is no film of this alert")
    return StreamingResponse(_played(path), media_type=f"multipart/x-mixed-replace; boundary={BETWEEN}")


async def _played(path: Path) -> AsyncIterator[bytes]:
    """The pictures of a film one after the other, as fast as it was taken."""
    pictures = await run_in_threadpool(read_clip, path)
    while (jpeg := await run_in_threadpool(_next_jpeg, pictures)) is not None:
        yield b"--%b\r\nContent-Type: image/jpeg\r\nContent-Length: %d\r\n\r\n" % (BETWEEN.encode(), len(jpeg))
        yield jpeg + b"\r\n"
        await asyncio.sleep(1 / CLIP_RATE)


def _next_jpeg(pictures: Iterator[Any]) -> bytes | None:
    try:
        picture = next(pictures, None)
    except ImageError:
        return None
    if picture is None:
        return None
    done, jpeg = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 80])
    return bytes(jpeg) if done else None


async def _alert_files(hub: Hub, board: str, number: int) -> list[Path]:
    row: Mapping[str, Any] = await hub.in_reader(_alert_row, hub, board, number)
    return station_of(hub, board).evidence(row)


def _alert_row(hub: Hub, board: str, number: int) -> Mapping[str, Any]:
    alert = story_of(hub, board).state.alert(number)
    book = hub.book(board)
    if alert is None or book is None:
        raise HTTPException(404, f"there is no alert {number}")
    return book.teller.row(alert.row) or {}


def _evidence(path: Path | None, missing: str) -> Response:
    if path is None or not path.is_file():
        raise HTTPException(404, missing)
    return FileResponse(path, headers={"cache-control": "private, max-age=3600"})


@router.get("/sheet.html")
async def sheet(board: BoardName, hub: HubOf, lang: Literal["en", "zh"] = "en") -> Response:
    """The game sheet: one page to print, with its pictures in it."""
    path = station_of(hub, board).journal_path()
    if path is None:
        raise HTTPException(404, NO_GAME)
    html = await run_in_threadpool(_sheet, hub, path, lang)
    headers = {"content-security-policy": SHEET, "cache-control": "no-store"}
    return Response(html, media_type="text/html; charset=utf-8", headers=headers)


def _sheet(hub: Hub, path: Path, language: str) -> str:
    with Journal.open(path) as journal:
        rows = journal.rows()
        code = DeskJournal(journal, hub.table).code(rows)
    return sheet_html(sheet_of_rows(rows, code), language, lambda name: _picture_bytes(path.parent / EVIDENCE, name))


def _picture_bytes(folder: Path, name: str) -> bytes | None:
    path = folder / name
    return path.read_bytes() if path.parent == folder and path.is_file() else None


@router.get("/archive.zip")
async def archive(board: BoardName, hub: HubOf) -> Response:
    """All of the game: journal, record, times, evidence."""
    game = station_of(hub, board).status().game_id
    if game is None:
        raise HTTPException(404, NO_GAME)
    content = await run_in_threadpool(hub.hall.store.archive, game)
    headers = {"content-disposition": f'attachment; filename="{game}.zip"', "cache-control": "no-store"}
    return Response(content, media_type="application/zip", headers=headers)
