"""Odd scenes: what each kind is for is really in it, and the command makes the kind that was asked for."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kifuwatch.core.errors import UsageError
from kifuwatch.datasets import make_scenes, odd_scenes
from kifuwatch.datasets.random_scenes import random_scene
from kifuwatch.datasets.scene import Scene, stones_on

Kind = Callable[[Scene, np.random.Generator], Scene]


def scenes(kind: Kind, count: int = 12) -> list[Scene]:
    return [kind(random_scene(seed), np.random.default_rng(seed)) for seed in range(count)]


def test_careless_players_leave_stones_nearly_between_the_points() -> None:
    careless = [np.linalg.norm(s.offsets, axis=2)[stones_on(s.layout)] for s in scenes(odd_scenes._careless)]
    usual = [np.linalg.norm(random_scene(seed).offsets, axis=2) for seed in range(12)]
    assert (np.concatenate(careless) > 0.3).mean() > 0.05
    assert np.mean([(away > 0.3).mean() for away in usual]) < 0.01
    assert np.concatenate(careless).max() < 0.65  # half a pitch across and along at once


def test_lowest_cameras_are_low() -> None:
    elevations = sorted(s.pose.elevation for s in scenes(odd_scenes._lowest))
    assert elevations[len(elevations) // 2] < 32
    assert elevations[0] > 14


def test_numbered_diagrams_are_flat_and_bear_numbers() -> None:
    assert all(s.flat and s.numbered >= 0.5 for s in scenes(odd_scenes._numbered))


@pytest.mark.parametrize("seed", range(50000, 50008))
def test_one_seed_is_one_scene(seed: int) -> None:
    one, two = odd_scenes.odd_scene(seed), odd_scenes.odd_scene(seed)
    assert (one.layout, one.effects, one.board) == (two.layout, two.effects, two.board)
    assert np.array_equal(one.offsets, two.offsets)


def test_the_command_makes_the_kind_that_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["make_scenes", str(tmp_path), "--kind", "odd", "--first", "50001", "--count", "1"]
    monkeypatch.setattr("sys.argv", arguments)
    make_scenes.main()
    truth = json.loads((tmp_path / "050001.json").read_text())
    assert truth["board"] == odd_scenes.odd_scene(50001).layout.rows


@pytest.mark.parametrize(("photoreal", "kind"), [(False, "club"), (True, "hard"), (False, "nothing")])
def test_a_kind_that_is_not_there_is_refused(photoreal: bool, kind: str) -> None:
    with pytest.raises(UsageError, match=f"no kind of .* scene '{kind}'"):
        make_scenes.maker(photoreal, kind)
