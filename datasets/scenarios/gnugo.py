"""Games that GNU Go plays against itself: ``python -m kifuwatch.datasets.scenarios.gnugo [FOLDER]``.

The games of the library lie in ``played/``, so that they are the same everywhere and nobody needs GNU Go; this makes
such games anew (another version of GNU Go plays others).
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sgfmill import sgf

from kifuwatch.core.errors import InputError
from kifuwatch.core.points import COLUMNS, Colour, Point

PROGRAM = ("gnugo", "/usr/games/gnugo")
MOST_MOVES = 340


@dataclass(frozen=True)
class Plan:
    """One game to be played."""

    name: str
    size: int
    seed: int
    handicap: int = 0


PLANS = (
    *(Plan(f"gnugo-19-{seed}", 19, seed) for seed in range(1, 6)),
    Plan("gnugo-19-6-handicap", 19, 6, 4),
    *(Plan(f"gnugo-13-{seed}", 13, seed) for seed in range(1, 6)),
    Plan("gnugo-13-6-handicap", 13, 6, 3),
    *(Plan(f"gnugo-09-{seed}", 9, seed) for seed in range(1, 9)),
)


class Engine:
    """A program that speaks GTP."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, command: str) -> str:
        """The answer to a command. Raises InputError when it is refused."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        lines: list[str] = []
        while line := self._process.stdout.readline():
            if line == "\n" and lines:
                break
            lines.append(line.strip())
        answer = " ".join(lines)
        if not answer.startswith("="):
            raise InputError(f"GNU Go does not answer {command!r}: {answer or 'it has ended'}")
        return answer[1:].strip()


@contextmanager
def engine(plan: Plan) -> Iterator[Engine]:
    """GNU Go for one game. Raises InputError where it is not installed."""
    program = next((found for name in PROGRAM if (found := shutil.which(name))), None)
    if program is None:
        raise InputError("GNU Go is not installed (Debian: apt install gnugo)")
    options = ["--mode", "gtp", "--seed", str(plan.seed), "--level", "0", "--chinese-rules", "--forbid-suicide"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [program, *options], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            yield Engine(process)
        finally:
            process.kill()


def play(plan: Plan) -> sgf.Sgf_game:
    """Play one game to two passes. A few moves of the opening are drawn, so that no two games are alike."""
    rng = np.random.default_rng([plan.size, plan.seed])
    game = sgf.Sgf_game(size=plan.size)
    root = game.get_root()
    with engine(plan) as go:
        go.ask(f"boardsize {plan.size}")
        colour = Colour.BLACK
        if plan.handicap:
            stones = [Point.parse(name) for name in go.ask(f"fixed_handicap {plan.handicap}").split()]
            root.set_setup_stones([(p.row, p.col) for p in stones], [])
            root.set("HA", plan.handicap)
            colour = Colour.WHITE
        for name in _moves(go, plan, colour, _opening(rng, plan)):
            at = None if name == "PASS" else Point.parse(name)
            game.extend_main_sequence().set_move(colour.value.lower(), None if at is None else (at.row, at.col))
            colour = colour.opponent
    return game


def _opening(rng: np.random.Generator, plan: Plan) -> list[str]:
    """First moves, one near each corner, or near the middle of a small board."""
    if plan.handicap:
        return []
    low, high = (2, 3) if plan.size == 19 else (2, 2)
    near, far = [low + int(rng.integers(2)) for _ in range(4)], plan.size - 1
    corners = [(near[0], high), (far - near[1], far - high), (near[2], far - high), (far - near[3], high)]
    count = {19: 4, 13: 3, 9: 1}[plan.size]
    order = rng.permutation(4)[:count]
    return [f"{COLUMNS[corners[i][0]]}{corners[i][1] + 1}" for i in order]


def _moves(go: Engine, plan: Plan, colour: Colour, opening: Sequence[str]) -> Iterator[str]:
    passes = 0
    for number in range(MOST_MOVES):
        if number < len(opening):
            name = opening[number]
            go.ask(f"play {colour.name.lower()} {name}")
        else:
            name = go.ask(f"genmove {colour.name.lower()}").upper()
        if name == "RESIGN":
            return
        yield name
        passes = passes + 1 if name == "PASS" else 0
        if passes == 2:
            return
        colour = colour.opponent


def main() -> None:
    """Play the games that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path(__file__).parent / "played")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for plan in PLANS:
        out = folder / f"{plan.name}.sgf"
        if not out.exists():
            out.write_bytes(play(plan).serialise())


if __name__ == "__main__":
    main()
