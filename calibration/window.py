"""Which lines are the board's: 9, 13 or 19, and where they begin. The off-by-one-line question, asked outright.

Every cell of the lattice has a probability of being a point of the grid. A window of ``size`` lines at some place
explains all cells at once: those within must be points, those around it must not. The window that explains them best
wins, and how much better it is than the next says how sure we are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BEYOND = -1.5  # log odds of a point outside the picture: people mean to show the whole board
DOUBT = 0.02  # a single cell never decides by more than the logarithm of this


@dataclass(frozen=True)
class Window:
    """A candidate: ``size`` lines from lattice coordinates ``(u, v)``; ``score`` is a log likelihood against "no
    point anywhere"."""

    size: int
    u: int
    v: int
    score: float


def rank_windows(
    points: Array, seen: NDArray[np.bool_], sizes: tuple[int, ...], origin: tuple[int, int] = (0, 0)
) -> list[Window]:
    """All windows on a field of probabilities (rows v, columns u), the best first.

    ``seen`` marks cells inside the picture: what lies outside says nothing, but a window should not need it.
    ``origin`` is the lattice coordinate of ``points[0, 0]``. Windows reach at most one line beyond the field.
    """
    pad = max(sizes)
    doubtful = np.clip(points, DOUBT, 1 - DOUBT)
    gain = np.where(seen, np.log(doubtful) - np.log(1 - doubtful), BEYOND)
    field = np.pad(gain, pad, constant_values=BEYOND)
    total = np.pad(field, ((1, 0), (1, 0))).cumsum(axis=0).cumsum(axis=1)
    rows, cols = points.shape
    windows = []
    for size in sizes:
        v, u = np.meshgrid(np.arange(-2, rows - size + 3), np.arange(-2, cols - size + 3), indexing="ij")
        if u.size == 0:
            continue
        top, left = v + pad, u + pad
        inside = total[top + size, left + size] - total[top, left + size] - total[top + size, left] + total[top, left]
        for index in np.argsort(-inside.ravel())[:12]:
            windows.append(
                Window(
                    size,
                    int(u.ravel()[index]) + origin[0],
                    int(v.ravel()[index]) + origin[1],
                    float(inside.ravel()[index]),
                )
            )
    windows.sort(key=lambda window: -window.score)
    return windows


def certainty(windows: list[Window]) -> float:
    """Probability 0..1 that the best window is right, from its lead over the next; cells are far from independent."""
    if not windows:
        return 0.0
    lead = windows[0].score - windows[1].score if len(windows) > 1 else 20.0
    return float(1 / (1 + np.exp(-lead / 4)))
