"""Rendered scenes: the same seed gives the same picture, and the picture shows what the truth says."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.points import BLACK, EMPTY, WHITE, Layout
from kifuwatch.datasets.clip_look import clip_look
from kifuwatch.datasets.props import hand_mask
from kifuwatch.datasets.random_scenes import random_hand, random_scene
from kifuwatch.datasets.render import Rendered, render, without_distortion
from kifuwatch.datasets.scene import Scene, random_layout, stone_offsets
from tests.material import WOOD, photograph

SMALL = (480, 360)

CORNER = Layout.from_rows(
    [
        "O.......X",
        ".........",
        "..X...O..",
        ".........",
        "....X....",
        "....O....",
        "..O...X..",
        ".........",
        "X.......O",
    ]
)


def fingerprint(rendered: Rendered) -> str:
    return hashlib.sha256(rendered.image.tobytes() + rendered.covered.tobytes()).hexdigest()


def brightness(rendered: Rendered, height: float, aside: float = 0.0) -> NDArray[np.float64]:
    """Median grey level (n, n) of where something ``height`` mm above each point is seen.

    ``aside``: as many pitches to the right of and below the point, to look between lines.
    """
    pose, offsets = rendered.scene.pose, rendered.scene.offsets
    line, col = np.mgrid[0 : pose.size, 0 : pose.size]
    lattice = np.dstack([col + offsets[..., 0] + aside, line - offsets[..., 1] + aside]).reshape(-1, 2)
    grey = rendered.image.astype(float).mean(axis=2)
    found, reach = [], max(1, round(0.15 * pose.pitch))
    for x, y in np.round(pose.project(lattice, height)).astype(int):
        found.append(np.median(grey[max(y - reach, 0) : y + reach + 1, max(x - reach, 0) : x + reach + 1]))
    return np.array(found).reshape(pose.size, pose.size)


@pytest.mark.parametrize("seed", [0, 5])
def test_one_seed_is_one_picture(seed: int) -> None:
    assert fingerprint(render(random_scene(seed, SMALL))) == fingerprint(render(random_scene(seed, SMALL)))


def test_another_seed_is_another_picture() -> None:
    assert fingerprint(render(random_scene(1, SMALL))) != fingerprint(render(random_scene(2, SMALL)))


@pytest.mark.parametrize("size", [5, 9, 13, 19])
@pytest.mark.parametrize("image_size", [(160, 120), (333, 481)])
def test_every_size_of_board_and_picture(size: int, image_size: tuple[int, int]) -> None:
    scene = clip_look(size, image_size, seed=1).scene
    rendered = render(replace(scene, layout=Layout(size, (BLACK + WHITE) * (size * size // 2) + EMPTY)))
    assert rendered.image.shape == (image_size[1], image_size[0], 3)
    assert rendered.covered.shape == (size, size)


@pytest.mark.parametrize("seed", range(5))
def test_black_is_darker_than_wood_and_white_brighter(seed: int) -> None:
    """In every kind of light, black stones are darker than any white one, with the wood between them."""
    scene = clip_look(9, SMALL, seed).scene
    offsets = stone_offsets(np.random.default_rng(seed), CORNER, scene.pose.spec, 0.08)
    stones = render(replace(scene, layout=CORNER, offsets=offsets))
    level = brightness(stones, scene.pose.spec.stone_thickness * 0.6)
    wood = np.median(brightness(render(scene), 0.0, aside=0.5)[:-1, :-1])
    cells = np.array(list(CORNER.cells)).reshape(9, 9)
    assert level[cells == BLACK].max() < level[cells == WHITE].min()
    assert np.all(level[cells == BLACK] < 0.75 * wood)
    assert np.all(level[cells == WHITE] > 1.05 * wood)


def test_stones_lie_where_their_offsets_say() -> None:
    """A black stone pushed a third of a pitch to the right darkens the wood there and leaves the other side."""
    layout = Layout.from_rows([".....", ".....", "..X..", ".....", "....."])
    offsets = np.zeros((5, 5, 2))
    offsets[2, 2] = (0.33, 0.0)
    scene = replace(photograph(layout), offsets=offsets)
    grey = render(scene).image.astype(float).mean(axis=2)
    (right, _), (left, y) = np.round(scene.pose.project([[2.62, 2.25], [1.7, 2.25]], 3.0)).astype(int)
    assert grey[y, right] < 0.5 * grey[y, left]


def test_every_random_scene_shows_the_board_or_crops_it_by_less_than_half_a_pitch() -> None:
    inside = 0
    for seed in range(40):
        pose = random_scene(seed).pose
        beyond = np.maximum(-pose.corners, pose.corners - (np.array(pose.image_size) - 1)).max()
        assert beyond < 0.45 * pose.pitch
        inside += beyond < 0
    assert inside >= 30


def test_covered_points_are_where_the_hand_is() -> None:
    rng = np.random.default_rng(8)
    scene = photograph(CORNER)
    hand = random_hand(rng, scene.pose)
    while hand.kind != "hand":
        hand = random_hand(rng, scene.pose)
    tip = scene.pose.project([[6.0, 6.0]])[0]
    hand = replace(hand, tip=(tip[0], tip[1]), root=(tip[0] + 300.0, tip[1] + 700.0))
    rendered = render(replace(scene, hands=(hand,)))
    mask = hand_mask(hand, (scene.pose.image_size[1], scene.pose.image_size[0]))
    line, col = np.mgrid[0:9, 0:9]
    x, y = np.round(scene.pose.project(np.column_stack([col.ravel(), line.ravel()]), 3.0)).astype(int).T
    under = mask[y, x].reshape(9, 9) > 0.5
    assert 3 <= under.sum() < 60
    assert np.all(rendered.covered[under] > 0.2)
    far = np.ones((9, 9), bool)
    for i, j in zip(*np.nonzero(under), strict=True):
        far[max(0, i - 1) : i + 2, max(0, j - 1) : j + 2] = False
    assert np.all(rendered.covered[far] < 0.3)
    assert rendered.covered[0, 0] == 0


def test_a_hand_hides_stones() -> None:
    rng = np.random.default_rng(8)
    scene = photograph(CORNER)
    tip = scene.pose.project([[4.0, 3.0]])[0]
    hand = replace(random_hand(rng, scene.pose), kind="hand", tip=(tip[0], tip[1]), root=(tip[0], tip[1] + 700.0))
    rendered = render(replace(scene, hands=(hand,)))
    hidden = rendered.covered > 0.95
    assert hidden.any()
    with_stones = brightness(rendered, 5.0)
    without = brightness(render(replace(scene, layout=Layout.empty(9), hands=(hand,))), 5.0)
    assert np.abs(with_stones - without)[hidden].max() < 3.0


def test_nothing_is_covered_without_hands() -> None:
    assert not render(photograph(CORNER)).covered.any()


def test_careless_stones_do_not_overlap() -> None:
    spec = BoardSpec(9)
    rng = np.random.default_rng(3)
    for _ in range(20):
        layout = random_layout(rng, 9)
        offsets = stone_offsets(rng, layout, spec, 0.1)
        stones = np.array([cell != EMPTY for cell in layout.cells]).reshape(9, 9)
        assert not offsets[~stones].any()
        line, col = np.mgrid[0:9, 0:9]
        scale = np.array([spec.across, spec.along])
        places = (np.dstack([col + offsets[..., 0], line - offsets[..., 1]]) * scale)[stones]
        gaps = np.linalg.norm(places[:, None] - places[None], axis=2) + 99 * np.eye(len(places))
        assert gaps.min(initial=99) > 0.93 * spec.stone_diameter


def test_distortion_bends_the_picture_with_the_pose() -> None:
    """Straight and bent lens: stones are seen where each pose says."""
    straight = photograph(CORNER)
    pose = replace(straight.pose, k1=-0.12)
    bent = replace(straight, pose=pose)
    cells = np.array(list(CORNER.cells)).reshape(9, 9)
    assert np.abs(pose.corners - without_distortion(pose).corners).max() > 3
    for scene in (straight, bent):
        level = brightness(render(scene), 5.0)
        assert level[cells == BLACK].max() < level[cells == WHITE].min()


def test_light_and_dark_exposure() -> None:
    scene: Scene = photograph(CORNER)
    dark = replace(scene, effects=replace(scene.effects, exposure=0.4))
    assert render(dark).image.mean() < 0.8 * render(scene).image.mean()


def test_labels_borders_and_seams_are_drawn_beside_the_lines() -> None:
    plain = photograph(Layout.empty(9))
    spec = replace(plain.pose.spec, margin=40.0)
    pose = type(plain.pose).from_corners(plain.pose.corners, spec, plain.pose.image_size)
    plain = replace(plain, pose=pose)
    odd = replace(plain, board=replace(WOOD, labels=True, border=10.0, fold=11.0))
    a, b = render(plain).image.astype(int), render(odd).image.astype(int)
    assert (np.abs(a - b).max(axis=2) > 25).mean() > 0.003


def test_what_came_later_leaves_the_rest_of_a_seed_as_it_was() -> None:
    """Clocks, doubled lines and video are drawn from a generator of their own; each changes the picture."""
    scene = replace(random_scene(3, SMALL), hands=())
    bare = replace(scene, clocks=0, board=replace(scene.board, doubled=0.0), effects=replace(scene.effects, video=0.0))
    plain = render(bare).image.astype(int)
    for richer in (
        replace(bare, clocks=3),
        replace(bare, board=replace(bare.board, doubled=1.5)),
        replace(bare, effects=replace(bare.effects, video=0.8)),
    ):
        changed = np.abs(render(richer).image.astype(int) - plain).max(axis=2) > 6
        assert 0.0005 < changed.mean() < 0.9
