"""Does the camera still look at the same place? Somebody who bends over the board leaves a part of the picture as it
was, edge by edge; a camera that was turned leaves nothing in its place.

Edges are compared rather than brightnesses, as the camera's exposure follows whatever comes into view.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
Floats = NDArray[np.float32]

WIDTH = 96  # pixels of the small picture in which edges are compared
EDGE = 8.0  # grey levels from one pixel of the small picture to the next make an edge
SAME_WAY = 0.9  # cosine between the directions of an edge then and now
AS_STEEP = 0.6  # the weaker of the two over the stronger
SHARE = 0.12  # of the edges have to be there
"""In the library's clips at least 0.27 are while somebody leans over three quarters of the board, and at most 0.005
when the camera is turned away."""


class Surroundings:
    """What was to be seen when the board was last surely in its place."""

    def __init__(self) -> None:
        self._edges: tuple[Floats, Floats] | None = None

    def remember(self, image: Image) -> None:
        """The camera looks where it should: ``image`` (h, w, 3) BGR."""
        self._edges = _edges(image)

    def elsewhere(self, image: Image) -> bool | None:
        """Whether the camera looks elsewhere now; None while it is not known where it should."""
        if self._edges is None:
            return None
        (x, y), (was_x, was_y) = _edges(image), self._edges
        if x.shape != was_x.shape:
            return True
        steep, was_steep = np.hypot(x, y), np.hypot(was_x, was_y)
        edge = was_steep >= EDGE
        same_way = x * was_x + y * was_y >= SAME_WAY * steep * was_steep
        as_steep = np.minimum(steep, was_steep) >= AS_STEEP * np.maximum(steep, was_steep)
        return bool(edge.any() and (same_way & as_steep)[edge].mean() < SHARE)


def _edges(image: Image) -> tuple[Floats, Floats]:
    height, width = image.shape[:2]
    step = max(width // (4 * WIDTH), 1)  # every so many pixels are enough, and far cheaper
    size = (WIDTH, max(round(WIDTH * height / width), 1))
    grey = cv2.cvtColor(np.ascontiguousarray(image[::step, ::step]), cv2.COLOR_BGR2GRAY)
    small = cv2.resize(grey, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    across, down = (cv2.Sobel(small, cv2.CV_32F, dx, 1 - dx, scale=0.125) for dx in (1, 0))
    return np.asarray(across, np.float32), np.asarray(down, np.float32)
