"""Scenes of the kinds that networks find hard, more often than chance would draw them.

``hard_scene(seed)`` is the random scene of that seed with one thing made hard: a low camera close by with stones that
mirror, lamps of strong colours with odd stones, glare and light off the scale, or a diagram with numbered stones.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.errors import UsageError
from kifuwatch.datasets.random_scenes import place_camera, random_hand, random_scene
from kifuwatch.datasets.scene import BoardLook, CameraEffects, Colour3, Scene, StoneLook, random_layout, stone_offsets

Rng = np.random.Generator


def hard_scene(seed: int) -> Scene:
    """The hard scene of a seed, always the same."""
    rng = np.random.default_rng([seed, 7])
    kinds: tuple[Callable[[Scene, Rng], Scene], ...] = (_low, _lamps, _glare, diagram)
    return kinds[int(rng.choice(4, p=[0.4, 0.25, 0.15, 0.2]))](random_scene(seed), rng)


def _low(scene: Scene, rng: Rng) -> Scene:
    """A camera on the table's edge: near lines far apart, far ones close, and stones in which the window shows."""
    pose = low_camera(scene, rng)
    black = replace(scene.black, gloss=float(rng.uniform(0.5, 1.6)), sharpness=float(np.exp(rng.uniform(3, 6.5))))
    black = replace(black, albedo=(0.012, 0.012, 0.012)) if rng.random() < 0.6 else black
    effects = replace(scene.effects, blur=min(scene.effects.blur, 0.06 * pose.pitch), jpeg=max(scene.effects.jpeg, 60))
    hands = tuple(random_hand(rng, pose) for _ in scene.hands)
    return replace(scene, pose=pose, black=black, effects=effects, hands=hands, flat=False)


def low_camera(scene: Scene, rng: Rng, elevation: tuple[float, float] = (18.0, 42.0)) -> BoardPose:
    """A camera that looks at the scene's board from low down (degrees above the table), all of it in the picture."""
    spec, size = scene.pose.spec, scene.pose.image_size
    span = np.array([spec.across, spec.along]) * (spec.size - 1)
    for _ in range(300):
        focal = max(size) * float(np.exp(rng.normal(np.log(0.85), 0.22)))
        angles = np.radians(rng.uniform(*elevation)), float(rng.uniform(-np.pi, np.pi)), float(rng.normal(0, 0.06))
        distance = focal * float(np.hypot(*span)) / (rng.uniform(0.6, 1.25) * max(size))
        aim = span / 2 + rng.normal(0, 0.06, 2) * span
        try:
            pose = place_camera(spec, size, focal, angles, distance, aim, (0.0, 0.0), float(rng.normal(0, 0.02)))
        except UsageError:
            continue
        corners = pose.corners
        inside = np.all(corners > 3) and np.all(corners < np.array(size) - 4)
        if inside and pose.pitch >= 8:
            return pose
    return scene.pose


def _colour(rng: Rng, saturation: tuple[float, float], value: tuple[float, float]) -> Colour3:
    r, g, b = colorsys.hsv_to_rgb(rng.random(), rng.uniform(*saturation), rng.uniform(*value))
    return float(b), float(g), float(r)


def _lamps(scene: Scene, rng: Rng) -> Scene:
    """One or two lamps of strong colours; stones cream, green, blue, brown, or only a little apart."""
    lamps = []
    for light in scene.lights:
        colour = np.array(_colour(rng, (0.3, 0.97), (0.7, 1.0)))
        b, g, r = colour * max(light.colour)
        lamps.append(replace(light, colour=(float(b), float(g), float(r))))
    weak = np.array(_colour(rng, (0.0, 0.8), (0.6, 1.0))) * max(scene.ambient)
    ambient = (float(weak[0]), float(weak[1]), float(weak[2]))
    cast = _colour(rng, (0.0, 0.7), (0.8, 1.0)) if rng.random() < 0.5 else scene.effects.cast
    white = scene.white
    if rng.random() < 0.5:
        white = replace(white, albedo=_colour(rng, (0.05, 0.55), (0.55, 0.95)))
    black = scene.black
    if rng.random() < 0.4:
        black = replace(black, albedo=_colour(rng, (0.2, 0.9), (0.02, 0.16)))
    effects = replace(scene.effects, cast=cast, saturation=float(rng.uniform(0.8, 1.5)))
    return replace(scene, lights=tuple(lamps), ambient=ambient, black=black, white=white, effects=effects, flat=False)


def _glare(scene: Scene, rng: Rng) -> Scene:
    """A lamp or a bright window that mirrors in the varnish, or a picture far too bright or too dark."""
    spec = scene.pose.spec
    spots = []
    for _ in range(int(rng.integers(1, 5))):
        x, y = rng.uniform(0, 1, 2) * [spec.across, spec.along] * (spec.size - 1)
        size = float(np.exp(rng.uniform(np.log(8), np.log(170))))
        spots.append((float(x), float(y), size, float(np.exp(rng.normal(0, 0.5))), float(rng.uniform(0.3, 2.5))))
    exposure = float(rng.choice([rng.uniform(0.8, 1.2), rng.uniform(1.3, 2.6), rng.uniform(0.08, 0.3)]))
    effects = replace(scene.effects, exposure=exposure)
    return replace(scene, glare=tuple(spots), effects=effects, flat=False)


def diagram(scene: Scene, rng: Rng) -> Scene:
    """A diagram on a screen or on paper, from the front, its stones often numbered."""
    spec = replace(scene.pose.spec, across=22.0, along=22.0 * float(rng.choice([1.0, 1.0, 1.08])))
    spec = replace(spec, stone_diameter=22.0 * float(rng.uniform(0.84, 1.02)), margin=float(rng.uniform(11, 40)))
    paper = rng.random() < 0.45
    white, black = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)
    wood = _colour(rng, (0.0, 0.15), (0.85, 1.0)) if paper else _screen_wood(rng)
    board = BoardLook(
        kind="plain" if paper or rng.random() < 0.5 else "wood",
        colour=wood,
        grain=float(rng.uniform(0.1, 0.6)),
        line_colour=black,
        line_width=float(rng.uniform(0.4, 1.3)),
        line_strength=float(rng.uniform(0.5, 1.0)),
        wear=0.0,
        star_radius=float(rng.choice([0.0, rng.uniform(1.3, 3.0)], p=[0.1, 0.9])),
        thickness=0.5,
        border=float(rng.choice([0.0, rng.uniform(5, 12)], p=[0.8, 0.2])),
        labels=bool(rng.random() < 0.5),
        fold=0.0,
        gloss=0.0,
    )
    size = scene.pose.image_size
    pose = _front(spec.with_size(scene.pose.size), size, rng)
    layout = random_layout(rng, pose.size)
    return replace(
        scene,
        pose=pose,
        layout=layout,
        board=board,
        black=StoneLook(black if rng.random() < 0.7 else (0.02, 0.02, 0.02), 0.0, 10.0),
        white=StoneLook(white if rng.random() < 0.7 else (0.85, 0.88, 0.9), 0.0, 10.0),
        offsets=stone_offsets(rng, layout, pose.spec, 0.0),
        hands=(),
        glare=(),
        shadows=scene.shadows if rng.random() < 0.2 else (),
        lights=(),
        ambient=(1.0, 1.0, 1.0),
        effects=_clean(scene, rng),
        flat=True,
        numbered=float(rng.choice([0.0, rng.uniform(0.05, 0.4), 1.0], p=[0.3, 0.3, 0.4])),
    )


def _clean(scene: Scene, rng: Rng) -> CameraEffects:
    """What saving a screen does to it, or for some what a camera does."""
    if rng.random() < 0.4:
        return replace(scene.effects, motion=(0.0, 0.0))
    return CameraEffects(jpeg=int(rng.choice([0, int(rng.integers(40, 95))])), blur=float(rng.uniform(0, 0.6)))


def _screen_wood(rng: Rng) -> Colour3:
    r, g, b = colorsys.hsv_to_rgb(rng.uniform(0.07, 0.15), rng.uniform(0.2, 0.75), rng.uniform(0.55, 0.98))
    return float(b) ** 2.2, float(g) ** 2.2, float(r) ** 2.2


def _front(spec: BoardSpec, size: tuple[int, int], rng: Rng) -> BoardPose:
    """Straight from the front, as on a screen, or nearly so, as when paper is photographed."""
    span = np.array([spec.across, spec.along]) * (spec.size - 1)
    screen = rng.random() < 0.5
    for _ in range(300):
        focal = max(size) * float(rng.uniform(0.9, 1.6))
        elevation = np.radians(89.99 if screen else rng.uniform(62, 89))
        roll = 0.0 if screen else float(rng.normal(0, 0.08))
        distance = focal * float(max(span)) / (rng.uniform(0.35, 0.97) * min(size))
        aim = span / 2 + rng.normal(0, 0.08, 2) * span
        try:
            pose = place_camera(spec, size, focal, (float(elevation), 0.0, roll), distance, aim, (0.0, 0.0))
        except UsageError:
            continue
        if pose.pitch >= 8 and np.all(pose.corners > 5) and np.all(pose.corners < np.array(size) - 6):
            return pose
    raise UsageError("no camera could be placed")
