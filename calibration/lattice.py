"""From scattered grid points to a lattice: which point is which crossing, and the homography that says where all are.

A lattice is grown from neighbour to neighbour, each step predicted from the steps before it, so that perspective does
no harm; then one homography is fitted to all, and points that do not obey it are left out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.spatial import cKDTree

Array = NDArray[np.float64]

LEAST_POINTS = 12
SEEDS = 16
NEIGHBOURS = 1.7  # pitches: next to it and across, at 1 and 1.4, and none of those at 2
ALIKE = 0.25  # logarithm of the ratio of two pitches
CLEARLY_MORE = 1.15  # a less natural basis has to reach so many times the points
SUBLATTICE = 0.62  # a lattice that takes a smaller share of the points in its range leaves out every other one
MOST_LATTICES = 3
SHEARS = tuple(np.array([[1, a, 0], [b, 1, 0], [0, 0, 1.0]]) for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1)))
REST = 0.25  # once so little of all scores belongs to no lattice, nothing large is left to be found


@dataclass(frozen=True, eq=False)
class Peaks:
    """Candidate grid points: pixels (n, 2), scores (n,) in 0..1, pitch in pixels expected at each (n,)."""

    pixels: Array
    scores: Array
    pitch: Array

    def strongest(self, least: float) -> Peaks:
        """Those that score at least so much and have no stronger one within half a pitch of its own."""
        order = np.argsort(-self.scores)
        order = order[self.scores[order] >= least]
        if len(order) == 0:
            return Peaks(self.pixels[order], self.scores[order], self.pitch[order])
        tree, kept = _tree(self.pixels[order]), np.ones(len(order), dtype=bool)
        for i, near in enumerate(tree.query_ball_point(self.pixels[order], 0.5 * self.pitch[order])):
            if kept[i]:
                kept[[j for j in near if j > i]] = False
        order = order[kept]
        return Peaks(self.pixels[order], self.scores[order], self.pitch[order])


@dataclass(frozen=True, eq=False)
class Lattice:
    """A fitted lattice: integer coordinates (n, 2), the ``indices`` (n,) of their peaks and their pixels (n, 2), and
    ``homography`` (3, 3) from coordinates to pixels.

    The origin is arbitrary; coordinates run so that the homography does not mirror.
    """

    coordinates: NDArray[np.int64]
    indices: NDArray[np.int64]
    pixels: Array
    homography: Array


def project(homography: Array, points: Array) -> Array:
    """Apply a homography (3, 3) to points (n, 2)."""
    image = np.column_stack([points, np.ones(len(points))]) @ homography.T
    out: Array = image[:, :2] / image[:, 2:]
    return out


def local_pitch(homography: Array, points: Array) -> Array:
    """Pixels a step, the geometric mean of both directions, at lattice points (n, 2)."""
    middle = project(homography, points)
    right = np.linalg.norm(project(homography, points + np.array([1, 0])) - middle, axis=1)
    down = np.linalg.norm(project(homography, points + np.array([0, 1])) - middle, axis=1)
    return np.asarray(np.sqrt(right * down))


def find_lattices(peaks: Peaks) -> list[Lattice]:
    """Lattices among the peaks, the one with the most points first; empty when there is none."""
    if len(peaks.pixels) < LEAST_POINTS:
        return []
    tree = _tree(peaks.pixels)
    free = np.ones(len(peaks.pixels), dtype=bool)
    lattices: list[Lattice] = []
    tried = 0
    for seed in np.argsort(-peaks.scores * _company(peaks, tree)):
        if not free[seed]:
            continue
        tried += 1
        if tried > SEEDS or len(lattices) >= MOST_LATTICES or peaks.scores[free].sum() < REST * peaks.scores.sum():
            break
        grown = _grow(int(seed), peaks)
        free[[seed, *grown]] = False
        lattice = _fit(grown, peaks, tree) if len(grown) >= LEAST_POINTS else None
        if lattice is not None:
            free[lattice.indices] = False
            lattices.append(lattice)
    lattices.sort(key=lambda lattice: -len(lattice.indices))
    return lattices


def unsheared(lattice: Lattice, strain: Callable[[Array], float], most: float) -> Lattice:
    """The same points with coordinates along the lines of a board, where a growth along diagonals has sheared them.

    ``strain`` of a homography (3, 3) says how little it looks like a board; one of ``most`` or less is left as it is.
    """
    best = strain(lattice.homography)
    while best > most:
        sheared = [(strain(lattice.homography @ shear), shear) for shear in SHEARS]
        least, shear = min(sheared, key=lambda pair: pair[0])
        if least >= best:
            break
        coordinates = np.round(lattice.coordinates @ np.linalg.inv(shear)[:2, :2].T).astype(np.int64)
        best, lattice = least, replace(lattice, coordinates=coordinates, homography=lattice.homography @ shear)
    return lattice


def _company(peaks: Peaks, tree: cKDTree) -> Array:
    """How many neighbours each peak (n,) has where a grid has eight, of about its own pitch; 1 for all of them."""
    pitch = np.log(peaks.pitch)
    near = tree.query_ball_point(peaks.pixels, NEIGHBOURS * peaks.pitch)
    alike = [np.count_nonzero(np.abs(pitch[others] - pitch[i]) < ALIKE) - 1 for i, others in enumerate(near)]
    return np.clip(np.array(alike) / 8, 0.05, 1)


def _basis(seed: int, peaks: Peaks) -> list[tuple[Array, Array]]:
    """Pairs of steps from a point to two neighbours that could span the lattice, the likeliest first."""
    reach = peaks.pitch[seed] * 1.9
    distance = np.linalg.norm(peaks.pixels - peaks.pixels[seed], axis=1)
    near = np.flatnonzero((distance < reach) & (distance > 0))
    near = near[np.argsort(distance[near])][:12]
    steps = peaks.pixels[near] - peaks.pixels[seed]
    lengths = np.linalg.norm(steps, axis=1)
    pairs = []
    # Of the four quarter turns of a basis one is enough: the one whose first step runs most nearly to the right.
    for i in np.flatnonzero(steps[:, 0] > 0.4 * lengths):
        for j in range(len(near)):
            area = steps[i, 0] * steps[j, 1] - steps[i, 1] * steps[j, 0]
            if area <= 0.3 * lengths[i] * lengths[j]:
                continue
            # Nearly all points are marked, so the nearest is one step away: a cell has the area of that step squared,
            # not twice it (diagonals), and its sides are short (not sheared). The pitch that is expected counts less.
            nearest = lengths.min()
            misfit = abs(np.log(area / nearest**2)) + 0.4 * (lengths[i] + lengths[j]) / nearest
            misfit += 0.25 * abs(np.log(area / peaks.pitch[seed] ** 2))
            pairs.append((float(misfit), steps[i], steps[j]))
    pairs.sort(key=lambda pair: pair[0])
    return [(a, b) for _, a, b in pairs[:3]]


def _grow(seed: int, peaks: Peaks) -> dict[int, tuple[int, int]]:
    """Peaks reached from a seed, each with its coordinates; the best of the seed's possible bases."""
    best: dict[int, tuple[int, int]] = {}
    for first, second in _basis(seed, peaks):
        grown = _grow_with(seed, first, second, peaks)
        if len(grown) > CLEARLY_MORE * len(best):
            best = grown
        if len(best) > 0.8 * len(peaks.pixels):
            break
    return best


def _grow_with(seed: int, first: Array, second: Array, peaks: Peaks) -> dict[int, tuple[int, int]]:
    places: dict[tuple[int, int], int] = {(0, 0): seed}
    used = {seed: (0, 0)}
    steps = {seed: (first, second)}
    queue = deque([seed])
    while queue:
        at = queue.popleft()
        u, v = used[at]
        along, down = steps[at]
        for du, dv, step in ((1, 0, along), (-1, 0, -along), (0, 1, down), (0, -1, -down)):
            if (u + du, v + dv) in places:
                continue
            target = peaks.pixels[at] + step
            distance = np.linalg.norm(peaks.pixels - target, axis=1)
            peak = int(distance.argmin())
            if peak in used or distance[peak] > 0.27 * np.linalg.norm(step):
                continue
            places[u + du, v + dv] = peak
            used[peak] = (u + du, v + dv)
            actual = (peaks.pixels[peak] - peaks.pixels[at]) * (du + dv)
            fresh_along = 0.5 * along + 0.5 * actual if du else along
            fresh_down = 0.5 * down + 0.5 * actual if dv else down
            steps[peak] = (fresh_along, fresh_down)
            queue.append(peak)
    return used


def _tree(pixels: Array) -> cKDTree:
    from scipy.spatial import cKDTree  # only here: who goes on where the board was needs none, and is there sooner

    return cKDTree(pixels)


def _fit(grown: dict[int, tuple[int, int]], peaks: Peaks, tree: cKDTree) -> Lattice | None:
    """One homography for a grown lattice, then all peaks that obey it."""
    indices = np.array(list(grown))
    coordinates = np.array([grown[i] for i in indices])
    if min(np.ptp(coordinates, axis=0)) < 2:
        return None
    for tolerance in (0.3, 0.2, 0.2):
        # Fitted from pixels to coordinates: there an error counts in pitches, far and near alike.
        inverse, mask = cv2.findHomography(
            peaks.pixels[indices], coordinates.astype(float), cv2.RANSAC, tolerance, maxIters=2000
        )
        if inverse is None or mask.sum() < LEAST_POINTS or abs(np.linalg.det(inverse)) < 1e-15:
            return None
        homography = np.linalg.inv(np.asarray(inverse, dtype=float))
        homography /= homography[2] @ [*coordinates[mask.ravel() > 0].mean(axis=0), 1.0]
        if np.linalg.det(homography) <= 0:
            return None
        coordinates, indices = coordinates[mask.ravel() > 0], indices[mask.ravel() > 0]
        lattice = Lattice(coordinates, indices, peaks.pixels[indices], homography)
        found = _matches(homography, coordinates, tree)
        if found is None or len(found[0]) < LEAST_POINTS:
            return None
        coordinates, indices = found
    return None if _leaves_out_every_other(lattice, peaks) else lattice


def _leaves_out_every_other(lattice: Lattice, peaks: Peaks) -> bool:
    """Whether this is a lattice of diagonals or of every other line: many points within its range are not on it."""
    inverse = np.linalg.inv(lattice.homography)
    image = np.column_stack([peaks.pixels, np.ones(len(peaks.pixels))]) @ inverse.T
    front = image[:, 2] * np.median(image[lattice.indices, 2]) > 0
    place = image[:, :2] / np.where(front, image[:, 2], 1.0)[:, None]
    low, high = np.percentile(lattice.coordinates, [5, 95], axis=0)
    within = front & np.all((place > low - 0.5) & (place < high + 0.5), axis=1)
    return bool(np.isin(np.flatnonzero(within), lattice.indices).mean() < SUBLATTICE)


def _matches(
    homography: Array, coordinates: NDArray[np.int64], tree: cKDTree
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Coordinates and peaks that agree with a homography, in the known range and a few steps beyond."""
    low, high = coordinates.min(axis=0) - 4, coordinates.max(axis=0) + 4
    u, v = np.meshgrid(np.arange(low[0], high[0] + 1), np.arange(low[1], high[1] + 1))
    lattice = np.column_stack([u.ravel(), v.ravel()])
    depth = np.column_stack([lattice, np.ones(len(lattice))]) @ homography[2]
    lattice = lattice[depth > 0.05]  # 1 in the middle of what is known, 0 on the horizon
    if len(lattice) == 0:
        return None
    pixels = project(homography, lattice.astype(float))
    pitch = local_pitch(homography, lattice.astype(float))
    sane = np.isfinite(pixels).all(axis=1) & np.isfinite(pitch) & (pitch > 2)
    lattice, pixels, pitch = lattice[sane], pixels[sane], pitch[sane]
    if len(lattice) == 0:
        return None
    distance, index = tree.query(pixels)
    close = distance < 0.27 * pitch
    return lattice[close], np.asarray(index[close], dtype=np.int64)
