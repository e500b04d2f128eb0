"""GAME.times.json beside GAME.sgf: when each stone left the hand, how exactly that is known, and who thought how long.

SGF has no place for it: ``BL`` and ``WL`` are what a clock shows, and there may be none.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kifuwatch.arbiter.alerts import Alert
from kifuwatch.core.points import Colour
from kifuwatch.reconstruct.events import Event, Move
from kifuwatch.record.files import check_writable, write_whole
from kifuwatch.record.lines import GameRecord

FORMAT = "kifuwatch-times 1"


def times_path(sgf: Path) -> Path:
    """Where the times of a game lie: ``GAME.times.json`` for ``GAME.sgf``."""
    return sgf.with_suffix(".times.json")


@dataclass(frozen=True)
class HandOff:
    """A stone left the hand between two moments, in seconds; ``earliest`` None where nothing tells."""

    earliest: float | None
    latest: float

    @property
    def t(self) -> float:
        """The middle of the two, or the moment when the stone was first seen lying free."""
        return self.latest if self.earliest is None else (self.earliest + self.latest) / 2

    @property
    def uncertainty(self) -> float | None:
        """Seconds by which ``t`` can be wrong at most, either way."""
        return None if self.earliest is None else (self.latest - self.earliest) / 2


def hand_offs(moves: list[Move]) -> list[HandOff]:
    """When each stone left the hand: after the last look that showed its point covered, or without it, and not later
    than the first that showed it lying free; and not before the stone that was played before it."""
    latest = [move.t for move in moves]
    for i in range(len(moves) - 2, -1, -1):
        latest[i] = min(latest[i], latest[i + 1])
    found: list[HandOff] = []
    floor: float | None = None
    for move, end in zip(moves, latest, strict=True):
        known = [t for t in (move.not_before, move.left_after, floor) if t is not None and t <= end]
        seen = move.not_before is not None or move.left_after is not None
        earliest = max(known) if seen and known else None
        floor = end if earliest is None else earliest
        found.append(HandOff(earliest, end))
    return found


def to_times(record: GameRecord) -> dict[str, Any]:
    """The record's times, as they stand in GAME.times.json.

    ``thinking`` is the time from one stone to the next, null where it is not known whose it was: before the first
    move, and before a second stone of one colour.
    """
    lines: list[dict[str, Any]] = []
    before: tuple[Move, HandOff] | None = None
    for move, off in zip(record.moves, hand_offs(record.moves), strict=True):
        own = before is not None and before[0].colour is not move.colour
        thinking = off.t - before[1].t if before is not None and own else None
        line: dict[str, Any] = {
            "number": move.number,
            "color": move.colour.value,
            "at": str(move.at) if move.at else "pass",
            "t": round(off.t, 3),
            "uncertainty": None if off.uncertainty is None else round(off.uncertainty, 3),
            "thinking": None if thinking is None else round(thinking, 3),
        }
        lines.append(line | ({"inferred": True} if move.inferred else {}))
        before = (move, off)
    totals = {colour.value: _total(lines, colour) for colour in Colour}
    gaps = [{"t": round(g.t, 3), "until": round(g.until, 3), "reason": g.reason} for g in record.gaps]
    return {"format": FORMAT, "size": record.size, "moves": lines, "totals": totals, "gaps": gaps}


def _total(lines: list[dict[str, Any]], colour: Colour) -> dict[str, Any]:
    own = [line["thinking"] for line in lines if line["color"] == colour.value]
    known = [seconds for seconds in own if seconds is not None]
    return {"moves": len(own), "timed": len(known), "thinking": round(sum(known), 3)}


class TimesFile:
    """Keeps GAME.times.json up to date. Raises OutputError as :class:`kifuwatch.record.sgf.SgfFile` does."""

    def __init__(self, path: Path, size: int, force: bool = False) -> None:
        check_writable(path, force)
        self.path = path
        self.record = GameRecord(size)

    def add(self, event: Event | Alert) -> None:
        """Take one event in; the file is written anew when it changes the record."""
        if self.record.add(event) and not isinstance(event, Alert):
            self.save()

    def save(self) -> None:
        """Write the file as the record stands. Raises OutputError when it cannot be written."""
        text = json.dumps(to_times(self.record), ensure_ascii=False, indent=1)
        write_whole(self.path, (text + "\n").encode("utf-8"))
