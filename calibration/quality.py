"""How good a view of the board is, before a game: what is measured, what it means, what to change.

Points are those of the board text as it was found. Brightness is that of the picture's bytes, 0..255.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from kifuwatch.calibration.closeup import PITCH, CloseUp
from kifuwatch.calibration.hidden import hidden_points
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.points import Point

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Pixels = NDArray[np.uint8]

SURE = 0.98
GLARE, SHADOW = 0.22, -0.27  # log brightness of bare wood against what the light across the board makes likely
CLIPPED, CLIPPED_GLARE = 240.0, 0.12  # where the picture ends, less is enough
STEEPEST = 0.8  # log brightness across the board that a lamp at one side explains
ALIKE = 0.18  # log brightness within which bare points are taken to be lit alike
LEAST_BARE = 12  # bare points without which light says nothing
SHARP_LINE = 0.023  # width of a line in focus, in pitches
REACH, SAMPLES = 0.42, 43  # pitches to either side of a line, and places looked at across it
FEWEST_LINES = 16  # pieces of line without which blur cannot be told


class Verdict(StrEnum):
    """What a view is good for."""

    GOOD = "good"
    USABLE = "usable"
    POOR = "poor"


@dataclass(frozen=True)
class Limit:
    """From where on a measure makes a view merely usable, and from where on poor; ``falling``: less is worse."""

    usable: float
    poor: float
    falling: bool = False

    def judge(self, value: float) -> Verdict:
        """What a value means."""
        sign = -1 if self.falling else 1
        if sign * value >= sign * self.poor:
            return Verdict.POOR
        return Verdict.USABLE if sign * value >= sign * self.usable else Verdict.GOOD


LIMITS = {
    "far": Limit(12.0, 8.5, True),  # pixels of the smallest step
    "low": Limit(37.0, 27.0, True),  # degrees above the table
    "near": Limit(2.2, 3.2),  # largest pitch over smallest
    "edge": Limit(0.45, -0.1, True),  # pitches from the outermost points to the picture's edge
    "glare": Limit(1.0, 0.08 * 361),  # points
    "shadow": Limit(4.0, np.inf),  # points
    "blur": Limit(0.08, 0.12),  # width of a line in pitches
    "faint": Limit(0.15, 0.07, True),  # contrast that the lines would have if they were in focus
    "dark": Limit(75.0, 40.0, True),  # brightness of the lighter parts of the board
    "bright": Limit(0.12, 0.4),  # share of the board at the end of the scale
    "noise": Limit(7.0, 14.0),  # levels
    "covered": Limit(1.0, 36.0),  # points
    "unsure": Limit(0.985, 0.93, True),  # share of the points in view that are read surely
}


@dataclass(frozen=True)
class Finding:
    """Something to change: its name in ``LIMITS``, how bad it is, the measure, and the points that it concerns."""

    name: str
    verdict: Verdict
    value: float
    points: tuple[Point, ...] = ()


@dataclass(frozen=True)
class ViewQuality:
    """The measures of one view.

    ``step_least``, ``step_most``: pixels from a point to the next, the shortest and the longest on the board.
    ``perspective``: largest over smallest pitch. ``elevation``: degrees above the table; ``distance``: mm from the
    board's middle, if the board has ordinary measures. ``room``: pitches between the outermost points and the edge of
    the picture. ``line_width`` (pitches) and ``contrast`` (0..1) of the lines, None where too few are bare.
    ``brightness``: of the lighter parts of the board; ``clipped``: share of it at the end of the scale; ``noise``: in
    levels. ``sure``: share of the points in view whose reading is 98 % sure.
    """

    step_least: float
    step_most: float
    perspective: float
    elevation: float
    distance: float
    room: float
    line_width: float | None
    contrast: float | None
    brightness: float
    clipped: float
    noise: float
    sure: float
    glare: tuple[Point, ...]
    shadow: tuple[Point, ...]
    covered: tuple[Point, ...]
    unsure: tuple[Point, ...]

    @property
    def ink(self) -> float | None:
        """Contrast that the lines would have if they were in focus: what blur takes from it, it adds to their width."""
        if self.line_width is None or self.contrast is None:
            return self.contrast
        return min(self.contrast * max(self.line_width / SHARP_LINE, 1.0), 1.0)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What to change, the worst first."""
        order = (Verdict.POOR, Verdict.USABLE)
        found = [f for f in self._findings() if f.verdict is not Verdict.GOOD]
        return tuple(sorted(found, key=lambda finding: order.index(finding.verdict)))

    @property
    def verdict(self) -> Verdict:
        """Good where nothing is to be changed, poor where something must be."""
        return self.findings[0].verdict if self.findings else Verdict.GOOD

    def _findings(self) -> Iterator[Finding]:
        for name, value, points in (
            ("far", self.step_least, ()),
            ("low", self.elevation, ()),
            ("near", self.perspective, ()),
            ("edge", self.room, ()),
            ("glare", len(self.glare), self.glare),
            ("shadow", len(self.shadow), self.shadow),
            ("blur", self.line_width, ()),
            ("faint", self.ink, ()),
            ("dark", self.brightness, ()),
            ("bright", self.clipped, ()),
            ("noise", self.noise, ()),
            ("covered", len(self.covered), self.covered),
            ("unsure", self.sure, self.unsure),
        ):
            if value is not None:
                yield Finding(name, LIMITS[name].judge(value), float(value), points)

    def to_json(self) -> dict[str, Any]:
        """All numbers, points as players say them, for programs."""
        numbers = {
            name: None if value is None else round(value, 4)
            for name, value in vars(self).items()
            if not isinstance(value, tuple)
        }
        points = {name: [str(p) for p in value] for name, value in vars(self).items() if isinstance(value, tuple)}
        findings = [{"name": f.name, "verdict": f.verdict.value} for f in self.findings]
        return {"verdict": self.verdict.value, "findings": findings, **numbers, **points}


def measure_view(image: Pixels, pose: BoardPose, closeup: CloseUp) -> ViewQuality:
    """The quality of the view of a board in a picture (h, w, 3), with what a close-up says of its points."""
    m = closeup.margin
    logits, covered = closeup.stones[m:-m, m:-m, :3].astype(float), hidden_points(closeup)
    stones = np.exp(logits - logits.max(axis=2, keepdims=True))
    stones /= stones.sum(axis=2, keepdims=True)
    sure = stones.max(axis=2) > SURE
    bare = (stones[..., 0] > SURE) & ~covered
    glare, shadow = _light(closeup, bare)
    steps, pitches = _steps(pose)
    width, contrast = _lines(image, pose, bare)
    board = closeup.picture[m * PITCH : -m * PITCH, m * PITCH : -m * PITCH]
    seen = ~covered
    return ViewQuality(
        step_least=float(steps.min()),
        step_most=float(steps.max()),
        perspective=float(pitches.max() / pitches.min()),
        elevation=pose.elevation,
        distance=_distance(pose),
        room=_room(pose),
        line_width=width,
        contrast=contrast,
        brightness=float(np.percentile(board.max(axis=2), 90)),
        clipped=float((np.median(board, axis=2) >= 250).mean()),
        noise=_noise(image, pose),
        sure=float(sure[seen].mean()) if seen.any() else 0.0,
        glare=_points(glare),
        shadow=_points(shadow),
        covered=_points(covered),
        unsure=_points(~sure & seen),
    )


def regions(points: tuple[Point, ...]) -> list[tuple[Point, Point]]:
    """Neighbouring points as boxes: lower left and upper right of each, the largest group first."""
    if not points:
        return []
    size = max(max(p.row, p.col) for p in points) + 1
    mask = np.zeros((size, size), dtype=bool)
    mask[[p.row for p in points], [p.col for p in points]] = True
    groups, count = ndimage.label(mask, structure=np.ones((3, 3)))
    order = np.argsort(-np.bincount(groups.ravel(), minlength=count + 1)[1:], kind="stable")
    boxes = ndimage.find_objects(groups)
    rows, cols = [boxes[i][0] for i in order], [boxes[i][1] for i in order]
    return [
        (Point(col.start, row.start), Point(col.stop - 1, row.stop - 1)) for row, col in zip(rows, cols, strict=True)
    ]


def _points(mask: Mask) -> tuple[Point, ...]:
    size = mask.shape[0]
    return tuple(Point(int(col), size - 1 - int(line)) for line, col in np.argwhere(mask))


def _grid(size: int) -> Array:
    line, col = np.mgrid[0:size, 0:size]
    return np.column_stack([col.ravel(), line.ravel()]).astype(float)


def _steps(pose: BoardPose) -> tuple[Array, Array]:
    """Pixels from each point to its neighbours (all of them), and the pitch (root of the cell's area) of each cell."""
    pixels = pose.project(_grid(pose.size)).reshape(pose.size, pose.size, 2)
    right, down = np.diff(pixels, axis=1), np.diff(pixels, axis=0)
    first, second = right[:-1], down[:, :-1]
    area = np.abs(first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0])
    lengths = [np.linalg.norm(step, axis=2).ravel() for step in (right, down)]
    return np.concatenate(lengths), np.asarray(np.sqrt(area).ravel())


def _distance(pose: BoardPose) -> float:
    centre = np.linalg.svd(pose.projection)[2][-1]
    half = (pose.size - 1) / 2
    return float(np.linalg.norm(centre[:3] / centre[3] - [half * pose.spec.across, half * pose.spec.along, 0]))


def _room(pose: BoardPose) -> float:
    corners, limit = pose.corners, np.array(pose.image_size) - 1
    return float(min(corners.min(), (limit - corners).min()) / pose.pitch)


def _light(closeup: CloseUp, bare: Mask) -> tuple[Mask, Mask]:
    """Bare points (n, n) that mirror a light, and those in shadow: much brighter or darker than the light across the
    board makes likely."""
    nothing = np.zeros_like(bare)
    if bare.sum() < LEAST_BARE:
        return nothing, nothing
    wood = _wood(closeup)
    line, col = np.nonzero(bare)
    logs = np.log(np.maximum(wood[bare], 2.0))
    places = np.column_stack([np.ones(len(logs)), col - col.mean(), line - line.mean()])
    rest = logs - np.percentile(logs, 70)  # the lit part, which may be the smaller one, sets the measure
    for _ in range(8):
        lit = np.abs(rest) < ALIKE
        if lit.sum() < LEAST_BARE // 2:
            break
        plane = np.linalg.lstsq(places[lit], logs[lit], rcond=None)[0]
        slope = np.abs(plane[1:]).sum() * (bare.shape[0] - 1)
        plane[1:] *= min(1.0, STEEPEST / max(slope, 1e-9))
        rest = logs - places @ plane
        rest -= np.median(rest[lit])
    glare, shadow = nothing.copy(), nothing.copy()
    glare[bare] = (rest > GLARE) | ((rest > CLIPPED_GLARE) & (wood[bare] > CLIPPED))
    shadow[bare] = rest < SHADOW
    return glare, shadow


def _wood(closeup: CloseUp) -> Array:
    """Brightness (n, n) between the lines around each point: the median of its four quarters."""
    grey = cv2.cvtColor(closeup.picture, cv2.COLOR_BGR2GRAY)
    m, cells = closeup.margin, closeup.points.shape[0]
    tiles = grey.reshape(cells, PITCH, cells, PITCH).transpose(0, 2, 1, 3)[m:-m, m:-m]
    near = np.array([2, 3, 4, 5, 10, 11, 12, 13])  # of 16: off the lines, inside the cell
    quarters = tiles[:, :, near][:, :, :, near].reshape(cells - 2 * m, cells - 2 * m, -1)
    return np.asarray(np.median(quarters, axis=2), dtype=float)


def _lines(image: Pixels, pose: BoardPose, bare: Mask) -> tuple[float | None, float | None]:
    """Width of the lines in pitches (one standard deviation) and their contrast, from profiles across the pieces
    between bare points; None where there are too few."""
    size = pose.size
    across = np.linspace(-REACH, REACH, SAMPLES)
    zeros = np.full(SAMPLES, 0.5)
    profiles = []
    for along in (True, False):
        pair = bare[:, :-1] & bare[:, 1:] if along else bare[:-1] & bare[1:]
        for line, col in np.argwhere(pair)[:: max(1, int(pair.sum()) // 150)]:
            steps = np.column_stack([zeros, across] if along else [across, zeros])
            profiles.append(np.array([col, line]) + steps)
    if len(profiles) < FEWEST_LINES or size < 2:
        return None, None
    pixels = pose.project(np.concatenate(profiles)).astype(np.float32)
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    values = cv2.remap(grey, pixels[:, :1], pixels[:, 1:], cv2.INTER_LINEAR).reshape(len(profiles), SAMPLES)
    values = values.astype(float)
    wood = np.median(values, axis=1)
    depth = 1 - values / np.maximum(wood, 1)[:, None]
    mean = np.mean(_centred(depth), axis=0)
    mean = np.clip(mean - np.median(np.r_[mean[:6], mean[-6:]]), 0, None)
    contrast = float(mean.max())
    if contrast < 0.02:
        return None, contrast
    mean[mean < 0.1 * mean.max()] = 0
    middle = (mean * across).sum() / mean.sum()
    return float(np.sqrt((mean * (across - middle) ** 2).sum() / mean.sum())), contrast


def _centred(depth: Array) -> Array:
    """Profiles (k, SAMPLES) shifted so that each has its line, as far as it shows, in the middle."""
    smooth = ndimage.uniform_filter1d(depth, 5, axis=1)
    half = SAMPLES // 2
    reach = slice(half - 8, half + 9)
    shifts = smooth[:, reach].argmax(axis=1) - 8
    columns = np.clip(np.arange(SAMPLES) + shifts[:, None], 0, SAMPLES - 1)
    return np.take_along_axis(depth, columns, axis=1)


def _noise(image: Pixels, pose: BoardPose) -> float:
    """Standard deviation of the noise in levels, on the board: J. Immerkaer's operator, its median (lines and stones
    are no noise)."""
    low = np.clip(np.floor(pose.corners.min(axis=0)), 0, np.array(pose.image_size) - 4).astype(int)
    high = np.clip(np.ceil(pose.corners.max(axis=0)), low + 4, np.array(pose.image_size)).astype(int)
    grey = cv2.cvtColor(image[low[1] : high[1], low[0] : high[0]], cv2.COLOR_BGR2GRAY).astype(np.float32)
    kernel = np.array([[1, -2, 1], [-2, 4, -2], [1, -2, 1]], np.float32)
    return float(np.median(np.abs(cv2.filter2D(grey, -1, kernel))) / 0.6745 / 6)
