"""Stones outside the lines: how players say without a word that they think the game is over, or lost.

One stone of the opponent's colour at a player's own lower right proposes (and, by both, confirms) the end; two of
one's own resign. Bowls, lids, prisoners and a clock lie outside as well: what was there before the first move says
nothing, nor does what lies farther away than a stone laid at the edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kifuwatch.core.points import Colour

FARTHEST = 2.0
"""Lines outside the outermost one within which a stone at the edge of the board lies."""
CORNER = 0.35
"""Share of the board's width, from the corner, in which it has to lie."""
LASTING = 2.0
"""Seconds for which it has to stay."""
ALIKE = 0.6
"""Lines by which the place of one and the same stone is read differently."""
Outside = tuple[float, float, Colour]


@dataclass(frozen=True)
class EndSignal:
    """What stones outside the lines seem to say, since when."""

    t: float
    facts: Mapping[str, str]


@dataclass
class EndStones:
    """Watches the two corners at the players' right hands."""

    _before: list[Outside] = field(default_factory=list)
    _since: dict[Outside, float] = field(default_factory=dict)
    _told: set[str] = field(default_factory=set)

    def look(
        self, time: float, stones: tuple[Outside, ...], size: int, started: bool, to_play: Colour | None
    ) -> EndSignal | None:
        """Take in what lies outside now. ``started``: a move has been played; what is there before it is no signal."""
        if not started:
            self._before += [s for s in stones if not _known(s, self._before)]
            return None
        fresh = [s for s in stones if not _known(s, self._before) and _side(s, size) is not None]
        self._since = {s: self._first_seen(s, time) for s in fresh}
        lasting = [s for s, since in self._since.items() if time - since >= LASTING]
        for side in ("below", "above"):
            here = [s for s in lasting if _side(s, size) == side]
            signal = self._reading(side, here, to_play)
            if signal is not None:
                return signal
        return None

    def _first_seen(self, stone: Outside, time: float) -> float:
        return min((since for old, since in self._since.items() if _known(stone, [old])), default=time)

    def _reading(self, side: str, stones: list[Outside], to_play: Colour | None) -> EndSignal | None:
        colours = {colour for _, _, colour in stones}
        if len(colours) != 1 or len(stones) > 2:
            return None
        reading = "resigns?" if len(stones) == 2 else "proposes the end?"
        if f"{side} {reading}" in self._told:
            return None
        self._told.add(f"{side} {reading}")
        facts = {"reading": reading, "side": side, "stones": f"{len(stones)} {colours.pop().name.lower()}"}
        if to_play is not None:
            facts["to_play"] = to_play.name.lower()
        return EndSignal(max(self._since[s] for s in stones), facts)


def _known(stone: Outside, others: list[Outside]) -> bool:
    return any(
        stone[2] is colour and abs(stone[0] - col) <= ALIKE and abs(stone[1] - row) <= ALIKE
        for col, row, colour in others
    )


def _side(stone: Outside, size: int) -> str | None:
    """The player at whose lower right a stone lies outside the lines, as seen in the board text; else None."""
    col, row, _ = stone
    last, corner = size - 1, CORNER * size
    if not (-FARTHEST <= col <= last + FARTHEST and -FARTHEST <= row <= last + FARTHEST):
        return None
    if 0 <= col <= last and 0 <= row <= last:
        return None
    if col >= last - corner and row <= corner:
        return "below"
    if col <= corner and row >= last - corner:
        return "above"
    return None
