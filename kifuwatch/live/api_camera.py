"""The arbiter's cameras: choosing one, looking through it, beginning, pausing and ending a game."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from fastapi.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from kifuwatch.core.errors import UsageError
from kifuwatch.live.beginnings import MOST_MOVES
from kifuwatch.live.hub import Hub
from kifuwatch.live.rows import ImportIn, SetupIn, StartIn
from kifuwatch.live.setup import GameSetup
from kifuwatch.live.sources import cameras, check_source
from kifuwatch.live.state import Json, names
from kifuwatch.live.station import Station
from kifuwatch.live.web import BoardName, HubOf, arbiter, fault_json, station_of
from kifuwatch.record.sgf_game import game_of_bytes

router = APIRouter(prefix="/api", dependencies=[Depends(arbiter)])
NO_STORE = {"cache-control": "no-store"}


@router.get("/cameras")
async def all_cameras() -> list[dict[str, str]]:
    """The cameras of this machine, and the test picture."""
    found = await run_in_threadpool(cameras)
    return [{"source": each.source, "name": each.name} for each in found]


@router.get("/boards/{board}/setup")
def get_setup(board: BoardName, hub: HubOf) -> Json:
    """What is known before a game: the source, and what was last set up for this board."""
    station = hub.hall.station(board)
    if station is None:
        idle = {"state": "idle", "note": ""}
        return {"source": "", "game_id": None, "setup": {}, "station": idle, **fault_json("")}
    status = station.status()
    told = hub.told(board)
    setup = _known(told.public) if told is not None else {}
    return {
        "source": status.source,
        "game_id": status.game_id,
        "setup": setup,
        "station": hub.station_json(status) | {"size": status.size, "fps": status.fps, "restarts": status.restarts},
        **fault_json(status.error or status.reason),
    }


def _known(public: Json) -> Json:
    """The fields of a setup, from the game that is or was on the board."""
    if public.get("players") is None:
        return {}
    black, white = public["players"]["black"], public["players"]["white"]
    known = {"black": black["name"], "white": white["name"], "black_rank": black["rank"], "white_rank": white["rank"]}
    return known | {name: public[name] for name in ("size", "rules", "komi", "handicap", "event", "round", "time")}


@router.post("/boards/{board}/setup")
async def post_setup(board: BoardName, hub: HubOf, given: SetupIn) -> Json:
    """Look through a camera, without recording. Files are opened from the command line only."""
    source = check_source(given.source)
    station = hub.hall.open(board)
    await run_in_threadpool(station.preview, source, given.size, given.corners, given.which)
    return await _after(hub, station)


@router.post("/boards/{board}/start")
async def start(board: BoardName, hub: HubOf, given: StartIn) -> Json:
    """Begin to record."""
    station = hub.hall.station(board)
    open_now = "" if station is None else station.status().source
    source = given.source or open_now
    if not source:
        raise UsageError("choose a camera first")
    if source != open_now:  # what the command line has opened, a file perhaps, may go on
        source = check_source(source)
    day = given.date or hub.today()
    setup = GameSetup.from_dict({**given.model_dump(), "board": board, "source": source, "date": day})
    station = hub.hall.open(board)
    await run_in_threadpool(station.start, setup)
    return await _after(hub, station)


@router.post("/boards/{board}/stop")
async def stop(board: BoardName, hub: HubOf) -> Json:
    """End the game in order."""
    return await _do(hub, board, "stop")


@router.post("/boards/{board}/pause")
async def pause(board: BoardName, hub: HubOf) -> Json:
    """What happens on the board is no part of the game for a while."""
    return await _do(hub, board, "pause")


@router.post("/boards/{board}/resume")
async def resume(board: BoardName, hub: HubOf) -> Json:
    """The game goes on."""
    return await _do(hub, board, "resume")


async def _do(hub: Hub, board: str, what: str) -> Json:
    station = station_of(hub, board)
    await run_in_threadpool(getattr(station, what))
    return await _after(hub, station)


async def _after(hub: Hub, station: Station) -> Json:
    hub.watch_all()
    await hub.look({station.board})
    return get_setup(station.board, hub)


@router.get("/boards/{board}/picture.jpg")
def picture(board: BoardName, hub: HubOf) -> Response:
    """The camera's latest picture."""
    jpeg = station_of(hub, board).picture()
    if jpeg is None:
        raise HTTPException(404, "there is no picture yet")
    return Response(jpeg, media_type="image/jpeg", headers=NO_STORE)


@router.get("/boards/{board}/overlay")
def overlay(board: BoardName, hub: HubOf) -> Json | None:
    """Where the board lies in that picture, and what was read on it."""
    return station_of(hub, board).overlay()


@router.get("/boards/{board}/quality")
def quality(board: BoardName, hub: HubOf) -> Json | None:
    """How good a view of the board it is."""
    return station_of(hub, board).quality()


@router.post("/boards/{board}/import")
async def import_sgf(board: BoardName, given: ImportIn) -> Json:
    """Look at a game record to go on from: what it holds. It is then given to ``start`` as ``continue_from``."""
    return await run_in_threadpool(_looked_at, given.sgf)


def _looked_at(sgf: str) -> Json:
    from kifuwatch.arbiter.code import load_code
    from kifuwatch.arbiter.inspection import inspect
    from kifuwatch.rules import DEFAULT_RULES

    game = game_of_bytes(sgf.encode("utf-8"))
    if len(game.steps) > MOST_MOVES:
        raise UsageError(f"this record has more than {MOST_MOVES} moves: no game to go on from")
    found = inspect(game.steps, game.size, load_code(game.rules or DEFAULT_RULES), game.handicap, game.cut)
    position = found.game.position
    return {
        "size": game.size,
        "rules": game.rules,
        "komi": game.komi,
        "handicap": game.handicap,
        "black": game.players[0],
        "white": game.players[1],
        "event": game.event,
        "date": game.date,
        "result": game.result.text,
        "moves": found.moves,
        "position": position.layout.rows,
        "to_play": position.to_play.value,
        "stones": {cell: len(names(position.layout.points(cell))) for cell in "XO"},
        "problems": list(game.problems),
    }
