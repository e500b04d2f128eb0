"""Games for path-traced clips: three camera angles in four lights, each the beginning of another game.

They are not part of the library, as each takes minutes to trace: ``make_scenarios --traced OUT`` writes them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kifuwatch.datasets.scenarios.games import Habits
from kifuwatch.datasets.scenarios.players import played_games, scripted_games
from kifuwatch.datasets.scenarios.teller import Shot, Teller
from kifuwatch.rules import Game

ANGLES = (74.0, 57.0, 42.0)
"""Degrees above the table."""
MOODS = {"day": "window", "club": "ceiling", "lamp": "lamp", "dusk": "evening"}
"""Lights of the traced stage, and of the fast one for the hands."""
STONES = ("shell", "glass", "yunzi", "plain")
SIZES = (19, 13, 19)
"""Lines of the board from each of the angles."""
MOVES = 36


def traced_games() -> Iterator[Teller]:
    """Each beginning as a scenario of its own."""
    games = [*played_games(), *scripted_games()]
    of_size = {size: [g for g in games if g.size == size and len(list(g.stones())) >= MOVES] for size in set(SIZES)}
    taken = dict.fromkeys(of_size, 0)
    for number, (angle, mood) in enumerate((angle, mood) for angle in ANGLES for mood in MOODS):
        size = SIZES[number // len(MOODS)]
        game = of_size[size][taken[size] % len(of_size[size])]
        taken[size] += 1
        look: dict[str, object] = {
            "seed": 300 + number,
            "elevation": angle,
            "azimuth": (0.0, 12.0, -18.0, 0.0)[number % 4],
            "light": MOODS[mood],
            "traced": mood,
            "stones": STONES[number % len(STONES)],
            "jpeg": 88,
        }
        title = f"The first {MOVES} moves of a game, path-traced, camera at {angle:.0f} degrees, light: {mood}"
        start = Game.of(game.start, game.to_play)
        name = f"traced-{angle:.0f}-{mood}"
        teller = Teller(name, title, "traced", start, 300 + number, Shot(look, 800, 600, 8.0), pace=2.6)
        player = Habits(teller, np.random.default_rng([number, 72]))
        for _, point in zip(range(MOVES), game.stones(), strict=False):
            player.play(point)
        teller.wait(2.0)
        yield teller
