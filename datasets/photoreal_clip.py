"""The stage of a clip, path-traced: board, stones and room as light really falls on them, hands laid over it.

The whole is traced once; when a stone comes or goes only what is around it is traced again. Hands, heads and the
sensor are those of the fast clips, so a scenario is the same script with either stage: its ``look`` says
``"traced": "day"`` (``club``, ``lamp``, ``dusk``) for this one. Needs the extra ``kifuwatch[render]``.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.points import Layout
from kifuwatch.datasets.photoreal import denoised, load_lights, load_shape, sensor_of, tracer
from kifuwatch.datasets.photoreal_bodies import bodies_of
from kifuwatch.datasets.photoreal_mesh import many_stones, stone_profile
from kifuwatch.datasets.photoreal_props import Part, stone_material
from kifuwatch.datasets.photoreal_scene import PhotoScene, clip_photo
from kifuwatch.datasets.scene import Scene
from kifuwatch.datasets.stone_shading import StoneBody

Image = NDArray[np.float32]
Box = tuple[int, int, int, int]

SAMPLES = 24  # paths for each pixel
BORDER = 12  # pixels round a window that are traced with it, for smoothing to know what comes next
FEATHER = 6  # pixels in which a window passes into what was traced before
CAST = 1.6  # stone radii round a stone that it darkens or is mirrored in
USUAL = 0.2  # linear light that the whole has in the mean, once exposed


class TracedStage:
    """Everything in the picture but hands, path-traced. :attr:`picture` is linear (h, w, 3), as exposed at first."""

    def __init__(self, scene: Scene, mood: str) -> None:
        self._scene, self._mood = scene, mood
        self._stones: dict[Hashable, StoneBody] = {}
        self._seed = 0
        self._exposure: NDArray[np.float32] | None = None
        self.look_from(scene.pose, scene.pose)

    def look_from(self, pose: BoardPose, table_pose: BoardPose, pushed: tuple[float, float] = (0.0, 0.0)) -> None:
        """Trace all of it anew: camera or board have moved. What stands on the table moves with the board here."""
        self._pose = pose
        photo = clip_photo(replace(self._scene, pose=pose), self._mood)
        self._fixed = _fixed(photo)
        self._photo = photo
        width, height = pose.image_size
        traced = self._trace((0, 0, width, height))
        if self._exposure is None:
            self._exposure = _exposure(traced, photo)
        self.picture = traced * self._exposure

    def lay(self, stones: Mapping[Hashable, StoneBody]) -> None:
        """Let these stones lie on the board or beside it, each under a name; only what differs is traced."""
        before, self._stones = self._stones, dict(stones)
        changed = [
            body
            for name in {**before, **self._stones}
            for body in {before.get(name), self._stones.get(name)}
            if body is not None and before.get(name) != self._stones.get(name)
        ]
        if not changed:
            return
        width, height = self._pose.image_size
        boxes = [self._around(body) for body in changed]
        if sum((b[2] - b[0]) * (b[3] - b[1]) for b in boxes) > 0.5 * width * height:
            boxes = [(0, 0, width, height)]
        for box in boxes:
            self._renew(box)

    def _renew(self, box: Box) -> None:
        assert self._exposure is not None
        x0, y0, x1, y1 = box
        if x1 - x0 < 2 or y1 - y0 < 2:
            return
        fresh = self._trace(box) * self._exposure
        share = _feathered(box, self._pose.image_size)[..., None]
        part = self.picture[y0:y1, x0:x1]
        self.picture[y0:y1, x0:x1] = part + share * (fresh - part)

    def _around(self, body: StoneBody) -> Box:
        """The pixels that a stone may change, with the shadow it throws."""
        spec, reach = self._pose.spec, CAST * body.radius
        xs, ys = np.array([body.x - reach, body.x + reach]), np.array([body.y - reach, body.y + reach])
        ground = np.array([[x, y] for x in xs for y in ys]) / [spec.across, spec.along]
        heights = (body.base, body.base + 1.3 * body.thickness)
        pixels = np.vstack([self._pose.project(ground, height) for height in heights])
        low, high = (
            np.floor(pixels.min(axis=0)).astype(int) - FEATHER,
            np.ceil(pixels.max(axis=0)).astype(int) + FEATHER,
        )
        width, height_ = self._pose.image_size
        return max(int(low[0]), 0), max(int(low[1]), 0), min(int(high[0]), width), min(int(high[1]), height_)

    def _trace(self, box: Box) -> Image:
        """Linear light (h, w, 3) BGR in a window of the picture."""
        mi = tracer()
        width, height = self._pose.image_size
        x0, y0 = max(box[0] - BORDER, 0), max(box[1] - BORDER, 0)
        x1, y1 = min(box[2] + BORDER, width), min(box[3] + BORDER, height)
        sensor = sensor_of(mi, self._pose, (0, 0))
        sensor["film"] |= {
            "crop_offset_x": x0,
            "crop_offset_y": y0,
            "crop_width": x1 - x0,
            "crop_height": y1 - y0,
        }
        shapes = {f"stones{i}": load_shape(mi, part, f"stones{i}") for i, part in enumerate(self._solids())}
        integrator = {"type": "path", "max_depth": 4}
        world = mi.load_dict({"type": "scene", "integrator": integrator, "sensor": sensor, **self._fixed, **shapes})
        self._seed += 1
        light = np.array(mi.render(world, spp=SAMPLES, seed=self._seed), dtype=np.float32)
        surfaces = mi.load_dict({"type": "aov", "aovs": "albedo:albedo"})
        albedo = np.array(mi.render(world, integrator=surfaces, spp=4, seed=self._seed), dtype=np.float32)
        smooth = denoised(light[..., ::-1], albedo[..., ::-1])
        return smooth[box[1] - y0 : box[3] - y0, box[0] - x0 : box[2] - x0]

    def _solids(self) -> list[Part]:
        """The stones that lie there: those of one look are one body."""
        parts = []
        bodies = list(self._stones.values())
        for number, look in enumerate((self._scene.black, self._scene.white)):
            mine = [body for body in bodies if body.look == look]
            if not mine:
                continue
            places = np.array([[b.x, b.y, b.base] for b in mine])
            turns = np.array([b.pattern for b in mine])
            level = np.zeros(len(mine))
            profile = stone_profile(mine[0].radius, mine[0].thickness, look.half)
            mesh = many_stones(profile, places, turns, level, level + 1.0)
            parts.append(Part(mesh, stone_material(look, self._scene.seed + number)))
        return parts


def _fixed(photo: PhotoScene) -> dict[str, Any]:
    """Lights, board, table and what stands on it, loaded once."""
    mi = tracer()
    empty = replace(photo, scene=replace(photo.scene, layout=Layout.empty(photo.scene.layout.size)))
    bodies = bodies_of(empty)
    loaded = {name: mi.load_dict(light) for name, light in load_lights(mi, photo).items()}
    parts = [*bodies.board, *(part for group in bodies.groups for part in group.parts)]
    return loaded | {f"body{i}": load_shape(mi, part, f"body{i}") for i, part in enumerate(parts)}


def _exposure(linear: Image, photo: PhotoScene) -> NDArray[np.float32]:
    """(3,) what the camera makes of the light: its exposure, and most of the light's colour taken out."""
    mean = np.clip(linear, 0, np.percentile(linear, 97)).reshape(-1, 3).mean(axis=0) + 1e-6
    balance = np.minimum((mean.mean() / mean) ** photo.adapts, 4.0)
    level = float((mean * balance).mean())
    return np.asarray(balance * USUAL * {"dusk": 0.6, "lamp": 0.85}.get(photo.rig.mood, 1.0) / level, np.float32)


def _feathered(box: Box, size: tuple[int, int]) -> Image:
    """How much of a window is taken over (h, w): all of its middle, less towards its rim, but at the picture's own."""
    x0, y0, x1, y1 = box
    across = np.minimum(
        np.arange(x1 - x0) + 1 if x0 > 0 else FEATHER, np.arange(x1 - x0)[::-1] + 1 if x1 < size[0] else FEATHER
    )
    down = np.minimum(
        np.arange(y1 - y0) + 1 if y0 > 0 else FEATHER, np.arange(y1 - y0)[::-1] + 1 if y1 < size[1] else FEATHER
    )
    wide, high = np.broadcast_to(across, x1 - x0), np.broadcast_to(down, y1 - y0)
    share = np.minimum(np.clip(wide / FEATHER, 0, 1)[None], np.clip(high / FEATHER, 0, 1)[:, None])
    return np.asarray(share, np.float32)
