"""A made-up camera and board: each stone of a script comes at its time, and is seen at once. All else is real."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.points import Layout, Point
from kifuwatch.core.times import FrameTime
from kifuwatch.live.plan import GamePlan
from kifuwatch.vision.observation import CELLS, Observation
from kifuwatch.vision.sources import Frame, FrameSource
from kifuwatch.vision.sources.base import Rate
from kifuwatch.watch import Notice, Pause, View

WIDTH, HEIGHT = 96, 96
CORNERS = ((8.0, 8.0), (88.0, 8.0), (88.0, 88.0), (8.0, 88.0))
FPS = 10.0


def chequered(size: int, moves: int) -> tuple[Point, ...]:
    """Points of a game in which nothing is ever captured: no two of them touch."""
    points = [Point(col, row) for row in range(size) for col in range(size) if (col + row) % 2 == 0]
    assert moves <= len(points)
    order = np.random.default_rng(5).permutation(len(points))
    return tuple(points[int(i)] for i in order[:moves])


@dataclass(frozen=True)
class Script:
    """Black and White put down a stone in turn, ``every`` seconds, the first after as many."""

    size: int
    points: Sequence[Point]
    every: float = 2.5

    @property
    def end(self) -> float:
        """When nothing more comes."""
        return (len(self.points) + 2) * self.every

    def board(self, t: float) -> Layout:
        """What lies there at a time."""
        played = max(0, min(len(self.points), int(t / self.every)))
        return Layout.empty(self.size).replaced({p: "XO"[i % 2] for i, p in enumerate(self.points[:played])})


class ScriptSource(FrameSource):
    """Ten frames a second of the script's time, as fast as ``pause`` lets them come; ``world`` is told the time."""

    live = True
    nominal_fps = FPS

    def __init__(self, script: Script, start: float, world: Callable[[float], None], pause: Callable[[], None]) -> None:
        super().__init__("made-up")
        self._script, self._start, self._world, self._pause = script, start, world, pause

    @property
    def size(self) -> tuple[int, int]:
        return WIDTH, HEIGHT

    def frames(self, at_most_fps: Rate = None) -> Iterator[Frame]:
        index = int(self._start * FPS)
        while index / FPS < self._script.end and not self._closed:
            self._pause()
            self._world(index / FPS)
            yield Frame(index, FrameTime.of_seconds(index / FPS), np.full((HEIGHT, WIDTH, 3), index % 200, np.uint8))
            index += 1

    def _release(self) -> None: ...


class ScriptWatch:
    """Sees the script's board, plainly. Where a game goes on, it begins with the gap, as a real watch does."""

    reason = "there is no picture to look at"
    looks_a_second: float | None = None

    def __init__(self, script: Script, plan: GamePlan | None = None) -> None:
        self._script, self._begun = script, plan is None or plan.known is None
        self.pause: Pause | None = None
        if plan is not None and not self._begun:
            self.pause = Pause(plan.last, "the source was interrupted")
        self._pose = BoardPose.from_corners(CORNERS, BoardSpec(script.size), (WIDTH, HEIGHT))

    def look(self, frame: Frame) -> View | None:
        if not self._begun:
            self._begun = True
            return None
        self.pause = None
        return View(frame, self._pose, plain(self._script.board(frame.time.seconds), frame.time))

    def notices(self) -> list[Notice]:
        return []


def plain(layout: Layout, time: FrameTime) -> Observation:
    """A reading of a board that leaves no doubt."""
    n = layout.size
    chances = np.full((n * n, 3), 0.005, np.float32)
    chances[np.arange(n * n), [CELLS.index(cell) for cell in layout.cells]] = 0.99
    nothing = np.zeros((n, n), np.bool_)
    return Observation(time, chances.reshape(n, n, 3), nothing, np.zeros((n, n, 2), np.float32), nothing)
