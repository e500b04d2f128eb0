"""A recording kept in a journal while it goes on: every happening is a row before anybody is told of it.

The rows are those that ``kifuwatch journal --from`` makes of the events of the same recording. Give this keeper to
the recorder before all others: an arbiter is then never told what a crash could still take away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kifuwatch.arbiter.alerts import Alert, AlertTable
from kifuwatch.core.errors import OutputError
from kifuwatch.reconstruct.events import BoardFound, Event, Incident
from kifuwatch.record.desk_journal import DeskJournal, lasting_name
from kifuwatch.record.events_log import event_line
from kifuwatch.record.files import check_writable
from kifuwatch.record.journal import Journal, wall_clock
from kifuwatch.record.sgf import GameInfo
from kifuwatch.rules import DEFAULT_RULES

WHAT_GAME = ("rules", "black", "white", "event", "date", "komi", "handicap")
"""What has to be the same for it to be the same game."""


class JournalKeeper:
    """Keeps a recording in a journal: the one at ``path``, made when the board is found.

    A journal that is there already is taken only where it is of the same game and nothing has been recorded in it
    yet: whoever announces a game beforehand has begun it. ``clock`` says when a row is written. Raises OutputError
    for a journal of another game, and what :meth:`Journal.open` raises for a file that is none.
    """

    def __init__(
        self,
        path: Path,
        rules: str = DEFAULT_RULES,
        info: GameInfo | None = None,
        table: AlertTable | None = None,
        clock: Callable[[], str] = wall_clock,
    ) -> None:
        self.path, self._rules, self._info = path, lasting_name(rules), game_facts(info or GameInfo())
        self._table, self._clock = table or AlertTable.load(), clock
        self._journal: Journal | None = None
        self._table.code(rules)  # a fault of the rules is told before anything is recorded
        if path.exists():
            with Journal.open(path) as begun:
                self._check(begun)
        else:
            check_writable(path)

    def keep(self, happening: Event | Alert, view: object = None) -> None:
        """Add one row, which lasts once this returns. Raises OutputError. Of an incident its alert is kept."""
        if isinstance(happening, Incident):
            return
        if self._journal is None:
            self._journal = self._begin(happening)
        self._journal.append(event_line(happening))

    def close(self) -> None:
        """Close the file."""
        if self._journal is not None:
            self._journal.close()

    def _begin(self, first: Event | Alert) -> Journal:
        assert isinstance(first, BoardFound), "a recording begins with the board that it is of"
        if not self.path.exists():
            journal = Journal.create(self.path, self._clock)
            DeskJournal(journal, self._table).begin(first.size, self._rules, **self._info)
            return journal
        journal = Journal.open(self.path, self._clock)
        try:
            game = self._check(journal)
            size = int(game.get("size", first.size)) if game else first.size
            if size != first.size:
                raise OutputError(f"{self.path} is of a game on {size} lines, and this board has {first.size}")
        except BaseException:
            journal.close()
            raise
        if game is None:
            DeskJournal(journal, self._table).begin(first.size, self._rules, **self._info)
        return journal

    def _check(self, journal: Journal) -> Mapping[str, Any] | None:
        """What game a journal was begun for; None in one without a row. Raises OutputError for another game."""
        game: Mapping[str, Any] | None = None
        for row in journal.rows():
            if row.get("type") == "game":
                game = row
            elif row.get("type") == "board-found":
                raise OutputError(f"{self.path} holds a recording already, and a journal is never overwritten")
        wanted = {"rules": self._rules, **self._info}
        for name in WHAT_GAME if game is not None else ():
            there, here = known(game or {}).get(name), wanted.get(name)
            if there != here:
                shown = "not given" if there is None else there
                raise OutputError(f"{self.path} is the journal of another game: its {name} is {shown}")
        return game


def game_facts(info: GameInfo) -> dict[str, object]:
    """What is known of a game as its ``game`` row holds it: what is not known has no key."""
    return known(asdict(info))


def known(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Those of these facts of a game that say something. A komi of 0 does, a handicap of 0 does not."""
    named = {name: value for name, value in facts.items() if value not in (None, "")}
    return {name: value for name, value in named.items() if name != "handicap" or value}
