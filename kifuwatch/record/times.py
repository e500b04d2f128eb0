"""GAME.times.json beside GAME.sgf: when each stone left the hand, how exactly that is known, and who thought how long.

SGF has no place for it: ``BL`` and ``WL`` are what a clock shows, and there may be none.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kifuwatch.arbiter.alerts import Alert
from kifuwatch.core.points import Colour
from kifuwatch.reconstruct.events import Event, Move
from kifuwatch.reconstruct.hand_offs import HandOff, hand_offs
from kifuwatch.record.files import check_writable, write_whole
from kifuwatch.record.lines import GameRecord

__all__ = ["HandOff", "TimesFile", "hand_offs", "times_path", "to_times"]

FORMAT = "kifuwatch-times 1"


def times_path(sgf: Path) -> Path:
    """Where the times of a game lie: ``GAME.times.json`` for ``GAME.sgf``."""
    return sgf.with_suffix(".times.json")


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
