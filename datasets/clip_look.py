"""How a clip looks: a board, stones, a table, lamps, two players and a camera, drawn from a seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Layout
from kifuwatch.datasets.random_scenes import place_camera
from kifuwatch.datasets.scene import BoardLook, CameraEffects, Colour3, Light, Scene, StoneLook

SKINS: tuple[Colour3, ...] = (
    (0.36, 0.47, 0.75),
    (0.27, 0.38, 0.66),
    (0.22, 0.34, 0.62),
    (0.14, 0.24, 0.46),
    (0.07, 0.12, 0.26),
)
SLEEVES: tuple[Colour3, ...] = (
    (0.28, 0.12, 0.06),
    (0.06, 0.06, 0.07),
    (0.62, 0.62, 0.6),
    (0.10, 0.16, 0.06),
    (0.05, 0.05, 0.28),
    (0.32, 0.3, 0.28),
)
TABLES: tuple[Colour3, ...] = (
    (0.09, 0.16, 0.27),
    (0.18, 0.30, 0.42),
    (0.05, 0.08, 0.13),
    (0.10, 0.20, 0.08),
    (0.42, 0.44, 0.45),
    (0.25, 0.14, 0.10),
)


@dataclass(frozen=True)
class Player:
    """How a player's hand looks."""

    skin: Colour3
    sleeve: Colour3


@dataclass(frozen=True, eq=False)
class ClipLook:
    """``scene`` without stones, as seen at the start; the hands of both; the sensor's noise in grey levels; ``traced``:
    the light in which the stage is path-traced, None where it is drawn fast."""

    scene: Scene
    black: Player
    white: Player
    grain: float = 1.2
    traced: str | None = None


def clip_look(size: int, image_size: tuple[int, int], seed: int) -> ClipLook:
    """The look of a seed: a good board in good light, the camera on Black's side or a little beside it."""
    rng = np.random.default_rng([seed, 11])
    across = rng.uniform(21.5, 23.8)
    ratio = float(np.clip(rng.normal(1.065, 0.02), 1.02, 1.11))
    diameter, thickness, margin = across * rng.uniform(0.93, 0.99), rng.uniform(7.5, 9.5), rng.uniform(14, 26)
    spec = BoardSpec(size, across, across * ratio, diameter, thickness, margin, "clip")
    elevation, azimuth, roll = np.radians(rng.uniform(50, 82)), rng.normal(0, 0.12), rng.normal(0, 0.02)
    pose = clip_pose(spec, image_size, float(elevation), azimuth, roll, rng.uniform(1.05, 1.5))
    lights, ambient = _lights(rng)
    scene = Scene(
        seed=seed,
        pose=pose,
        layout=Layout.empty(size),
        board=_board(rng),
        black=StoneLook((0.013, 0.013, 0.013), rng.uniform(0.1, 0.5), rng.uniform(15, 60)),
        white=_white(rng),
        lights=lights,
        ambient=ambient,
        table=_pick(rng, TABLES),
        offsets=np.zeros((size, size, 2)),
        clutter=1,
        effects=_effects(rng),
    )
    return ClipLook(
        scene,
        Player(_pick(rng, SKINS), _pick(rng, SLEEVES)),
        Player(_pick(rng, SKINS), _pick(rng, SLEEVES)),
        rng.uniform(0.8, 2.0),
    )


def clip_pose(
    spec: BoardSpec,
    image_size: tuple[int, int],
    elevation: float,
    azimuth: float,
    roll: float,
    focal: float,
    away: float = 1.0,
) -> BoardPose:
    """A camera that shows the whole board with its wood, as large as the picture allows. Angles in radians.

    ``focal`` is in widths of the picture; ``away`` moves the camera so many times as far back.
    """
    width, height = image_size
    length = focal * max(width, height)
    span = np.array([spec.across, spec.along]) * (spec.size - 1)
    near, far = 50.0, 20_000.0
    for _ in range(40):
        distance = np.sqrt(near * far)
        try:
            pose = place_camera(spec, image_size, length, (elevation, azimuth, roll), distance, span / 2, (0.0, 0.0))
        except UsageError:
            near = distance
            continue
        near, far = (near, distance) if _shows(pose) else (distance, far)
    return place_camera(spec, image_size, length, (elevation, azimuth, roll), far * away, span / 2, (0.0, 0.0))


def _shows(pose: BoardPose) -> bool:
    """Whether the wood lies inside the picture, with room."""
    spec, last = pose.spec, pose.size - 1
    u, v = spec.margin / spec.across, spec.margin / spec.along
    wood = np.array([[-u, -v], [last + u, -v], [last + u, last + v], [-u, last + v]])
    depth = np.column_stack([wood * [spec.across, spec.along], np.zeros(4), np.ones(4)]) @ pose.projection[2]
    room = 0.03 * min(pose.image_size)
    pixels: NDArray[np.float64] = pose.project(wood)
    inside = np.all(pixels > room) and np.all(pixels < np.array(pose.image_size) - 1 - room)
    return bool(inside and np.all(depth > 0))


def _pick(rng: np.random.Generator, choices: tuple[Colour3, ...]) -> Colour3:
    b, g, r = np.array(choices[int(rng.integers(len(choices)))]) * rng.uniform(0.85, 1.1)
    return float(b), float(g), float(r)


def _board(rng: np.random.Generator) -> BoardLook:
    colour = _pick(rng, ((0.22, 0.50, 0.74), (0.28, 0.55, 0.78), (0.16, 0.42, 0.68), (0.13, 0.30, 0.50)))
    return BoardLook(
        kind="wood",
        colour=colour,
        grain=rng.uniform(0.4, 1.1),
        line_colour=(0.02, 0.025, 0.03),
        line_width=rng.uniform(0.8, 1.1),
        line_strength=rng.uniform(0.8, 0.95),
        wear=0.0,
        star_radius=rng.uniform(1.8, 2.4),
        thickness=float(rng.choice([rng.uniform(10, 30), rng.uniform(40, 70)])),
        border=0.0,
        labels=False,
        fold=0.0,
        gloss=0.0,
    )


def _white(rng: np.random.Generator) -> StoneLook:
    return StoneLook((0.80, 0.84, 0.85), rng.uniform(0.1, 0.4), rng.uniform(20, 80), float(rng.choice([0, 0.06])))


def _lights(rng: np.random.Generator) -> tuple[tuple[Light, ...], Colour3]:
    """A lamp or a window, and a room that is bright enough."""
    height, way, power = np.radians(rng.uniform(40, 72)), rng.uniform(0, 2 * np.pi), rng.uniform(0.55, 0.75)
    direction = (float(np.cos(height) * np.cos(way)), float(np.cos(height) * np.sin(way)), float(np.sin(height)))
    warm = rng.uniform(-0.06, 0.06)
    strength = power / direction[2]
    lamp = (strength * (1 - warm), strength, strength * (1 + warm))
    sky = 1.05 - power
    return (Light(direction, lamp, rng.uniform(0.15, 0.6)),), (sky * (1 + warm / 2), sky, sky * (1 - warm / 2))


def _effects(rng: np.random.Generator) -> CameraEffects:
    return CameraEffects(
        exposure=rng.uniform(0.92, 1.1), vignette=rng.uniform(0, 0.25), gamma=2.2, contrast=rng.uniform(1, 1.12)
    )
