"""Pictures with two boards in view: on one table under one camera, or each in a picture of its own side by side."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.boards import outline
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.points import Layout
from kifuwatch.datasets.random_scenes import place_camera
from kifuwatch.datasets.render import render
from kifuwatch.datasets.scene import Scene, random_layout, stone_offsets
from tests.material import photograph

Picture = NDArray[np.uint8]
SIZE = (1280, 720)


def layout(size: int, seed: int) -> Layout:
    """A board as games leave it."""
    return random_layout(np.random.default_rng(seed), size)


def on_one_table(left: int, right: int, seed: int = 1, elevation: float = 52.0) -> tuple[Picture, list[BoardPose]]:
    """Two boards of so many lines beside each other, seen by one camera from in front of the gap between them."""
    poses = _poses(BoardSpec(left), BoardSpec(right), elevation)
    scenes = [_scene(pose, seed + 10 * i) for i, pose in enumerate(poses)]
    first, second = (render(scene).image for scene in scenes)
    mask = np.zeros(first.shape[:2], np.uint8)
    cv2.fillPoly(mask, [np.round(outline(poses[1], 1.2)).astype(np.int32)], 1)
    return np.where(mask[..., None] > 0, second, first), poses


def _poses(left: BoardSpec, right: BoardSpec, elevation: float) -> list[BoardPose]:
    """The left board's pose, and the right one's under the same camera, 120 mm of table between their grids."""
    width = left.across * (left.size - 1)
    gap, other = 120.0, right.across * (right.size - 1)
    depths = [spec.along * (spec.size - 1) for spec in (left, right)]
    aim = np.array([(width + gap + other) / 2, max(depths) / 2])
    span = width + gap + other
    angles = (np.radians(elevation), 0.0, 0.02)
    pose = place_camera(left, SIZE, 1200.0, angles, span * 1200.0 / (0.8 * SIZE[0]), aim, (0.0, 0.0))
    shift = np.eye(4)
    shift[:2, 3] = width + gap, (depths[0] - depths[1]) / 2
    projection = pose.projection @ shift
    middle = np.array([other / 2, depths[1] / 2, 0, 1])
    return [pose, replace(pose, spec=right, projection=projection / (projection[2] @ middle))]


def _scene(pose: BoardPose, seed: int) -> Scene:
    rng = np.random.default_rng(seed)
    stones = random_layout(rng, pose.size)
    scene = photograph(stones, seed=seed)
    return replace(scene, pose=pose, offsets=stone_offsets(rng, stones, pose.spec, 0.05))
