"""When each stone left the hand, and how exactly that is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kifuwatch.reconstruct.events import Move


@dataclass(frozen=True)
class HandOff:
    """A stone left the hand between two moments, in seconds; ``earliest`` None where nothing tells."""

    earliest: float | None
    latest: float

    @property
    def t(self) -> float:
        """The middle of the two, or the moment when the stone was first seen lying free."""
        return self.latest if self.earliest is None else (self.earliest + self.latest) / 2

    @property
    def uncertainty(self) -> float | None:
        """Seconds by which ``t`` can be wrong at most, either way."""
        return None if self.earliest is None else (self.latest - self.earliest) / 2


def hand_offs(moves: Sequence[Move]) -> list[HandOff]:
    """When each stone left the hand: after the last look that showed its point covered, or without it, and not later
    than the first that showed it lying free; and not before the stone that was played before it."""
    latest = [move.t for move in moves]
    for i in range(len(moves) - 2, -1, -1):
        latest[i] = min(latest[i], latest[i + 1])
    found: list[HandOff] = []
    floor: float | None = None
    for move, end in zip(moves, latest, strict=True):
        known = [t for t in (move.not_before, move.left_after, floor) if t is not None and t <= end]
        seen = move.not_before is not None or move.left_after is not None
        earliest = max(known) if seen and known else None
        floor = end if earliest is None else earliest
        found.append(HandOff(earliest, end))
    return found
