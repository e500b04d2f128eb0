"""The arbiter's desk: rulings, corrections, putting a board right, the count, the clock."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from kifuwatch.arbiter.restoring import RestoreAssistant, ToPutRight
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Layout
from kifuwatch.live.hub import Hub
from kifuwatch.live.rows import ClockIn, CorrectionIn, RulingIn
from kifuwatch.live.state import Json
from kifuwatch.live.story import Story
from kifuwatch.live.web import BoardName, HubOf, arbiter, station_of, told_of
from kifuwatch.record.desk_journal import DeskJournal
from kifuwatch.record.journal import Journal

router = APIRouter(prefix="/api/boards/{board}", dependencies=[Depends(arbiter)])
BEFORE = 1.0
"""What is seen when help is asked for first is taken to have lain so for a second."""
NO_GAME = "no game is recorded on this board"


@router.get("/desk")
def desk(board: BoardName, hub: HubOf) -> Json:
    """Everything that is known of the game, undelayed."""
    told = told_of(hub, board)
    if told.desk is None:
        raise HTTPException(404, NO_GAME)
    return told.desk


@router.post("/rule")
async def rule(board: BoardName, hub: HubOf, given: RulingIn) -> Json:
    """A ruling: it is added to the journal with what follows from it. The desk then."""
    return await _write(hub, board, given.to_row())


@router.post("/correct")
async def correct(board: BoardName, hub: HubOf, given: CorrectionIn) -> Json:
    """A correction of the record. The desk then."""
    return await _write(hub, board, given.to_row())


@router.post("/clock")
async def clock(board: BoardName, hub: HubOf, given: ClockIn) -> Json:
    """What a clock shows now."""
    return await _write(hub, board, given.to_row())


async def _write(hub: Hub, board: str, row: dict[str, Any]) -> Json:
    """Add a row, let the station write its record anew, and tell everybody before the answer goes out."""
    station = station_of(hub, board)
    # Not in the thread of the journals: on a disk that is slow or full this may take its time, for this board alone.
    await run_in_threadpool(_add, hub, station.journal_path(), row, station.status().seconds)
    station.changed()
    await hub.look({board})
    return desk(board, hub)


def _add(hub: Hub, path: Path | None, row: dict[str, Any], seconds: float) -> None:
    """Add a row. A clock that is started before the camera has seen anything goes by the ``seconds`` of the game."""
    if path is None or not path.is_file():
        raise HTTPException(404, NO_GAME)
    with Journal.open(path) as journal:
        at_desk = DeskJournal(journal, hub.table)
        if row.get("type") == "clock":
            first = "t" not in row and not any("seen" in each for each in journal.rows())
            at_desk.add({**row, "t": round(seconds, 3)} if first else row)
            at_desk.raise_due()
        else:
            at_desk.rule(row)


@router.get("/restore")
async def restore(
    request: Request, board: BoardName, hub: HubOf, move: Annotated[int | None, Query(ge=0, le=100_000)] = None
) -> Json:
    """The board that should be there after a move (without one: now), and what is not yet right on it. Asked again
    and again it keeps what it has seen, so that a hand over the board changes nothing."""
    station = station_of(hub, board)
    should: Layout = await hub.in_reader(_board_after, hub, board, move)
    lines = (station.overlay() or {}).get("board")
    told: Json = {"board": should.rows, "seen": lines, "differs": None, "covered": [], "unseen": None, "right": False}
    lies = Layout.from_rows(lines) if lines else None
    if lies is None or lies.size != should.size:
        return told
    assistants: dict[str, RestoreAssistant] = request.app.state.assistants
    if board not in assistants or assistants[board].should != should:
        assistants[board] = RestoreAssistant(should)
        assistants[board].see(hub.moment() - BEFORE, lies)
    found = assistants[board].see(hub.moment(), lies)
    told |= {"differs": _points(found.points), "covered": _points(found.covered)}
    return told | {"unseen": found.unseen, "right": found.right}


def _points(points: Iterable[ToPutRight]) -> list[Json]:
    return [{"at": str(each.point), "is": each.lies, "should": each.should} for each in points]


def _board_after(hub: Hub, board: str, move: int | None) -> Layout:
    return board_after(story_of(hub, board), move)


def story_of(hub: Hub, board: str, public: bool = False) -> Story:
    """The game of a board; 404 where there is none. Only in the thread of the journals."""
    book = hub.book(board)
    story = None if book is None else book.public if public else book.desk
    if story is None:
        raise HTTPException(404, NO_GAME)
    return story


def board_after(story: Story, move: int | None) -> Layout:
    """The board after a move, stones set up behind it included; without a number: what should lie there now, that is
    with what rulings want put right. Raises UsageError for a move that is not in the record."""
    if move is None:
        return story.state.board
    if move > story.moves:
        raise UsageError(f"the record has {story.moves} moves, so there is no move {move}")
    steps = story.up_to(move)
    return steps[-1].board if steps else story.start
