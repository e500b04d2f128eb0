"""What the reconstructor knows at one moment, and what a judgement of it can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum

from kifuwatch.core.points import EMPTY, HIDDEN, Colour, Layout, Point
from kifuwatch.reconstruct.events import Incident, Move
from kifuwatch.reconstruct.hands import HandSides
from kifuwatch.reconstruct.settle import SettleFilter
from kifuwatch.reconstruct.stories import SLACK, Arrival, Change, Removal, Step
from kifuwatch.rules import Game, Position, RuleSet

SURE = 0.85
"""A stone read less surely is not recorded at once."""


@dataclass(frozen=True)
class Patience:
    """How long to wait before judging, in seconds. A false alarm is worse than a late one; 15 s is too late."""

    neighbours: float = 1.5
    """A new stone's own neighbours may still be under the hand: it may be one of them, slid here."""
    takeback_silent: float = 0.6
    """A stone that lay in clear view for a shorter time was never played: with the hand still over it when it came
    and again when it went, it was on the board for about a second."""
    hand_off: float = 0.25
    """So long a stone must have been in view, once settled, with no hand near: it had left the hand."""
    let_go: float = 0.5
    """So long a stone must lie, or be missing, with no hand near before somebody is said to have moved it."""
    change: float = 1.2
    """Changes that belong together (a sleeve, a slide) come within this time."""
    out_of_turn: float = 1.5
    """The stone that makes it the right order may still be under the hand."""
    appeared: float = 3.0
    """The same while nobody has answered it: it may be picked up again."""
    removed: float = 2.0
    """A player may notice, and put back what he took."""
    capture_first: float = 12.0
    """Stones may be taken off before the stone that captures them is put down."""
    capture: float = 15.0
    """Captured stones may lie so long."""
    removing: float = 5.0
    """Since the last of the captured stones was taken off: the player is still at it."""
    cleared: float = 10.0
    """A board that is being cleared may take so long before it counts as scattered."""
    misread: float = 3.0
    """A stone cannot change its colour; the light can change for a moment."""
    restored: float = 6.0
    """On a scattered board, changes that last so long are no part of putting it right."""
    scatter: int = 5
    """So many unexplained changes make a scattered board."""
    hidden: float = 20.0
    """A region covered for so long is no longer waited for."""
    doubtful: float = 4.0
    """A stone that is read with doubt waits so long for a better look, or for a story that does without it."""
    unlikely: float = 8.0
    """What no hand can have changed is misread; what is read surely for so long has been changed after all."""


class Kind(Enum):
    """Why the visible board may differ from the rules' board at a point."""

    GHOST = "captured, still lying there"
    OWED = "taken off, the rules still have it"
    STRAY = "lies there, no move put it there"
    DISPLACED = "moved here from another point"
    LEFT = "moved from here to another point"
    SCATTERED = "part of a scattered board"
    MISREAD = "read as something it cannot be"
    DOUBTFUL = "read with doubt, and no story needs it"


@dataclass(frozen=True)
class Deviation:
    """A point where the visible board is expected to show ``cell`` although the rules' board has something else."""

    cell: str
    kind: Kind
    move: int
    """The number of the move after which it arose."""
    t: float


@dataclass(frozen=True)
class Recorded:
    """A move of the record: how it was explained and reported, and whose hand laid it, if that was seen."""

    step: Step
    event: Move
    hand: Colour | None


@dataclass(frozen=True)
class Situation:
    """A moment at which the visible board is not what is expected."""

    now: float
    game: Game
    rules: RuleSet
    visible: Layout
    change: Change
    deviations: Mapping[Point, Deviation]
    records: tuple[Recorded, ...]
    view: SettleFilter
    hands: HandSides
    patience: Patience
    settled_views: bool
    final: bool
    turn_known: bool
    first_known: bool = False
    """Whether it was known before the first stone whose turn it was."""
    pass_between: Callable[[float, float, Colour], Step | None] = lambda start, end, colour: None
    """The pass that a player made between two times, as far as a clock tells."""
    offset: Callable[[Point], tuple[float, float] | None] = lambda point: None
    """Where one of the last stones stood relative to its point, in pitches, right and up."""

    @property
    def arrivals(self) -> tuple[Arrival, ...]:
        """New stones, the earliest first."""
        return self.change.arrivals

    @property
    def removals(self) -> tuple[Removal, ...]:
        """Missing stones, the earliest first."""
        return self.change.removals

    @property
    def model(self) -> Layout:
        """What the rules see."""
        return self.game.position.layout

    @property
    def latest(self) -> float:
        """When the latest of the changes was first seen."""
        return max([a.since for a in self.arrivals] + [r.since for r in self.removals])

    @property
    def to_play(self) -> Colour:
        """Whose turn it is; before the first move of a board met in mid-game, the colour of the first stone."""
        return self.position.to_play

    @property
    def position(self) -> Position:
        """The position that the next move is played in."""
        return self.position_for(self.change)

    def position_for(self, change: Change) -> Position:
        """The same when only a part of the change is believed."""
        if not self.turn_known and change.arrivals:
            return Position.of(self.model, change.arrivals[0].colour)
        return self.game.position

    def waited(self, since: float, seconds: float, at_end: bool = True) -> bool:
        """Whether ``seconds`` have gone by. Where each view is settled, one more view is enough; at the end
        of the source (unless ``at_end`` is false) what has been seen once counts, or for some time in a film."""
        if self.settled_views:
            return self.view.now > since or (self.final and at_end)
        return self.now - since >= (min(seconds, 0.8) if self.final else seconds)

    def waited_long(self, since: float, seconds: float) -> bool:
        """Whether ``seconds`` have gone by, in settled views too."""
        return self.final or self.now - since >= seconds

    def waited_in_doubt(self, since: float) -> bool:
        """Whether a doubtful reading has been looked at for long enough; of photographs, one more tells."""
        if self.settled_views:
            return self.view.now > since or self.final
        return self.now - since >= self.patience.doubtful

    def beyond_doubt(self, change: Arrival | Removal) -> bool:
        """Whether a change is read so surely, or has been for so long, that it may be held against somebody."""
        return change.sure >= SURE or self.settled_views or self.now - change.since >= self.patience.unlikely

    def let_go(self, change: Arrival | Removal) -> bool:
        """Whether a change has been in view with no hand near, or for very long: fingers and what they hold look like
        stones, and like wood."""
        free = self.settled_views or float(self.view.free[self.index(change.point)]) >= self.patience.let_go
        return free or self.now - change.since >= self.patience.doubtful

    def owner(self, arrival: Arrival) -> Colour | None:
        """Whose hand laid a stone, if that was seen."""
        return self.hands.owner(self.hands.direction(arrival.point, arrival.since))

    def may_hide(self, point: Point) -> bool:
        """Whether a stone can have come and gone at a point since the last move without being seen."""
        if self.settled_views:
            return True
        start = self.records[-1].event.t if self.records else float("-inf")
        return self.view.out_of_view(self.index(point), start - 0.3, self.now)

    def index(self, point: Point) -> int:
        """The place of a point in the arrays of the view."""
        return self.visible.index(point)


@dataclass(frozen=True)
class Verdict:
    """What to do about a situation: moves taken back, moves played, deviations noted, an incident reported."""

    retract: int = 0
    reason: str = ""
    steps: tuple[Step, ...] = ()
    deviations: Mapping[Point, Deviation] = field(default_factory=dict)
    incident: Incident | None = None
    before_game: Mapping[Point, str] = field(default_factory=dict)
    """Stones that turn out to have been put down before the game: with these, the first position is complete."""
    closes: bool = False
    """The game is over by the look of it (gone through again, or cleared): what comes now is no part of it."""


def difference(model: Layout, visible: Layout, deviations: Mapping[Point, Deviation], view: SettleFilter) -> Change:
    """What the visible board has more or less than expected, each list in the order in which it was seen."""
    arrivals, removals = [], []
    for point, rules, now in model.changes(visible):
        deviation = deviations.get(point)
        if now == HIDDEN or (deviation is not None and deviation.cell == now):
            continue
        expected = rules if deviation is None else deviation.cell
        index = model.index(point)
        since, not_before = float(view.since[index]), float(view.not_before[index])
        sure, touched, beside = view.sure(index), bool(view.by_hand[index]), bool(view.beside_hand[index])
        lost, came = Colour.of_cell(rules), Colour.of_cell(now)
        if lost is not None and expected == rules:
            removals.append(Removal(point, lost, since, not_before, sure, touched, beside))
        if came is not None:
            slack = 0.0 if view.settled_views else SLACK
            left = float(view.hidden_until[index])
            arrivals.append(Arrival(point, came, since, not_before, slack, sure, touched, left, beside))
    arrivals.sort(key=lambda a: (a.since, a.not_before))
    removals.sort(key=lambda r: (r.since, r.not_before))
    return Change(tuple(arrivals), tuple(removals))


def near(a: Point, b: Point, reach: int) -> bool:
    """Whether two points are at most ``reach`` lines apart in both directions."""
    return max(abs(a.col - b.col), abs(a.row - b.row)) <= reach


def empty_at(layout: Layout, point: Point) -> bool:
    """Whether a point is seen to be empty."""
    return layout[point] == EMPTY
