"""The close-up: the board straightened, and a network that says of every cell what is there.

The finder asks it whether there is a point of the grid in each cell and where exactly; ``kifuwatch.vision`` asks it
what lies on the point. One pass answers both.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.network import NetworkInParts, side_by_side, sigmoid
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.rectify import Rectifier, camera_side

PITCH = 16  # pixels a cell, as the network was trained
MARGIN = 3
PARTS = 3  # files that the network is in


@dataclass(frozen=True, eq=False)
class CloseUp:
    """What the network says of every cell, in the board text's own orientation, margins cut to ``margin`` cells.

    With ``n = size + 2 * margin``: ``stones`` (n, n, 4) logits of empty, black, white, covered; ``points`` (n, n)
    probability that a grid point is in the cell; ``lines`` (n, n, 2) where it is from the middle of the cell, in
    cells, right and down; ``centres`` (n, n, 2) the same for the stone on it; ``picture`` (n * PITCH, n * PITCH, 3)
    is what it saw.
    """

    margin: int
    stones: NDArray[np.float32]
    points: NDArray[np.float32]
    lines: NDArray[np.float32]
    centres: NDArray[np.float32]
    picture: NDArray[np.uint8]

    def turned(self, quarters: int) -> CloseUp:
        """The same close-up with its board text turned clockwise by this many quarter turns."""
        stones, points = np.rot90(self.stones, -quarters), np.rot90(self.points, -quarters)
        lines, centres = np.rot90(self.lines, -quarters), np.rot90(self.centres, -quarters)
        return CloseUp(
            self.margin,
            np.ascontiguousarray(stones),
            np.ascontiguousarray(points),
            _turn_back(lines, -quarters),
            _turn_back(centres, -quarters),
            _rotated(self.picture, -quarters),
        )


class CloseUpReader:
    """Takes close-ups of one pose after another; the maps of the last pose are kept."""

    def __init__(self, network: NetworkInParts | None = None) -> None:
        self._network = network or NetworkInParts("closeup", PARTS)
        self._last: tuple[BoardPose, int, int, Rectifier] | None = None

    def __call__(self, image: NDArray[np.uint8], pose: BoardPose, margin: int = MARGIN) -> CloseUp:
        """Look at the board of ``pose`` in a picture (h, w, 3)."""
        turn, rectifier = self.view(pose, margin)
        picture = rectifier(image)
        return closeup_of(self.answers(picture), picture, turn, margin)

    def answers(self, picture: NDArray[np.uint8]) -> NDArray[np.float32]:
        """What the network says of each cell (rows, columns, 9) of a straightened picture, as it sees it."""
        return np.ascontiguousarray(self._network(planes_of(picture)).transpose(1, 2, 0))

    def view(self, pose: BoardPose, margin: int) -> tuple[int, Rectifier]:
        """How the network sees a board: turned clockwise by so many quarters, so that stones lean upwards, and
        straightened."""
        if self._last is not None and self._last[0] is pose and self._last[1] == margin:
            return self._last[2], self._last[3]
        turn = camera_side(pose)
        rectifier = Rectifier(pose.turned(turn), PITCH, margin)
        self._last = (pose, margin, turn, rectifier)
        return turn, rectifier


def planes_of(picture: NDArray[np.uint8]) -> NDArray[np.float32]:
    """What the network sees of a straightened picture (h, w, 3), h and w multiples of 4: planes (24, h / 4, w / 4) in
    0..1, the light of squares of 4 x 4 pixels and, at half the resolution as cameras tell it, their two colours."""
    height, width = picture.shape[:2]
    light = np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), dtype=np.uint8)
    half = cv2.resize(picture, (width // 2, height // 2), interpolation=cv2.INTER_AREA)
    colour = np.asarray(cv2.cvtColor(half, cv2.COLOR_BGR2YCrCb), dtype=np.uint8)[..., 1:].transpose(2, 0, 1)
    planes = np.concatenate([side_by_side(light[None], 4), side_by_side(colour, 2)])
    return np.asarray(planes * np.float32(1 / 255), dtype=np.float32)


def closeup_of(maps: NDArray[np.float32], picture: NDArray[np.uint8], turn: int, margin: int) -> CloseUp:
    """A close-up of what the network said (n, n, 9) of the picture that it saw, the board turned by ``turn``."""
    maps = np.rot90(maps, turn)
    return CloseUp(
        margin,
        np.ascontiguousarray(maps[..., :4]),
        sigmoid(maps[..., 4]),
        _turn_back(maps[..., 5:7], turn),
        _turn_back(maps[..., 7:9], turn),
        _rotated(picture, turn),
    )


def _rotated(picture: NDArray[np.uint8], quarters: int) -> NDArray[np.uint8]:
    """``np.rot90`` of a picture, in a tenth of the time."""
    ways = (None, cv2.ROTATE_90_COUNTERCLOCKWISE, cv2.ROTATE_180, cv2.ROTATE_90_CLOCKWISE)
    way = ways[quarters % 4]
    return picture if way is None else np.asarray(cv2.rotate(picture, way), dtype=np.uint8)


def _turn_back(vectors: NDArray[np.float32], turn: int) -> NDArray[np.float32]:
    """Vectors (right, down) seen in a board turned clockwise, as they are in the board text."""
    for _ in range(turn % 4):
        vectors = np.stack([vectors[..., 1], -vectors[..., 0]], axis=-1)
    return np.ascontiguousarray(vectors, dtype=np.float32)
