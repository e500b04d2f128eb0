"""What the colours of this board, under this light, say of the points that the network doubts.

The points that are read surely teach a linear discriminant (scikit-learn) how black, white and bare points look here:
lamps, tinted glass, over-exposed wood decide nothing by themselves then. It is asked only where the network is in
doubt, and is fitted anew as the light drifts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.closeup import PITCH, CloseUp

if TYPE_CHECKING:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

Floats = NDArray[np.float64]

SURE, DOUBTFUL = 0.97, 0.9
LEAST_EXAMPLES = 5  # of each of empty, black and white
WORTH = 0.4  # of the discriminant's word beside the network's: neighbouring points are alike, so it is too sure
FLOOR = 0.02
LASTS = 1.0  # seconds after which it is fitted again
DARK = 8.0  # levels: darker is as good as black
REACH = 3  # pixels round the middle of a stone, of 16 a pitch


class BoardColours:
    """The colours of one board in one light."""

    def __init__(self) -> None:
        self._model: LinearDiscriminantAnalysis | None = None
        self._fitted = float("-inf")

    def settle(self, closeup: CloseUp, chances: Floats, covered: NDArray[np.bool_], seconds: float) -> Floats:
        """Chances (n, n, 3) of empty, black, white, those in doubt weighed by colour as well.

        ``closeup`` is what they come from, ``covered`` (n, n) are left as they are. With too few sure points of one
        kind nothing is changed.
        """
        best = chances.max(axis=2)
        doubtful = (best < DOUBTFUL) & ~covered
        if not doubtful.any():
            return chances
        looks = _looks(closeup)
        if not 0 <= seconds - self._fitted < LASTS:
            self._fit(looks, chances, (best > SURE) & ~covered)
            self._fitted = seconds
        if self._model is None:
            return chances
        word = np.clip(self._model.predict_proba(looks[doubtful]), FLOOR, 1) ** WORTH
        settled = chances.copy()
        settled[doubtful] *= word
        settled[doubtful] /= settled[doubtful].sum(axis=1, keepdims=True)
        return settled

    def _fit(self, looks: Floats, chances: Floats, sure: NDArray[np.bool_]) -> None:
        kinds = chances.argmax(axis=2)[sure]
        if len(np.unique(kinds)) < 3 or np.bincount(kinds).min() < LEAST_EXAMPLES:
            self._model = None
            return
        self._model = _discriminant()(solver="lsqr", shrinkage="auto", priors=[1 / 3, 1 / 3, 1 / 3])
        self._model.fit(looks[sure], kinds)


def load_ahead() -> None:
    """Load now what is loaded when colours are first asked for: that takes a second, which a live game has not."""
    _discriminant()


def _discriminant() -> type[LinearDiscriminantAnalysis]:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    found: type[LinearDiscriminantAnalysis] = LinearDiscriminantAnalysis
    return found


def _looks(closeup: CloseUp) -> Floats:
    """Per point (n, n, 8): mean and median colour, dark and light part, round where a stone's middle is or would be.

    They are logarithms: light falls on all of it, so it multiplies.
    """
    m = closeup.margin
    size = closeup.points.shape[0] - 2 * m
    rows, cols = np.mgrid[m : m + size, m : m + size]
    # Where a stone stands, and where it would stand, leaning away from the camera: the network says both.
    centres = np.clip(closeup.centres[m:-m, m:-m], -0.6, 0.6)
    middle = (np.dstack([cols, rows]) + 0.5 + centres) * PITCH - 0.5
    step = np.arange(-REACH, REACH + 1, dtype=np.float32)
    dy, dx = np.meshgrid(step, step, indexing="ij")
    x = (middle[..., 0, None, None] + dx).reshape(size * size, -1).astype(np.float32)
    y = (middle[..., 1, None, None] + dy).reshape(size * size, -1).astype(np.float32)
    part = cv2.remap(closeup.picture, x, y, cv2.INTER_LINEAR).astype(np.float64)
    light = part.mean(axis=2)
    extremes = np.percentile(light, [15, 85], axis=1).T
    levels = np.column_stack([part.mean(axis=1), np.median(part, axis=1), extremes])
    looks: Floats = np.log(levels + DARK).reshape(size, size, 8)
    return looks
