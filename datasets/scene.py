"""A scene: everything that decides a rendered picture, drawn at random from a seed or set by a script.

World coordinates are those of :class:`~kifuwatch.calibration.pose.BoardPose`: millimetres, X to the right and Y
downwards in the board text from its top-left point, height above the board. Colours are linear BGR in 0..1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.points import BLACK, EMPTY, WHITE, Layout

Colour3 = tuple[float, float, float]


@dataclass(frozen=True)
class Light:
    """Light from a direction (unit vector X, Y, height), its colour, and how soft its shadows are (0 sharp .. 1)."""

    direction: tuple[float, float, float]
    colour: Colour3
    softness: float


@dataclass(frozen=True)
class StoneLook:
    """What stones are made of: albedo, height of the gloss, its sharpness, shell stripes, flat underside (yunzi)."""

    albedo: Colour3
    gloss: float
    sharpness: float
    stripes: float = 0.0
    half: bool = False


@dataclass(frozen=True)
class BoardLook:
    """The wood or print: colours, grain, lines, stars, margins."""

    kind: str
    colour: Colour3
    grain: float
    line_colour: Colour3
    line_width: float
    line_strength: float
    wear: float
    star_radius: float
    thickness: float
    border: float
    labels: bool
    fold: float
    gloss: float
    doubled: float = 0.0
    """Millimetres by which the grid was printed a second time beside itself."""


@dataclass(frozen=True)
class Hand:
    """A hand, sleeve or head in the picture: a point it reaches for, where it comes from (pixels), and its make."""

    tip: tuple[float, float]
    root: tuple[float, float]
    width: float
    skin: Colour3
    sleeve: Colour3
    sleeve_from: float
    kind: str = "hand"
    seed: int = 0


@dataclass(frozen=True)
class PlayingHand:
    """A player's hand over the board, as clips have them.

    ``at``: the middle of the stone in its fingers (mm: X, Y, the stone's underside), ``back``: where its arm points
    (unit vector on the board), ``carries``: the cell of the stone that it holds. ``moves``: how far (mm) it moves while
    the picture is taken. ``stretch``: how many times as wide and long as usual it is; a left hand's width is negative.
    """

    at: tuple[float, float, float]
    back: tuple[float, float]
    carries: str
    skin: Colour3
    sleeve: Colour3
    moves: tuple[float, float] = (0.0, 0.0)
    stretch: tuple[float, float] = (1.0, 1.0)
    seed: int = 0


@dataclass(frozen=True)
class LooseStone:
    """A stone that lies on no point, as captured ones do: the middle of its underside (mm: X, Y, height), its cell."""

    at: tuple[float, float, float]
    cell: str


@dataclass(frozen=True)
class CameraEffects:
    """What lens, sensor and encoder do to the picture, in the order in which they do it."""

    exposure: float = 1.0
    cast: Colour3 = (1.0, 1.0, 1.0)
    lamp: Colour3 = (1.0, 1.0, 1.0)
    lamp_angle: float = 0.0
    vignette: float = 0.0
    gamma: float = 2.2
    contrast: float = 1.0
    blur: float = 0.0
    motion: tuple[float, float] = (0.0, 0.0)
    noise: float = 0.0
    sharpen: float = 0.0
    jpeg: int = 0
    saturation: float = 1.0
    video: float = 0.0
    """How coarsely a video encoder works, 0 (not at all) to 1 (blocks that anyone sees)."""


@dataclass(frozen=True)
class Scene:
    """One picture to render.

    ``offsets`` (n, n, 2) are per stone, in pitches, right and up. ``shadows`` are polygons (mm) on the board, each
    with its softness (mm) and depth.
    """

    seed: int
    pose: BoardPose
    layout: Layout
    board: BoardLook
    black: StoneLook
    white: StoneLook
    lights: tuple[Light, ...]
    ambient: Colour3
    table: Colour3
    offsets: NDArray[np.float64]
    clutter: int = 0
    clocks: int = 0
    hands: tuple[Hand, ...] = ()
    playing: tuple[PlayingHand, ...] = ()
    loose: tuple[LooseStone, ...] = ()
    shadows: tuple[tuple[NDArray[np.float64], float, float], ...] = ()
    effects: CameraEffects = field(default_factory=CameraEffects)
    flat: bool = False
    glare: tuple[tuple[float, float, float, float, float], ...] = ()
    """Reflections on the board: centre x and y (mm), half width (mm), width over height, strength."""
    numbered: float = 0.0
    """Share of the stones of a flat scene that bear a number or a mark, as in diagrams."""


def random_layout(rng: np.random.Generator, size: int) -> Layout:
    """Stones as games leave them: clumps of one colour, empty regions, from no stone to a full board."""
    share = rng.choice(
        [0.0, rng.uniform(0.01, 0.15), rng.uniform(0.1, 0.5), rng.uniform(0.5, 0.9)], p=[0.04, 0.3, 0.36, 0.3]
    )
    clump = rng.uniform(0.2, 2.0)
    where = _smooth(rng, size, rng.uniform(0.6, 4)) * clump + rng.standard_normal((size, size)) * 0.7
    colour = _smooth(rng, size, rng.uniform(0.6, 3)) * rng.uniform(0.3, 2.5) + rng.standard_normal((size, size)) * 0.7
    if rng.random() < 0.12:  # rows filled to the edge, as in counting or by children
        where[rng.integers(0, size), :] += 5
        where[:, rng.choice([0, size - 1])] += 5
    stones = where >= np.quantile(where, 1 - share) if share > 0 else np.zeros((size, size), bool)
    cells = np.where(stones, np.where(colour > rng.normal(0, 0.3), BLACK, WHITE), EMPTY)
    return Layout(size, "".join(cells.ravel()))


def _smooth(rng: np.random.Generator, size: int, reach: float) -> NDArray[np.float64]:
    import cv2

    field_ = cv2.GaussianBlur(rng.standard_normal((size + 8, size + 8)), (0, 0), reach)[4:-4, 4:-4]
    smooth: NDArray[np.float64] = (field_ - field_.mean()) / (field_.std() + 1e-9)
    return smooth


def stone_offsets(rng: np.random.Generator, layout: Layout, spec: BoardSpec, spread: float) -> NDArray[np.float64]:
    """Where each stone lies from its point (n, n, 2) in pitches, right and up.

    Laid carelessly by ``spread``, then pushed apart where stones touch.
    """
    laid = np.clip(rng.normal(0, spread, (layout.size, layout.size, 2)), -0.32, 0.32)
    return pushed_apart(laid, layout, spec)


def stones_on(layout: Layout) -> NDArray[np.bool_]:
    """Points (n, n) with a stone on them."""
    return np.array([cell != EMPTY for cell in layout.cells]).reshape(layout.size, layout.size)


def pushed_apart(offsets: NDArray[np.float64], layout: Layout, spec: BoardSpec) -> NDArray[np.float64]:
    """Where stones come to lie that were laid at ``offsets`` (n, n, 2) from their points, in pitches, right and up."""
    size, stones = layout.size, stones_on(layout)
    scale = np.array([spec.across, spec.along])
    line, col = np.mgrid[0:size, 0:size]
    centres = np.dstack([col + offsets[..., 0], line - offsets[..., 1]]) * scale
    for _ in range(6):
        for axis in (0, 1):
            one = [slice(None), slice(None)]
            two = [slice(None), slice(None)]
            one[axis], two[axis] = slice(0, -1), slice(1, None)
            first, second = centres[tuple(one)], centres[tuple(two)]
            gap = second - first
            distance = np.linalg.norm(gap, axis=2)
            overlap = np.clip(spec.stone_diameter - distance, 0, None) * (stones[tuple(one)] & stones[tuple(two)])
            push = gap / np.maximum(distance, 1e-6)[..., None] * overlap[..., None] / 2
            centres[tuple(one)] -= push
            centres[tuple(two)] += push
    moved = centres / scale - np.dstack([col, line])
    result: NDArray[np.float64] = np.clip(np.dstack([moved[..., 0], -moved[..., 1]]), -0.45, 0.45)
    result[~stones] = 0
    return result
