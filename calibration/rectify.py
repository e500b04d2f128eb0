"""The board straightened: every point at the centre of its own square cell.

A rectified picture has ``size + 2 * margin`` cells a side, ``pitch`` pixels each; the lattice point ``(u, v)`` is at
pixel ``((u + margin) * pitch + (pitch - 1) / 2, (v + margin) * pitch + (pitch - 1) / 2)``.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose

Pixels = NDArray[np.uint8]


class Rectifier:
    """Straightens one board after another picture of the same pose; the maps are worked out once.

    ``rough``: a much finer picture is halved again and again instead of averaged in one step, which takes half the
    time and costs a level of rounding.
    """

    def __init__(self, pose: BoardPose, pitch: int, margin: int, rough: bool = False) -> None:
        self.pose, self.pitch, self.margin, self._rough = pose, pitch, margin, rough
        self.side = (pose.size + 2 * margin) * pitch
        # Sampling a much finer picture picks single pixels: average them down first.
        self._shrink = max(1, int(pose.pitch / pitch / 1.25))
        cells = (np.arange(0, self.side + 8, 8) - (pitch - 1) / 2) / pitch - margin
        u, v = np.meshgrid(cells, cells)
        coarse = pose.project(np.column_stack([u.ravel(), v.ravel()])).astype(np.float32)
        coarse = np.clip(coarse, -20_000, 20_000)
        self._box = self._region(coarse)
        left, top = self._box[:2]
        coarse = np.asarray((coarse - [left, top] + 0.5) / self._shrink - 0.5, dtype=np.float32)
        # Between the samples of a coarse map, all that a lens does is nearly linear.
        fine = _upsample(coarse.reshape(*u.shape, 2).astype(np.float32), 8)[: self.side, : self.side]
        self._maps = cv2.convertMaps(fine[..., 0], fine[..., 1], cv2.CV_16SC2)

    def __call__(self, image: Pixels) -> Pixels:
        """The straightened board (side, side, 3) uint8; black where the picture (h, w, 3) ends."""
        return self._straightened(image, self._maps, self._box)

    def part(self, image: Pixels, cells: tuple[int, int, int, int]) -> Pixels:
        """A rectangle of what :meth:`__call__` gives, to the last bit, at a part of its cost.

        ``cells``: left, top, right, bottom in cells of the straightened picture, its margin included; the last two
        are beyond the rectangle.
        """
        left, top, right, bottom = (edge * self.pitch for edge in cells)
        whole, fine = self._maps[0][top:bottom, left:right], self._maps[1][top:bottom, left:right]
        # The maps count reduced pixels from the corner of the region: cut out only those that are asked for.
        first = np.maximum(whole.min(axis=(0, 1)).astype(int) - 1, 0)
        last = np.maximum(whole.max(axis=(0, 1)).astype(int) + 3, first + 1)
        offset, far = first * self._shrink, last * self._shrink
        box = self._box
        cut = (box[0] + offset[0], box[1] + offset[1], min(box[0] + far[0], box[2]), min(box[1] + far[1], box[3]))
        if cut[0] >= cut[2] or cut[1] >= cut[3] or min(cut[2] - cut[0], cut[3] - cut[1]) < self._shrink:
            return np.zeros((bottom - top, right - left, 3), np.uint8)
        return self._straightened(image, (np.asarray(whole - first.astype(np.int16), np.int16), fine), cut)

    def _straightened(
        self, image: Pixels, maps: tuple[cv2.typing.MatLike, cv2.typing.MatLike], box: tuple[int, int, int, int]
    ) -> Pixels:
        left, top, right, bottom = box
        part = image[top:bottom, left:right]
        if self._shrink > 1:
            height, width = part.shape[:2]
            target = (max(1, width // self._shrink), max(1, height // self._shrink))
            part = part[: target[1] * self._shrink, : target[0] * self._shrink]
            rest = self._shrink
            while self._rough and rest % 2 == 0 and rest > 2:
                rest //= 2
                between = (target[0] * rest, target[1] * rest)
                part = np.asarray(cv2.resize(part, between, interpolation=cv2.INTER_AREA), dtype=np.uint8)
            part = np.asarray(cv2.resize(part, target, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        return np.asarray(cv2.remap(part, *maps, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT), dtype=np.uint8)

    def _region(self, coarse: NDArray[np.float32]) -> tuple[int, int, int, int]:
        """The part of the picture that the board takes: left, top, right, bottom, within the picture."""
        width, height = self.pose.image_size
        low, high = np.floor(coarse.min(axis=0)) - 2, np.ceil(coarse.max(axis=0)) + 3
        left, top = (int(np.clip(low[i], 0, limit - 1)) for i, limit in ((0, width), (1, height)))
        right, bottom = (int(np.clip(high[i], at + 1, limit)) for i, limit, at in ((0, width, left), (1, height, top)))
        return left, top, right, bottom


def _upsample(coarse: NDArray[np.float32], step: int) -> NDArray[np.float32]:
    """Linear in between: value ``[i, j]`` of the input comes to ``[i * step, j * step]``."""
    rows, cols = ((np.arange((n - 1) * step, dtype=np.float32)) / step for n in coarse.shape[:2])
    gx, gy = np.meshgrid(cols, rows)
    return np.asarray(cv2.remap(coarse, gx, gy, cv2.INTER_LINEAR), dtype=np.float32)


def camera_side(pose: BoardPose) -> int:
    """Quarter turns of the board text after which the camera looks from below (stones lean upwards in the picture).

    ``pose.turned(camera_side(pose))`` is that view; raised things then show up to 45 degrees left or right of
    straight up.
    """
    middle = np.array([[pose.size / 2 - 0.5, pose.size / 2 - 0.5]])
    lean = pose.locate(pose.project(middle, 10.0))[0] - middle[0]
    # Turning the text clockwise takes a lean to the left (-u) to a lean upwards (-v).
    along = [-lean[1], -lean[0], lean[1], lean[0]]
    return int(np.argmax(along))
