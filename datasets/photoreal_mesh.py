"""Triangle meshes of what stands on and round a board: turned shapes, boxes, sheets, stones, and smooth bodies.

Vertices are in the world of :mod:`~kifuwatch.datasets.scene`: millimetres, X to the right and Y downwards in the board
text, height above the board. Which way round a triangle runs does not matter; every surface is two-sided.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Mesh:
    """Vertices (n, 3), triangles (m, 3) and texture coordinates (n, 2): u to the right, v downwards in the texture.

    ``smooth``: shade it as a curved surface, not as facets.
    """

    vertices: Floats
    faces: Whole
    uv: Floats
    smooth: bool = True

    def moved(self, place: tuple[float, float, float], turn: float = 0.0) -> Mesh:
        """The mesh turned about its vertical axis by ``turn`` radians, then shifted by ``place`` mm."""
        cos, sin = np.cos(turn), np.sin(turn)
        matrix = np.array([[cos, -sin, 0], [sin, cos, 0], [0, 0, 1.0]])
        return replace(self, vertices=self.vertices @ matrix.T + np.array(place))

    def normals(self) -> Floats:
        """(n, 3) unit normals of the vertices, the mean of their triangles'."""
        a, b, c = (self.vertices[self.faces[:, i]] for i in range(3))
        area = np.cross(b - a, c - a)
        total = np.zeros_like(self.vertices)
        for i in range(3):
            np.add.at(total, self.faces[:, i], area)
        unit: Floats = total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-12)
        return unit


def joined(meshes: list[Mesh]) -> Mesh:
    """Several meshes as one; they must be shaded alike."""
    starts = np.cumsum([0] + [len(mesh.vertices) for mesh in meshes[:-1]])
    faces = [mesh.faces + start for mesh, start in zip(meshes, starts, strict=True)]
    return Mesh(
        np.vstack([mesh.vertices for mesh in meshes]),
        np.vstack(faces),
        np.vstack([mesh.uv for mesh in meshes]),
        meshes[0].smooth,
    )


def turned_shape(profile: Floats, steps: int = 48) -> Mesh:
    """What a lathe makes of a profile (k, 2): distance from the axis and height in mm.

    u runs round it, v along the profile.
    """
    angle = np.linspace(0, 2 * np.pi, steps + 1)
    rings = len(profile)
    r, z = profile[:, 0][:, None], profile[:, 1][:, None]
    places = np.stack([r * np.cos(angle), r * np.sin(angle), np.broadcast_to(z, (rings, steps + 1))], axis=-1)
    along = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(profile, axis=0), axis=1))])
    v = np.broadcast_to((along / max(along[-1], 1e-9))[:, None], (rings, steps + 1))
    u = np.broadcast_to(angle / (2 * np.pi), (rings, steps + 1))
    return Mesh(places.reshape(-1, 3), _grid_faces(rings, steps + 1), np.stack([u, v], -1).reshape(-1, 2))


def _grid_faces(rows: int, cols: int) -> Whole:
    """Two triangles for each cell of a grid of vertices stored row by row."""
    index = np.arange(rows * cols).reshape(rows, cols)
    a, b, c, d = (part.ravel() for part in (index[:-1, :-1], index[:-1, 1:], index[1:, 1:], index[1:, :-1]))
    return np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def sheet(width: float, length: float, curl: float = 0.0, steps: int = 12) -> Mesh:
    """A lying rectangle round the origin, its texture upright seen from below the board text.

    ``curl`` mm: how far its corners rise.
    """
    t = np.linspace(0, 1, steps + 1)
    u, v = np.meshgrid(t, t)
    x, y = (u - 0.5) * width, (v - 0.5) * length
    z = curl * (2 * np.abs(u - 0.5)) ** 3 * (2 * np.abs(v - 0.5)) ** 2
    places = np.stack([x, y, z], -1).reshape(-1, 3)
    return Mesh(places, _grid_faces(steps + 1, steps + 1), np.stack([u, v], -1).reshape(-1, 2))


def box_sides(low: Floats, high: Floats, top: float, bottom: float, bevel: float) -> Mesh:
    """The sides of a slab and its rounded upper edge, between two corners (2,) in mm.

    u runs round it, one unit for 400 mm; v from the upper edge downwards, one unit for 100 mm.
    """
    rings, depth = [], []
    for angle in np.linspace(0, np.pi / 2, 4):
        rings.append((bevel * (1 - np.sin(angle)), top - bevel * (1 - np.cos(angle))))
        depth.append(bevel * angle)
    rings.append((0.0, bottom))
    depth.append(bevel * np.pi / 2 + top - bevel - bottom)
    parts = []
    for i in range(4):
        rows = []
        for (inset, z), down in zip(rings, depth, strict=True):
            x0, y0, x1, y1 = low[0] + inset, low[1] + inset, high[0] - inset, high[1] - inset
            corner = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
            ends = corner[[i, (i + 1) % 4]]
            run = np.array([0.0, float(np.linalg.norm(ends[1] - ends[0]))]) / 400 + 0.37 * i
            rows.append(np.column_stack([ends, [z, z], run, [down / 100] * 2]))
        grid = np.array(rows).reshape(-1, 5)
        parts.append(Mesh(grid[:, :3], _grid_faces(len(rings), 2), grid[:, 3:]))
    return joined(parts)


def slab_top(low: Floats, high: Floats, height: float, inset: float) -> Mesh:
    """The level top of a slab; its texture spans the slab with the ``inset`` of its rounded edge."""
    wide, long = high - low
    x = np.array([low[0] + inset, high[0] - inset])
    y = np.array([low[1] + inset, high[1] - inset])
    gx, gy = np.meshgrid(x, y)
    places = np.column_stack([gx.ravel(), gy.ravel(), np.full(4, height)])
    uv = np.column_stack([(gx.ravel() - low[0]) / wide, (gy.ravel() - low[1]) / long])
    return Mesh(places, _grid_faces(2, 2), uv, smooth=False)


def block(size: tuple[float, float, float], bevel: float = 1.5) -> Mesh:
    """A box standing on the origin's plane: its width, length and height in mm, the upper edge rounded."""
    half = np.array(size[:2]) / 2
    sides = box_sides(-half, half, size[2], 0.0, bevel)
    return joined([sides, replace(slab_top(-half, half, size[2], bevel), smooth=True)])


def stone_profile(radius: float, thickness: float, flat: bool) -> Floats:
    """Half the outline (k, 2) of a stone from the middle of its underside to the middle of its top.

    A lens of two caps with a rounded rim (slate, shell, glass); with ``flat`` a dome on a level underside (yunzi).
    """
    if flat:
        low, up = np.linspace(0, np.pi / 2, 7), np.linspace(0, np.pi / 2, 10)[1:]
        under = np.column_stack([radius * (0.7 + 0.3 * np.sin(low)), 0.3 * thickness * (1 - np.cos(low))])
        dome = np.column_stack([radius * np.cos(up), thickness * (0.3 + 0.7 * np.sin(up))])
        return np.vstack([[0.0, 0.0], under, dome])
    rim = 0.2 * thickness
    wide, high = radius - rim, thickness / 2 - rim
    sphere = (wide**2 + high**2) / (2 * high)
    slope = np.arcsin(wide / sphere)
    cap = np.linspace(0, slope, 8)
    upper = np.column_stack([(sphere + rim) * np.sin(cap), (sphere + rim) * np.cos(cap) - (sphere - high)])
    edge = np.linspace(np.pi / 2 - slope, 0, 4)[1:]
    corner = np.column_stack([wide + rim * np.cos(edge), rim * np.sin(edge)])
    half = np.vstack([upper, corner])[::-1]  # from the rim up to the middle
    whole = np.vstack([half[::-1] * [1, -1], half[1:]])
    return np.asarray(whole + np.array([0, thickness / 2]), dtype=float)


TILES = 4
"""Rows and columns of different faces in the texture of stones."""


def many_stones(profile: Floats, places: Floats, turns: Floats, tilts: Floats, grow: Floats, steps: int = 28) -> Mesh:
    """Stones of one outline as one mesh: their places (n, 3) in mm, turns (n) and tilts (n) in radians, sizes (n).

    Each shows one of the ``TILES``² faces of a texture.
    """
    one = turned_shape(profile, steps)
    radius = profile[:, 0].max()
    middle = np.array([0, 0, profile[:, 1].max() / 2])
    body = one.vertices - middle
    flat_uv = 0.5 + 0.45 * body[:, :2] / radius
    cos_t, sin_t, cos_u, sin_u = np.cos(tilts), np.sin(tilts), np.cos(turns), np.sin(turns)
    zero, unit = np.zeros(len(places)), np.ones(len(places))
    lean = np.array([[unit, zero, zero], [zero, cos_t, -sin_t], [zero, sin_t, cos_t]]).transpose(2, 0, 1)
    spin = np.array([[cos_u, -sin_u, zero], [sin_u, cos_u, zero], [zero, zero, unit]]).transpose(2, 0, 1)
    turned = (spin @ lean) @ body.T * grow[:, None, None]
    vertices = turned.transpose(0, 2, 1) + middle + places[:, None, :]
    tile = np.arange(len(places)) * 7 % TILES**2
    corner = np.column_stack([tile % TILES, tile // TILES])
    uv = (flat_uv[None] + corner[:, None, :]) / TILES
    faces = one.faces[None] + (np.arange(len(places)) * len(body))[:, None, None]
    return Mesh(vertices.reshape(-1, 3), faces.reshape(-1, 3), uv.reshape(-1, 2))


@dataclass(frozen=True)
class Limb:
    """A round cone of a body: its ends in mm and its radius at each."""

    start: tuple[float, float, float]
    end: tuple[float, float, float]
    thick: float
    thin: float


def body(limbs: list[Limb], blend: float, step: float, wrinkle: float = 0.0, seed: int = 0) -> Mesh:
    """The smooth union of limbs: where they meet they flow together over ``blend`` mm.

    ``step``: mm between samples. ``wrinkle``: mm by which folds stand out.
    """
    ends = np.array([[limb.start, limb.end] for limb in limbs])
    reach = max(max(limb.thick, limb.thin) for limb in limbs) + 3 * step + 2 * wrinkle
    low, high = ends.min((0, 1)) - reach, ends.max((0, 1)) + reach
    axes = [np.arange(a, b + step, step) for a, b in zip(low, high, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), -1).astype(np.float32)
    total = np.zeros(grid.shape[:3], np.float32)
    for limb in limbs:
        a, ab = (np.asarray(v, np.float32) for v in (limb.start, np.array(limb.end) - np.array(limb.start)))
        near = _near(limb, low, step, grid.shape[:3], 6 * blend + 2 * step + 2 * wrinkle)
        place = grid[near] - a
        t = np.clip(place @ ab / max(float(ab @ ab), 1e-9), 0, 1)
        place -= t[..., None] * ab
        away = np.sqrt(np.einsum("ijkl,ijkl->ijk", place, place))
        total[near] += np.exp(-np.clip((away - limb.thick - t * (limb.thin - limb.thick)) / blend, -40, 40))
    distance = -blend * np.log(np.maximum(total, 1e-30))
    if wrinkle > 0:
        rng = np.random.default_rng(seed)
        for _ in range(5):
            wave = rng.normal(0, 1, 3)
            wave *= rng.uniform(0.3, 1.1) / step / np.linalg.norm(wave)  # no shorter than the samples can show
            distance += wrinkle * 0.5 * np.sin(grid @ wave + rng.uniform(0, 6.28))
    return surface_nets(distance.astype(float), low, step)


def _near(limb: Limb, low: Floats, step: float, shape: tuple[int, ...], beyond: float) -> tuple[slice, ...]:
    """The part of a grid of samples from ``low`` on that lies round a limb."""
    ends = np.array([limb.start, limb.end])
    reach = max(limb.thick, limb.thin) + beyond
    first = np.floor((ends.min(0) - reach - low) / step).astype(int).clip(0)
    last = np.ceil((ends.max(0) + reach - low) / step).astype(int) + 1
    return tuple(slice(int(a), int(min(b, n))) for a, b, n in zip(first, last, shape, strict=True))


def surface_nets(values: Floats, origin: Floats, step: float) -> Mesh:
    """The surface where a sampled field (nx, ny, nz) changes sign (S. Gibson, Constrained elastic surface nets, 1998).

    One vertex in each cell that the surface crosses, at the mean of the crossings of the cell's edges.
    """
    inside = values < 0
    shape = np.array(values.shape) - 1
    total, count = np.zeros((*shape, 3)), np.zeros(shape)
    for axis in range(3):
        others = [a for a in range(3) if a != axis]
        for p in (0, 1):
            for q in (0, 1):
                one = [slice(0, n) for n in shape]
                one[others[0]], one[others[1]] = slice(p, p + shape[others[0]]), slice(q, q + shape[others[1]])
                two = list(one)
                two[axis] = slice(1, 1 + shape[axis])
                first, second = values[tuple(one)], values[tuple(two)]
                crosses = (first < 0) != (second < 0)
                place = np.zeros((*shape, 3))
                place[..., axis] = np.where(crosses, first / np.where(crosses, first - second, 1.0), 0)
                place[..., others[0]], place[..., others[1]] = p, q
                total += place * crosses[..., None]
                count += crosses
    used = count > 0
    number = np.full(tuple(shape), -1)
    number[used] = np.arange(int(used.sum()))
    cells = np.argwhere(used)
    vertices = (cells + total[used] / count[used][:, None]) * step + origin
    quads = np.vstack([_crossing_quads(inside, number, axis) for axis in range(3)])
    faces = np.vstack([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    return Mesh(vertices, faces, vertices[:, [0, 1]] / 100 + vertices[:, [2]] / 130)


def _crossing_quads(inside: NDArray[np.bool_], number: Whole, axis: int) -> Whole:
    """(n, 4) vertices round each edge along an axis whose ends lie on different sides."""
    others = [a for a in range(3) if a != axis]
    ahead = np.moveaxis(inside, [axis, *others], [0, 1, 2])
    cell = np.moveaxis(number, [axis, *others], [0, 1, 2])
    flips = ahead[:-1] != ahead[1:]
    i, j, k = np.nonzero(flips[:, 1:-1, 1:-1])
    corners = [cell[i, j + a, k + b] for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
    quads = np.column_stack(corners)
    against = ahead[:-1][:, 1:-1, 1:-1][i, j, k] ^ (axis == 1)
    quads[against] = quads[against][:, ::-1]
    return quads
