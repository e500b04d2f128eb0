"""A stone that comes to light late, and had been there before stones that are in the record already."""

from __future__ import annotations

from kifuwatch.reconstruct.situation import Situation, Verdict, difference
from kifuwatch.reconstruct.stories import find_story, order_seen
from kifuwatch.rules import Position

DEEPEST = 4
"""So many of the last moves may be put after a stone that was seen before them."""


def came_before(s: Situation) -> Verdict | None:
    """The line in which a new stone takes its place before the last moves, where it was seen before them."""
    count = 0
    for recorded in reversed(s.records[-DEEPEST:]):
        later = recorded.step.arrival
        if later is None or recorded.event.captures or not any(order_seen(a, later) for a in s.arrivals):
            break
        count += 1
    if not count or s.removals:
        return None
    number = len(s.game) - count
    kept = {p: d for p, d in s.deviations.items() if d.move <= number}
    base = s.game.undo(count).position
    change = difference(base.layout, s.visible, kept, s.view)
    if number == 0 and not s.first_known and change.arrivals:
        base = Position.of(base.layout, change.arrivals[0].colour)
    plain = {p: d.cell for p, d in kept.items()}
    story = find_story(base, change, s.visible, s.rules, deviations=plain)
    if story is None or [step.point for step in story[:count]] == [r.step.point for r in s.records[-count:]]:
        return None
    return Verdict(count, f"{story[0].point} had been there before", story)
