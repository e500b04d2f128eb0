"""From observations to the story of the game: moves, what was taken back, and incidents.

Three boards are kept apart: what the rules see (``rules_board``), what lies there (``visible``), and where the two
are known to differ (captured stones still lying there, stones wrongly taken, stones that no move put there). The
clock is that of the observations.
"""

from __future__ import annotations

from kifuwatch.core.points import BLACK, EMPTY, HIDDEN, WHITE, Colour, Layout, Point
from kifuwatch.reconstruct.blocked import BlockedView
from kifuwatch.reconstruct.events import INFO, WARNING, Event, Incident, Move, PositionSeen, Retract, Setup
from kifuwatch.reconstruct.hands import HandSides
from kifuwatch.reconstruct.judges import AT_ONCE, judge
from kifuwatch.reconstruct.placement import PlacementWatch, next_nearest
from kifuwatch.reconstruct.settle import SettleFilter, SettleTiming
from kifuwatch.reconstruct.situation import (
    Deviation,
    Kind,
    Patience,
    Recorded,
    Situation,
    Verdict,
    difference,
    near,
)
from kifuwatch.reconstruct.stories import Change, Step, find_story, single
from kifuwatch.rules import Fault, Game, Play, Position, RuleSet, ruleset
from kifuwatch.vision.observation import Observation

_NOTHING = Change((), ())
_LONG_COVER = 3.0
_THINK_EVERY = 0.2
_ROUNDS = 12
ENOUGH_TO_START = ((0.0, 1.0), (0.7, 0.95), (3.0, 0.9), (10.0, 0.8))
"""Seconds after which a share of the points is enough for a first position: the first move comes soon, and what
comes into view later, a point beside a hand or one in doubt, is added to it."""


class Reconstructor:
    """Follows one game on a board of ``size`` lines.

    ``settled_views``: each observation is a settled view by itself (a folder of pictures). ``to_play``: the colour
    of the first move; None takes it from the first stone. Feed it with :meth:`see`, in the order of time, and end
    with :meth:`finish`; both return the events that became known.
    """

    def __init__(
        self,
        size: int,
        rules: RuleSet | None = None,
        settled_views: bool = False,
        to_play: Colour | None = None,
        timing: SettleTiming | None = None,
        patience: Patience | None = None,
    ) -> None:
        self.size = size
        self.rules = rules or ruleset()
        self.game = Game.empty(size)
        self.patience = patience or Patience()
        self._settled_views = settled_views
        self._to_play = to_play
        self._view = SettleFilter(size, settled_views, timing or SettleTiming())
        self._hands = HandSides(size)
        self._blocked = BlockedView(size)
        self._placement = PlacementWatch()
        self._deviations: dict[Point, Deviation] = {}
        self._records: list[Recorded] = []
        self._started: float | None = None
        self._first_seen: float | None = None
        self._handicap = False
        self._open = False
        self._thought = float("-inf")
        self._now = 0.0
        self._missed: set[int] = set()
        self._scattered = 0
        self._put_back = float("-inf")
        self._hopeless: tuple[Position, Change, dict[Point, str]] | None = None
        self._visible = self._view.layout()
        self._in_view = self._visible

    @property
    def visible(self) -> Layout:
        """What lies on the board as far as it is settled; ``?`` where nothing has been seen yet."""
        return self._visible

    @property
    def rules_board(self) -> Layout:
        """What the rules see."""
        return self.game.position.layout

    @property
    def to_play(self) -> Colour | None:
        """Whose turn it is, or None when the first stone will tell."""
        return self.game.position.to_play if self._turn_known else None

    @property
    def provisional(self) -> bool:
        """Whether something on the board is not explained yet."""
        return self._open

    @property
    def _turn_known(self) -> bool:
        return bool(self._records) or self._to_play is not None or self._handicap

    def see(self, observation: Observation) -> list[Event]:
        """Take in one observation; the events that became known by it, in order."""
        self._now = observation.time.seconds
        changed = self._view.update(observation)
        if not self._settled_views:
            self._hands.update(self._now, observation.covered)
        if changed:
            self._visible = self._view.layout()
        events: list[Event] = []
        if self._started is None:
            self._note_in_view(observation)
            return self._start(events)
        blocked = self._blocked.update(observation)
        if blocked is not None:
            events.append(self._incident("view-blocked", self._now, blocked[:40]))
        if not self._settled_views:
            self._note_placement(observation, events)
        if any(c.was == HIDDEN for c in changed):
            self._amend_setup(events)
        if changed or (self._open and self._now - self._thought >= _THINK_EVERY):
            self._think(events, final=False)
        return events

    def finish(self, time: float) -> list[Event]:
        """The source has ended at ``time`` (seconds): decide what is still open, and tell the last position."""
        events: list[Event] = []
        self._now = max(self._now, time)
        if self._started is None and self._view.known == 0.0:
            self._visible = self._in_view  # too short for anything to settle: the last look is all there is
        if self._started is None and set(self._visible.cells) != {HIDDEN}:
            self._setup(events)
        if self._started is not None:
            self._think(events, final=True)
        events.append(PositionSeen(self._now, self._visible, self.rules_board))
        return events

    def _note_placement(self, observation: Observation, events: list[Event]) -> None:
        """New stones that stand so far off their points that both players should agree on the point."""
        for point, offset in self._placement.update(observation, self._view):
            other = next_nearest(point, offset, self.size)
            facts = {"right": f"{offset[0]:.2f}", "up": f"{offset[1]:.2f}"}
            since = next((r.event.t for r in self._records if r.event.at == point), self._now)
            points = (point,) if other is None else (point, other)
            events.append(self._incident("off-point", since, points, WARNING, facts))

    # The start

    def _start(self, events: list[Event]) -> list[Event]:
        """The first view is complete, or nearly so for long enough."""
        if self._first_seen is None:
            self._first_seen = self._now
        known, waited = self._view.known, self._now - self._first_seen
        if any(waited >= seconds and known >= share for seconds, share in ENOUGH_TO_START):
            self._setup(events)
        return events

    def _note_in_view(self, observation: Observation) -> None:
        """What was last read where the board was in view, as long as nothing has settled."""
        seen = observation.layout()
        self._in_view = seen.replaced({p: was for p, was, now in self._in_view.changes(seen) if now == HIDDEN})

    def _setup(self, events: list[Event]) -> None:
        self._started = self._now
        unknown = (point for point in self._visible.points(HIDDEN) if self._in_view[point] in (BLACK, WHITE))
        self._stones_in_doubt = frozenset(unknown)
        self._begin(self._visible, self._to_play or Colour.BLACK)
        self._tell_setup(events)

    def _begin(self, layout: Layout, to_play: Colour) -> None:
        known = Layout(self.size, layout.cells.replace("?", EMPTY))
        self.game = Game.of(known, to_play)

    def _tell_setup(self, events: list[Event]) -> None:
        layout = self.game.start.layout
        black, white = tuple(layout.points(BLACK)), tuple(layout.points(WHITE))
        if black or white:
            since = [float(self._view.since[layout.index(p)]) for p in (*black, *white)]
            events.append(Setup(max(min(since), 0.0), self._now, black, white, self._to_play))

    def _amend_setup(self, events: list[Event]) -> None:
        """A point comes into view for the first time: what stands there stood there before the record.

        Unless it is a single stone of the colour whose turn it is, once moves have been played, where none was seen at
        the start: that is a move.
        """
        start, model = self.game.start.layout, self.rules_board
        never = [i for i in range(self.size * self.size) if self._view.not_before[i] == float("-inf")]
        added = {start.point(i): self._visible.cells[i] for i in never if self._visible.cells[i] in (BLACK, WHITE)}
        added = {p: cell for p, cell in added.items() if start[p] != cell and model[p] != cell}
        fresh = self._records and list(added.values()) == [self.game.position.to_play.cell]
        if not added or (fresh and not self._stones_in_doubt & added.keys()):
            return
        played = tuple(self._records)
        if played:
            self._retract(len(played), "stones that were hidden had been there from the start", events)
        self._begin(start.replaced(added), self.game.start.to_play)
        self._tell_setup(events)
        for recorded in played:
            self._play(recorded.step, events)

    # Thinking

    def _think(self, events: list[Event], final: bool) -> None:
        """Explain what differs, until nothing does or the rest has to wait."""
        self._thought = self._now
        for _ in range(_ROUNDS):
            self._drop_settled_deviations()
            self._note_missed_captures(events, final)
            restoring = self._being_restored()
            change = difference(self.rules_board, self._visible, self._deviations, self._view)
            waiting = any(d.kind in (Kind.GHOST, Kind.SCATTERED) for d in self._deviations.values())
            self._open = bool(change.points) or waiting
            if not change.points:
                return
            situation = self._situation(change, final)
            if restoring and not situation.waited_long(situation.latest, self.patience.restored):
                return
            if not self._advance(situation, events) and not self._judge(situation, events):
                return

    def _being_restored(self) -> bool:
        """Whether a scattered board is not yet as it was: stones being put back are no moves.

        When no stone has been put back for some time and little is left, or all that is left has a legal story,
        it is judged like any other change.
        """
        rest = {p: d for p, d in self._deviations.items() if d.kind is not Kind.SCATTERED}
        left = len(self._deviations) - len(rest)
        if left != self._scattered:
            self._scattered, self._put_back = left, self._now
        if not left:
            return False
        if self._now - self._put_back < self.patience.restored:
            return True
        change = difference(self.rules_board, self._visible, rest, self._view)
        if left > 2 and not self._has_story(self._situation(change, False), rest):
            return True
        self._deviations = rest
        return False

    def _has_story(self, s: Situation, deviations: dict[Point, Deviation]) -> bool:
        plain = {p: d.cell for p, d in deviations.items()}
        if self._hopeless == (s.position, s.change, plain):
            return False
        found = find_story(s.position, s.change, self._visible, self.rules, deviations=plain)
        if found is None:
            self._hopeless = (s.position, s.change, plain)
        return found is not None

    def _situation(self, change: Change, final: bool) -> Situation:
        return Situation(
            self._now,
            self.game,
            self.rules,
            self._visible,
            change,
            self._deviations,
            tuple(self._records),
            self._view,
            self._hands,
            self.patience,
            self._settled_views,
            final,
            self._turn_known,
        )

    def _drop_settled_deviations(self) -> None:
        model = self.rules_board
        for point in [p for p in self._deviations if self._visible[p] == model[p]]:
            del self._deviations[point]

    def _advance(self, s: Situation, events: list[Event]) -> bool:
        """Play the legal moves that explain the change, or the first of them."""
        if not s.arrivals:
            return False
        plain = {p: d.cell for p, d in self._deviations.items()}
        unseen = 2 if self._may_be_unseen(s) else 0
        if unseen == 0 and self._hopeless == (s.position, s.change, plain):
            return False
        story = find_story(
            s.position, s.change, self._visible, self.rules, unseen=unseen, may_hide=s.may_hide, deviations=plain
        )
        if story is None and len(s.change.points) < self.patience.scatter:
            story = self._first_alone(s)
        elif story is None:
            self._hopeless = (s.position, s.change, plain)
        if story is None or not all(self._ready(s, step) for step in story):
            return False
        for step in story:
            self._play(step, events)
        return True

    def _may_be_unseen(self, s: Situation) -> bool:
        """Whether a stone can have come and gone unseen: only between two pictures or behind a long cover."""
        if self._settled_views:
            return True
        return any(a.since - a.not_before >= _LONG_COVER for a in s.arrivals)

    def _first_alone(self, s: Situation) -> tuple[Step, ...] | None:
        """The first new stone by itself, when it is in turn, legal, and not one of the stones that are missing."""
        arrival = s.arrivals[0]
        if arrival.colour is not s.to_play:
            return None
        look = s.position.play(arrival.colour, arrival.point)
        if self.rules.forbidden(look.faults):
            return None
        suspicious = any(
            r.colour is arrival.colour and (near(r.point, arrival.point, 2) or abs(r.since - arrival.since) <= AT_ONCE)
            for r in s.removals
        )
        if suspicious and not s.waited_long(arrival.since, 4.0):
            return None
        return (single(arrival),)

    def _ready(self, s: Situation, step: Step) -> bool:
        """Whether no neighbour of its colour can be the same stone, slid here under the hand, and a view that was
        long blocked is back as a whole."""
        arrival = step.arrival
        if arrival is None or s.waited(arrival.since, self.patience.neighbours):
            return True
        if arrival.since - arrival.not_before >= _LONG_COVER and self._view.unsettled():
            return False
        for point in s.model.points(arrival.colour.cell):
            if near(point, arrival.point, 1) and point not in self._deviations:
                index = s.index(point)
                if self._view.agreed[index] < arrival.since or self._view.leaning(index):
                    return False
        return True

    def _judge(self, s: Situation, events: list[Event]) -> bool:
        verdict = judge(s)
        if verdict is not None:
            self._apply(verdict, events)
        return verdict is not None

    # Acting

    def _apply(self, verdict: Verdict, events: list[Event]) -> None:
        if verdict.handicap:
            self._make_handicap(verdict.handicap, events)
            return
        if verdict.retract:
            self._retract(verdict.retract, verdict.reason, events)
        self._deviations.update(verdict.deviations)
        if verdict.incident is not None and not verdict.steps:
            events.append(verdict.incident)
        for step in verdict.steps:
            self._play(step, events)
        if verdict.incident is not None and verdict.steps:
            events.append(verdict.incident)

    def _play(self, step: Step, events: list[Event]) -> None:
        if not self._turn_known and self.game.start.to_play is not step.colour:
            self._begin(self.game.start.layout, step.colour)
        self.game = self.game.play(step.colour, step.point)
        play = self.game.plays[-1]
        number = len(self.game)
        self._deviations.pop(step.point, None)
        arrival = step.arrival
        since = arrival.since if arrival else self._records[-1].event.t if self._records else self._now
        lying = play.captured | play.self_captured
        for point in lying:
            if self._visible[point] not in (EMPTY, "?"):
                self._deviations[point] = Deviation(self._visible[point], Kind.GHOST, number, since)
        broken = self.rules.forbidden(play.faults)
        earliest = arrival.not_before if arrival and arrival.not_before > float("-inf") else None
        move = Move(
            since,
            self._now,
            number,
            step.colour,
            step.point,
            tuple(sorted(play.captured, key=_reading_order)),
            step.inferred,
            earliest,
            tuple(f.name.lower() for f in broken if f.name),
        )
        self._records.append(Recorded(step, move, self._learn_hand(step)))
        events.append(move)
        self._placement.begin(step.point)
        self._repetition(play, events)

    def _learn_hand(self, step: Step) -> Colour | None:
        if step.arrival is None or step.inferred:
            return None
        direction = self._hands.direction(step.point, step.arrival.since)
        owner = self._hands.owner(direction)
        self._hands.learn(step.colour, direction)
        return owner

    def _repetition(self, play: Play, events: list[Event]) -> None:
        """A board that was there before, other than by a simple ko: a question for the arbiter."""
        if play.positional is None or Fault.KO in play.faults:
            return
        level = WARNING if play.situational else INFO
        cycle = (play.situational or play.positional).cycle
        points = sorted({r.step.point for r in self._records[-cycle:]}, key=_reading_order)
        facts = {"cycle": str(cycle), "board_after_move": str(play.positional.earlier)}
        events.append(self._incident("repetition", self._records[-1].event.t, points, level, facts))

    def _retract(self, count: int, reason: str, events: list[Event]) -> None:
        self.game = self.game.undo(count)
        for record in self._records[len(self._records) - count :]:
            self._placement.forget(record.step.point)
        del self._records[len(self._records) - count :]
        number = len(self.game)
        self._deviations = {p: d for p, d in self._deviations.items() if d.move <= number}
        events.append(Retract(self._now, self._now, number + 1, reason))

    def _make_handicap(self, points: tuple[Point, ...], events: list[Event]) -> None:
        """Stones taken for moves turn out to have been handicap stones put down one by one."""
        if self._records:
            self._retract(len(self._records), "handicap stones", events)
        start = self.game.start.layout.replaced(dict.fromkeys(points, BLACK))
        self._begin(start, self._to_play or Colour.WHITE)
        self._handicap = True
        self._tell_setup(events)
        events.append(self._incident("setup", self._now, points, INFO, {"question": "handicap?"}))

    def _note_missed_captures(self, events: list[Event], final: bool) -> None:
        """Captured stones that still lie there when the next stone has been played, or after long."""
        ghosts: dict[int, list[Point]] = {}
        for point, deviation in self._deviations.items():
            if deviation.kind is Kind.GHOST and deviation.move not in self._missed:
                ghosts.setdefault(deviation.move, []).append(point)
        for number, points in ghosts.items():
            alert = self._missed_capture(number, points, final)
            if alert is not None:
                self._missed.add(number)
                events.append(alert)

    def _missed_capture(self, number: int, points: list[Point], final: bool) -> Incident | None:
        if number > len(self._records) or self._records[number - 1].event.faults:
            return None
        capture = self._records[number - 1].event
        answer = self._records[number].event if number < len(self._records) else None
        index = [self._visible.index(p) for p in points]
        seen = min(float(self._view.agreed[i]) for i in index)
        gone = [self._visible.index(p) for p in capture.captures if p not in points]
        last_taken = max((float(self._view.since[i]) for i in gone), default=float("-inf"))
        if self._now - last_taken < self.patience.removing and not self._settled_views:
            return None
        if answer is not None:
            confirmed = answer.t + (0.0 if self._settled_views else self.patience.change)
            late, t = seen >= confirmed and not any(self._view.leaning(i) for i in index), answer.t
        else:
            waited = self._now - max(capture.t, last_taken)
            late, t = waited >= self.patience.capture and seen >= self._now - 1.0, self._now
        if not late or (final and answer is None):
            return None
        remaining = str(len(points))
        return self._incident("missed-capture", t, points, WARNING, {"capturing_move": str(number), "left": remaining})

    def _incident(
        self,
        code: str,
        t: float,
        at: list[Point] | tuple[Point, ...],
        level: str = WARNING,
        facts: dict[str, str] | None = None,
    ) -> Incident:
        return Incident(t, self._now, code, tuple(at), len(self.game), level, facts=facts or {})


def _reading_order(point: Point) -> tuple[int, int]:
    return -point.row, point.col
