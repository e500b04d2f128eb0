"""Keeps evidence while a game is recorded: the board before, during and after each alert, a film of it, each move.

What comes after an alert is not waited for: the alert goes out at once, and its last picture and the end of its film
are written by the looks that follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from kifuwatch.arbiter import Alert
from kifuwatch.core.errors import OutputError
from kifuwatch.evidence.clip import Clip
from kifuwatch.evidence.looks import Look, Looks, before, during, of_move, places
from kifuwatch.evidence.shelf import DEFAULT_LIMIT, MOMENTS, Shelf, alert_files, move_picture
from kifuwatch.reconstruct import INFO, Move, Retract
from kifuwatch.recorder import Happening
from kifuwatch.watch import View

LEAD, TAIL = 2.0, 3.0
"""Seconds that a film shows before anything changed, and after the alert."""
LONGEST = 20.0
"""Seconds that a film shows at most before the alert."""
PATIENCE = 6.0
"""Seconds after an alert in which a look without a hand is waited for."""
BEST = 2
"""How well a look can show the points of an alert."""
TIDY_EVERY = 20
"""The limit is looked after with every alert, and with so many moves."""


@dataclass
class _Pending:
    """An alert whose last picture, or the end of whose film, is still to come. ``clear``: how well the last picture
    written shows the points, as :meth:`Look.clear` says."""

    seen: float
    points: list[int]
    after: str
    clip: Clip | None
    clear: int = 0

    def settled(self, now: float) -> bool:
        """Whether the last picture is as good as it will be."""
        return self.clear == BEST or now - self.seen > PATIENCE


class EvidenceKeeper:
    """Writes ``alert-001-CODE-before.jpg``, ``-during``, ``-after``, ``alert-001-CODE.mkv`` and ``move-001.jpg`` into
    a folder.

    ``limit``: bytes for all of it, the oldest removed first. ``films``: whether the source is a film (photographs make
    none). ``alerts``: how many alerts there were before, of a game that goes on; None for a new game: what lies in the
    folder of another is replaced then, as soon as there is something to keep. It never stops a recording: when
    nothing can be written any more, ``fault`` says why.
    """

    def __init__(self, folder: Path, limit: int = DEFAULT_LIMIT, films: bool = True, alerts: int | None = None) -> None:
        if folder.exists() and not folder.is_dir():
            raise OutputError(f"cannot write pictures into {folder}: it is a file, not a folder")
        self.fault = ""
        self._shelf, self._films = Shelf(folder, limit), films
        self._named = self._kept = alerts or 0
        self._fresh = alerts is None
        self._looks = Looks()
        self._pending: list[_Pending] = []
        self._moves, self._seen = 0, 0.0

    @property
    def to_come(self) -> int:
        """How much of the evidence of alerts is still to come: less after each picture and film that is done."""
        return sum(BEST - each.clear + (each.clip is not None) for each in self._pending)

    def named(self, alert: Alert) -> Alert:
        """The alert with the names of its pictures among its evidence. Call it once for every alert, in order."""
        self._named += 1
        files = alert_files(self._named, alert.code, self._has_film(alert))
        return replace(alert, evidence=(*alert.evidence, *files))

    def look(self, view: View) -> None:
        """Take in one look at the board, whether or not anything became known by it."""
        self._seen = view.frame.time.seconds
        kept = self._looks.take(view)
        for each in list(self._pending):
            self._try(partial(self._follow, each, view, kept))

    def keep(self, happening: Happening, view: View) -> None:
        """Write what an alert or a move is to be shown with."""
        if self._fresh:
            self._fresh = False
            self._try(self._shelf.clear)
        if isinstance(happening, Alert):
            self._kept += 1
            self._try(partial(self._alert, happening, view))
        elif isinstance(happening, Move):
            self._try(partial(self._move, happening, view))
        elif isinstance(happening, Retract):
            self._try(partial(self._shelf.drop_moves, happening.number))

    def close(self) -> None:
        """End every film."""
        for each in self._pending:
            self._try(partial(self._end, each, self._seen))
        self._pending.clear()
        self._try(self._shelf.tidy)

    def _try(self, act: Callable[[], object]) -> None:
        """Evidence is worth less than the record: when it cannot be written, the recording goes on without."""
        if self.fault:
            return
        try:
            act()
        except (OutputError, OSError) as error:
            self.fault = str(error)

    def _has_film(self, alert: Alert) -> bool:
        return self._films and alert.level != INFO

    def _move(self, move: Move, view: View) -> None:
        look = None
        if move.at is not None:
            (place,) = places(view.pose.size, [move.at])
            look = of_move(self._looks, move.t, place, move.colour.cell)
        self._shelf.put(move_picture(move.number), (look or self._looks.at(view)).jpeg)
        self._moves += 1
        if self._moves % TIDY_EVERY == 0:
            self._shelf.tidy()

    def _alert(self, alert: Alert, view: View) -> None:
        """Write what there is; the last picture is the look of now until a better one comes."""
        now = self._looks.at(view)
        points = places(view.pose.size, alert.at) or list(range(view.pose.size**2))
        expected = alert.boards.before if alert.boards and alert.at else None
        was = before(self._looks, alert.t, points, expected) or now
        shown = during(self._looks, was.t, alert.t, points) or now
        files = alert_files(self._kept, alert.code, self._has_film(alert))
        for name, look in zip(files, (was, shown, now), strict=False):
            self._shelf.put(name, look.jpeg)
        begins = next((look.t for look in self._looks if look.t > was.t), was.t)
        clip = self._begin_film(files[-1], max(begins - LEAD, alert.seen - LONGEST)) if self._has_film(alert) else None
        self._pending.append(_Pending(alert.seen, points, files[len(MOMENTS) - 1], clip, now.clear(points)))
        self._shelf.tidy()

    def _begin_film(self, name: str, start: float) -> Clip:
        clip = Clip(self._shelf.folder / name)
        earlier = [look for look in self._looks if look.t < start]
        for look in (*earlier[-1:], *(look for look in self._looks if look.t >= start)):
            clip.add(look if look.t >= start else replace(look, t=start))
        return clip

    def _follow(self, each: _Pending, view: View, kept: Look | None) -> None:
        """The looks behind an alert: the first without a hand shows how it was afterwards."""
        now = view.frame.time.seconds
        if now <= each.seen:
            return
        if not each.settled(now) and (kept is not None or not each.clear):
            look = self._looks.at(view)
            if look.clear(each.points) > each.clear:
                self._shelf.put(each.after, look.jpeg)
                each.clear = look.clear(each.points)
        if each.clip is not None:
            if kept is not None:
                each.clip.add(kept)
            each.clip.write()
        if each.settled(now) and now - each.seen > TAIL:
            self._end(each, now)
            self._pending.remove(each)
            self._shelf.tidy()

    def _end(self, each: _Pending, now: float) -> None:
        if each.clip is not None:
            each.clip.close(min(now, each.seen + TAIL))


def files_of(evidence: Iterable[str]) -> tuple[str, ...]:
    """The names of pictures and films among the evidence of an alert."""
    return tuple(each for each in evidence if each.endswith((".jpg", ".mkv")) and "/" not in each)
