"""The last looks at a board, straightened and small: enough to show later what happened, in bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.points import EMPTY, HIDDEN, Layout, Point
from kifuwatch.vision.observation import CELLS
from kifuwatch.watch import View

Picture = NDArray[np.uint8]

PITCH = 22
"""Pixels from line to line of what is kept."""
MARGIN = 1.2
"""Pitches around the outermost lines: stones at the edge, and a hand that comes in."""
QUALITY = 80
"""Of JPEG: at 22 pixels a pitch some 35 kB a look of 19 lines."""
AT_MOST = 1 / 3
"""Seconds between two looks that are kept while something changes."""
AT_LEAST = 5.0
"""Seconds after which a look is kept although nothing has changed."""
NEAR = 6.0
"""A look without a hand is better than a later one with it, if it is not older than so many seconds more."""
FLICKER = 3
"""So many covered points are no hand."""
MOST_BYTES = 12 * 1024 * 1024
"""So much of looks is remembered: with hands at work all the time, nearly two minutes."""


@dataclass(frozen=True, eq=False)
class Look:
    """One look: when, the straightened board as JPEG, what was read, which points were covered (flat, as a layout)."""

    t: float
    jpeg: bytes
    cells: str
    covered: NDArray[np.bool_]

    def free(self, points: Iterable[int]) -> bool:
        """Whether none of these points (places in a layout) is covered."""
        return not self.covered[list(points)].any()

    def clear(self, points: Iterable[int]) -> int:
        """How well it shows these points: 0 with something over one of them, 2 with no hand over the board at all."""
        if not self.free(points):
            return 0
        return 2 if np.count_nonzero(self.covered) <= FLICKER else 1

    def shows(self, layout: Layout, points: Iterable[int]) -> bool:
        """Whether these points are in view and hold what they hold in ``layout``."""
        points = list(points)
        return self.free(points) and all(self.cells[i] == layout.cells[i].replace(HIDDEN, EMPTY) for i in points)


def straightened(image: Picture, pose: BoardPose, pitch: int = PITCH) -> Picture:
    """The board seen from straight above, the top line of its text up: (s, s, 3) BGR, ``pitch`` pixels a line.

    Parts that lie outside the picture are black.
    """
    low, high = -MARGIN, pose.size - 1 + MARGIN
    side = 2 * round((high - low) * pitch / 2)
    corners = pose.project([[low, low], [high, low], [high, high], [low, high]]).astype(np.float32)
    square = np.array([[0, 0], [side, 0], [side, side], [0, side]], dtype=np.float32) - 0.5
    turn = cv2.getPerspectiveTransform(corners, square)
    return np.asarray(cv2.warpPerspective(image, turn, (side, side), flags=cv2.INTER_LINEAR), dtype=np.uint8)


def look_at(view: View) -> Look:
    """A look to keep."""
    seen = view.observation
    _, data = cv2.imencode(".jpg", straightened(view.frame.image, view.pose), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return Look(view.frame.time.seconds, data.tobytes(), cells_of(view), seen.covered.ravel().copy())


def cells_of(view: View) -> str:
    """The most probable cell of every point, covered or not, as in a layout."""
    return "".join(CELLS[i] for i in view.observation.probabilities.argmax(axis=2).ravel())


class Looks:
    """The last looks, the oldest first. One is kept when something has changed, and now and then when nothing has."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._kept: deque[Look] = deque()
        self._bytes, self._most = 0, most_bytes

    def __iter__(self) -> Iterator[Look]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def bytes(self) -> int:
        """How much is remembered."""
        return self._bytes

    def take(self, view: View) -> Look | None:
        """Keep this look if it is worth it; the look that was kept."""
        return self.add(look_at(view)) if self._worth(view) else None

    def add(self, look: Look) -> Look:
        """Keep a look, and forget the oldest ones where they are too much."""
        self._kept.append(look)
        self._bytes += len(look.jpeg)
        while self._bytes > self._most and len(self._kept) > 1:
            self._bytes -= len(self._kept.popleft().jpeg)
        return look

    def at(self, view: View) -> Look:
        """The look of the latest view, whether or not it was kept by itself."""
        last = self._kept[-1] if self._kept else None
        return last if last is not None and last.t >= view.frame.time.seconds else self.add(look_at(view))

    def _worth(self, view: View) -> bool:
        if not self._kept:
            return True
        last, seen = self._kept[-1], view.observation
        passed = view.frame.time.seconds - last.t
        if passed < AT_MOST:
            return False
        changed = seen.moving.any() or not np.array_equal(seen.covered.ravel(), last.covered)
        return bool(changed) or passed >= AT_LEAST or cells_of(view) != last.cells


def before(looks: Looks, t: float, points: list[int], expected: Layout | None) -> Look | None:
    """The look that shows the board before something happened at ``t``: the last one that shows these points as they
    were by ``expected``, rather one shortly before it without any hand; else the last one without a hand over them;
    else the last one, or the first there is."""
    earlier = [look for look in looks if look.t < t]
    as_it_was = [] if expected is None else [look for look in earlier if look.shows(expected, points)]
    free = as_it_was or [look for look in earlier if look.free(points)]
    if not free:
        return next(iter([*earlier[-1:], *looks]), None)
    last = free[-1]
    return next((look for look in reversed(free) if look.t >= last.t - NEAR and look.clear(points) == 2), last)


def of_move(looks: Looks, t: float, place: int, cell: str) -> Look | None:
    """The latest look since ``t`` that shows a stone (cell) on its point (place in a layout)."""
    later = (look for look in reversed(list(looks)) if look.t >= t)
    return next((look for look in later if look.free([place]) and look.cells[place] == cell), None)


def during(looks: Looks, start: float, t: float, points: list[int]) -> Look | None:
    """The look that shows it happen: after ``start``, the one with most of these points covered, nearest to ``t``."""
    later = [look for look in looks if look.t > start] or list(looks)
    return max(later, key=lambda look: (int(look.covered[points].sum()), -abs(look.t - t)), default=None)


def places(size: int, points: Iterable[Point]) -> list[int]:
    """Points as places in a layout."""
    blank = Layout.empty(size)
    return [blank.index(point) for point in points]
