"""Where a board is in a picture: the one place that turns points into pixels and back.

Lattice coordinates ``(u, v)``: ``u`` counts columns from the left (A is 0), ``v`` counts lines from the top of the
board text, both may be fractional and may lie outside the grid. Heights are millimetres above the board.
Pixels are ``(x, y)`` with pixel centres at integers, after EXIF orientation.

The plane of the board maps by an exact homography. The direction of height follows from it: with the principal
point at the picture's centre, the two pitches known up to a soft prior, the homography fixes the focal length
(R. Hartley and A. Zisserman, Multiple View Geometry, 2nd ed., 8.8), hence the full pose.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kifuwatch.calibration.spec import PITCH_RATIO_SD, BoardSpec
from kifuwatch.core.errors import FileFormatError, UsageError

Array = NDArray[np.float64]

# A phone's main camera sees 26 mm (in 35-mm film), a webcam about 30: focal length over the longer side.
FOCAL_PRIOR, FOCAL_PRIOR_LOG_SD = 0.85, 0.3


@dataclass(frozen=True, eq=False)
class BoardPose:
    """A board seen by a camera.

    ``projection`` (3, 4) takes ``(X mm, Y mm, height mm, 1)`` to homogeneous pixels before lens distortion, X to the
    right and Y downwards in the board text, from the top-left outermost point. ``image_size`` is (width, height) in
    pixels, ``focal`` the focal length in pixels, ``k1`` and ``k2`` the radial distortion in units of the focal
    length.
    """

    spec: BoardSpec
    image_size: tuple[int, int]
    projection: Array
    focal: float
    k1: float = 0.0
    k2: float = 0.0

    @classmethod
    def from_homography(
        cls,
        homography: ArrayLike,
        spec: BoardSpec,
        image_size: tuple[int, int],
        k1: float = 0.0,
        k2: float = 0.0,
        focal: float | None = None,
    ) -> BoardPose:
        """The pose with this homography (3, 3) from lattice coordinates to pixels (before lens distortion).

        Raises UsageError when it is degenerate or sees the board from behind.
        """
        matrix = np.asarray(homography, dtype=float)
        to_mm = np.diag([1 / spec.across, 1 / spec.along, 1.0])
        plane = matrix @ to_mm
        middle = plane @ [spec.across * (spec.size - 1) / 2, spec.along * (spec.size - 1) / 2, 1.0]
        if not np.all(np.isfinite(plane)) or abs(middle[2]) < 1e-12:
            raise UsageError("these corners do not make a board: three of them lie on one line, or two coincide")
        plane = plane / middle[2]
        if np.linalg.det(plane) <= 0:
            raise UsageError("these corners run the wrong way round: give them clockwise from the top left")
        if focal is None:
            focal = _focal_length(plane, image_size)
        up = _height_column(plane, image_size, focal)
        projection = np.column_stack([plane[:, 0], plane[:, 1], up, plane[:, 2]])
        return cls(spec, image_size, projection, float(focal), float(k1), float(k2))

    @classmethod
    def from_corners(cls, corners: ArrayLike, spec: BoardSpec, image_size: tuple[int, int]) -> BoardPose:
        """The pose with these outermost points (4, 2), pixels: top-left, top-right, bottom-right, bottom-left.

        Raises UsageError when they do not make a convex quadrilateral, clockwise in the picture.
        """
        pixels = np.asarray(corners, dtype=float)
        if pixels.shape != (4, 2) or not np.all(np.isfinite(pixels)):
            raise UsageError("four corners are needed, each a pair of pixel coordinates")
        edges = np.roll(pixels, -1, axis=0) - pixels
        following = np.roll(edges, -1, axis=0)
        turns = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]
        if not np.all(turns > 1e-6):
            raise UsageError("these corners do not make a board: give them clockwise from the top left")
        last = spec.size - 1
        lattice = np.array([[0, 0], [last, 0], [last, last], [0, last]], dtype=np.float32)
        return cls.from_homography(cv2.getPerspectiveTransform(lattice, pixels.astype(np.float32)), spec, image_size)

    @property
    def size(self) -> int:
        """Lines of the board."""
        return self.spec.size

    @property
    def homography(self) -> Array:
        """(3, 3) from lattice coordinates to pixels before lens distortion."""
        plane: Array = self.projection[:, [0, 1, 3]] @ np.diag([self.spec.across, self.spec.along, 1.0])
        return plane

    @property
    def corners(self) -> Array:
        """(4, 2) pixels of the outermost points: top-left, top-right, bottom-right, bottom-left."""
        last = self.size - 1
        return self.project([[0, 0], [last, 0], [last, last], [0, last]])

    @property
    def pitch(self) -> float:
        """Mean pitch in pixels: the square root of the mean area of a cell."""
        x, y = self.corners.T
        area = 0.5 * abs(float(x @ np.roll(y, -1) - y @ np.roll(x, -1)))
        return float(np.sqrt(area)) / (self.size - 1)

    @cached_property
    def elevation(self) -> float:
        """Degrees of the camera above the table, seen from the middle of the board: 90 is straight above."""
        middle = np.array([self.spec.across, self.spec.along]) * (self.size - 1) / 2
        centre = np.linalg.svd(self.projection)[2][-1]
        x, y, height = centre[:3] / centre[3]
        return float(np.degrees(np.arctan2(abs(height), np.hypot(x - middle[0], y - middle[1]))))

    @cached_property
    def shown(self) -> NDArray[np.bool_]:
        """Points (size, size) of the board, line by line, that lie within the picture."""
        seen = self.sees(0)
        seen.setflags(write=False)  # whoever asks gets the same one
        return seen

    def sees(self, margin: int) -> NDArray[np.bool_]:
        """The same with ``margin`` cells more on each side (size + 2 margin, size + 2 margin)."""
        line, col = np.mgrid[-margin : self.size + margin, -margin : self.size + margin]
        pixels = self.project(np.column_stack([col.ravel(), line.ravel()]))
        inside = np.all((pixels > -0.5) & (pixels < np.array(self.image_size) - 0.5), axis=1)
        return np.asarray(inside.reshape(line.shape))

    @property
    def strain(self) -> float:
        """How little this can be a board seen by a camera: 0 where the lines meet at right angles and the pitches are
        as they should be, 0.7 for a lattice sheared by one step, 0 to 0.1 for real ones."""
        _, skew, stretch = _axes(self.projection[:, [0, 1, 3]], self.image_size)
        return float(np.min(np.hypot(skew, stretch)))

    def project(self, lattice: ArrayLike, height: float | ArrayLike = 0.0) -> Array:
        """Pixels (n, 2) of lattice coordinates (n, 2), ``height`` mm (one, or n) above the board."""
        points = np.asarray(lattice, dtype=float).reshape(-1, 2)
        heights = np.broadcast_to(np.asarray(height, dtype=float), len(points))
        world = np.column_stack(
            [points[:, 0] * self.spec.across, points[:, 1] * self.spec.along, heights, np.ones(len(points))]
        )
        image = world @ self.projection.T
        return self._distort(image[:, :2] / image[:, 2:])

    def locate(self, pixels: ArrayLike, height: float = 0.0) -> Array:
        """Lattice coordinates (n, 2) of pixels (n, 2) that show something ``height`` mm above the board."""
        points = self.straighten(np.asarray(pixels, dtype=float).reshape(-1, 2))
        plane = self.projection[:, [0, 1, 3]].copy()
        plane[:, 2] += self.projection[:, 2] * height
        world = np.column_stack([points, np.ones(len(points))]) @ np.linalg.inv(plane).T
        lattice: Array = world[:, :2] / world[:, 2:] / [self.spec.across, self.spec.along]
        return lattice

    def turned(self, quarters: int) -> BoardPose:
        """The same board read with its text turned clockwise by this many quarter turns."""
        pose = self
        for _ in range(quarters % 4):
            spec = pose.spec.turned(1)
            # The new text's (u, v) is the old text's (v, last - u).
            turn = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, pose.size - 1.0], [0.0, 0.0, 1.0]])
            pose = BoardPose.from_homography(
                pose.homography @ turn, spec, pose.image_size, pose.k1, pose.k2, pose.focal
            )
        return pose

    def scaled(self, factor: float, image_size: tuple[int, int]) -> BoardPose:
        """The pose in the same picture resized by ``factor``, whose size is then ``image_size``."""
        shift = (factor - 1) / 2  # pixel centres are integers: the corner of the picture is at -0.5
        scale = np.array([[factor, 0, shift], [0, factor, shift], [0, 0, 1]])
        return replace(self, projection=scale @ self.projection, image_size=image_size, focal=self.focal * factor)

    def to_json(self) -> dict[str, Any]:
        """A dictionary of plain numbers that :meth:`from_json` reads."""
        spec = self.spec
        measures = [spec.across, spec.along, spec.stone_diameter, spec.stone_thickness, spec.margin]
        return {
            "size": spec.size,
            "measures_mm": measures,
            "board": spec.name,
            "image_size": list(self.image_size),
            "projection": self.projection.tolist(),
            "focal": self.focal,
            "k1": self.k1,
            "k2": self.k2,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> BoardPose:
        """Read what :meth:`to_json` wrote. Raises FileFormatError when it is not that."""
        try:
            across, along, diameter, thickness, margin = (float(m) for m in data["measures_mm"])
            spec = BoardSpec(int(data["size"]), across, along, diameter, thickness, margin, str(data["board"]))
            width, height = (int(n) for n in data["image_size"])
            projection = np.array(data["projection"], dtype=float)
            focal, k1, k2 = (float(data[key]) for key in ("focal", "k1", "k2"))
        except (KeyError, TypeError, ValueError, UsageError) as fault:
            raise FileFormatError(f"this is not the pose of a board: {fault!r}") from None
        numbers = [*projection.ravel(), focal, k1, k2]
        if projection.shape != (3, 4) or not np.all(np.isfinite(numbers)) or focal <= 0 or min(width, height) < 1:
            raise FileFormatError("this is not the pose of a board: its numbers make no camera")
        return cls(spec, (width, height), projection, focal, k1, k2)

    def _centre(self) -> Array:
        return np.array([(self.image_size[0] - 1) / 2, (self.image_size[1] - 1) / 2])

    def _distort(self, pixels: Array) -> Array:
        if self.k1 == 0.0 and self.k2 == 0.0:
            return pixels
        ray = (pixels - self._centre()) / self.focal
        r2 = (ray**2).sum(axis=1, keepdims=True)
        # Beyond the picture the polynomial may fold back; hold it where a wide lens still sees.
        r2 = np.minimum(r2, 2.0)
        bent: Array = ray * (1 + self.k1 * r2 + self.k2 * r2**2) * self.focal + self._centre()
        return bent

    def straighten(self, pixels: Array) -> Array:
        """Where these pixels (n, 2) would be if the lens did not bend the picture."""
        if self.k1 == 0.0 and self.k2 == 0.0:
            return pixels
        bent = (pixels - self._centre()) / self.focal
        ray = bent
        for _ in range(20):
            r2 = np.minimum((ray**2).sum(axis=1, keepdims=True), 2.0)
            ray = bent / (1 + self.k1 * r2 + self.k2 * r2**2)
        straight: Array = ray * self.focal + self._centre()
        return straight


def _centred(plane: Array, image_size: tuple[int, int]) -> Array:
    shift = np.eye(3)
    shift[:2, 2] = -(image_size[0] - 1) / 2, -(image_size[1] - 1) / 2
    centred: Array = shift @ plane
    return centred


def _focal_length(plane: Array, image_size: tuple[int, int]) -> float:
    """The focal length in pixels that makes the two directions of the board most nearly orthogonal and as long as its
    spec says.

    Both conditions weigh by how well they are known, together with the prior of ordinary cameras; from straight
    above, where the conditions say nothing, the prior decides.
    """
    candidates, skew, stretch = _axes(plane, image_size)
    prior = np.log(candidates / max(image_size) / FOCAL_PRIOR) / FOCAL_PRIOR_LOG_SD
    cost = (skew / 0.01) ** 2 + (stretch / PITCH_RATIO_SD) ** 2 + prior**2
    return float(candidates[cost.argmin()])


def _axes(plane: Array, image_size: tuple[int, int]) -> tuple[Array, Array, Array]:
    """For a range of focal lengths: the cosine between the board's directions, and the log of the ratio of their
    lengths."""
    centred = _centred(plane, image_size)
    candidates = max(image_size) * np.geomspace(0.35, 6.0, 160)
    axes = centred[None, :, :2] / np.stack([candidates, candidates, np.ones_like(candidates)], axis=1)[:, :, None]
    first, second = axes[:, :, 0], axes[:, :, 1]
    lengths = np.linalg.norm(first, axis=1), np.linalg.norm(second, axis=1)
    skew = (first * second).sum(axis=1) / (lengths[0] * lengths[1])
    return candidates, skew, np.log(lengths[1] / lengths[0])


def _height_column(plane: Array, image_size: tuple[int, int], focal: float) -> Array:
    """The third column of the projection: what a millimetre of height adds."""
    scale = np.diag([focal, focal, 1.0])
    axes = np.linalg.inv(scale) @ _centred(plane, image_size)
    first, second = axes[:, 0], axes[:, 1]
    length = np.sqrt(np.linalg.norm(first) * np.linalg.norm(second))
    left, _, right = np.linalg.svd(np.column_stack([first, second]), full_matrices=False)
    first, second = (left @ right).T
    up = -np.cross(first, second) * length  # X right and Y down make Z point into the board
    shift = np.eye(3)
    shift[:2, 2] = (image_size[0] - 1) / 2, (image_size[1] - 1) / 2
    column: Array = shift @ scale @ up
    return column
