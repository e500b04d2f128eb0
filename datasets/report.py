"""A recorder's report, read back from its events: the moves that stand, the alerts, the last board."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kifuwatch.core.errors import FileFormatError
from kifuwatch.core.points import Layout
from kifuwatch.datasets.fields import Fields
from kifuwatch.datasets.labelled import PASS, Move
from kifuwatch.datasets.matching import ReportedAlert


@dataclass(frozen=True)
class TimedMove:
    """A move that stands at the end: when it was made and when it was said, in seconds."""

    move: Move
    seconds: float
    seen: float


@dataclass(frozen=True)
class Report:
    """What a recorder said in the end."""

    moves: tuple[TimedMove, ...]
    alerts: tuple[ReportedAlert, ...]
    start: Layout | None
    final: Layout | None

    @property
    def line(self) -> list[Move]:
        """The moves alone."""
        return [each.move for each in self.moves]


def read_report(events: Iterable[Mapping[str, object]]) -> Report:
    """Fold the events of a game (one object each, as in GAME.jsonl) into what stands at its end.

    Raises FileFormatError when an event is not in its format.
    """
    moves: list[TimedMove] = []
    alerts: list[ReportedAlert] = []
    start: Layout | None = None
    final: Layout | None = None
    size: int | None = None
    for number, event in enumerate(events, 1):
        fields = Fields(event, f"event {number}")
        kind = fields.text("type")
        if kind == "board-found":
            size = fields.integer("size")
        elif kind == "setup" and not moves:
            start = _setup(fields, size)
        elif kind == "move":
            moves.append(_move(fields, len(moves)))
        elif kind == "retract":
            del moves[fields.integer("number") - 1 :]
        elif kind == "alert":
            alerts.append(_alert(fields))
        elif kind == "position":
            final = fields.layout("board")
    return Report(tuple(moves), tuple(alerts), start, final)


def _setup(fields: Fields, size: int | None) -> Layout:
    if size is None:
        raise FileFormatError(f"{fields.where}: a setup before any board was found")
    stones = {point: "X" for point in fields.points("B", [])} | {point: "O" for point in fields.points("W", [])}
    return Layout.empty(size).replaced(stones)


def _move(fields: Fields, before: int) -> TimedMove:
    if fields.integer("number") != before + 1:
        raise FileFormatError(f"{fields.where}: move {fields.integer('number')} follows move {before}")
    at = None if fields.text("at") == PASS else fields.point("at")
    seconds = fields.number("t")
    return TimedMove(Move(fields.colour("color"), at), seconds, fields.number("seen", seconds))


def _alert(fields: Fields) -> ReportedAlert:
    seconds = fields.number("t")
    return ReportedAlert(
        fields.text("code"),
        fields.text("level", "warning"),
        seconds,
        fields.number("seen", seconds),
        frozenset(fields.points("at", [])),
    )
