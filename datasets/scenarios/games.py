"""Whole games with the hands that play them: nothing in them is the arbiter's business.

Players hesitate over a point, leave the hand on a stone, push one straight, press the clock, take captured stones off
slowly and lay them aside.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kifuwatch.core.points import Colour, Point
from kifuwatch.datasets.scenarios.players import PlayedGame, played_games, scripted_games
from kifuwatch.datasets.scenarios.shots import shot
from kifuwatch.datasets.scenarios.teller import Teller
from kifuwatch.rules import Game


def game_scenarios() -> Iterator[Teller]:
    """Each game as a scenario of its own."""
    for number, game in enumerate((*played_games(), *scripted_games())):
        yield game_scenario(game, number)


def game_scenario(game: PlayedGame, number: int) -> Teller:
    """A whole game, played by hands; what they do besides follows from ``number``."""
    handicap = len(game.start.points(Colour.BLACK.cell))
    title = f"A whole game on {game.size} lines" + (f", handicap of {handicap}" if handicap else "")
    start = Game.of(game.start, game.to_play)
    teller = Teller(f"game-{game.name}", title, "games", start, number, shot(number), pace=2.3 + 0.15 * (number % 7))
    player = Habits(teller, np.random.default_rng([number, 71]), clock=number % 3 == 1)
    for point in game.stones():
        player.play(point)
    teller.wait(2.0)
    return teller


class Habits:
    """How people play: mostly they put a stone down and take the hand away, and sometimes something else."""

    def __init__(self, teller: Teller, rng: np.random.Generator, clock: bool = False) -> None:
        self._teller, self._rng, self._clock = teller, rng, clock

    def play(self, point: Point) -> None:
        """The next move, with whatever its player does besides."""
        teller, rng = self._teller, self._rng
        colour = teller.game.position.to_play
        how: dict[str, object] = {}
        kind = rng.random()
        if kind < 0.10:
            how["hold"] = round(float(rng.uniform(0.4, 1.2)), 2)
            teller.wait(float(rng.uniform(0.5, 1.0)))
        elif kind < 0.22:
            how["stay"] = round(float(rng.uniform(0.35, 1.1)), 2)
        elif kind < 0.26:
            self._hesitate(point, colour)
        straight = 0.26 <= kind < 0.30
        if straight:
            how["offset"] = [round(float(v), 2) for v in rng.uniform(-0.28, 0.28, 2)]
        before = teller.t
        when = teller.play(point, True, float(rng.choice([0.45, 0.6, 1.0], p=[0.5, 0.4, 0.1])), **how)
        taken = len(teller.game.last.captured) if teller.game.last else 0
        if straight and not taken:
            teller.do("nudge", when + 0.6, at=str(point), offset=[0.02, -0.03], by=colour.value)
            teller.wait(0.6)
        if taken and rng.random() < 0.6:
            teller.do("aside", teller.t - 0.5 * teller.pace, color=colour.opponent.value, count=min(taken, 6))
            teller.wait(1.0)
        elif self._clock and not straight and not taken:
            teller.do("press", min(teller.t - 0.9, before + 1.0 + _number(how.get("stay"))), by=colour.value)

    def _hesitate(self, point: Point, colour: Colour) -> None:
        """The hand goes over the board with its stone, and away again."""
        stay = round(float(self._rng.uniform(0.8, 2.0)), 2)
        self._teller.do("hover", near=str(point), carry=colour.value, by=colour.value, **{"for": stay})
        self._teller.wait(stay + 1.4)


def _number(value: object) -> float:
    return float(value) if isinstance(value, float | int) else 0.0
