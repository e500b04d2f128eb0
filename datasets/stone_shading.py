"""Stones as ellipsoids: rays, normals, light, gloss, and the window that mirrors in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.datasets.scene import Light, StoneLook

Image = NDArray[np.float32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class StoneBody:
    """A stone in the world: where its centre is on the board (mm), the height of its underside, its measures and look.

    ``pattern`` is any number; its shell stripes and shade follow from it.
    """

    x: float
    y: float
    base: float
    radius: float
    thickness: float
    look: StoneLook
    pattern: float


def draw_stones(
    image: Image,
    pose: BoardPose,
    stones: list[StoneBody],
    lights: tuple[Light, ...],
    ambient: Floats,
    shade: Image | None,
) -> None:
    """Draw stones into a linear image (h, w, 3), the farthest first.

    ``shade`` (h, w) dims light that is blocked at a pixel.
    """
    camera = np.linalg.svd(pose.projection)[2][-1]
    camera = camera[:3] / camera[3]
    inverse = np.asarray(np.linalg.inv(pose.projection[:, :3]), dtype=float)
    order = sorted(stones, key=lambda s: -((s.x - camera[0]) ** 2 + (s.y - camera[1]) ** 2))
    for stone in order:
        _draw_stone(image, pose, camera, inverse, stone, lights, ambient, shade)


def _bounds(pose: BoardPose, stone: StoneBody, shape: tuple[int, ...]) -> tuple[int, int, int, int] | None:
    r = stone.radius
    box = np.array([[sx * r, sy * r, h] for sx in (-1, 1) for sy in (-1, 1) for h in (0, stone.thickness)])
    world = np.column_stack([box + np.array([stone.x, stone.y, stone.base]), np.ones(8)])
    image = world @ pose.projection.T
    if np.any(image[:, 2] <= 1e-9):
        return None
    pixels = image[:, :2] / image[:, 2:]
    x0, y0 = np.floor(pixels.min(axis=0)).astype(int) - 1
    x1, y1 = np.ceil(pixels.max(axis=0)).astype(int) + 2
    x0, y0, x1, y1 = max(x0, 0), max(y0, 0), min(x1, shape[1]), min(y1, shape[0])
    return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 and (x1 - x0) * (y1 - y0) < 400_000 else None


def _draw_stone(
    image: Image,
    pose: BoardPose,
    camera: Floats,
    inverse: Floats,
    stone: StoneBody,
    lights: tuple[Light, ...],
    ambient: Floats,
    shade: Image | None,
) -> None:
    bounds = _bounds(pose, stone, image.shape)
    if bounds is None:
        return
    x0, y0, x1, y1 = bounds
    gx, gy = np.meshgrid(np.arange(x0, x1), np.arange(y0, y1))
    rays = np.stack([gx, gy, np.ones_like(gx)], axis=-1).reshape(-1, 3) @ inverse.T
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    middle = np.array([stone.x, stone.y, stone.base + stone.thickness / 2])
    if (middle - camera) @ rays[len(rays) // 2] < 0:
        rays = -rays
    half_height = stone.thickness / 2
    if stone.look.half:  # flat below: the upper half of a taller ellipsoid
        middle[2], half_height = stone.base + 0.15 * stone.thickness, 0.85 * stone.thickness
    axes = np.array([stone.radius, stone.radius, half_height])
    alpha, hit = _hits((camera - middle) / axes, rays / axes, (y1 - y0, x1 - x0))
    normal = hit / axes
    normal /= np.linalg.norm(normal, axis=1, keepdims=True) + 1e-9
    if stone.look.half:
        alpha = alpha * (hit[:, 2] > -0.2)
    colour = _shade(normal, rays, hit, stone, lights, ambient, None if shade is None else shade[y0:y1, x0:x1].ravel())
    patch = image[y0:y1, x0:x1]
    blend = alpha.reshape(gx.shape)[..., None].astype(np.float32)
    image[y0:y1, x0:x1] = patch * (1 - blend) + colour.reshape(*gx.shape, 3).astype(np.float32) * blend


def _hits(o: Floats, d: Floats, shape: tuple[int, int]) -> tuple[Floats, Floats]:
    """Where rays (n, 3) from ``o`` meet the unit ball: how much of each pixel it fills (n), and the places (n, 3).

    ``shape`` (h, w): the rectangle of pixels to which the rays belong.
    """
    a, b, c = (d * d).sum(1), (d * o).sum(1), o @ o - 1
    disc = b * b - a * c
    grad = np.ones(shape)
    # Coverage at the rim: the discriminant falls off by about one unit of its gradient over a pixel.
    if min(shape) > 1:
        grad = np.abs(np.gradient(disc.reshape(shape), axis=0)) + np.abs(np.gradient(disc.reshape(shape), axis=1))
    alpha = np.clip(disc / (grad.ravel() + 1e-12) + 0.5, 0, 1)
    return alpha, o + d * ((-b - np.sqrt(np.maximum(disc, 0))) / a)[:, None]


def _shade(
    normal: Floats,
    rays: Floats,
    hit: Floats,
    stone: StoneBody,
    lights: tuple[Light, ...],
    ambient: Floats,
    shade: Image | None,
) -> Floats:
    look = stone.look
    albedo = np.array(look.albedo) * (0.97 + 0.06 * np.sin(stone.pattern * 7.0))
    if look.stripes > 0:
        angle = stone.pattern
        along = hit[:, 0] * np.cos(angle) + hit[:, 1] * np.sin(angle)
        bands = np.sin(along * (14 + 6 * np.sin(angle * 3)) + 2 * hit[:, 1] ** 2 + angle)
        surface = albedo * (1 - look.stripes * (0.5 + 0.5 * bands))[:, None]
    else:
        surface = np.broadcast_to(albedo, normal.shape)
    up = normal[:, 2]
    sky = (0.55 + 0.45 * up)[:, None] * ambient
    light_sum = sky.copy()
    mirror = rays - 2 * (rays * normal).sum(1, keepdims=True) * normal
    facing = np.clip(-(rays * normal).sum(1), 0, 1)
    fresnel = 0.04 + 0.96 * (1 - facing) ** 5
    glints = np.clip(mirror[:, 2:], 0, 1) * ambient * (fresnel * look.gloss)[:, None]
    for light in lights:
        direction = np.array(light.direction)
        wrap = 0.1 + 0.3 * light.softness
        lit = np.clip((normal @ direction + wrap) / (1 + wrap), 0, None)
        if shade is not None:
            lit = lit * shade
        light_sum += lit[:, None] * np.array(light.colour)
        lobe = np.clip(mirror @ direction, 0, 1) ** (look.sharpness * (1.1 - light.softness))
        strength = look.gloss * (0.5 + 3 * fresnel) * (1 if shade is None else shade)
        glints += (lobe * strength)[:, None] * np.array(light.colour)
    shaded: Floats = surface * light_sum + glints
    return shaded
