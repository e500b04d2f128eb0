"""What befalls the view of a clip: a bumped camera, a pushed board, other light, somebody who leans over the board."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.datasets.clip_motion import smooth
from kifuwatch.datasets.clip_script import ClipScript, Cover, Disturbance
from kifuwatch.datasets.scene import Colour3
from kifuwatch.datasets.texture import noise

Image = NDArray[np.float32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class _Push:
    """A disturbance with how far it goes: ``turn`` in radians, ``shift`` in mm (board) or radians (camera)."""

    event: Disturbance
    turn: float
    shift: tuple[float, float]


@dataclass(frozen=True, eq=False)
class View:
    """The poses of board and table over a clip, and its light."""

    start: BoardPose
    pushes: tuple[_Push, ...]
    lights: tuple[Disturbance, ...]
    bowls: tuple[_Push, ...] = ()

    @classmethod
    def of(cls, script: ClipScript, start: BoardPose, rng: np.random.Generator) -> View:
        """Draw how far each push goes; the board's points stay in the picture."""
        pushes: tuple[_Push, ...] = ()
        for event in script.disturbances:
            if event.what not in ("camera", "board", "away"):
                continue
            if event.what == "away":
                # Far enough that nothing of the board is left in the picture.
                out = np.arctan(start.image_size[0] / start.focal) * 1.1
                pushes = (*pushes, _Push(event, 0.0, (float(rng.choice([-1, 1]) * out), 0.0)))
                continue
            if event.shift is not None:
                pushes = (*pushes, _Push(event, event.turn, event.shift))
                continue
            turn, way = rng.choice([-1, 1]) * rng.uniform(0.015, 0.035), rng.uniform(0, 2 * np.pi)
            far = rng.uniform(0.02, 0.035) if event.what == "camera" else rng.uniform(8.0, 14.0)
            for shrink in (1.0, 0.7, 0.5, 0.3, 0.15, 0.0):
                shift = (float(shrink * far * np.cos(way)), float(shrink * far * np.sin(way)))
                tried = cls(start, (*pushes, _Push(event, float(shrink * turn), shift)), ())
                if _inside(tried.poses_at(event.seconds + event.over)[0]):
                    pushes = tried.pushes
                    break
        lights = tuple(e for e in script.disturbances if e.what == "light")
        bowls = tuple(e for e in script.disturbances if e.what == "bowl")
        ways = [(float(rng.uniform(20, 45)), float(rng.uniform(-60, 60))) for _ in bowls]
        return cls(start, pushes, lights, tuple(_Push(e, 0.0, way) for e, way in zip(bowls, ways, strict=True)))

    def poses_at(self, seconds: float) -> tuple[BoardPose, BoardPose]:
        """The poses of the board and of the table at a time."""
        camera, board = np.eye(3), np.eye(4)
        for push in self.pushes:
            share = _progress(push.event, seconds)
            if share > 0 and push.event.what == "away":
                back = replace(push.event, seconds=push.event.until)
                camera = _camera_turn(self.start, push, share - _progress(back, seconds), swing=0.0) @ camera
            elif share > 0 and push.event.shift is not None:
                camera = _picture_move(self.start, push, share) @ camera
            elif share > 0 and push.event.what == "camera":
                camera = _camera_turn(self.start, push, share) @ camera
            elif share > 0:
                board = board @ _board_move(self.start, push, share)
        table = _posed(self.start, camera @ self.start.projection)
        return _posed(self.start, camera @ self.start.projection @ board), table

    def bowl_at(self, seconds: float) -> tuple[float, float]:
        """How far (mm) Black's bowl has been pushed by a time."""
        shares = [(_progress(push.event, seconds), push.shift) for push in self.bowls]
        return sum(s * x for s, (x, _) in shares), sum(s * y for s, (_, y) in shares)

    def gain_at(self, seconds: float) -> float:
        """The strength of the light at a time; 1 at the start."""
        gain = 1.0
        for event in self.lights:
            gain += (event.amount - gain) * _progress(event, seconds)
        return gain


def _progress(event: Disturbance, seconds: float) -> float:
    if seconds < event.seconds:
        return 0.0
    return 1.0 if event.over <= 0 else smooth((seconds - event.seconds) / event.over)


def _camera_turn(pose: BoardPose, push: _Push, share: float, swing: float = 0.6) -> Floats:
    """(3, 3) from pixels to pixels when the camera turns on its stand; it swings past its goal before it rests."""
    share += swing * float(np.sin(2 * np.pi * share)) * (1 - share)
    pan, tilt = (share * s for s in push.shift)
    centre = np.array([(pose.image_size[0] - 1) / 2, (pose.image_size[1] - 1) / 2])
    inner = np.array([[pose.focal, 0, centre[0]], [0, pose.focal, centre[1]], [0, 0, 1.0]])
    turn = cv2.Rodrigues(np.array([tilt, pan, share * push.turn]))[0]
    move: Floats = inner @ np.asarray(turn, np.float64) @ np.linalg.inv(inner)
    return move


def _picture_move(pose: BoardPose, push: _Push, share: float) -> Floats:
    """(3, 3) from pixels to pixels when the camera is put somewhere else, as far as its picture tells."""
    width, height = pose.image_size
    scale, angle = push.event.zoom**share, share * push.turn
    cos, sin = scale * np.cos(angle), scale * np.sin(angle)
    middle = np.array([(width - 1) / 2, (height - 1) / 2])
    move = np.eye(3)
    move[:2, :2] = [[cos, -sin], [sin, cos]]
    move[:2, 2] = middle - move[:2, :2] @ middle + share * width * np.array(push.shift)
    return move


def _board_move(pose: BoardPose, push: _Push, share: float) -> Floats:
    """(4, 4) that moves the board on its table."""
    middle = np.array([pose.spec.across, pose.spec.along]) * (pose.size - 1) / 2
    cos, sin = np.cos(share * push.turn), np.sin(share * push.turn)
    move = np.eye(4)
    move[:2, :2] = [[cos, -sin], [sin, cos]]
    move[:2, 3] = middle - move[:2, :2] @ middle + share * np.array(push.shift)
    return move


def _posed(pose: BoardPose, projection: Floats) -> BoardPose:
    middle = np.array([pose.spec.across, pose.spec.along]) * (pose.size - 1) / 2
    return BoardPose(pose.spec, pose.image_size, projection / (projection[2] @ [*middle, 0, 1]), pose.focal)


def _inside(pose: BoardPose) -> bool:
    room, corners = 0.3 * pose.pitch, pose.corners
    return bool(np.all(corners > room) and np.all(corners < np.array(pose.image_size) - 1 - room))


@dataclass(frozen=True, eq=False)
class Leaner:
    """Somebody who leans over the board: a linear picture of head and back (h, w, 3) and its alpha (h, w)."""

    cover: Cover
    colour: Image
    alpha: Image

    def shift_at(self, seconds: float) -> float | None:
        """How many pixels the leaner is from where the most is covered; None while out of the picture."""
        cover, away = self.cover, self.alpha.shape[1] * 1.1
        lean = min(0.7, (cover.until - cover.seconds) / 2)
        if not cover.seconds < seconds < cover.until:
            return None
        there = min(smooth((seconds - cover.seconds) / lean), smooth((cover.until - seconds) / lean))
        return float(cover.side * away * (1 - there))


def paint_leaner(cover: Cover, pose: BoardPose, cloth: Colour3, light: Floats, rng: np.random.Generator) -> Leaner:
    """Paint who leans over a share of the board's points."""
    width, height = pose.image_size
    line, col = np.mgrid[0 : pose.size, 0 : pose.size]
    x = pose.project(np.column_stack([col.ravel(), line.ravel()]))[:, 0]
    edge = float(np.quantile(x, 1 - cover.share if cover.side > 0 else cover.share))
    gy, gx = np.mgrid[0:height, 0:width].astype(np.float32)
    side = cover.side
    back = ((gx - (edge + side * 0.9 * width)) / (0.9 * width)) ** 2 + ((gy - 0.5 * height) / (1.4 * height)) ** 2
    head_x, head_y = edge + side * 0.1 * height, height * rng.uniform(0.35, 0.6)
    head = ((gx - head_x) / (0.2 * height)) ** 2 + ((gy - head_y) / (0.24 * height)) ** 2
    folds = 1 + 0.05 * noise(rng, height, width, 90, 140) + 0.04 * noise(rng, height, width, 3, 3)
    strands = 1 + 0.25 * noise(rng, height, width, 2, 30)
    hair = np.array([0.02, 0.022, 0.028]) * (strands * (1.6 - head))[..., None]
    colour = np.where((head < 1)[..., None], hair, np.array(cloth) * (folds * (1.1 - 0.5 * back))[..., None])
    alpha = np.clip((1 - np.minimum(back, head)) * 60, 0, 1).astype(np.float32)
    return Leaner(cover, (np.clip(colour, 0, 1) * light).astype(np.float32), cv2.GaussianBlur(alpha, (0, 0), 1.5))


def lay_leaner(image: Image, leaner: Leaner, shift: float) -> Image:
    """Lay the leaner over a linear picture, moved by ``shift`` pixels to the right; returns what is covered (h, w)."""
    height, width = image.shape[:2]
    move = np.array([[1.0, 0, shift], [0, 1.0, 0]])
    alpha = cv2.warpAffine(leaner.alpha, move, (width, height))
    # Beyond its own picture the back goes on.
    outer = np.arange(width) - shift
    alpha[:, (outer > width - 2) if leaner.cover.side > 0 else (outer < 1)] = 1.0
    colour = cv2.warpAffine(leaner.colour, move, (width, height), borderMode=cv2.BORDER_REPLICATE)
    shade = cv2.warpAffine(alpha, np.array([[1.0, 0, -14.0 * leaner.cover.side], [0, 1.0, 8.0]]), (width, height))
    image *= (1 - 0.45 * cv2.blur(shade, (41, 41)))[..., None]
    image *= (1 - alpha)[..., None]
    image += colour * alpha[..., None]
    return np.asarray(alpha, np.float32)
