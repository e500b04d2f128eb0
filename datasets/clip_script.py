"""What happens in a clip: a ``*.scenario.json`` as changes of the board, reaching hands, and what befalls the view.

A player's hand brings and takes every stone: an event of the scenario becomes a :class:`Reach` of that hand and the
:class:`StoneChange` under it. Everything the scenario cannot mean raises FileFormatError with one sentence.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from kifuwatch.core.errors import FileFormatError
from kifuwatch.core.points import EMPTY, Colour, Layout, Point
from kifuwatch.datasets.fields import Fields, read_json, read_text

DEFAULT_STEP = 0.5
"""Seconds between two stones that are taken off."""
SLIDE_TIME = 0.35
"""Seconds in which a stone is pushed to another place."""
TAIL = 2.0
"""Seconds that a clip goes on after its last event when it does not say how long it is."""


@dataclass(frozen=True)
class StoneChange:
    """From ``seconds`` on a point holds this cell, its stone ``offset`` (pitches, right and up) from the point."""

    seconds: float
    point: Point
    cell: str
    offset: tuple[float, float]


@dataclass(frozen=True)
class Reach:
    """A player's hand is at a place from ``arrive`` to ``leave`` (s).

    ``at``: lattice coordinates. ``height``: of the stone in its fingers, in mm above the board. ``brings`` and
    ``takes``: the cell of the stone in the fingers on the way there and on the way on. ``low``: it comes along the
    board.
    """

    player: Colour
    arrive: float
    leave: float
    at: tuple[float, float]
    height: float = 0.0
    brings: str = EMPTY
    takes: str = EMPTY
    low: bool = False


@dataclass(frozen=True)
class Disturbance:
    """Something that befalls the view: ``camera`` is bumped, ``board`` or ``bowl`` pushed, ``light`` goes to
    ``amount``, or the camera is turned ``away`` until ``until``, when it comes back.

    Where ``shift`` is given, a camera ends just so: by this share of the picture's width to the right and down, the
    picture turned clockwise by ``turn`` radians and enlarged by ``zoom``; else that is drawn, and small.
    """

    what: str
    seconds: float
    over: float
    amount: float = 1.0
    until: float = math.inf
    shift: tuple[float, float] | None = None
    turn: float = 0.0
    zoom: float = 1.0


@dataclass(frozen=True)
class LooseStone:
    """A stone that lies outside the lines from ``seconds`` on, at lattice coordinates ``at``: a prisoner, mostly.

    ``on_wood``: on the board's rim, not on the table.
    """

    seconds: float
    cell: str
    at: tuple[float, float]
    on_wood: bool = False


@dataclass(frozen=True)
class Cover:
    """Somebody leans over a share of the board from ``seconds`` to ``until``, from the left (-1) or right (1)."""

    seconds: float
    until: float
    share: float
    side: int


@dataclass(frozen=True)
class ClipScript:
    """A scenario, understood. ``record`` is the object as it was written."""

    record: Mapping[str, object]
    size: int
    fps: float
    width: int
    height: int
    seconds: float
    start: Layout
    changes: tuple[StoneChange, ...]
    reaches: tuple[Reach, ...]
    disturbances: tuple[Disturbance, ...]
    covers: tuple[Cover, ...]
    loose: tuple[LooseStone, ...] = ()

    @property
    def frame_count(self) -> int:
        """Frames of the clip: one at 0 s, then ``fps`` a second."""
        return max(1, math.ceil(self.seconds * self.fps - 1e-9))

    def layout_at(self, seconds: float) -> Layout:
        """What lies on the board at a time."""
        return self.start.replaced({c.point: c.cell for c in self.changes if c.seconds <= seconds + 1e-9})


def read_script(path: Path, seed: int = 0) -> ClipScript:
    """Read a ``*.scenario.json``; what it leaves open (how exactly stones lie) is drawn from ``seed``."""
    return parse_script(read_json(read_text(path), str(path)), str(path), seed)


def parse_script(record: Mapping[str, object], where: str = "scenario", seed: int = 0) -> ClipScript:
    """Understand a scenario; ``where`` names it in messages."""
    fields = Fields(record, where)
    size = fields.integer("size")
    if not 5 <= size <= 19:
        raise FileFormatError(f"{where}: 'size' must be from 5 to 19 lines, not {size}")
    builder = _Builder(fields, size, np.random.default_rng(seed))
    events = fields.entries("events")
    for event in sorted(events, key=lambda e: e.number("t")):
        builder.add(event)
    last = max((event.number("t") for event in events), default=0.0)
    seconds = fields.number("dur", max([last, *builder.ends]) + TAIL)
    script = ClipScript(
        json.loads(json.dumps(record)),
        size,
        fields.number("fps", 10),
        _side(fields, "width", 1280),
        _side(fields, "height", 720),
        seconds,
        builder.start,
        tuple(sorted(builder.changes, key=lambda c: c.seconds)),
        tuple(sorted(builder.reaches, key=lambda r: r.arrive)),
        tuple(builder.disturbances),
        tuple(builder.covers),
        tuple(builder.loose),
    )
    if not 0 < script.fps <= 120 or not 0 < seconds <= 36_000:
        raise FileFormatError(f"{where}: 'fps' must be above 0 and at most 120, and the clip at most ten hours long")
    return script


def _side(fields: Fields, key: str, default: int) -> int:
    value = fields.integer(key) if key in fields else default
    if not 128 <= value <= 4096 or value % 2:
        raise FileFormatError(f"{fields.where}: {key!r} must be an even number of pixels from 128 to 4096, not {value}")
    return value


@dataclass
class _Builder:
    """The events, one by one in their order, against the board as it then is."""

    scenario: Fields
    size: int
    rng: np.random.Generator
    board: dict[Point, str] = field(default_factory=dict)
    lies: dict[Point, tuple[float, float]] = field(default_factory=dict)
    changes: list[StoneChange] = field(default_factory=list)
    reaches: list[Reach] = field(default_factory=list)
    disturbances: list[Disturbance] = field(default_factory=list)
    covers: list[Cover] = field(default_factory=list)
    loose: list[LooseStone] = field(default_factory=list)
    ends: list[float] = field(default_factory=list)
    start: Layout = field(init=False)

    def __post_init__(self) -> None:
        expect = self.scenario.sub("expect", {})
        setup = expect.sub("setup") if "setup" in expect else self.scenario.sub("setup", {})
        for colour in Colour:
            for point in setup.points(colour.value, []):
                self._set(0.0, self._on_board(point, setup), colour.cell, self._careless(), setup)
        self.start = Layout.empty(self.size).replaced(self.board)

    def add(self, event: Fields) -> None:
        """One event."""
        do, t = event.text("do"), event.number("t")
        if not 0 <= t < 36_000:
            raise FileFormatError(f"{event.where}: 't' must be seconds from the start, not {t}")
        known: dict[str, Callable[[Fields, float], None]] = {
            "place": self._place,
            "drop": self._drop,
            "remove": self._remove,
            "vanish": self._remove,
            "slide": self._slide,
            "nudge": self._nudge,
            "hover": self._hover,
            "sweep": self._sweep,
            "press": self._press,
            "aside": self._aside,
            "cover": self._cover,
            "block": self._cover,
            "bump-camera": self._befall,
            "shift-board": self._befall,
            "push-bowl": self._befall,
            "turn-camera": self._turn_away,
            "light": self._befall,
        }
        if do not in known:
            raise FileFormatError(f"{event.where}: nothing is called {do!r}: choose from {', '.join(known)}")
        known[do](event, t)

    def _place(self, event: Fields, t: float) -> None:
        point, colour = self._point(event, "at"), event.colour("color")
        offset = self._offset(event, "offset", self._careless())
        self._set(t, point, colour.cell, offset, event)
        stay = t + event.number("stay", self.rng.uniform(0.15, 0.24))
        player, at, cell = self._player(event, colour), self._place_of(point, offset), colour.cell
        hold = event.number("hold", 0.0)
        if hold > 0:
            self._reach(player, t - hold, max(t - hold, t - 0.25), at, height=20.0, brings=cell, takes=cell)
        self._reach(player, t, stay, at, brings=cell)

    def _drop(self, event: Fields, t: float) -> None:
        """A stone falls from the hand that passes over the board."""
        point, colour = self._point(event, "at"), event.colour("color")
        offset = self._offset(event, "offset", self._careless())
        self._set(t, point, colour.cell, offset, event)
        at = self._place_of(point, offset)
        self._reach(self._player(event, colour), t, t + 0.1, at, height=8.0, brings=colour.cell)

    def _remove(self, event: Fields, t: float) -> None:
        points = event.points("at")
        if not points:
            raise FileFormatError(f"{event.where}: 'at' names no stone")
        over = event.number("over", event.number("step", DEFAULT_STEP) * (len(points) - 1))
        for i, point in enumerate(points):
            when = t + over * i / max(1, len(points) - 1)
            cell = self._stone(point, event)
            player = self._player(event, Colour.WHITE if cell == Colour.BLACK.cell else Colour.BLACK)
            at = self._place_of(point, self.lies[point])
            self._set(when, point, EMPTY, (0.0, 0.0), event)
            self._reach(player, when - 0.08, when, at, takes=cell)

    def _slide(self, event: Fields, t: float) -> None:
        source, goal = self._point(event, "from"), self._point(event, "to")
        cell = self._stone(source, event)
        player = self._player(event, _colour(cell))
        begin = self._place_of(source, self.lies[source])
        offset = self._offset(event, "offset", self._careless())
        self._set(t, source, EMPTY, (0.0, 0.0), event)
        self._set(t + SLIDE_TIME, goal, cell, offset, event)
        self._reach(player, t - 0.1, t, begin, takes=cell)
        done = t + SLIDE_TIME
        self._reach(player, done, done + 0.12, self._place_of(goal, offset), brings=cell, low=True)

    def _nudge(self, event: Fields, t: float) -> None:
        point = self._point(event, "at")
        cell = self._stone(point, event)
        was, offset = self.lies[point], self._offset(event, "offset", (0.0, 0.0))
        player = self._player(event, _colour(cell))
        for part in (0.25, 0.5, 0.75, 1.0):
            between = (was[0] + (offset[0] - was[0]) * part, was[1] + (offset[1] - was[1]) * part)
            self.changes.append(StoneChange(t + SLIDE_TIME * part, point, cell, between))
        self.lies[point] = offset
        self._reach(player, t - 0.05, t, self._place_of(point, was))
        done = t + SLIDE_TIME
        self._reach(player, done, done + 0.1, self._place_of(point, offset), low=True)

    def _hover(self, event: Fields, t: float) -> None:
        point = self._point(event, "near" if "near" in event else "at")
        stay = event.number("for", event.number("dur", 2.0))
        cell = event.colour("carry").cell if "carry" in event else EMPTY
        player, spread = self._player(event, Colour.BLACK), event.number("spread", 0.25)
        height = event.number("height", 26.0)
        for part in np.arange(0, max(stay, 0.1), 0.8):
            at = self._place_of(point, (self.rng.normal(0, spread), self.rng.normal(0, spread)))
            self._reach(player, t + part, t + part + 0.35, at, height=height, brings=cell, takes=cell)

    def _sweep(self, event: Fields, t: float) -> None:
        """An arm passes low over the board and takes stones along: to another point, off the board, or a little."""
        begin, end = self._point(event, "from"), self._point(event, "to")
        over = event.number("over", 1.0)
        player = self._player(event, Colour.BLACK)
        way = np.subtract(self._place_of(end, (0, 0)), self._place_of(begin, (0, 0)))
        for stone in event.entries("stones", []):
            point = self._point(stone, "at")
            cell = self._stone(point, stone)
            gone = np.subtract(self._place_of(point, (0, 0)), self._place_of(begin, (0, 0)))
            when = t + over * float(np.clip(gone @ way / max(float(way @ way), 1e-9), 0, 1))
            if "offset" not in stone or "to" in stone:
                self._set(when, point, EMPTY, (0.0, 0.0), stone)
            else:
                self.changes.append(StoneChange(when, point, cell, self._offset(stone, "offset", (0.0, 0.0))))
                self.lies[point] = self.changes[-1].offset
            if stone.record.get("to") is not None:
                goal = self._point(stone, "to")
                self._set(when + 0.1, goal, cell, self._offset(stone, "offset", self._careless()), stone)
        start, steps = np.array(self._place_of(begin, (0, 0))), max(1, math.ceil(over / 0.5))
        for step in range(steps + 1):
            when, (x, y) = t + over * step / steps, start + way * step / steps
            self._reach(player, when, when + 0.01, (float(x), float(y)), height=4.0, low=step > 0)

    def _press(self, event: Fields, t: float) -> None:
        """A hand goes to the clock at White's right hand."""
        player = self._player(event, Colour.BLACK)
        at = (-2.6, (self.size - 1) * 0.5 + self.rng.normal(0, 0.2))
        self._reach(player, t, t + 0.12, at, height=10.0)

    def _aside(self, event: Fields, t: float) -> None:
        """Prisoners are laid down beside the board, at their taker's right hand; ``at``: at these lattice coordinates
        on its rim."""
        colour, count = event.colour("color"), event.number("count", 1)
        player = self._player(event, colour.opponent)
        right = player is Colour.BLACK
        line = (self.size - 1) * (0.62 if right else 0.38)
        at, loose = (self.size - 1 + 3.0, line) if right else (-3.0, line), (0.45, 0.8)
        if "at" in event:
            pair = Fields({str(i): value for i, value in enumerate(event.items("at"))}, f"{event.where}, at")
            at, loose = (pair.number("0"), pair.number("1")), (0.0, 0.0)
        for _ in range(int(count)):
            place = at[0] + float(self.rng.normal(0, loose[0])), at[1] + float(self.rng.normal(0, loose[1]))
            self.loose.append(LooseStone(t, colour.cell, place, "at" in event))
        self._reach(player, t, t + 0.15, at, height=0.0 if "at" in event else 4.0, brings=colour.cell)

    def _turn_away(self, event: Fields, t: float) -> None:
        stay, over = event.number("for", 6.0), event.number("over", 1.0)
        if stay <= over or over <= 0:
            raise FileFormatError(f"{event.where}: the camera must stay away longer than it turns")
        self.disturbances.append(Disturbance("away", t, over, until=t + stay))
        self.ends.append(t + stay + over)

    def _cover(self, event: Fields, t: float) -> None:
        stay, share = event.number("for", event.number("dur", 5.0)), event.number("share", 0.5)
        if not 0 < share <= 1 or stay <= 0:
            raise FileFormatError(f"{event.where}: 'share' must be above 0 and at most 1, and 'for' above 0")
        self.covers.append(Cover(t, t + stay, share, 1 if event.number("side", 1) >= 0 else -1))
        self.ends.append(t + stay)

    def _befall(self, event: Fields, t: float) -> None:
        names = {"bump-camera": "camera", "shift-board": "board", "push-bowl": "bowl"}
        what = names.get(event.text("do"), "light")
        gain = event.number("gain") if what == "light" else 1.0
        if not 0.05 <= gain <= 5:
            raise FileFormatError(f"{event.where}: 'gain' must be from 0.05 to 5, not {gain}")
        over = event.number("over", {"camera": 0.4, "board": 0.5, "bowl": 0.6, "light": 0.6}[what])
        self.disturbances.append(replace(Disturbance(what, t, max(0.0, over), gain), **self._bump(event, what)))
        self.ends.append(t + over)

    def _bump(self, event: Fields, what: str) -> dict[str, Any]:
        """How far a camera moves, where the scenario says it."""
        if what != "camera" or not any(key in event for key in ("shift", "turn", "zoom")):
            return {}
        shift = self._offset(event, "shift", (0.0, 0.0))
        turn, zoom = event.number("turn", 0.0), event.number("zoom", 1.0)
        if not -180 <= turn <= 180 or not 0.2 <= zoom <= 5:
            raise FileFormatError(f"{event.where}: 'turn' must be from -180 to 180 degrees, 'zoom' from 0.2 to 5")
        return {"shift": shift, "turn": math.radians(turn), "zoom": zoom}

    def _reach(
        self,
        player: Colour,
        arrive: float,
        leave: float,
        at: tuple[float, float],
        height: float = 0.0,
        brings: str = EMPTY,
        takes: str = EMPTY,
        low: bool = False,
    ) -> None:
        self.reaches.append(Reach(player, arrive, leave, at, height, brings, takes, low))
        self.ends.append(leave)

    def _set(self, t: float, point: Point, cell: str, offset: tuple[float, float], where: Fields) -> None:
        if cell != EMPTY and self.board.get(point, EMPTY) != EMPTY:
            raise FileFormatError(f"{where.where}: {point} is occupied when a stone is put there")
        self.changes.append(StoneChange(t, point, cell, offset))
        self.board[point], self.lies[point] = cell, offset

    def _stone(self, point: Point, event: Fields) -> str:
        cell = self.board.get(self._on_board(point, event), EMPTY)
        if cell == EMPTY:
            raise FileFormatError(f"{event.where}: there is no stone at {point}")
        return cell

    def _point(self, event: Fields, key: str) -> Point:
        return self._on_board(event.point(key), event)

    def _on_board(self, point: Point, where: Fields) -> Point:
        if point.col >= self.size or point.row >= self.size:
            raise FileFormatError(f"{where.where}: {point} is not on a board of {self.size} lines")
        return point

    def _player(self, event: Fields, default: Colour) -> Colour:
        return event.colour("by") if "by" in event else default

    def _place_of(self, point: Point, offset: tuple[float, float]) -> tuple[float, float]:
        return float(point.col + offset[0]), float(self.size - 1 - point.row - offset[1])

    def _careless(self) -> tuple[float, float]:
        right, up = np.clip(self.rng.normal(0, 0.06, 2), -0.15, 0.15)
        return float(right), float(up)

    def _offset(self, event: Fields, key: str, default: tuple[float, float]) -> tuple[float, float]:
        if key not in event:
            return default
        pair = Fields({str(i): value for i, value in enumerate(event.items(key))}, f"{event.where}, {key}")
        right, up = pair.number("0"), pair.number("1")
        if max(abs(right), abs(up)) > 1:
            raise FileFormatError(f"{pair.where}: a stone lies at most one pitch from its point, not {right}, {up}")
        return right, up


def _colour(cell: str) -> Colour:
    return Colour.BLACK if cell == Colour.BLACK.cell else Colour.WHITE


def with_truth(
    script: ClipScript, video: str, views: list[dict[str, object]], laid: list[StoneChange]
) -> dict[str, object]:
    """The scenario as written beside its clip: what is where, when. ``views`` are the poses over time, ``laid`` the
    changes as the stones came to lie."""
    times = sorted({0.0, *(c.seconds for c in script.changes if c.seconds > 0)})
    states = [{"t": round(t, 3), "board": script.layout_at(t).rows} for t in times]
    changed = [s for i, s in enumerate(states) if i == 0 or s["board"] != states[i - 1]["board"]]
    lies = {c.point: c for c in laid}
    offsets = {str(p): [round(o, 3) for o in c.offset] for p, c in lies.items() if c.cell != EMPTY}
    return {
        **script.record,
        "fps": script.fps,
        "width": script.width,
        "height": script.height,
        "dur": script.seconds,
        "video": video,
        "corners_over_time": views,
        "physical_states": changed,
        "final_offsets": offsets,
    }
