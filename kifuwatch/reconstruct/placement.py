"""How a new stone stands on its point: far off, both players should agree on which point is meant."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from kifuwatch.core.points import EMPTY, Point
from kifuwatch.reconstruct.settle import SettleFilter
from kifuwatch.vision.observation import CELLS, Observation

LEAST_LOOKS = 3
"""So many looks at a stone tell where it stands."""


@dataclass
class PlacementWatch:
    """Watches where the last stones stand relative to their points.

    ``farthest``: pitches off the point beyond which a stone is called off its point. A row of stones wider than
    the pitch may bulge by 0.2 and the reading errs by 0.1, so less than 0.4 is no evidence. ``lasting``: seconds
    of view with no hand near for which it must stand so, as players push their stones straight.
    """

    farthest: float = 0.42
    lasting: float = 2.0
    stones: int = 2
    """So many of the last stones are watched."""
    _seen: dict[Point, deque[tuple[float, float, float]]] = field(default_factory=dict)
    _where: dict[Point, tuple[float, float]] = field(default_factory=dict)
    _told: set[Point] = field(default_factory=set)

    def begin(self, point: Point) -> None:
        """A stone has been played."""
        self.forget(point)
        self._seen[point] = deque()
        while len(self._seen) > self.stones:
            self.forget(next(iter(self._seen)))

    def forget(self, point: Point) -> None:
        """The stone was taken back."""
        self._seen.pop(point, None)
        self._where.pop(point, None)
        self._told.discard(point)

    def offset(self, point: Point) -> tuple[float, float] | None:
        """Where one of the last stones stood relative to its point when last in view with no hand near, in pitches,
        right and up."""
        return self._where.get(point)

    def update(self, seen: Observation, view: SettleFilter) -> list[tuple[Point, tuple[float, float]]]:
        """Take one frame in; the stones that are now known to stand off their points, each told once.

        With each its offset in pitches, right and up.
        """
        off = []
        for point, past in list(self._seen.items()):
            line, col = seen.size - 1 - point.row, point.col
            index = line * seen.size + col
            if view.agreed[index] < view.now or CELLS[view.cell[index]] == EMPTY:
                continue
            around = seen.covered[max(line - 2, 0) : line + 3, max(col - 2, 0) : col + 3]
            if np.count_nonzero(around) > 2:
                past.clear()
                continue
            past.append((view.now, float(seen.offsets[line, col, 0]), float(seen.offsets[line, col, 1])))
            if len(past) < LEAST_LOOKS:
                continue
            right, up = (float(np.median([entry[k] for entry in past])) for k in (1, 2))
            self._where[point] = (right, up)
            if view.now - past[0][0] < self.lasting:
                continue
            past.popleft()
            if float(np.hypot(right, up)) >= self.farthest and point not in self._told:
                off.append((point, (right, up)))
                self._told.add(point)
        return off


def next_nearest(point: Point, offset: tuple[float, float], size: int) -> Point | None:
    """The point that a stone stands closest to beside its own; None beyond the edge."""
    right, up = offset
    sideways = abs(right) >= abs(up)
    col = point.col + (int(np.sign(right)) if sideways else 0)
    row = point.row + (0 if sideways else int(np.sign(up)))
    return Point(col, row) if 0 <= col < size and 0 <= row < size else None
