"""Captured stones: when they came off the board, and when it is the arbiter's to know that they have not."""

from __future__ import annotations

from dataclasses import dataclass, field

from kifuwatch.core.points import EMPTY, Point
from kifuwatch.reconstruct.events import Cleared, Event, Incident, Lifted, Move
from kifuwatch.reconstruct.ledger import Ledger
from kifuwatch.reconstruct.situation import Kind, Patience


@dataclass
class MissedCaptures:
    """Watches the ghosts of a record: stones that the rules have taken and no hand has."""

    ledger: Ledger
    patience: Patience
    _told: set[int] = field(default_factory=set)

    def note(self, events: list[Event], final: bool) -> None:
        """Captured stones that still lie there when the next stone has been played, or after long."""
        ghosts: dict[int, list[Point]] = {}
        for point, deviation in self.ledger.deviations.items():
            if deviation.kind is Kind.GHOST and deviation.move not in self._told:
                ghosts.setdefault(deviation.move, []).append(point)
        for number, points in ghosts.items():
            alert = self._missed(number, points, final)
            if alert is not None:
                self._told.add(number)
                events.append(alert)

    def _missed(self, number: int, points: list[Point], final: bool) -> Incident | None:
        records, view, now = self.ledger.records, self.ledger.view, self.ledger.now
        if number > len(records) or records[number - 1].event.faults:
            return None
        capture = records[number - 1].event
        answer = records[number].event if number < len(records) else None
        index = [self.ledger.visible.index(p) for p in points]
        seen = min(float(view.agreed[i]) for i in index)
        gone = [self.ledger.visible.index(p) for p in capture.captures if p not in points]
        last_taken = max((float(view.since[i]) for i in gone), default=float("-inf"))
        if now - last_taken < self.patience.removing and not view.settled_views:
            return None
        if answer is not None:
            confirmed = answer.t + (0.0 if view.settled_views else self.patience.change)
            late, t = seen >= confirmed and not any(view.leaning(i) for i in index), answer.t
        else:
            waited = now - max(capture.t, last_taken)
            late, t = waited >= self.patience.capture and seen >= now - 1.0, now
        if not late or (final and answer is None):
            return None
        facts = {"capturing_move": str(number), "left": str(len(points))}
        return self.ledger.incident("missed-capture", t, points, facts=facts, move=number, colour=capture.colour)


@dataclass
class Clearing:
    """Watches when the stones that a move has captured are off the board: a clock may be pressed only then."""

    ledger: Ledger
    _open: list[Move] = field(default_factory=list)
    _known: int = 0

    def note(self, events: list[Event]) -> None:
        """The captures that are cleared by now, each told once."""
        records = [record.event for record in self.ledger.records]
        kept = min(self._known, len(records))
        self._open = [move for move in self._open if move.number <= kept and records[move.number - 1] is move]
        told = (move for move in records[kept:] if move.seen >= self.ledger.now)  # not those of a record taken up
        self._open += [move for move in told if move.captures]
        self._known = len(records)
        for move in list(self._open):
            if all(self.ledger.visible[point] == EMPTY for point in move.captures):
                self._open.remove(move)
                stones = tuple(self._lifted(point) for point in move.captures)
                events.append(Cleared(max(stone.t for stone in stones), self.ledger.now, move.number, stones))

    def _lifted(self, point: Point) -> Lifted:
        view, index = self.ledger.view, self.ledger.visible.index(point)
        before = float(view.not_before[index])
        return Lifted(point, float(view.since[index]), before if before > float("-inf") else None)
