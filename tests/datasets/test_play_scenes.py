"""Scenes of play: hands hide what is under them, captured stones lie on no point, and the truth says so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from kifuwatch.core.points import BLACK, EMPTY, Layout
from kifuwatch.datasets.play_scenes import CLOSEST, play_scene
from kifuwatch.datasets.random_scenes import place_camera, random_scene, random_spec
from kifuwatch.datasets.render import render
from kifuwatch.datasets.scene import CameraEffects, LooseStone, PlayingHand, Scene

SKIN, SLEEVE = (0.27, 0.38, 0.66), (0.06, 0.06, 0.07)


def empty_board() -> Scene:
    """A board of 9 lines without stones, seen from straight above."""
    spec = random_spec(np.random.default_rng(1), 9)
    middle = np.array([spec.across, spec.along]) * 4
    pose = place_camera(spec, (500, 500), 500.0, (np.pi / 2 - 1e-4, 0.0, 0.0), 280.0, middle, (0.0, 0.0))
    effects = CameraEffects()
    empty = Layout.empty(9)
    scene = replace(random_scene(3), pose=pose, layout=empty, hands=(), clutter=0, shadows=(), effects=effects)
    return replace(scene, offsets=np.zeros((9, 9, 2)), flat=False)


def reaching(x: float, y: float, **more: Any) -> PlayingHand:
    """A hand whose fingers are at a place in lattice units, its arm downwards in the board text."""
    spec = empty_board().pose.spec
    hand = PlayingHand((x * spec.across, y * spec.along, 0.0), (0.0, 1.0), EMPTY, SKIN, SLEEVE)
    return replace(hand, **more)


def diagram(covered: NDArray[np.float32]) -> list[str]:
    """What is hidden (#), partly (+), and seen (.)."""
    return ["".join("#" if c > 0.5 else "+" if c > 0.12 else "." for c in row) for row in covered]


def test_a_hand_hides_what_lies_between_its_fingers_and_its_player() -> None:
    scene = empty_board()
    bare, played = render(scene), render(replace(scene, playing=(reaching(4, 4),)))
    shown = diagram(played.covered)
    assert all(row == "." * 9 for row in diagram(bare.covered))
    assert all("#" not in row for row in shown[:3])
    assert all("#" in row[3:6] for row in shown[6:])
    pixels = scene.pose.project(np.array([[4.0, 8.0], [0.0, 0.0]])).round().astype(int)
    (x, y), (far_x, far_y) = pixels
    assert np.abs(bare.image[y, x].astype(int) - played.image[y, x]).max() > 30
    assert np.abs(bare.image[far_y, far_x].astype(int) - played.image[far_y, far_x]).max() < 12


def test_a_left_hand_is_a_right_hand_in_the_mirror() -> None:
    scene = empty_board()
    right, left = (
        render(replace(scene, playing=(reaching(4, 3, stretch=(wide, 1.0)),))).covered for wide in (1.0, -1.0)
    )
    assert np.abs(right - right[:, ::-1]).max() > 0.3
    assert np.allclose(left, right[:, ::-1], atol=0.15)


def test_a_stone_in_the_fingers_is_neither_seen_nor_hidden() -> None:
    scene = empty_board()
    empty_handed = render(replace(scene, playing=(reaching(4, 4),))).covered
    carrying = render(replace(scene, playing=(reaching(4, 4, carries=BLACK),))).covered
    assert carrying[4, 4] > 0.12
    assert (carrying >= empty_handed - 1e-6).all()


@pytest.mark.parametrize("seed", range(80000, 80006))
def test_one_seed_is_one_scene_with_hands(seed: int) -> None:
    one, two = play_scene(seed), play_scene(seed)
    assert one.playing == two.playing
    assert 1 <= len(one.playing) <= 3
    assert one.layout == two.layout


def test_hands_are_of_every_kind() -> None:
    hands = [hand for seed in range(80000, 80100) for hand in play_scene(seed).playing]
    assert any(hand.stretch[0] < 0 for hand in hands)
    assert any(hand.moves != (0.0, 0.0) for hand in hands)
    assert {hand.carries for hand in hands} == {".", "X", "O"}
    light = [max(hand.skin) for hand in hands]
    assert min(light) < 0.3
    assert max(light) > 0.8


def test_captured_stones_lie_beside_the_lines_and_are_drawn() -> None:
    beside = [scene for scene in map(play_scene, range(82000, 82060)) if scene.loose]
    assert len(beside) > 10
    for scene in beside:
        last, spec = scene.pose.size - 1, scene.pose.spec
        for stone in scene.loose:
            u, v = stone.at[0] / spec.across, stone.at[1] / spec.along
            assert max(-u, u - last, -v, v - last) >= CLOSEST
            assert -spec.margin < stone.at[0] < last * spec.across + spec.margin, "on the wood"
            assert -spec.margin < stone.at[1] < last * spec.along + spec.margin, "on the wood"
    board = empty_board()
    at = (-1.2 * board.pose.spec.across, 4 * board.pose.spec.along, 0.0)
    with_one = render(replace(board, loose=(LooseStone(at, BLACK),)))
    x, y = board.pose.project(np.array([[-1.2, 4.0]]))[0].round().astype(int)
    assert with_one.image[y, x].max() < 90
    assert with_one.covered.max() == 0
