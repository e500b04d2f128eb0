"""Events read back from the lines of GAME.jsonl, or the rows of a journal: as far as a game is gone on with by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kifuwatch.core.errors import FileFormatError
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.reconstruct.events import BoardFound, Event, Gap, Move, PositionSeen, Retract, Setup

Row = Mapping[str, Any]


def event_of(row: Row) -> Event | None:
    """The event that a row was made of; None for alerts, rulings and whatever else is no event of the board.

    Raises FileFormatError for a row that does not hold what its type promises.
    """
    make = _MAKERS.get(str(row.get("type")))
    try:
        return None if make is None else make(row)
    except (KeyError, ValueError, TypeError) as error:
        raise FileFormatError(f"row {row.get('id', '?')} of the journal cannot be read ({error})") from error


def events_of(rows: Iterable[Row]) -> list[Event]:
    """The events among these rows, in order. Raises FileFormatError."""
    return [event for event in map(event_of, rows) if event is not None]


def _board(row: Row) -> BoardFound:
    return BoardFound(float(row["t"]), int(row["size"]), tuple((float(x), float(y)) for x, y in row["corners"]))


def _setup(row: Row) -> Setup:
    to_play = Colour(row["to_play"]) if row.get("to_play") else None
    return Setup(float(row["t"]), float(row.get("seen", row["t"])), _points(row["B"]), _points(row["W"]), to_play)


def _move(row: Row) -> Move:
    return Move(
        float(row["t"]),
        float(row["seen"]),
        int(row["number"]),
        Colour(row["color"]),
        None if row["at"] == "pass" else Point.parse(row["at"]),
        _points(row.get("captures", ())),
        bool(row.get("inferred", False)),
        None if row.get("not_before") is None else float(row["not_before"]),
        tuple(map(str, row.get("faults", ()))),
        None if row.get("left_after") is None else float(row["left_after"]),
    )


def _retract(row: Row) -> Retract:
    return Retract(float(row["t"]), float(row["seen"]), int(row["number"]), str(row["reason"]))


def _gap(row: Row) -> Gap:
    return Gap(float(row["t"]), float(row["until"]), float(row["seen"]), str(row["reason"]))


def _position(row: Row) -> PositionSeen:
    board = Layout.from_rows(row["board"])
    return PositionSeen(float(row["t"]), board, Layout.from_rows(row.get("rules_board", row["board"])))


def _points(names: Iterable[str]) -> tuple[Point, ...]:
    return tuple(Point.parse(name) for name in names)


_MAKERS: Mapping[str, Callable[[Row], Event]] = {
    "board-found": _board,
    "setup": _setup,
    "move": _move,
    "retract": _retract,
    "gap": _gap,
    "position": _position,
}
