"""Scenes of what players do and cameras see now and then, which chance draws too rarely to learn from.

``odd_scene(seed)`` is the random scene of that seed with one thing made odd: stones laid far off their points, a camera
at the height of the table, or a diagram whose stones are numbered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from kifuwatch.datasets.hard_scenes import diagram, low_camera
from kifuwatch.datasets.random_scenes import hsv, random_hand, random_scene
from kifuwatch.datasets.scene import Scene, StoneLook, pushed_apart, stones_on

Rng = np.random.Generator
FURTHEST = 0.44  # pitches: beyond half of one, a stone is nearer to another point


def odd_scene(seed: int) -> Scene:
    """The odd scene of a seed, always the same."""
    rng = np.random.default_rng([seed, 8])
    kinds: tuple[Callable[[Scene, Rng], Scene], ...] = (_careless, _lowest, _numbered)
    return kinds[int(rng.choice(3, p=[0.6, 0.2, 0.2]))](random_scene(seed), rng)


def _careless(scene: Scene, rng: Rng) -> Scene:
    """Some stones lie between the points, as far as a third or nearly half of a pitch from their own."""
    size = scene.layout.size
    offsets = scene.offsets.copy()
    far = (rng.random((size, size)) < rng.uniform(0.1, 0.6)) & stones_on(scene.layout)
    angle, reach = rng.uniform(0, 2 * np.pi, (size, size)), rng.uniform(0.12, FURTHEST, (size, size))
    offsets[far] = (reach[..., None] * np.dstack([np.cos(angle), np.sin(angle)]))[far]
    return replace(scene, offsets=pushed_apart(offsets, scene.layout, scene.pose.spec), flat=False)


def _lowest(scene: Scene, rng: Rng) -> Scene:
    """A camera that stands on the table: the far lines are close together and stones hide the points behind them."""
    pose = low_camera(scene, rng, (16.0, 30.0))
    effects = replace(scene.effects, blur=min(scene.effects.blur, 0.05 * pose.pitch), jpeg=max(scene.effects.jpeg, 60))
    return replace(scene, pose=pose, effects=effects, hands=tuple(random_hand(rng, pose) for _ in scene.hands))


def _numbered(scene: Scene, rng: Rng) -> Scene:
    """A diagram in which every stone, or nearly, bears its number."""
    drawn = diagram(scene, rng)
    dull = StoneLook(hsv(rng, (0, 1), (0.0, 0.1), (0.75, 1.0)), 0.0, 10.0) if rng.random() < 0.3 else drawn.white
    return replace(drawn, white=dull, numbered=float(rng.choice([rng.uniform(0.5, 1.0), 1.0])))
