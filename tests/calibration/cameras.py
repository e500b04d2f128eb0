"""Cameras whose truth is known: a pinhole at a given place, and what it sees of a board."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec

Array = NDArray[np.float64]


class Pinhole:
    """A camera at an elevation and azimuth (degrees) above the middle of a board, ``distance`` mm away."""

    def __init__(
        self,
        spec: BoardSpec,
        elevation: float,
        azimuth: float = 0.0,
        distance: float = 900.0,
        focal: float = 1100.0,
        image_size: tuple[int, int] = (1280, 720),
    ) -> None:
        e, a = np.radians(elevation), np.radians(azimuth)
        self.spec, self.focal, self.image_size = spec, focal, image_size
        middle = np.array([spec.across, spec.along, 0]) * (spec.size - 1) / 2
        back = np.array([np.cos(e) * np.sin(a), np.cos(e) * np.cos(a), np.sin(e)])
        up = np.array([-np.sin(e) * np.sin(a), -np.sin(e) * np.cos(a), np.cos(e)])
        self._turn = np.stack([np.cross(back, up), -up, -back])
        self._eye = middle + back * distance

    def see(self, lattice: Array, height: float = 0.0) -> Array:
        """Pixels (n, 2) of lattice coordinates (n, 2) at a height in mm."""
        world = np.column_stack([lattice * [self.spec.across, self.spec.along], np.full(len(lattice), height)])
        rays = (world - self._eye) @ self._turn.T
        centre = (np.array(self.image_size) - 1) / 2
        pixels: Array = rays[:, :2] / rays[:, 2:] * self.focal + centre
        return pixels

    def corners(self) -> Array:
        """The outermost points, clockwise from the top left."""
        last = self.spec.size - 1
        return self.see(np.array([[0, 0], [last, 0], [last, last], [0, last]], dtype=float))

    def pose(self) -> BoardPose:
        """The pose that the corners alone give."""
        return BoardPose.from_corners(self.corners(), self.spec, self.image_size)
