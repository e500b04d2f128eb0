"""Several boards in one picture: which of them is meant."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.errors import NoBoardError, UsageError

LARGEST, SMALLEST = "largest", "smallest"
SIDES = {"left": (0, -1), "right": (0, 1), "top": (1, -1), "bottom": (1, 1)}
"""Axis of the picture (0 across, 1 down) and the direction along it."""
EDGE = 1.0  # pitches of wood that belong to a board all around its outermost lines


class Board(Protocol):
    """A board that was found in a picture."""

    @property
    def pose(self) -> BoardPose:
        """Where it is."""


@dataclass(frozen=True)
class BoardChoice:
    """Which board is meant: the ``largest`` or ``smallest``, the one furthest to a side of the picture (``left``,
    ``right``, ``top``, ``bottom``), or the one that holds the pixel ``at`` (x, y)."""

    word: str = ""
    at: tuple[float, float] | None = None

    @classmethod
    def parse(cls, given: str | Sequence[float] | None) -> BoardChoice:
        """What a person says: one of the words, ``"x,y"`` or a pair of pixels; None leaves it open.

        Raises UsageError in one sentence.
        """
        if given is None:
            return cls()
        if isinstance(given, str) and given.strip().lower() in (LARGEST, SMALLEST, *SIDES):
            return cls(given.strip().lower())
        try:
            x, y = (float(part) for part in (given.split(",") if isinstance(given, str) else given))
        except (TypeError, ValueError):
            x = y = math.nan
        if not (math.isfinite(x) and math.isfinite(y)):
            words = ", ".join((*SIDES, LARGEST, SMALLEST))
            raise UsageError(f"{given!r} chooses no board: say {words}, or x,y in pixels inside it")
        return cls("", (x, y))

    @property
    def open(self) -> bool:
        """Whether nothing was asked for: then the largest is taken."""
        return not self.word and self.at is None

    def may_be_among(self, poses: Sequence[BoardPose]) -> bool:
        """Whether the board that is meant can be one of these: it holds the pixel, or there are several to compare."""
        return len(poses) > 1 if self.at is None else any(holds(pose, self.at) for pose in poses)

    def pick(self, boards: Sequence[Board]) -> int:
        """The place of the board that is meant in a list that is not empty. Raises NoBoardError when none is there."""
        if self.at is not None:
            within = [i for i, board in enumerate(boards) if holds(board.pose, self.at)]
            if not within:
                x, y = self.at
                raise NoBoardError(f"no board is found at the pixel {x:g},{y:g}")
            return within[0]
        if self.word in SIDES:
            axis, sign = SIDES[self.word]
            return max(range(len(boards)), key=lambda i: sign * middle(boards[i].pose)[axis])
        areas = [area(board.pose) for board in boards]
        return int(np.argmin(areas) if self.word == SMALLEST else np.argmax(areas))


def whereabouts(poses: Sequence[BoardPose], place: int) -> str:
    """Where one of several boards is, as a player would say it: ``left``, ``right``, ``top``, ``bottom`` or
    ``middle``."""
    middles = np.array([middle(pose) for pose in poses])
    axis = int(np.argmax(np.ptp(middles, axis=0)))
    rank = int((middles[:, axis] < middles[place, axis]).sum())
    first, last = ("left", "right") if axis == 0 else ("top", "bottom")
    return first if rank == 0 else last if rank == len(poses) - 1 else "middle"


def middle(pose: BoardPose) -> NDArray[np.float64]:
    """The pixel (2,) of the middle of a board."""
    half = (pose.size - 1) / 2
    return np.asarray(pose.project([[half, half]])[0])


def area(pose: BoardPose) -> float:
    """Pixels that the grid of a board takes."""
    return (pose.pitch * (pose.size - 1)) ** 2


def outline(pose: BoardPose, edge: float = EDGE) -> NDArray[np.float64]:
    """(n, 2) pixels around a board, ``edge`` pitches outside its outermost lines; bent as the lens bends it."""
    low, high = -edge, pose.size - 1 + edge
    along = np.linspace(low, high, 9)[:-1]
    there, back = np.full(8, low), np.full(8, high)
    ahead = low + high - along
    sides = [(along, there), (back, along), (ahead, back), (there, ahead)]
    return pose.project(np.vstack([np.column_stack(side) for side in sides]))


def holds(pose: BoardPose, pixel: Sequence[float]) -> bool:
    """Whether a pixel (x, y) lies on a board, its edge included."""
    u, v = pose.locate([pixel])[0]
    return bool(-EDGE <= u <= pose.size - 1 + EDGE and -EDGE <= v <= pose.size - 1 + EDGE)
