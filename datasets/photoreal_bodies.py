"""The solids of a photoreal scene: board, table, floor, stones, things and people, each with its material."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.core.points import BLACK, EMPTY, WHITE
from kifuwatch.datasets.photoreal_light import Blind
from kifuwatch.datasets.photoreal_mesh import Mesh, block, box_sides, many_stones, sheet, slab_top, stone_profile
from kifuwatch.datasets.photoreal_people import parts_of_person
from kifuwatch.datasets.photoreal_props import Material, Part, StoneKind, parts_of, stone_material
from kifuwatch.datasets.photoreal_scene import PhotoScene
from kifuwatch.datasets.render import texture_scale
from kifuwatch.datasets.scene import Scene
from kifuwatch.datasets.texture import SURFACES, board_top, plain, table

Image = NDArray[np.float32]
Floats = NDArray[np.float64]

TABLE_MM = 1500.0
"""Millimetres that a texture of a table or a floor spans."""


@dataclass(frozen=True, eq=False)
class Group:
    """The parts of one thing, person or blind; ``kind`` is "thing", "hand", "head", "player" or "blind"."""

    kind: str
    parts: list[Part]


@dataclass(frozen=True, eq=False)
class Bodies:
    """What is in a scene: ``board`` (with its table and floor), the ``stones`` on it, and all that may hide them."""

    board: list[Part]
    stones: list[Part]
    groups: list[Group]

    @property
    def everything(self) -> list[Part]:
        """All parts."""
        return [*self.board, *self.stones, *(part for group in self.groups for part in group.parts)]


def bodies_of(photo: PhotoScene) -> Bodies:
    """The solids of a scene, each in its place."""
    scene = photo.scene
    floor = -scene.board.thickness
    kind = StoneKind(scene.black, scene.white, scene.pose.spec, scene.seed)
    groups = []
    for thing in photo.things:
        place = (thing.place[0], thing.place[1], floor)
        groups.append(Group("thing", [part.moved(place, thing.turn) for part in parts_of(thing, kind)]))
    groups += [Group(person.kind, parts_of_person(person)) for person in photo.people]
    groups += [Group("blind", [_blind(blind)]) for blind in photo.rig.blinds]
    return Bodies([*_board(photo), *_ground(photo)], [] if scene.flat else board_solids(scene), groups)


def _edges(scene: Scene) -> tuple[Floats, Floats]:
    """Two opposite corners (2,) of the wood, mm."""
    spec = scene.pose.spec
    last = np.array([spec.across, spec.along]) * (spec.size - 1)
    return np.full(2, -spec.margin), last + spec.margin


def board_texture(scene: Scene) -> Image:
    """The board's top (h, w, 3), linear BGR; with printed stones when the scene is flat."""
    rng = np.random.default_rng([scene.seed, 3])
    spec = scene.pose.spec
    scale = float(np.clip(1.7 * texture_scale(scene.pose), 1.5, 5.0))
    top = np.ascontiguousarray(board_top(rng, spec, scene.board, scale))
    for i, cell in enumerate(scene.layout.cells if scene.flat else ""):
        if cell == EMPTY:
            continue
        line, col = divmod(i, spec.size)
        right, up = scene.offsets[line, col]
        x, y = (col + right) * spec.across + spec.margin, (line - up) * spec.along + spec.margin
        centre, radius = (
            (round(x * scale * 16), round(y * scale * 16)),
            round(0.95 * spec.stone_diameter / 2 * scale * 16),
        )
        look = scene.black if cell == BLACK else scene.white
        cv2.circle(top, centre, radius, list(look.albedo), -1, cv2.LINE_8, 4)
        cv2.circle(top, centre, radius, (0.03, 0.03, 0.03), max(1, round(0.4 * scale)), cv2.LINE_8, 4)
    return np.clip(top, 0.0, 0.95)


def _board(photo: PhotoScene) -> list[Part]:
    scene = photo.scene
    look, (low, high) = scene.board, _edges(scene)
    rng = np.random.default_rng([scene.seed, 4])
    bevel = min(float(rng.uniform(0.4, 2.5)), 0.3 * look.thickness)
    top = Material(board_texture(scene), look.gloss, photo.varnish)
    side = SURFACES.get(look.kind, plain)(rng, 128, 512, look.colour, look.grain)
    return [
        Part(slab_top(low, high, 0.0, bevel), top),
        Part(box_sides(low, high, 0.0, -look.thickness, bevel), Material(side, look.gloss, photo.varnish)),
    ]


def _ground(photo: PhotoScene) -> list[Part]:
    """The table and the floor under it."""
    scene = photo.scene
    rng = np.random.default_rng([scene.seed, 6])
    low, high = _edges(scene)
    middle = (low + high) / 2
    shift = rng.normal(0, 40, 2)
    half = np.maximum(np.array(photo.table), (high - low) / 2 + 40)
    surface = _muted(table(rng, 1024, scene.table), float(rng.choice([0.2, 0.6, 1.0], p=[0.45, 0.4, 0.15])))
    gloss = float(rng.choice([0.0, rng.uniform(0.1, 1.0)]))
    material = Material(surface, gloss, float(rng.uniform(0.08, 0.5)))
    height = -scene.board.thickness
    top = block((2 * float(half[0]), 2 * float(half[1]), 30.0), 3.0)
    lie = top.moved((float(middle[0] + shift[0]), float(middle[1] + shift[1]), height - 30.0))
    spread = Mesh(lie.vertices, lie.faces, lie.vertices[:, :2] / TABLE_MM + rng.uniform(0, 1, 2), smooth=False)
    under = sheet(8000, 8000, steps=1).moved((float(middle[0]), float(middle[1]), height - photo.high))
    tiled = Mesh(under.vertices, under.faces, under.vertices[:, :2] / TABLE_MM, smooth=False)
    colour = tuple(float(c) for c in rng.uniform(0.05, 0.5) * np.exp(rng.normal(0, 0.15, 3)) * [0.85, 0.95, 1.0])
    carpet = _muted(table(rng, 512, (colour[0], colour[1], colour[2])), 0.3)
    return [Part(spread, material), Part(tiled, Material(carpet, 0.0, 1.0))]


def _muted(texture: Image, share: float) -> Image:
    """The texture (h, w, 3) with this share of what its colours differ from their mean tone, as furniture has."""
    tint = texture.mean(axis=(0, 1)) / max(float(texture.mean()), 1e-6)
    calm = texture.mean(axis=2, keepdims=True) * tint
    return np.asarray(calm + (texture - calm) * np.float32(share), dtype=np.float32)


def board_solids(scene: Scene) -> list[Part]:
    """The stones on the board: those of one colour are one body."""
    spec, size = scene.pose.spec, scene.layout.size
    rng = np.random.default_rng([scene.seed, 77])
    bodies = []
    for colour, look in ((BLACK, scene.black), (WHITE, scene.white)):
        index = np.array([i for i, cell in enumerate(scene.layout.cells) if cell == colour], dtype=int)
        if not len(index):
            continue
        line, col = np.divmod(index, size)
        right, up = scene.offsets[line, col].T
        places = np.column_stack([(col + right) * spec.across, (line - up) * spec.along, np.zeros(len(index))])
        turns, tilts = rng.uniform(0, 6.28, len(index)), rng.normal(0, 0.012, len(index))
        profile = stone_profile(spec.stone_diameter / 2, spec.stone_thickness, look.half)
        mesh = many_stones(profile, places, turns, tilts, rng.normal(1, 0.008, len(index)))
        bodies.append(Part(mesh, stone_material(look, scene.seed + (colour == WHITE))))
    return bodies


def _blind(blind: Blind) -> Part:
    """A sheet that faces a light."""
    plate = sheet(2 * blind.half[0], 2 * blind.half[1], steps=1)
    ahead = np.array(blind.facing)
    aside = np.cross(ahead, [0.0, 0.0, 1.0] if abs(ahead[2]) < 0.95 else [1.0, 0.0, 0.0])
    aside /= np.linalg.norm(aside)
    above = np.cross(ahead, aside)
    cos, sin = np.cos(blind.turn), np.sin(blind.turn)
    axes = np.array([cos * aside + sin * above, cos * above - sin * aside, ahead])
    places = plate.vertices @ axes + np.array(blind.middle)
    return Part(Mesh(places, plate.faces, plate.uv, smooth=False), Material((0.05, 0.05, 0.05)))
