"""Which points of a board something hides: a hand, a sleeve, a head."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.closeup import CloseUp

COVERED, BETWEEN_COVERED = 0.5, 0.02  # how surely a point is hidden, by itself, and among hidden ones
MOST_AROUND = 4  # of its eight neighbours


def hidden_share(closeup: CloseUp) -> NDArray[np.float64]:
    """How probable it is that something hides a cell, margins too (n, n)."""
    logits = closeup.stones.astype(np.float64)
    shares = np.exp(logits - logits.max(axis=2, keepdims=True))
    share: NDArray[np.float64] = shares[..., 3] / shares.sum(axis=2)
    return share


def hidden_points(closeup: CloseUp) -> NDArray[np.bool_]:
    """Where something hides a point of the board (size, size)."""
    m = closeup.margin
    return hidden_by(hidden_share(closeup)[m:-m, m:-m])


def hidden_by(share: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Where something hides a point, by how probable that is (n, n).

    Plain cloth looks a little like bare wood: among points that are surely hidden, one that may be is too.
    """
    hidden, around = share > COVERED, np.ones((3, 3))
    around[1, 1] = 0
    while True:
        beside = cv2.filter2D(hidden.astype(np.float64), -1, around, borderType=cv2.BORDER_CONSTANT)
        more = hidden | ((share > BETWEEN_COVERED) & (beside >= MOST_AROUND))
        if np.array_equal(more, hidden):
            return hidden
        hidden = more
