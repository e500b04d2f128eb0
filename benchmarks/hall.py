"""What a hall costs the server: ``PYTHONPATH=. python benchmarks/hall.py [--boards 50] [--moves 150] [--rate 2.5]``.

So many games of so many moves are opened; then nothing happens for ten seconds, then moves come at a rate a second over
all boards. Printed are seconds of CPU to begin with, and the share of one core that is used. Cameras and viewers are
not in it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tempfile
import time
from pathlib import Path
from typing import Any, cast

from kifuwatch.core.points import EMPTY
from kifuwatch.live.config import LiveConfig
from kifuwatch.live.hall import Hall
from kifuwatch.live.hub import Hub
from kifuwatch.record.journal import Journal
from kifuwatch.rules import Game
from tests.live.material import Clock, TestHall

QUIET, MOVES_PLAYED = 10.0, 40


def random_points(count: int) -> list[str]:
    """The points of a legal game."""
    rng, game, points = random.Random(1), Game.empty(19), list[str]()
    while len(points) < count:
        point = rng.choice(game.position.layout.points(EMPTY))
        if not game.look(game.position.to_play, point).faults:
            game = game.play(game.position.to_play, point)
            points.append(str(point))
    return points


def fill(hall: TestHall, boards: int, points: list[str]) -> None:
    """Journals with a game in each."""
    for board in range(1, boards + 1):
        table = hall.open(str(board))
        table.begin()
        path = table.journal_path()
        assert path is not None
        with Journal.open(path) as journal, journal.alone():
            for number, at in enumerate(points, 1):
                row = {"type": "move", "t": 10.0 * number, "seen": 10.0 * number, "number": number, "at": at}
                journal.append({**row, "color": "WB"[number % 2], "captures": []})
        table.played = len(points)


async def used(seconds: float, begin: tuple[float, float] | None = None) -> float:
    """The share of a core that is used meanwhile, or has been used since ``begin`` (CPU, wall)."""
    cpu, wall = begin or (time.process_time(), time.monotonic())
    await asyncio.sleep(seconds)
    return round((time.process_time() - cpu) / (time.monotonic() - wall), 3)


async def measure(boards: int, moves: int, rate: float) -> dict[str, Any]:
    """One run."""
    folder = Path(tempfile.mkdtemp(prefix="kifuwatch-hall-"))
    hall, points = TestHall(folder, Clock(time.time())), random_points(moves + 1)
    fill(hall, boards, points[:moves])
    hub = Hub(LiveConfig(folder, "a-token-for-measuring"), cast(Hall, hall))
    began = time.process_time()
    await hub.look({table.board for table in hall.stations()})
    opening = round(time.process_time() - began, 2)
    task = asyncio.create_task(hub.run())
    await asyncio.sleep(1)
    quiet = await used(QUIET)
    begin = (time.process_time(), time.monotonic())
    for number in range(MOVES_PLAYED):
        hall.open(str(number % boards + 1)).play(points[moves])
        await asyncio.sleep(1 / rate)
    busy = await used(0, begin)
    task.cancel()
    return {"boards": boards, "moves": moves, "opening_s": opening, "quiet": quiet, "rate": rate, "busy": busy}


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--boards", type=int, default=50)
    parser.add_argument("--moves", type=int, default=150)
    parser.add_argument("--rate", type=float, default=2.5)
    arguments = parser.parse_args()
    print(json.dumps(asyncio.run(measure(arguments.boards, arguments.moves, arguments.rate))))


if __name__ == "__main__":
    main()
