"""Draw a whole scene at random from one seed: the variety that a reader and a finder must cope with."""

from __future__ import annotations

import colorsys
from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.errors import UsageError
from kifuwatch.datasets.scene import (
    BoardLook,
    CameraEffects,
    Colour3,
    Hand,
    Light,
    Scene,
    StoneLook,
    random_layout,
    stone_offsets,
)

Rng = np.random.Generator


def random_scene(seed: int, image_size: tuple[int, int] | None = None) -> Scene:
    """The scene of a seed, always the same. ``image_size`` (width, height) is drawn too when not given."""
    rng = np.random.default_rng(seed)
    if image_size is None:
        longest, ratio = rng.uniform(560, 1100), rng.choice([0.5625, 0.75, 1.0], p=[0.3, 0.5, 0.2])
        sides = round(longest), round(longest * ratio)
        image_size = sides if rng.random() < 0.6 else (sides[1], sides[0])
    flat = rng.random() < 0.06
    spec = random_spec(rng, int(rng.choice([9, 13, 19], p=[0.2, 0.25, 0.55])))
    pose = random_pose(rng, spec, image_size)
    board = random_board(rng, flat)
    layout = random_layout(rng, spec.size)
    black, white = _stones(rng, flat)
    lights, ambient = _lights(rng)
    scene = Scene(
        seed=seed,
        pose=pose,
        layout=layout,
        board=board,
        black=black,
        white=white,
        lights=lights,
        ambient=ambient,
        table=_surface(rng),
        offsets=stone_offsets(rng, layout, spec, rng.uniform(0.02, 0.13)),
        clutter=int(rng.integers(0, 7)),
        shadows=_shadows(rng, spec),
        effects=_effects(rng, pose.pitch),
        flat=flat,
    )
    hands = tuple(random_hand(rng, pose) for _ in range(rng.choice([0, 1, 2], p=[0.62, 0.28, 0.1])))
    scene = replace(scene, hands=hands, glare=_glare(np.random.default_rng([seed, 1]), spec))
    return _with_extras(scene, np.random.default_rng([seed, 2]))


def _with_extras(scene: Scene, rng: Rng) -> Scene:
    """A clock, a grid printed twice, a film's encoder: drawn apart, so that all else of a seed stays the same."""
    clocks = int(rng.choice([0, 1], p=[0.8, 0.2]))
    doubled = float(rng.choice([0, rng.uniform(0.6, 1.8)], p=[0.96, 0.04]))
    video = float(rng.choice([0, rng.uniform(0.05, 0.9)], p=[0.8, 0.2]))
    return replace(
        scene,
        clocks=clocks,
        board=replace(scene.board, doubled=doubled),
        effects=replace(scene.effects, video=video),
    )


def _glare(rng: Rng, spec: BoardSpec) -> tuple[tuple[float, float, float, float, float], ...]:
    """Lamps and windows that mirror in the varnish."""
    spots = []
    for _ in range(rng.choice([0, 1, 2, 4], p=[0.6, 0.2, 0.12, 0.08])):
        x, y = rng.uniform(-0.1, 1.1, 2) * [spec.across, spec.along] * (spec.size - 1)
        size = float(np.exp(rng.uniform(np.log(6), np.log(150))))
        spots.append((float(x), float(y), size, float(np.exp(rng.normal(0, 0.5))), float(rng.uniform(0.1, 1.2))))
    return tuple(spots)


def random_spec(rng: Rng, size: int) -> BoardSpec:
    """A board's measures: pitches, margin, stones."""
    across = rng.uniform(20.5, 24.5)
    ratio = 1.0 if rng.random() < 0.25 else float(np.clip(rng.normal(1.065, 0.025), 1.0, 1.12))
    if rng.random() < 0.12:
        ratio = 1 / ratio  # set up sideways
    margin = rng.choice([rng.uniform(7, 14), rng.uniform(12, 26), rng.uniform(25, 140)], p=[0.25, 0.6, 0.15])
    diameter = across * min(ratio, 1.0) * rng.choice([rng.uniform(0.93, 1.01), rng.uniform(0.8, 0.93)], p=[0.75, 0.25])
    return BoardSpec(size, across, across * ratio, diameter, rng.uniform(5.0, 10.5), float(margin), "random")


def random_pose(rng: Rng, spec: BoardSpec, image_size: tuple[int, int]) -> BoardPose:
    """A camera somewhere above, from 20 degrees to straight down, near or far, sometimes cropping the board."""
    width, height = image_size
    longest = max(image_size)
    for _ in range(200):
        focal = longest * float(np.exp(rng.normal(np.log(0.95), 0.25)))
        elevation = np.radians(
            rng.choice([rng.uniform(22, 45), rng.uniform(40, 75), rng.uniform(70, 90)], p=[0.3, 0.38, 0.32])
        )
        azimuth = rng.choice([rng.normal(0, 0.25), rng.uniform(-np.pi, np.pi)], p=[0.6, 0.4]) + rng.choice(
            [0, np.pi / 2, np.pi, -np.pi / 2], p=[0.7, 0.1, 0.1, 0.1]
        )
        roll = rng.normal(0, 0.08)
        span = np.array([spec.across, spec.along]) * (spec.size - 1)
        share = rng.choice(
            [rng.uniform(0.25, 0.6), rng.uniform(0.55, 0.95), rng.uniform(0.95, 1.1)], p=[0.25, 0.6, 0.15]
        )
        distance = focal * float(np.hypot(*span)) / (share * 1.25 * min(width, height))
        aim = span / 2 + rng.normal(0, 0.06, 2) * span
        principal = rng.normal(0, 0.04) * width, rng.normal(0, 0.04) * height
        k1 = rng.choice([0.0, rng.normal(0, 0.03), rng.uniform(-0.22, -0.05)], p=[0.4, 0.4, 0.2])
        try:
            pose = place_camera(
                spec, image_size, focal, (elevation, azimuth, roll), distance, aim, principal, float(k1)
            )
        except UsageError:
            continue
        corners = pose.corners
        edge = pose.pitch * rng.choice([0.2, -0.45], p=[0.85, 0.15])  # outermost points inside, or just cropped
        inside = np.all(corners > edge) and np.all(corners < np.array(image_size) - 1 - edge)
        if inside and pose.pitch >= 7.5:
            return pose
    raise UsageError("no camera could be placed")


def place_camera(
    spec: BoardSpec,
    image_size: tuple[int, int],
    focal: float,
    angles: tuple[float, float, float],
    distance: float,
    aim: NDArray[np.float64],
    principal: tuple[float, float],
    k1: float = 0.0,
) -> BoardPose:
    """The pose of a camera ``distance`` mm from the point ``aim`` (X, Y in mm) at which it looks.

    ``angles``: elevation above the board, azimuth (0: from below the board text) and roll, in radians. ``focal`` and
    ``principal``, how far the optical axis misses the picture's centre, are pixels.
    """
    (width, height), (elevation, azimuth, roll) = image_size, angles
    # Camera axes in world coordinates (X, Y, height).
    back = np.array([np.cos(elevation) * np.sin(azimuth), np.cos(elevation) * np.cos(azimuth), np.sin(elevation)])
    up = np.array([-np.sin(azimuth) * np.sin(elevation), -np.cos(azimuth) * np.sin(elevation), np.cos(elevation)])
    right = np.cross(back, up)
    right, up = np.cos(roll) * right + np.sin(roll) * up, -np.sin(roll) * right + np.cos(roll) * up
    eye = np.array([*aim, 0.0]) + back * distance
    turn = np.stack([right, -up, -back])
    centre = (width - 1) / 2 + principal[0], (height - 1) / 2 + principal[1]
    camera = np.array([[focal, 0, centre[0]], [0, focal, centre[1]], [0, 0, 1]])
    projection = camera @ np.column_stack([turn, -turn @ eye])
    middle = np.array([spec.across, spec.along]) * (spec.size - 1) / 2
    return BoardPose(spec, image_size, projection / (projection[2] @ [*middle, 0, 1]), focal, k1)


def hsv(rng: Rng, hue: tuple[float, float], saturation: tuple[float, float], value: tuple[float, float]) -> Colour3:
    """A colour (linear BGR) with hue, saturation and value within bounds."""
    r, g, b = colorsys.hsv_to_rgb(rng.uniform(*hue) % 1.0, rng.uniform(*saturation), rng.uniform(*value))
    return float(b), float(g), float(r)


def _surface(rng: Rng) -> Colour3:
    pick = rng.random()
    if pick < 0.4:
        return hsv(rng, (0.02, 0.13), (0.3, 0.9), (0.03, 0.6))
    if pick < 0.75:
        return hsv(rng, (0, 1), (0, 0.15), (0.01, 0.85))
    return hsv(rng, (0, 1), (0.3, 0.95), (0.02, 0.6))


def random_board(rng: Rng, flat: bool) -> BoardLook:
    """What a board looks like; ``flat``: a printed diagram or a screen."""
    kinds = {
        "kaya": ("wood", hsv(rng, (0.085, 0.13), (0.45, 0.8), (0.5, 0.9))),
        "orange": ("wood", hsv(rng, (0.06, 0.1), (0.6, 0.92), (0.4, 0.8))),
        "brown": ("wood", hsv(rng, (0.03, 0.1), (0.4, 0.8), (0.1, 0.4))),
        "pale": ("plain", hsv(rng, (0.08, 0.17), (0.02, 0.45), (0.55, 0.95))),
        "odd": ("plain", hsv(rng, (0, 1), (0.05, 0.7), (0.25, 0.9))),
    }
    name = str(rng.choice(list(kinds), p=[0.3, 0.22, 0.16, 0.22, 0.1]))
    kind, colour = kinds[name]
    if flat:
        kind, colour = "plain", hsv(rng, (0.08, 0.15), (0, 0.6), (0.6, 1.0))
    ink = (
        hsv(rng, (0, 0.1), (0, 0.6), (0.0, 0.06))
        if rng.random() < 0.9
        else hsv(rng, (0, 0.15), (0.1, 0.7), (0.03, 0.15))
    )
    return BoardLook(
        kind=kind,
        colour=colour,
        grain=float(rng.choice([rng.uniform(0.1, 0.8), rng.uniform(0.8, 2.5)], p=[0.6, 0.4])),
        line_colour=ink,
        line_width=rng.uniform(0.5, 1.5),
        line_strength=float(rng.choice([rng.uniform(0.35, 0.7), rng.uniform(0.7, 1)], p=[0.25, 0.75])),
        wear=float(rng.choice([0, rng.uniform(0.1, 0.6)], p=[0.7, 0.3])),
        star_radius=float(rng.choice([0, rng.uniform(1.3, 3.2)], p=[0.12, 0.88])),
        thickness=0.5
        if flat
        else float(rng.choice([rng.uniform(0.5, 4), rng.uniform(8, 60), rng.uniform(60, 200)], p=[0.25, 0.6, 0.15])),
        border=float(rng.choice([0, rng.uniform(4, 14)], p=[0.85, 0.15])),
        labels=bool(rng.random() < 0.14),
        fold=float(rng.choice([0, rng.uniform(-1.5, 1.5), rng.uniform(9, 13)], p=[0.8, 0.1, 0.1])),
        gloss=0.0,
    )


def _stones(rng: Rng, flat: bool) -> tuple[StoneLook, StoneLook]:
    dark = float(np.exp(rng.uniform(np.log(0.006), np.log(0.08))))
    light = rng.uniform(0.55, 0.98)
    tint = rng.normal(1, 0.06, 3)
    half = bool(rng.random() < 0.2)
    black_gloss = float(rng.choice([rng.uniform(0.02, 0.2), rng.uniform(0.2, 1.0)]))
    white_gloss = float(rng.choice([rng.uniform(0.02, 0.2), rng.uniform(0.2, 0.8)]))
    stripes = float(rng.choice([0, rng.uniform(0.03, 0.12)], p=[0.7, 0.3]))
    black = np.clip(np.array([dark] * 3) * rng.normal(1, 0.12, 3), 0.003, 1)
    white = np.clip(light * tint * [rng.uniform(0.75, 1.0), 1, 1], 0, 1)
    if rng.random() < 0.06 and not flat:  # green or blue glass, cream, amber
        white = np.array(hsv(rng, (0, 1), (0.2, 0.6), (0.5, 0.95)))
    if rng.random() < 0.05 and not flat:
        black = np.array(hsv(rng, (0, 1), (0.3, 0.9), (0.02, 0.12)))
    sharp_b, sharp_w = float(np.exp(rng.uniform(1.5, 6.5))), float(np.exp(rng.uniform(1.5, 6.5)))
    b, w = (tuple(float(c) for c in colour) for colour in (black, white))
    return (
        StoneLook((b[0], b[1], b[2]), black_gloss, sharp_b, 0.0, half),
        StoneLook((w[0], w[1], w[2]), white_gloss, sharp_w, stripes, half),
    )


def _lights(rng: Rng) -> tuple[tuple[Light, ...], Colour3]:
    count = int(rng.choice([1, 2, 3], p=[0.5, 0.35, 0.15]))
    share = rng.dirichlet(np.ones(count + 1) * 1.5)
    total = rng.uniform(0.9, 1.3)
    lights = []
    for i in range(count):
        elevation, azimuth = np.radians(rng.uniform(15, 85)), rng.uniform(0, 6.28)
        direction = (
            float(np.cos(elevation) * np.cos(azimuth)),
            float(np.cos(elevation) * np.sin(azimuth)),
            float(np.sin(elevation)),
        )
        tint = rng.normal(1, 0.08, 3)
        colour = share[i] * total * tint / max(direction[2], 0.4)
        lights.append(
            Light(
                direction,
                (float(colour[0]), float(colour[1]), float(colour[2])),
                float(rng.choice([rng.uniform(0, 0.15), rng.uniform(0.15, 1)], p=[0.35, 0.65])),
            )
        )
    sky = share[-1] * total * rng.normal(1, 0.06, 3)
    return tuple(lights), (float(sky[0]), float(sky[1]), float(sky[2]))


def _shadows(rng: Rng, spec: BoardSpec) -> tuple[tuple[NDArray[np.float64], float, float], ...]:
    shadows = []
    span = np.array([spec.across, spec.along]) * (spec.size - 1)
    for _ in range(rng.choice([0, 1, 2, 3], p=[0.6, 0.22, 0.12, 0.06])):
        if rng.random() < 0.5:  # half the board, a window frame, a head
            middle, angle = rng.uniform(0, 1, 2) * span, rng.uniform(0, 6.28)
            aside = np.array([-np.sin(angle), np.cos(angle)])
            ahead = np.array([np.cos(angle), np.sin(angle)])
            wide = rng.choice([rng.uniform(15, 80), 900])
            polygon = np.array(
                [
                    middle - aside * 900,
                    middle + aside * 900,
                    middle + aside * 900 + ahead * wide,
                    middle - aside * 900 + ahead * wide,
                ]
            )
        else:
            centre = rng.uniform(-0.1, 1.1, 2) * span
            polygon = (
                cv2.convexHull((centre + rng.normal(0, rng.uniform(20, 110), (7, 2))).astype(np.float32))
                .reshape(-1, 2)
                .astype(float)
            )
        shadows.append((polygon, float(np.exp(rng.uniform(-1, 3.5))), rng.uniform(0.2, 0.9)))
    return tuple(shadows)


def random_hand(rng: Rng, pose: BoardPose) -> Hand:
    """A hand that reaches over the board from outside the picture, a sleeve behind it, or a head."""
    width, height = pose.image_size
    last = pose.size - 1
    tip = pose.project([rng.uniform(-1, last + 1, 2)], rng.uniform(0, 60))[0]
    angle = rng.uniform(0, 6.28)
    root = tip + np.array([np.cos(angle), np.sin(angle)]) * (width + height) * 0.8
    board_wide = pose.pitch / pose.spec.across * 80  # a hand is about 80 mm wide
    skin = hsv(rng, (0.02, 0.08), (0.25, 0.65), (0.12, 0.85))
    kind = "head" if rng.random() < 0.12 else "hand"
    if kind == "head":
        skin = hsv(rng, (0.0, 0.12), (0.0, 0.6), (0.01, 0.3))
        board_wide *= rng.uniform(1.0, 1.8)
    return Hand(
        (float(tip[0]), float(tip[1])),
        (float(root[0]), float(root[1])),
        float(board_wide * rng.uniform(0.75, 1.4)),
        skin,
        _surface(rng),
        float(board_wide * rng.uniform(1.2, 5.5)),
        kind,
        int(rng.integers(0, 2**31)),
    )


def _effects(rng: Rng, pitch: float) -> CameraEffects:
    cast = np.exp(rng.normal(0, 0.09, 3))
    exposure = float(np.exp(rng.normal(0.05, 0.22)))
    lamp = np.ones(3)
    kind = rng.random()
    if kind < 0.12:  # coloured lamps, sometimes from one side
        cast = cast * np.array(hsv(rng, (0, 1), (0.2, 0.75), (0.7, 1)))
        lamp = np.array(hsv(rng, (0, 1), (0.1, 0.7), (0.6, 1))) * rng.uniform(0.8, 1.3)
    elif kind < 0.5:
        lamp = np.full(3, rng.uniform(0.35, 1.6)) * np.exp(rng.normal(0, 0.07, 3))
    if rng.random() < 0.1:
        exposure *= rng.uniform(0.12, 0.5)
    reach = max(1.0, pitch / 16)
    blur = abs(float(rng.normal(0, 0.7))) * reach if rng.random() < 0.7 else rng.uniform(0.8, 2.2) * reach * 0.8
    motion = rng.normal(0, 2.5, 2) * reach if rng.random() < 0.08 else np.zeros(2)
    return CameraEffects(
        exposure=exposure,
        cast=(float(cast[0]), float(cast[1]), float(cast[2])),
        lamp=(float(lamp[0]), float(lamp[1]), float(lamp[2])),
        lamp_angle=rng.uniform(0, 6.28),
        vignette=float(rng.choice([0, rng.uniform(0, 0.5)])),
        gamma=rng.uniform(1.8, 2.6),
        contrast=rng.uniform(0.85, 1.35),
        blur=float(min(blur, 0.12 * pitch)),
        motion=(float(motion[0]), float(motion[1])),
        noise=float(abs(rng.normal(0, 0.12))) if rng.random() < 0.75 else float(rng.uniform(0.1, 0.45)),
        sharpen=float(rng.choice([0, rng.uniform(0.2, 1.8)], p=[0.6, 0.4])),
        jpeg=int(rng.choice([0, int(rng.integers(25, 96))], p=[0.15, 0.85])),
        saturation=float(rng.choice([rng.uniform(0.7, 1.35), rng.uniform(0, 0.4)], p=[0.93, 0.07])),
    )
