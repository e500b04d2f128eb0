"""From observations to the story of the game: moves, what was taken back, and incidents.

Three boards are kept apart: what the rules see (``rules_board``), what lies there (``visible``), and where the two
are known to differ (captured stones still lying there, stones wrongly taken, stones that no move put there). The
clock is that of the observations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import HIDDEN, Colour, Layout, Point
from kifuwatch.reconstruct.beginning import FirstPosition
from kifuwatch.reconstruct.blocked import BlockedView
from kifuwatch.reconstruct.boards import boards_of
from kifuwatch.reconstruct.captures import Clearing, MissedCaptures
from kifuwatch.reconstruct.clock import ClockPresses
from kifuwatch.reconstruct.customs import all_corner_stones
from kifuwatch.reconstruct.doubts import believing, doing_without, noted, sure_by_now
from kifuwatch.reconstruct.events import WARNING, Event, PositionSeen
from kifuwatch.reconstruct.hands import HandSides
from kifuwatch.reconstruct.judges import AT_ONCE, judge
from kifuwatch.reconstruct.ledger import Ledger
from kifuwatch.reconstruct.opening import FirstStone
from kifuwatch.reconstruct.outside import EndStones
from kifuwatch.reconstruct.pauses import Pauses
from kifuwatch.reconstruct.placement import PlacementWatch, next_nearest
from kifuwatch.reconstruct.resuming import KnownGame, take_up
from kifuwatch.reconstruct.revisions import came_before
from kifuwatch.reconstruct.settle import SettleFilter, SettleTiming
from kifuwatch.reconstruct.situation import SURE, Deviation, Kind, Patience, Situation, Verdict, difference, near
from kifuwatch.reconstruct.stories import Change, Step, find_story, single
from kifuwatch.rules import Game, Position, RuleSet, ruleset
from kifuwatch.vision.observation import Observation

_LONG_COVER = 3.0
_THINK_EVERY = 0.2
_ROUNDS = 12


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
        self.patience = patience or Patience()
        self._settled_views = settled_views
        self._view = SettleFilter(size, settled_views, timing or SettleTiming())
        self._hands = HandSides(size)
        self._pauses = Pauses(BlockedView(size))
        self._placement = PlacementWatch()
        self._ledger = Ledger(size, self.rules, to_play, self._view, self._hands, self._placement)
        self._ledger.visible = self._view.layout()
        self._beginning = FirstPosition(self._ledger)
        self._first_stone = FirstStone(self._ledger, self.patience.appeared)
        self._missed = MissedCaptures(self._ledger, self.patience)
        self._clearing = Clearing(self._ledger)
        self._clock = ClockPresses(self._ledger)
        self._end_stones = EndStones()
        self._closed = False
        self._open = False
        self._thought = float("-inf")
        self._scattered = 0
        self._put_back = float("-inf")
        self._hopeless: tuple[Position, Change, dict[Point, str]] | None = None

    @classmethod
    def resumed(
        cls,
        known: KnownGame,
        rules: RuleSet | None = None,
        timing: SettleTiming | None = None,
        patience: Patience | None = None,
    ) -> Reconstructor:
        """One that goes on with a game recorded before: call :meth:`hold` for the gap, and :meth:`resume` when the
        board is seen again. Nothing that is known is told a second time."""
        to_play = known.to_play or (known.moves[0].colour if known.moves else None)
        watcher = cls(known.start.size, rules, to_play=to_play, timing=timing, patience=patience)
        take_up(watcher._ledger, known)
        watcher._beginning.started = known.time
        return watcher

    @property
    def deviations(self) -> Mapping[Point, Deviation]:
        """Where the visible board is known to differ from what the rules see."""
        return dict(self._ledger.deviations)

    @property
    def complete(self) -> bool:
        """Whether the stones of the start were put down one by one and are all there."""
        return self._ledger.complete

    @property
    def game(self) -> Game:
        """The line of play that the rules see."""
        return self._ledger.game

    @property
    def visible(self) -> Layout:
        """What lies on the board as far as it is settled; ``?`` where nothing has been seen yet."""
        return self._ledger.visible

    @property
    def rules_board(self) -> Layout:
        """What the rules see."""
        return self._ledger.board

    @property
    def to_play(self) -> Colour | None:
        """Whose turn it is, or None when the first stone will tell."""
        return self.game.position.to_play if self._ledger.turn_known else None

    @property
    def provisional(self) -> bool:
        """Whether something on the board is not explained yet."""
        return self._open

    @property
    def settled_moves(self) -> int:
        """So many moves of the record have no rival any more: a later look is not expected to take them back."""
        records, now = self._ledger.records, self._ledger.now
        for number, recorded in enumerate(records):
            last = number >= len(records) - 1
            arrival = recorded.step.arrival
            surely = arrival is None or arrival.sure >= SURE or number < len(records) - 4
            if not surely or (last and (self._open or now - recorded.event.t < self.patience.change)):
                return number
        return len(records)

    @property
    def closed(self) -> bool:
        """Whether the board was cleared or is gone through again: what is put down now is no part of the game, until
        the board is as it was."""
        return self._closed

    def see(self, observation: Observation) -> list[Event]:
        """Take in one observation; the events that became known by it, in order. While held, nothing is looked at."""
        if self._pauses.held:
            return []
        ledger, now = self._ledger, observation.time.seconds
        ledger.now = now
        changed = self._view.update(observation)
        if not self._settled_views:
            self._hands.update(now, observation.covered)
        if changed:
            ledger.visible = self._view.layout()
        events: list[Event] = []
        if self._beginning.started is None:
            self._beginning.watch(observation, events)
            return events
        blocked = self._pauses.look(observation, events)
        if blocked is not None:
            events.append(ledger.incident("view-blocked", now, blocked[:40]))
        if not self._settled_views:
            self._note_placement(observation, events)
        if any(c.was == HIDDEN for c in changed):
            self._beginning.amend(events)
        if changed or (self._open and now - self._thought >= _THINK_EVERY):
            self._think(events, final=False)
            if not self._settled_views:
                self._clearing.note(events)
        self._first_stone.note(events)
        return events

    def hold(self, time: float, reason: str = "the board was not in view") -> None:
        """From ``time`` on (seconds) the picture says nothing of the board: the camera was bumped, the board lost.

        Observations that come before :meth:`resume` are not looked at, so nothing is invented.
        """
        self._pauses.hold(time, reason)

    def resume(self, time: float) -> list[Event]:
        """The board is in its place again: what has changed is explained as after any gap, which is told."""
        return self._pauses.resume(time)

    def press(self, time: float, colour: Colour) -> list[Event]:
        """A player of this colour pressed the clock at ``time`` (seconds, of the source)."""
        return self._clock.press(time, colour, self._view)

    def passed(self, time: float, colour: Colour) -> list[Event]:
        """A player said that he passes. Raises UsageError when it is not his turn."""
        if self.to_play is not None and self.to_play is not colour:
            raise UsageError(f"{colour.name.lower()} cannot pass: it is the other player's turn")
        events: list[Event] = []
        self._ledger.now = max(self._ledger.now, time)
        self._ledger.play(Step(colour, None, None), events)
        return events

    def beside(self, time: float, stones: tuple[tuple[float, float, Colour], ...]) -> list[Event]:
        """Stones seen outside the lines at ``time``: (column, row, colour) each, in lines of the board, A1 (0, 0)."""
        started = bool(self._ledger.records)
        signal = self._end_stones.look(time, stones, self.size, started, self.to_play)
        return [] if signal is None else [self._ledger.incident("end-signal", signal.t, (), facts=signal.facts)]

    def finish(self, time: float) -> list[Event]:
        """The source has ended at ``time`` (seconds): decide what is still open, and tell the last position."""
        events: list[Event] = self._pauses.end(time)
        ledger = self._ledger
        ledger.now = max(ledger.now, time)
        if self._beginning.started is None and self._view.known == 0.0:
            ledger.visible = self._beginning.in_view  # too short for anything to settle: the last look is all there is
        if self._beginning.started is None and set(ledger.visible.cells) != {HIDDEN}:
            self._beginning.start(events)
        if self._beginning.started is not None:
            self._think(events, final=True)
        events.append(PositionSeen(ledger.now, ledger.visible, self.rules_board))
        return events

    def _note_placement(self, observation: Observation, events: list[Event]) -> None:
        """New stones that stand so far off their points that both players should agree on the point."""
        ledger = self._ledger
        for point, offset in self._placement.update(observation, self._view):
            other = next_nearest(point, offset, self.size)
            facts = {"right": f"{offset[0]:.2f}", "up": f"{offset[1]:.2f}"}
            move = next((r.event for r in reversed(ledger.records) if r.event.at == point), None)
            points = (point,) if other is None else (point, other)
            if move is None:
                events.append(ledger.incident("off-point", ledger.now, points, facts=facts))
            else:
                whose = move.colour
                events.append(ledger.incident("off-point", move.t, points, WARNING, facts, move.number, whose))

    # Thinking

    def _think(self, events: list[Event], final: bool) -> None:
        """Explain what differs, until nothing does or the rest has to wait."""
        ledger = self._ledger
        self._thought = ledger.now
        for _ in range(_ROUNDS):
            ledger.drop_settled_deviations()
            self._closed = self._closed and any(d.kind is Kind.SCATTERED for d in ledger.deviations.values())
            self._missed.note(events, final)
            restoring = self._being_restored()
            change = self._difference()
            waiting = any(d.kind in (Kind.GHOST, Kind.SCATTERED, Kind.DOUBTFUL) for d in ledger.deviations.values())
            self._open = bool(change.points) or waiting
            situation = self._situation(change, final)
            if self._reopen_doubts(situation):
                continue
            if not change.points or self._closed:
                return
            if restoring and not situation.waited_long(situation.latest, self.patience.restored):
                return
            if not self._explain(situation, events):
                return

    def _explain(self, s: Situation, events: list[Event]) -> bool:
        """Do something about what differs, the likeliest first; whether anything was done."""
        corners = all_corner_stones(s)
        if corners is not None:
            self._apply(Verdict(before_game=corners), events)
            return True
        return (
            self._beginning.correct(s, events, only_doubtful=True)
            or self._reorder(s, events)
            or self._advance(s, events)
            or self._beginning.correct(s, events, only_doubtful=False)
            or self._judge(s, events)
        )

    def _difference(self) -> Change:
        return difference(self.rules_board, self.visible, self._ledger.deviations, self._view)

    def _reopen_doubts(self, s: Situation) -> bool:
        """What was read with doubt and is sure by now has to be explained after all."""
        doubts = [p for p, d in s.deviations.items() if d.kind is Kind.DOUBTFUL]
        sure = [p for p in doubts if s.visible[p] != s.deviations[p].cell or sure_by_now(s, p)]
        for point in sure:
            del self._ledger.deviations[point]
        return bool(sure)

    def _being_restored(self) -> bool:
        """Whether a scattered board is not yet as it was: stones being put back are no moves.

        When no stone has been put back for some time and little is left, or all that is left has a legal story,
        it is judged like any other change.
        """
        ledger = self._ledger
        rest = {p: d for p, d in ledger.deviations.items() if d.kind is not Kind.SCATTERED}
        left = len(ledger.deviations) - len(rest)
        if left != self._scattered:
            self._scattered, self._put_back = left, ledger.now
        if not left:
            return False
        if ledger.now - self._put_back < self.patience.restored or self._closed:
            return True
        change = difference(self.rules_board, self.visible, rest, self._view)
        if left > 2 and not self._has_story(self._situation(change, False), rest):
            return True
        ledger.deviations = rest
        return False

    def _has_story(self, s: Situation, deviations: dict[Point, Deviation]) -> bool:
        plain = {p: d.cell for p, d in deviations.items()}
        if self._hopeless == (s.position, s.change, plain):
            return False
        found = find_story(s.position, s.change, self.visible, self.rules, deviations=plain)
        if found is None:
            self._hopeless = (s.position, s.change, plain)
        return found is not None

    def _situation(self, change: Change, final: bool) -> Situation:
        ledger = self._ledger
        return Situation(
            ledger.now,
            self.game,
            self.rules,
            self.visible,
            change,
            ledger.deviations,
            tuple(ledger.records),
            self._view,
            self._hands,
            self.patience,
            self._settled_views,
            final,
            ledger.turn_known,
            ledger.to_play is not None or ledger.complete,
            self._clock.pass_between,
            self._placement.offset,
        )

    def _advance(self, s: Situation, events: list[Event]) -> bool:
        """Play the legal moves that explain the change, or the first of them."""
        if not s.arrivals:
            return False
        doubted: frozenset[Point] = frozenset()
        believed: frozenset[Point] = frozenset()
        story = self._whole_story(s)
        if story is None:
            without, with_all = doing_without(s), believing(s)
            if without is not None:
                doubted, story = without
            elif with_all is not None:
                believed, story = with_all
            elif len(s.change.points) < self.patience.scatter:
                story = self._first_alone(s)
        if story is None or not all(self._ready(s, step) for step in story):
            return False
        for point in believed:
            del self._ledger.deviations[point]
        self._ledger.deviations.update(noted(s, doubted, len(s.game)))
        for step in story:
            self._ledger.play(step, events)
        return True

    def _reorder(self, s: Situation, events: list[Event]) -> bool:
        verdict = came_before(s)
        if verdict is not None:
            self._apply(verdict, events)
        return verdict is not None

    def _whole_story(self, s: Situation) -> tuple[Step, ...] | None:
        """The legal moves that explain all of the change. What has been looked for in vain is not looked for again."""
        plain = {p: d.cell for p, d in self._ledger.deviations.items()}
        unseen = 2 if self._may_be_unseen(s) else 0
        if unseen == 0 and self._hopeless == (s.position, s.change, plain):
            return None
        story = find_story(
            s.position, s.change, self.visible, self.rules, unseen=unseen, may_hide=s.may_hide, deviations=plain
        )
        if story is None:
            self._hopeless = (s.position, s.change, plain)
        return story

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
        like_it = (a for a in s.arrivals[1:] if a.colour is arrival.colour)
        if any(abs(a.since - arrival.since) <= AT_ONCE for a in like_it) and not s.let_go(arrival):
            return None  # nobody puts down several stones at once: knuckles look so
        return (single(arrival),)

    def _ready(self, s: Situation, step: Step) -> bool:
        """Whether no neighbour of its colour can be the same stone, slid here under the hand, a view that was
        long blocked is back as a whole, and a stone read with doubt has been looked at for long enough."""
        arrival = step.arrival
        if arrival is None:
            return True
        if arrival.sure < SURE and not s.waited_in_doubt(arrival.since):
            return False
        if s.waited(arrival.since, self.patience.neighbours):
            return True
        if arrival.since - arrival.not_before >= _LONG_COVER and self._view.unsettled():
            return False
        for point in s.model.points(arrival.colour.cell):
            if near(point, arrival.point, 1) and point not in s.deviations:
                index = s.index(point)
                if self._view.agreed[index] < arrival.since or self._view.leaning(index):
                    return False
        return True

    def _judge(self, s: Situation, events: list[Event]) -> bool:
        verdict = judge(s)
        if verdict is not None:
            self._apply(verdict, events)
        return verdict is not None

    def _apply(self, verdict: Verdict, events: list[Event]) -> None:
        ledger = self._ledger
        if verdict.before_game:
            self._beginning.complete(dict(verdict.before_game), events)
            question = {"question": "stones put down before the game?"}
            events.append(ledger.incident("setup", ledger.now, verdict.before_game, "info", question))
            return
        self._closed = self._closed or verdict.closes
        boards = boards_of(verdict, self.game, self.visible)
        if verdict.retract:
            ledger.retract(verdict.retract, verdict.reason, events)
        ledger.deviations.update(verdict.deviations)
        for step in verdict.steps:
            ledger.play(step, events)
        if verdict.incident is not None:
            events.append(replace(verdict.incident, boards=boards))
