"""What was known of the board last: kept beside the journal, so that going on after a crash is easy.

The journal alone tells which moves were played; this says what the board looked like then, where that differs from
the moves (captured stones still lying there), and until when it was seen. Whatever does not agree with the journal
is not believed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kifuwatch.core.points import Layout, Point
from kifuwatch.reconstruct import Reconstructor
from kifuwatch.reconstruct.resuming import KnownGame
from kifuwatch.reconstruct.situation import Deviation, Kind


@dataclass(frozen=True)
class LastSeen:
    """The board at ``time`` (seconds of the game). ``moves`` had been told, the ``last`` of them there. ``waiting``:
    the game had not begun yet, since the board did not show what was agreed on."""

    time: float
    moves: int = 0
    last: str = ""
    visible: Layout | None = None
    deviations: Mapping[Point, Deviation] | None = None
    complete: bool = False
    waiting: bool = False

    @classmethod
    def of(cls, story: Reconstructor, time: float, waiting: bool) -> LastSeen:
        """What a story knows now."""
        plays = story.game.plays
        last = str(plays[-1].point) if plays else ""
        return cls(time, len(plays), last, story.visible, story.deviations, story.complete, waiting)

    def save(self, path: Path) -> None:
        """Write it. Where that cannot be, nothing is lost but comfort."""
        body = {
            "time": round(self.time, 3),
            "moves": self.moves,
            "last": self.last,
            "visible": None if self.visible is None else self.visible.rows,
            "deviations": [
                [str(point), each.cell, each.kind.name, each.move, round(each.t, 3)]
                for point, each in (self.deviations or {}).items()
            ],
            "complete": self.complete,
            "waiting": self.waiting,
        }
        draft = path.with_name(f".{path.name}.part")
        try:
            draft.write_text(json.dumps(body), encoding="utf-8")
            draft.replace(path)
        except OSError:
            draft.unlink(missing_ok=True)

    @classmethod
    def load(cls, path: Path) -> LastSeen | None:
        """Read it; None where there is none that can be read."""
        try:
            body = json.loads(path.read_text(encoding="utf-8"))
            visible = None if body["visible"] is None else Layout.from_rows(body["visible"])
            deviations = dict(map(_deviation, body["deviations"]))
            told, flags = (int(body["moves"]), str(body["last"])), (bool(body["complete"]), bool(body["waiting"]))
            return cls(float(body["time"]), *told, visible, deviations, *flags)
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def added_to(self, known: KnownGame) -> KnownGame:
        """The known game with what was seen of it, as far as the two agree."""
        known = replace(known, time=max(known.time, self.time), complete=self.complete)
        last = str(known.moves[-1].at) if known.moves else ""
        if (
            self.visible is None
            or self.visible.size != known.start.size
            or (self.moves, self.last)
            != (
                len(known.moves),
                last,
            )
        ):
            return known
        return replace(known, visible=self.visible, deviations=self.deviations or {})


def _deviation(entry: Any) -> tuple[Point, Deviation]:
    name, cell, kind, move, t = entry
    return Point.parse(name), Deviation(str(cell), Kind[kind], int(move), float(t))
