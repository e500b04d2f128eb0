"""How likely it is that an incident is none: what the readings behind it say, as probabilities.

The numbers are those of single readings, as the reader of the stones gives them: they are fitted so that they hold
(``docs/doubt.md``: of readings called 90 % sure, 90 % are right). Readings one after the other err alike, so they are
not multiplied over time; errors at different points are taken to be independent. What the board alone cannot tell
apart (a pass from a move out of turn) gets no number. The side of the hand is told as a fact, for no measured
frequency says how often players take a stone of the wrong colour: on the eight path-traced clips with hands it was
said of 100 of 146 moves, rightly of 89.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from kifuwatch.core.points import EMPTY, Colour, Layout, Point
from kifuwatch.reconstruct.settle import SettleFilter

MISREAD, NOT_SEEN = "misread", "stone-not-seen"
ONE_IS_ENOUGH = frozenset(
    {"two-moves", "takeback", "moved-stone", "ko-violation", "forbidden-point", "off-point", "stone-appeared"}
)
"""There is no such incident when any one of its points is misread; of the others, when all are."""
MAY_HIDE_A_STONE = frozenset({"two-moves", "ko-violation"})
"""A stone of the other colour that nobody saw makes these regular."""
OF_THE_VIEW = frozenset({"board-moved", "view-blocked", "light-changed", "board-lost", "camera-lost", "end-signal"})
CELLS = ("empty", "black", "white")


def weigh(
    code: str, at: Iterable[Point], view: SettleFilter, visible: Layout, colour: Colour | None = None
) -> dict[str, float]:
    """The likelihoods that can be told for an incident, by the name of the hypothesis.

    ``at``: its points. ``colour``: whose doing it is, where that is known. A reading that cannot be tells how likely
    its first point is empty, black or white.
    """
    places = [visible.index(point) for point in at]
    if code in OF_THE_VIEW or not places:
        return {}
    if code == "uncertain-reading":
        return {name: float(value) for name, value in zip(CELLS, view.belief[places[0]], strict=True)}
    sure = [view.sure(place) for place in places]
    found = {MISREAD: misread(sure, code in ONE_IS_ENOUGH)}
    if code in MAY_HIDE_A_STONE and colour is not None:
        found[NOT_SEEN] = unread_stone(view, visible, colour.opponent)
    return found


def misread(sure: Sequence[float], one_is_enough: bool) -> float:
    """The probability that one of some readings is wrong, or that all are; ``sure``: that of each being right.

    >>> round(misread([0.9, 0.9], one_is_enough=True), 3), round(misread([0.9, 0.9], one_is_enough=False), 3)
    (0.19, 0.01)
    """
    return 1.0 - prod(sure) if one_is_enough else prod(1.0 - each for each in sure)


def unread_stone(view: SettleFilter, visible: Layout, colour: Colour) -> float:
    """The probability that a stone of this colour lies where an empty point is read, at the likeliest such point."""
    column = CELLS.index("black" if colour is Colour.BLACK else "white")
    empty = [place for place, cell in enumerate(visible.cells) if cell == EMPTY]
    return float(view.belief[empty, column].max()) if empty else 0.0
