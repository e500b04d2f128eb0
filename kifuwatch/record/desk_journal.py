"""The desk over a journal: a ruling is tried on what is known, and added, with what follows from it, if it can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from kifuwatch.arbiter.alerts import AlertTable
from kifuwatch.arbiter.clock.clock import check
from kifuwatch.arbiter.clock.time_control import parse_control
from kifuwatch.arbiter.code import Code
from kifuwatch.arbiter.desk import fold, undone_rows
from kifuwatch.arbiter.desk_state import DeskState
from kifuwatch.arbiter.rulings import warned_out
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Colour
from kifuwatch.core.text import one_line
from kifuwatch.reconstruct.events import Incident
from kifuwatch.record.clock_journal import due_rows, latest, moment_of, reported
from kifuwatch.record.events_log import event_line
from kifuwatch.record.journal import Journal, wall_clock
from kifuwatch.rules import DEFAULT_RULES
from kifuwatch.rules.codefile import SUFFIX

Row = dict[str, Any]


def lasting_name(rules: str) -> str:
    """What a journal calls its rules: an event's file by its whole path, since it is opened from other folders too."""
    return str(Path(rules).absolute()) if rules.endswith(SUFFIX) else rules


class DeskJournal:
    """A journal and the desk over it. ``table``: names and codes of rules."""

    def __init__(self, journal: Journal, table: AlertTable | None = None) -> None:
        self.journal, self.table = journal, table or AlertTable.load()

    def begin(self, size: int, rules: str = DEFAULT_RULES, **info: object) -> None:
        """Write down what game this is: the code of rules, and players, event, date, komi, handicap, time as known.

        Raises UsageError for rules or a time control that are none: nothing is written then.
        """
        self.table.code(rules)
        if info.get("time"):
            parse_control(str(info["time"]))
        given = {name: one_line(value) if isinstance(value, str) else value for name, value in info.items()}
        known = {name: value for name, value in given.items() if value not in (None, "")}
        self.journal.append({"type": "game", "size": size, "rules": lasting_name(rules), **known})

    def code(self, rows: Iterable[Mapping[str, Any]]) -> Code:
        """The code of rules that the game is played by."""
        named = [str(row["rules"]) for row in rows if row.get("type") == "game" and row.get("rules")]
        return self.table.code(named[-1] if named else DEFAULT_RULES)

    def state(self) -> DeskState:
        """What is known now."""
        rows = self.journal.rows()
        return fold(rows, self.code(rows))

    def add(self, row: Mapping[str, Any]) -> None:
        """Add what the recorder or a clock has to say. Raises UsageError for a row of a clock that is none."""
        if row.get("type") == "clock":
            self.clock(row)
        else:
            self.journal.append(row)

    def clock(self, row: Mapping[str, Any], wall: Callable[[], str] = wall_clock) -> None:
        """Add what a clock says, :mod:`kifuwatch.arbiter.clock.clock` tells how. A row without ``t`` is of this moment.

        Raises UsageError with one sentence when it cannot be: nothing is written then.
        """
        with self.journal.alone():
            rows = self.journal.rows()
            timed: Row = {"type": "clock", **row}
            if "t" not in timed:
                timed["t"] = moment_of(rows, wall())
            check(timed)
            number = (int(rows[-1]["id"]) if rows else 0) + 1
            try:
                fold([*rows, {**timed, "id": number}], self.code(rows))
            except UsageError as error:
                raise _plain(error, number, timed) from error
            self.journal.append(timed)

    def raise_due(self, now: float | None = None) -> list[Row]:
        """Add the alerts of the clock that are due at ``now`` (seconds, as ``t`` in the rows; by default the latest
        moment of which the journal tells); the rows added. Each is raised once, however often this is called."""
        with self.journal.alone():
            return self._raise_due(now)

    def _raise_due(self, now: float | None = None) -> list[Row]:
        rows = self.journal.rows()
        due = due_rows(rows, self.code(rows), self.table, latest(rows) if now is None else now)
        for row in due:
            self.journal.append(row)
        return due

    def rule(self, row: Mapping[str, Any]) -> DeskState:
        """Add a ruling and what follows from it; what is known then. ``{"do": "report", "code": CODE}`` is
        what somebody at the board has seen: an alert.

        Raises UsageError with one sentence when it cannot be: nothing is written then.
        """
        if isinstance(row.get("note"), str):
            row = {**row, "note": one_line(row["note"])}
        with self.journal.alone():
            rows = self.journal.rows()
            code = self.code(rows)
            if row.get("do") == "report":
                self.journal.append(reported(fold(rows, code), row, self.table, latest(rows)))
                return self.state()
            ruling: Row = {"type": "ruling", **row}
            _check_undo(rows, ruling)
            number = (int(rows[-1]["id"]) if rows else 0) + 1
            try:
                state = fold([*rows, {**ruling, "id": number}], code)
            except UsageError as error:
                raise _plain(error, number, ruling) from error
            self.journal.append(ruling)
            self._follow(state)
            self._raise_due()
        return self.state()

    def _follow(self, state: DeskState) -> None:
        """Raise the alerts that the desk itself has to: enough warnings to lose the game."""
        warnings = {colour: state.warnings(colour) for colour in Colour}
        for colour in warned_out(state.alerts, warnings, state.code.warnings.loss_at):
            t = max([entry.t for entry in state.entries if entry.t is not None], default=0.0)
            facts = {"by": colour.value, "warnings": str(warnings[colour])}
            incident = Incident(t, t, "second-warning", (), len(state.moves), colour=colour, facts=facts)
            self.journal.append(event_line(self.table.alert(incident, state.code)))


def _check_undo(rows: list[Row], ruling: Row) -> None:
    if ruling.get("do") != "undo":
        return
    wanted = next((row for row in rows if row["id"] == ruling["row"]), None)
    if wanted is None or wanted.get("type") != "ruling":
        raise UsageError(f"row {ruling['row']} of the journal is no ruling that could be undone")
    if ruling["row"] in undone_rows(rows):
        raise UsageError(f"row {ruling['row']} is undone already")


def _plain(error: UsageError, number: int, ruling: Row) -> UsageError:
    """The sentence for whoever rules: without the number of a row that does not exist yet."""
    text = str(error)
    own = f"row {number} of the journal: "
    if text.startswith(own):
        return UsageError(text.removeprefix(own))
    if ruling.get("do") == "undo":
        return UsageError(f"row {ruling['row']} cannot be undone, since another ruling rests on it: {text}")
    return error
