"""The search for a line of legal moves that turns the board the rules know into the board that is seen.

What is seen of a stone's arrival is an interval: after the last look without it, not later than the first look
with it. A story must keep to these intervals, alternate colours, be legal, and end on the visible board, except
for captured stones that still lie there. Of the stories that do, the cheapest counts: stones in the order in which
they were seen, and none that nobody saw.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from kifuwatch.core.points import EMPTY, Colour, Layout, Point
from kifuwatch.rules import Play, Position, RuleSet

SLACK = 0.3
"""Seconds by which the last look without a stone may be wrong: the edge of a hand can look like bare wood."""
WIDTH = 12
"""So many lines are kept at each length: a hand that lays six stones unseen leaves more orders than anybody can tell
apart, and the first of them is as good as the rest."""
BRANCHES = 5
"""So many of the stones to come are tried as the next one, the earliest first."""
MOST_STONES = 80
"""More stones than this between two views are no line of play: two minutes of it at the fastest pace."""
FASTEST = 0.3
"""Seconds a move that two players cannot beat, over several moves."""
UNSEEN_COST = 4.0
INVERSION_COST = 0.5
"""For each second by which a stone was seen later than one that is played after it."""


@dataclass(frozen=True)
class Arrival:
    """A stone that is there now and was not before; it came after ``not_before`` and not later than ``since``.

    ``sure``: how surely it is read, 0..1. ``touched``: a hand was about when it came, ``beside``: even at its point.
    ``left_after``: when its point was last covered before it was first seen.
    """

    point: Point
    colour: Colour
    since: float
    not_before: float
    slack: float = SLACK
    sure: float = field(default=1.0, compare=False)
    touched: bool = field(default=True, compare=False)
    left_after: float = field(default=float("-inf"), compare=False)
    beside: bool = field(default=True, compare=False)

    @property
    def earliest(self) -> float:
        """It came after this moment."""
        return self.not_before - self.slack


@dataclass(frozen=True)
class Removal:
    """A stone of the rules' board that is not there any more; it went after ``not_before``, by ``since``.

    ``sure``, ``touched`` and ``beside`` as of an arrival.
    """

    point: Point
    colour: Colour
    since: float
    not_before: float
    sure: float = field(default=1.0, compare=False)
    touched: bool = field(default=True, compare=False)
    beside: bool = field(default=True, compare=False)


@dataclass(frozen=True)
class Step:
    """One move of a story; ``point`` None: a pass. ``arrival`` None: a pass, or a stone captured before it was seen."""

    colour: Colour
    point: Point | None
    arrival: Arrival | None
    inferred: bool = False


@dataclass(frozen=True)
class Change:
    """All that the visible board differs in from what is expected of it."""

    arrivals: tuple[Arrival, ...]
    removals: tuple[Removal, ...]

    @property
    def all(self) -> tuple[Arrival | Removal, ...]:
        """Stones that are gone and stones that came."""
        return (*self.removals, *self.arrivals)

    @property
    def points(self) -> frozenset[Point]:
        """Every point that differs."""
        return frozenset(change.point for change in self.all)

    def without(self, points: frozenset[Point]) -> Change:
        """The change as it would be if nothing had changed at these points."""
        arrivals = tuple(a for a in self.arrivals if a.point not in points)
        return Change(arrivals, tuple(r for r in self.removals if r.point not in points))


def order_seen(first: Arrival, second: Arrival) -> bool:
    """Whether it was seen that ``first`` lay there before ``second`` came."""
    return first.since <= second.earliest


@dataclass(frozen=True)
class _Line:
    """A beginning of a story: ``left`` are the arrivals still to come, as bits; ``time`` the last move came after."""

    position: Position
    left: int
    steps: tuple[Step, ...] = ()
    time: float = float("-inf")
    cost: float = 0.0
    unseen: int = 0

    @property
    def key(self) -> tuple[str, int, Point | None, Colour, int]:
        """Lines that agree in this have the same ways to go on."""
        position = self.position
        return position.layout.cells, self.left, position.ko_point, position.to_play, self.unseen


@dataclass
class _Search:
    """A beam: all lines grow by one move at a time, and the cheapest are kept."""

    rules: RuleSet
    visible: Layout
    arrivals: tuple[Arrival, ...]
    removals: tuple[Removal, ...]
    unseen: int
    tolerated: frozenset[Point] = field(default_factory=frozenset)
    """Points at which the end of the story need not agree with the visible board."""
    may_hide: Callable[[Point], bool] = lambda point: True
    """Whether a stone can have come and gone unseen at a point."""

    def __post_init__(self) -> None:
        count = len(self.arrivals)
        later = range(count)
        self._before = [
            sum(1 << j for j in later if j != i and order_seen(self.arrivals[j], self.arrivals[i])) for i in later
        ]
        skipped = {self.visible.index(p) for p in self.tolerated}
        self._judged = [i for i in range(len(self.visible.cells)) if i not in skipped]

    def run(self, position: Position) -> tuple[Step, ...] | None:
        """The cheapest story from a position with exactly ``unseen`` stones that nobody saw."""
        lines = [_Line(position, (1 << len(self.arrivals)) - 1, unseen=self.unseen)]
        for _ in range(len(self.arrivals) + self.unseen):
            grown: dict[object, _Line] = {}
            for line in lines:
                for longer in self._longer(line):
                    old = grown.get(longer.key)
                    if old is None or longer.cost < old.cost:
                        grown[longer.key] = longer
            lines = sorted(grown.values(), key=lambda line: line.cost)[:WIDTH]
        return next((line.steps for line in lines if self._agrees(line.position)), None)

    def _longer(self, line: _Line) -> Iterator[_Line]:
        tried = 0
        for i, arrival in enumerate(self.arrivals):
            if not line.left >> i & 1 or arrival.colour is not line.position.to_play:
                continue
            if self._before[i] & line.left:
                continue
            time = max(line.time, arrival.earliest)
            if time >= arrival.since:
                continue
            play = self._legal(line.position, arrival.colour, arrival.point)
            if play is not None:
                step = Step(arrival.colour, arrival.point, arrival)
                cost = line.cost + self._inversions(i, line.left)
                yield _Line(play.position, line.left & ~(1 << i), (*line.steps, step), time, cost, line.unseen)
            tried += 1
            if tried >= BRANCHES:
                break
        if line.unseen:
            yield from self._with_unseen(line)

    def _inversions(self, i: int, left: int) -> float:
        """What it costs that a stone comes before others that were seen earlier."""
        since = self.arrivals[i].since
        return INVERSION_COST * sum(since - a.since for k, a in enumerate(self.arrivals[:i]) if left >> k & 1)

    def _with_unseen(self, line: _Line) -> Iterator[_Line]:
        """A stone of the colour to play that one of the stones to come captured before it was seen."""
        colour = line.position.to_play
        left = [a for i, a in enumerate(self.arrivals) if line.left >> i & 1]
        for point in filter(self.may_hide, _hollows(line.position, self.visible, left, self.removals)):
            play = self._legal(line.position, colour, point)
            if play is not None:
                steps = (*line.steps, Step(colour, point, None, True))
                yield _Line(play.position, line.left, steps, line.time, line.cost + UNSEEN_COST, line.unseen - 1)

    def _legal(self, position: Position, colour: Colour, point: Point) -> Play | None:
        play = position.play(colour, point)
        return None if self.rules.forbidden(play.faults) else play

    def _agrees(self, position: Position) -> bool:
        """The rules' board has no stone that is not seen."""
        rules, seen = position.layout.cells, self.visible.cells
        return all(rules[i] in (EMPTY, seen[i]) or seen[i] == "?" for i in self._judged)


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
) -> tuple[Step, ...] | None:
    """The most natural line of alternating legal moves that explains the whole change, or None.

    Earlier arrivals are tried first. ``unseen``: so many stones more may have been played and captured without
    having been seen, where ``may_hide`` allows it. ``deviations``: points where the visible board is known not to
    agree with the rules' board.
    """
    arrivals = tuple(sorted(change.arrivals, key=lambda a: (a.since, a.not_before)))
    if not arrivals or len(arrivals) > MOST_STONES or _too_fast(arrivals):
        return None
    for extra in range(unseen + 1):
        if not _can_alternate(arrivals, position.to_play, extra):
            continue
        tolerated = frozenset(deviations or ())
        line = _Search(rules, visible, arrivals, change.removals, extra, tolerated, may_hide).run(position)
        if line is not None:
            return _mark_inferred(line)
    return None


def _too_fast(arrivals: tuple[Arrival, ...]) -> bool:
    """Whether so many stones cannot have been played in the time in which they came."""
    if len(arrivals) < 5 or not all(a.slack for a in arrivals):
        return False
    return arrivals[-1].since - min(a.earliest for a in arrivals) < FASTEST * len(arrivals)


def _can_alternate(arrivals: tuple[Arrival, ...], to_play: Colour, unseen: int) -> bool:
    """Whether the colours can take turns when ``unseen`` stones are added to those that came."""
    first = sum(a.colour is to_play for a in arrivals)
    whole = len(arrivals) + unseen
    return first <= (whole + 1) // 2 and len(arrivals) - first <= whole // 2


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
