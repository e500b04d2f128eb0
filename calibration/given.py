"""The pose of a board whose corners are given by hand: how many lines lie between them is seen in the picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kifuwatch.calibration.closeup import MARGIN, CloseUpReader
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import SIZES, BoardSpec
from kifuwatch.core.errors import UsageError

USUAL = 19  # lines, where too little of them is seen to tell
SEEN = 0.6  # share of the points that have to be seen where they would be


def pose_at(
    corners: ArrayLike,
    image: NDArray[np.uint8],
    closeup: CloseUpReader,
    size: int | None = None,
    spec: BoardSpec | None = None,
) -> BoardPose:
    """The pose at ``corners`` (4, 2), in pixels of a picture (h, w, 3): of ``size`` lines, or of as many as are seen.

    Raises UsageError for corners that make no board.
    """
    spec = (spec or BoardSpec()).with_size(size or lines_between(corners, image, closeup) or USUAL)
    return board_between(corners, spec, (image.shape[1], image.shape[0]))


def board_between(corners: ArrayLike, spec: BoardSpec, image_size: tuple[int, int]) -> BoardPose:
    """The pose at ``corners`` (4, 2), in pixels of pictures of a size (width, height).

    Raises UsageError for corners that make no board, and for one far outside the picture.
    """
    places, far = np.asarray(corners, dtype=float), sum(image_size)
    if np.any(places < -far) or np.any(places > 2 * far):
        raise UsageError("a corner lies far outside the picture")
    return BoardPose.from_corners(corners, spec, image_size)


def lines_between(corners: ArrayLike, image: NDArray[np.uint8], closeup: CloseUpReader) -> int | None:
    """How many lines lie between corners; None where too little of them is seen to tell. Raises UsageError."""
    size = (image.shape[1], image.shape[0])
    shares = {n: _seen(image, board_between(corners, BoardSpec().with_size(n), size), closeup) for n in SIZES}
    most = max(shares, key=lambda lines: shares[lines])
    return most if shares[most] >= SEEN else None


def _seen(image: NDArray[np.uint8], pose: BoardPose, closeup: CloseUpReader) -> float:
    """The share (0..1) of the points in the picture at which the close-up sees one."""
    points = closeup(image, pose).points[MARGIN:-MARGIN, MARGIN:-MARGIN]
    shown = pose.shown
    return float(points[shown].mean()) if shown.any() else 0.0
