"""A board with two players, without a picture: a script of events becomes the observations a camera would give.

Hands reach in from the players' sides and cover what they pass; readings are noisy, most of all at the edges of
hands. Everything follows from the script and the seed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kifuwatch.core.points import Layout, Point
from kifuwatch.core.times import FrameTime
from kifuwatch.reconstruct.events import Event, Incident, Move, PositionSeen, Retract, Setup
from kifuwatch.reconstruct.reconstructor import Reconstructor
from kifuwatch.rules import ruleset
from kifuwatch.vision.observation import CELLS, Observation

Script = Sequence[dict[str, Any]]
SHARED = Path(__file__).parents[2].parent / "shared"


@dataclass
class Noise:
    """How wrong single readings are."""

    flip: float = 0.001
    """A point in clear view is read as something else."""
    edge: float = 0.06
    """The same for a point beside a hand."""
    leak: float = 0.02
    """A covered point is not marked as covered, and read as anything."""
    false_cover: float = 0.002
    """A point in clear view is marked as covered."""
    steady: float = 0.0
    """A point at or beside a hand looks like a stone for as long as the hand stays, and is not marked as covered."""
    dropped: float = 0.0
    """A frame never comes."""


QUIET = Noise(0.0, 0.0, 0.0, 0.0)


@dataclass
class Reach:
    """A hand over ``at`` (col, row), there from ``start`` to ``end``, coming in from ``side`` (0 below, 1 above)."""

    at: tuple[float, float]
    start: float
    end: float
    side: int
    travel: float = 0.3


@dataclass
class Spell:
    """From ``start`` to ``end`` a point is read as ``cell``, with a probability of ``sure``, whatever lies there."""

    point: Point
    start: float
    end: float
    cell: str
    sure: float


@dataclass
class Stage:
    """The physical truth that a script unrolls: when each cell changes, where hands are, what is blocked."""

    size: int
    setup: Layout
    script: Script
    fps: float = 8.0
    duration: float | None = None
    noise: Noise = field(default_factory=Noise)
    seed: int = 1
    first: str = "B"

    def __post_init__(self) -> None:
        self.changes: list[tuple[float, Point, str]] = []
        self.offsets: list[tuple[float, Point, tuple[float, float]]] = []
        self.reaches: list[Reach] = []
        self.blocks: list[tuple[float, float, float]] = []
        self.spells: list[Spell] = []
        for event in self.script:
            getattr(self, "_" + event["do"].replace("-", "_"))(event)
        self.changes.sort(key=lambda c: c[0])
        ends = [c[0] for c in self.changes] + [r.end for r in self.reaches] + [b[1] for b in self.blocks] + [0.0]
        self.end = self.duration if self.duration is not None else max(ends) + 3.0

    def _place(self, e: dict[str, Any], stay: float = 0.25) -> None:
        point, by = Point.parse(e["at"]), e.get("by", e["color"])
        t = float(e["t"])
        self.changes.append((t, point, "X" if e["color"] == "B" else "O"))
        self.offsets.append((t, point, tuple(e.get("offset", (0.0, 0.0)))))
        stay = float(e.get("stay", stay))
        self.reaches.append(Reach((point.col, point.row), t - 0.15, t + stay, 0 if by == "B" else 1))

    _drop = _place

    def _remove(self, e: dict[str, Any]) -> None:
        at = [e["at"]] if isinstance(e["at"], str) else list(e["at"])
        step = float(e.get("step", float(e["over"]) / len(at) if "over" in e else 0.5))
        side = 0 if e.get("by", "B") == "B" else 1
        for k, name in enumerate(at):
            point, t = Point.parse(name), float(e["t"]) + k * step
            self.changes.append((t, point, "."))
            travel = 0.3 if step > 0.9 or k in (0, len(at) - 1) else 0.15
            self.reaches.append(Reach((point.col, point.row), t - 0.15, t + 0.15, side, travel))

    _vanish = _remove

    def _slide(self, e: dict[str, Any]) -> None:
        old, new, t = Point.parse(e["from"]), Point.parse(e["to"]), float(e["t"])
        colour = "X" if e.get("color_of", e.get("color", "B")) == "B" else "O"
        side = 0 if e.get("by", "B") == "B" else 1
        self.changes += [(t + 0.3, old, "."), (t + 0.3, new, colour)]
        middle = ((old.col + new.col) / 2, (old.row + new.row) / 2)
        self.reaches.append(Reach(middle, t, t + 0.6, side))

    def _nudge(self, e: dict[str, Any]) -> None:
        point, t = Point.parse(e["at"]), float(e["t"])
        self.offsets.append((t, point, tuple(e["offset"])))
        self.reaches.append(Reach((point.col, point.row), t - 0.15, t + 0.3, 0 if e.get("by") == "B" else 1))

    def _hover(self, e: dict[str, Any]) -> None:
        point, t = Point.parse(e["near"] if "near" in e else e["at"]), float(e["t"])
        stay = float(e.get("for", e.get("dur", 1.0)))
        self.reaches.append(Reach((point.col, point.row), t, t + stay, 0 if e.get("by") == "B" else 1))

    def _cover(self, e: dict[str, Any]) -> None:
        self.blocks.append((float(e["t"]), float(e["t"]) + float(e["for"]), float(e["share"])))

    def _block(self, e: dict[str, Any]) -> None:
        self.blocks.append((float(e["t"]), float(e["t"]) + float(e["dur"]), 0.65))

    def _swap(self, e: dict[str, Any]) -> None:
        """A cell changes by itself: a misreading that lasts."""
        self.changes.append((float(e["t"]), Point.parse(e["at"]), e["now"]))

    def _misread(self, e: dict[str, Any]) -> None:
        """Nothing happens, but a point is read wrongly for some time."""
        t = float(e["t"])
        self.spells.append(Spell(Point.parse(e["at"]), t, t + float(e["for"]), e["now"], float(e.get("sure", 0.7))))

    def truth(self, time: float) -> Layout:
        """What lies on the board at a time."""
        return self.setup.replaced({p: cell for t, p, cell in self.changes if t <= time})

    def covered(self, time: float) -> np.ndarray:
        """What hands and heads hide at a time, (n, n)."""
        n = self.size
        lines, cols = np.mgrid[0:n, 0:n]
        x, y = cols.astype(float), (n - 1 - lines).astype(float)
        hidden = np.zeros((n, n), dtype=bool)
        for reach in self.reaches:
            hidden |= _arm(reach, time, x, y, n)
        for start, end, share in self.blocks:
            if start <= time <= end:
                wobble = 0.6 * np.sin(2.0 * time)
                hidden |= x > (1 - share) * n - 0.5 + wobble
        return hidden

    def observations(self) -> Iterator[Observation]:
        """The readings, frame by frame."""
        rng = np.random.default_rng(self.seed)
        before = np.zeros((self.size, self.size), dtype=bool)
        cells, now = np.array(self._indices(self.setup)), self.setup
        for k in range(int(self.end * self.fps)):
            time = k / self.fps
            truth = self.truth(time)
            if truth is not now:
                cells, now = np.array(self._indices(truth)), truth
            hidden = self.covered(time)
            if k % max(int(self.fps), 1) == 0:
                self._steady = (rng.random(hidden.shape), rng.integers(1, 3, hidden.shape))
            seen = self._observe(time, cells, hidden, before, rng)
            if not self.noise.dropped or rng.random() >= self.noise.dropped:
                yield seen
            before = hidden

    def _indices(self, layout: Layout) -> list[list[int]]:
        return [[CELLS.index(c) for c in row] for row in layout.rows]

    def _observe(
        self, time: float, cells: np.ndarray, hidden: np.ndarray, before: np.ndarray, rng: np.random.Generator
    ) -> Observation:
        n, noise = self.size, self.noise
        edge = _grown(hidden) & ~hidden
        leak = hidden & (rng.random((n, n)) < noise.leak)
        steady = (hidden | edge) & (self._steady[0] < noise.steady)
        leak = leak & ~steady
        wrong = rng.random((n, n)) < np.where(edge, noise.edge, noise.flip)
        read = np.where(wrong | leak, rng.integers(0, 3, (n, n)), np.where(steady, self._steady[1], cells))
        sure = np.where(wrong | leak, rng.uniform(0.5, 0.95, (n, n)), rng.uniform(0.94, 0.999, (n, n)))
        for spell in self.spells:
            if spell.start <= time < spell.end:
                line, col = n - 1 - spell.point.row, spell.point.col
                read[line, col], sure[line, col] = CELLS.index(spell.cell), spell.sure
        probabilities = np.repeat(((1 - sure) / 2)[..., None], 3, axis=2)
        np.put_along_axis(probabilities, read[..., None], sure[..., None], axis=2)
        covered = (hidden & ~leak & ~steady) | (rng.random((n, n)) < noise.false_cover)
        offsets = np.zeros((n, n, 2), dtype=np.float32)
        for t, point, offset in self.offsets:
            if t <= time:
                offsets[n - 1 - point.row, point.col] = offset
        moving = (hidden ^ before) | (rng.random((n, n)) < noise.flip)
        return Observation(FrameTime.of_seconds(time), probabilities.astype(np.float32), covered, offsets, moving)


def _arm(reach: Reach, time: float, x: np.ndarray, y: np.ndarray, n: int) -> np.ndarray:
    """A hand (a disc) and its arm (a strip to the player's side)."""
    home = -4.0 if reach.side == 0 else n + 3.0
    if time < reach.start - reach.travel or time > reach.end + reach.travel:
        return np.zeros_like(x, dtype=bool)
    share = 1.0
    if time < reach.start:
        share = 1 - (reach.start - time) / reach.travel
    elif time > reach.end:
        share = 1 - (time - reach.end) / reach.travel
    col, row = reach.at
    hand = home + (row - home) * share
    disc = (x - col) ** 2 + (y - hand) ** 2 <= 1.7**2
    arm = (abs(x - col - 0.5) <= 1.1) & ((y < hand) if reach.side == 0 else (y > hand))
    result: np.ndarray = disc | arm
    return result


def _grown(mask: np.ndarray) -> np.ndarray:
    big = np.pad(mask, 1)
    n = mask.shape[0]
    out = np.zeros_like(mask)
    for a in range(3):
        for b in range(3):
            out |= big[a : a + n, b : b + n]
    return out


@dataclass
class Report:
    """What the reconstructor said, as a record would show it."""

    events: list[Event]

    @property
    def moves(self) -> list[str]:
        """The moves that stand at the end, as ``B Q16``."""
        moves: list[Move] = []
        for event in self.events:
            if isinstance(event, Move):
                assert event.number == len(moves) + 1, "moves are numbered as they stand"
                moves.append(event)
            elif isinstance(event, Retract):
                del moves[event.number - 1 :]
        return [f"{m.colour.value} {m.at or 'pass'}" for m in moves]

    @property
    def alerts(self) -> list[Incident]:
        """All incidents that are not mere notices."""
        return [e for e in self.events if isinstance(e, Incident) and e.level != "info"]

    @property
    def codes(self) -> list[str]:
        """The alerts as ``code A1 B2``, points in order."""
        return [" ".join([a.code, *sorted(map(str, a.at))]) for a in self.alerts]

    @property
    def incidents(self) -> list[Incident]:
        """All that was told to the arbiter, notices too."""
        return [e for e in self.events if isinstance(e, Incident)]

    @property
    def notices(self) -> list[str]:
        """The mere notices, as ``codes`` writes alerts."""
        found = [e for e in self.events if isinstance(e, Incident) and e.level == "info"]
        return [" ".join([a.code, *sorted(map(str, a.at))]) for a in found]

    @property
    def retracts(self) -> list[Retract]:
        """Moves taken back."""
        return [e for e in self.events if isinstance(e, Retract)]

    @property
    def setups(self) -> list[Setup]:
        """Positions that the game began from; the last one counts."""
        return [e for e in self.events if isinstance(e, Setup)]

    @property
    def final(self) -> PositionSeen:
        """The last line of the report."""
        last = self.events[-1]
        assert isinstance(last, PositionSeen)
        return last

    @property
    def standing(self) -> list[Move]:
        """The moves that stand at the end."""
        moves: list[Move] = []
        for event in self.events:
            if isinstance(event, Move):
                moves.append(event)
            elif isinstance(event, Retract):
                del moves[event.number - 1 :]
        return moves


def perform(stage: Stage, rules: str = "cn2002", **options: Any) -> Report:
    """Let the reconstructor watch the stage."""
    watcher = Reconstructor(stage.size, ruleset(rules), **options)
    events: list[Event] = []
    time = 0.0
    for seen in stage.observations():
        time = seen.time.seconds
        events += watcher.see(seen)
    events += watcher.finish(time)
    return Report(events)


def play_script(
    diagram: str | int,
    script: Script,
    *,
    seed: int = 1,
    noise: Noise | None = None,
    fps: float = 8.0,
    duration: float | None = None,
    **options: Any,
) -> Report:
    """Play a script on a board drawn as a diagram (or empty, of so many lines) and report what was understood."""
    setup = Layout.empty(diagram) if isinstance(diagram, int) else Layout.from_rows(diagram.split())
    stage = Stage(setup.size, setup, script, fps, duration, noise or Noise(), seed)
    return perform(stage, **options)


def moves(text: str, start: float = 1.6, step: float = 1.4, **extra: Any) -> list[dict[str, Any]]:
    """``"B D4, W Q16"`` as placings, one every ``step`` seconds."""
    return [
        {"t": start + k * step, "do": "place", "color": part.split()[0], "at": part.split()[1], **extra}
        for k, part in enumerate(p for p in text.split(",") if p.strip())
    ]


def of_scenario(path: Path, seed: int = 1) -> tuple[Stage, dict[str, Any]]:
    """The stage of a scenario file, and what it expects."""
    scenario = json.loads(path.read_text())
    size, expect = scenario["size"], scenario["expect"]
    stones = scenario.get("setup") or expect["setup"]
    cells = {Point.parse(p): "X" for p in stones["B"]} | {Point.parse(p): "O" for p in stones["W"]}
    setup = Layout.empty(size).replaced(cells)
    stage = Stage(size, setup, scenario["events"], scenario["fps"], scenario.get("dur"), Noise(), seed)
    return stage, expect
