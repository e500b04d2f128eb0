"""Look again at the points that are in doubt.

The network reads the same board a little differently mirrored, or moved by a fifth of a pitch. What is sure stays what
it is; what is not, wavers, and the mean of such looks is wrong less often than the first.
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
from kifuwatch.vision.windows import windows_round

DOUBTFUL = 0.9  # a point whose best reading, or whether it is hidden, is less probable is looked at again
STEP = 3  # pixels of PITCH: as far as a first fit is off now and then, so the network has learnt to bear it
SHIFTS = ((STEP, 0), (-STEP, 0), (0, STEP), (0, -STEP))
CONTEXT = 3  # cells round those in doubt that the network has to see

Pixels = NDArray[np.uint8]
Maps = NDArray[np.float32]


def look_again(
    reader: CloseUpReader, closeup: CloseUp, pose: BoardPose, among: NDArray[np.bool_] | None = None
) -> CloseUp:
    """The same close-up of the board of ``pose``, its stones (logits) where they are in doubt the mean of six looks.

    ``among`` (n, n), margins too: the cells that may be looked at again; otherwise all.
    """
    doubtful = _doubtful(closeup)
    if among is not None:
        doubtful &= among
    if doubtful.any():  # only then is it worth asking what the picture shows
        doubtful &= pose.sees(closeup.margin)
    if not doubtful.any():
        return closeup
    turn = camera_side(pose)
    seen, wanted = np.rot90(closeup.picture, -turn), np.rot90(doubtful, -turn)
    first = np.rot90(closeup.stones, -turn)
    stones = first.copy()
    for window in windows_round(wanted, CONTEXT):
        left, top, right, below = window.shown
        part = seen[top * PITCH : below * PITCH, left * PITCH : right * PITCH]
        looks = [first[top:below, left:right], *_other_looks(reader, np.ascontiguousarray(part))]
        inside = np.zeros_like(wanted)
        inside[window.wanted[1] : window.wanted[3], window.wanted[0] : window.wanted[2]] = True
        inside &= wanted
        stones[inside] = np.mean(looks, axis=0)[inside[top:below, left:right]]
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
