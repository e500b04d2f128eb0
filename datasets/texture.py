"""Surfaces made from noise: wood, cloth, paper, tables, and the printed grid."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.points import COLUMNS
from kifuwatch.datasets.scene import BoardLook

Image = NDArray[np.float32]
Drawing = NDArray[np.uint8]


def noise(rng: np.random.Generator, height: int, width: int, cell_y: float, cell_x: float) -> Image:
    """Smooth noise (height, width) of mean 0 and deviation 1, with features of the given size in pixels."""
    rows, cols = max(2, round(height / cell_y) + 2), max(2, round(width / cell_x) + 2)
    small = rng.standard_normal((rows, cols)).astype(np.float32)
    field = cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC)
    out: Image = ((field - field.mean()) / (field.std() + 1e-6)).astype(np.float32)
    return out


def wood(
    rng: np.random.Generator, height: int, width: int, colour: tuple[float, float, float], strength: float
) -> Image:
    """Boards cut along the grain (float32 BGR, linear): streaks that wander, rings, and pores."""
    turned = rng.random() < 0.35
    if turned:
        height, width = width, height
    streaks = noise(rng, height, width, height, width / 90)
    wander = noise(rng, height, width, height / 2.5, width / 4) * rng.uniform(2, 14)
    across = np.arange(width, dtype=np.float32)[None, :] + wander
    rings = np.sin(across / rng.uniform(4, 22) + noise(rng, height, width, height, width / 6)) * 0.6
    fine = noise(rng, height, width, height / 8, 2.0) * 0.5
    blotch = noise(rng, height, width, height / 3, width / 3)
    tone = 1 + strength * (0.10 * streaks + 0.08 * rings + 0.05 * fine + 0.06 * blotch)
    if turned:
        tone = tone.T
    shade = np.array(colour, dtype=np.float32)
    tone = np.maximum(tone, 0.05)[..., None]
    out: Image = np.clip(tone ** np.array([1.5, 1.1, 0.8], np.float32) * shade, 0, 1).astype(np.float32)
    return out


def bamboo(
    rng: np.random.Generator, height: int, width: int, colour: tuple[float, float, float], strength: float
) -> Image:
    """Strips glued side by side (float32 BGR, linear): each of its own shade, with a node here and there."""
    turned = rng.random() < 0.5
    if turned:
        height, width = width, height
    count = int(rng.integers(16, 42))
    strip = np.arange(width) * count // width
    shade = rng.standard_normal(count).astype(np.float32)[strip][None, :]
    fibre = noise(rng, height, width, height / 3, 1.5) * 0.5 + noise(rng, height, width, height / 6, width / 200) * 0.5
    tone = 1 + strength * (0.05 * shade + 0.03 * fibre) * np.ones((height, 1), np.float32)
    for i in range(count):
        for _ in range(rng.integers(0, 3)):
            row, thick = int(rng.integers(0, height)), max(1, height // 180)
            tone[row : row + thick, strip == i] *= 1 - 0.12 * strength
    tone[:, 1:][:, strip[1:] != strip[:-1]] *= 1 - 0.06 * strength
    tone = np.maximum(tone.T if turned else tone, 0.05)[..., None]
    out: Image = np.clip(tone ** np.array([1.4, 1.1, 0.85], np.float32) * np.array(colour, np.float32), 0, 1)
    return out.astype(np.float32)


SURFACES = {"wood": wood, "bamboo": bamboo}


def plain(
    rng: np.random.Generator, height: int, width: int, colour: tuple[float, float, float], strength: float
) -> Image:
    """Paper, plastic or cloth: one colour, faint blotches, a weave."""
    tone = 1 + strength * (
        0.04 * noise(rng, height, width, height / 3, width / 3) + 0.02 * noise(rng, height, width, 2, 2)
    )
    out: Image = np.clip(tone[..., None] * np.array(colour, dtype=np.float32), 0, 1).astype(np.float32)
    return out


def table(rng: np.random.Generator, side: int, colour: tuple[float, float, float]) -> Image:
    """A table top, floor or cloth (side, side): plain, wooden, chequered, striped or carpeted."""
    kind = rng.choice(["plain", "wood", "check", "carpet", "patches"], p=[0.35, 0.3, 0.1, 0.1, 0.15])
    if kind == "wood":
        base = wood(rng, side, side, colour, rng.uniform(0.5, 2.5))
    else:
        base = plain(rng, side, side, colour, rng.uniform(0.3, 3))
    if kind == "check":
        period = rng.integers(20, 120)
        stripes = (np.arange(side) // period % 2).astype(np.float32)
        other = np.array(rng.uniform(0, 1, 3), np.float32)
        mix = (stripes[:, None] * rng.uniform(0.2, 0.6) + stripes[None, :] * rng.uniform(0.2, 0.6))[..., None]
        base = base * (1 - mix) + other * mix
    elif kind == "carpet":
        base = base * (1 + 0.25 * noise(rng, side, side, 1.5, 1.5)[..., None])
    elif kind == "patches":
        for _ in range(rng.integers(3, 12)):
            corners = rng.uniform(0, side, (rng.integers(3, 6), 2)).astype(np.int32)
            cv2.fillPoly(base, [cv2.convexHull(corners.reshape(-1, 1, 2))], rng.uniform(0, 0.9, 3).tolist())
    out: Image = np.clip(base, 0, 1).astype(np.float32)
    return out


def board_top(rng: np.random.Generator, spec: BoardSpec, look: BoardLook, scale: float) -> Image:
    """The playing side (float32 BGR, linear), ``scale`` pixels a millimetre, from one outer edge to the other.

    The top-left point lies at ``spec.margin * scale`` in both directions.
    """
    last = spec.size - 1
    width = round((last * spec.across + 2 * spec.margin) * scale)
    height = round((last * spec.along + 2 * spec.margin) * scale)
    surface = SURFACES.get(look.kind, plain)(rng, height, width, look.colour, look.grain)
    drawn = np.zeros((height, width), np.uint8)  # OpenCV smooths edges on 8-bit pictures only
    _draw_grid(drawn, spec, look, scale)
    if look.doubled:
        again = np.zeros_like(drawn)
        _draw_grid(again, spec, look, scale)
        shift = np.array([[1, 0, look.doubled * scale], [0, 1, 0.6 * look.doubled * scale]])
        drawn = np.maximum(drawn, cv2.warpAffine(again // 2, shift, (width, height))).astype(np.uint8)
    if look.border > 0:
        _draw_border(drawn, spec, look.border, scale)
    if look.labels:
        _draw_labels(rng, drawn, spec, scale)
    ink: Image = drawn.astype(np.float32) / np.float32(255)
    if look.wear > 0:
        ink *= np.clip(1 - look.wear * (0.5 + 0.5 * noise(rng, height, width, 9, 9)), 0.15, 1)
    if look.fold:
        _draw_fold(rng, surface, ink, spec, look, scale)
    ink = np.asarray(cv2.GaussianBlur(ink, (0, 0), 0.5)[..., None] * look.line_strength, dtype=np.float32)
    out: Image = (surface * (1 - ink) + np.array(look.line_colour, np.float32) * ink).astype(np.float32)
    return out


def _segment(ink: Drawing, a: tuple[float, float], b: tuple[float, float], width: float) -> None:
    """An antialiased line between pixel positions, its width a fraction of pixels."""
    shift = 4
    thick = max(1, round(width))
    value = 255 * min(1.0, width)
    p, q = ([round(c * 2**shift) for c in end] for end in (a, b))
    cv2.line(ink, p, q, value, thick, cv2.LINE_AA, shift)


def _draw_grid(ink: Drawing, spec: BoardSpec, look: BoardLook, scale: float) -> None:
    last = spec.size - 1
    x = [(spec.margin + i * spec.across) * scale for i in range(spec.size)]
    y = [(spec.margin + i * spec.along) * scale for i in range(spec.size)]
    for i in range(spec.size):
        width = look.line_width * scale * (1.5 if i in (0, last) and look.kind != "wood" else 1.0)
        _segment(ink, (x[i], y[0]), (x[i], y[-1]), width)
        _segment(ink, (x[0], y[i]), (x[-1], y[i]), width)
    if look.star_radius > 0:
        for col, line in star_points(spec.size):
            centre = (round(x[col] * 16), round(y[line] * 16))
            cv2.circle(ink, centre, max(16, round(look.star_radius * scale * 16)), 255, -1, cv2.LINE_AA, 4)


def star_points(size: int) -> list[tuple[int, int]]:
    """Columns and lines of the stars of a board."""
    edge = 3 if size >= 12 else 2
    middle = size // 2
    corners = [(a, b) for a in (edge, size - 1 - edge) for b in (edge, size - 1 - edge)]
    sides = [(middle, edge), (middle, size - 1 - edge), (edge, middle), (size - 1 - edge, middle)] if size >= 19 else []
    return [*corners, *sides, (middle, middle)]


def _draw_border(ink: Drawing, spec: BoardSpec, distance: float, scale: float) -> None:
    height, width = ink.shape
    inset = round((spec.margin - distance) * scale)
    if inset > 1:
        cv2.rectangle(ink, (inset, inset), (width - inset, height - inset), 230, max(1, round(0.8 * scale)))


def _draw_labels(rng: np.random.Generator, ink: Drawing, spec: BoardSpec, scale: float) -> None:
    size_px = 0.45 * spec.margin * scale
    font, factor = cv2.FONT_HERSHEY_SIMPLEX, max(0.2, size_px / 22)
    sides = rng.random(4) < 0.7
    for i in range(spec.size):
        x = (spec.margin + i * spec.across) * scale
        y = (spec.margin + i * spec.along) * scale
        far_x, far_y = ink.shape[1] - 0.35 * spec.margin * scale, ink.shape[0] - 0.3 * spec.margin * scale
        near = 0.3 * spec.margin * scale
        places = [
            (COLUMNS[i], x - size_px / 3, near + size_px / 3),
            (COLUMNS[i], x - size_px / 3, far_y + size_px / 3),
            (str(spec.size - i), near - size_px / 2, y + size_px / 3),
            (str(spec.size - i), far_x - size_px / 2, y + size_px / 3),
        ]
        for use, (text, left, base) in zip(sides, places, strict=True):
            if use:
                cv2.putText(ink, text, (round(left), round(base)), font, factor, 230, 1, cv2.LINE_AA)


def _draw_fold(
    rng: np.random.Generator, surface: Image, ink: Image, spec: BoardSpec, look: BoardLook, scale: float
) -> None:
    """A folding board's seam, beside the middle line or half a pitch from it: a gap or a shade."""
    height, width = ink.shape
    vertical = rng.random() < 0.5
    middle = (width if vertical else height) / 2 + look.fold * scale
    thick = max(1, round(rng.uniform(0.5, 2.5) * scale))
    depth = rng.uniform(0.3, 1.0)
    a, b = ((middle, 0), (middle, height)) if vertical else ((0, middle), (width, middle))
    p, q = (round(a[0]), round(a[1])), (round(b[0]), round(b[1]))
    seam = np.zeros_like(ink)
    cv2.line(seam, p, q, 1.0, thick)
    surface *= 1 - depth * seam[..., None]
    ink *= 1 - seam * 0.8
