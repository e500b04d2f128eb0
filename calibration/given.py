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
    height, width = image.shape[:2]
    places = np.asarray(corners, dtype=float)
    if np.any(places < -width - height) or np.any(places > 2 * (width + height)):
        raise UsageError("a corner lies far outside the picture")

    def of(lines: int) -> BoardPose:
        return BoardPose.from_corners(corners, (spec or BoardSpec()).with_size(lines), (width, height))

    if size is not None:
        return of(size)
    shares = {lines: _seen(image, of(lines), closeup) for lines in SIZES}
    most = max(shares, key=lambda lines: shares[lines])
    return of(most if shares[most] >= SEEN else USUAL)


def _seen(image: NDArray[np.uint8], pose: BoardPose, closeup: CloseUpReader) -> float:
    """The share (0..1) of the points in the picture at which the close-up sees one."""
    points = closeup(image, pose).points[MARGIN:-MARGIN, MARGIN:-MARGIN]
    shown = pose.shown
    return float(points[shown].mean()) if shown.any() else 0.0
