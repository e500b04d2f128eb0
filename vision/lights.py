"""Has the light over the board changed? Asked of how bright the board is, look by look."""

from __future__ import annotations

from math import log

LEAST, MOST = 4.0, 251.0
"""Brightnesses beyond which a camera tells nothing more."""
FOLLOWS = 0.02
"""Of a slow change of light that is taken for usual at each look."""


class Lights:
    """Watches how bright the board is, slowly.

    ``enough``: how much it has to change to be told, as a difference of log(b / (255 - b)): a bright board has no
    room to grow much brighter in a picture. ``lasts``: seconds for which it has to; ``again``: seconds in which it is
    told once, as a camera that hunts its exposure would never end.
    """

    def __init__(self, enough: float, lasts: float, again: float) -> None:
        self._enough, self._lasts, self._again = enough, lasts, again
        self._usual: float | None = None
        self._other_since: float | None = None
        self._told = float("-inf")

    def update(self, level: float, now: float) -> float | None:
        """Take in the brightness (0..255) of a look at ``now`` (seconds); by what factor it has changed, when that is
        to be told."""
        level = min(max(level, LEAST), MOST)
        usual = self._usual if self._usual is not None else level
        if abs(_room(level) - _room(usual)) < self._enough:
            self._usual, self._other_since = usual + FOLLOWS * (level - usual), None
            return None
        if self._other_since is None:
            self._other_since = now
        if now - self._other_since < self._lasts:
            return None
        self._usual, self._other_since = level, None
        if now - self._told < self._again:
            return None
        self._told = now
        return level / usual


def _room(level: float) -> float:
    return log(level / (255.0 - level))
