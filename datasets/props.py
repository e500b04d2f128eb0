"""What lies and moves around a board: bowls, lids, cups, papers, phones, loose stones, hands, heads."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.datasets.scene import Hand, Scene, StoneLook
from kifuwatch.datasets.stone_shading import StoneBody
from kifuwatch.datasets.texture import noise

Image = NDArray[np.float32]
Floats = NDArray[np.float64]


def _pixels(pose: BoardPose, points: Floats) -> Floats | None:
    """Pixels (n, 2) of world points (n, 3) in mm, or None when one lies behind the camera."""
    image = np.column_stack([points, np.ones(len(points))]) @ pose.projection.T
    if np.any(image[:, 2] <= 1e-6):
        return None
    pixels: Floats = image[:, :2] / image[:, 2:]
    return pixels if np.all(np.abs(pixels) < 20_000) else None


def _polygon(image: Image, pixels: Floats, colour: Floats) -> None:
    cv2.fillPoly(image, [np.round(pixels * 8).astype(np.int32)], colour.tolist(), cv2.LINE_AA, 3)


def _disc(centre: Floats, radius: float, height: float, steps: int = 40) -> Floats:
    angle = np.linspace(0, 2 * np.pi, steps, endpoint=False)
    return np.column_stack(
        [centre[0] + radius * np.cos(angle), centre[1] + radius * np.sin(angle), np.full(steps, height)]
    )


def clutter(image: Image, scene: Scene, rng: np.random.Generator) -> list[StoneBody]:
    """Draw things on the table round the board into a linear image; returns loose stones, still to be drawn."""
    loose: list[StoneBody] = []
    spec, floor = scene.pose.spec, -scene.board.thickness
    span = np.array([spec.across, spec.along]) * (spec.size - 1)
    for _ in range(scene.clutter):
        centre = _beside(rng, span, spec.margin)
        thing = str(
            rng.choice(["bowl", "lid", "paper", "phone", "cup", "stones"], p=[0.34, 0.14, 0.14, 0.1, 0.1, 0.18])
        )
        if thing in ("bowl", "lid", "cup"):
            loose += _round_thing(image, scene, rng, thing, centre)
        elif thing in ("paper", "phone"):
            _flat_thing(image, scene.pose, rng, thing, centre, floor, _daylight(scene))
        else:
            loose += _loose_stones(scene, rng, centre, span)
    return loose


def clocks(image: Image, scene: Scene) -> None:
    """Draw game clocks on the table into a linear image: boxes with two displays or dials on a face."""
    rng = np.random.default_rng([scene.seed, 8])
    spec = scene.pose.spec
    span = np.array([spec.across, spec.along]) * (spec.size - 1)
    for _ in range(scene.clocks):
        _clock(image, scene, rng, _beside(rng, span, spec.margin))


def _clock(image: Image, scene: Scene, rng: np.random.Generator, centre: Floats) -> None:
    half = np.array([rng.uniform(65, 90), rng.uniform(22, 32)])
    floor, high = -scene.board.thickness, rng.uniform(55, 100)
    angle = rng.choice([0.0, np.pi / 2, np.pi, -np.pi / 2]) + rng.normal(0, 0.2)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])

    def seen(points: list[list[float]]) -> Floats | None:
        """Pixels of places in the box: across and along it from -1 to 1, and mm above the table."""
        place = np.array(points)
        return _pixels(scene.pose, np.column_stack([(place[:, :2] * half) @ turn.T + centre, floor + place[:, 2]]))

    ring = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
    whole = seen([[x, y, z] for z in (0.0, high) for x, y in ring])
    top = seen([[x, y, high] for x, y in ring])
    if whole is None or top is None:
        return
    shell, light = rng.uniform(0.01, 0.6) * rng.uniform(0.7, 1.3, 3), _daylight(scene)
    hull = cv2.convexHull(whole.astype(np.float32)).reshape(-1, 2).astype(float)
    _polygon(image, hull, shell * light * 0.5)
    _polygon(image, top, shell * light)
    display = rng.choice([rng.uniform(0.2, 0.5), rng.uniform(0.6, 0.9)]) * np.array([0.9, 1.0, 0.95])
    for x in (-0.52, 0.52):  # on the top, which every camera sees
        panel = seen([[x + 0.38 * a, 0.7 * b, high + 0.5] for a, b in ring])
        if panel is not None:
            _polygon(image, panel, display * light)
            _digits(image, panel, rng)


def _digits(image: Image, panel: Floats, rng: np.random.Generator) -> None:
    """Strokes in a display (4, 2) pixels, as digits look from afar."""
    for i in range(4):
        a = 0.12 + 0.21 * i
        for t in (0.25, 0.5, 0.75) if rng.random() < 0.7 else (0.25, 0.75):
            left, right = panel[0] * (1 - t) + panel[3] * t, panel[1] * (1 - t) + panel[2] * t
            ends = np.array([left + (right - left) * a, left + (right - left) * (a + 0.13)])
            first, last = np.round(ends).astype(int).tolist()
            cv2.line(image, first, last, (0.02, 0.02, 0.02), 1)


def _beside(rng: np.random.Generator, span: Floats, margin: float) -> Floats:
    """A place (mm) on the table beside a board."""
    side = rng.integers(0, 4)
    away = margin + rng.uniform(70, 220)
    along = rng.uniform(-0.2, 1.2)
    sides = [
        [along * span[0], -away],
        [along * span[0], span[1] + away],
        [-away, along * span[1]],
        [span[0] + away, along * span[1]],
    ]
    return np.array(sides[side])


def _daylight(scene: Scene) -> Floats:
    """The light (3) on something that is not turned to any lamp."""
    light: Floats = np.array(scene.ambient) + sum((np.array(li.colour) * 0.6 for li in scene.lights), np.zeros(3))
    return light


def _loose_stones(scene: Scene, rng: np.random.Generator, centre: Floats, span: Floats) -> list[StoneBody]:
    look = scene.black if rng.random() < 0.5 else scene.white
    spec, floor, beyond = scene.pose.spec, -scene.board.thickness, scene.pose.spec.margin + 14
    stones = []
    for _ in range(rng.integers(1, 25)):
        x, y = centre + rng.normal(0, 35, 2)
        if not (-beyond < x < span[0] + beyond and -beyond < y < span[1] + beyond):
            radius = spec.stone_diameter / 2
            stones.append(StoneBody(x, y, floor, radius, spec.stone_thickness, look, rng.uniform(0, 6)))
    return stones


def _round_thing(image: Image, scene: Scene, rng: np.random.Generator, thing: str, centre: Floats) -> list[StoneBody]:
    radius = {"bowl": rng.uniform(55, 75), "lid": rng.uniform(45, 65), "cup": rng.uniform(30, 45)}[thing]
    height = {"bowl": rng.uniform(50, 90), "lid": rng.uniform(8, 20), "cup": rng.uniform(60, 110)}[thing]
    if rng.random() < 0.7:
        wood = np.array([rng.uniform(0.02, 0.3), rng.uniform(0.03, 0.3), rng.uniform(0.05, 0.45)])
    else:
        wood = rng.uniform(0.02, 0.8, 3)
    floor = -scene.board.thickness
    if not _vessel(image, scene, scene.pose, rng, centre, (radius, height), wood) or thing == "cup":
        return []
    look = scene.black if rng.random() < 0.5 else scene.white
    count = rng.integers(15, 45) if thing == "bowl" else rng.integers(0, 8)
    return _heap(scene, rng, centre, radius, floor + height * 0.6, int(count), look)


def _vessel(
    image: Image,
    scene: Scene,
    pose: BoardPose,
    rng: np.random.Generator,
    centre: Floats,
    size: tuple[float, float],
    wood: Floats,
) -> bool:
    """Draw something round (radius, height in mm) on the table; False when it is out of sight."""
    (radius, height), floor = size, -scene.board.thickness
    bottom, rim = (
        _pixels(pose, _disc(centre, radius * 0.8, floor)),
        _pixels(pose, _disc(centre, radius, floor + height)),
    )
    inner = _pixels(pose, _disc(centre, radius * 0.85, floor + height * 0.9))
    if bottom is None or rim is None or inner is None:
        return False
    light = _daylight(scene)
    hull = cv2.convexHull(np.vstack([bottom, rim]).astype(np.float32)).reshape(-1, 2).astype(float)
    _polygon(image, hull, wood * light * 0.7)
    _polygon(image, rim, wood * light)
    _polygon(image, inner, wood * light * rng.uniform(0.2, 0.6))
    return True


def _heap(
    scene: Scene, rng: np.random.Generator, centre: Floats, radius: float, level: float, count: int, look: StoneLook
) -> list[StoneBody]:
    """Stones in a round vessel, up to ``level`` mm."""
    spec, stones = scene.pose.spec, []
    for _ in range(count):
        r, angle = radius * 0.72 * np.sqrt(rng.random()), rng.uniform(0, 6.28)
        x, y = centre[0] + r * np.cos(angle), centre[1] + r * np.sin(angle)
        base = level + rng.uniform(0, 6)
        stones.append(StoneBody(x, y, base, spec.stone_diameter / 2, spec.stone_thickness, look, angle))
    return stones


def bowl(
    image: Image, scene: Scene, pose: BoardPose, rng: np.random.Generator, centre: Floats, look: StoneLook
) -> list[StoneBody]:
    """Draw a wooden bowl on the table at a place (mm); returns the stones of one kind in it, still to be drawn."""
    radius, height = 62.0, 62.0
    wood = np.array([0.05, 0.09, 0.19]) * rng.uniform(0.8, 1.3)
    if not _vessel(image, scene, pose, rng, centre, (radius, height), wood):
        return []
    return _heap(scene, rng, centre, radius, height * 0.72 - scene.board.thickness, 34, look)


def _flat_thing(
    image: Image, pose: BoardPose, rng: np.random.Generator, thing: str, centre: Floats, floor: float, light: Floats
) -> None:
    half = np.array([75, 105]) if thing == "paper" else np.array([37, 76])
    angle = rng.uniform(0, 6.28)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    corners = (np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * half) @ turn.T + centre
    pixels = _pixels(pose, np.column_stack([corners, np.full(4, floor + 1)]))
    if pixels is None:
        return
    colour = rng.uniform(0.7, 0.95, 3) if thing == "paper" else rng.uniform(0.01, 0.1, 3)
    _polygon(image, pixels, colour * light)
    rows, cols = rng.integers(6, 25), rng.integers(1, 9)  # writing, tables and diagrams look like grids
    for i in range(rows):
        t = (i + 1) / (rows + 1)
        a, b = pixels[0] * (1 - t) + pixels[3] * t, pixels[1] * (1 - t) + pixels[2] * t
        inset = 0.1 * (b - a)
        cv2.line(
            image,
            np.round(a + inset).astype(int).tolist(),
            np.round(b - inset * rng.uniform(1, 6)).astype(int).tolist(),
            (colour * light * 0.35).tolist(),
            1,
            cv2.LINE_AA,
        )
    if thing == "paper" and rng.random() < 0.5:
        for i in range(cols):
            t = (i + 1) / (cols + 1)
            a, b = pixels[0] * (1 - t) + pixels[1] * t, pixels[3] * (1 - t) + pixels[2] * t
            cv2.line(
                image,
                np.round(a).astype(int).tolist(),
                np.round(b).astype(int).tolist(),
                (colour * light * 0.4).tolist(),
                1,
                cv2.LINE_AA,
            )


def hand_mask(hand: Hand, shape: tuple[int, int]) -> Image:
    """How much of each pixel (h, w) the hand, sleeve or head covers, 0..1."""
    rng = np.random.default_rng(hand.seed)
    mask = np.zeros(shape, np.uint8)
    tip, root = np.array(hand.tip), np.array(hand.root)
    if hand.kind == "head":
        axes = (round(hand.width * rng.uniform(0.8, 1.2)), round(hand.width))
        cv2.ellipse(mask, (round(tip[0]), round(tip[1])), axes, rng.uniform(0, 180), 0, 360, 255, -1, cv2.LINE_AA)
        _limb(mask, tip, root, hand.width * 1.1)
        return (mask / np.float32(255)).astype(np.float32)
    length = float(np.linalg.norm(root - tip)) + 1e-6
    ahead = (tip - root) / length
    aside = np.array([-ahead[1], ahead[0]])
    palm = tip - ahead * hand.width * 1.5
    wrist = tip - ahead * hand.width * 2.9
    _fingers(mask, hand, rng, palm, ahead, aside)
    _limb(mask, palm - aside * hand.width * 0.2, palm + aside * hand.width * 0.2, hand.width * 1.0)
    _limb(mask, palm, wrist, hand.width * 0.8)
    thumb = palm + aside * hand.width * rng.choice([-1, 1]) * 0.75 + ahead * hand.width * 0.3
    _limb(mask, wrist * 0.5 + palm * 0.5, thumb, hand.width * 0.32)
    _limb(mask, wrist, root, hand.width * 0.75)
    sleeve = tip - ahead * hand.sleeve_from
    _limb(mask, sleeve, root - ahead * 200, hand.width * rng.uniform(0.95, 1.5))
    return (mask / np.float32(255)).astype(np.float32)


def _limb(mask: NDArray[np.uint8], a: Floats, b: Floats, thick: float) -> None:
    first, last = np.round(a).astype(int).tolist(), np.round(b).astype(int).tolist()
    cv2.line(mask, first, last, 255, max(1, round(thick)), cv2.LINE_AA)


def _fingers(
    mask: NDArray[np.uint8], hand: Hand, rng: np.random.Generator, palm: Floats, ahead: Floats, aside: Floats
) -> None:
    reaching = np.array(hand.tip) - palm
    for i, spread in enumerate((-0.55, -0.2, 0.15, 0.5)):
        long = i in (1, 2)
        reach = rng.uniform(0.85, 1.05) if long else rng.uniform(0.3, 1.0)
        knuckle = palm + aside * spread * hand.width * 0.9
        apart = aside * spread * hand.width * rng.uniform(0.2, 0.9) * (0.4 if long else 1)
        end = palm + reaching * reach + apart
        bend = (knuckle + end) / 2 + ahead * hand.width * rng.uniform(-0.1, 0.2)
        _limb(mask, knuckle, bend, hand.width * 0.30)
        _limb(mask, bend, end, hand.width * 0.25)


def draw_hand(image: Image, hand: Hand, light: Floats) -> Image:
    """Lay a hand, with its shadow, over a linear image; returns its mask (h, w)."""
    rng = np.random.default_rng(hand.seed + 1)
    height, width = image.shape[:2]
    mask = hand_mask(hand, (height, width))
    lift = hand.width * rng.uniform(0.05, 0.9)
    move = np.array([[1, 0, rng.uniform(-1, 1) * lift], [0, 1, rng.uniform(-0.3, 1) * lift]])
    shadow = cv2.GaussianBlur(
        cv2.warpAffine(mask, move, (width, height)), (0, 0), max(0.8, lift * rng.uniform(0.1, 0.6))
    )
    image *= 1 - rng.uniform(0.1, 0.65) * shadow[..., None]
    inside = cv2.distanceTransform((mask > 0.5).astype(np.uint8), cv2.DIST_L2, 3)
    relief = np.sqrt(np.clip(inside / (hand.width * 0.5), 0, 1)).astype(np.float32)
    relief = cv2.GaussianBlur(relief, (0, 0), max(0.8, hand.width * 0.08))
    slope_y, slope_x = np.gradient(relief * hand.width * 0.35)
    angle = rng.uniform(0, 6.28)
    shading = np.clip(0.7 + 0.5 * (slope_x * np.cos(angle) + slope_y * np.sin(angle)), 0.15, 1.4)
    tip, root = np.array(hand.tip), np.array(hand.root)
    ahead = (tip - root) / (np.linalg.norm(root - tip) + 1e-6)
    gy, gx = np.mgrid[0:height, 0:width].astype(np.float32)
    behind = (tip[0] - gx) * ahead[0] + (tip[1] - gy) * ahead[1]
    cloth = (
        np.clip((behind - hand.sleeve_from) / 2, 0, 1)[..., None]
        if hand.kind == "hand"
        else np.zeros((height, width, 1), np.float32)
    )
    grain = (
        1
        + 0.06 * noise(rng, height, width, 3, 3)
        + 0.08 * noise(rng, height, width, hand.width * 0.3 + 2, hand.width * 0.3 + 2)
    )
    skin = np.array(hand.skin, np.float32) * (1 - cloth) + np.array(hand.sleeve, np.float32) * cloth
    surface = skin * (shading * grain)[..., None] * light.astype(np.float32)
    soft = cv2.GaussianBlur(mask, (0, 0), 0.6)[..., None]
    image *= 1 - soft
    image += np.clip(surface, 0, None).astype(np.float32) * soft
    return mask
