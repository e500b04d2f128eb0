"""What following the story costs: ``python benchmarks/reconstruct.py``.

Prints, for each kind of scene on a board of 19 lines, milliseconds of the processor that a view takes (mean, 99th
percentile, worst), beside what came of it. The views are made without pictures: a middle game that goes on, a board
that is swept, two hundred stones that lie there from one view to the next, a dozen moves behind a head.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator

import numpy as np

from kifuwatch.core.points import EMPTY, Layout, Point
from kifuwatch.core.times import FrameTime
from kifuwatch.reconstruct import Incident, Move, Reconstructor
from kifuwatch.rules import Game
from kifuwatch.vision.observation import CELLS, Observation

SIZE, FPS = 19, 8.0
Scene = list[tuple[float, Layout, tuple[int, int, int, int] | None]]
"""Seconds, the board, and the lines and columns that are covered (from, to, from, to)."""


def random_game(moves: int, rng: random.Random) -> list[Game]:
    """A legal game, position by position."""
    games = [Game.empty(SIZE)]
    while len(games) <= moves:
        game = games[-1]
        free = game.position.layout.points(EMPTY)
        point = rng.choice(free)
        if not game.look(game.position.to_play, point).faults:
            games.append(game.play(game.position.to_play, point))
    return games


def view(now: float, board: Layout, cover: tuple[int, int, int, int] | None, rng: np.random.Generator) -> Observation:
    """One reading, a point in a thousand wrong."""
    cells = np.array([[CELLS.index(c) for c in row] for row in board.rows])
    wrong = rng.random(cells.shape) < 0.001
    cells = np.where(wrong, rng.integers(0, 3, cells.shape), cells)
    sure = np.where(np.arange(3) == cells[..., None], 0.97, 0.015).astype(np.float32)
    covered = np.zeros(cells.shape, dtype=bool)
    if cover is not None:
        covered[cover[0] : cover[1], cover[2] : cover[3]] = True
    return Observation(FrameTime.of_seconds(now), sure, covered, np.zeros((*cells.shape, 2), np.float32), covered)


def play_on(games: list[Game], start: int, count: int, pace: float) -> Scene:
    """``count`` moves, one every ``pace`` seconds, each laid by a hand from below."""
    scene: Scene = []
    for k in range(int((count + 2) * pace * FPS)):
        now = k / FPS
        done = min(int(now / pace), count)
        point = games[start + min(done + 1, count)].plays[-1].point
        assert point is not None
        line = SIZE - 1 - point.row
        near = now / pace - done > 0.7 or now / pace - done < 0.15
        arm = (max(line - 1, 0), SIZE, max(point.col - 1, 0), point.col + 2) if near and done < count else None
        scene.append((now, games[start + done].position.layout, arm))
    return scene


def swept(board: Layout, rng: random.Random, count: int) -> Scene:
    """``count`` stones are pushed to other points at once."""
    stones = rng.sample([p for p in _points() if board[p] != EMPTY], count)
    free = rng.sample(board.points(EMPTY), count)
    after = board.replaced(
        {old: EMPTY for old in stones} | {new: board[old] for old, new in zip(stones, free, strict=True)}
    )
    return _between(board, after, 2.0)


def appeared(board: Layout, rng: random.Random, count: int) -> Scene:
    """``count`` stones of both colours lie there from one view to the next."""
    points = rng.sample(board.points(EMPTY), count)
    return _between(board, board.replaced({p: rng.choice("XO") for p in points}), 0.0)


def behind_a_head(games: list[Game], start: int, count: int) -> Scene:
    """``count`` moves are played while nothing of the board is in view."""
    return _between(games[start].position.layout, games[start + count].position.layout, 3.0 * count)


def _between(before: Layout, after: Layout, blocked: float) -> Scene:
    scene: Scene = [(k / FPS, before, None) for k in range(24)]
    begin = len(scene)
    scene += [((begin + k) / FPS, before, (0, SIZE, 0, SIZE)) for k in range(int(blocked * FPS))]
    begin = len(scene)
    return scene + [((begin + k) / FPS, after, None) for k in range(int(20 * FPS))]


def _points() -> list[Point]:
    return [Point(col, row) for row in range(SIZE) for col in range(SIZE)]


def measure(name: str, scene: Scene) -> None:
    """Follow a scene and print what each view took."""
    watcher, took, events = Reconstructor(SIZE), [], []
    for observation in _views(scene):
        begin = time.process_time()
        events += watcher.see(observation)
        took.append(1000 * (time.process_time() - begin))
    moves = sum(isinstance(event, Move) for event in events)
    alerts = [event.code for event in events if isinstance(event, Incident) and event.level != "info"]
    row = f"{name:42} {len(took):6d} {np.mean(took):8.2f} {np.percentile(took, 99):8.2f} {max(took):8.2f}"
    print(f"{row} {moves:6d}  {', '.join(sorted(set(alerts))) or '-'}")


def _views(scene: Scene) -> Iterator[Observation]:
    rng = np.random.default_rng(1)
    for now, board, cover in scene:
        yield view(now, board, cover, rng)


def main() -> None:
    """Measure each kind of scene and print one line for it."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    rng = random.Random(7)
    games = random_game(200, rng)
    middle = games[120].position.layout
    print(f"{'scene':42} {'views':>6} {'ms mean':>8} {'ms 99 %':>8} {'ms worst':>8} {'moves':>6}  alerts")
    measure("a middle game, a move every 1.5 s", play_on(games, 120, 60, 1.5))
    for count in (8, 40):
        measure(f"{count} stones swept to other points", swept(middle, rng, count))
    for count in (10, 200):
        measure(f"{count} stones of both colours at once", appeared(middle, rng, count))
    for count in (6, 12, 30):
        measure(f"{count} moves behind a head", behind_a_head(games, 120, count))


if __name__ == "__main__":
    main()
