"""The board of a clip, its stones and the table under it: rendered once, then only where something changes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.datasets.props import bowl
from kifuwatch.datasets.render import (
    Window,
    board_light,
    draw_box,
    surroundings,
    texture_scale,
    top_mask,
    warp_board,
)
from kifuwatch.datasets.scene import Scene
from kifuwatch.datasets.stone_shading import StoneBody, draw_stones
from kifuwatch.datasets.texture import board_top

Image = NDArray[np.float32]
Floats = NDArray[np.float64]

LENS_BLUR = 0.55
"""Deviation (pixels) of what the lens makes of a point."""


class Stage:
    """Everything in the picture but hands. :attr:`picture` is linear (h, w, 3) and as sharp as the lens lets it be."""

    def __init__(self, scene: Scene, table_pose: BoardPose) -> None:
        """``scene.pose`` is the board's, ``table_pose`` that of the table and what stands on it."""
        self._scene = scene
        self._scale = texture_scale(table_pose)
        self._top = board_top(np.random.default_rng([scene.seed, 1]), scene.pose.spec, scene.board, self._scale)
        self._stones: dict[Hashable, StoneBody] = {}
        self.look_from(scene.pose, table_pose)

    def look_from(self, pose: BoardPose, table_pose: BoardPose, pushed: tuple[float, float] = (0.0, 0.0)) -> None:
        """Render all of it anew: camera, board or Black's bowl have moved, that by ``pushed`` mm."""
        scene, (width, height) = self._scene, pose.image_size
        self._pose = pose
        # A stone's radius in pixels, at the depth of 1 that the middle of the board has.
        self._reach = pose.spec.stone_diameter / 2 * pose.focal * float(np.linalg.norm(pose.projection[2, :3]))
        self._under = surroundings(scene, table_pose, np.random.default_rng([scene.seed, 2]))
        loose = _bowls(self._under, scene, table_pose, pushed)
        ambient = np.array(scene.ambient)
        draw_box(self._under, scene, pose, np.random.default_rng([scene.seed, 3]))
        draw_stones(self._under, table_pose, loose, scene.lights, ambient, None)
        self._mask = top_mask(pose, width, height)[..., None]
        self._texels = np.zeros_like(self._top)
        whole = Window(0, 0, self._top.shape[1], self._top.shape[0])
        self._shine(whole, whole)
        self._sharp = np.zeros((height, width, 3), np.float32)
        self.picture = np.zeros((height, width, 3), np.float32)
        self._paint(0, 0, width, height)

    def lay(self, stones: Mapping[Hashable, StoneBody]) -> None:
        """Let these stones lie on the board or beside it, each under a name; only what differs is rendered."""
        before, self._stones = self._stones, dict(stones)
        for name in {**before, **self._stones}:
            was, now = before.get(name), self._stones.get(name)
            for body in {b for b in (was, now) if b is not None} if was != now else ():
                self._renew(body)

    def _renew(self, body: StoneBody) -> None:
        """Render the surroundings of one stone."""
        spec = self._pose.spec
        soft = max([3.5, *(0.5 + 7 * light.softness for light in self._scene.lights)])
        cast = max(np.hypot(*light.direction[:2]) / max(light.direction[2], 0.15) for light in self._scene.lights)
        reach = body.radius + cast * spec.stone_thickness * 0.75 + 2.5 * soft
        inner = self._window(body, reach)
        self._shine(inner, self._window(body, reach + 3 * soft + 12))
        low, high = np.array([body.x, body.y]) - reach, np.array([body.x, body.y]) + reach
        ground = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
        lattice = ground / [spec.across, spec.along]
        heights = {0.0, body.base, body.base + 1.5 * body.thickness}
        every = np.vstack([self._pose.project(lattice, height) for height in heights])
        x0, y0 = np.floor(every.min(axis=0)).astype(int) - 2
        x1, y1 = np.ceil(every.max(axis=0)).astype(int) + 3
        width, height = self._pose.image_size
        self._paint(max(x0, 0), max(y0, 0), min(x1, width), min(y1, height))

    def _window(self, body: StoneBody, reach: float) -> Window:
        margin = self._pose.spec.margin
        x0, y0 = (max(0, int((c + margin - reach) * self._scale)) for c in (body.x, body.y))
        x1 = min(self._top.shape[1], round((body.x + margin + reach) * self._scale) + 1)
        y1 = min(self._top.shape[0], round((body.y + margin + reach) * self._scale) + 1)
        return Window(x0, y0, max(1, x1 - x0), max(1, y1 - y0))

    def _shine(self, inner: Window, outer: Window) -> None:
        """Renew the light on a part of the wood; shadows are computed a little beyond it, since they are blurred."""
        near = [body for body in self._stones.values() if body.base >= 0 and self._shades(body, outer)]
        light = board_light(self._scene, self._pose, near, outer, self._scale)
        rows = slice(inner.y - outer.y, inner.y - outer.y + inner.height)
        columns = slice(inner.x - outer.x, inner.x - outer.x + inner.width)
        self._texels[inner.slices] = self._top[inner.slices] * light[rows, columns]

    def _shades(self, body: StoneBody, window: Window) -> bool:
        """Whether the stone or its shadow can reach a part of the wood."""
        cast = max(np.hypot(*light.direction[:2]) / max(light.direction[2], 0.15) for light in self._scene.lights)
        reach, margin = body.radius + cast * body.thickness + 2, self._pose.spec.margin
        x, y = (body.x + margin) * self._scale - window.x, (body.y + margin) * self._scale - window.y
        reach *= self._scale
        return bool(-reach < x < window.width + reach and -reach < y < window.height + reach)

    def _inside(self, x0: int, y0: int, x1: int, y1: int) -> list[StoneBody]:
        """The stones that may show in a rectangle of the picture."""
        if not self._stones:
            return []
        bodies = list(self._stones.values())
        middles = np.array([[b.x, b.y, b.base + b.thickness / 2, 1.0] for b in bodies])
        seen = middles @ self._pose.projection.T
        depth = np.maximum(seen[:, 2], 1e-6)
        pixels, reach = seen[:, :2] / depth[:, None], 2 + 1.5 * self._reach / depth
        over = np.maximum(pixels - [x1, y1], [x0, y0] - pixels).max(axis=1)
        return [body for body, far in zip(bodies, over - reach, strict=True) if far < 0]

    def _paint(self, x0: int, y0: int, x1: int, y1: int) -> None:
        """Renew a rectangle of the picture."""
        if x1 <= x0 or y1 <= y0:
            return
        here = np.s_[y0:y1, x0:x1]
        local = shifted(self._pose, x0, y0, x1 - x0, y1 - y0)
        wood = warp_board(local, self._texels, x1 - x0, y1 - y0, self._scale)
        ambient, bodies = np.array(self._scene.ambient), self._inside(x0, y0, x1, y1)
        # What lies on the table behind the board is hidden by it.
        under = self._under[here].copy()
        draw_stones(under, local, [body for body in bodies if body.base < 0], self._scene.lights, ambient, None)
        crop = np.ascontiguousarray(under * (1 - self._mask[here]) + wood * self._mask[here])
        draw_stones(crop, local, [body for body in bodies if body.base >= 0], self._scene.lights, ambient, None)
        self._sharp[here] = crop
        pad = 3
        a, b = max(0, y0 - pad), max(0, x0 - pad)
        c, d = min(self._sharp.shape[0], y1 + pad), min(self._sharp.shape[1], x1 + pad)
        around = self._sharp[max(0, a - pad) : c + pad, max(0, b - pad) : d + pad]
        blurred = cv2.GaussianBlur(around, (0, 0), LENS_BLUR)
        top, left = a - max(0, a - pad), b - max(0, b - pad)
        self.picture[a:c, b:d] = blurred[top : top + c - a, left : left + d - b]


def shifted(pose: BoardPose, x0: int, y0: int, width: int, height: int) -> BoardPose:
    """The same camera seeing only a rectangle of its picture."""
    move = np.array([[1.0, 0, -x0], [0, 1.0, -y0], [0, 0, 1.0]])
    return BoardPose(pose.spec, (width, height), move @ pose.projection, pose.focal)


def _bowls(image: Image, scene: Scene, pose: BoardPose, pushed: tuple[float, float]) -> list[StoneBody]:
    """Each player's bowl beside the board, at the right hand; returns the stones in them."""
    if scene.clutter == 0:
        return []
    spec, rng = pose.spec, np.random.default_rng([scene.seed, 4])
    span = np.array([spec.across, spec.along]) * (spec.size - 1)
    loose: list[StoneBody] = []
    aside = spec.margin + 85
    x, y = span[0] + aside + pushed[0], span[1] * 0.8 + pushed[1]
    places = ((x, y, scene.black), (-aside, span[1] * 0.2, scene.white))
    for x, y, look in places:
        loose += bowl(image, scene, pose, rng, np.array([x, y]), look)
    return loose
