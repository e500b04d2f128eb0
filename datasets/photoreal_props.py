"""What lies on the table round a board, as meshes: bowls, lids with prisoners, cups, clocks, phones, score sheets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.datasets.photoreal_mesh import (
    TILES,
    Limb,
    Mesh,
    block,
    body,
    joined,
    many_stones,
    sheet,
    stone_profile,
    turned_shape,
)
from kifuwatch.datasets.scene import Colour3, StoneLook
from kifuwatch.datasets.texture import noise, plain, wood

Floats = NDArray[np.float64]
Image = NDArray[np.float32]
Rng = np.random.Generator


@dataclass(frozen=True, eq=False)
class Material:
    """What a surface is made of: its colour (one, or a texture (h, w, 3), linear BGR), and its coat.

    ``gloss`` 0..1 is how much of a varnish it has, ``roughness`` how blurred that mirrors (0 a mirror, 1 matt).
    ``metal``: the colour is that of its reflection.
    """

    colour: Colour3 | Image
    gloss: float = 0.0
    roughness: float = 0.3
    metal: bool = False


@dataclass(frozen=True, eq=False)
class Part:
    """A mesh and what it is made of."""

    mesh: Mesh
    material: Material

    def moved(self, place: tuple[float, float, float], turn: float = 0.0) -> Part:
        """The part elsewhere (see :meth:`Mesh.moved`)."""
        return replace(self, mesh=self.mesh.moved(place, turn))


@dataclass(frozen=True)
class Thing:
    """Something on the table: what it is, where its middle lies (mm), how it is turned, and what decides the rest.

    ``stones``: how many stones of ``colour`` ("X" or "O") lie in a bowl or a lid.
    """

    kind: str
    place: tuple[float, float]
    turn: float
    seed: int
    stones: int = 0
    colour: str = ""


THINGS = ("bowl", "lid", "cup", "clock", "phone", "paper", "stones", "book", "bottle", "pen")
REACH = {"bowl": 80.0, "lid": 72.0, "cup": 55.0, "clock": 95.0, "phone": 85.0, "paper": 160.0, "stones": 60.0}
"""Millimetres from the middle of each kind to where another thing may stand."""


def stone_texture(look: StoneLook, seed: int) -> Image:
    """``TILES``² faces of stones of one make (h, w, 3), linear BGR: shell grain, shades, blemishes."""
    rng = np.random.default_rng(seed)
    side = 96
    sheet_ = np.empty((TILES * side, TILES * side, 3), np.float32)
    x = np.linspace(-1, 1, side, dtype=np.float32)
    for row in range(TILES):
        for col in range(TILES):
            tone = np.ones((side, side), np.float32) * np.float32(1 + 0.04 * rng.standard_normal())
            if look.stripes > 0:
                bend = rng.uniform(-0.5, 0.5) * x[None, :] ** 2 + rng.uniform(-0.2, 0.2) * x[None, :]
                phase = (x[:, None] + bend) * rng.uniform(14, 40) + rng.uniform(0, 6.28)
                tone *= 1 - look.stripes * (0.5 + 0.5 * np.sin(phase))
            tone *= 1 + 0.02 * noise(rng, side, side, 12, 12)
            tile = tone[..., None] * np.array(look.albedo, np.float32) * rng.normal(1, 0.012, 3).astype(np.float32)
            sheet_[row * side : (row + 1) * side, col * side : (col + 1) * side] = tile
    return np.clip(sheet_, 0, 1)


def stone_material(look: StoneLook, seed: int) -> Material:
    """The material of stones of one make: the sharpness of their gloss (Phong) as a roughness."""
    return Material(stone_texture(look, seed), min(look.gloss, 1.0), float(np.sqrt(2 / (look.sharpness + 2))))


@dataclass(frozen=True)
class StoneKind:
    """Stones as things need them: their looks by colour, and their measures."""

    black: StoneLook
    white: StoneLook
    spec: BoardSpec
    seed: int

    def part(self, colour: str, places: Floats, rng: Rng, tilt: float) -> Part:
        """Stones of one colour ("X" or "O") lying at places (n, 3), tilted at random by ``tilt`` radians."""
        look = self.black if colour == "X" else self.white
        count = len(places)
        profile = stone_profile(self.spec.stone_diameter / 2, self.spec.stone_thickness, look.half)
        turns, tilts = rng.uniform(0, 6.28, count), rng.normal(0, tilt, count)
        mesh = many_stones(profile, places, turns, tilts, rng.normal(1, 0.012, count))
        return Part(mesh, stone_material(look, self.seed + (colour == "O")))


def parts_of(thing: Thing, stones: StoneKind) -> list[Part]:
    """A thing's parts, standing on a table at height 0 at the origin; :meth:`Part.moved` takes them to their place."""
    rng = np.random.default_rng(thing.seed)
    makers = {"cup": _cup, "clock": _clock, "phone": _phone, "paper": _paper, "book": _book, "bottle": _bottle}
    if thing.kind in ("bowl", "lid"):
        return _vessel(rng, thing, stones)
    if thing.kind == "stones":
        spread = rng.normal(0, 30, (thing.stones, 2))
        places = _apart(np.column_stack([spread, np.zeros(thing.stones)]), stones.spec.stone_diameter)
        return [stones.part(thing.colour, places, rng, 0.02)]
    if thing.kind == "pen":
        ink = Material((rng.uniform(0, 0.7), rng.uniform(0, 0.5), rng.uniform(0, 0.7)), 0.8, 0.1)
        return [Part(body([Limb((-70, 0, 5), (60, 0, 5), 4.5, 4.5), Limb((60, 0, 5), (72, 0, 4), 4, 1)], 1, 2.5), ink)]
    return makers[thing.kind](rng)


def _apart(places: Floats, distance: float) -> Floats:
    """Only those of the places (n, 3) that keep this distance from the earlier ones."""
    kept: list[Floats] = []
    for place in places:
        if all(np.linalg.norm(place - other) >= distance for other in kept):
            kept.append(place)
    return np.array(kept).reshape(-1, 3)


def _hsv_wood(rng: Rng) -> Colour3:
    value = float(np.exp(rng.uniform(np.log(0.02), np.log(0.45))))
    return value * float(rng.uniform(0.15, 0.5)), value * float(rng.uniform(0.4, 0.65)), value


def _tone(value: float) -> Colour3:
    return value, value, value


def _any_colour(rng: Rng) -> Colour3:
    if rng.random() < 0.5:
        return _tone(float(np.exp(rng.uniform(np.log(0.01), np.log(0.85)))))
    b, g, r = rng.uniform(0.01, 0.7, 3)
    return float(b), float(g), float(r)


def _vessel(rng: Rng, thing: Thing, stones: StoneKind) -> list[Part]:
    """A bowl full of stones, or a lid with the prisoners in it."""
    deep = thing.kind == "bowl"
    radius, height = (rng.uniform(58, 72), rng.uniform(55, 85)) if deep else (rng.uniform(50, 66), rng.uniform(12, 20))
    wall, floor = rng.uniform(5, 8), rng.uniform(5, 9)
    bulge = rng.uniform(0.8, 0.95) if deep else 1.0
    angle = np.linspace(-0.9, 0.75, 12)
    curve = np.column_stack(
        [radius * np.cos(angle) ** (1 - 0.5 * (not deep)), (np.sin(angle) + 0.783) / 1.465 * height]
    )
    curve[:, 0] *= np.linspace(1, bulge, 12)
    inner = curve[::-1] * [1, 1] - [wall, 0]
    inner = inner[inner[:, 1] > floor]
    rim = np.array([curve[-1] + [-wall * 0.25, wall * 0.25], curve[-1] + [-wall * 0.75, wall * 0.25]])
    profile = np.vstack([[0, 0], curve, rim, inner, [0, floor]])
    make: Colour3 | Image = wood(rng, 128, 256, _hsv_wood(rng), 1.2) if rng.random() < 0.75 else _any_colour(rng)
    parts = [Part(turned_shape(profile), Material(make, float(rng.uniform(0.2, 1)), float(rng.uniform(0.08, 0.5))))]
    if thing.stones:
        room = float(inner[:, 0].max()) - stones.spec.stone_diameter / 2
        parts.append(stones.part(thing.colour, _heap(rng, thing, stones.spec, room, floor, height), rng, 0.25))
    return parts


def _heap(rng: Rng, thing: Thing, spec: BoardSpec, room: float, floor: float, height: float) -> Floats:
    """Where stones lie in a vessel of an inner radius: a layer in a lid, a few layers up to near a bowl's rim."""
    if thing.kind == "lid":
        angle, r = rng.uniform(0, 6.28, 60), max(room, 1.0) * np.sqrt(rng.random(60))
        spread = np.column_stack([r * np.cos(angle), r * np.sin(angle), np.full(60, floor)])
        return _apart(spread, spec.stone_diameter)[: thing.stones]
    top = floor + (height - floor) * min(1.0, 0.35 + thing.stones / 120)
    layers = []
    for level in np.arange(top - spec.stone_thickness, floor, -0.7 * spec.stone_thickness)[:4]:
        angle, r = rng.uniform(0, 6.28, 90), max(room, 1.0) * np.sqrt(rng.random(90))
        spread = np.column_stack([r * np.cos(angle), r * np.sin(angle), level + rng.normal(0, 1.5, 90)])
        layers.append(_apart(spread, 0.8 * spec.stone_diameter))
    return np.vstack(layers)


def _cup(rng: Rng) -> list[Part]:
    radius, height, wall = rng.uniform(32, 44), rng.uniform(60, 105), 3.0
    foot = rng.uniform(0.65, 1.0)
    t = np.linspace(0, 1, 8)
    outer = np.column_stack([radius * (foot + (1 - foot) * t**0.7), 4 + (height - 4) * t])
    inner = outer[::-1] - [wall, 0]
    profile = np.vstack([[0, 0], [radius * foot * 0.95, 0], outer, inner, [0, 5]])
    glaze = Material(_any_colour(rng), 1.0, float(rng.uniform(0.02, 0.3)))
    level = height * rng.uniform(0.5, 0.9)
    drink = turned_shape(np.array([[0.0, level], [radius - wall - 1.0, level]]))
    parts = [Part(turned_shape(profile), glaze), Part(drink, Material((0.01, 0.03, 0.08), 1.0, 0.01))]
    if rng.random() < 0.6:
        grip = [(radius - 2, 0.75), (radius + 20, 0.7), (radius + 22, 0.4), (radius - 2, 0.25)]
        ends = [(x, 0.0, height * share) for x, share in grip]
        limbs = [Limb(a, b, 5, 5) for a, b in pairwise(ends)]
        parts.append(Part(body(limbs, 3, 2.5), glaze))
    return parts


def _bottle(rng: Rng) -> list[Part]:
    radius, height = rng.uniform(30, 38), rng.uniform(170, 240)
    r = radius * np.array([0, 0.95, 1, 1, 0.95, 0.45, 0.38, 0.42, 0.42, 0])
    z = height * np.array([0, 0, 0.02, 0.6, 0.72, 0.86, 0.9, 0.9, 1, 1])
    label = plain(rng, 128, 128, _any_colour(rng), 1.0)
    cv2.rectangle(label, (0, 50), (128, 84), _any_colour(rng), -1)
    for i in range(4):
        cv2.line(label, (8, 56 + 7 * i), (60, 56 + 7 * i), _any_colour(rng), 2)
    return [Part(turned_shape(np.column_stack([r, z])), Material(np.clip(label, 0, 1), 1.0, 0.08))]


def _clock(rng: Rng) -> list[Part]:
    """A game clock: a box with a sloping face that shows two times, and a button above each."""
    wide, deep, high = rng.uniform(140, 180), rng.uniform(45, 65), rng.uniform(65, 110)
    shell = Material(_any_colour(rng), float(rng.uniform(0.2, 1)), float(rng.uniform(0.1, 0.5)))
    parts = [Part(block((wide, deep, high), 5.0), shell)]
    face = sheet(wide * 0.88, high * 0.75, steps=2)
    lift = np.column_stack([face.vertices[:, 0], np.full(len(face.vertices), deep / 2 + 0.6), -face.vertices[:, 1]])
    picture = _dials(rng) if rng.random() < 0.4 else _digits(rng)
    parts.append(Part(replace(face, vertices=lift + np.array([0, 0, high * 0.5])), Material(picture, 0.8, 0.05)))
    for side in (-1, 1):
        down = 6.0 if side == rng.choice([-1, 1]) else 12.0
        knob = turned_shape(np.array([[9.0, 0], [9.0, down - 2], [7.0, down], [0.0, down]]), 20)
        colour = Material(_any_colour(rng), 0.8, 0.2)
        parts.append(Part(knob.moved((side * wide * 0.32, 0.0, high)), colour))
    return parts


def _ink(colour: Colour3) -> Colour3:
    """A colour for drawing on 8 bits, where alone OpenCV smooths edges."""
    return 255 * colour[0], 255 * colour[1], 255 * colour[2]


def _linear(drawn: NDArray[np.uint8]) -> Image:
    """What was drawn on 8 bits as light."""
    return (drawn / np.float32(255)).astype(np.float32)


def _digits(rng: Rng) -> Image:
    face = np.full((120, 260, 3), round(255 * rng.uniform(0.02, 0.12)), np.uint8)
    lit = rng.random() < 0.4
    for i in range(2):
        x = 10 + 125 * i
        panel = (0.02, 0.03, 0.02) if lit else (0.30, 0.36, 0.30)
        ink = (0.05, 0.1, 0.9) if lit and rng.random() < 0.5 else (0.1, 0.8, 0.3) if lit else (0.03, 0.04, 0.03)
        cv2.rectangle(face, (x, 15), (x + 115, 105), _ink(panel), -1)
        text = f"{rng.integers(0, 60):02d}:{rng.integers(0, 60):02d}"
        cv2.putText(face, text, (x + 4, 76), cv2.FONT_HERSHEY_DUPLEX, 1.25, _ink(ink), 3, cv2.LINE_AA)
    return _linear(face)


def _dials(rng: Rng) -> Image:
    face = np.full((150, 300, 3), _ink(_any_colour(rng)), np.uint8)
    for i in range(2):
        centre = np.array([75 + 150 * i, 75])
        cv2.circle(face, centre.tolist(), 62, _ink((0.8, 0.85, 0.85)), -1, cv2.LINE_AA)
        for hour in range(12):
            ray = np.array([np.cos(hour * np.pi / 6), np.sin(hour * np.pi / 6)])
            ends = np.round([centre + 50 * ray, centre + 59 * ray]).astype(int).tolist()
            cv2.line(face, ends[0], ends[1], _ink((0.02, 0.02, 0.02)), 3, cv2.LINE_AA)
        for length in (30, 48):
            angle = rng.uniform(0, 6.28)
            end = np.round(centre + length * np.array([np.cos(angle), np.sin(angle)])).astype(int).tolist()
            cv2.line(face, centre.tolist(), end, _ink((0.02, 0.02, 0.02)), 3, cv2.LINE_AA)
    return _linear(face)


def _phone(rng: Rng) -> list[Part]:
    wide, long, thick = rng.uniform(66, 78), rng.uniform(140, 165), rng.uniform(7, 11)
    case = Material(_any_colour(rng), 0.5, 0.3)
    screen = np.full((200, 96, 3), 0.004, np.float32)
    if rng.random() < 0.35:  # switched on
        screen[:] = _any_colour(rng)
        for i in range(rng.integers(2, 9)):
            y = 15 + 20 * i
            cv2.rectangle(screen, (8, y), (int(rng.integers(30, 88)), y + 12), _any_colour(rng), -1)
    glass = sheet(wide - 5, long - 6, steps=2).moved((0, 0, thick + 0.3))
    return [Part(block((wide, long, thick), 2.5), case), Part(glass, Material(screen, 1.0, 0.01))]


def _book(rng: Rng) -> list[Part]:
    size = float(rng.uniform(120, 180)), float(rng.uniform(170, 240)), float(rng.uniform(8, 35))
    cover = plain(rng, 160, 120, _any_colour(rng), 1.0)
    for _ in range(rng.integers(1, 6)):
        a, b = rng.integers(5, 110, 2), rng.integers(5, 150, 2)
        cv2.rectangle(cover, (int(a.min()), int(b.min())), (int(a.max()), int(b.max())), _any_colour(rng), -1)
    top = sheet(size[0] - 1, size[1] - 1, steps=2).moved((0, 0, size[2] + 0.3))
    edge = Material((0.6, 0.68, 0.72))
    return [Part(block(size, 0.8), edge), Part(top, Material(np.clip(cover, 0, 1), 0.4, 0.3))]


def _paper(rng: Rng) -> list[Part]:
    """A score sheet, a page of writing, or one with a diagram of a board."""
    wide, long = (210.0, 297.0) if rng.random() < 0.5 else (148.0, 210.0)
    white = float(rng.uniform(0.6, 0.9)), float(rng.uniform(0.7, 0.88)), float(rng.uniform(0.75, 0.9))
    page = np.full((420, 297, 3), _ink(white), np.uint8)
    ink = (0.25, 0.05, 0.03) if rng.random() < 0.5 else (0.03, 0.03, 0.03)
    kind = rng.choice(["score", "text", "diagram"], p=[0.5, 0.3, 0.2])
    if kind == "diagram":
        n = int(rng.choice([9, 13, 19]))
        cell = 240 // n
        for i in range(n):
            cv2.line(page, (25 + i * cell, 40), (25 + i * cell, 40 + (n - 1) * cell), _ink((0.1, 0.1, 0.1)), 1)
            cv2.line(page, (25, 40 + i * cell), (25 + (n - 1) * cell, 40 + i * cell), _ink((0.1, 0.1, 0.1)), 1)
        for _ in range(rng.integers(5, 60)):
            spot = (25 + int(rng.integers(0, n)) * cell, 40 + int(rng.integers(0, n)) * cell)
            cv2.circle(page, spot, cell // 2, _ink(_tone(0.03 if rng.random() < 0.5 else 0.85)), -1, cv2.LINE_AA)
    rows = int(rng.integers(12, 30))
    for i in range(rows):
        y = 30 + (370 * i) // rows
        if kind == "score":
            cv2.line(page, (20, y), (277, y), _ink((0.35, 0.35, 0.35)), 1)
        if kind == "diagram" and y < 300:
            continue
        if rng.random() < 0.75:
            _scribble(page, rng, (26, y + 8), int(rng.integers(40, 240)), ink)
    if kind == "score":
        for x in np.linspace(20, 277, int(rng.integers(4, 9))).astype(int):
            cv2.line(page, (int(x), 30), (int(x), 400), _ink((0.35, 0.35, 0.35)), 1)
    return [Part(sheet(wide, long, float(rng.uniform(0, 9))).moved((0, 0, 0.6)), Material(_linear(page), 0.1, 0.6))]


def _scribble(page: NDArray[np.uint8], rng: Rng, start: tuple[int, int], length: int, ink: Colour3) -> None:
    """A line of handwriting or print."""
    x = np.arange(0, length, 2)
    y = start[1] + rng.normal(0, 2.2, len(x)) * (rng.random(len(x)) < 0.85)
    points = np.column_stack([start[0] + x, y])
    words = np.split(points, np.flatnonzero(rng.random(len(x)) < 0.07))
    for word in words:
        cv2.polylines(page, [np.round(word * 8).astype(np.int32)], False, _ink(ink), 1, cv2.LINE_AA, 3)


def merged(parts: list[Part]) -> Mesh:
    """One mesh of several parts, for asking what they hide."""
    return joined([part.mesh for part in parts])
