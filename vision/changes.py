"""Where the picture of a board has changed: small grey pictures of it, compared cell by cell.

Looking closely is dear, and in a game nearly everything stays as it is. So the straightened board is reduced to a few
pixels a cell and held against what it looked like when it was last read. Noise, the camera's exposure, slow light and a
trembling by a part of a pixel are no change.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.rectify import Rectifier

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

SMALL = 6  # pixels a cell
GREY = np.array([[0.4, 0.3, 0.3]], np.float32)  # blue counts most: wood has little of it and stones have all
LEAST = 2.5  # grey levels by which a cell has to change in the mean
NOISES = 5.0  # and so many times what cells change by noise alone
SLACK = 0.45  # pixels of the small picture, 0.07 pitch, by which everything may be shifted
UNEVEN = 3.0  # with a gain of g, cells differ by more: by this times the logarithm of g
FOLLOWS = 0.1  # of a change too small to count, at each look
DARK = 8.0  # grey levels added before brightnesses are divided
NIGHT = 12.0  # a picture that is darker in the mean shows nothing
BLANK = 1.5  # grey levels by which a picture that shows nothing at all varies
SPARSE = 16  # pixels from one to the next that are looked at for that


class Blindness(Enum):
    """Whether a picture can show anything."""

    SEES = "sees"
    DARK = "dark"
    BLANK = "blank"
    """All of one colour: no camera looks at a room."""


def blindness(image: NDArray[np.uint8]) -> Blindness:
    """Whether a picture (h, w, 3) can show anything, by a few of its pixels."""
    mean, spread = cv2.meanStdDev(np.ascontiguousarray(image[SPARSE // 2 :: SPARSE, SPARSE // 2 :: SPARSE]))
    if float(spread.max()) < BLANK:
        return Blindness.BLANK
    return Blindness.DARK if float(mean.mean()) < NIGHT else Blindness.SEES


@dataclass(frozen=True, eq=False)
class Change:
    """What a look at the small picture says, cell by cell (n, n), the margin included.

    ``changed``: since the cell was last taken over; ``moving``: since the last look. ``gain``: how much brighter the
    whole is than what was taken over; ``level``: the median brightness (0..255) of the cells.
    """

    changed: Mask
    moving: Mask
    gain: float
    level: float


class ChangeGauge:
    """Compares pictures of a board that stays where ``pose`` says, with ``margin`` cells around it."""

    def __init__(self, pose: BoardPose, margin: int) -> None:
        self._cells = pose.size + 2 * margin
        self._straighten = Rectifier(pose, SMALL, margin, rough=True)
        shape = (self._cells, self._cells, SMALL, SMALL)
        self._now: Floats = np.zeros(shape, np.float32)
        self._reference: Floats | None = None
        self._slack: Floats | None = None
        self._gain = 1.0
        self._before: tuple[Floats | None, float] = (None, 1.0)
        self._noise = LEAST / NOISES

    def look(self, image: NDArray[np.uint8]) -> Change:
        """Look at a picture (h, w, 3) BGR. At the first look everything has changed."""
        before, self._now = self._now, self._small(image)
        level = self._now.mean(axis=(2, 3))
        self._before = (None, 1.0)
        if self._reference is None:
            every = np.ones((self._cells, self._cells), np.bool_)
            return Change(every, every, 1.0, float(np.median(level)))
        if self._slack is None:
            self._slack = self._steepness(self._reference)
        step, moved = self._difference(before)
        self._note_noise(moved)
        self._gain, differs = self._difference(self._reference)
        least = max(LEAST, NOISES * self._noise)
        changed = differs > least * (1 + UNEVEN * abs(float(np.log(self._gain))))
        moving = moved > least * (1 + UNEVEN * abs(float(np.log(step))))
        self._follow(~changed & ~moving)
        return Change(changed, moving, self._gain, float(np.median(level)))

    def take_over(self, cells: Mask | None = None) -> None:
        """What was seen at the last look is what these cells (n, n), by default all, look like from now on."""
        self._before = (self._reference, self._gain)
        if cells is None or self._reference is None:
            self._reference, self._gain = self._now.copy(), 1.0
        else:
            self._reference = self._reference.copy()
            self._reference[cells] = (self._now[cells] + DARK) / self._gain - DARK
        self._slack = None

    def take_back(self) -> None:
        """What was taken over since the last look is not what the board looks like: it was shaken."""
        if self._before[0] is not None:
            self._reference, self._gain = self._before
            self._before, self._slack = (None, 1.0), None

    def _small(self, image: NDArray[np.uint8]) -> Floats:
        grey = cv2.transform(self._straighten(image), GREY)
        split = grey.reshape(self._cells, SMALL, self._cells, SMALL).swapaxes(1, 2)
        return np.ascontiguousarray(split, dtype=np.float32)

    def _difference(self, past: Floats) -> tuple[float, Floats]:
        """The gain against a past picture, and how much each cell differs beyond it, in mean grey levels."""
        ratio = (self._now.mean(axis=(2, 3)) + DARK) / (past.mean(axis=(2, 3)) + DARK)
        gain = float(np.median(ratio))
        gap = np.abs(self._now - ((past + DARK) * np.float32(gain) - DARK))
        if self._slack is not None:
            gap -= self._slack
        return gain, np.maximum(gap, 0, out=gap).mean(axis=(2, 3), dtype=np.float32)

    def _note_noise(self, moved: Floats) -> None:
        """More than half of the cells show nothing but noise, unless everything moves."""
        middle = min(float(np.median(moved)), LEAST)
        self._noise += 0.05 * (middle - self._noise)

    def _follow(self, cells: Mask) -> None:
        assert self._reference is not None
        here = self._reference[cells]
        self._reference[cells] = here + np.float32(FOLLOWS) * ((self._now[cells] + DARK) / self._gain - DARK - here)

    def _steepness(self, cells: Floats) -> Floats:
        """By how many grey levels pixels may change when the picture is shifted by SLACK."""
        side = self._cells * SMALL
        whole = np.ascontiguousarray(cells.swapaxes(1, 2)).reshape(side, side)
        across, down = cv2.Sobel(whole, cv2.CV_32F, 1, 0, scale=0.125), cv2.Sobel(whole, cv2.CV_32F, 0, 1, scale=0.125)
        steep = SLACK * (np.abs(across) + np.abs(down))
        split = steep.reshape(self._cells, SMALL, self._cells, SMALL).swapaxes(1, 2)
        return np.ascontiguousarray(split, dtype=np.float32)
