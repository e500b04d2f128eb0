"""A game as it is told: every move of the record with what it took, when it was played, and the board after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kifuwatch.arbiter.code import Code
from kifuwatch.arbiter.desk import Desk, undone_rows
from kifuwatch.arbiter.desk_state import DeskState, Entry
from kifuwatch.arbiter.rulings import apply
from kifuwatch.core.errors import FileFormatError, KifuwatchError
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.reconstruct.events import Move
from kifuwatch.record.desk_journal import DeskJournal
from kifuwatch.record.times import hand_offs
from kifuwatch.rules import Game

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Step:
    """One entry of the line that stands. ``number``: of the move, or of the one before stones that were set up;
    ``board``, ``to_play``, ``taken``: after it; ``t``: when the stone left the hand; ``thinking``: seconds since the
    opponent's stone."""

    entry: Entry
    number: int
    captured: tuple[Point, ...]
    faults: tuple[str, ...]
    board: Layout
    to_play: Colour
    taken: Mapping[Colour, int]
    t: float | None = None
    thinking: float | None = None


@dataclass(frozen=True)
class Story:
    """A whole game at one moment. ``info``: what the journal says of it at its head; ``fault``: one sentence when rows
    of the journal could not be taken in; ``recorded``: recording, paused or ended, as far as that is told."""

    state: DeskState
    steps: tuple[Step, ...]
    start: Layout
    info: Row
    fault: str | None
    recorded: str = ""

    @property
    def moves(self) -> int:
        """How many moves stand."""
        return self.steps[-1].number if self.steps else 0

    def up_to(self, move: int) -> tuple[Step, ...]:
        """The steps up to a move, and stones set up behind it."""
        return tuple(step for step in self.steps if step.number <= move)


class Teller:
    """Folds the rows of one journal as they come; a row is taken in once, unless a ruling is undone.

    A row that cannot be taken in is left out, and the story says so: viewers keep what is known.
    """

    def __init__(self, desk_journal: DeskJournal) -> None:
        self._codes = desk_journal
        self._rows: list[Row] = []
        self._by_id: dict[int, Row] = {}
        self._desk: Desk | None = None
        self._fault: str | None = None
        self._recorded = ""
        self._story: Story | None = None
        self._walk = _Walk()

    @property
    def revision(self) -> int:
        """The last row taken in; 0 of none."""
        return int(self._rows[-1]["id"]) if self._rows else 0

    @property
    def rows(self) -> list[Row]:
        """All rows taken in."""
        return self._rows

    def row(self, number: int) -> Row | None:
        """The row of an id."""
        return self._by_id.get(number)

    def take(self, rows: Iterable[Row]) -> None:
        """Take in the rows that follow."""
        new = list(rows)
        if not new:
            return
        self._rows += new
        self._by_id |= {int(row["id"]): row for row in new}
        self._story = None
        again = self._desk is None or any(row.get("type") == "game" or row.get("do") == "undo" for row in new)
        if again:
            self._fault = None
            self._desk = Desk(self._code())
        gone = undone_rows(self._rows)
        for row in self._rows if again else new:
            self._add(row, gone)

    def _code(self) -> Code:
        try:
            return self._codes.code(self._rows)
        except KifuwatchError as error:
            self._fault = str(error)
            return self._codes.code([])

    def _add(self, row: Row, gone: frozenset[int]) -> None:
        assert self._desk is not None
        try:
            if row.get("type") == "status":
                self._recorded = str(row.get("state") or self._recorded)
            if row.get("type") != "ruling":
                self._desk.add(row)
            elif int(row["id"]) not in gone:
                self._desk.revision = int(row["id"])
                apply(self._desk, row)
        except (KifuwatchError, KeyError, ValueError, TypeError) as error:
            self._fault = f"row {row.get('id')} of the journal is left out: {error}"
        self._desk.revision = int(row["id"])

    def story(self) -> Story:
        """The game now; worked out once after each change. Raises FileFormatError before the first row."""
        if self._desk is None:
            raise FileFormatError("this game has no row yet")
        if self._story is None:
            state = self._desk.state()
            start, steps = self._walk.steps(state)
            steps = _timed(steps, self._by_id)
            self._story = Story(state, steps, start, dict(self._desk.info), self._fault, self._recorded)
        return self._story


class _Walk:
    """Goes through the line of a game: what each entry takes, and the board after it. What has been gone through and
    has not changed since is not gone through again."""

    def __init__(self) -> None:
        self._start: tuple[object, ...] = ()
        self._gone: list[tuple[object, Game, Step]] = []

    def steps(self, state: DeskState) -> tuple[Layout, tuple[Step, ...]]:
        """The board at the start, and all steps."""
        layout = Layout.empty(state.size).replaced(state.start)
        line = state.line
        first = next((entry.colour for entry in line if entry.is_move), state.code.first)
        if (layout, first) != self._start:
            self._start, self._gone = (layout, first), []
        keys = [_key(entry, state.faults.get(place, ())) for place, entry in enumerate(line)]
        same = 0
        while same < min(len(keys), len(self._gone)) and keys[same] == self._gone[same][0]:
            same += 1
        del self._gone[same:]
        game = self._gone[-1][1] if self._gone else Game.of(layout, first)
        for place in range(same, len(line)):
            before = self._gone[-1][2] if self._gone else None
            game, step = _next(game, line[place], state.faults.get(place, ()), before)
            self._gone.append((keys[place], game, step))
        return layout, tuple(step for _, _, step in self._gone)


def _key(entry: Entry, faults: tuple[str, ...]) -> object:
    setup = None if entry.setup is None else tuple(sorted(entry.setup.items()))
    return (id(entry), entry.colour, entry.point, setup, entry.to_play, faults)


def _next(game: Game, entry: Entry, faults: tuple[str, ...], before: Step | None) -> tuple[Game, Step]:
    number = before.number if before is not None else 0
    taken = dict(before.taken) if before is not None else {Colour.BLACK: 0, Colour.WHITE: 0}
    captured: tuple[Point, ...] = ()
    if entry.setup is not None:
        game = Game.of(game.position.layout.replaced(entry.setup), entry.to_play or game.position.to_play)
    else:
        number += 1
        game = game.play(entry.colour, entry.point)
        play = game.plays[-1]
        captured = (*play.captured, *play.self_captured)
        taken[entry.colour.opponent] += len(play.captured)
        taken[entry.colour] += len(play.self_captured)
    return game, Step(entry, number, captured, faults, game.position.layout, game.position.to_play, taken)


def _timed(steps: tuple[Step, ...], rows: Mapping[int, Row]) -> tuple[Step, ...]:
    """The steps with the times of those that a camera saw; see :func:`kifuwatch.record.times.to_times`."""
    seen = [step for step in steps if step.entry.is_move and step.entry.t is not None]
    moves = [_move(step, rows.get(step.entry.row, {})) for step in seen]
    off = {id(step): hand_off.t for step, hand_off in zip(seen, hand_offs(moves), strict=True)}
    timed: list[Step] = []
    before: Step | None = None
    for step in steps:
        t = off.get(id(step))
        own = before is not None and before.entry.colour is not step.entry.colour
        thinking = t - before.t if t is not None and before is not None and before.t is not None and own else None
        step = replace(step, t=t, thinking=thinking)
        timed.append(step)
        before = step if step.entry.is_move else before
    return tuple(timed)


def _move(step: Step, row: Row) -> Move:
    t = float(step.entry.t or 0.0)
    seen = float(row.get("seen", t))
    before, after = row.get("not_before"), row.get("left_after")
    return Move(t, seen, step.number, step.entry.colour, step.entry.point, not_before=before, left_after=after)
