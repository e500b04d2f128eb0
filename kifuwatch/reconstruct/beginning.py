"""The first position: when enough is seen to begin, what comes into view later, and what was misread at first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kifuwatch.core.points import BLACK, EMPTY, HIDDEN, WHITE, Colour, Layout, Point
from kifuwatch.reconstruct.events import Event
from kifuwatch.reconstruct.ledger import Ledger
from kifuwatch.reconstruct.situation import SURE, Situation
from kifuwatch.reconstruct.stories import Arrival, Removal
from kifuwatch.vision.observation import CELLS, Observation

ENOUGH_TO_START = ((0.0, 1.0), (0.7, 0.95), (3.0, 0.9), (10.0, 0.8))
"""Seconds after which a share of the points is enough for a first position: the first move comes soon, and what
comes into view later, a point beside a hand or one in doubt, is added to it."""


@dataclass
class FirstPosition:
    """Watches for the first position of a record and keeps it right.

    ``started`` is the moment from which moves count, None before.
    """

    ledger: Ledger
    started: float | None = None

    def __post_init__(self) -> None:
        size = self.ledger.size
        self._first_seen: float | None = None
        self.in_view = Layout(size, HIDDEN * size**2)
        """What was last read where the board was in view, as long as nothing has settled."""
        self._stones_in_doubt: frozenset[Point] = frozenset()
        self._sure = np.ones(size * size)
        """How surely each point was read when the game began."""

    def watch(self, observation: Observation, events: list[Event]) -> None:
        """Take in a view before the start: the first view is complete, or nearly so for long enough."""
        seen = observation.layout()
        self.in_view = seen.replaced({p: was for p, was, now in self.in_view.changes(seen) if now == HIDDEN})
        now = self.ledger.now
        if self._first_seen is None:
            self._first_seen = now
        known, waited = self.ledger.view.known, now - self._first_seen
        if any(waited >= seconds and known >= share for seconds, share in ENOUGH_TO_START):
            self.start(events)

    def start(self, events: list[Event]) -> None:
        """Begin with what is visible."""
        ledger = self.ledger
        self.started = ledger.now
        unknown = (point for point in ledger.visible.points(HIDDEN) if self.in_view[point] in (BLACK, WHITE))
        self._stones_in_doubt = frozenset(unknown)
        self._sure = np.array([ledger.view.sure(i) for i in range(ledger.size**2)])
        ledger.begin(ledger.visible)
        ledger.tell_setup(events)

    def amend(self, events: list[Event]) -> None:
        """A point comes into view for the first time: what stands there stood there before the record.

        Unless it is a single stone of the colour whose turn it is, once moves have been played, where none was seen at
        the start: that is a move.
        """
        ledger = self.ledger
        start, model, view = ledger.game.start.layout, ledger.board, ledger.view
        never = [i for i in range(len(start.cells)) if view.not_before[i] == float("-inf")]
        added = {start.point(i): ledger.visible.cells[i] for i in never}
        added = {p: c for p, c in added.items() if c in (BLACK, WHITE) and start[p] != c and model[p] != c}
        fresh = ledger.records and list(added.values()) == [ledger.game.position.to_play.cell]
        if not added or (fresh and not self._stones_in_doubt & added.keys()):
            return
        ledger.rebase(start.replaced(added), "stones that were hidden had been there from the start", events)

    def correct(self, s: Situation, events: list[Event], only_doubtful: bool) -> bool:
        """Points of the first position that turn out to have been misread. ``only_doubtful``: those that were read
        with doubt then and have changed since with no hand near; else whatever else was misread by the look of it."""
        start, wrong = s.game.start.layout, {}
        for change in s.change.all:
            index = s.index(change.point)
            if start[change.point] != s.model[change.point] or any(change.point == r.step.point for r in s.records):
                continue
            if (not change.touched and self._sure[index] < SURE) or (
                not only_doubtful and self._misread_at_first(s, change, index)
            ):
                wrong[change.point] = s.visible[change.point]
        if not wrong:
            return False
        self.ledger.rebase(start.replaced(wrong), "the first position was misread", events)
        return True

    def _misread_at_first(self, s: Situation, change: Arrival | Removal, index: int) -> bool:
        """Whether a cell of the first position was seen for a shorter time than what it is now, or under a hand."""
        if self._sure[index] < SURE <= change.sure and s.model.cells[index] != EMPTY:
            return True
        view, was, now = s.view, s.model.cells[index], s.visible.cells[index]
        if change.touched:
            brief = was != EMPTY and view.free_before[index] < s.patience.hand_off and not s.settled_views
            return brief and view.not_before[index] < (self.started or 0.0) + s.patience.change
        longer = float(view.held[index, CELLS.index(now)]) > float(view.held[index, CELLS.index(was)])
        return longer and (was != EMPTY or change.colour is not s.to_play)

    def complete(self, stones: dict[Point, str], events: list[Event]) -> None:
        """Stones taken for moves turn out to have been put down before the game, one by one."""
        ledger = self.ledger
        ledger.retract(len(ledger.records), "stones put down before the game", events)
        ledger.begin(ledger.game.start.layout.replaced(stones), ledger.to_play or Colour.WHITE)
        ledger.complete = True
        ledger.tell_setup(events)
