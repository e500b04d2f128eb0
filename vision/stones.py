"""Read the stones of a board whose pose is known: the close-up's answers as an :class:`Observation`.

The network gives likelihoods per point; whatever hides a point makes it covered, not empty.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.closeup import CloseUp, CloseUpReader
from kifuwatch.calibration.hidden import hidden_points
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.points import BLACK
from kifuwatch.core.times import FrameTime
from kifuwatch.vision.centres import StoneCentres
from kifuwatch.vision.colours import BoardColours
from kifuwatch.vision.observation import CELLS, Observation
from kifuwatch.vision.second_look import look_again

READ_MARGIN = 2  # cells round the board that the network sees, for context
ROUND_FROM = 50.0  # degrees; from lower, the rim of a stone is no circle on the straightened board


class StoneReader:
    """Reads boards in single pictures; loads its network once."""

    def __init__(self, closeup: CloseUpReader | None = None) -> None:
        self._closeup = closeup or CloseUpReader()
        self._pose: BoardPose | None = None
        self._colours, self._centres = BoardColours(), StoneCentres()

    def read(self, image: NDArray[np.uint8], pose: BoardPose, time: FrameTime | None = None) -> Observation:
        """What a picture (h, w, 3) shows on the points of a board."""
        if pose is not self._pose:
            self._pose, self._colours, self._centres = pose, BoardColours(), StoneCentres()
        closeup = look_again(self._closeup, self._closeup(image, pose, READ_MARGIN), pose)
        return observe(closeup, pose, time or FrameTime(0), self._colours, self._centres)


def observe(
    closeup: CloseUp,
    pose: BoardPose,
    time: FrameTime,
    colours: BoardColours | None = None,
    centres: StoneCentres | None = None,
) -> Observation:
    """The observation that a close-up amounts to; ``colours`` are what is known of this board's own so far, and
    ``centres`` where its stones have been looked at closely."""
    m = closeup.margin
    logits = closeup.stones[m:-m, m:-m, :3].astype(np.float64)
    covered = hidden_points(closeup) | ~pose.shown
    stones = np.exp(logits - logits.max(axis=2, keepdims=True))
    chances = stones / stones.sum(axis=2, keepdims=True)
    probabilities = (colours or BoardColours()).settle(closeup, chances, covered, time.seconds)
    away = closeup.centres[m:-m, m:-m] - closeup.lines[m:-m, m:-m]
    read = probabilities.argmax(axis=2)
    offsets = np.where((read > 0)[..., None] & ~covered[..., None], away * [1, -1], 0)
    if pose.elevation >= ROUND_FROM:
        offsets = (centres or StoneCentres()).refine(closeup, offsets, read == CELLS.index(BLACK))
    return Observation(
        time, probabilities.astype(np.float32), covered, offsets.astype(np.float32), np.zeros(covered.shape, dtype=bool)
    )
