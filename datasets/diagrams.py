"""Diagrams: boards as programs draw them on a screen and as books print them, numbers on their stones.

Straight pictures with known truth, drawn at four times their size and shrunk, so that edges are smooth. They may be
photographed then: seen at an angle, blurred, in JPEG.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.core.points import BLACK, COLUMNS, EMPTY, WHITE, Layout
from kifuwatch.datasets.scene import random_layout
from kifuwatch.datasets.texture import star_points

Picture = NDArray[np.uint8]
Floats = NDArray[np.float64]
Rng = np.random.Generator
BGR = tuple[float, float, float]

FINER = 4
FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX)


@dataclass(frozen=True, eq=False)
class Diagram:
    """A picture (h, w, 3) BGR of a board with its truth: layout and corners (4, 2), pixels, from the top left."""

    image: Picture
    layout: Layout
    corners: Floats


@dataclass(frozen=True)
class Style:
    """How a diagram is drawn: pixels of a pitch and of the margin, colours, and what stands on it.

    ``numbers``: share of the stones that carry one. ``shaded``: stones look like balls. ``frame``: a second line at
    so many pitches outside the grid. ``hatched``: black stones are hatched instead of filled.
    """

    pitch: float
    margin: float
    ground: BGR
    ink: BGR
    line: float
    black: BGR
    white: BGR
    stone: float
    labels: bool
    stars: bool = True
    shaded: bool = False
    numbers: float = 0.0
    frame: float = 0.0
    hatched: bool = False
    font: int = FONTS[0]


def screen_style(rng: Rng) -> Style:
    """A Go program or an SGF editor: coloured ground, smooth discs or balls, letters and numbers at the edge."""
    ground = [(110, 180, 225), (90, 160, 220), (150, 205, 235), (200, 200, 200), (120, 200, 140), (60, 110, 160)]
    return Style(
        pitch=rng.uniform(16, 44),
        margin=rng.uniform(0.9, 1.8),
        ground=ground[rng.integers(len(ground))],
        ink=(20, 25, 30) if rng.random() < 0.8 else (60, 80, 90),
        line=rng.uniform(0.8, 1.8),
        black=(20, 20, 20),
        white=(250, 250, 250),
        stone=rng.uniform(0.44, 0.495),
        labels=bool(rng.random() < 0.7),
        stars=bool(rng.random() < 0.95),
        shaded=bool(rng.random() < 0.4),
        numbers=float(rng.choice([0.0, 0.02, 0.6], p=[0.6, 0.25, 0.15])),
        font=FONTS[rng.integers(len(FONTS))],
    )


def print_style(rng: Rng) -> Style:
    """A book or a score sheet: black on white, circles and discs, most of them with the number of their move."""
    paper = float(rng.uniform(205, 255))
    return Style(
        pitch=rng.uniform(18, 40),
        margin=rng.uniform(0.7, 1.6),
        ground=(paper * rng.uniform(0.85, 1), paper * rng.uniform(0.93, 1), paper),
        ink=(30, 30, 30),
        line=rng.uniform(0.8, 1.6),
        black=(25, 25, 25),
        white=(paper, paper, paper),
        stone=rng.uniform(0.42, 0.495),
        labels=bool(rng.random() < 0.4),
        stars=bool(rng.random() < 0.9),
        numbers=float(rng.choice([0.0, 0.5, 1.0], p=[0.25, 0.25, 0.5])),
        frame=float(rng.choice([0.0, rng.uniform(0.12, 0.3)], p=[0.75, 0.25])),
        hatched=bool(rng.random() < 0.1),
        font=FONTS[rng.integers(len(FONTS))],
    )


def draw_diagram(rng: Rng, layout: Layout, style: Style) -> Diagram:
    """A layout drawn in a style, the top line of the board text uppermost."""
    last = layout.size - 1
    pitch, margin = style.pitch * FINER, style.margin * style.pitch * FINER
    side = round(last * pitch + 2 * margin)
    large = np.full((side, side, 3), style.ground, np.uint8)
    places = margin + pitch * np.arange(layout.size, dtype=np.float64)
    _draw_lines(large, style, layout.size, places)
    numbers = rng.permutation(layout.size**2) + 1
    for i, cell in enumerate(layout.cells):
        line, col = divmod(i, layout.size)
        if cell != EMPTY:
            _draw_stone(large, style, cell, (places[col], places[line]))
            if rng.random() < style.numbers:
                ink = style.white if cell == BLACK else style.ink
                _write(large, style, str(numbers[i] % 300), (places[col], places[line]), ink, 0.55)
    if style.labels:
        for i, place in enumerate(places):
            away = 0.62 * margin
            for spot in ((place, away), (place, side - away)):
                _write(large, style, COLUMNS[i], spot, style.ink, 0.5)
            for spot in ((away, place), (side - away, place)):
                _write(large, style, str(layout.size - i), spot, style.ink, 0.5)
    small = round(side / FINER)
    image = np.asarray(cv2.resize(large, (small, small), interpolation=cv2.INTER_AREA), dtype=np.uint8)
    first, end = (places[[0, -1]] + 0.5) * small / side - 0.5
    return Diagram(image, layout, np.array([[first, first], [end, first], [end, end], [first, end]]))


def random_diagram(seed: int, kind: str, size: int | None = None) -> Diagram:
    """The diagram of a seed: of ``kind`` ``screen`` or ``print``."""
    rng = np.random.default_rng([seed, 5])
    layout = random_layout(rng, size or int(rng.choice([9, 13, 19])))
    return draw_diagram(rng, layout, screen_style(rng) if kind == "screen" else print_style(rng))


def on_page(diagram: Diagram, rng: Rng) -> Diagram:
    """The diagram within a larger picture, as a window on a desktop or a page of text shows it."""
    height, width = diagram.image.shape[:2]
    left, top, right, below = (int(each) for each in rng.uniform(0.02, 0.5, 4) * width)
    ground = rng.uniform(30, 255, 3) if rng.random() < 0.5 else np.full(3, 245.0)
    page = np.empty((height + top + below, width + left + right, 3), np.uint8)
    page[:] = ground
    ink = np.where(ground.mean() > 128, 40, 220)
    for y in range(14, page.shape[0], 22):
        cv2.putText(page, "Black 23 is a good point. " * 20, (6, y), FONTS[2], 0.4, [int(ink)] * 3, 1, cv2.LINE_AA)
    page[top : top + height, left : left + width] = diagram.image
    return Diagram(page, diagram.layout, diagram.corners + np.array([left, top], dtype=float))


def photographed(diagram: Diagram, rng: Rng, tilt: float = 0.12) -> Diagram:
    """The diagram as a camera sees it: from an angle, in uneven light, blurred, with noise, in JPEG."""
    height, width = diagram.image.shape[:2]
    corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    room = 0.06 * width
    moved = corners + room + rng.uniform(0, tilt, (4, 2)) * [width, height] * [[1, 1], [-1, 1], [-1, -1], [1, -1]]
    matrix = cv2.getPerspectiveTransform(corners, moved.astype(np.float32))
    size = (round(width + 2 * room), round(height + 2 * room))
    surround = rng.uniform(20, 160, 3).tolist()
    seen = cv2.warpPerspective(diagram.image, matrix, size, flags=cv2.INTER_AREA, borderValue=surround).astype(float)
    left, right = rng.uniform(0.7, 1.05, 2).tolist()
    ramp = np.linspace(left, right, size[0])[None, :, None]
    seen = cv2.GaussianBlur(seen * ramp, (0, 0), float(rng.uniform(0.3, 0.045 * _pitch(diagram) + 0.3)))
    seen = seen + rng.normal(0, rng.uniform(0.5, 5), seen.shape)
    coded = cv2.imencode(".jpg", np.clip(seen, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 80])[1]
    image = cv2.imdecode(coded, cv2.IMREAD_COLOR)
    assert image is not None
    at = np.asarray(np.column_stack([diagram.corners, np.ones(4)]) @ matrix.T, dtype=np.float64)
    return Diagram(np.asarray(image, dtype=np.uint8), diagram.layout, at[:, :2] / at[:, 2:])


def _pitch(diagram: Diagram) -> float:
    return float(diagram.corners[1, 0] - diagram.corners[0, 0]) / (diagram.layout.size - 1)


def _draw_lines(large: Picture, style: Style, size: int, places: Floats) -> None:
    width = max(1, round(style.line * FINER * style.pitch / 28))
    first, end = round(places[0]), round(places[-1])
    for i, place in enumerate(np.round(places).astype(int).tolist()):
        thick = width * 2 if i in (0, size - 1) and style.frame == 0 and style.line > 1.2 else width
        cv2.line(large, (first, place), (end, place), style.ink, thick)
        cv2.line(large, (place, first), (place, end), style.ink, thick)
    if style.frame:
        away = round(style.frame * style.pitch * FINER)
        cv2.rectangle(large, (first - away, first - away), (end + away, end + away), style.ink, 2 * width)
    if style.stars:
        for col, line in star_points(size):
            at = round(places[col]), round(places[line])
            cv2.circle(large, at, round(0.1 * style.pitch * FINER), style.ink, -1)


def _draw_stone(large: Picture, style: Style, cell: str, at: tuple[float, float]) -> None:
    radius, centre = style.stone * style.pitch * FINER, (round(at[0]), round(at[1]))
    colour = style.black if cell == BLACK else style.white
    cv2.circle(large, centre, round(radius), colour if not (style.hatched and cell == BLACK) else style.white, -1)
    if style.hatched and cell == BLACK:
        for shift in np.arange(-0.9, 0.95, 0.3) * radius:
            half = np.sqrt(max(radius**2 - shift**2, 0.0))
            ends = [(round(at[0] + shift), round(at[1] + sign * half)) for sign in (-1, 1)]
            cv2.line(large, ends[0], ends[1], style.ink, max(2, round(0.1 * radius)))
    if style.shaded:
        for share in np.linspace(0.8, 0.15, 8):
            shade = np.array(colour) + (1 - share) * (70 if cell == BLACK else 6)
            spot = round(at[0] - 0.3 * (1 - share) * radius), round(at[1] - 0.3 * (1 - share) * radius)
            cv2.circle(large, spot, round(share * radius), np.clip(shade, 0, 255).tolist(), -1)
    if cell == WHITE or style.hatched:
        cv2.circle(large, centre, round(radius), style.ink, max(1, round(style.line * FINER * style.pitch / 28)))


def _write(large: Picture, style: Style, words: str, at: tuple[float, float], ink: BGR, share: float) -> None:
    """Words of ``share`` of a pitch in height, narrowed to fit on a stone, centred at ``at``."""
    height = share * style.pitch * FINER
    (wide, high), _ = cv2.getTextSize(words, style.font, 1.0, 1)
    factor = min(height / high, 0.75 * style.pitch * FINER / wide)
    corner = round(at[0] - wide * factor / 2), round(at[1] + high * factor / 2)
    cv2.putText(large, words, corner, style.font, factor, ink, max(1, round(1.6 * factor)), cv2.LINE_AA)
