"""Render a :class:`~kifuwatch.datasets.scene.Scene` to a picture and its truth, in a fraction of a second.

Surfaces are textures warped by the pose's homography; stones are ray-traced ellipsoids; shadows are drawn on the
board's texture. Good enough to train on and to test with; light does not bounce.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.points import BLACK, EMPTY
from kifuwatch.datasets.diagram_stones import draw_diagram
from kifuwatch.datasets.effects import apply_effects, bend
from kifuwatch.datasets.play_scenes import lay_playing_hand
from kifuwatch.datasets.props import clocks, clutter, draw_hand
from kifuwatch.datasets.scene import Light, Scene
from kifuwatch.datasets.stone_shading import StoneBody, draw_stones
from kifuwatch.datasets.texture import board_top, noise, table

Image = NDArray[np.float32]
Floats = NDArray[np.float64]

TABLE_WIDE = 2400.0
"""Millimetres that the texture of a table spans."""
TABLE_SIDE = 512
"""Pixels that it has."""


@dataclass(frozen=True, eq=False)
class Rendered:
    """A picture (h, w, 3) uint8 BGR with its scene, and how much of each point is covered (n, n) float, 0..1."""

    image: NDArray[np.uint8]
    scene: Scene
    covered: NDArray[np.float32]


@dataclass(frozen=True)
class Window:
    """A part of a board's texture: its top-left texel and its width and height in texels."""

    x: int
    y: int
    width: int
    height: int

    @property
    def slices(self) -> tuple[slice, slice]:
        """The part as an index of a texture (h, w)."""
        return slice(self.y, self.y + self.height), slice(self.x, self.x + self.width)


def render(scene: Scene) -> Rendered:
    """The picture of a scene. The same scene gives the same picture."""
    rng = np.random.default_rng(scene.seed)
    straight = without_distortion(scene.pose)
    width, height = scene.pose.image_size
    ambient = np.array(scene.ambient)
    image = surroundings(scene, straight, rng)
    # Things round the board come first: what the board stands on or before may not hide its points.
    clocks(image, scene)
    draw_stones(image, straight, clutter(image, scene, rng), scene.lights, ambient, None)
    texels, shade = _lit_board(scene, straight, rng)
    draw_box(image, scene, straight, rng)
    lay_top(image, straight, texels)
    block = warp_board(straight, shade[..., None], width, height)[..., 0]
    stones = board_stones(scene)
    if scene.flat:
        draw_diagram(image, straight, stones, scene.numbered, np.random.default_rng([scene.seed, 3]))
    else:
        draw_stones(image, straight, stones, scene.lights, ambient, 0.35 + 0.65 * block)
    cover = np.zeros((height, width), np.float32)
    light = ambient + sum((np.array(li.colour) * 0.6 for li in scene.lights), np.zeros(3))
    for hand in scene.hands:
        cover = np.maximum(cover, draw_hand(image, hand, light))
    for playing in scene.playing:
        cover = np.maximum(cover, lay_playing_hand(image, scene, straight, playing))
    image, cover3 = bend(image, scene.pose), bend(np.repeat(cover[..., None], 3, axis=2), scene.pose)
    picture = apply_effects(image, scene.effects, rng)
    nothing = np.zeros((scene.pose.size,) * 2, np.float32)
    covered = covered_share(scene.pose, cover3[..., 0]) if scene.hands or scene.playing else nothing
    return Rendered(picture, scene, covered)


def without_distortion(pose: BoardPose) -> BoardPose:
    """The same camera with a perfect lens."""
    return BoardPose(pose.spec, pose.image_size, pose.projection, pose.focal)


def board_stones(scene: Scene) -> list[StoneBody]:
    """The stones of a scene's layout, and the loose ones, as bodies in the world."""
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
        x, y = (col + right) * spec.across, (line - up) * spec.along
        radius = spec.stone_diameter / 2 * grow[i]
        bodies.append(StoneBody(x, y, 0.0, radius, spec.stone_thickness, look, patterns[i]))
    for i, stone in enumerate(scene.loose):
        look = scene.black if stone.cell == BLACK else scene.white
        bodies.append(StoneBody(*stone.at, spec.stone_diameter / 2, spec.stone_thickness, look, float(i)))
    return bodies


def surroundings(scene: Scene, pose: BoardPose, rng: np.random.Generator) -> Image:
    """Table, and what is beyond it: a linear picture (h, w, 3)."""
    width, height = pose.image_size
    wall = np.array(rng.uniform(0.02, 0.6, 3), np.float32)
    blotches = noise(rng, height, width, height / 2, width / 2)[..., None]
    image: Image = np.clip(wall * (1 + 0.3 * blotches), 0, 1).astype(np.float32)
    surface = table(rng, TABLE_SIDE, scene.table)
    to_pixels = _table_plane(scene, pose, rng.uniform(0, 6.28))
    light = np.array(scene.ambient) + sum(
        (np.array(li.colour) * max(li.direction[2], 0) for li in scene.lights), np.zeros(3)
    )
    gy, gx = np.mgrid[0:height, 0:width]
    back = np.stack([gx, gy, np.ones_like(gx)], -1).reshape(-1, 3) @ np.linalg.inv(to_pixels).T
    front = (back[:, 2] * np.sign(back[len(back) // 2, 2]) > 1e-9).reshape(height, width)
    deep = np.where(np.abs(back[:, 2:]) < 1e-9, 1e-9, back[:, 2:])
    uv = (back[:, :2] / deep).reshape(height, width, 2).astype(np.float32)
    edge = cv2.BORDER_WRAP if rng.random() < 0.5 else cv2.BORDER_REFLECT
    laid = cv2.remap(surface, uv[..., 0], uv[..., 1], cv2.INTER_LINEAR, borderMode=edge)
    image = np.where(front[..., None], laid * light.astype(np.float32), image)
    return np.ascontiguousarray(image)


def _table_plane(scene: Scene, pose: BoardPose, turn: float) -> Floats:
    """(3, 3) from texels of the table, turned by an angle under the board's middle, to pixels."""
    spread = TABLE_WIDE / TABLE_SIDE
    centre = np.array([pose.spec.across, pose.spec.along]) * (pose.size - 1) / 2
    cos, sin = np.cos(turn) * spread, np.sin(turn) * spread
    place = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1.0]])
    place[:2, 2] = centre - place[:2, :2] @ [TABLE_SIDE / 2, TABLE_SIDE / 2]
    plane = pose.projection[:, [0, 1, 3]].copy()
    plane[:, 2] -= pose.projection[:, 2] * scene.board.thickness
    to_pixels: Floats = plane @ place
    return to_pixels


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
        corners = np.round((polygon + pose.spec.margin) * scale).astype(np.int32)
        cv2.fillPoly(dark, [corners], 1.0, cv2.LINE_AA)
        direct_all *= 1 - depth * cv2.GaussianBlur(dark, (0, 0), max(0.5, softness * scale))
    whole = Window(0, 0, top.shape[1], top.shape[0])
    stones = [] if scene.flat else board_stones(scene)
    lit = top * board_light(scene, pose, stones, whole, scale, direct_all)
    return (lit + _mirrored(scene, pose.spec, lit.shape, scale) if scene.glare else lit), direct_all


def _mirrored(scene: Scene, spec: BoardSpec, shape: tuple[int, ...], scale: float) -> Image:
    """Light (h, w, 1) that lamps and windows add where they mirror in the board."""
    gy, gx = np.mgrid[0 : shape[0], 0 : shape[1]].astype(np.float32) / np.float32(scale) - np.float32(spec.margin)
    total = np.zeros(shape[:2], np.float32)
    for x, y, size, ratio, strength in scene.glare:
        reach = ((gx - x) / (size * ratio)) ** 4 + ((gy - y) / size) ** 4  # nearly a rectangle, with soft edges
        total += strength * np.exp(-reach)
    blur = 0.25 * min(size for _, _, size, _, _ in scene.glare) * scale
    return np.asarray(cv2.GaussianBlur(total, (0, 0), max(0.5, blur))[..., None], dtype=np.float32)


def board_light(
    scene: Scene, pose: BoardPose, stones: list[StoneBody], window: Window, scale: float, direct: Image | float = 1.0
) -> Image:
    """Light (h, w, 3) that arrives at a part of the board's top among these stones.

    ``scale``: texels a millimetre. ``direct``: the share of direct light that other things let through.
    """
    total = np.zeros((window.height, window.width, 3), np.float32)
    total += np.array(scene.ambient, np.float32) * _contact(pose.spec, stones, window, scale)[..., None]
    for light in scene.lights:
        reach = direct * _stone_shadow(pose.spec, stones, light, window, scale)
        total += reach[..., None] * np.array(light.colour, np.float32) * max(light.direction[2], 0.05)
    return total


def _stone_discs(
    spec: BoardSpec, stones: list[StoneBody], window: Window, scale: float, shift: Floats, grow: float
) -> Image:
    mask = np.zeros((window.height, window.width), np.uint8)
    for body in stones:
        x = (body.x + shift[0] + spec.margin) * scale - window.x
        y = (body.y + shift[1] + spec.margin) * scale - window.y
        centre = round(x * 16), round(y * 16)
        cv2.circle(mask, centre, round(body.radius * grow * scale * 16), 255, -1, cv2.LINE_AA, 4)
    discs: Image = (mask / np.float32(255)).astype(np.float32)
    return discs


def _contact(spec: BoardSpec, stones: list[StoneBody], window: Window, scale: float) -> Image:
    """How much of the sky's light reaches the wood between stones."""
    near = cv2.GaussianBlur(_stone_discs(spec, stones, window, scale, np.zeros(2), 1.0), (0, 0), 3.5 * scale)
    occlusion: Image = (1 - 0.6 * np.clip(near, 0, 1)).astype(np.float32)
    return occlusion


def _stone_shadow(spec: BoardSpec, stones: list[StoneBody], light: Light, window: Window, scale: float) -> Image:
    """How much of a light the stones let through to the wood."""
    tilt = np.array(light.direction[:2]) / max(light.direction[2], 0.15)
    height = spec.stone_thickness
    low = _stone_discs(spec, stones, window, scale, -tilt * height * 0.35, 0.97)
    high = _stone_discs(spec, stones, window, scale, -tilt * height * 0.75, 0.75)
    blur = max(0.4, (0.5 + 7 * light.softness) * scale)
    shadow = np.maximum(cv2.GaussianBlur(low, (0, 0), blur * 0.6), cv2.GaussianBlur(high, (0, 0), blur))
    out: Image = (1 - np.clip(shadow, 0, 1)).astype(np.float32)
    return out


def warp_board(pose: BoardPose, texels: Image, width: int, height: int, scale: float | None = None) -> Image:
    """A texture of the board's top (th, tw, c) as the camera sees it (height, width, c); nothing beyond the board.

    ``scale``: texels a millimetre, those of :func:`texture_scale` when not given.
    """
    scale = scale or texture_scale(pose)
    place = np.array([[1 / scale, 0, -pose.spec.margin], [0, 1 / scale, -pose.spec.margin], [0, 0, 1.0]])
    plane = pose.projection[:, [0, 1, 3]] @ place
    warped = cv2.warpPerspective(texels, plane, (width, height), flags=cv2.INTER_LINEAR)
    return np.asarray(warped, np.float32).reshape(height, width, -1)


def _outline(spec: BoardSpec) -> Floats:
    """The corners of the wood (4, 2) in mm."""
    last = spec.size - 1
    low = np.array([-spec.margin, -spec.margin])
    high = np.array([last * spec.across + spec.margin, last * spec.along + spec.margin])
    return np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])


def _outline_pixels(pose: BoardPose, points: Floats, z: float) -> Floats:
    world = np.column_stack([points, np.full(len(points), z), np.ones(len(points))]) @ pose.projection.T
    out: Floats = world[:, :2] / np.maximum(world[:, 2:], 1e-3)
    return np.clip(out, -30_000, 30_000)


def draw_box(image: Image, scene: Scene, pose: BoardPose, rng: np.random.Generator) -> None:
    """The board as a box on the table: its shadow and its sides."""
    thick = scene.board.thickness
    if thick <= 1:
        return
    height, width = image.shape[:2]
    square = _outline(pose.spec)
    cast = np.zeros((height, width), np.float32)
    sun = np.array(scene.lights[0].direction)
    shift = -sun[:2] / max(sun[2], 0.2) * thick
    ground = [_outline_pixels(pose, square + shift, -thick), _outline_pixels(pose, square, -thick)]
    both = np.vstack(ground).astype(np.float32)
    cv2.fillPoly(cast, [np.round(cv2.convexHull(both)).astype(np.int32)], 1.0, cv2.LINE_AA)
    image *= 1 - 0.6 * cv2.GaussianBlur(cast, (0, 0), 1 + 6 * scene.lights[0].softness)[..., None]
    for i in range(4):
        ends = np.array([square[i], square[(i + 1) % 4]])
        face = np.vstack([_outline_pixels(pose, ends, 0), _outline_pixels(pose, ends[::-1], -thick)])
        outward = ends.mean(0) - square.mean(0)
        lit = 0.25 + 0.6 * max(0.0, float(outward @ sun[:2] / np.linalg.norm(outward))) + 0.2 * rng.random()
        colour = np.array(scene.board.colour) * lit * (np.array(scene.ambient) + np.array(scene.lights[0].colour))
        cv2.fillPoly(image, [np.round(face * 8).astype(np.int32)], colour.tolist(), cv2.LINE_AA, 3)


def lay_top(image: Image, pose: BoardPose, texels: Image) -> None:
    """Lay the board's lit top over a linear picture."""
    height, width = image.shape[:2]
    warped = warp_board(pose, texels, width, height)
    mask = top_mask(pose, width, height)[..., None]
    image *= 1 - mask
    image += warped * mask


def top_mask(pose: BoardPose, width: int, height: int) -> Image:
    """How much of each pixel (height, width) shows the board's top, 0..1."""
    drawn = np.zeros((height, width), np.uint8)
    square = _outline_pixels(pose, _outline(pose.spec), 0)
    cv2.fillPoly(drawn, [np.round(square * 8).astype(np.int32)], 255, cv2.LINE_AA, 3)
    mask: Image = (drawn / np.float32(255)).astype(np.float32)
    return mask


def covered_share(pose: BoardPose, cover: Image) -> NDArray[np.float32]:
    """How much of a stone's disc at each point (n, n) something hides; ``cover`` (h, w) says where it is."""
    size = pose.size
    line, col = np.mgrid[0:size, 0:size]
    ring = [(0.0, 0.0)] + [(r * np.cos(a), r * np.sin(a)) for r in (0.2, 0.4) for a in np.arange(0, 6.28, np.pi / 3)]
    shares = []
    for dx, dy in ring:
        spots = pose.project(np.column_stack([col.ravel() + dx, line.ravel() + dy]), 3.0).astype(np.float32)
        shares.append(cv2.remap(cover, spots[:, 0], spots[:, 1], cv2.INTER_LINEAR))
    out: NDArray[np.float32] = np.mean(shares, axis=0).reshape(size, size).astype(np.float32)
    return out
