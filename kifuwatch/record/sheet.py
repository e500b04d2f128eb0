"""What stands on a game sheet: players, moves with their times, incidents, rulings, warnings, result.

A sheet is made of the rows of a journal (or of the events that a recorder has kept), or of a game record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kifuwatch.arbiter.code import Code
from kifuwatch.arbiter.desk import fold, undone_rows
from kifuwatch.arbiter.desk_state import AlertState, DeskState, Entry, LedgerEntry
from kifuwatch.arbiter.inspection import Irregularity, Played, PutDown
from kifuwatch.arbiter.result import Score, in_quarters
from kifuwatch.core.points import BLACK, EMPTY, WHITE, Colour, Layout, Point
from kifuwatch.record.checking import Checked
from kifuwatch.record.events_read import events_of
from kifuwatch.record.figures import Step, Turn
from kifuwatch.record.lines import GameRecord
from kifuwatch.record.times import to_times
from kifuwatch.rules import Game

Row = Mapping[str, Any]
Words = Mapping[str, str]
"""A text by language: ``en`` and ``zh``."""


@dataclass(frozen=True)
class MoveLine:
    """One move of the sheet. ``t``: seconds from the start of the recording; ``thinking``: seconds since the stone
    before, where it is known whose they were; ``clock``: what a clock showed after it, in milliseconds of main time
    and of the period, and how many periods. ``faults``: what is wrong with a move that stands. ``camera``: its number
    in the camera's own count, by which its picture is named."""

    number: int
    colour: Colour
    point: Point | None
    captures: int = 0
    t: float | None = None
    thinking: float | None = None
    clock: tuple[int, int, int] | None = None
    inferred: bool = False
    faults: tuple[str, ...] = ()
    camera: int | None = None


@dataclass(frozen=True)
class AsideLine:
    """A move that does not stand, and why."""

    colour: Colour
    point: Point | None
    after: int
    why: str


@dataclass(frozen=True)
class IncidentLine:
    """One incident. ``state``: open, upheld, rejected, lapsed, auto-closed, or "" where nobody was asked;
    ``actions``: what was ruled. ``boards`` by name: before, expected, after. ``files``: pictures and films."""

    number: int
    code: str
    level: str
    move: int
    at: tuple[Point, ...]
    text: Words
    t: float | None = None
    state: str = ""
    actions: tuple[str, ...] = ()
    why: str = ""
    hypotheses: tuple[Mapping[str, Any], ...] = ()
    boards: Mapping[str, Layout] = field(default_factory=dict)
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class RulingLine:
    """One ruling of the journal: its row as it was added, when (ISO 8601), the actions that it came to, and whether it
    was undone."""

    row: Row
    when: str
    actions: tuple[str, ...] = ()
    undone: bool = False


@dataclass(frozen=True)
class Sheet:
    """A whole game. ``info``: players, ranks, event, round, date as known. ``result``: RE and words, None while there
    is none. ``totals``: seconds of thinking by colour, as far as they are known. ``problems``: what was wrong with
    the file."""

    size: int
    code: Code
    info: Mapping[str, str]
    komi: float
    handicap: int
    start: Layout
    steps: tuple[Step, ...]
    moves: tuple[MoveLine, ...]
    board: Layout
    captures: Mapping[Colour, int]
    aside: tuple[AsideLine, ...] = ()
    incidents: tuple[IncidentLine, ...] = ()
    rulings: tuple[RulingLine, ...] = ()
    ledger: tuple[LedgerEntry, ...] = ()
    gaps: tuple[tuple[float, float], ...] = ()
    score: Score | None = None
    result: tuple[str, Words] | None = None
    control: Words | None = None
    totals: Mapping[Colour, float] = field(default_factory=dict)
    problems: tuple[str, ...] = ()

    @property
    def last(self) -> Point | None:
        """The point of the last move."""
        return self.moves[-1].point if self.moves else None


def sheet_of_rows(rows: Sequence[Row], code: Code) -> Sheet:
    """The sheet of a journal; its rows each with their ``id``.

    Raises what :func:`kifuwatch.arbiter.desk.fold` raises.
    """
    state = fold(rows, code)
    record = GameRecord(state.size)
    for event in events_of(rows):
        record.add(event)
    times = to_times(record)
    start = Layout.empty(state.size).replaced(state.start)
    moves = _moves(state, start, times["moves"])
    totals = {colour: float(times["totals"][colour.value]["thinking"]) for colour in Colour}
    steps, number = list[Step](), 0
    for entry in state.line:
        number += entry.is_move
        steps.append(Turn(number, entry.colour, entry.point) if entry.is_move else dict(entry.setup or {}))
    return Sheet(
        state.size,
        code,
        _info(rows, state),
        state.komi,
        state.handicap,
        start,
        tuple(steps),
        moves,
        state.board,
        state.captures,
        tuple(_aside(state)),
        tuple(_incident(each) for each in state.alerts),
        _rulings(rows, state),
        state.ledger,
        tuple((gap["t"], gap["until"]) for gap in times["gaps"]),
        state.score,
        None if state.ending is None else (state.ending.sgf, {"en": state.ending.en, "zh": state.ending.zh}),
        None if state.control is None else {"en": state.control.en, "zh": state.control.zh},
        totals if any(totals.values()) else {},
    )


def _moves(state: DeskState, start: Layout, times: Sequence[Mapping[str, Any]]) -> tuple[MoveLine, ...]:
    """The moves that stand, each with what its stone took and when it was made."""
    game, found, place = Game.of(start, Colour.BLACK), list[MoveLine](), -1
    for entry in state.line:
        place += 1
        if entry.setup is not None:
            game = Game.of(game.position.layout.replaced(entry.setup), game.position.to_play)
            continue
        game = game.play(entry.colour, entry.point)
        timed = times[entry.camera - 1] if entry.camera is not None and entry.camera <= len(times) else {}
        faults = state.faults.get(place, ())
        found.append(
            MoveLine(
                len(found) + 1,
                entry.colour,
                entry.point,
                len(game.plays[-1].captured),
                timed.get("t", entry.t),
                timed.get("thinking"),
                _clock(state, entry),
                entry.inferred,
                faults,
                entry.camera,
            )
        )
    return tuple(found)


def _clock(state: DeskState, entry: Entry) -> tuple[int, int, int] | None:
    press = state.presses.get(entry.row)
    return None if press is None else (press.left.main, press.left.period, press.left.periods)


def _info(rows: Iterable[Row], state: DeskState) -> dict[str, str]:
    told: dict[str, Any] = {}
    for row in rows:
        if row.get("type") == "game":
            told |= row
    names = ("black_rank", "white_rank", "event", "round", "date", "board", "place", "arbiter")
    known = {name: str(told[name]) for name in names if told.get(name)}
    return known | {"black": state.players[0], "white": state.players[1]}


def _aside(state: DeskState) -> Iterable[AsideLine]:
    """What does not stand, each behind the last move that does."""
    number = 0
    for entry in state.entries:
        if entry.stands:
            number += entry.is_move
        elif entry.is_move:
            yield AsideLine(entry.colour, entry.point, number, entry.why)


def _incident(each: AlertState) -> IncidentLine:
    told = each.told
    ruled = each.mood.value == "upheld"
    return IncidentLine(
        each.number,
        each.code,
        each.level,
        int(told.get("move", each.moves_at)),
        each.at,
        {"en": each.text_en, "zh": each.text_zh},
        each.t,
        each.mood.value,
        tuple(each.why.split("+")) if ruled and each.why else (),
        "" if ruled else each.why,
        tuple(told.get("hypotheses", ())),
        {name: Layout.from_rows(board) for name, board in told.get("boards", {}).items()},
        tuple(str(name) for name in told.get("evidence", ()) if str(name).endswith((".jpg", ".mkv"))),
    )


def _rulings(rows: Sequence[Row], state: DeskState) -> tuple[RulingLine, ...]:
    gone = undone_rows(rows)
    actions = {alert.closed_by: tuple(alert.why.split("+")) for alert in state.alerts if alert.mood.value == "upheld"}
    return tuple(
        RulingLine(row, str(row.get("at_time", "")), actions.get(int(row["id"]), ()), int(row["id"]) in gone)
        for row in rows
        if row.get("type") == "ruling"
    )


# Of a game record


def sheet_of_record(
    found: Checked, times: Mapping[str, Any] | None, say: Callable[[Irregularity], Words], info: Mapping[str, str]
) -> Sheet:
    """The sheet of a game record that was checked. ``times``: what lies beside it in GAME.times.json; they are left out
    where they are of another line. ``say``: an irregularity in words; ``info``: more of the head than players, event
    and date."""
    game = found.game
    before, rest = _beginning(found)
    steps, number = list[Step](), 0
    for step in rest:
        if isinstance(step, Played):
            number += 1
            steps.append(Turn(number, step.colour, step.point))
        elif step.black or step.white or step.empty:
            steps.append(_laid(step))
    start = Layout.empty(game.size).replaced(before)
    lines = _timed(steps, start, times)
    known = {"black": game.players[0], "white": game.players[1], "event": game.event, "date": game.date}
    incidents = tuple(
        IncidentLine(number, each.code, "warning", each.move, each.at, say(each))
        for number, each in enumerate(found.irregularities, 1)
    )
    totals = {colour: sum(m.thinking or 0.0 for m in lines if m.colour is colour) for colour in Colour}
    komi = found.code.counting.komi if game.komi is None else game.komi
    return Sheet(
        game.size,
        found.code,
        {**{name: text for name, text in known.items() if text}, **info},
        komi,
        game.handicap,
        start,
        tuple(steps),
        lines,
        found.inspection.game.position.layout,
        found.inspection.captures,
        incidents=incidents,
        score=found.score,
        result=None if not game.result.text else (game.result.text, result_words(found)),
        totals=totals if any(totals.values()) else {},
        problems=game.problems,
    )


def _beginning(found: Checked) -> tuple[dict[Point, str], list[Played | PutDown]]:
    """The stones before the first move, and the steps from there on."""
    steps = list(found.game.steps)
    first = next((place for place, step in enumerate(steps) if isinstance(step, Played)), len(steps))
    before: dict[Point, str] = {}
    for step in steps[:first]:
        if isinstance(step, PutDown):
            before |= _laid(step)
    return {point: cell for point, cell in before.items() if _on(point, found.game.size)}, steps[first:]


def _laid(step: PutDown) -> dict[Point, str]:
    parts = ((step.empty, EMPTY), (step.black, BLACK), (step.white, WHITE))
    return {point: cell for points, cell in parts for point in points}


def _on(point: Point, size: int) -> bool:
    return 0 <= point.col < size and 0 <= point.row < size


def _timed(steps: Sequence[Step], start: Layout, times: Mapping[str, Any] | None) -> tuple[MoveLine, ...]:
    turns = [step for step in steps if isinstance(step, Turn)]
    told = list((times or {}).get("moves", ()))
    same = len(told) == len(turns) and all(
        line.get("color") == turn.colour.value and line.get("at") == (str(turn.point) if turn.point else "pass")
        for line, turn in zip(told, turns, strict=True)
    )
    game, lines = Game.of(start, Colour.BLACK), list[MoveLine]()
    for step in steps:
        if not isinstance(step, Turn):
            game = Game.of(game.position.layout.replaced(dict(step)), game.position.to_play)
            continue
        game = game.play(step.colour, step.point)
        line = told[step.number - 1] if same else {}
        taken = len(game.plays[-1].captured)
        moved = MoveLine(step.number, step.colour, step.point, taken, line.get("t"), line.get("thinking"))
        lines.append(replace(moved, camera=step.number))
    return tuple(lines)


def result_words(found: Checked) -> dict[str, str]:
    """What the result of a record says, in words; as it is written where that is not known."""
    result = found.game.result
    if result.winner is None:
        drawn = result.points == 0.0
        return {"en": "a draw" if drawn else result.text, "zh": "和棋" if drawn else result.text}
    en, zh = ("Black", "黑") if result.winner is Colour.BLACK else ("White", "白")
    if result.points is not None:
        if found.code.counting.unit == "zi":
            zi = result.points / 2
            points = f"{result.points:g} {'point' if result.points == 1 else 'points'}"
            return {
                "en": f"{en} wins by {in_quarters(zi, ' ')} zi ({points})",
                "zh": f"{zh}胜{in_quarters(zi, '又')}子",
            }
        return {"en": f"{en} wins by {result.points:g} points", "zh": f"{zh}胜{result.points:g}目"}
    why = result.text.partition("+")[2].strip().lower()[:1]
    ways = {"r": ("by resignation", "中盘胜"), "t": ("on time", "超时胜"), "f": ("by forfeit", "因对方弃权胜")}
    way = ways.get(why, ("", "胜"))
    return {"en": f"{en} wins {way[0]}".strip(), "zh": zh + way[1]}
