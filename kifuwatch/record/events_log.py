"""GAME.jsonl: one event a line, written and flushed in the order in which it became known."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from kifuwatch.arbiter.alerts import Alert, Claim
from kifuwatch.core.errors import OutputError
from kifuwatch.core.points import Point
from kifuwatch.reconstruct.events import BoardFound, Cleared, Event, Gap, Incident, Move, PositionSeen, Retract, Setup
from kifuwatch.record.files import check_writable


def event_line(event: Event | Alert) -> dict[str, Any]:
    """One event as it stands in GAME.jsonl. Raises TypeError for an incident: an alert is made of it first."""
    if isinstance(event, BoardFound):
        corners = [[round(x, 2), round(y, 2)] for x, y in event.corners]
        return {"type": "board-found", "t": _time(event.t), "size": event.size, "corners": corners}
    if isinstance(event, Setup):
        line: dict[str, Any] = {"type": "setup", "t": _time(event.t), "seen": _time(event.seen)}
        line |= {"B": _names(event.black), "W": _names(event.white)}
        return line | ({"to_play": event.to_play.value} if event.to_play else {})
    if isinstance(event, Move):
        return _move_line(event)
    if isinstance(event, Retract):
        return {
            "type": "retract",
            "t": _time(event.t),
            "seen": _time(event.seen),
            "number": event.number,
            "reason": event.reason,
        }
    if isinstance(event, Gap):
        return {
            "type": "gap",
            "t": _time(event.t),
            "until": _time(event.until),
            "seen": _time(event.seen),
            "reason": event.reason,
        }
    if isinstance(event, Cleared):
        return _cleared_line(event)
    if isinstance(event, Alert):
        return _alert_line(event)
    if isinstance(event, PositionSeen):
        line = {"type": "position", "t": _time(event.t), "board": event.board.rows}
        return line | ({"rules_board": event.rules_board.rows} if event.rules_board != event.board else {})
    raise TypeError(f"no line is made of {type(event).__name__}")


def _move_line(move: Move) -> dict[str, Any]:
    line: dict[str, Any] = {
        "type": "move",
        "t": _time(move.t),
        "seen": _time(move.seen),
        "number": move.number,
        "color": move.colour.value,
        "at": str(move.at) if move.at else "pass",
        "captures": _names(move.captures),
        "inferred": move.inferred,
    }
    if move.not_before is not None:
        line["not_before"] = _time(move.not_before)
    if move.left_after is not None:
        line["left_after"] = _time(move.left_after)
    if move.faults:
        line["faults"] = list(move.faults)
    return line


def _cleared_line(event: Cleared) -> dict[str, Any]:
    stones: list[dict[str, Any]] = []
    for stone in event.stones:
        known = {} if stone.not_before is None else {"not_before": _time(stone.not_before)}
        stones.append({"at": str(stone.at), "t": _time(stone.t), **known})
    return {"type": "cleared", "t": _time(event.t), "seen": _time(event.seen), "number": event.number, "stones": stones}


def _alert_line(alert: Alert) -> dict[str, Any]:
    line: dict[str, Any] = {
        "type": "alert",
        "t": _time(alert.t),
        "seen": _time(alert.seen),
        "code": alert.code,
        "level": alert.level,
        "at": _names(alert.at),
        "move": alert.move,
        "articles": dict(alert.articles),
        "ruling": {"en": alert.ruling_en, "zh": alert.ruling_zh},
        "claim": _claim(alert.claim),
        "alternatives": list(alert.alternatives),
        "hypotheses": [
            {"name": each.name, "en": each.en, "zh": each.zh, "likelihood": each.likelihood}
            for each in alert.hypotheses
        ],
        "evidence": list(alert.evidence),
        "text": {"en": alert.text_en, "zh": alert.text_zh},
    }
    if alert.colour is not None:
        line["color"] = alert.colour.value
    if alert.boards is not None:
        boards = {"before": alert.boards.before, "expected": alert.boards.expected, "after": alert.boards.after}
        line["boards"] = {name: board.rows for name, board in boards.items()}
    return line


def _claim(claim: Claim) -> dict[str, Any]:
    by = {"by": claim.by.value} if claim.by else {}
    article = {"article": claim.article} if claim.article else {}
    return {"until": claim.until, **by, **article, "en": claim.en, "zh": claim.zh}


def _time(seconds: float) -> float:
    return round(seconds, 3)


def _names(points: tuple[Point, ...]) -> list[str]:
    return [str(point) for point in points]


class EventsLog:
    """Writes GAME.jsonl. Raises OutputError at once when the file exists (unless ``force``) or cannot be written."""

    def __init__(self, path: Path, force: bool = False) -> None:
        check_writable(path, force)
        self.path = path
        try:
            self._file: IO[str] = path.open("w", encoding="utf-8", newline="\n")
        except OSError as error:
            raise OutputError(f"cannot write {path}: {(error.strerror or str(error)).lower()}") from error

    def write(self, event: Event | Alert) -> None:
        """Append one event and flush it. Incidents themselves have no line: write the alert made of them."""
        if isinstance(event, Incident):
            return
        try:
            self._file.write(json.dumps(event_line(event), ensure_ascii=False) + "\n")
            self._file.flush()
        except OSError as error:
            raise OutputError(f"cannot write {self.path}: {(error.strerror or str(error)).lower()}") from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> EventsLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
