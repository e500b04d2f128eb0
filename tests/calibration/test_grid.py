"""The grid question: 9, 13 and 19 lines are told apart, and none is off by a line, where that is hardest."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import SIZES, BoardSpec
from kifuwatch.core.points import Layout
from kifuwatch.datasets.diagrams import Diagram, draw_diagram, on_page, photographed, print_style, screen_style
from kifuwatch.datasets.random_scenes import place_camera
from kifuwatch.datasets.render import render
from kifuwatch.datasets.scene import Scene, random_layout, stone_offsets
from kifuwatch.vision.reading import BoardReader, Reading
from tests.material import WOOD, photograph


@cache
def reader() -> BoardReader:
    return BoardReader()


def scene_of(layout: Layout, seed: int, border: float = 0.0) -> Scene:
    """A board seen from 60 degrees, 20 pixels a pitch or more."""
    size = layout.size
    spec = BoardSpec(size, margin=26.0)
    image, focal = (720, 600), 800.0
    span = spec.across * (size - 1)
    pose = place_camera(
        spec, image, focal, (np.radians(60), 0.2, 0.03), focal * span / 420, np.array([span / 2] * 2), (0, 0)
    )
    offsets = stone_offsets(np.random.default_rng(seed), layout, spec, 0.05)
    scene = photograph(layout, seed=seed)
    return replace(scene, pose=pose, offsets=offsets, board=replace(WOOD, border=border))


def stones(size: int, seed: int) -> Layout:
    return random_layout(np.random.default_rng([seed, size]), size)


def off_by(found: BoardPose, corners: NDArray[np.float64], size: int) -> float:
    """The largest error of a corner in pitches, of the turn that agrees best."""
    assert found.size == size, f"{size} lines were read as {found.size}"
    gaps = [np.linalg.norm(found.turned(k).corners - corners, axis=1).max() for k in range(4)]
    return float(min(gaps)) / found.pitch


@pytest.mark.parametrize("size", SIZES)
def test_a_printed_border_is_no_line(size: int) -> None:
    for seed, border in ((1, 6.0), (2, 13.0)):
        scene = scene_of(stones(size, seed), seed, border)
        assert off_by(reader().read(render(scene).image).pose, scene.pose.corners, size) < 0.4


@pytest.mark.parametrize("size", SIZES)
def test_outer_lines_all_under_stones_are_lines(size: int) -> None:
    cells = np.array(list(stones(size, 3).cells)).reshape(size, size)
    rim = np.ones((size, size), bool)
    rim[1:-1, 1:-1] = False
    cells[rim] = np.random.default_rng(size).choice(list("XO"), int(rim.sum()))
    layout = Layout(size, "".join(cells.ravel()))
    scene = scene_of(layout, 3)
    reading = reader().read(render(scene).image)
    assert off_by(reading.pose, scene.pose.corners, size) < 0.4
    wrong = min(
        sum(a != b for a, b in zip(reading.layout.turned(k).cells, layout.cells, strict=True)) for k in range(4)
    )
    assert wrong <= 1


@pytest.mark.parametrize("size", [13, 19])
def test_a_line_outside_the_picture_is_a_line_and_its_points_are_not_seen(size: int) -> None:
    scene = scene_of(stones(size, 4), 4)
    image = render(scene).image
    cut = int(scene.pose.project([[0, size - 1.5], [size - 1, size - 1.5]])[:, 1].min())
    reading = reader().read(np.ascontiguousarray(image[:cut]))
    assert off_by(reading.pose, scene.pose.corners, size) < 0.5
    assert_hidden_below(reading, cut)


def assert_hidden_below(reading: Reading, cut: int) -> None:
    size = reading.size
    line, col = np.mgrid[0:size, 0:size]
    y = reading.pose.project(np.column_stack([col.ravel(), line.ravel()]))[:, 1].reshape(size, size)
    assert reading.observation.covered[y > cut].all()
    assert (y > cut).sum() >= size


def drawn(kind: str, size: int, seed: int) -> Diagram:
    rng = np.random.default_rng([seed, size])
    style = screen_style(rng) if kind == "screen" else print_style(rng)
    plain = replace(style, pitch=26.0, numbers=0.0, hatched=False, labels=True)
    return on_page(draw_diagram(rng, stones(size, seed), plain), rng)


@pytest.mark.parametrize("kind", ["screen", "print"])
@pytest.mark.parametrize("size", SIZES)
def test_a_diagram_has_its_lines_and_its_letters_are_none(kind: str, size: int) -> None:
    diagram = drawn(kind, size, 7)
    assert off_by(reader().read(diagram.image).pose, diagram.corners, size) < 0.3


def test_a_photographed_screen_has_its_lines() -> None:
    diagram = photographed(drawn("screen", 19, 8), np.random.default_rng(8))
    assert off_by(reader().read(diagram.image).pose, diagram.corners, 19) < 0.4
