"""Which parts of a board to look at closely: rectangles round the cells that are wanted, with what surrounds them."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Box = tuple[int, int, int, int]

OVERHEAD = 20  # cells that one more window costs beside those it shows


@dataclass(frozen=True)
class Window:
    """A rectangle of cells to be read, and the larger one that has to be looked at for it: left, top, right and
    bottom, the last two beyond it."""

    wanted: Box
    shown: Box

    @property
    def cost(self) -> int:
        """Cells to be looked at, and what a window costs by itself."""
        left, top, right, bottom = self.shown
        return (right - left) * (bottom - top) + OVERHEAD


def windows_round(wanted: NDArray[np.bool_], context: int) -> list[Window]:
    """Windows that hold all wanted cells (n, n), each with ``context`` cells round them inside the field.

    Windows are joined where one large one is cheaper than two. When all together cost as much as the whole field,
    there is one: the field.
    """
    size = wanted.shape[0]
    whole = (0, 0, size, size)
    count, _, stats, _ = cv2.connectedComponentsWithStats(wanted.astype(np.uint8), connectivity=8)
    boxes: list[Box] = [(int(x), int(y), int(x + w), int(y + h)) for x, y, w, h, _ in stats[1:count]]
    found = [_window(box, context, size) for box in boxes]
    while (pair := _cheaper_together(found, context, size)) is not None:
        i, j, both = pair
        found = [window for k, window in enumerate(found) if k not in (i, j)] + [both]
    everything = Window(whole, whole)
    return [everything] if sum(window.cost for window in found) >= everything.cost else found


def _cheaper_together(windows: list[Window], context: int, size: int) -> tuple[int, int, Window] | None:
    """Two windows by their places, and the one that is cheaper than both; None when there are no such two."""
    for i, one in enumerate(windows):
        for j, other in enumerate(windows[:i]):
            both = _window(_around(one.wanted, other.wanted), context, size)
            if both.cost <= one.cost + other.cost:
                return i, j, both
    return None


def _window(wanted: Box, context: int, size: int) -> Window:
    left, top, right, bottom = wanted
    shown = (max(left - context, 0), max(top - context, 0), min(right + context, size), min(bottom + context, size))
    return Window(wanted, shown)


def _around(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])
