"""The record as it stands: the fold of a game's events, where later ones take back earlier ones."""

from __future__ import annotations

from dataclasses import dataclass, field

from kifuwatch.arbiter.alerts import Alert
from kifuwatch.core.points import Colour, Point
from kifuwatch.reconstruct.events import Event, Gap, Move, PositionSeen, Retract, Setup


@dataclass
class GameRecord:
    """The moves that stand, the stones before them, and the alerts, each by the number of its move.

    Feed every event and alert to :meth:`add` in the order in which it became known.
    """

    size: int
    black: tuple[Point, ...] = ()
    white: tuple[Point, ...] = ()
    to_play: Colour | None = None
    moves: list[Move] = field(default_factory=list)
    alerts: list[Alert] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)
    last: PositionSeen | None = None

    def add(self, event: Event | Alert) -> bool:
        """Take one event in; whether the record has changed by it. Raises ValueError on a move out of sequence."""
        if isinstance(event, Setup):
            self.black, self.white, self.to_play = event.black, event.white, event.to_play
            return True
        if isinstance(event, Move):
            if event.number != len(self.moves) + 1:
                raise ValueError(f"move {event.number} cannot follow move {len(self.moves)}")
            self.moves.append(event)
            return True
        if isinstance(event, Retract):
            del self.moves[event.number - 1 :]
            return True
        if isinstance(event, Gap):
            self.gaps.append(event)
            return True
        if isinstance(event, Alert):
            self.alerts.append(event)
            return True
        if isinstance(event, PositionSeen):
            self.last = event
        return False

    def move_after(self, gap: Gap) -> int:
        """The number of the first move that came to light after a gap; of the last one where none has; 0 of none."""
        later = (move.number for move in self.moves if move.t > gap.t)
        return next(later, len(self.moves))

    @property
    def first_to_play(self) -> Colour | None:
        """The colour of the first move, as far as it is known."""
        return self.moves[0].colour if self.moves else self.to_play
