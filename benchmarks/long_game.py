"""Memory over a whole game that takes hours: ``python benchmarks/long_game.py GAME.scenario.json --hours 2``.

The players of a scenario think longer, so that its game takes so many hours; it is filmed while it is recorded. Prints
the memory that is held every ten minutes of the film, and in the end whether the game was recorded right.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import kifuwatch
from kifuwatch.core.points import Point
from kifuwatch.datasets.clip_source import ScenarioSource
from kifuwatch.datasets.matching import turned_point
from kifuwatch.recorder import Progress

TOLD_EVERY = 600.0  # seconds of the film between two lines on memory
AT_ONCE = 1.5  # seconds: what follows another event so soon is a part of it


def stretched(scenario: dict[str, Any], hours: float) -> dict[str, Any]:
    """The scenario with more time between its moves, as long as ``hours`` in all."""
    events = sorted(scenario["events"], key=lambda event: float(event["t"]))
    starts = [k == 0 or event["t"] - events[k - 1]["t"] > AT_ONCE for k, event in enumerate(events)]
    longer = max(hours * 3600.0 - float(scenario["dur"]), 0.0) / max(sum(starts), 1)
    later, shifted = 0.0, []
    for event, start in zip(events, starts, strict=True):
        later += longer * start
        shifted.append({**event, "t": round(event["t"] + later, 2)})
    return {**scenario, "events": shifted, "dur": scenario["dur"] + later}


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def main() -> int:
    """Record one scenario; exit status 1 where its moves are not right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenario", type=Path)
    parser.add_argument("--hours", type=float, default=2.0)
    options = parser.parse_args()
    scenario = stretched(json.loads(options.scenario.read_text()), options.hours)
    due = [0.0]

    def progress(done: Progress) -> None:
        if done.seconds >= due[0]:
            print(f"{done.seconds / 60:5.0f} min: {_resident():.0f} MB, at most {_peak():.0f} MB", flush=True)
            due[0] += TOLD_EVERY

    with TemporaryDirectory() as folder:
        path = Path(folder) / options.scenario.name
        path.write_text(json.dumps(scenario))
        recording = kifuwatch.record(ScenarioSource.of(path), progress=progress)
    played = [tuple(move[:2]) for move in scenario["expect"]["moves"]]
    right = _right(played, recording.size, [(m.colour.value, m.at) for m in recording.moves])
    print(
        f"{recording.seconds / 3600:.2f} hours, {len(played)} moves, {'all right' if right else 'not all right'},"
        f" {len(recording.alerts)} alerts and notices"
    )
    return 0 if right else 1


def _right(played: list[tuple[Any, ...]], size: int, seen: list[tuple[str, Any]]) -> bool:
    """Whether the moves are those played, with the board turned in any way."""
    for turn in range(4):
        expected = [(c, None if at == "pass" else turned_point(Point.parse(at), size, turn)) for c, at in played]
        if expected == seen:
            return True
    return False


if __name__ == "__main__":
    sys.exit(main())
