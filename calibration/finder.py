"""Find the board in a picture, with no click: network, lattice, window, close-up.

1. A small network marks grid points anywhere in the picture, under stones too.
2. A lattice is grown through them and fitted by a homography.
3. The window of 9, 13 or 19 lines that explains what is and what is not a point is chosen.
4. A close-up of that window checks and refines it, and may still move it by a line.
5. Where nothing is found, the same is tried once more with the light evened out.

Whatever cannot be trusted is no board: :class:`~kifuwatch.core.errors.NoBoardError` says why.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kifuwatch.calibration.boards import BoardChoice, area, holds, middle, outline
from kifuwatch.calibration.closeup import MARGIN, CloseUp, CloseUpReader
from kifuwatch.calibration.evened import evened
from kifuwatch.calibration.hidden import hidden_share
from kifuwatch.calibration.lattice import Lattice, Peaks, find_lattices, local_pitch, project, unsheared
from kifuwatch.calibration.network import Network, sigmoid
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.refine import likely_specs, refit, with_likely_spec
from kifuwatch.calibration.spec import SIZES, BoardSpec
from kifuwatch.calibration.window import Window, certainty, rank_windows
from kifuwatch.core.errors import NoBoardError, UsageError

Array = NDArray[np.float64]
Pixels = NDArray[np.uint8]

SIDES = (
    512,
    768,
    352,
    640,
    432,
)  # pixels of the longer side at which the picture is looked at, in turn until one is sure
PEAKS = (0.5, 0.25)  # heat of surely and of possibly marked points
CANDIDATES = 5  # poses to look at closely, at most, for one scale
LOOKS = 5  # close-ups at most of one candidate
HOPELESS = 0.5  # log odds a point that a candidate has to show at first sight
MOST_STRAIN = 0.3
STILL = 0.08  # a refined corner that moves by less, in pitches, needs no other close-up
CONFIDENT, LEAST_CONFIDENCE = 0.9, 0.8
LEFT_OVER = 40  # surely marked points outside the boards found so far that make it worth to look for another
MOST_BOARDS = 6


@dataclass(frozen=True, eq=False)
class FoundBoard:
    """A board found in a picture: its pose, how sure it is (0..1), and the close-up that says so.

    ``others`` are further boards in the same picture.
    """

    pose: BoardPose
    confidence: float
    closeup: CloseUp
    others: tuple[FoundBoard, ...] = ()


@dataclass(frozen=True, eq=False)
class _Sought:
    """A picture, and the sizes and makes of boards that are looked for in it."""

    image: Pixels
    sizes: tuple[int, ...]
    specs: tuple[BoardSpec, ...]


class BoardFinder:
    """Finds boards; loads its networks once. ``choice`` says which one is meant where several are in view."""

    def __init__(
        self, finder: Network | None = None, closeup: CloseUpReader | None = None, choice: BoardChoice | None = None
    ) -> None:
        self._network = finder or Network("finder")
        self._closeup = closeup or CloseUpReader()
        self._choice = choice or BoardChoice()
        self.boards: tuple[BoardPose, ...] = ()
        """The boards in the last picture in which one was found, the one that is meant first."""

    def find(self, image: Pixels, size: int | None = None, spec: BoardSpec | None = None) -> FoundBoard:
        """The board that is meant in a picture (h, w, 3): by default the largest of those that are seen surely.

        ``size`` fixes the number of lines. The text's top is what is uppermost in the picture. Raises NoBoardError.
        """
        boards = self.find_all(image, size, spec)
        sure = [board for board in boards if board.confidence >= CONFIDENT]
        meant = sure if sure and self._choice.open else boards
        taken = meant[self._choice.pick(meant)]
        others = tuple(board for board in boards if board is not taken)
        self.boards = (taken.pose, *(board.pose for board in others))
        return replace(taken, others=others)

    def find_all(self, image: Pixels, size: int | None = None, spec: BoardSpec | None = None) -> list[FoundBoard]:
        """All boards in a picture that can be trusted, the largest first. Raises NoBoardError when there is none.

        Where no particular one is meant, others are looked for only if one look shows that there is more.
        """
        sought = _Sought(image, SIZES if size is None else (size,), likely_specs(spec))
        looks: dict[int, _Look] = {}
        best = self._search(sought, looks)
        if best is None or best.confidence < LEAST_CONFIDENCE:
            seen = max(len(look.peaks.pixels) for look in looks.values())
            sought, looks = replace(sought, image=evened(image)), {}
            second = self._search(sought, looks)
            best = max((one for one in (best, second) if one is not None), key=lambda one: one.confidence, default=None)
            if best is None or best.confidence < LEAST_CONFIDENCE:
                raise NoBoardError(_why_none(best, seen, sought.sizes))
        boards = self._with_others(sought, looks, best)
        if sought.image is not image:
            boards = [replace(board, closeup=self._closeup(image, board.pose, MARGIN)) for board in boards]
        boards.sort(key=lambda board: -area(board.pose))
        return [_upright(board) for board in boards]

    def _search(self, sought: _Sought, looks: dict[int, _Look]) -> FoundBoard | None:
        """The most convincing board at any scale; the first that is sure ends the search. ``looks`` are kept."""
        best = None
        for side in SIDES:
            look = looks[side] = _Look(self._network, sought.image, side)
            best = self._best_in(look, sought, best)
            if best is not None and best.confidence >= CONFIDENT:
                break
        return best

    def _best_in(self, look: _Look, sought: _Sought, best: FoundBoard | None = None) -> FoundBoard | None:
        """The most convincing board of a look and the ``best`` so far; the first that is sure ends the search."""
        for candidate in look.candidates(sought.sizes, sought.specs):
            if best is not None and _same_place(best.pose, candidate):
                continue
            found = self._settle(sought, candidate)
            if found is not None and (best is None or found.confidence > best.confidence):
                best = found
            if best is not None and best.confidence >= CONFIDENT:
                break
        return best

    def _with_others(self, sought: _Sought, looks: dict[int, _Look], first: FoundBoard) -> list[FoundBoard]:
        """The board that was found, and those seen when it is masked out: in the last look, or, until the one that
        is meant is among them, in all."""
        last = next(reversed(looks))
        boards = self._and_the_rest(looks[last], sought, [first])
        if self._choice.open:
            return boards
        for side in SIDES:
            if self._choice.may_be_among([board.pose for board in boards]):
                break
            if side != last:
                look = looks[side] if side in looks else _Look(self._network, sought.image, side)
                boards = self._and_the_rest(look, sought, boards)
        return boards

    def _and_the_rest(self, look: _Look, sought: _Sought, known: list[FoundBoard]) -> list[FoundBoard]:
        """Known boards and further ones of a look, each masked out before the next is looked for."""
        boards = list(known)
        while len(boards) < MOST_BOARDS:
            rest = look.without([board.pose for board in boards])
            if len(rest.peaks.strongest(PEAKS[0]).pixels) < LEFT_OVER:
                break
            found = self._best_in(rest, sought)
            if found is None or found.confidence < LEAST_CONFIDENCE or _overlap(found, boards):
                break
            boards.append(found)
        return boards

    def check(self, image: Pixels, pose: BoardPose) -> FoundBoard:
        """The same board in another picture, from a pose that is nearly right (by up to 0.4 pitch). Raises
        NoBoardError."""
        found = self._settle(_Sought(image, (pose.size,), (pose.spec,)), pose)
        if found is None or found.confidence < LEAST_CONFIDENCE:
            raise NoBoardError("the board is no longer where it was")
        return found

    def _settle(self, sought: _Sought, pose: BoardPose) -> FoundBoard | None:
        """Refine a candidate by close-ups until it stays where it is; None when it falls apart."""
        for _ in range(LOOKS):
            closeup = self._closeup(sought.image, pose, MARGIN)
            windows = rank_windows(closeup.points.astype(float), pose.sees(closeup.margin), sought.sizes)
            if not windows or windows[0].score < HOPELESS * windows[0].size ** 2:
                return None
            window, certain = windows[0], certainty(windows)
            try:
                fitted, error = _refit(pose, closeup, window, sought.specs)
            except UsageError:
                return None
            if fitted.strain > MOST_STRAIN:
                return None
            stays = (window.size, window.u, window.v) == (pose.size, MARGIN, MARGIN)
            if stays and np.abs(fitted.corners - pose.corners).max() < STILL * pose.pitch:
                return FoundBoard(fitted, _confidence(fitted, closeup, certain, error), closeup)
            pose = fitted
        closeup = self._closeup(sought.image, pose, MARGIN)
        return FoundBoard(pose, _confidence(pose, closeup, certain, error), closeup)


class _Look:
    """The network's maps of one picture at one scale."""

    def __init__(self, network: Network, image: Pixels, side: int) -> None:
        height, width = image.shape[:2]
        self.image_size = (width, height)
        self.factor = min(side / max(height, width), 1.5)
        target = (max(1, round(width * self.factor)), max(1, round(height * self.factor)))
        small = cv2.resize(image, target, interpolation=cv2.INTER_AREA if self.factor < 1 else cv2.INTER_LINEAR)
        self.scale = np.array([target[0] / width, target[1] / height])
        below, right = -target[1] % 32, -target[0] % 32
        padded = cv2.copyMakeBorder(small, 0, below, 0, right, cv2.BORDER_CONSTANT, value=(0, 0, 0))
        maps = network(np.asarray(padded, dtype=np.uint8))
        rows, cols = -(-target[1] // 4), -(-target[0] // 4)
        self.maps = maps[:, :rows, :cols]
        self.heat = sigmoid(self.maps[0])
        self.peaks = self._peaks()

    def _peaks(self) -> Peaks:
        highest = cv2.dilate(self.heat, np.ones((3, 3), np.uint8))
        rows, cols = np.nonzero((self.heat >= highest) & (self.heat > PEAKS[-1]))
        order = np.argsort(-self.heat[rows, cols])[:900]
        rows, cols = rows[order], cols[order]
        offset = np.clip(self.maps[3:5, rows, cols].T, -1, 1)
        cells = np.column_stack([cols, rows]) + offset
        pitch = np.exp(np.clip(self.maps[5, rows, cols], 1, 5)) / self.scale.mean()
        return Peaks(self.to_picture(cells), self.heat[rows, cols].astype(float), pitch.astype(float))

    def to_picture(self, cells: ArrayLike) -> Array:
        """Pixels of the picture at positions of the maps."""
        pixels: Array = ((np.asarray(cells, dtype=float) + 0.5) * 4) / self.scale - 0.5
        return pixels

    def without(self, boards: Sequence[BoardPose]) -> _Look:
        """The same look with the areas of some boards masked out."""
        mask = np.zeros(self.heat.shape, np.uint8)
        for pose in boards:
            cells = ((outline(pose) + 0.5) * self.scale / 4 - 0.5).clip(-10_000, 10_000)
            cv2.fillPoly(mask, [np.round(cells).astype(np.int32)], 1)
        rest = copy.copy(self)
        rest.heat = np.where(mask > 0, np.float32(0), self.heat)
        rest.peaks = rest._peaks()
        return rest

    def candidates(self, sizes: tuple[int, ...], specs: tuple[BoardSpec, ...]) -> Iterator[BoardPose]:
        """First poses, the likeliest first: windows of lattices through surely marked points, then through all."""
        given = 0
        for least in PEAKS:
            for grown in find_lattices(self.peaks.strongest(least)):
                lattice = unsheared(grown, self._strain, MOST_STRAIN)
                for window in self._windows(lattice, sizes):
                    pose = self._pose(lattice, window, specs)
                    if pose is not None and given < CANDIDATES:
                        given += 1
                        yield pose

    def _strain(self, homography: Array) -> float:
        try:
            return BoardPose.from_homography(homography, BoardSpec(), self.image_size).strain
        except UsageError:
            return float("inf")

    def _pose(self, lattice: Lattice, window: Window, specs: tuple[BoardSpec, ...]) -> BoardPose | None:
        shift = np.array([[1, 0, window.u], [0, 1, window.v], [0, 0, 1.0]])
        try:
            pose = with_likely_spec(lattice.homography @ shift, window.size, specs, self.image_size)
        except UsageError:
            return None
        return pose if pose.strain < MOST_STRAIN else None

    def _windows(self, lattice: Lattice, sizes: tuple[int, ...]) -> list[Window]:
        low, high = lattice.coordinates.min(axis=0) - 3, lattice.coordinates.max(axis=0) + 3
        if max(high - low) > 60:
            return []
        u, v = np.meshgrid(np.arange(low[0], high[0] + 1), np.arange(low[1], high[1] + 1))
        coordinates = np.column_stack([u.ravel(), v.ravel()]).astype(float)
        pixels = project(lattice.homography, coordinates)
        pitch = local_pitch(lattice.homography, coordinates)
        pixels = np.nan_to_num(pixels, nan=-1e6)
        cells = ((pixels + 0.5) * self.scale / 4 - 0.5).astype(np.float32)
        wide = cv2.dilate(self.heat, np.ones((3, 3), np.uint8))
        points = cv2.remap(wide, cells[:, 0], cells[:, 1], cv2.INTER_NEAREST, borderValue=0.0).reshape(u.shape)
        inside = np.all((pixels > -0.5) & (pixels < np.array(self.image_size) - 0.5), axis=1) & (pitch > 2)
        # Heat is a peak's height rather than a probability: a third is as good as even odds.
        odds = np.clip(points.astype(float), 0.01, 0.99) ** 0.63
        ranked = rank_windows(odds, inside.reshape(u.shape), sizes, (int(low[0]), int(low[1])))
        if not ranked:
            return []
        chosen = [ranked[0]]
        for other in ranked[1:]:
            if (
                other.size != ranked[0].size
                and other.score > 0.6 * ranked[0].score
                and all(other.size != c.size for c in chosen)
            ):
                chosen.append(other)
        return chosen[:2]


def _refit(pose: BoardPose, closeup: CloseUp, window: Window, specs: tuple[BoardSpec, ...]) -> tuple[BoardPose, float]:
    """Fit the pose of a window to the points that the close-up saw in it."""
    v, u = np.mgrid[0 : window.size, 0 : window.size]
    rows, cols = v + window.v, u + window.u
    n = closeup.points.shape[0]
    known = (rows >= 0) & (rows < n) & (cols >= 0) & (cols < n)
    rows, cols, u, v = rows[known], cols[known], u[known], v[known]
    # Half a cell or more off is the neighbour's business; trust points that are surely there.
    weights = closeup.points * (1 - 0.9 * hidden_share(closeup)) * pose.sees(closeup.margin)
    weights = weights[rows, cols].astype(float)
    cells = np.column_stack([cols, rows]) - closeup.margin + np.clip(closeup.lines[rows, cols], -0.6, 0.6)
    good = weights > 0.3
    if good.sum() < 12:
        raise UsageError("too few points to fit")
    shift = np.array([[1, 0, window.u - closeup.margin], [0, 1, window.v - closeup.margin], [0, 0, 1.0]])
    start = BoardPose.from_homography(
        pose.homography @ shift, pose.spec.with_size(window.size), pose.image_size, pose.k1, pose.k2
    )
    return refit(start, np.column_stack([u, v])[good].astype(float), pose.project(cells[good]), weights[good], specs)


def _confidence(pose: BoardPose, closeup: CloseUp, certain: float, error: float) -> float:
    """How sure a board is: its points are points, no line goes on beyond it, the window leads, the fit is tight, and
    what lies on it looks like stones or bare wood."""
    m = closeup.margin
    seen = pose.sees(closeup.margin)
    inside, visible = closeup.points[m:-m, m:-m], seen[m:-m, m:-m]
    if visible.mean() < 0.5:
        return 0.0
    share = float(inside[visible].mean()) * (0.7 + 0.3 * float(visible.mean()))
    points = np.clip((share - 0.35) / 0.5, 0, 1)
    tight = np.exp(-((error / 0.2) ** 2))
    # Lines that go on make 20 of them, or a grid that is no board's; a printed border looks like half of one.
    alone = np.clip(1.6 - 2 * _beyond(closeup, seen), 0, 1)
    logits = closeup.stones[m:-m, m:-m][visible].astype(float)
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    doubtful = float((chances.max(axis=1) / chances.sum(axis=1) < 0.9).mean())
    plain = np.clip(1.3 - 3 * doubtful, 0, 1)
    return float(np.clip(certain * tight * points * alone * plain, 0, 0.9999))


def _beyond(closeup: CloseUp, seen: NDArray[np.bool_]) -> float:
    """The mean probability of points just outside the board, on the side where it is second highest.

    A square grid of more lines goes on at two sides; the edge of the table may look like a line at one.
    """
    m, n = closeup.margin, closeup.points.shape[0]
    within = slice(m, n - m)
    sides = [(m - 1, within), (n - m, within), (within, m - 1), (within, n - m)]
    means = sorted(float(closeup.points[side][seen[side]].mean()) if seen[side].any() else 0.0 for side in sides)
    return means[-2]


def _same_place(one: BoardPose, other: BoardPose) -> bool:
    """Whether two poses are the same board, whichever way its text is turned."""
    if one.size != other.size:
        return False
    gaps = np.linalg.norm(one.corners[:, None] - other.corners[None], axis=2).min(axis=1)
    return bool(gaps.max() < 0.5 * one.pitch)


def _overlap(found: FoundBoard, boards: Sequence[FoundBoard]) -> bool:
    """Whether a board lies on or under one of others: then it is a part of it, or two readings of one."""
    return any(holds(b.pose, middle(found.pose).tolist()) or holds(found.pose, middle(b.pose).tolist()) for b in boards)


def _upright(found: FoundBoard) -> FoundBoard:
    """The same board with its text's top uppermost in the picture."""
    corners = found.pose.corners
    across = corners[1] - corners[0] + corners[2] - corners[3]
    turn = int(np.round(np.degrees(np.arctan2(across[1], across[0])) / 90)) % 4
    return FoundBoard(found.pose.turned(turn), found.confidence, found.closeup.turned(turn)) if turn else found


def _why_none(best: FoundBoard | None, peaks: int, sizes: Sequence[int]) -> str:
    if best is not None:
        return f"no board that can be trusted: the best candidate reaches a confidence of {best.confidence:.2f}"
    if peaks < 12:
        return "no board found: nothing in the picture looks like the crossings of a Go board"
    return f"no board found: what looks like crossings does not make a grid of {_either(sizes)} lines"


def _either(sizes: Sequence[int]) -> str:
    """``9, 13 or 19``."""
    *others, last = map(str, sizes)
    return f"{', '.join(others)} or {last}" if others else last
