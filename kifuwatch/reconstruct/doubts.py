"""What is read with doubt: a change that may be none, a move that may have been a misreading.

A reading can be wrong for seconds: a glossy stone, a low camera, a shadow. That a reading lasts says little, for
readings one after the other err alike. So a change has a price at which it is taken for a misreading, in nats: high
where it is read surely and a hand was there, low where not. A story that needs no doubtful change is better than one
that makes a player take back a stone.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import log

from kifuwatch.core.points import Point
from kifuwatch.reconstruct.events import INFO, Incident
from kifuwatch.reconstruct.likelihoods import weigh
from kifuwatch.reconstruct.situation import SURE, Deviation, Kind, Recorded, Situation, Verdict, difference
from kifuwatch.reconstruct.stories import Arrival, Removal, Step, find_story

HAND_COST, ABOUT_COST = 1.5, 0.75
"""What a hand at the place speaks for a change, and one that was only somewhere over the board."""
DEAREST = 3.9
"""A change that costs more is taken as it is: with a hand there, one that is read more surely than 0.91."""
LASTING_SURE = 0.93
MOST_DOUBTS = 5
MOST_READINGS = 12
DEEPEST = 4
"""So many of the last moves may turn out to have been misread."""


def price(s: Situation, change: Arrival | Removal) -> float:
    """What it costs to call a change a misreading. What lasts, and is read surely, has been touched after all."""
    lasting = s.now - change.since >= s.patience.unlikely and change.sure >= LASTING_SURE
    hand = HAND_COST if lasting or (change.touched and change.beside) else ABOUT_COST if change.touched else 0.0
    return -log(max(1.0 - change.sure, 0.01)) + hand


def doubtful(s: Situation) -> dict[Point, float]:
    """The points of the change that may be misread, each with its price."""
    prices: dict[Point, float] = {}
    for change in s.change.all:
        prices[change.point] = max(price(s, change), prices.get(change.point, 0.0))
    return {p: cost for p, cost in prices.items() if cost <= DEAREST}


def lenient_readings(s: Situation) -> Iterator[frozenset[Point]]:
    """Points that may be misread together, the cheapest first."""
    prices = doubtful(s)
    points = sorted(prices, key=lambda p: prices[p])[:MOST_DOUBTS]
    sets = [frozenset(c) for count in (1, 2, 3) for c in combinations(points, count)]
    yield from sorted(sets, key=lambda each: sum(prices[p] for p in each))[:MOST_READINGS]


def noted(s: Situation, points: frozenset[Point], move: int) -> dict[Point, Deviation]:
    """What is read at these points is expected from now on, and believed by nobody."""
    return {p: Deviation(s.visible[p], Kind.DOUBTFUL, move, s.now) for p in points}


def doing_without(s: Situation) -> tuple[frozenset[Point], tuple[Step, ...]] | None:
    """The cheapest set of misreadings that leaves a story, and that story."""
    for points in lenient_readings(s):
        change = s.change.without(points)
        if not change.arrivals:
            continue
        plain = {p: d.cell for p, d in s.deviations.items()} | {p: s.visible[p] for p in points}
        story = find_story(s.position_for(change), change, s.visible, s.rules, deviations=plain)
        if story is not None:
            return points, story
    return None


def believing(s: Situation) -> tuple[frozenset[Point], tuple[Step, ...]] | None:
    """The story that there is when what was doubted is believed after all, and where that is."""
    doubts = frozenset(p for p, d in s.deviations.items() if d.kind is Kind.DOUBTFUL)
    if not doubts:
        return None
    rest = {p: d for p, d in s.deviations.items() if p not in doubts}
    change = difference(s.model, s.visible, rest, s.view)
    plain = {p: d.cell for p, d in rest.items()}
    story = find_story(s.position_for(change), change, s.visible, s.rules, deviations=plain)
    return None if story is None else (doubts, story)


def doubted(s: Situation) -> Verdict | None:
    """Nothing but doubtful changes, and no story for them: not believed, and not forgotten."""
    points = doubtful(s)
    in_turn = any(a.colour is s.to_play for a in s.arrivals)
    patience = s.patience.doubtful + 1.0 if in_turn else s.patience.misread
    if not points or points.keys() != s.change.points or not s.waited(s.latest, patience):
        return None
    likelihoods = weigh("uncertain-reading", points, s.view, s.visible)
    notice = Incident(s.latest, s.now, "uncertain-reading", tuple(points), len(s.game), INFO, likelihoods=likelihoods)
    return Verdict(deviations=noted(s, frozenset(points), len(s.game)), incident=notice)


def mistaken(s: Situation) -> Verdict | None:
    """A stone that was recorded with doubt makes the rest impossible: without it there is a story."""
    for count in range(1, min(DEEPEST, len(s.records)) + 1):
        recorded = s.records[-count]
        point = recorded.step.point
        if point is None or not _may_be_misread(s, recorded):
            continue
        number = len(s.game) - count
        kept = {p: d for p, d in s.deviations.items() if d.move <= number}
        if s.visible[point] == recorded.step.colour.cell:
            kept |= noted(s, frozenset([point]), number)
        base = s.game.undo(count).position
        change = difference(base.layout, s.visible, kept, s.view)
        plain = {p: d.cell for p, d in kept.items()}
        if len(change.arrivals) < count:  # the others of these moves have to be played again, and something more
            continue
        story = find_story(base, change, s.visible, s.rules, deviations=plain)
        if story is not None:
            return Verdict(count, f"{point} was misread", story, {p: d for p, d in kept.items() if p == point})
    return None


def _may_be_misread(s: Situation, recorded: Recorded) -> bool:
    arrival = recorded.step.arrival
    return arrival is not None and arrival.sure < SURE and s.view.sure(s.index(arrival.point)) < 0.97


def sure_by_now(s: Situation, point: Point) -> bool:
    """Whether what was read with doubt at a point is beyond doubt by now."""
    index, noted_at = s.index(point), s.deviations[point].t
    since, touched = float(s.view.since[index]), bool(s.view.by_hand[index])
    change = Removal(point, s.to_play, since, since, s.view.sure(index), touched, bool(s.view.beside_hand[index]))
    return s.waited(noted_at, s.patience.misread, at_end=False) and price(s, change) > DEAREST
