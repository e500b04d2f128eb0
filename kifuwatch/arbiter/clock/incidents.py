"""What a clock makes the arbiter's to know: over time, late, away, pressed too early.

Each incident carries a key among its facts, so that it is told once. Nothing here looks at the time: ``now`` is handed
in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kifuwatch.arbiter.clock.clock import UNCERTAINTY, Absence, ClockState, seconds
from kifuwatch.arbiter.clock.joining import Pair, SeenMove
from kifuwatch.arbiter.clock.time_control import MINUTE
from kifuwatch.arbiter.code import Code, TimeRules
from kifuwatch.core.points import Colour
from kifuwatch.reconstruct.events import INFO, WARNING, Incident

KEY = "clock_key"
KEY_SHOWN = "clock key"
BEYOND = "beyond_the_limit"
BEYOND_SHOWN = "beyond the limit"
DEDUCT = "deduct_ms"
DEDUCT_SHOWN = "deduct ms"


@dataclass(frozen=True)
class Scene:
    """What the incidents of a clock are found in. ``moves``: of the record; ``uncleared``: the moves, by the recorder's
    numbers, of which an alert says that captured stones were left lying."""

    clock: ClockState
    code: Code
    pairs: tuple[Pair, ...]
    stones: tuple[SeenMove, ...]
    moves: int
    uncleared: frozenset[int] = frozenset()


def due(scene: Scene, now: int, told: frozenset[str]) -> tuple[Incident, ...]:
    """All that is the arbiter's to know by ``now`` (milliseconds) and has not been told; ``told``: keys that have."""
    found = [
        *_over_time(scene, now),
        *_early(scene, now),
        *_not_cleared(scene, now),
        *_absences(scene, now),
    ]
    return tuple(incident for incident in found if incident.facts[KEY] not in told)


def _incident(
    scene: Scene,
    code: str,
    t: int,
    now: int,
    colour: Colour,
    key: str,
    facts: dict[str, str],
    level: str = WARNING,
    stone: SeenMove | None = None,
) -> Incident:
    at = () if stone is None else (stone.at,)
    number = scene.moves if stone is None else stone.number
    facts = {"by": colour.value, **facts, KEY: key}
    return Incident(seconds(t), seconds(max(t, now)), code, at, number, level, colour=colour, facts=facts)


def _over_time(scene: Scene, now: int) -> Iterator[Incident]:
    """The time of a player is used up; within the uncertainty of the feed that is a notice only."""
    for colour in Colour:
        t = scene.clock.out_at(colour)
        if t is None or t > now:
            continue
        key = f"over-time {colour.value} {t}"
        press = next((press for press in scene.clock.presses if press.colour is colour and press.t >= t), None)
        beyond = (press.t if press else now) - t
        level = WARNING if beyond > (press.uncertainty if press else UNCERTAINTY) or scene.clock.read else INFO
        if press is None and level == INFO and colour is scene.clock.running:
            continue  # he may be pressing at this moment: the next look tells
        facts = {"control": str(scene.clock.control), "over_by_ms": str(beyond)}
        yield _incident(scene, "over-time", t, now, colour, key, facts, level)


def _early(scene: Scene, now: int) -> Iterator[Incident]:
    for pair in scene.pairs:
        if pair.early:
            key = f"early {pair.press.row}"
            facts = {"margin_ms": str(pair.margin), "uncertainty_ms": str(pair.press.uncertainty)}
            yield _incident(
                scene, "clock-before-stone", pair.press.t, now, pair.press.colour, key, facts, stone=pair.move
            )


def _not_cleared(scene: Scene, now: int) -> Iterator[Incident]:
    """The clock was pressed while captured stones lay on the board. Where they were left there for good, that is the
    alert of the missed capture, unless the code knows of no other fault than the press (cn1988 23.4)."""
    only_press = not scene.code.ruling("missed-capture").article
    for pair in scene.pairs:
        lying = pair.lying
        left = only_press and pair.move.lifts is None and pair.move.number in scene.uncleared
        if pair.early or not (lying or left):
            continue
        facts = {"captured": str(pair.move.captures), "lying": str(len(lying)) if lying else "left there"}
        if pair.cleared_after is not None:
            facts["cleared_after_ms"] = str(pair.cleared_after)
        key = f"uncleared {pair.press.row}"
        yield _incident(scene, "clock-before-clear", pair.press.t, now, pair.press.colour, key, facts, stone=pair.move)


# Who is not there


def _absences(scene: Scene, now: int) -> Iterator[Incident]:
    for each in scene.clock.absences:
        if each.late:
            yield from _late(scene, each, now)
        else:
            yield from _away(scene, each, now)


def limit_of(time: TimeRules, same_house: bool) -> int:
    """Beyond so many milliseconds a player who is late has lost (cn2002 22.1, 22.2); 0 where the code has no limit."""
    return round((time.late_limit_same_house_minutes if same_house else time.late_limit_minutes) * MINUTE)


def lateness(time: TimeRules, passed: int, same_house: bool) -> dict[str, str]:
    """The facts of somebody who comes so many milliseconds late: what is taken off, or that it is beyond the limit."""
    limit = limit_of(time, same_house)
    facts = {"late_minutes": f"{passed / MINUTE:.1f}", "limit_minutes": f"{limit / MINUTE:g}"}
    if limit and passed > limit:
        return facts | {BEYOND: "yes"}
    return facts | {DEDUCT: str(round(passed * time.late_factor))}


def _late(scene: Scene, each: Absence, now: int) -> Iterator[Incident]:
    """Late: noticed at once; lost beyond the limit; when he comes, what is taken off his time."""
    time, same_house = scene.code.time, scene.clock.same_house
    limit, name = limit_of(time, same_house), f"{each.row} {each.colour.value}"
    passed = max(0, (now if each.until is None else each.until) - each.since)
    facts = lateness(time, passed, same_house)
    others = [other for other in scene.clock.absences if other.late and other.colour is not each.colour]
    if BEYOND in facts:
        both = any((now if other.until is None else other.until) - other.since > limit for other in others)
        facts |= {"both": "yes"} if both else {}
        yield _incident(scene, "late", each.since + limit, now, each.colour, f"late beyond {name}", facts)
    elif each.until is not None and passed:
        yield _incident(scene, "late", each.until, now, each.colour, f"late {name}", facts)
    elif each.until is None:
        facts = {"limit_minutes": facts["limit_minutes"]}
        if not scene.clock.control.main:
            facts["count_down"] = "his time is counted down in his absence"
        yield _incident(scene, "late", each.since, now, each.colour, f"late noticed {name}", facts, INFO)


def _away(scene: Scene, each: Absence, now: int) -> Iterator[Incident]:
    """Leaving the board in byo-yomi: only in the opponent's time, once a game, with leave (cn2002 22.7); and whoever
    comes back is shown where the opponent has played meanwhile (16.5)."""
    before = [
        other
        for other in scene.clock.absences
        if other.colour is each.colour and other.in_overtime and not other.late and other.since < each.since
    ]
    wrong = []
    if each.in_overtime and each.own_turn:
        wrong.append("in his own time")
    if each.in_overtime and not each.permitted:
        wrong.append("without leave")
    if each.in_overtime and before:
        wrong.append(f"for the {len(before) + 1}. time")
    key = f"away {each.row}"
    if wrong:
        yield _incident(scene, "absent", each.since, now, each.colour, key, {"in_byo-yomi": ", ".join(wrong)})
    if each.until is not None:
        played = [s for s in scene.stones if s.colour is not each.colour and each.since < s.latest <= each.until]
        if played:
            facts = {"show": f"{played[-1].at} was played meanwhile"}
            yield _incident(scene, "absent", each.until, now, each.colour, f"back {each.row}", facts, INFO, played[-1])


def keys(evidence: Iterable[str]) -> Iterator[str]:
    """The keys among the evidence of alerts."""
    for text in evidence:
        name, _, value = text.partition(": ")
        if name == KEY_SHOWN:
            yield value
