"""The view of a good part of the board is blocked for long: moves behind it will be worked out, not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kifuwatch.core.points import Layout, Point
from kifuwatch.vision.observation import Observation


@dataclass
class BlockedView:
    """Watches how long each point has been out of view.

    ``longest``: seconds after which a covered point counts as blocked: a player thinking with his hand over the
    board takes a few seconds. ``share``: of the board that must be blocked for the arbiter to be told; an arm at
    rest over an edge covers less. ``back``: seconds of view that end a cover, so that a flicker does not.
    """

    size: int
    longest: float = 10.0
    share: float = 0.10
    back: float = 0.5

    def __post_init__(self) -> None:
        count = self.size * self.size
        self._from = np.full(count, np.inf)
        self._open_from = np.full(count, -np.inf)
        self._told = False
        self.began = np.inf
        """When the view that is blocked now, and has been told, was lost; infinity when it is not."""

    def update(self, seen: Observation) -> tuple[Point, ...] | None:
        """Take one frame in; the blocked points when the arbiter should be told now, else None."""
        now, covered = seen.time.seconds, seen.covered.ravel()
        fresh = covered & ~np.isfinite(self._from)
        self._from[fresh] = now
        self._open_from[covered] = np.inf
        opened = ~covered & np.isinf(self._open_from) & (self._open_from > 0)
        self._open_from[opened] = now
        self._from[~covered & (now - self._open_from >= self.back)] = np.inf
        blocked = now - self._from >= self.longest
        share = float(blocked.mean())
        if self._told:
            self._told = share >= self.share / 3
            self.began = self.began if self._told else np.inf
            return None
        if share < self.share:
            return None
        self._told = True
        self.began = float(self._from[blocked].min())
        blank = Layout.empty(self.size)
        return tuple(blank.point(int(i)) for i in np.flatnonzero(blocked))
