"""Whose hand was it? The side from which an arm reaches over the board, learnt for each colour from its moves.

Players sit opposite each other. The rules never need to know the side; it is evidence where the board alone
has two readings (a second stone in a row, or a stone dropped by the other player).
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kifuwatch.core.points import Colour, Point

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]


@dataclass
class HandSides:
    """Remembers for ``memory`` seconds where the board was covered, and from which side each colour plays."""

    size: int
    memory: float = 4.0
    before: float = 1.2
    """Seconds before a stone is first seen in which the hand that laid it covered its point."""
    largest: float = 0.35
    """A cover of more than this share of the board is no arm (somebody leans over): it tells no side."""
    apart: float = 0.5
    """How much closer to one colour's side than to the other's an arm must come from, as a difference of cosines."""
    _frames: deque[tuple[float, BoolArray]] = field(default_factory=deque)
    _sides: dict[Colour, FloatArray] = field(default_factory=dict)

    def update(self, time: float, covered: BoolArray) -> None:
        """Take in what is covered now, (n, n) as in an observation."""
        while self._frames and self._frames[0][0] < time - self.memory:
            self._frames.popleft()
        if covered.any():
            self._frames.append((time, covered))

    def direction(self, point: Point, since: float) -> FloatArray | None:
        """Unit vector (right, up) from the middle of the board to where the arm over ``point`` came in.

        None when no arm was seen there in the moments before ``since``.
        """
        line, col = self.size - 1 - point.row, point.col
        total = np.zeros(2)
        for time, covered in self._frames:
            if since - self.before <= time <= since and covered.mean() <= self.largest:
                start = _near(covered, line, col)
                if start is not None:
                    total += self._entry(_connected(covered, start))
        length = float(np.hypot(*total))
        return total / length if length > 1e-6 else None

    def learn(self, colour: Colour, direction: FloatArray | None) -> None:
        """A move of this colour was laid from this direction."""
        if direction is None or self.owner(direction) is colour.opponent:
            return
        past = self._sides.get(colour)
        self._sides[colour] = direction if past is None else 0.8 * past + 0.2 * direction

    def owner(self, direction: FloatArray | None) -> Colour | None:
        """The colour whose player sits where the arm came from, or None when that is not clear."""
        black, white = self._sides.get(Colour.BLACK), self._sides.get(Colour.WHITE)
        if direction is None or black is None or white is None or _cosine(black, white) > 0.3:
            return None
        lead = _cosine(direction, black) - _cosine(direction, white)
        if abs(lead) < self.apart:
            return None
        return Colour.BLACK if lead > 0 else Colour.WHITE

    def _entry(self, arm: BoolArray) -> FloatArray:
        """Sum of the directions of the arm's points on the outermost lines."""
        middle = (self.size - 1) / 2
        lines, cols = np.nonzero(arm)
        rim = (lines == 0) | (cols == 0) | (lines == self.size - 1) | (cols == self.size - 1)
        x, y = cols[rim] - middle, middle - lines[rim]
        length = np.maximum(np.hypot(x, y), 1e-6)
        return np.array([(x / length).sum(), (y / length).sum()])


def _cosine(a: FloatArray, b: FloatArray) -> float:
    return float(a @ b / max(float(np.hypot(*a) * np.hypot(*b)), 1e-9))


def _near(covered: BoolArray, line: int, col: int) -> tuple[int, int] | None:
    """The covered point at or next to a point."""
    size = covered.shape[0]
    for dl, dc in ((0, 0), (0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
        if 0 <= line + dl < size and 0 <= col + dc < size and covered[line + dl, col + dc]:
            return line + dl, col + dc
    return None


def _connected(covered: BoolArray, start: tuple[int, int]) -> BoolArray:
    """The covered points connected to one of them, diagonals included."""
    size = covered.shape[0]
    found = np.zeros_like(covered)
    found[start] = True
    queue = [start]
    while queue:
        line, col = queue.pop()
        for a in range(max(line - 1, 0), min(line + 2, size)):
            for b in range(max(col - 1, 0), min(col + 2, size)):
                if covered[a, b] and not found[a, b]:
                    found[a, b] = True
                    queue.append((a, b))
    return found
