"""Games: clips held against their scenarios, and series of photographs held against what changed between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kifuwatch.core.points import HIDDEN, Colour, Layout
from kifuwatch.datasets.figures import CpuCost, cost_ratio, percentile, share
from kifuwatch.datasets.labelled import LabelledSequence, Move, Scenario
from kifuwatch.datasets.matching import (
    AlertMatch,
    MoveMatch,
    ReportedAlert,
    match_alerts,
    match_moves,
    match_steps,
)
from kifuwatch.datasets.report import Report, read_report

Events = Iterable[Mapping[str, object]]


@dataclass(frozen=True)
class GameResult:
    """One recorded game held against the truth.

    ``final_right``: the last board is as it lies, or None where the truth names none. ``delays``: seconds from the
    moment a stone stood, or could be seen where the truth says when, to the moment its move was said. ``fault``: why
    there is no record, where there is none. ``conditions``: what figures can be split by beside the group.
    """

    id: str
    group: str
    expected: int
    reported: int
    right: int
    final_right: bool | None
    alerts_expected: int
    alerts_met: int
    false_alerts: tuple[ReportedAlert, ...]
    delays: tuple[float, ...]
    seconds: float
    wall: float
    cost: CpuCost
    fault: str = ""
    missed: tuple[str, ...] = ()
    first_fault: str = ""
    conditions: Mapping[str, str] = field(default_factory=dict)

    @property
    def exact(self) -> bool:
        """Recorded without one wrong, missing or extra move."""
        return not self.fault and self.right == self.expected == self.reported

    def to_json(self) -> dict[str, object]:
        """The result as plain values."""
        return {
            "id": self.id,
            "group": self.group,
            "conditions": dict(self.conditions),
            "moves_expected": self.expected,
            "moves_reported": self.reported,
            "moves_right": self.right,
            "first_fault": self.first_fault,
            "final_right": self.final_right,
            "alerts_expected": self.alerts_expected,
            "alerts_met": self.alerts_met,
            "alerts_missed": list(self.missed),
            "alerts_false": [
                {"code": alert.code, "t": alert.seconds, "at": sorted(map(str, alert.at))}
                for alert in self.false_alerts
            ],
            "delay_seconds_median": percentile(self.delays, 50),
            "delay_seconds_longest": percentile(self.delays, 100),
            "cpu_seconds": round(self.cost.pipeline, 2),
            "fault": self.fault,
        }

    def spent(self, cost: CpuCost, wall: float) -> GameResult:
        """The same result with what it cost."""
        return replace(self, cost=cost, wall=wall)


NO_COST = CpuCost(0.0, 0.0)


def judge_clip(scenario: Scenario, events: Events) -> GameResult:
    """Hold the events of a recorded clip against its scenario, under the common turn that fits best."""
    report = read_report(events)
    hint = turn_of(scenario.final or scenario.start, report.final)
    moves = match_moves(scenario.moves, report.line, scenario.size, hint)
    alerts = match_alerts(scenario.alerts, report.alerts, scenario.size, moves.turn)
    return GameResult(
        id=scenario.id,
        group=scenario.group or scenario.id.split("-")[0],
        expected=moves.expected,
        reported=moves.reported,
        right=moves.right,
        final_right=None if scenario.final is None else same_board(scenario.final.turned(moves.turn), report.final),
        alerts_expected=len(scenario.alerts),
        alerts_met=len(alerts.met),
        false_alerts=alerts.false,
        delays=_delays(scenario, report, moves),
        seconds=scenario.seconds,
        wall=0.0,
        cost=NO_COST,
        missed=_missed(alerts),
        first_fault=first_fault(scenario.moves, report.line, moves),
        conditions=scenario.conditions,
    )


def judge_sequence(sequence: LabelledSequence, events: Events) -> GameResult:
    """Hold the events of a game recorded from photographs against it; the order within one step is free."""
    report = read_report(events)
    steps = sequence_steps(sequence)
    moves = match_steps(steps, report.line, sequence.size)
    final = sequence.frames[-1].layout.turned(moves.turn)
    return GameResult(
        id=sequence.name,
        group=sequence.source,
        expected=moves.expected,
        reported=moves.reported,
        right=moves.right,
        final_right=same_board(final, report.final),
        alerts_expected=0,
        alerts_met=0,
        false_alerts=(),
        delays=(),
        seconds=float(len(sequence.frames)),
        wall=0.0,
        cost=NO_COST,
    )


def without_record(
    id: str,
    group: str,
    expected: int,
    alerts: int,
    seconds: float,
    fault: str,
    conditions: Mapping[str, str] | None = None,
) -> GameResult:
    """The result of a game of which no record came: nothing of it is right."""
    none = GameResult(id, group, expected, 0, 0, False, alerts, 0, (), (), seconds, 0.0, NO_COST, fault)
    return replace(none, conditions=conditions or {})


def sequence_steps(sequence: LabelledSequence) -> list[list[Move]]:
    """The stones that appeared from each frame to the next."""
    return [
        [Move(colour, change.at) for change in frame.changes if (colour := Colour.of_cell(change.now)) is not None]
        for frame in sequence.frames[1:]
    ]


def turn_of(true: Layout, found: Layout | None) -> int | None:
    """The quarter turn under which a board is most nearly the true one; None where there is no board to compare."""
    if found is None or found.size != true.size:
        return None
    return min(range(4), key=lambda turn: sum(1 for _ in true.turned(turn).changes(found)))


def same_board(true: Layout, found: Layout | None) -> bool:
    """Whether every known point is the same."""
    if found is None or found.size != true.size:
        return False
    return all(was == HIDDEN for _, was, _ in true.changes(found))


def first_fault(expected: Sequence[Move], reported: Sequence[Move], match: MoveMatch) -> str:
    """Where the record first leaves the game, for whoever looks for the reason; empty where it never does."""
    agreed = 0
    while agreed < match.right and match.pairs[agreed] == (agreed, agreed):
        agreed += 1
    if agreed == match.expected == match.reported:
        return ""
    wanted = _name(expected, agreed)
    return f"move {agreed + 1}: {wanted} expected (before turning by {match.turn}), {_name(reported, agreed)} reported"


def _name(moves: Sequence[Move], place: int) -> str:
    if place >= len(moves):
        return "none"
    move = moves[place]
    return f"{move.colour.value} {move.at or 'pass'}"


def _missed(alerts: AlertMatch) -> tuple[str, ...]:
    return tuple(f"{alert.code} at {alert.seconds:g} s" for alert in alerts.missed)


def _delays(scenario: Scenario, report: Report, moves: MoveMatch) -> tuple[float, ...]:
    """Seconds from stone to report, of the moves that are right and whose stone the script places."""
    placed = scenario.visible or placing_times(scenario)
    return tuple(report.moves[said].seen - moment for made, said in moves.pairs if (moment := placed[made]) is not None)


def placing_times(scenario: Scenario) -> list[float | None]:
    """When the script places the stone of each expected move; None for a pass, or where no event does."""
    times: list[float | None] = []
    events = [event for event in scenario.events if event.do == "place"]
    place = 0
    for move in scenario.moves:
        words = (move.colour.value, str(move.at))
        rest = range(place, len(events))
        found = next((i for i in rest if (events[i].fields.get("color"), events[i].fields.get("at")) == words), None)
        times.append(None if found is None else events[found].seconds)
        place = place if found is None else found + 1
    return times


@dataclass(frozen=True)
class GameFigures:
    """The figures of some games together."""

    games: int
    exact: int
    expected: int
    right: int
    extra: int
    finals_right: int
    alerts_expected: int
    alerts_met: int
    alerts_false: int
    hours: float
    delays: tuple[float, ...]
    wall: float
    costs: tuple[CpuCost, ...]

    @classmethod
    def of(cls, results: Sequence[GameResult]) -> GameFigures:
        """Add up results."""
        return cls(
            games=len(results),
            exact=sum(each.exact for each in results),
            expected=sum(each.expected for each in results),
            right=sum(each.right for each in results),
            extra=sum(each.reported - each.right for each in results),
            finals_right=sum(bool(each.final_right) for each in results),
            alerts_expected=sum(each.alerts_expected for each in results),
            alerts_met=sum(each.alerts_met for each in results),
            alerts_false=sum(len(each.false_alerts) for each in results),
            hours=sum(each.seconds for each in results) / 3600,
            delays=tuple(delay for each in results for delay in each.delays),
            wall=sum(each.wall for each in results),
            costs=tuple(each.cost for each in results),
        )

    def to_json(self) -> dict[str, object]:
        """The figures as plain values, shares between 0 and 1."""
        return {
            "games": self.games,
            "games_without_a_wrong_move": self.exact,
            "moves_expected": self.expected,
            "moves_right": self.right,
            "moves_right_share": share(self.right, self.expected),
            "moves_extra": self.extra,
            "finals_right": self.finals_right,
            "alerts_expected": self.alerts_expected,
            "alerts_met": self.alerts_met,
            "alerts_missed": self.alerts_expected - self.alerts_met,
            "alerts_false": self.alerts_false,
            "alerts_false_an_hour": share(self.alerts_false, self.hours, digits=1),
            "delay_seconds_median": percentile(self.delays, 50),
            "delay_seconds_p95": percentile(self.delays, 95),
            "cpu_over_decoding": cost_ratio(self.costs),
            "speed": share(self.hours * 3600, self.wall, digits=2),
        }
