"""Scenes as a camera sees them in the middle of play: hands over the board, captured stones beside its lines.

``play_scene(seed)`` is the random scene of that seed, or a fair board in good light, with one to three of the hands of
clips, of every colour and size, and often with captured stones heaped on the rim.
"""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.points import BLACK, EMPTY, WHITE
from kifuwatch.datasets.clip_hand import FINEST, paint_hand
from kifuwatch.datasets.clip_look import SKINS, SLEEVES, clip_look
from kifuwatch.datasets.hand_place import HandState, PlacedHand, composed, rectangle_round
from kifuwatch.datasets.random_scenes import hsv, random_scene
from kifuwatch.datasets.scene import Colour3, LooseStone, PlayingHand, Scene, random_layout, stone_offsets
from kifuwatch.datasets.stone_shading import StoneBody, draw_stones

Rng = np.random.Generator
Image = NDArray[np.float32]

INSTANTS = 3
"""How many places of a moving hand make its smear."""
CLOSEST = 0.62
"""Pitches from the outermost line: a stone that lies nearer may be meant to stand on it."""
HALF = 0.4
"""How much a stone in the fingers covers: neither so much nor so little that what is seen there would count."""


def play_scene(seed: int) -> Scene:
    """The scene of a seed with hands over its board, always the same."""
    rng = np.random.default_rng([seed, 9])
    scene = random_scene(seed) if rng.random() < 0.5 else _fair(seed, rng)
    count = int(rng.choice([1, 2, 3], p=[0.55, 0.35, 0.1]))
    kept = scene.hands[: int(rng.integers(0, 2))]
    playing = tuple(_hand(rng, scene.pose) for _ in range(count))
    heaps = int(rng.choice([0, 1, 2], p=[0.4, 0.4, 0.2]))
    loose = tuple(stone for _ in range(heaps) for stone in _heap(rng, scene.pose))
    return replace(scene, hands=kept, playing=playing, loose=loose, flat=False)


def _fair(seed: int, rng: Rng) -> Scene:
    """A good board in good light, as in clips."""
    wide = round(rng.uniform(560, 1100))
    size = wide, round(wide * float(rng.choice([0.5625, 0.75])))
    scene = clip_look(int(rng.choice([9, 13, 19], p=[0.3, 0.2, 0.5])), size, seed).scene
    layout = random_layout(rng, scene.pose.size)
    effects = replace(
        scene.effects,
        exposure=scene.effects.exposure * float(rng.uniform(0.7, 1.5)),
        blur=float(rng.uniform(0.3, 0.9)),
        noise=float(rng.uniform(0, 0.08)),
        jpeg=int(rng.choice([0, int(rng.integers(50, 95))])),
        video=float(rng.choice([0.0, rng.uniform(0.05, 0.6)])),
    )
    offsets = stone_offsets(rng, layout, scene.pose.spec, rng.uniform(0.02, 0.1))
    return replace(scene, layout=layout, offsets=offsets, effects=effects)


def _hand(rng: Rng, pose: BoardPose) -> PlayingHand:
    """A hand that plays or points, rests or moves, mostly from where a player sits."""
    spec, last = pose.spec, pose.size - 1
    x, y = rng.uniform(-0.5, last + 0.5, 2) * [spec.across, spec.along]
    height = float(rng.choice([0.0, rng.uniform(0, 15), rng.uniform(10, 70)]))
    seated = float(rng.choice([1, -1])) * np.pi / 2 + rng.normal(0, 0.35)
    angle = seated if rng.random() < 0.8 else rng.uniform(0, 2 * np.pi)
    # A frame collects light for some hundredths of a second, and a hand moves up to two metres a second.
    moves = rng.normal(0, 14, 2) if rng.random() < 0.35 else np.zeros(2)
    return PlayingHand(
        at=(float(x), float(y), height),
        back=(float(np.cos(angle)), float(np.sin(angle))),
        carries=str(rng.choice([EMPTY, BLACK, WHITE], p=[0.4, 0.3, 0.3])),
        skin=_skin(rng),
        sleeve=_sleeve(rng),
        moves=(float(moves[0]), float(moves[1])),
        stretch=(float(rng.choice([1, 1, -1]) * rng.uniform(0.8, 1.25)), float(rng.uniform(0.8, 1.2))),
        seed=int(rng.integers(0, 2**31)),
    )


def _heap(rng: Rng, pose: BoardPose) -> list[LooseStone]:
    """Captured stones in a heap on the rim, mostly of one colour, as near the lines as stones do lie that are on no
    point; none where the rim is narrow."""
    spec, last = pose.spec, pose.size - 1
    side, along = int(rng.integers(4)), rng.uniform(0, last)
    away = rng.uniform(CLOSEST, max(CLOSEST, spec.margin / max(spec.across, spec.along)))
    middle = np.array([(along, -away), (last + away, along), (along, last + away), (-away, along)][side])
    colour, other = (BLACK, WHITE) if rng.random() < 0.5 else (WHITE, BLACK)
    stones: list[LooseStone] = []
    for _ in range(int(rng.integers(1, 10))):
        u, v = middle + rng.normal(0, 0.7, 2) * ([1.6, 0.3] if side % 2 == 0 else [0.3, 1.6])
        x, y = float(u * spec.across), float(v * spec.along)
        high = float(rng.choice([0.0, rng.uniform(0.6, 1.0)], p=[0.75, 0.25])) * spec.stone_thickness
        cell = colour if rng.random() < 0.9 else other
        off = max(-x, x - last * spec.across, -y, y - last * spec.along)
        if max(-u, u - last, -v, v - last) >= CLOSEST and off < spec.margin and _free(stones, (x, y, high), spec):
            stones.append(LooseStone((x, y, high), cell))
    return stones


def _free(stones: list[LooseStone], at: tuple[float, float, float], spec: BoardSpec) -> bool:
    """Whether no stone of a heap is in the way, but one that another lies on."""
    for stone in stones:
        apart = float(np.hypot(at[0] - stone.at[0], at[1] - stone.at[1]))
        if abs(at[2] - stone.at[2]) < 0.5 * spec.stone_thickness and apart < spec.stone_diameter:
            return False
    return True


def _skin(rng: Rng) -> Colour3:
    if rng.random() < 0.3:
        return hsv(rng, (0.0, 0.11), (0.12, 0.7), (0.08, 1.0))
    return _near(rng, SKINS)


def _sleeve(rng: Rng) -> Colour3:
    return hsv(rng, (0, 1), (0, 0.8), (0.01, 0.95)) if rng.random() < 0.6 else _near(rng, SLEEVES)


def _near(rng: Rng, choices: tuple[Colour3, ...]) -> Colour3:
    b, g, r = np.array(choices[int(rng.integers(len(choices)))]) * rng.uniform(0.8, 1.25) * rng.normal(1, 0.04, 3)
    return float(b), float(g), float(r)


def lay_playing_hand(image: Image, scene: Scene, pose: BoardPose, hand: PlayingHand) -> Image:
    """Lay a hand, the stone in its fingers and both shadows over a linear picture (h, w, 3); returns how much of each
    pixel (h, w) the hand covers, 0..1. ``pose`` is the scene's without distortion."""
    cover = np.zeros(image.shape[:2], np.float32)
    rng = np.random.default_rng([hand.seed, 1])
    lamp = scene.lights[0]
    across, back = (hand.back[1], -hand.back[0]), hand.back
    side = np.sign(hand.stretch[0])
    light = (side * float(np.dot(across, lamp.direction[:2])), float(np.dot(back, lamp.direction[:2])))
    scale = float(np.clip(pose.pitch / pose.spec.across, 0.4, FINEST))
    sky = np.array(scene.ambient) + sum((np.array(li.colour) * 0.5 for li in scene.lights[1:]), np.zeros(3))
    ambient = (float(sky[0]), float(sky[1]), float(sky[2]))
    sprite = paint_hand(rng, hand.skin, hand.sleeve, (*light, lamp.direction[2]), lamp.colour, ambient, scale)
    states = _states(hand)
    laid = [PlacedHand.of(sprite, state, pose, lamp.direction, hand.stretch) for state in states]
    box = rectangle_round(laid, pose.image_size)
    if box is None:
        return cover
    if hand.carries != EMPTY:
        image[:] = np.mean([_with_stone(image, scene, pose, state) for state in states], axis=0)
        _doubt_stone(cover, pose, states)
    x0, y0, x1, y1 = box
    image[y0:y1, x0:x1], hidden = composed(image[y0:y1, x0:x1], sprite, laid, box)
    np.maximum(cover[y0:y1, x0:x1], hidden, out=cover[y0:y1, x0:x1])
    return cover


def _states(hand: PlayingHand) -> list[HandState]:
    (x, y, z), (dx, dy) = hand.at, hand.moves
    shares = np.linspace(-0.5, 0.5, INSTANTS) if dx or dy else [0.0]
    return [HandState(x + dx * s, y + dy * s, z, hand.back, hand.carries) for s in map(float, shares)]


def _doubt_stone(cover: Image, pose: BoardPose, states: list[HandState]) -> None:
    """A stone in the fingers is neither on the board nor in the way: where it is seen, a point is half covered."""
    for state in states:
        lattice = np.array([[state.x / pose.spec.across, state.y / pose.spec.along]])
        x, y = pose.project(lattice, max(state.z, 0.0) + pose.spec.stone_thickness / 2)[0]
        cv2.circle(cover, (round(float(x)), round(float(y))), round(0.65 * pose.pitch), HALF, -1)


def _with_stone(image: Image, scene: Scene, pose: BoardPose, state: HandState) -> Image:
    picture, spec = image.copy(), scene.pose.spec
    look = scene.black if state.carries == BLACK else scene.white
    stone = StoneBody(state.x, state.y, state.z, spec.stone_diameter / 2, spec.stone_thickness, look, 1.0)
    draw_stones(picture, pose, [stone], scene.lights, np.array(scene.ambient), None)
    return picture
