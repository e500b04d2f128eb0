"""Is the board still where it was? Asked of a close-up, which says of every point how far from its cell's middle it is.

A board that slowly drifts through the picture is followed by it. One that jumped cannot be: whole pitches look like
none. Then the finder has to be asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.closeup import CloseUp
from kifuwatch.calibration.hidden import COVERED, hidden_share
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.errors import UsageError

Array = NDArray[np.float64]

POINT = 0.93  # a grid point is this probable on real boards, and less on a bare table
LEAST_SEEN = 0.2  # of the points in view, to say anything
SOMETHING = 0.15  # of the points covered: somebody stands before the board, parts of whom look like nothing
LEAST_POINTS = 0.6  # of those in view have to be grid points
APART = 0.2  # pitches by which points may lie elsewhere than the others say
FAR = 0.3  # pitches by which a board may have drifted between two looks and still be followed
HELD = 0.06  # pitches that are within the error of a close-up with a hand in view
AFFINE_POINTS = 60  # of these, well spread, also tell turn and zoom; fewer only a shift


class Standing(Enum):
    """Where a board is, as a close-up at its last known place tells."""

    HERE = "here"
    HIDDEN = "hidden"
    GONE = "gone"


@dataclass(frozen=True, eq=False)
class Stance:
    """What a close-up says of the place of a board. ``pose``: where it is, followed by as much as it drifted;
    ``drift``: that, in pitches."""

    standing: Standing
    pose: BoardPose
    drift: float = 0.0


def stance(pose: BoardPose, closeup: CloseUp, vanished: NDArray[np.bool_] | None = None) -> Stance:
    """Where the board of ``pose`` is, by a close-up of it. ``vanished`` (n, n): points that were seen there before and
    are seen no more; where something covers the board, it is taken to cover these as well."""
    m = closeup.margin
    # Point by point, not as for reading: where there is no board any more, nearly every cell may be hidden a little.
    points, in_view = closeup.points[m:-m, m:-m], hidden_share(closeup)[m:-m, m:-m] < COVERED
    if vanished is not None and in_view.mean() <= 1 - SOMETHING:
        in_view &= ~vanished
    if in_view.mean() < LEAST_SEEN:
        return Stance(Standing.HIDDEN, pose)
    found = in_view & (points > POINT)
    if np.count_nonzero(found) < LEAST_POINTS * np.count_nonzero(in_view):
        return Stance(Standing.GONE, pose)
    lines, cols = np.nonzero(found)
    lattice = np.column_stack([cols, lines]).astype(float)
    moved = closeup.lines[m:-m, m:-m][found].astype(float)
    drift = _drift(lattice, moved, pose.size)
    rest = np.linalg.norm(moved - _moved(drift, lattice), axis=1)
    if np.median(rest) > APART / 2 or np.mean(rest > APART) > 1 - LEAST_POINTS:
        return Stance(Standing.GONE, pose)
    far = float(np.linalg.norm(_moved(drift, _corners(pose.size)), axis=1).max())
    if far > FAR:
        return Stance(Standing.GONE, pose, far)
    return Stance(Standing.HERE, pose if far < HELD else _followed(pose, drift), far)


def _drift(lattice: Array, moved: Array, size: int) -> Array:
    """(3, 2) that takes (1, u, v) to how far (right, down) points moved: what most agree on, by reweighted least
    squares."""
    middle = (size - 1) / 2
    spread = len(lattice) >= min(AFFINE_POINTS, size * size / 2) and np.ptp(lattice, axis=0).min() > middle
    terms = np.column_stack([np.ones(len(lattice)), *(lattice - middle).T]) if spread else np.ones((len(lattice), 1))
    weights = np.ones(len(lattice))
    for _ in range(4):
        solved = np.linalg.lstsq(terms * weights[:, None], moved * weights[:, None], rcond=None)[0]
        rest = np.linalg.norm(moved - terms @ solved, axis=1)
        weights = 1 / np.sqrt(1 + (rest / 0.05) ** 2)
    whole = np.zeros((3, 2))
    whole[: len(solved)] = solved
    whole[0] -= middle * whole[1:].sum(axis=0)
    return whole


def _moved(drift: Array, lattice: Array) -> Array:
    moved: Array = np.column_stack([np.ones(len(lattice)), lattice]) @ drift
    return moved


def _corners(size: int) -> Array:
    return np.array([[0, 0], [size - 1, 0], [size - 1, size - 1], [0, size - 1]], dtype=float)


def _followed(pose: BoardPose, drift: Array) -> BoardPose:
    """The pose after the board has drifted; as it was where that makes no board."""
    shift = np.eye(3)
    shift[:2, :2] += drift[1:].T
    shift[:2, 2] = drift[0]
    try:
        return BoardPose.from_homography(
            pose.homography @ shift, pose.spec, pose.image_size, pose.k1, pose.k2, pose.focal
        )
    except UsageError:
        return pose
