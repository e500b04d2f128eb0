"""Photographs for tests, rendered here and now: a board in daylight, seen from in front."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.points import Layout
from kifuwatch.datasets.render import render
from kifuwatch.datasets.scene import BoardLook, CameraEffects, Light, Scene, StoneLook
from kifuwatch.vision.images import save_image

WIDTH, HEIGHT = 800, 600
CORNERS = ((205.0, 95.0), (598.0, 98.0), (668.0, 512.0), (128.0, 505.0))

WOOD = BoardLook(
    kind="wood",
    colour=(0.12, 0.36, 0.62),
    grain=0.5,
    line_colour=(0.02, 0.02, 0.02),
    line_width=0.9,
    line_strength=0.95,
    wear=0.0,
    star_radius=2.0,
    thickness=30.0,
    border=0.0,
    labels=False,
    fold=0.0,
    gloss=0.05,
)


def photograph(layout: Layout, corners: tuple[tuple[float, float], ...] = CORNERS, seed: int = 7) -> Scene:
    """A scene with these stones, the outermost points at ``corners`` (pixels)."""
    pose = BoardPose.from_corners(corners, BoardSpec(layout.size), (WIDTH, HEIGHT))
    return Scene(
        seed=seed,
        pose=pose,
        layout=layout,
        board=WOOD,
        black=StoneLook((0.015, 0.015, 0.017), 0.25, 40.0),
        white=StoneLook((0.75, 0.78, 0.8), 0.3, 60.0),
        lights=(Light((-0.3, -0.5, 0.81), (0.75, 0.78, 0.8), 0.6),),
        ambient=(0.35, 0.34, 0.33),
        table=(0.16, 0.17, 0.2),
        offsets=np.zeros((layout.size, layout.size, 2)),
        effects=CameraEffects(blur=0.5, noise=0.01),
    )


def take(path: Path, layout: Layout, corners: tuple[tuple[float, float], ...] = CORNERS) -> Path:
    """Render a board into a file."""
    save_image(path, render(photograph(layout, corners)).image)
    return path


def take_all(folder: Path, layouts: Iterable[Layout]) -> Path:
    """A folder of numbered photographs, one for each board."""
    folder.mkdir()
    for number, layout in enumerate(layouts, 1):
        take(folder / f"{number:02d}.jpg", layout)
    return folder
