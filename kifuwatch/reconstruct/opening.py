"""Who plays first: Black does, on an empty board, under every code but the ancient Chinese one (2.1 and 2.3 of the
codes of 1988 and 2002)."""

from __future__ import annotations

from dataclasses import dataclass

from kifuwatch.core.points import EMPTY
from kifuwatch.reconstruct.events import FIRST, INFO, Event
from kifuwatch.reconstruct.ledger import Ledger


@dataclass
class FirstStone:
    """Notes once when the first stone on an empty board is not of the colour that plays first: in club games that is
    often agreed. ``patience``: seconds for which it has to lie there."""

    ledger: Ledger
    patience: float
    _told: bool = False

    def note(self, events: list[Event]) -> None:
        """Look at the record as it stands now."""
        ledger = self.ledger
        if self._told or not ledger.records or ledger.to_play is not None:
            return
        first = ledger.records[0]
        if first.step.point is None or first.step.colour is ledger.rules.first:
            return
        lasts = len(ledger.records) > 1 or ledger.now - first.event.t >= self.patience
        if lasts and set(ledger.game.start.layout.cells) == {EMPTY}:
            self._told = True
            colour, number = first.step.colour, first.event.number
            facts = {"question": f"does {colour.name.title()} play first?", FIRST: colour.value}
            at = (first.step.point,)
            events.append(ledger.incident("setup", first.event.t, at, INFO, facts, number, colour))
