"""The clock of a game in its journal: rows from a feed or a file, alerts that have become due, what people report."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from kifuwatch.arbiter.alerts import OWN_STONES, AlertTable
from kifuwatch.arbiter.clock.clock import ClockState, check
from kifuwatch.arbiter.clock.incidents import KEY, Scene, due, keys, lateness
from kifuwatch.arbiter.clock.time_control import MINUTE, SECOND
from kifuwatch.arbiter.code import Code
from kifuwatch.arbiter.desk import Desk, undone_rows
from kifuwatch.arbiter.desk_state import DeskState
from kifuwatch.arbiter.rulings import apply
from kifuwatch.core.errors import FileFormatError, InputError, UsageError
from kifuwatch.core.points import Colour, Point
from kifuwatch.reconstruct.events import Incident
from kifuwatch.record.events_log import event_line

Row = dict[str, Any]
AHEAD = 90
"""So many seconds ahead call-outs are told, so that a page can speak them in time."""
MOST_LATE = 1440
"""Minutes of a day: nobody is later than that."""


def desk_of(rows: Iterable[Mapping[str, Any]], code: Code) -> Desk:
    """The desk over these rows, with what it knows beside its state. Raises as :func:`kifuwatch.arbiter.desk.fold`."""
    rows = list(rows)
    gone = undone_rows(rows)
    desk = Desk(code)
    for row in rows:
        if row["type"] != "ruling":
            desk.add(row)
        elif int(row["id"]) not in gone:
            desk.revision = int(row["id"])
            apply(desk, row)
    return desk


def due_rows(rows: Iterable[Mapping[str, Any]], code: Code, table: AlertTable, now: float) -> list[Row]:
    """The alerts that are due at ``now`` (seconds, as ``t`` in the rows) and stand in no row yet: those of the clock,
    and of a sealed move that was not played."""
    rows = list(rows)
    desk = desk_of(rows, code)
    alerts = [row for row in rows if row["type"] == "alert"]
    told = frozenset(key for row in alerts for key in keys(row.get("evidence", ())))
    found = [*_not_as_sealed(desk, told), *_by_clock(desk, code, now, told)]
    return [alert_row(incident, code, table) for incident in found]


def _not_as_sealed(desk: Desk, told: frozenset[str]) -> Iterator[Incident]:
    """The sealed move has to be played; where its point is taken the turn is forfeited (cn1988 22)."""
    for entry, sealed in desk.unsealed:
        key = f"sealed {entry.row}"
        if entry.stands and entry.point is not None and key not in told:
            facts = {"sealed": str(sealed), "played": str(entry.point), KEY: key}
            number, t = desk.line.moves().index(entry) + 1, float(entry.t or 0.0)
            yield Incident(t, t, "resume-differs", (sealed, entry.point), number, colour=entry.colour, facts=facts)


def _by_clock(desk: Desk, code: Code, now: float, told: frozenset[str]) -> tuple[Incident, ...]:
    clock, found = desk.timed()
    if clock is None:
        return ()
    uncleared = frozenset(
        int(desk_alert.facts["capturing move"])
        for desk_alert in desk.alerts
        if desk_alert.code == "missed-capture" and desk_alert.facts.get("capturing move", "").isdecimal()
    )
    scene = Scene(clock, code, found, desk.camera.stones(), len(desk.line.moves()), uncleared)
    return due(scene, round(now * SECOND), told)


def alert_row(incident: Incident, code: Code, table: AlertTable) -> Row:
    """An incident as the row of its alert."""
    return event_line(table.alert(incident, code))


def reported(state: DeskState, ruling: Mapping[str, Any], table: AlertTable, now: float) -> Row:
    """The alert that somebody at the board reports: ``code``, and ``color``, ``at``, ``note`` as far as they are known;
    of somebody who is late ``minutes``, and ``same_house`` where the players are lodged where they play.

    For what people see and a camera cannot. Raises UsageError with one sentence for a code, point or colour that is
    none.
    """
    name = str(ruling.get("code", ""))
    if name not in table.kinds:
        raise UsageError(f"{name!r} is no alert code: there are {', '.join(sorted(table.kinds))}")
    try:
        at = tuple(Point.parse(text) for text in ruling.get("at", []))
        colour = Colour(ruling["color"]) if ruling.get("color") else None
        t, minutes = float(ruling.get("t", now)), float(ruling.get("minutes", 0))
    except (ValueError, TypeError) as error:
        raise UsageError(f"this report cannot be read: {error}") from error
    if not 0 <= minutes <= MOST_LATE:  # this way round, because nan is no number
        raise UsageError(f"{minutes:g} minutes late cannot be: from 0 to {MOST_LATE}")
    for point in at:
        if not (0 <= point.col < state.size and 0 <= point.row < state.size):
            raise UsageError(f"the point {point} is not on this board of {state.size} lines")
    facts = {"reported_by": str(ruling.get("reporter", "operator"))}
    if ruling.get("note"):
        facts["note"] = str(ruling["note"])
    if state.code.ruling(name).claim == "move-10":
        facts["moves_left_to_correct"] = str(max(0, 10 - len(state.moves)))
    if name == "late" and minutes > 0:
        facts |= lateness(state.code.time, round(minutes * MINUTE), bool(ruling.get("same_house")))
    incident = Incident(t, t, name, at, _number(state, name, at), colour=colour, facts=facts)
    return alert_row(incident, state.code, table)


def _number(state: DeskState, name: str, at: tuple[Point, ...]) -> int:
    """The number of the move that a report is about: where its points are stones of a player, that of the stone, which
    is the last of them where the same player played twice; else that of the last move."""
    wanted = at[-1:] if name in {"two-moves", "takeback"} else at[:1]
    numbered = reversed(list(enumerate(state.moves, 1)))
    own = (number for number, entry in numbered if name in OWN_STONES and entry.point in wanted)
    return next(own, len(state.moves))


def latest(rows: Iterable[Mapping[str, Any]]) -> float:
    """The latest moment of which the rows tell, in seconds; 0 where they tell of none."""
    times = (row.get(name) for row in rows for name in ("t", "seen", "until"))
    return max((float(t) for t in times if isinstance(t, int | float)), default=0.0)


def moment_of(rows: Iterable[Mapping[str, Any]], wall: str) -> float:
    """The ``t`` of a moment on the wall clock (ISO 8601), by what the recorder wrote while it watched: of all rows
    the one that was written soonest after it was seen tells when the source began. Raises UsageError where none does.
    """
    began = [
        datetime.fromisoformat(row["at_time"]).timestamp() - float(row["seen"])
        for row in rows
        if row.get("at_time") and isinstance(row.get("seen"), int | float)
    ]
    if not began:
        raise UsageError("nothing has been recorded yet: the row of a clock needs its time t")
    return round(datetime.fromisoformat(wall).timestamp() - min(began), 3)


def clock_json(clock: ClockState, t: float | None = None) -> dict[str, Any]:
    """A clock for programs, as it is at ``t`` (seconds) if nobody does anything, by default at its last row; with
    what has to be called out in the :data:`AHEAD` seconds after it."""
    now = clock.t if t is None else round(t * SECOND)
    left = clock.at(now)
    sides = {
        colour.value: {
            "main_ms": left[colour].main,
            "periods": left[colour].periods,
            "period_ms": left[colour].period,
            "moves": left[colour].moves,
            "in_overtime": left[colour].in_overtime,
            "over_time": colour in clock.out,
        }
        for colour in Colour
    }
    control = {"text": str(clock.control), "kind": clock.control.kind.value}
    control |= {"en": clock.control.en, "zh": clock.control.zh}
    running = clock.running.value if clock.running else None
    state: dict[str, Any] = {"t": now / SECOND, "running": running, "paused": clock.paused, "read": clock.read}
    calls = [
        {"t": call.t / SECOND, "color": call.colour.value, "last": call.last, "text": {"en": call.en, "zh": call.zh}}
        for call in clock.calls(now, now + AHEAD * SECOND)
    ]
    return {**state, "control": control, **sides, "calls": calls}


def not_yet_in(rows: Iterable[Mapping[str, Any]], new: Iterable[Row]) -> list[Row]:
    """Those of these rows that a journal does not hold yet: a file that has grown can be added again."""
    held = [{k: v for k, v in row.items() if k not in {"id", "at_time"}} for row in rows if row["type"] == "clock"]
    return [row for row in new if row not in held]


def read_clock(path: Path) -> list[Row]:
    """The rows of a file, one JSON object a line, ``type`` left out or "clock".

    Raises InputError where it cannot be read, FileFormatError with the line for what is no row of a clock.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path}: this is no text in UTF-8") from error
    rows: list[Row] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if not isinstance(row, dict) or row.get("type", "clock") != "clock":
                raise UsageError("this is no row of a clock")
            check(row)
        except ValueError as error:
            raise FileFormatError(f"{path}, line {number}: this is no JSON") from error
        except UsageError as error:
            raise FileFormatError(f"{path}, line {number}: {error}") from error
        rows.append({**row, "type": "clock"})
    return rows
