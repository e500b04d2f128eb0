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
    fingers: int = 4
    """Lines from a stone to what is seen of the hand that lays it: fingers are often not seen as a cover."""
    least_hand: int = 6
    """So many covered points at least are a hand then."""
    apart: float = 0.5
    """How much closer to one colour's side than to the other's an arm must come from, as a difference of cosines."""
    other_side: int = 3
    """So many moves of a colour in a row from what was held for the opponent's side are from its own."""
    _frames: deque[tuple[float, BoolArray]] = field(default_factory=deque)
    _sides: dict[Colour, FloatArray] = field(default_factory=dict)
    _refused: dict[Colour, int] = field(default_factory=dict)

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
                start = _nearest(covered, line, col, self.fingers)
                arm = None if start is None else _connected(covered, start)
                if arm is not None and (arm.sum() >= self.least_hand or _nearest(arm, line, col, 1)):
                    total += self._entry(arm)
        length = float(np.hypot(*total))
        return total / length if length > 1e-6 else None

    def learn(self, colour: Colour, direction: FloatArray | None) -> None:
        """A move of this colour was laid from this direction."""
        if direction is None:
            return
        if self.owner(direction) is colour.opponent:
            self._refused[colour] = self._refused.get(colour, 0) + 1
            if self._refused[colour] < self.other_side:
                return
            self._sides[colour] = direction
        past = self._sides.get(colour)
        self._refused[colour] = 0
        self._sides[colour] = direction if past is None else 0.8 * past + 0.2 * direction

    def owner(self, direction: FloatArray | None) -> Colour | None:
        """The colour whose player sits where the arm came from, or None when that is not clear. Of whom nothing is
        known yet, he is taken to sit opposite."""
        black, white = self._sides.get(Colour.BLACK), self._sides.get(Colour.WHITE)
        if black is None and white is not None:
            black = -white
        elif white is None and black is not None:
            white = -black
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


def _nearest(covered: BoolArray, line: int, col: int, reach: int) -> tuple[int, int] | None:
    """The covered point nearest to a point, at most ``reach`` lines away."""
    lines, cols = np.nonzero(covered)
    if not len(lines):
        return None
    far = np.maximum(abs(lines - line), abs(cols - col))
    best = int(far.argmin())
    return (int(lines[best]), int(cols[best])) if far[best] <= reach else None


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
