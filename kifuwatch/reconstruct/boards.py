"""The boards that belong to an incident: as it was, as it should be, as it lies."""

from __future__ import annotations

from kifuwatch.core.points import Layout
from kifuwatch.reconstruct.events import Boards
from kifuwatch.reconstruct.situation import Verdict
from kifuwatch.rules import Game

STANDS = frozenset({"takeback"})
"""The move taken back stands by the rules: its stone has to go back to where it lay."""


def boards_of(verdict: Verdict, game: Game, visible: Layout) -> Boards:
    """The boards of a verdict's incident. ``game``: the record before it is applied; ``visible``: what lies there.

    What was recorded wrongly is no part of the board before; a stone that no move explains leaves the moves around it
    standing.
    """
    code = verdict.incident.code if verdict.incident else ""
    base = game if code in STANDS else game.undo(verdict.retract)
    before = expected = base.position.layout
    if code == "stone-appeared" and verdict.steps:
        for step in verdict.steps:
            base = base.play(step.colour, step.point)
        expected = base.position.layout
    return Boards(before, expected, visible)
