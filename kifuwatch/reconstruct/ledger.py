"""The record as it stands: the game the rules see, how each move was explained, and where the board differs from it.

The three are kept apart from what is visible. Every change of the record goes through here, and tells its event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kifuwatch.core.points import BLACK, EMPTY, HIDDEN, WHITE, Colour, Layout, Point
from kifuwatch.reconstruct.events import INFO, WARNING, Boards, Event, Incident, Move, Retract, Setup
from kifuwatch.reconstruct.hands import HandSides
from kifuwatch.reconstruct.likelihoods import weigh
from kifuwatch.reconstruct.placement import PlacementWatch
from kifuwatch.reconstruct.settle import SettleFilter
from kifuwatch.reconstruct.situation import Deviation, Kind, Recorded
from kifuwatch.reconstruct.stories import Step
from kifuwatch.rules import Fault, Game, Play, RuleSet


@dataclass
class Ledger:
    """The record of one game. ``now`` and ``visible`` are set before each change to what is known then.

    ``to_play`` is the colour of the first move where it is known beforehand; else the first stone tells.
    """

    size: int
    rules: RuleSet
    to_play: Colour | None
    view: SettleFilter
    hands: HandSides
    placement: PlacementWatch
    now: float = 0.0
    records: list[Recorded] = field(default_factory=list)
    deviations: dict[Point, Deviation] = field(default_factory=dict)
    complete: bool = False
    """The stones before the game were put down one by one and are all there: the turn follows from them."""

    def __post_init__(self) -> None:
        self.visible = Layout(self.size, HIDDEN * self.size**2)
        self.game = Game.of(Layout.empty(self.size), self.to_play or Colour.BLACK)

    @property
    def turn_known(self) -> bool:
        """Whether it is known whose turn it is."""
        return bool(self.records) or self.to_play is not None or self.complete

    @property
    def board(self) -> Layout:
        """What the rules see."""
        return self.game.position.layout

    def incident(
        self,
        code: str,
        t: float,
        at: Iterable[Point],
        level: str = WARNING,
        facts: Mapping[str, str] | None = None,
        move: int | None = None,
        colour: Colour | None = None,
    ) -> Incident:
        """An incident seen now. ``move``: the number of the move it belongs to, by default the last; ``colour`` whose
        doing it is, where that is known."""
        points, number = tuple(at), len(self.game) if move is None else move
        before = self.game.position_at(max(number - 1, 0)).layout
        likelihoods = weigh(code, points, self.view, self.visible)
        boards = Boards(before, self.board, self.visible)
        return Incident(t, self.now, code, points, number, level, colour, facts or {}, likelihoods, boards)

    # The first position

    def begin(self, layout: Layout, to_play: Colour | None = None) -> None:
        """The game starts from these stones; what is hidden counts as empty until it is seen."""
        known = Layout(self.size, layout.cells.replace(HIDDEN, EMPTY))
        self.game = Game.of(known, to_play or self.to_play or Colour.BLACK)

    def tell_setup(self, events: list[Event], always: bool = False) -> None:
        """Report the first position, where stones stand on it (or stood, by an earlier report)."""
        layout = self.game.start.layout
        black, white = tuple(layout.points(BLACK)), tuple(layout.points(WHITE))
        if black or white or always:
            since = [float(self.view.since[layout.index(p)]) for p in (*black, *white)]
            first = max(min(since, default=0.0), 0.0)
            events.append(Setup(first, self.now, black, white, self.to_play))

    def rebase(self, start: Layout, reason: str, events: list[Event]) -> None:
        """The first position was another: the moves are told anew only where they are others by it."""
        to_play = self.game.start.to_play
        game = Game.of(Layout(self.size, start.cells.replace(HIDDEN, EMPTY)), to_play)
        same = True
        for recorded in self.records:
            game = game.play(recorded.step.colour, recorded.step.point)
            play = game.plays[-1]
            faults = _names(self.rules.forbidden(play.faults))
            same = same and play.captured == set(recorded.event.captures) and faults == recorded.event.faults
        if same:
            self.game = game
            self.tell_setup(events, always=True)
            return
        played = tuple(self.records)
        self.retract(len(played), reason, events)
        self.begin(start, to_play)
        self.tell_setup(events, always=True)
        for recorded in played:
            self.play(recorded.step, events)

    # Moves

    def play(self, step: Step, events: list[Event], not_before: float | None = None) -> None:
        """Record a move, legal or not. ``not_before``: of a pass, when it can have been made first."""
        if not self.turn_known and self.game.start.to_play is not step.colour:
            self.begin(self.game.start.layout, step.colour)
        self.game = self.game.play(step.colour, step.point)
        play, number = self.game.plays[-1], len(self.game)
        arrival = step.arrival
        since = arrival.since if arrival else self.records[-1].event.t if self.records else self.now
        if step.point is None:
            since = self.now
        else:
            self.deviations.pop(step.point, None)
            self.placement.begin(step.point)
        for point in play.captured | play.self_captured:
            if self.visible[point] not in (EMPTY, HIDDEN):
                self.deviations[point] = Deviation(self.visible[point], Kind.GHOST, number, since)
        earliest = not_before
        if arrival is not None and arrival.not_before > float("-inf"):
            earliest = arrival.not_before
        move = Move(
            since,
            self.now,
            number,
            step.colour,
            step.point,
            tuple(sorted(play.captured, key=reading_order)),
            step.inferred,
            earliest,
            _names(self.rules.forbidden(play.faults)),
            _finite(arrival.left_after) if arrival else None,
        )
        self.records.append(Recorded(step, move, self._learn_hand(step)))
        events.append(move)
        self._repetition(play, events)

    def retract(self, count: int, reason: str, events: list[Event]) -> None:
        """Take the last ``count`` moves back."""
        if not count:
            return
        self.game = self.game.undo(count)
        for record in self.records[len(self.records) - count :]:
            if record.step.point is not None:
                self.placement.forget(record.step.point)
        del self.records[len(self.records) - count :]
        number = len(self.game)
        self.deviations = {p: d for p, d in self.deviations.items() if d.move <= number}
        events.append(Retract(self.now, self.now, number + 1, reason))

    def drop_settled_deviations(self) -> None:
        """Forget the differences that are none any more."""
        model = self.board
        for point in [p for p in self.deviations if self.visible[p] == model[p]]:
            del self.deviations[point]

    def _learn_hand(self, step: Step) -> Colour | None:
        if step.arrival is None or step.inferred:
            return None
        direction = self.hands.direction(step.arrival.point, step.arrival.since)
        owner = self.hands.owner(direction)
        self.hands.learn(step.colour, direction)
        return owner

    def _repetition(self, play: Play, events: list[Event]) -> None:
        """A board that was there before, other than by a simple ko: a question for the arbiter."""
        if play.positional is None or Fault.KO in play.faults:
            return
        level = WARNING if play.situational else INFO
        cycle = (play.situational or play.positional).cycle
        points = {r.step.point for r in self.records[-cycle:] if r.step.point is not None}
        facts = {"cycle": str(cycle), "board_after_move": str(play.positional.earlier)}
        at = sorted(points, key=reading_order)
        events.append(self.incident("repetition", self.records[-1].event.t, at, level, facts, colour=play.colour))


def reading_order(point: Point) -> tuple[int, int]:
    """As board text is read: from the top line down, from left to right."""
    return -point.row, point.col


def _names(faults: Iterable[Fault]) -> tuple[str, ...]:
    return tuple(fault.name.lower() for fault in faults if fault.name)


def _finite(time: float) -> float | None:
    return time if time > float("-inf") else None
