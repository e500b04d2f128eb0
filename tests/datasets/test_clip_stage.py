"""What a clip shows without hands: what lies behind the board is hidden by it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kifuwatch.datasets.clip_look import clip_look
from kifuwatch.datasets.clip_stage import Stage
from kifuwatch.datasets.render import top_mask
from kifuwatch.datasets.stone_shading import StoneBody

SIZE = (640, 480)


def test_a_stone_on_the_table_behind_the_board_does_not_show_on_its_wood() -> None:
    scene = clip_look(9, SIZE, 4).scene
    spec, pose = scene.pose.spec, scene.pose
    stage = Stage(scene, pose)
    bare = stage.picture.copy()
    wood = top_mask(pose, *SIZE) > 0.999
    x, y = 4 * spec.across, -spec.margin - spec.stone_diameter * 0.6
    radius, thickness = spec.stone_diameter / 2, spec.stone_thickness
    stage.lay({"captured": StoneBody(x, y, -scene.board.thickness, radius, thickness, scene.white, 0.0)})
    changed = np.abs(stage.picture - bare).max(axis=2) > 0.02
    # The lens smears what lies beside the wood a pixel or two into it.
    inner = wood & ~_grown(~wood)
    assert not (changed & inner).any()
    stage.lay({"on the rim": StoneBody(x, -spec.margin / 2, 0.0, radius, thickness, scene.white, 0.0)})
    assert (np.abs(stage.picture - bare).max(axis=2)[inner] > 0.02).sum() > 100


def _grown(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    out = mask.copy()
    for _ in range(3):
        out[1:] |= out[:-1]
        out[:-1] |= out[1:]
        out[:, 1:] |= out[:, :-1]
        out[:, :-1] |= out[:, 1:]
    return out
