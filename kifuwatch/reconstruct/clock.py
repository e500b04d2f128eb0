"""What the clock adds, where one is connected: a press ties a move to a time, and tells a pass from a second stone."""

from __future__ import annotations

from dataclasses import dataclass, field

from kifuwatch.core.points import Colour
from kifuwatch.reconstruct.events import INFO, Event
from kifuwatch.reconstruct.ledger import Ledger
from kifuwatch.reconstruct.settle import SettleFilter
from kifuwatch.reconstruct.stories import Step

JUST_NOW = 1.0
"""Seconds that a stone needs to be seen after the hand left it for the clock."""


@dataclass
class ClockPresses:
    """The presses of a game."""

    ledger: Ledger
    presses: list[tuple[float, Colour]] = field(default_factory=list)

    def press(self, time: float, colour: Colour, view: SettleFilter) -> list[Event]:
        """A player has pressed the clock. With no stone of his and no hand on the board that is a pass, perhaps."""
        ledger = self.ledger
        ledger.now = max(ledger.now, time)
        self.presses.append((time, colour))
        to_play = ledger.game.position.to_play
        hand = view.hand >= time - JUST_NOW
        if not ledger.turn_known or to_play is not colour or hand:
            return []
        facts = {"question": "a pass?", "clock": f"pressed by {colour.name.lower()} without a stone"}
        return [ledger.incident("uncertain-reading", time, (), INFO, facts)]

    def pass_between(self, start: float, end: float, colour: Colour) -> Step | None:
        """The pass that a player must have made between two stones of the other, if he pressed the clock then."""
        pressed = any(start < time < end and who is colour for time, who in self.presses)
        return Step(colour, None, None, True) if pressed else None
