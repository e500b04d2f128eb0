"""Frame by frame: the stage, the hands over it, and what the camera makes of both."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.points import EMPTY, Colour, Layout, Point
from kifuwatch.core.times import FrameTime
from kifuwatch.datasets.clip_hand import FINEST, HandSprite, paint_hand
from kifuwatch.datasets.clip_laying import laid
from kifuwatch.datasets.clip_look import ClipLook, Player, clip_look
from kifuwatch.datasets.clip_motion import HandPath, hand_paths
from kifuwatch.datasets.clip_script import ClipScript
from kifuwatch.datasets.clip_stage import Stage, shifted
from kifuwatch.datasets.clip_view import Leaner, View, lay_leaner, paint_leaner
from kifuwatch.datasets.hand_place import Box, HandState, PlacedHand, composed, rectangle_round
from kifuwatch.datasets.render import covered_share
from kifuwatch.datasets.scene import CameraEffects
from kifuwatch.datasets.stone_shading import StoneBody, draw_stones

Image = NDArray[np.float32]
Floats = NDArray[np.float64]

EXPOSURE = 0.022
"""Seconds in which one frame collects light."""
LOOSE = 64
"""Pixels by which the noise is larger than the picture, so that it can lie elsewhere on each frame."""


@dataclass(frozen=True, eq=False)
class ClipFrame:
    """One frame and its truth: picture (h, w, 3) uint8 BGR; what lies on the board; how much of each point is covered
    (n, n) 0..1; where hands and heads are (h, w) 0..1; where the board is."""

    time: FrameTime
    image: NDArray[np.uint8]
    layout: Layout
    covered: NDArray[np.float32]
    cover: Image
    pose: BoardPose


def clip_frames(script: ClipScript, seed: int = 0, look: ClipLook | None = None) -> Iterator[ClipFrame]:
    """The frames of a scenario, in order. The same script, seed and look give the same frames."""
    studio = Studio(script, seed, look or clip_look(script.size, (script.width, script.height), seed))
    for number in range(script.frame_count):
        yield studio.frame(FrameTime.of_seconds(number / script.fps))


class Studio:
    """Renders any moment of one clip; fast when asked in order, since what did not change is kept."""

    def __init__(self, script: ClipScript, seed: int, look: ClipLook) -> None:
        rng = np.random.default_rng([seed, 21])
        scene = look.scene
        self._script, self._look = script, look
        self.laid = laid(script.changes, scene.pose.spec)
        self.view = View.of(script, scene.pose, rng)
        self._poses, self._bowl = self.view.poses_at(0.0), (0.0, 0.0)
        self._stage = _stage(look, self._poses[1])
        self._paths = hand_paths(script, scene.pose, rng)
        self._hands = {path.player: _paint(path, look, rng) for path in self._paths if path.legs}
        daylight = np.array(scene.ambient) + np.array(scene.lights[0].colour) * 0.5
        cloth = look.white.sleeve
        self._leaners = [paint_leaner(cover, scene.pose, cloth, daylight, rng) for cover in script.covers]
        self._patterns = rng.uniform(0, 6.28, script.size**2)
        self._sensor = Sensor(scene.effects, scene.pose.image_size, look.grain, rng)
        self._shown: tuple[float, int] = (-1.0, -1)
        self._still: NDArray[np.uint8] = np.zeros((0, 0, 3), np.uint8)
        self._changes = -1

    def frame(self, time: FrameTime) -> ClipFrame:
        """The frame taken at a time, with its truth."""
        picture, cover = self.picture(time)
        size = self._script.size
        share = covered_share(self._poses[0], cover) if cover.any() else np.zeros((size, size), np.float32)
        return ClipFrame(time, picture, self._script.layout_at(time.seconds), share, cover, self._poses[0])

    def picture(self, time: FrameTime) -> tuple[NDArray[np.uint8], Image]:
        """The picture taken at a time, (h, w, 3), and where hands and heads are in it, (h, w) 0..1."""
        seconds = time.seconds
        self._set_stage(seconds)
        gain = self.view.gain_at(seconds)
        still = self._developed(gain)
        image = still.copy()
        cover = np.zeros(image.shape[:2], np.float32)
        for path in self._paths:
            self._lay_hand(image, cover, path, seconds, gain)
        for leaner in self._leaners:
            self._lay_leaner(image, cover, leaner, seconds, gain)
        return self._sensor.grainy(image, time.microseconds), cover

    def _set_stage(self, seconds: float) -> None:
        poses, bowl = self.view.poses_at(seconds), self.view.bowl_at(seconds)
        moved = any(np.any(a.projection != b.projection) for a, b in zip(poses, self._poses, strict=True))
        if moved or bowl != self._bowl:
            self._poses, self._bowl = poses, bowl
            self._stage.look_from(*poses, bowl)
            self._changes = -1
        now = seconds + 1e-9
        changes = sum(c.seconds <= now for c in self._script.changes)
        changes += sum(stone.seconds <= now for stone in self._script.loose)
        if changes != self._changes:
            self._changes = changes
            self._stage.lay(self._stones(seconds))
            self._shown = (-1.0, -1)

    def _stones(self, seconds: float) -> dict[Hashable, StoneBody]:
        lie = {c.point: c for c in self.laid if c.seconds <= seconds + 1e-9}
        stones: dict[Hashable, StoneBody] = {
            p: self._stone(p, c.cell, c.offset) for p, c in lie.items() if c.cell != EMPTY
        }
        spec, floor = self._look.scene.pose.spec, -self._look.scene.board.thickness
        for number, loose in enumerate(self._script.loose):
            if loose.seconds <= seconds + 1e-9:
                x, y = loose.at[0] * spec.across, loose.at[1] * spec.along
                base = 0.0 if loose.on_wood else floor
                stones[number] = self._body(x, y, base, loose.cell, number * 1.7)
        return stones

    def _stone(self, point: Point, cell: str, offset: tuple[float, float]) -> StoneBody:
        spec, size = self._look.scene.pose.spec, self._script.size
        x, y = (point.col + offset[0]) * spec.across, (size - 1 - point.row - offset[1]) * spec.along
        return self._body(x, y, 0.0, cell, float(self._patterns[point.row * size + point.col]))

    def _body(self, x: float, y: float, z: float, cell: str, pattern: float) -> StoneBody:
        scene = self._look.scene
        look = scene.black if cell == Colour.BLACK.cell else scene.white
        return StoneBody(x, y, z, scene.pose.spec.stone_diameter / 2, scene.pose.spec.stone_thickness, look, pattern)

    def _developed(self, gain: float) -> NDArray[np.uint8]:
        if self._shown != (gain, self._changes):
            height, width = self._stage.picture.shape[:2]
            self._still = self._sensor.develop(self._stage.picture * gain, (0, 0, width, height))
            self._shown = (gain, self._changes)
        return self._still

    def _lay_hand(self, image: NDArray[np.uint8], cover: Image, path: HandPath, seconds: float, gain: float) -> None:
        states = [path.at(seconds - EXPOSURE * part) for part in (0.0, 0.5, 1.0)]
        now = states[0]
        if now is None:
            return
        seen = [s for s in states if s is not None] if _moves(states, self._poses[0]) else [now]
        sprite, pose = self._hands[path.player], self._poses[0]
        placed = [PlacedHand.of(sprite, state, pose, self._look.scene.lights[0].direction) for state in seen]
        box = rectangle_round(placed, pose.image_size)
        if box is None:
            return
        x0, y0, x1, y1 = box
        crop = self._stage.picture[y0:y1, x0:x1].copy()
        if now.carries != EMPTY:
            crop = self._with_carried(crop, seen, box)
        crop, alpha = composed(crop, sprite, placed, box)
        image[y0:y1, x0:x1] = self._sensor.develop(crop * gain, box)
        np.maximum(cover[y0:y1, x0:x1], alpha, out=cover[y0:y1, x0:x1])

    def _with_carried(self, crop: Image, states: list[HandState], box: Box) -> Image:
        """The crop with the stone in the fingers, smeared as far as it moves."""
        x0, y0, x1, y1 = box
        local = shifted(self._poses[0], x0, y0, x1 - x0, y1 - y0)
        scene, total = self._look.scene, np.zeros_like(crop)
        for state in states:
            each = crop.copy()
            stone = self._body(state.x, state.y, max(state.z, 0.0), state.carries, 1.0)
            draw_stones(each, local, [stone], scene.lights, np.array(scene.ambient), None)
            total += each
        return (total / len(states)).astype(np.float32)

    def _lay_leaner(self, image: NDArray[np.uint8], cover: Image, leaner: Leaner, seconds: float, gain: float) -> None:
        shift = leaner.shift_at(seconds)
        if shift is None:
            return
        scene = self._stage.picture.copy()
        alpha = lay_leaner(scene, leaner, shift)
        height, width = alpha.shape
        developed = self._sensor.develop(scene * gain, (0, 0, width, height))
        # A hand below the leaner stays where the leaner is not.
        hidden = np.maximum(alpha, 1 - np.clip(cover * 4, 0, 1))[..., None]
        image[:] = np.round(image * (1 - hidden) + developed * hidden).astype(np.uint8)
        np.maximum(cover, alpha, out=cover)


class AnyStage(Protocol):
    """Board, stones and table, drawn or traced."""

    picture: Image

    def look_from(self, pose: BoardPose, table_pose: BoardPose, pushed: tuple[float, float] = ...) -> None:
        """Camera, board or bowl have moved."""

    def lay(self, stones: Mapping[Hashable, StoneBody]) -> None:
        """Let these stones lie there."""


def _stage(look: ClipLook, table_pose: BoardPose) -> AnyStage:
    if look.traced is None:
        return Stage(look.scene, table_pose)
    from kifuwatch.datasets.photoreal_clip import TracedStage  # only here: it needs the extra

    return TracedStage(look.scene, look.traced)


def _paint(path: HandPath, look: ClipLook, rng: np.random.Generator) -> HandSprite:
    """The hand of a player under the scene's lamp, which shines on it from where the player sits."""
    scene, player = look.scene, _player(look, path.player)
    lamp, sign = scene.lights[0], 1.0 if path.player is Colour.BLACK else -1.0
    light = (sign * lamp.direction[0], sign * lamp.direction[1], lamp.direction[2])
    scale = float(np.clip(scene.pose.pitch / scene.pose.spec.across, 0.4, FINEST))
    return paint_hand(rng, player.skin, player.sleeve, light, lamp.colour, scene.ambient, scale)


def _player(look: ClipLook, colour: Colour) -> Player:
    return look.black if colour is Colour.BLACK else look.white


def _moves(states: list[HandState | None], pose: BoardPose) -> bool:
    """Whether the hand moves by more than a pixel and a half while the frame is taken."""
    first, last = states[0], states[-1]
    if first is None or last is None:
        return False
    return bool(np.hypot(first.x - last.x, first.y - last.y) * pose.pitch / pose.spec.across > 1.5)


def _grains(rng: np.random.Generator, shape: tuple[int, int], strength: float) -> NDArray[np.int8]:
    """Noise in grey levels (h, w, 3), mostly the same in all colours."""
    grey, coloured = rng.normal(0, strength, (*shape, 1)), rng.normal(0, strength / 2, (*shape, 3))
    return np.round(grey + coloured).astype(np.int8)


class Sensor:
    """What the camera makes of a linear picture: exposure, vignette, tone, grain."""

    def __init__(self, effects: CameraEffects, size: tuple[int, int], grain: float, rng: np.random.Generator) -> None:
        width, height = size
        gy, gx = np.mgrid[-1 : 1 : height * 1j, -1 : 1 : width * 1j].astype(np.float32)
        fall = 1 - effects.vignette * (gx**2 + gy**2)[..., None] / 2
        self._fall = (fall * np.array(effects.cast, np.float32) * effects.exposure * 4095 / 2).astype(np.float32)
        linear = np.arange(4096) / 4095 * 2
        rolled = np.where(linear > 0.8, 0.8 + 0.2 * np.tanh((linear - 0.8) / 0.3), linear)
        tone = np.clip(0.5 + (np.clip(rolled, 0, 1) ** (1 / effects.gamma) - 0.5) * effects.contrast, 0, 1)
        self._tone = np.round(tone * 255).astype(np.uint8)
        self._jpeg = effects.jpeg
        self._grains = [_grains(rng, (height + LOOSE, width + LOOSE), grain) for _ in range(4)]

    def develop(self, linear: Image, box: Box) -> NDArray[np.uint8]:
        """The 8-bit picture of a linear one that fills the rectangle ``box``."""
        x0, y0, x1, y1 = box
        level = np.clip(linear * self._fall[y0:y1, x0:x1], 0, 4095).astype(np.uint16)
        picture: NDArray[np.uint8] = self._tone[level]
        return picture

    def grainy(self, image: NDArray[np.uint8], moment: int) -> NDArray[np.uint8]:
        """The picture with the noise of one exposure and of its coding; ``moment`` decides which."""
        rng = np.random.default_rng([moment, 31])
        grains = self._grains[int(rng.integers(len(self._grains)))]
        y, x = int(rng.integers(LOOSE)), int(rng.integers(LOOSE))
        part = grains[y : y + image.shape[0], x : x + image.shape[1]]
        picture = np.asarray(cv2.add(image, part, dtype=cv2.CV_8U), np.uint8)
        if not self._jpeg:
            return picture
        coded = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, self._jpeg])[1]
        decoded = cv2.imdecode(coded, cv2.IMREAD_COLOR)
        assert decoded is not None
        return np.asarray(decoded, np.uint8)
