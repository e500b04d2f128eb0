"""Whole games, followed without one wrong move and without an alert."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.core.times import FrameTime
from kifuwatch.reconstruct import Reconstructor
from kifuwatch.rules import Game, ruleset
from kifuwatch.vision.observation import CELLS, Observation
from tests.reconstruct.stage import SHARED, Noise, Report, Stage, of_scenario, perform

SCENARIOS = sorted((SHARED / "clips").glob("*.scenario.json"))
GAMES = SHARED / "sgf" / "moves.jsonl"
SEQUENCES = sorted((SHARED / "real" / "sequences").glob("*.json"))
needs_games = pytest.mark.skipif(not GAMES.exists(), reason="the game records of ../shared/sgf are not here")


def script_of(
    moves: list[tuple[str, str]], setup: Layout, pace: float, rng: random.Random
) -> tuple[list[Any], list[str]]:
    """The longest legal beginning of a game as a script: one move every ``pace`` seconds, captures one by one."""
    script: list[dict[str, Any]] = []
    game, time, played = None, 1.6, []
    for letter, name in moves:
        if name == "pass":
            break
        colour, point = Colour(letter), Point.parse(name)
        game = game or Game.of(setup, colour)
        look = game.look(colour, point)
        if look.faults:
            break
        game = game.play(colour, point)
        played.append(f"{letter} {name}")
        script.append(
            {"t": time, "do": "place", "color": letter, "at": name, "offset": [rng.gauss(0, 0.1), rng.gauss(0, 0.1)]}
        )
        taken = [str(p) for p in look.captured]
        if taken:
            rng.shuffle(taken)
            script.append({"t": time + 0.75, "do": "remove", "at": taken, "by": letter, "step": 0.5})
            time += 0.75 + 0.5 * (len(taken) - 1)
        time += pace + rng.uniform(-0.1, 0.25)
    return script, played


def records() -> list[dict[str, Any]]:
    if not GAMES.exists():
        return []
    found = [json.loads(line) for line in GAMES.read_text().splitlines()]
    return [r for r in found if "size" in r and len(r["moves"]) > 60]


@needs_games
@pytest.mark.parametrize("record", records()[::14], ids=lambda r: r["file"][:30])
def test_a_real_game_at_a_move_every_1_3_seconds(record: dict[str, Any]) -> None:
    cells = {Point.parse(p): "X" for p in record["AB"]} | {Point.parse(p): "O" for p in record["AW"]}
    setup = Layout.empty(record["size"]).replaced(cells)
    moves = [(m[0], m[1]) for m in record["moves"][:90]]
    script, played = script_of(moves, setup, 1.3, random.Random(record["file"]))
    seen = perform(Stage(record["size"], setup, script, 8.0, None, Noise(), 3))
    assert seen.moves == played
    assert seen.alerts == []
    assert seen.retracts == []


@pytest.mark.skipif(not SCENARIOS, reason="the scenarios of ../shared/clips are not here")
@pytest.mark.parametrize("path", SCENARIOS, ids=lambda p: p.stem)
def test_the_clips_played_without_their_pictures(path: Path) -> None:
    stage, expect = of_scenario(path, seed=2)
    seen = perform(stage)
    assert seen.moves == [f"{c} {p}" for c, p in expect["moves"]]
    assert [a.code for a in seen.alerts] == [a["code"] for a in expect["alerts"]]
    for alert, wanted in zip(seen.alerts, expect["alerts"], strict=True):
        assert wanted["t"] - 1 <= alert.t <= wanted["t"] + 15
        assert alert.seen <= wanted["t"] + 15
        assert not wanted["at"] or set(wanted["at"]) & set(map(str, alert.at))
    assert str(seen.final.board) == expect["final"]


def settled_views(size: int, frames: list[list[dict[str, str]] | None], wrong: float = 0.0, seed: int = 0) -> Report:
    """One settled view a second, changed as a labelled sequence says, without pictures."""
    rng = np.random.default_rng(seed)
    layout, watcher, events = Layout.empty(size), Reconstructor(size, ruleset(), settled_views=True), []
    nothing = np.zeros((size, size), dtype=bool)
    for k, changes in enumerate(frames):
        layout = layout.replaced({Point.parse(c["at"]): c["now"] for c in changes or []})
        cells = np.array([[CELLS.index(c) for c in row] for row in layout.rows])
        cells = np.where(rng.random(cells.shape) < wrong, rng.integers(0, 3, cells.shape), cells)
        sure = np.where(np.arange(3) == cells[..., None], 0.98, 0.01).astype(np.float32)
        offsets = np.zeros((size, size, 2), dtype=np.float32)
        events += watcher.see(Observation(FrameTime.of_seconds(k), sure, nothing, offsets, nothing))
    events += watcher.finish(float(len(frames)))
    return Report(events)


@pytest.mark.skipif(not SEQUENCES, reason="the photographed games of ../shared/real/sequences are not here")
@pytest.mark.parametrize("path", SEQUENCES, ids=lambda p: p.stem)
def test_photographed_games_from_their_labels(path: Path) -> None:
    sequence = json.loads(path.read_text())
    frames = [f["changes"] for f in sequence["frames"]]
    stones = [sorted(c["now"] + c["at"] for c in changes or [] if c["now"] != ".") for changes in frames]
    seen = settled_views(sequence["board_size"], frames)
    got = [("X" if m[0] == "B" else "O") + m[2:] for m in seen.moves]
    for step in stones:
        assert sorted(got[: len(step)]) == step
        del got[: len(step)]
    assert got == []
    repeated = any(len(step) > 1 for step in stones)
    assert {a.code for a in seen.alerts} == ({"two-moves"} if repeated else set())


def test_a_photograph_misread_once_is_put_right_by_the_next() -> None:
    frames: list[Any] = [
        [],
        [{"at": "C3", "now": "X"}],
        [{"at": "G7", "now": "O"}],
        [{"at": "G3", "now": "X"}, {"at": "A9", "now": "O"}],
        [{"at": "A9", "now": "."}],
        [{"at": "C7", "now": "O"}],
        [],
    ]
    seen = settled_views(9, frames)
    assert seen.moves == ["B C3", "W G7", "B G3", "W C7"]
    assert seen.alerts == []


@settings(max_examples=15, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.floats(1.2, 2.5), st.sampled_from([5.0, 8.0, 15.0, 30.0]))
def test_any_legal_game_is_followed_at_any_pace_and_frame_rate(seed: int, pace: float, fps: float) -> None:
    rng = random.Random(seed)
    game, line = Game.empty(9), []
    for _ in range(18):
        colour = game.position.to_play
        legal = [p for p in game.position.layout.points(".") if not game.look(colour, p).faults]
        crowded = [p for p in legal if p.row in (3, 4, 5) and p.col in (3, 4, 5)]
        point = rng.choice(crowded or legal)
        game = game.play(colour, point)
        line.append((colour.value, str(point)))
    script, played = script_of(line, Layout.empty(9), pace, rng)
    seen = perform(Stage(9, Layout.empty(9), script, fps, None, Noise(), seed))
    assert seen.moves == played
    assert seen.alerts == []
