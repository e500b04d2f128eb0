"""The whole library, by name."""

from __future__ import annotations

from collections.abc import Iterator

from kifuwatch.datasets.scenarios.combined import combinations
from kifuwatch.datasets.scenarios.games import game_scenarios
from kifuwatch.datasets.scenarios.incidents import incidents
from kifuwatch.datasets.scenarios.innocent import innocents
from kifuwatch.datasets.scenarios.shots import conditions
from kifuwatch.datasets.scenarios.teller import Teller
from kifuwatch.datasets.scenarios.traced_games import traced_games


def tellers() -> Iterator[Teller]:
    """All scenarios in the making, one after the other."""
    yield from game_scenarios()
    yield from incidents()
    yield from innocents()
    yield from combinations()


def scenarios(traced: bool = False) -> Iterator[dict[str, object]]:
    """All scenarios, or those to be path-traced, as the records that are written. They are the same every time."""
    for teller in traced_games() if traced else tellers():
        record = teller.scenario()
        yield {**record, "conditions": conditions(record)}
