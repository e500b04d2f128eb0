"""Look again at the points that are in doubt.

The network reads the same board a little differently mirrored, or moved by a fifth of a pitch. What is sure stays what
it is; what is not, wavers, and the mean of such looks is wrong less often than the first. A film needs none of this:
it shows every point again and again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.closeup import PITCH, CloseUp, CloseUpReader
from kifuwatch.calibration.hidden import hidden_share
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.rectify import camera_side

DOUBTFUL = 0.9  # a point whose best reading, or whether it is hidden, is less probable is looked at again
STEP = 3  # pixels of PITCH: as far as a first fit is off now and then, so the network has learnt to bear it
SHIFTS = ((STEP, 0), (-STEP, 0), (0, STEP), (0, -STEP))
CONTEXT = 4  # cells round those in doubt that the network has to see

Pixels = NDArray[np.uint8]
Maps = NDArray[np.float32]


def look_again(reader: CloseUpReader, closeup: CloseUp, pose: BoardPose) -> CloseUp:
    """The same close-up of the board of ``pose``, its stones (logits) where they are in doubt the mean of six looks."""
    doubtful = _doubtful(closeup) & pose.sees(closeup.margin)
    if not doubtful.any():
        return closeup
    turn = camera_side(pose)
    seen, wanted = np.rot90(closeup.picture, -turn), np.rot90(doubtful, -turn)
    box = _box(wanted)
    picture = np.ascontiguousarray(seen[tuple(slice(s.start * PITCH, s.stop * PITCH) for s in box)])
    looks = [np.rot90(closeup.stones, -turn)[box], *_other_looks(reader, picture)]
    stones = np.array(np.rot90(closeup.stones, -turn))
    stones[wanted] = np.mean(looks, axis=0)[wanted[box]]
    return replace(closeup, stones=np.ascontiguousarray(np.rot90(stones, turn), dtype=np.float32))


def _doubtful(closeup: CloseUp) -> NDArray[np.bool_]:
    """Which cells (n, n) of the board itself are in doubt."""
    hidden = hidden_share(closeup)
    chances = np.exp(closeup.stones[..., :3] - closeup.stones[..., :3].max(axis=2, keepdims=True))
    best = 1 / chances.sum(axis=2)  # the likeliest is 1
    doubtful = np.zeros(best.shape, dtype=bool)
    board = np.s_[closeup.margin : -closeup.margin, closeup.margin : -closeup.margin]
    perhaps_hidden = np.maximum(hidden, 1 - hidden) < DOUBTFUL
    doubtful[board] = (perhaps_hidden | ((best < DOUBTFUL) & (hidden < DOUBTFUL)))[board]
    return doubtful


def _box(cells: NDArray[np.bool_]) -> tuple[slice, slice]:
    """The rows and columns of these cells and of what the network has to see round them."""
    spans = [np.flatnonzero(cells.any(axis=axis)) for axis in (1, 0)]
    rows, cols = (
        slice(max(0, int(span[0]) - CONTEXT), min(n, int(span[-1]) + 1 + CONTEXT))
        for span, n in zip(spans, cells.shape, strict=True)
    )
    return rows, cols


def _other_looks(reader: CloseUpReader, picture: Pixels) -> Iterator[Maps]:
    """What the network says of the stones (rows, columns, 4) when the picture is mirrored and moved."""
    yield reader.answers(np.ascontiguousarray(picture[:, ::-1]))[:, ::-1, :4]
    height, width = picture.shape[:2]
    for across, down in SHIFTS:
        moved = cv2.warpAffine(
            picture,
            np.array([[1, 0, across], [0, 1, down]], np.float32),
            (width, height),
            borderMode=cv2.BORDER_REPLICATE,
        )
        yield reader.answers(np.asarray(moved, dtype=np.uint8))[..., :4]
