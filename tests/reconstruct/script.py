"""Short words for scripts: boards drawn as diagrams, stones placed, removed and slid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kifuwatch.core.points import Layout
from kifuwatch.reconstruct import Event, Reconstructor
from tests.reconstruct.stage import Report, Stage, play_script

EMPTY_9 = "\n".join(["." * 9] * 9)

# Black to capture four white stones at E5 with F5.
FOUR_IN_ATARI = """
. . . . . . . . .
. . . . . . . . .
. . . X X . . . .
. . X O O X . . .
. . X O O . . . .
. . . X X . . . .
. . . . . . . . .
. . O . . . O . .
. . . . . . . . .
"""


def board(diagram: str) -> str:
    return "\n".join(line.replace(" ", "") for line in diagram.split("\n") if line.strip())


def watch(diagram: str, *script: Any, **options: Any) -> Report:
    events = [e for part in script for e in (part if isinstance(part, list) else [part])]
    return play_script(board(diagram), sorted(events, key=lambda e: e["t"]), **options)


def place(t: float, move: str, **extra: Any) -> dict[str, Any]:
    return {"t": t, "do": "place", "color": move.split()[0], "at": move.split()[1], **extra}


def remove(t: float, *at: str, by: str = "B", step: float = 0.5) -> dict[str, Any]:
    return {"t": t, "do": "remove", "at": list(at), "by": by, "step": step}


def slide(t: float, old: str, new: str, colour: str, by: str = "B") -> dict[str, Any]:
    return {"t": t, "do": "slide", "from": old, "to": new, "color_of": colour, "by": by}


def stage_of(diagram: str, script: list[dict[str, Any]], duration: float | None = None, seed: int = 1) -> Stage:
    setup = Layout.from_rows(board(diagram).split())
    return Stage(setup.size, setup, script, duration=duration, seed=seed)


def played(stage: Stage, aside: Callable[[Reconstructor, float], Sequence[Event]]) -> Report:
    """Watch a stage, and at each view let somebody beside the board (an operator, a clock) have a word."""
    watcher, events = Reconstructor(stage.size), list[Event]()
    for seen in stage.observations():
        events += watcher.see(seen)
        events += aside(watcher, seen.time.seconds)
    events += watcher.finish(stage.end)
    return Report(events)
