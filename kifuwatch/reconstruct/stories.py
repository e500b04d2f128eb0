"""The search for a line of legal moves that turns the board the rules know into the board that is seen.

What is seen of a stone's arrival is an interval: after the last look without it, not later than the first look
with it. A story must keep to these intervals, alternate colours, be legal, and end on the visible board, except
for captured stones that still lie there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kifuwatch.core.points import EMPTY, Colour, Layout, Point
from kifuwatch.rules import Play, Position, RuleSet

SLACK = 0.3
"""Seconds by which the last look without a stone may be wrong: the edge of a hand can look like bare wood."""


@dataclass(frozen=True)
class Arrival:
    """A stone that is there now and was not before; it came after ``not_before`` and not later than ``since``."""

    point: Point
    colour: Colour
    since: float
    not_before: float
    slack: float = SLACK

    @property
    def earliest(self) -> float:
        """It came after this moment."""
        return self.not_before - self.slack


@dataclass(frozen=True)
class Removal:
    """A stone of the rules' board that is not there any more; it went after ``not_before``, by ``since``."""

    point: Point
    colour: Colour
    since: float
    not_before: float


@dataclass(frozen=True)
class Step:
    """One move of a story. ``arrival`` is None for a stone that was captured before it was ever seen."""

    colour: Colour
    point: Point
    arrival: Arrival | None
    inferred: bool = False


@dataclass(frozen=True)
class Change:
    """All that the visible board differs in from what is expected of it."""

    arrivals: tuple[Arrival, ...]
    removals: tuple[Removal, ...]

    @property
    def points(self) -> frozenset[Point]:
        """Every point that differs."""
        return frozenset(a.point for a in self.arrivals) | frozenset(r.point for r in self.removals)


def in_order(arrivals: Iterable[Arrival]) -> bool:
    """Whether the stones can have come in this order."""
    time = float("-inf")
    for arrival in arrivals:
        time = max(time, arrival.earliest)
        if time >= arrival.since:
            return False
    return True


def order_seen(first: Arrival, second: Arrival) -> bool:
    """Whether it was seen that ``first`` lay there before ``second`` came."""
    return first.since <= second.earliest


@dataclass
class _Search:
    """A depth-first search with a budget of moves tried."""

    rules: RuleSet
    visible: Layout
    removals: tuple[Removal, ...]
    unseen: int
    budget: int
    tolerated: frozenset[Point] = field(default_factory=frozenset)
    """Points at which the end of the story need not agree with the visible board."""
    may_hide: Callable[[Point], bool] = lambda point: True
    """Whether a stone can have come and gone unseen at a point."""

    def run(self, position: Position, left: tuple[Arrival, ...], line: tuple[Step, ...]) -> tuple[Step, ...] | None:
        if not left:
            return line if self._agrees(position) else None
        for arrival in left:
            if arrival.colour is not position.to_play:
                continue
            rest = tuple(a for a in left if a is not arrival)
            if not in_order((*(s.arrival for s in line if s.arrival), arrival)) or self._blocked(arrival, rest):
                continue
            play = self._try(position, arrival.colour, arrival.point)
            if play is None:
                continue
            step = Step(arrival.colour, arrival.point, arrival)
            found = self.run(play.position, rest, (*line, step))
            if found is not None:
                return found
        if self.unseen > 0:
            return self._with_unseen(position, left, line)
        return None

    def _blocked(self, arrival: Arrival, rest: Sequence[Arrival]) -> bool:
        """Whether one of the others certainly came before this one."""
        return any(order_seen(other, arrival) for other in rest)

    def _try(self, position: Position, colour: Colour, point: Point) -> Play | None:
        if self.budget <= 0:
            return None
        self.budget -= 1
        play = position.play(colour, point)
        return None if self.rules.forbidden(play.faults) else play

    def _with_unseen(
        self, position: Position, left: tuple[Arrival, ...], line: tuple[Step, ...]
    ) -> tuple[Step, ...] | None:
        """A stone of the colour to play that one of the stones to come captured before it was seen."""
        self.unseen -= 1
        colour = position.to_play
        for point in filter(self.may_hide, _hollows(position, self.visible, left, self.removals)):
            play = self._try(position, colour, point)
            if play is None:
                continue
            found = self.run(play.position, left, (*line, Step(colour, point, None, True)))
            if found is not None:
                return found
        self.unseen += 1
        return None

    def _agrees(self, position: Position) -> bool:
        """The rules' board has no stone that is not seen, and every change is explained."""
        for i, (rules, seen) in enumerate(zip(position.layout.cells, self.visible.cells, strict=True)):
            if rules != EMPTY and rules != seen and seen != "?" and position.layout.point(i) not in self.tolerated:
                return False
        return True


def _hollows(position: Position, visible: Layout, left: Sequence[Arrival], removals: Sequence[Removal]) -> list[Point]:
    """Empty points beside stones to come or beside stones that are gone: only there can one have been captured."""
    hollows: dict[Point, None] = {}
    for point in [a.point for a in left] + [r.point for r in removals]:
        for near in beside(point, visible.size):
            if position.layout[near] == EMPTY and visible[near] == EMPTY:
                hollows[near] = None
    return list(hollows)


def beside(point: Point, size: int) -> list[Point]:
    """The points next to a point along the lines."""
    col, row = point
    around = ((col + 1, row), (col - 1, row), (col, row + 1), (col, row - 1))
    return [Point(c, r) for c, r in around if 0 <= c < size and 0 <= r < size]


def find_story(
    position: Position,
    change: Change,
    visible: Layout,
    rules: RuleSet,
    *,
    unseen: int = 0,
    may_hide: Callable[[Point], bool] = lambda point: True,
    deviations: Mapping[Point, str] | None = None,
    budget: int = 2000,
) -> tuple[Step, ...] | None:
    """The most natural line of alternating legal moves that explains the whole change, or None.

    Earlier arrivals are tried first. ``unseen``: so many stones more may have been played and captured without
    having been seen, where ``may_hide`` allows it. ``deviations``: points where the visible board is known not to
    agree with the rules' board.
    """
    arrivals = tuple(sorted(change.arrivals, key=lambda a: (a.since, a.not_before)))
    if not arrivals:
        return None
    for extra in range(unseen + 1):
        tolerated = frozenset(deviations or ())
        search = _Search(rules, visible, change.removals, extra, budget, tolerated, may_hide)
        line = search.run(position, arrivals, ())
        if line is not None:
            return _mark_inferred(line)
    return None


def _mark_inferred(line: tuple[Step, ...]) -> tuple[Step, ...]:
    """Mark each move whose order against its neighbours was not seen."""
    loose = [False] * len(line)
    for i, (a, b) in enumerate(pairwise(line)):
        if a.arrival is None or b.arrival is None or not order_seen(a.arrival, b.arrival):
            loose[i] = loose[i + 1] = True
    return tuple(Step(s.colour, s.point, s.arrival, s.inferred or loose[i]) for i, s in enumerate(line))


def single(arrival: Arrival) -> Step:
    """The story of one stone."""
    return Step(arrival.colour, arrival.point, arrival)
