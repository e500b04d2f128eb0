"""Draw at random what a path tracer shows: a :class:`Scene` with a real room, lamps, things and people round it.

Three kinds: ``club`` (a board that a person reads without effort), ``lamps`` (the same under strongly coloured lamps,
with stones of odd colours), ``any`` (everything, low cameras and glossy black stones more often than in life).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.errors import UsageError
from kifuwatch.datasets.photoreal_light import MOODS, Lamp, Rig, random_light
from kifuwatch.datasets.photoreal_people import Person
from kifuwatch.datasets.photoreal_props import REACH, THINGS, Thing
from kifuwatch.datasets.random_scenes import hsv, place_camera, random_board, random_spec
from kifuwatch.datasets.scene import (
    BoardLook,
    CameraEffects,
    Colour3,
    Scene,
    StoneLook,
    random_layout,
    stone_offsets,
)

Rng = np.random.Generator

KINDS = ("club", "lamps", "any")
SIZES = ((800, 600), (800, 450), (720, 720), (600, 800))
"""Widths and heights of pictures."""


@dataclass(frozen=True)
class PhotoScene:
    """A scene for the path tracer.

    ``scene`` gives board, stones, camera and its effects; its lights, shadows and hands are not used. ``varnish`` is
    the roughness of the board's gloss. ``adapts`` (0..1) is how much of the light's colour the camera takes out.
    ``table`` is half the width and length (mm) of the table, ``high`` how high it stands above the floor.
    """

    scene: Scene
    kind: str
    rig: Rig
    varnish: float
    adapts: float
    table: tuple[float, float]
    high: float
    things: tuple[Thing, ...]
    people: tuple[Person, ...]


def photo_scene(seed: int, kind: str = "any", image_size: tuple[int, int] | None = None) -> PhotoScene:
    """The scene of a seed and a kind, always the same. ``image_size`` (width, height) is drawn too when not given.

    Raises UsageError for a kind that there is not.
    """
    if kind not in KINDS:
        raise UsageError(f"there is no kind of scene {kind!r}: choose from {', '.join(KINDS)}")
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    if image_size is None:
        image_size = SIZES[int(rng.choice(4, p=[0.5, 0.3, 0.08, 0.12]))]
    spec = _spec(rng, kind)
    pose = photo_pose(rng, spec, image_size, kind)
    flat = kind == "any" and rng.random() < 0.03
    board, varnish = _board(rng, kind, flat)
    layout = random_layout(rng, spec.size)
    mood = "party" if kind == "lamps" else str(rng.choice(MOODS, p=_moods(kind)))
    rig = _light(rng, pose, mood)
    odd = kind == "lamps" or rng.random() < 0.08 * (kind == "any")
    black, white = _odd_stones(rng, rig.total) if odd else _stones(rng, kind)
    table = _table_colour(rng)
    offsets = stone_offsets(rng, layout, spec, rng.uniform(0.02, 0.1))
    effects, dark = _effects(rng, pose.pitch, kind), (0.0, 0.0, 0.0)
    return PhotoScene(
        scene=Scene(seed, pose, layout, board, black, white, (), dark, table, offsets, effects=effects, flat=flat),
        kind=kind,
        rig=rig,
        varnish=varnish,
        adapts=float(rng.uniform(0.0, 0.6) if mood == "party" else rng.uniform(0.2, 0.8)),
        table=(float(rng.uniform(350, 900)), float(rng.uniform(350, 700))),
        high=float(rng.uniform(350, 760)),
        things=_things(rng, spec),
        people=_people(rng, pose, kind),
    )


def clip_photo(scene: Scene, mood: str) -> PhotoScene:
    """A club room round the board of a clip, in the light of a mood; bowls stand beside it, and nobody sits there yet.

    Raises UsageError for a mood that there is not.
    """
    if mood not in MOODS:
        raise UsageError(f"there is no light {mood!r}: choose from {', '.join(MOODS)}")
    rng = np.random.default_rng([scene.seed, 8, MOODS.index(mood)])
    table = _Table(rng, scene.pose.spec)
    table.put_bowl("X", 1.0)
    table.put_bowl("O", -1.0)
    return PhotoScene(
        scene=scene,
        kind="club",
        rig=replace(_light(rng, scene.pose, mood), blinds=()),
        varnish=float(rng.uniform(0.15, 0.5)),
        adapts=float(rng.uniform(0.5, 0.9)),
        table=(float(rng.uniform(450, 900)), float(rng.uniform(400, 700))),
        high=float(rng.uniform(600, 760)),
        things=tuple(table.things),
        people=(),
    )


def _light(rng: Rng, pose: BoardPose, mood: str) -> Rig:
    """Light whose lamps hang outside the picture."""
    for _ in range(60):
        rig = random_light(rng, pose.spec, mood)
        if not any(_in_picture(pose, lamp) for lamp in rig.lamps):
            return rig
    return replace(rig, lamps=(), sky=1.0)


def _in_picture(pose: BoardPose, lamp: Lamp) -> bool:
    """Whether the camera sees a lamp, or is in it."""
    eye = np.linalg.svd(pose.projection)[2][-1]
    depth = float(np.linalg.norm(eye[:3] / eye[3] - np.array(lamp.place)))
    x, y, scale = pose.projection @ [*lamp.place, 1.0]
    middle = pose.projection @ [pose.spec.across * (pose.size - 1) / 2, pose.spec.along * (pose.size - 1) / 2, 0, 1]
    if depth < 2 * lamp.radius:
        return True
    if scale * np.sign(middle[2]) <= 0:
        return False
    reach = 1.6 * pose.focal * lamp.radius / depth
    spot = np.array([x, y]) / scale
    return bool(np.all(spot > -reach) and np.all(spot < np.array(pose.image_size) + reach))


def _moods(kind: str) -> list[float]:
    return [0.42, 0.4, 0.18, 0.0, 0.0] if kind == "club" else [0.3, 0.3, 0.17, 0.11, 0.12]


def _spec(rng: Rng, kind: str) -> BoardSpec:
    """Measures; stones as thick as real ones are: 5 to 10 mm, thinner for plastic."""
    spec = random_spec(rng, int(rng.choice([9, 13, 19], p=[0.15, 0.2, 0.65])))
    if kind != "any":
        spec = replace(spec, margin=min(spec.margin, float(rng.uniform(12, 40))))
    return replace(spec, stone_thickness=float(rng.uniform(5.5, 10.5)))


def photo_pose(rng: Rng, spec: BoardSpec, image_size: tuple[int, int], kind: str) -> BoardPose:
    """A camera on a stand, in a hand or on a laptop: from 20 degrees to straight down.

    For ``any`` low cameras (20 to 40 degrees) make up 45 %, and one in seven pictures is cropped within the margin.
    Raises UsageError when the picture is too small for the board.
    """
    width, height = image_size
    least = 12.0 if kind != "any" else min(9.0, 0.022 * min(image_size))
    least = min(least, 0.62 * min(image_size) / (spec.size + 1))
    for _ in range(600):
        pose = _camera(rng, spec, image_size, kind)
        if pose is None:
            continue
        edge = 0.3 * pose.pitch if kind != "any" or rng.random() < 0.86 else -0.45 * pose.pitch
        corners = pose.corners
        inside = np.all(corners > edge) and np.all(corners < np.array(image_size) - 1 - edge)
        if inside and pose.pitch >= least:
            return pose
    raise UsageError(f"a picture of {width} x {height} is too small for a board of {spec.size} lines")


def _camera(rng: Rng, spec: BoardSpec, image_size: tuple[int, int], kind: str) -> BoardPose | None:
    """Some camera, or None when it would be too near or too far, or see nothing."""
    width, height = image_size
    span = np.array([spec.across, spec.along]) * (spec.size - 1)
    heights, odds = [(31, 45), (38, 70), (68, 90)], [0.25, 0.5, 0.25]
    if kind == "any":
        heights[0], odds = (20, 40), [0.45, 0.33, 0.22]
    elevation = np.radians(rng.uniform(*heights[int(rng.choice(3, p=odds))]))
    focal = max(image_size) * float(np.clip(np.exp(rng.normal(np.log(0.9), 0.25)), 0.5, 1.8))
    azimuth = rng.choice([rng.normal(0, 0.2), rng.uniform(-np.pi, np.pi)], p=[0.6, 0.4])
    azimuth += rng.choice([0, np.pi / 2, np.pi, -np.pi / 2], p=[0.7, 0.1, 0.1, 0.1])
    roll = rng.normal(0, 0.05) + (rng.uniform(-0.5, 0.5) if kind == "any" and rng.random() < 0.1 else 0)
    if kind == "any":
        share = float(rng.choice([rng.uniform(0.4, 0.7), rng.uniform(0.65, 1.1)], p=[0.3, 0.7]))
    else:
        share = rng.uniform(0.55, 1.0)
    distance = focal * float(np.hypot(*span)) / (share * 1.25 * min(width, height))
    if not 280 < distance < 2200:
        return None
    aim = span / 2 + rng.normal(0, 0.05, 2) * span
    principal = rng.normal(0, 0.02) * width, rng.normal(0, 0.02) * height
    k1 = float(rng.choice([0.0, rng.normal(0, 0.03), rng.uniform(-0.2, -0.05)], p=[0.45, 0.35, 0.2]))
    try:
        return place_camera(spec, image_size, focal, (elevation, azimuth, roll), distance, aim, principal, k1)
    except UsageError:
        return None


MAKES = {"kaya": 0.36, "bamboo": 0.14, "dark": 0.12, "plastic": 0.1, "cloth": 0.08, "paper": 0.06, "any": 0.14}
"""Makes of boards and how often they come; ``any``: as the fast renderer draws them."""
WOODS = {
    "kaya": ("wood", (0.08, 0.115), (0.5, 0.72), (0.5, 0.85), (0.3, 1.4)),
    "bamboo": ("bamboo", (0.085, 0.13), (0.35, 0.62), (0.5, 0.8), (0.5, 1.5)),
    "dark": ("wood", (0.02, 0.08), (0.55, 0.85), (0.08, 0.3), (0.4, 1.5)),
}
"""Of each: its texture, and the bounds of hue, saturation, value and grain."""


def _board(rng: Rng, kind: str, flat: bool) -> tuple[BoardLook, float]:
    """A board of a real make, and how rough its varnish is."""
    look = random_board(rng, flat)
    make = str(rng.choice(list(MAKES), p=list(MAKES.values())))
    if flat:
        return replace(look, grain=0.3, gloss=0.0, border=0.0), 0.5
    look, varnish = _made(rng, look, make)
    if kind != "any":  # lines that a person sees at once
        strength, stars = max(look.line_strength, 0.75), max(look.star_radius, 1.4)
        lift = max(1.0, 0.12 / (sum(look.colour) / 3))  # black stones and lines stand out from any wood
        b, g, r = (min(1.0, c * lift) for c in look.colour)
        look = replace(look, line_strength=strength, wear=min(look.wear, 0.3), star_radius=stars, colour=(b, g, r))
    elif rng.random() < 0.1:
        look = replace(look, doubled=float(rng.uniform(0.6, 1.8)))
    most = (0.05 if make == "dark" else 0.2) * (sum(look.colour) / 3) + 0.004
    b, g, r = look.line_colour
    return replace(look, line_colour=(min(b, most), min(g, most), min(r, most))), varnish


def _made(rng: Rng, look: BoardLook, make: str) -> tuple[BoardLook, float]:
    """The look as a make has it, and the roughness of its varnish."""
    thickness = float(rng.choice([rng.uniform(8, 30), rng.uniform(30, 70), rng.uniform(90, 180)], p=[0.6, 0.32, 0.08]))
    gloss, varnish = float(rng.choice([rng.uniform(0.0, 0.3), rng.uniform(0.3, 1.0)])), float(rng.uniform(0.08, 0.45))
    look = replace(look, thickness=thickness, gloss=gloss, line_width=float(rng.uniform(0.6, 1.4)))
    if make in WOODS:
        texture, hue, saturation, value, grain = WOODS[make]
        colour = hsv(rng, hue, saturation, value)
        look = replace(look, kind=texture, colour=colour, grain=float(rng.uniform(*grain)))
    elif make != "any":
        thin = {"plastic": rng.uniform(1, 6), "cloth": rng.uniform(0.8, 2.5), "paper": 0.4}[make]
        pale = rng.random() < 0.6
        colour = hsv(rng, (0.08, 0.15), (0.1, 0.6), (0.5, 0.9)) if pale else hsv(rng, (0, 1), (0.1, 0.7), (0.3, 0.9))
        look = replace(look, kind="plain", colour=colour, thickness=float(thin), grain=float(rng.uniform(0.3, 1.5)))
        look = replace(look, gloss={"plastic": gloss, "cloth": 0.0, "paper": 0.1}[make])
    return look, varnish


def _sharp(alpha: float) -> float:
    """The Phong exponent of a roughness."""
    return 2 / alpha**2 - 2


def _stones(rng: Rng, kind: str) -> tuple[StoneLook, StoneLook]:
    """Slate and shell, yunzi, plastic or glass."""
    make = str(rng.choice(["shell", "yunzi", "plastic", "glass"], p=[0.28, 0.26, 0.24, 0.22]))
    dark = float(np.exp(rng.uniform(np.log(0.006), np.log(0.045))))
    warm = np.array([rng.uniform(0.72, 1.0), rng.uniform(0.92, 1.0), 1.0])
    light = rng.uniform(0.6, 0.9) * warm
    black: Colour3 = (dark * float(rng.uniform(0.9, 1.25)), dark, dark * float(rng.uniform(0.85, 1.1)))
    white: Colour3 = (float(light[0]), float(light[1]), float(light[2]))
    rough = {"shell": (0.12, 0.4), "yunzi": (0.08, 0.35), "plastic": (0.05, 0.3), "glass": (0.012, 0.08)}[make]
    glossy = kind == "any" and rng.random() < 0.45  # black stones that mirror the window are what readers miss
    alpha = float(rng.uniform(0.01, 0.06)) if glossy else float(rng.uniform(*rough))
    oiled = 1.0 if glossy else float(rng.uniform(0.3, 1.0))
    stripes = float(rng.uniform(0.02, 0.12)) if make == "shell" else 0.0
    half = make == "yunzi"
    return (
        StoneLook(black, oiled, _sharp(alpha), 0.0, half),
        StoneLook(white, float(rng.uniform(0.3, 1.0)), _sharp(float(rng.uniform(*rough))), stripes, half),
    )


def _odd_stones(rng: Rng, light: NDArray[np.float64]) -> tuple[StoneLook, StoneLook]:
    """Stones of odd colours, the darker for black; under this light (3) a person still tells them apart at once."""
    darks = [(0.62, 0.68), (0.3, 0.42), (0.98, 1.03), (0.72, 0.8), (0.04, 0.08)]  # blue, green, red, purple, brown
    lights = [(0.1, 0.16), (0.95, 1.0), (0.5, 0.58), (0.28, 0.4), (0.13, 0.2)]  # cream, pink, sky blue, green, yellow
    dark, pale = (0.015, 0.015, 0.015), (0.78, 0.84, 0.85)
    for _ in range(60):
        one = hsv(rng, darks[int(rng.integers(5))], (0.4, 0.9), (0.03, 0.14)) if rng.random() < 0.75 else dark
        two = hsv(rng, lights[int(rng.integers(5))], (0.1, 0.6), (0.65, 0.92)) if rng.random() < 0.75 else pale
        if float(np.array(two) @ light) > 4 * float(np.array(one) @ light):
            dark, pale = one, two
            break
    half = bool(rng.random() < 0.3)
    return (
        StoneLook(dark, float(rng.uniform(0.3, 1)), _sharp(float(rng.uniform(0.02, 0.35))), 0.0, half),
        StoneLook(pale, float(rng.uniform(0.3, 1)), _sharp(float(rng.uniform(0.02, 0.35))), 0.0, half),
    )


def _table_colour(rng: Rng) -> Colour3:
    pick = rng.random()
    if pick < 0.45:
        return hsv(rng, (0.03, 0.11), (0.35, 0.75), (0.05, 0.5))
    if pick < 0.85:
        return hsv(rng, (0, 1), (0, 0.12), (0.02, 0.8))
    return hsv(rng, (0, 1), (0.3, 0.8), (0.05, 0.5))


class _Table:
    """What has been put on a table so far, so that nothing stands in anything else."""

    def __init__(self, rng: Rng, spec: BoardSpec) -> None:
        self._rng, self._margin = rng, spec.margin
        self._span = np.array([spec.across, spec.along]) * (spec.size - 1)
        self.things: list[Thing] = []

    def put(self, kind: str, place: NDArray[np.float64], stones: int, colour: str) -> None:
        """Put a thing at a place (2,) in mm, unless the board or another thing is there."""
        rng, reach = self._rng, REACH.get(kind, 110.0)
        beyond = np.abs(place - self._span / 2) - self._span / 2 - self._margin
        far = all(np.hypot(*(place - other.place)) > reach + REACH.get(other.kind, 110.0) for other in self.things)
        if float(beyond.max()) <= 0.75 * reach or not far:
            return
        quarters = [0, np.pi / 2, np.pi, -np.pi / 2]
        turn = float(rng.choice(quarters) if kind == "clock" else rng.uniform(0, 6.28))
        spot = float(place[0]), float(place[1])
        self.things.append(Thing(kind, spot, turn, int(rng.integers(2**31)), stones, colour))

    def put_bowl(self, colour: str, side: float) -> None:
        """Put a player's bowl beside the board, and the lid with the prisoners by it."""
        rng, (wide, long) = self._rng, self._span / 2 + self._margin
        away = long + rng.uniform(70, 150)
        aside = wide + rng.uniform(-120, 110)
        if rng.random() < 0.6:
            beside = np.array([aside * side, away * side])
        else:
            aside = wide + rng.uniform(75, 120)
            beside = np.array([aside * side, rng.uniform(-0.4, 0.5) * self._span[1] * side])
        place = self._span / 2 + beside
        self.put("bowl", place, int(rng.integers(10, 90)), colour)
        if rng.random() < 0.6:
            near = place + rng.normal(0, 1, 2) * 40 + np.array([-150.0 * side, 0])
            prisoners = int(rng.choice(np.array([0, rng.integers(1, 14)])))
            self.put("lid", near, prisoners, "O" if colour == "X" else "X")

    def put_anything(self) -> None:
        """Put one thing more somewhere round the board."""
        rng = self._rng
        kind = str(rng.choice(THINGS, p=[0.06, 0.06, 0.15, 0.17, 0.13, 0.16, 0.1, 0.05, 0.06, 0.06]))
        angle = rng.uniform(0, 6.28)
        ray = np.array([np.cos(angle), np.sin(angle)])
        scale = float(np.min((self._span / 2 + self._margin) / np.maximum(np.abs(ray), 1e-3)))
        place = self._span / 2 + ray * (scale + rng.uniform(70, 260))
        stones = int(rng.integers(1, 20)) if kind in ("bowl", "lid", "stones") else 0
        self.put(kind, place, stones, str(rng.choice(["X", "O"])))


def _things(rng: Rng, spec: BoardSpec) -> tuple[Thing, ...]:
    """Bowls and lids where players have them, and whatever else fits on the table."""
    table = _Table(rng, spec)
    if rng.random() < 0.7:
        table.put_bowl("X", 1.0)
        table.put_bowl("O", -1.0)
    for _ in range(rng.integers(0, 6)):
        table.put_anything()
    return tuple(table.things)


def _person(rng: Rng, kind: str, place: tuple[float, float, float], heading: float) -> Person:
    value = float(np.exp(rng.uniform(np.log(0.09), np.log(0.72))))
    skin = hsv(rng, (0.035, 0.07), (0.45, 0.62), (value, value))
    hair = (
        hsv(rng, (0.04, 0.1), (0.0, 0.6), (0.008, 0.06))
        if rng.random() < 0.8
        else hsv(rng, (0.07, 0.12), (0.1, 0.5), (0.2, 0.6))
    )
    cloth = hsv(rng, (0, 1), (0.0, 0.85), (0.015, 0.7))
    return Person(kind, place, heading, skin, cloth, hair, int(rng.integers(2**31)))


def _people(rng: Rng, pose: BoardPose, kind: str) -> tuple[Person, ...]:
    """Players on two sides, a hand that plays, a head that leans over."""
    spec = pose.spec
    span = np.array([spec.across, spec.along]) * (spec.size - 1)
    middle, people = span / 2, []
    for side in (-1.0, 1.0):
        if rng.random() < 0.5:
            away = span[1] / 2 + spec.margin + rng.uniform(130, 260)
            place = (float(middle[0] + rng.normal(0, 60)), float(middle[1] + side * away), -spec.stone_thickness - 15.0)
            people.append(_person(rng, "player", place, -side * np.pi / 2 + float(rng.normal(0, 0.1))))
    hands = int(rng.choice([0, 1, 2], p=[0.68, 0.27, 0.05] if kind != "any" else [0.6, 0.3, 0.1]))
    for _ in range(hands):
        spot = rng.uniform(-0.05, 1.05, 2) * span
        heading = rng.choice([-np.pi / 2, np.pi / 2, 0, np.pi], p=[0.45, 0.35, 0.1, 0.1]) + rng.normal(0, 0.4)
        height = float(rng.uniform(5, 15) if rng.random() < 0.6 else rng.uniform(15, 120))
        people.append(_person(rng, "hand", (float(spot[0]), float(spot[1]), height), float(heading)))
    if kind == "any" and rng.random() < 0.08:
        side = float(rng.choice([-1, 1]))
        spot = middle + np.array([rng.normal(0, 60), side * (span[1] / 2 + rng.uniform(-40, 150))])
        people.append(
            _person(rng, "head", (float(spot[0]), float(spot[1]), float(rng.uniform(230, 420))), -side * np.pi / 2)
        )
    return tuple(people)


def _effects(rng: Rng, pitch: float, kind: str) -> CameraEffects:
    """What the camera does, the exposure relative to what its automatic chose."""
    gone = kind == "any" and rng.random() < 0.15
    cast = np.exp(rng.normal(0, 0.25 if gone else 0.06, 3))
    reach = max(1.0, pitch / 16)
    rough = kind == "any" and rng.random() < 0.35
    blur = abs(float(rng.normal(0, 0.55))) * reach if not rough else float(rng.uniform(0.6, 1.7)) * reach
    motion = rng.normal(0, 2.0, 2) * reach if kind == "any" and rng.random() < 0.06 else np.zeros(2)
    return CameraEffects(
        exposure=float(np.exp(rng.normal(0.0, 0.16 if kind != "any" else 0.3))),
        cast=(float(cast[0]), float(cast[1]), float(cast[2])),
        vignette=float(rng.choice([0, rng.uniform(0, 0.4)])),
        gamma=float(rng.uniform(2.0, 2.4)),
        contrast=float(rng.uniform(0.95, 1.4)),
        blur=float(min(blur, (0.1 if kind == "any" else 0.07) * pitch)),
        motion=(float(motion[0]), float(motion[1])),
        noise=float(abs(rng.normal(0, 0.07))) if not rough else float(rng.uniform(0.08, 0.4)),
        sharpen=float(rng.choice([0, rng.uniform(0.2, 1.5)])),
        jpeg=int(rng.integers(70, 97)) if not rough else int(rng.integers(25, 80)),
        saturation=float(rng.uniform(0.75, 1.3))
        if kind != "any" or rng.random() < 0.95
        else float(rng.uniform(0, 0.4)),
        video=float(rng.choice([0, rng.uniform(0.1, 1.0)], p=[0.65, 0.35]))
        if kind == "any"
        else float(rng.choice([0, rng.uniform(0.05, 0.3)])),
    )
