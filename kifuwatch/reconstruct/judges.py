"""The readings of a change that no line of legal moves explains: each judge gives a verdict, or waits.

:func:`judge` asks them in turn, the innocent readings first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import hypot

from kifuwatch.core.points import EMPTY, Colour, Layout, Point
from kifuwatch.reconstruct.customs import put_down_before
from kifuwatch.reconstruct.doubts import doubted, mistaken
from kifuwatch.reconstruct.events import INFO, WARNING, Incident
from kifuwatch.reconstruct.likelihoods import weigh
from kifuwatch.reconstruct.situation import SURE, Deviation, Kind, Recorded, Situation, Verdict, difference, near
from kifuwatch.reconstruct.stories import Arrival, Change, Removal, Step, find_story, single
from kifuwatch.rules import Fault

DEEPEST_UNDO = 4
TOGETHER = 5.0
"""Seconds within which a stone that went here and one that came there can be one stone."""
AT_ONCE = 1.0
"""Seconds within which that is likely wherever on the board the two points are."""
LONGEST_UNSEEN = 8.0
"""Seconds for which missing stones wait for the whole board to have been in view: hands may still be at work."""
LONGEST_MISREAD = 5.0
"""Seconds for which something that a hand has passed can look like a stone."""
ONE_BY_ONE = 0.4
"""Seconds between two stones that are taken off as moves are taken back."""
OFF_CENTRE = 0.35
"""Pitches off its point at which a stone that is taken up again had fallen there, rather than been put."""
REVIEW = 4
"""So many of the last moves taken back one after the other are a review, not a takeback."""


def incident(
    s: Situation,
    code: str,
    t: float,
    at: Iterable[Point],
    level: str = WARNING,
    move: int | None = None,
    whose: Colour | None = None,
    **facts: object,
) -> Incident:
    """An incident seen now. ``move``: the number of the move it belongs to, by default the last of the record;
    ``whose`` doing it is, where that is known."""
    text = {name: str(value) for name, value in facts.items() if value is not None}
    points, number = tuple(at), len(s.game) if move is None else move
    likelihoods = weigh(code, points, s.view, s.visible)
    return Incident(t, s.now, code, points, number, level, whose, text, likelihoods)


def put_elsewhere(s: Situation) -> Verdict | None:
    """One of the last stones lies somewhere else now: adjusting, a takeback, moves undone, or a misreading.

    What was read as a stone only while a hand was near may have been answered before it turns out to be none.
    """
    gone = {r.point: r for r in s.removals}
    undone = True
    for count in range(1, min(DEEPEST_UNDO, len(s.records)) + 1):
        recorded = s.records[-count]
        removal = None if recorded.step.point is None else gone.get(recorded.step.point)
        undone = undone and removal is not None
        if removal is None or not (undone or _never_lay(s, recorded, removal)):
            continue
        story = _instead(s, count)
        if story is not None:
            return _instead_of(s, count, recorded, removal, story)
    return None


def _instead(s: Situation, count: int) -> tuple[Step, ...] | None:
    """The story that explains the board when the last ``count`` moves were not played."""
    number = len(s.game) - count
    kept = {p: d for p, d in s.deviations.items() if d.move <= number}
    base = s.game.undo(count).position
    change = difference(base.layout, s.visible, kept, s.view)
    if not change.arrivals:
        return None
    return find_story(base, change, s.visible, s.rules, deviations={p: d.cell for p, d in kept.items()})


def _instead_of(s: Situation, count: int, recorded: Recorded, removal: Removal, story: tuple[Step, ...]) -> Verdict:
    old = removal.point
    if _misread(s, recorded, removal):
        return Verdict(count, f"{old} was misread", story)
    if _lay_briefly(s, recorded, removal):
        return Verdict(count, f"adjusted from {old} before the hand left it", story)
    if count > 1:
        return Verdict(count, f"{count} moves undone", story)
    first = story[0]
    in_view = f"{_in_view(recorded, removal):.1f}"
    since = first.arrival.since if first.arrival else s.now
    new = () if first.point is None else (first.point,)
    off = hypot(*(s.offset(old) or (0.0, 0.0)))
    dropped, whose = off >= OFF_CENTRE, recorded.step.colour
    code, fact = ("dropped-stone", f"{off:.2f}") if dropped else ("takeback", None)
    alert = incident(s, code, since, (old, *new), whose=whose, in_view=in_view, off=fact)
    return Verdict(1, f"{'fell on' if dropped else 'taken back from'} {old}", story, incident=alert)


def lifted(s: Situation) -> Verdict | None:
    """The last stone was taken off again and nothing stands instead."""
    if not s.records or s.records[-1].event.captures:
        return None
    last = s.records[-1]
    removal = next((r for r in s.removals if r.point == last.step.point), None)
    if removal is None or (removal.sure < SURE and not s.waited_in_doubt(removal.since)):
        return None
    if _never_lay(s, last, removal):
        reason = f"{removal.point} was misread" if _misread(s, last, removal) else "put down and taken up again"
        return Verdict(1, reason) if s.waited(removal.since, 0.6) else None
    if s.arrivals or len(s.removals) != 1 or not s.waited_long(removal.since, s.patience.capture_first):
        return None
    alert = None if s.final else incident(s, "takeback", removal.since, (removal.point,), whose=last.step.colour)
    return Verdict(1, f"taken back from {removal.point}", incident=alert)


def _misread(s: Situation, recorded: Recorded, removal: Removal) -> bool:
    """Whether the stone was read with doubt, or goes so soon as no hand can have taken it: there was none."""
    arrival = recorded.step.arrival
    if arrival is None:
        return False
    by_itself = not removal.touched and s.visible[removal.point] == EMPTY
    soon = not arrival.touched or _in_view(recorded, removal) < LONGEST_MISREAD
    return (by_itself and soon) or arrival.sure < SURE


def _never_lay(s: Situation, recorded: Recorded, removal: Removal) -> bool:
    return _misread(s, recorded, removal) or _lay_briefly(s, recorded, removal)


def _in_view(recorded: Recorded, removal: Removal) -> float:
    """Seconds for which a stone was seen on its point."""
    arrival = recorded.step.arrival
    return removal.not_before - arrival.since if arrival else 0.0


def _lay_briefly(s: Situation, recorded: Recorded, removal: Removal) -> bool:
    """Whether the stone was never out of the hand for long enough to count as played."""
    hand_off = s.settled_views or s.view.free_before[s.index(removal.point)] >= s.patience.hand_off
    return _in_view(recorded, removal) < s.patience.takeback_silent or not hand_off


def slid_as_move(s: Situation) -> Verdict | None:
    """What was taken for a move was an older stone moved to the next point: its old point turns out empty."""
    if s.arrivals or len(s.removals) != 1 or not s.records or _captured_first(s):
        return None
    removal, last = s.removals[0], s.records[-1]
    arrival = last.step.arrival
    if arrival is None or last.event.captures or arrival.colour is not removal.colour:
        return None
    together = removal.not_before - 0.8 <= arrival.since and arrival.not_before - 0.8 <= removal.since
    if arrival.point == removal.point or not near(arrival.point, removal.point, 2) or not together:
        return None
    if not s.waited(removal.since, s.patience.change) or not s.beyond_doubt(removal) or not s.let_go(removal):
        return None
    if _swept_with_others(s, arrival):
        return Verdict(1, "one of the stones that were swept along")
    return _moved(s, [(removal, arrival)], retract=1)


def _swept_with_others(s: Situation, arrival: Arrival) -> bool:
    """Whether the board was scattered at the time: without the stone as a move, all of it is judged again as one."""
    swept = [d.t for d in s.deviations.values() if d.kind is Kind.SCATTERED and d.move == len(s.game)]
    return any(abs(t - arrival.since) < TOGETHER for t in swept)


def relocated(s: Situation) -> Verdict | None:
    """Stones stand on other points than before, and nobody has played: moved stones."""
    if not s.removals or not s.arrivals or not s.waited(s.latest, s.patience.change, at_end=False):
        return None
    pairs, taken = [], set()
    for removal in filter(s.beyond_doubt, s.removals):
        far = {
            a: _distance(a.point, removal.point)
            for a in s.arrivals
            if a.colour is removal.colour
            and a not in taken
            and a.point != removal.point
            and (s.settled_views or abs(a.since - removal.since) < TOGETHER)
        }
        best = min(far, key=lambda a: far[a], default=None)
        if best is None:
            continue
        at_once = abs(best.since - removal.since) <= AT_ONCE
        alone = best.colour is not s.to_play and len(s.removals) == 1
        if near(best.point, removal.point, 2) or at_once or alone:
            pairs.append((removal, best))
            taken.add(best)
    still_in_hand = any(not (s.let_go(r) and s.let_go(a)) for r, a in pairs)
    return _moved(s, pairs) if pairs and not still_in_hand else None


def _distance(a: Point, b: Point) -> int:
    return (a.col - b.col) ** 2 + (a.row - b.row) ** 2


def _moved(s: Situation, pairs: list[tuple[Removal, Arrival]], retract: int = 0) -> Verdict:
    move = len(s.game) - retract
    deviations, points = {}, []
    for removal, arrival in pairs:
        deviations[removal.point] = Deviation(EMPTY, Kind.LEFT, move, removal.since)
        deviations[arrival.point] = Deviation(arrival.colour.cell, Kind.DISPLACED, move, arrival.since)
        points += [removal.point, arrival.point]
    first = min(min(r.since, a.since) for r, a in pairs)
    stone = next((r.event.number for r in s.records if r.event.at == pairs[0][0].point), "before the record")
    alert = incident(
        s,
        "moved-stone",
        first,
        points,
        move=move,
        stone_of_move=stone,
        last_at_original=f"{pairs[0][0].not_before:.2f}",
        first_at_new=f"{pairs[0][1].since:.2f}",
    )
    return Verdict(retract, "an older stone, moved", deviations=deviations, incident=alert)


def forbidden(s: Situation) -> Verdict | None:
    """A stone in turn that the rules forbid: a ko taken back at once, a point without liberties.

    The stone is the next move of the record, and what is wrong with it belongs to that one.
    """
    if not s.arrivals:
        return None
    arrival = s.arrivals[0]
    if arrival.colour is not s.to_play:
        return None
    look = s.game.look(arrival.colour, arrival.point)
    broken = s.rules.forbidden(look.faults & ~Fault.OUT_OF_TURN)
    if any(r.point == arrival.point for r in s.removals) or not s.beyond_doubt(arrival):
        return None
    if not broken or not s.waited(arrival.since, s.patience.removed) or not _all_seen(s, arrival.since):
        return None
    t, at, whose, move = arrival.since, (arrival.point,), arrival.colour, len(s.game) + 1
    if Fault.KO in broken:
        alert = incident(s, "ko-violation", t, (*at, *look.captured), move=move, whose=whose)
        alert = replace(alert, likelihoods=weigh("ko-violation", at, s.view, s.visible, whose))
    elif Fault.SUICIDE in broken:
        alert = incident(s, "forbidden-point", t, at, move=move, whose=whose, stones=len(look.self_captured))
    elif broken & (Fault.POSITIONAL_REPEAT | Fault.SITUATIONAL_REPEAT):
        return Verdict(steps=(single(arrival),))
    else:
        alert = incident(s, "uncertain-reading", t, at, move=move)
    return Verdict(steps=(single(arrival),), incident=alert)


def out_of_turn(s: Situation) -> Verdict | None:
    """A stone of the colour that has just moved, and no stone of the other colour that came before it."""
    if not s.arrivals or s.arrivals[0].colour is s.to_play:
        return None
    arrival = s.arrivals[0]
    if not s.beyond_doubt(arrival) or not s.let_go(arrival):
        return None
    answered = any(a.colour is s.to_play for a in s.arrivals)
    patience = s.patience.out_of_turn if answered else s.patience.appeared
    if not s.waited(arrival.since, patience) or not _all_seen(s, arrival.since) or not _lies_there(s, arrival):
        return None
    again = _replayed_ghost(s) or _captured_unseen(s)
    if again is not None:
        return again
    before = put_down_before(s, arrival)
    if before is not None:
        return Verdict(before_game=before)
    last = s.records[-1] if s.records else None
    passed = None if last is None else s.pass_between(last.event.t, arrival.since, s.to_play)
    if passed is not None:
        return Verdict(steps=(passed, single(arrival)))
    if _put_back(s, arrival) or s.owner(arrival) is arrival.colour.opponent:
        return _appeared(s, arrival)
    if last and last.step.arrival and last.hand is last.step.colour.opponent and last.step.colour is arrival.colour:
        return _appeared_before(s, last.step.arrival, arrival)
    points = (arrival.point,) if last is None or last.step.point is None else (last.step.point, arrival.point)
    return Verdict(steps=(single(arrival),), incident=_two_moves(s, points, arrival))


def _two_moves(s: Situation, points: tuple[Point, ...], arrival: Arrival) -> Incident:
    """The same colour twice is a question first of all; whose hand it was is told with it, where it was seen. It
    belongs to the second of the moves: that one is the next of the record."""
    colour, owner, question = arrival.colour, s.owner(arrival), "did the opponent pass?"
    hand, move = owner.value if owner else None, len(s.game) + 1
    alert = incident(s, "two-moves", arrival.since, points, move=move, whose=colour, question=question, hand=hand)
    return replace(alert, likelihoods=weigh("two-moves", points, s.view, s.visible, colour))


def _all_seen(s: Situation, since: float, longest: float | None = None) -> bool:
    """Whether every point has been in view after ``since``, so that nothing can be hidden that came before.

    After ``longest`` seconds it is no longer waited for.
    """
    longest = s.patience.hidden if longest is None else longest
    if s.settled_views or s.now - since > longest:
        return True
    return s.view.wholly_clear_since(since) and not s.view.unsettled()


def _lies_there(s: Situation, change: Arrival | Removal) -> bool:
    """Whether a point is in view as it was read, with no hand over it that may be undoing the change."""
    return s.final or s.settled_views or float(s.view.agreed[s.index(change.point)]) >= s.now - 0.3


def _replayed_ghost(s: Situation) -> Verdict | None:
    """A captured stone was taken off under the hand and one of its colour played on the same point."""
    for point, deviation in s.deviations.items():
        colour = Colour.of_cell(deviation.cell)
        hidden = float(s.view.covered[s.index(point)])
        if deviation.kind is not Kind.GHOST or colour is not s.to_play or hidden <= deviation.t:
            continue
        unseen = Arrival(point, colour, hidden, deviation.t)
        change = Change((unseen, *s.arrivals), s.removals)
        rest = {p: d.cell for p, d in s.deviations.items() if p != point}
        story = find_story(s.position, change, s.visible, s.rules, deviations=rest)
        if story is not None:
            return Verdict(steps=story)
    return None


def _captured_unseen(s: Situation) -> Verdict | None:
    """The stone between was put down and captured before it was ever in view."""
    plain = {p: d.cell for p, d in s.deviations.items()}
    story = find_story(s.position, s.change, s.visible, s.rules, unseen=1, may_hide=s.may_hide, deviations=plain)
    return None if story is None else Verdict(steps=story)


def _put_back(s: Situation, arrival: Arrival) -> bool:
    """Whether the stone stands where one of its colour has just been captured."""
    return any(arrival.point in r.event.captures and r.step.colour is not arrival.colour for r in s.records[-2:])


def _appeared(s: Situation, arrival: Arrival) -> Verdict:
    stray = {arrival.point: Deviation(arrival.colour.cell, Kind.STRAY, len(s.game), arrival.since)}
    alert = incident(s, "stone-appeared", arrival.since, (arrival.point,), colour=arrival.colour.value)
    return Verdict(deviations=stray, incident=alert)


def _appeared_before(s: Situation, dropped: Arrival, played: Arrival) -> Verdict:
    """The stone before was laid by the other player's hand: it was no move, and this one is."""
    stray = {dropped.point: Deviation(dropped.colour.cell, Kind.STRAY, len(s.game) - 1, dropped.since)}
    alert = incident(
        s,
        "stone-appeared",
        dropped.since,
        (dropped.point,),
        move=len(s.game) - 1,
        colour=dropped.colour.value,
        hand=dropped.colour.opponent.value,
    )
    return Verdict(1, f"{dropped.point} was laid by the other player's hand", (single(played),), stray, alert)


def reviewed(s: Situation) -> Verdict | None:
    """The last moves are taken off one by one, the latest first: the game is over and gone through again."""
    count, gone = len(s.removals), {r.point: r.since for r in s.removals}
    if not REVIEW <= count <= len(s.records):
        return None
    last = [r.step.point for r in reversed(s.records[-count:])]
    if set(last) != gone.keys():
        return None
    when = [gone[p] for p in last if p is not None]
    one_by_one = when == sorted(when) and when[-1] - when[0] > ONE_BY_ONE * (count - 1)
    if not s.waited_long(max(when), s.patience.appeared if one_by_one else s.patience.cleared):
        return None
    if s.arrivals and not one_by_one:
        return None
    notice = incident(s, "end-signal", s.latest, sorted(gone), INFO, reading="the last moves are taken back")
    return Verdict(deviations=_as_seen(s), incident=notice, closes=True)


def scattered(s: Situation) -> Verdict | None:
    """Many stones are elsewhere, or gone."""
    if len(s.change.points) < s.patience.scatter or _captured_first(s):
        return None
    if not s.waited(s.latest, s.patience.change, at_end=False) or not _all_seen(s, s.latest, LONGEST_UNSEEN):
        return None
    deviations = _as_seen(s)
    if not s.arrivals:
        if not s.waited_long(s.latest, s.patience.cleared):
            return None
        if _mostly_gone(s.model, s.visible):
            notice = incident(s, "scattered-board", s.latest, (), INFO, reading="the board was cleared")
            return Verdict(deviations=deviations, incident=notice, closes=True)
    points = sorted(s.change.points)
    return Verdict(deviations=deviations, incident=incident(s, "scattered-board", s.latest, points))


def _as_seen(s: Situation) -> dict[Point, Deviation]:
    noted = {r.point: Deviation(s.visible[r.point], Kind.SCATTERED, len(s.game), r.since) for r in s.removals}
    noted |= {a.point: Deviation(a.colour.cell, Kind.SCATTERED, len(s.game), a.since) for a in s.arrivals}
    return noted


def _mostly_gone(model: Layout, visible: Layout) -> bool:
    stones = len(model.cells) - model.cells.count(EMPTY)
    left = len(visible.cells) - visible.cells.count(EMPTY)
    return left <= 0.15 * stones


def taken_off(s: Situation) -> Verdict | None:
    """Stones of the rules' board are missing: taken wrongly, or vanished."""
    lost = [r for r in s.removals if s.visible[r.point] == EMPTY and s.beyond_doubt(r)]
    if not lost:
        return None
    if _captured_first(s) and not s.waited_long(lost[0].since, s.patience.capture_first):
        return None
    last = s.records[-1] if s.records else None
    undone = last is not None and any(r.point == last.step.point for r in lost)
    if undone and not s.waited_long(lost[0].since, s.patience.capture_first):
        return None
    latest = max(r.since for r in lost)
    if not s.waited(latest, s.patience.removed, at_end=False) or not _all_seen(s, latest, LONGEST_UNSEEN):
        return None
    if not all(_lies_there(s, r) and s.let_go(r) for r in lost) and s.now - latest < LONGEST_UNSEEN:
        return None
    points = [r.point for r in lost]
    owed = {r.point: Deviation(EMPTY, Kind.OWED, len(s.game), r.since) for r in lost}
    code = "wrong-capture" if _looks_like_capture(s, lost) else "stone-vanished"
    taker = lost[0].colour.opponent if code == "wrong-capture" and len({r.colour for r in lost}) == 1 else None
    alert = incident(s, code, lost[0].since, points, whose=taker, stones=len(points))
    if taker is not None and (last is None or last.step.colour is not taker):
        alert = replace(alert, move=len(s.game) + 1)  # taken without a stone, in the turn in which he is to play
    return Verdict(deviations=owed, incident=alert)


def _captured_first(s: Situation) -> bool:
    """Whether one move of the colour to play would capture all that is missing (and perhaps more)."""
    if not s.removals:
        return False
    colour = s.removals[0].colour
    if any(r.colour is not colour for r in s.removals) or (s.turn_known and colour is s.game.position.to_play):
        return False
    position = s.game.position
    candidates = frozenset.intersection(*(position.liberties(r.point) for r in s.removals))
    gone = {r.point for r in s.removals}
    return any(gone <= position.play(colour.opponent, point).captured for point in candidates)


def _looks_like_capture(s: Situation, lost: list[Removal]) -> bool:
    """Whole chains of the other colour, beside the last stone, beside its captures, or of several stones."""
    position, points = s.game.position, {r.point for r in lost}
    chains = {position.chain_at(p) for p in points}
    if any(not chain <= points for chain in chains):
        return _beside_captures(s, lost)
    last = s.records[-1] if s.records else None
    touching = (
        last is not None
        and last.step.colour is not lost[0].colour
        and any(last.step.point is not None and _distance(last.step.point, p) == 1 for p in points)
    )
    return touching or len(points) >= 2 or _beside_captures(s, lost)


def _beside_captures(s: Situation, lost: list[Removal]) -> bool:
    """Whether the last move captured stones next to these, and they went with them."""
    last = s.records[-1] if s.records else None
    if last is None or last.step.colour is lost[0].colour:
        return False
    close = [c for c in last.event.captures if any(near(c, r.point, 1) for r in lost)]
    return bool(close) and lost[0].since - last.event.t < s.patience.capture


def misread(s: Situation) -> Verdict | None:
    """A stone has changed its colour: impossible, so the reading is in doubt. The rules keep what they have.

    Where a hand was there, a stone may have been put on a stone, or in its place: a question of another kind.
    """
    flips = [a for a in s.arrivals if any(r.point == a.point for r in s.removals)]
    if not flips or not s.waited(flips[-1].since, s.patience.misread, at_end=False):
        return None
    if not all(s.beyond_doubt(a) for a in flips):
        return None
    noted = {a.point: Deviation(a.colour.cell, Kind.MISREAD, len(s.game), a.since) for a in flips}
    by_hand = not s.settled_views and all(a.touched and a.sure >= SURE for a in flips)
    code, question = ("stone-appeared", "a stone put on a stone?") if by_hand else ("uncertain-reading", None)
    alert = incident(s, code, flips[0].since, [a.point for a in flips], question=question)
    return Verdict(deviations=noted, incident=alert)


Judge = Callable[[Situation], Verdict | None]
OF_ANY_CHANGE: tuple[Judge, ...] = (mistaken, put_elsewhere, lifted, slid_as_move, reviewed, scattered)
OF_FEW_CHANGES: tuple[Judge, ...] = (doubted, misread, relocated, forbidden, out_of_turn, taken_off)


def judge(s: Situation) -> Verdict | None:
    """The first verdict that a judge gives, or None: wait. Many changes at once are not judged one by one."""
    many = len(s.change.points) >= s.patience.scatter and not _captured_first(s)
    for ask in OF_ANY_CHANGE if many else (*OF_ANY_CHANGE, *OF_FEW_CHANGES):
        verdict = ask(s)
        if verdict is not None:
            return verdict
    return None
