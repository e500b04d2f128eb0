"""What one frame says of every point: the arrow from seeing to reconstructing.

Arrays are indexed ``[line, col]`` as in board text: line 0 is the top line (the highest row).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kifuwatch.core.points import BLACK, EMPTY, HIDDEN, WHITE, Layout
from kifuwatch.core.times import FrameTime

CELLS = (EMPTY, BLACK, WHITE)  # the order of the last axis of ``probabilities``


@dataclass(frozen=True, eq=False)
class Observation:
    """One reading of the whole board.

    ``probabilities`` (n, n, 3) float32: how probable empty, black and white are at each point, given that it is in
    view; each point sums to 1. ``covered`` (n, n) bool: something (a hand, a sleeve, a head) hides the point, so its
    probabilities say nothing. ``offsets`` (n, n, 2) float32: where the stone's centre stands from its point, in
    pitches of the board, right and up; zero where no stone is. ``moving`` (n, n) bool: the picture changed here since
    the last frame.
    """

    time: FrameTime
    probabilities: NDArray[np.float32]
    covered: NDArray[np.bool_]
    offsets: NDArray[np.float32]
    moving: NDArray[np.bool_]

    @property
    def size(self) -> int:
        """Lines of the board."""
        return int(self.covered.shape[0])

    def layout(self, least: float = 0.0) -> Layout:
        """The most probable cell of each point; ``?`` where covered, or where the best is below ``least``."""
        best = self.probabilities.argmax(axis=2)
        sure = self.probabilities.max(axis=2) >= least
        cells = np.array(CELLS)[best]
        cells[self.covered | ~sure] = HIDDEN
        return Layout(self.size, "".join(cells.ravel()))
