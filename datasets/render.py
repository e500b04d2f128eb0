"""Render a :class:`~kifuwatch.datasets.scene.Scene` to a picture and its truth, in a fraction of a second and without a GPU.

Surfaces are textures warped by the pose's homography; stones are ray-traced ellipsoids; shadows are drawn on the board's
texture. Good enough to train on and to test with; light does not bounce.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.points import BLACK, EMPTY
from kifuwatch.datasets.effects import apply_effects, bend
from kifuwatch.datasets.props import clutter, draw_hand
from kifuwatch.datasets.scene import Scene
from kifuwatch.datasets.stone_shading import StoneBody, draw_stones
from kifuwatch.datasets.texture import board_top, noise, table

Image = NDArray[np.float32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Rendered:
    """A picture (h, w, 3) uint8 BGR with its scene, and how much of each point is covered (n, n) float, 0..1."""

    image: NDArray[np.uint8]
    scene: Scene
    covered: NDArray[np.float32]


def render(scene: Scene) -> Rendered:
    """The picture of a scene. The same scene gives the same picture."""
    rng = np.random.default_rng(scene.seed)
    straight = _without_distortion(scene.pose)
    width, height = scene.pose.image_size
    ambient = np.array(scene.ambient)
    image = _surroundings(scene, straight, rng)
    # Things round the board come first: what the board stands on or before may not hide its points.
    draw_stones(image, straight, clutter(image, scene, rng), scene.lights, ambient, None)
    texels, shade = _lit_board(scene, straight, rng)
    _lay_board(image, scene, straight, texels, rng)
    block = _warp_board(scene, straight, shade[..., None], width, height)[..., 0]
    stones = board_stones(scene)
    if scene.flat:
        _flat_stones(image, straight, stones)
    else:
        draw_stones(image, straight, stones, scene.lights, ambient, 0.35 + 0.65 * block)
    cover = np.zeros((height, width), np.float32)
    light = ambient + sum((np.array(li.colour) * 0.6 for li in scene.lights), np.zeros(3))
    for hand in scene.hands:
        cover = np.maximum(cover, draw_hand(image, hand, light))
    image, cover3 = bend(image, scene.pose), bend(np.repeat(cover[..., None], 3, axis=2), scene.pose)
    picture = apply_effects(image, scene.effects, rng)
    return Rendered(picture, scene, _covered(scene, cover3[..., 0]))


def _without_distortion(pose: BoardPose) -> BoardPose:
    return BoardPose(pose.spec, pose.image_size, pose.projection, pose.focal)


def board_stones(scene: Scene) -> list[StoneBody]:
    """The stones of a scene's layout as bodies in the world."""
    spec, size = scene.pose.spec, scene.layout.size
    rng = np.random.default_rng(scene.seed + 77)
    patterns, grow = rng.uniform(0, 6.28, size * size), rng.normal(1, 0.012, size * size)
    bodies = []
    for i, cell in enumerate(scene.layout.cells):
        if cell == EMPTY:
            continue
        line, col = divmod(i, size)
        right, up = scene.offsets[line, col]
        look = scene.black if cell == BLACK else scene.white
        bodies.append(StoneBody((col + right) * spec.across, (line - up) * spec.along, 0.0, spec.stone_diameter / 2 * grow[i], spec.stone_thickness, look, patterns[i]))
    return bodies


def _surroundings(scene: Scene, pose: BoardPose, rng: np.random.Generator) -> Image:
    """Table, and what is beyond it."""
    width, height = pose.image_size
    wall = np.array(rng.uniform(0.02, 0.6, 3), np.float32)
    image: Image = np.clip(wall * (1 + 0.3 * noise(rng, height, width, height / 2, width / 2)[..., None]), 0, 1).astype(np.float32)
    side = 512
    surface = table(rng, side, scene.table)
    spread = 2400.0 / side  # the table is 2.4 m wide
    centre = np.array([pose.spec.across, pose.spec.along]) * (pose.size - 1) / 2
    turn = rng.uniform(0, 6.28)
    cos, sin = np.cos(turn) * spread, np.sin(turn) * spread
    place = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1.0]])
    place[:2, 2] = centre - place[:2, :2] @ [side / 2, side / 2]
    plane = pose.projection[:, [0, 1, 3]].copy()
    plane[:, 2] -= pose.projection[:, 2] * scene.board.thickness
    to_pixels = plane @ place
    light = np.array(scene.ambient) + sum((np.array(li.colour) * max(li.direction[2], 0) for li in scene.lights), np.zeros(3))
    gy, gx = np.mgrid[0:height, 0:width]
    back = np.stack([gx, gy, np.ones_like(gx)], -1).reshape(-1, 3) @ np.linalg.inv(to_pixels).T
    front = (back[:, 2] * np.sign(back[len(back) // 2, 2]) > 1e-9).reshape(height, width)
    uv = (back[:, :2] / np.where(np.abs(back[:, 2:]) < 1e-9, 1e-9, back[:, 2:])).reshape(height, width, 2).astype(np.float32)
    laid = cv2.remap(surface, uv[..., 0], uv[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP if rng.random() < 0.5 else cv2.BORDER_REFLECT)
    image = np.where(front[..., None], laid * light.astype(np.float32), image)
    return np.ascontiguousarray(image)


def texture_scale(pose: BoardPose) -> float:
    """Texture pixels a millimetre that suit the picture."""
    return float(np.clip(1.4 * pose.pitch / pose.spec.across, 0.5, 3.0))


def _lit_board(scene: Scene, pose: BoardPose, rng: np.random.Generator) -> tuple[Image, Image]:
    """The board's top with light and shadows on it, and how much direct light arrives (h, w)."""
    scale = texture_scale(pose)
    top = board_top(rng, pose.spec, scene.board, scale)
    direct_all = np.ones(top.shape[:2], np.float32)
    for polygon, softness, depth in scene.shadows:
        dark = np.zeros(top.shape[:2], np.float32)
        cv2.fillPoly(dark, [np.round((polygon + pose.spec.margin) * scale).astype(np.int32)], 1.0, cv2.LINE_AA)
        direct_all *= 1 - depth * cv2.GaussianBlur(dark, (0, 0), max(0.5, softness * scale))
    total = np.zeros_like(top) + np.array(scene.ambient, np.float32) * _contact(scene, pose, top.shape, scale)[..., None]
    for light in scene.lights:
        reach = direct_all * (1 if scene.flat else _stone_shadow(scene, pose, light.direction, light.softness, top.shape, scale))
        total += reach[..., None] * np.array(light.colour, np.float32) * max(light.direction[2], 0.05)
    return top * total, direct_all


def _stone_discs(scene: Scene, pose: BoardPose, shape: tuple[int, ...], scale: float, shift: Floats, grow: float) -> Image:
    mask = np.zeros(shape[:2], np.uint8)
    for body in board_stones(scene):
        x, y = (body.x + shift[0] + pose.spec.margin) * scale, (body.y + shift[1] + pose.spec.margin) * scale
        cv2.circle(mask, (round(x * 16), round(y * 16)), round(body.radius * grow * scale * 16), 255, -1, cv2.LINE_AA, 4)
    return mask.astype(np.float32) / 255


def _contact(scene: Scene, pose: BoardPose, shape: tuple[int, ...], scale: float) -> Image:
    if scene.flat:
        return np.ones(shape[:2], np.float32)
    near = cv2.GaussianBlur(_stone_discs(scene, pose, shape, scale, np.zeros(2), 1.0), (0, 0), 3.5 * scale)
    occlusion: Image = (1 - 0.6 * np.clip(near, 0, 1)).astype(np.float32)
    return occlusion


def _stone_shadow(scene: Scene, pose: BoardPose, direction: tuple[float, float, float], softness: float, shape: tuple[int, ...], scale: float) -> Image:
    tilt = np.array(direction[:2]) / max(direction[2], 0.15)
    height = pose.spec.stone_thickness
    low = _stone_discs(scene, pose, shape, scale, -tilt * height * 0.35, 0.97)
    high = _stone_discs(scene, pose, shape, scale, -tilt * height * 0.75, 0.75)
    blur = max(0.4, (0.5 + 7 * softness) * scale)
    shadow = np.maximum(cv2.GaussianBlur(low, (0, 0), blur * 0.6), cv2.GaussianBlur(high, (0, 0), blur))
    out: Image = (1 - np.clip(shadow, 0, 1)).astype(np.float32)
    return out


def _warp_board(scene: Scene, pose: BoardPose, texels: Image, width: int, height: int) -> Image:
    scale = texture_scale(pose)
    place = np.array([[1 / scale, 0, -pose.spec.margin], [0, 1 / scale, -pose.spec.margin], [0, 0, 1.0]])
    plane = pose.projection[:, [0, 1, 3]] @ place
    warped = cv2.warpPerspective(texels, plane, (width, height), flags=cv2.INTER_LINEAR)
    return warped.reshape(height, width, -1)


def _lay_board(image: Image, scene: Scene, pose: BoardPose, texels: Image, rng: np.random.Generator) -> None:
    """The board as a box on the table: its shadow, its sides, its top."""
    height, width = image.shape[:2]
    spec, thick = pose.spec, scene.board.thickness
    last = spec.size - 1
    low, high = np.array([-spec.margin, -spec.margin]), np.array([last * spec.across + spec.margin, last * spec.along + spec.margin])
    square = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])

    def pixels(points: Floats, z: float) -> Floats:
        world = np.column_stack([points, np.full(len(points), z), np.ones(len(points))]) @ pose.projection.T
        out: Floats = world[:, :2] / np.maximum(world[:, 2:], 1e-3)
        return np.clip(out, -30_000, 30_000)

    if thick > 1:
        cast = np.zeros((height, width), np.float32)
        sun = np.array(scene.lights[0].direction)
        shift = -sun[:2] / max(sun[2], 0.2) * thick
        both = np.vstack([pixels(square + shift, -thick), pixels(square, -thick)]).astype(np.float32)
        cv2.fillPoly(cast, [np.round(cv2.convexHull(both)).astype(np.int32)], 1.0, cv2.LINE_AA)
        image *= 1 - 0.6 * cv2.GaussianBlur(cast, (0, 0), 1 + 6 * scene.lights[0].softness)[..., None]
        for i in range(4):
            ends = np.array([square[i], square[(i + 1) % 4]])
            face = np.vstack([pixels(ends, 0), pixels(ends[::-1], -thick)])
            outward = ends.mean(0) - square.mean(0)
            lit = 0.25 + 0.6 * max(0.0, float(outward @ sun[:2] / np.linalg.norm(outward))) + 0.2 * rng.random()
            colour = np.array(scene.board.colour) * lit * (np.array(scene.ambient) + np.array(scene.lights[0].colour))
            if thick > 0:
                cv2.fillPoly(image, [np.round(face * 8).astype(np.int32)], colour.tolist(), cv2.LINE_AA, 3)
    warped = _warp_board(scene, pose, texels, width, height)
    drawn = np.zeros((height, width), np.uint8)
    cv2.fillPoly(drawn, [np.round(pixels(square, 0) * 8).astype(np.int32)], 255, cv2.LINE_AA, 3)
    mask = drawn.astype(np.float32)[..., None] / 255
    image *= 1 - mask
    image += warped * mask


def _flat_stones(image: Image, pose: BoardPose, stones: list[StoneBody]) -> None:
    """Printed or on-screen stones: plain discs with an outline."""
    angle = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    for stone in stones:
        ring = np.column_stack([stone.x + 0.95 * stone.radius * np.cos(angle), stone.y + 0.95 * stone.radius * np.sin(angle)])
        world = np.column_stack([ring, np.zeros(40), np.ones(40)]) @ pose.projection.T
        pixels = np.round(world[:, :2] / world[:, 2:] * 8).astype(np.int32)
        cv2.fillPoly(image, [pixels], list(stone.look.albedo), cv2.LINE_AA, 3)
        cv2.polylines(image, [pixels], True, [0.03, 0.03, 0.03], 1, cv2.LINE_AA, 3)


def _covered(scene: Scene, cover: Image) -> NDArray[np.float32]:
    """How much of a stone's disc at each point something hides (n, n)."""
    size = scene.layout.size
    if not scene.hands:
        return np.zeros((size, size), np.float32)
    line, col = np.mgrid[0:size, 0:size]
    ring = [(0.0, 0.0)] + [(r * np.cos(a), r * np.sin(a)) for r in (0.2, 0.4) for a in np.arange(0, 6.28, np.pi / 3)]
    shares = []
    for dx, dy in ring:
        spots = scene.pose.project(np.column_stack([col.ravel() + dx, line.ravel() + dy]), 3.0).astype(np.float32)
        shares.append(cv2.remap(cover, spots[:, 0], spots[:, 1], cv2.INTER_LINEAR))
    out: NDArray[np.float32] = np.mean(shares, axis=0).reshape(size, size).astype(np.float32)
    return out
