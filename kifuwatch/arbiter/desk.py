"""The arbiter's desk: a fold over the rows of a game's journal.

Rows are the lines of GAME.jsonl as the recorder writes them, and ``ruling`` rows that people add; each has an ``id``,
its place in the journal. Nothing is ever changed in the journal: a ruling is undone by another row, and the whole is
folded again. The desk works with the record's own numbers; the recorder's count is only followed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kifuwatch.arbiter.clock import ClockState, ClockStory, parse_control
from kifuwatch.arbiter.clock.incidents import KEY_SHOWN
from kifuwatch.arbiter.clock.joining import CameraMoves, Pair, pairs, true_ends
from kifuwatch.arbiter.code import Code
from kifuwatch.arbiter.desk_state import (
    AlertMood,
    AlertState,
    DeskState,
    Ending,
    Entry,
    LedgerEntry,
    Phase,
    count_warnings,
)
from kifuwatch.arbiter.line import Line, replay, stone
from kifuwatch.arbiter.result import Score, Terms, komi_of, score
from kifuwatch.core.errors import FileFormatError, UsageError
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.rules.count import count_board

Row = Mapping[str, Any]
RULED_ALREADY = frozenset({"takeback", "stone-appeared", "stone-vanished", "wrong-capture", "moved-stone", "two-moves"})
"""Alerts that carrying out a ruling on the board can raise."""
LAST_MOVE_TO_SWAP = 10
FEWEST_STONES = 2
"""So many stones at least are a handicap that lets White begin."""


def undone_rows(rows: Iterable[Row]) -> frozenset[int]:
    """The ids of the rulings that do not count, since a later row undoes them; an undoing can itself be undone."""
    gone: set[int] = set()
    for row in reversed(list(rows)):
        if row.get("type") == "ruling" and row.get("do") == "undo" and int(row["id"]) not in gone:
            gone.add(int(row["row"]))
    return frozenset(gone)


class Desk:
    """The state that the rows so far have made. Feed it with :meth:`add`; :meth:`state` is what is known now.

    Camera rows are taken as they come. A ruling that cannot be is UsageError with one sentence.
    """

    def __init__(self, code: Code) -> None:
        self.code = code
        self.line = Line(19, code.first)
        self.alerts: list[AlertState] = []
        self.ledger: list[LedgerEntry] = []
        self.phase = Phase.PLAYING
        self.sealed: Point | None = None
        self.unsealed: list[tuple[Entry, Point]] = []
        """Moves played instead of a sealed one, with that."""
        self.pending: dict[Point, str] = {}
        self.dead: frozenset[Point] | None = None
        self.ending: Ending | None = None
        self.seen: Layout | None = None
        self.info: dict[str, Any] = {}
        self.clock = ClockStory(code.time, code.first)
        self.camera = CameraMoves()
        self.revision = 0

    # Rows

    def add(self, row: Row) -> None:
        """Take in one row that is no ruling."""
        self.revision = int(row["id"])
        kind = row["type"]
        if kind == "game":
            self.info = dict(row)
            self.line.size = int(row.get("size", self.line.size))
            self._time(row)
        elif kind == "board-found":
            self.line.size = int(row["size"])
        elif kind == "setup":
            self.line.set_up(row)
            self.clock.first = self.line.start_to_play or self.clock.first
        elif kind == "move":
            self._move(row)
        elif kind == "retract":
            self.line.retract(row)
        elif kind == "alert":
            self._alert(row)
        elif kind == "position":
            self._position(row)
        elif kind == "clock":
            self.clock.add(row)
        if kind in {"move", "retract", "cleared"}:
            self.camera.add(row)

    def _time(self, row: Row) -> None:
        """What is played with, and whose clock runs first: White's where Black is given stones. A journal with a time
        control that is none can be read all the same."""
        if int(row.get("handicap") or 0) >= FEWEST_STONES:
            self.clock.first = Colour.WHITE
        try:
            self.clock.control = parse_control(str(row["time"])) if row.get("time") else None
        except UsageError:
            self.clock.control = None

    def _move(self, row: Row) -> None:
        entry = self.line.move(row)
        again = self._told_anew(entry)
        if self.phase is Phase.END_PROPOSED:
            self.phase = Phase.PLAYING  # the proposal was not taken up: 21.1, the passer may play again
        if self.sealed is not None and entry.point != self.sealed and entry.point is not None:
            entry.notes.append(f"sealed was {self.sealed}")
            self.unsealed.append((entry, self.sealed))
        self.sealed = None
        if entry.point is not None:
            self.pending.pop(entry.point, None)
        if not again:
            self._lapse(entry)

    def _told_anew(self, entry: Entry) -> bool:
        """Whether a move was in the record before and is told again: the same stone is no new one that would close a
        window, and it is the one that the alerts about it mean."""
        before = self.line.retracted.get(entry.camera or 0)
        if before is None or (before.colour, before.point, before.t) != (entry.colour, entry.point, entry.t):
            return False
        for alert in self.alerts:
            if alert.target is before and before.gone:
                alert.target = entry
        return True

    def _position(self, row: Row) -> None:
        self.seen = Layout.from_rows(row["board"])
        if self.seen.size == self.line.size:
            self.pending = {point: cell for point, cell in self.pending.items() if self.seen[point] != cell}

    # Alerts

    def _alert(self, row: Row) -> None:
        at = tuple(Point.parse(text) for text in row.get("at", []))
        facts = dict(text.split(": ", 1) for text in row.get("evidence", []) if ": " in text)
        target = self._target(row, at, facts)
        alert = AlertState(
            len(self.alerts) + 1,
            int(row["id"]),
            row["code"],
            row.get("level", "warning"),
            at,
            row.get("text", {}).get("en", row["code"]),
            row.get("text", {}).get("zh", row["code"]),
            float(row.get("t", 0.0)),
            self._offender(row, at, target, facts),
            target,
            facts,
            moves_at=len(self.line.moves()),
            told=row,
        )
        self.alerts.append(alert)
        if alert.level == "info":
            self.close(alert, AlertMood.AUTO_CLOSED, None, "a notice")
        elif self._was_ruled(alert):
            self.close(alert, AlertMood.AUTO_CLOSED, None, "what has been ruled is being carried out")
        elif KEY_SHOWN in facts:
            self._lapse_of_old(alert)

    def _was_ruled(self, alert: AlertState) -> bool:
        if alert.code not in RULED_ALREADY:
            return False
        if alert.code == "two-moves" and alert.target is not None and alert.target.stands:
            place = self.line.entries.index(alert.target)
            before = [entry for entry in self.line.entries[:place] if entry.stands and entry.is_move]
            return bool(before) and before[-1].colour is not alert.target.colour
        return bool(alert.at) and all(point in self.pending for point in alert.at)

    def _target(self, row: Row, at: tuple[Point, ...], facts: Mapping[str, str]) -> Entry | None:
        """The move that an alert is about. Of a repetition the recorder tells its number: its points are those of the
        whole cycle."""
        code = row["code"]
        told = facts.get("capturing move", "") if code == "missed-capture" else ""
        if code == "repetition" and "cycle" in facts:
            told = str(row.get("move", ""))
        if told.isdecimal():
            return self.line.camera[int(told) - 1] if 0 < int(told) <= len(self.line.camera) else None
        wanted = at[-1:] if code in {"two-moves", "takeback"} else at[:1]
        for entry in reversed(self.line.entries):
            if entry.stands and entry.is_move and (entry.point in wanted or not wanted):
                return entry
        return None if code != "repetition" else self.line.last()

    def _offender(
        self, row: Row, at: tuple[Point, ...], target: Entry | None, facts: Mapping[str, str]
    ) -> Colour | None:
        """Whose doing it is, as far as that follows from the record."""
        named = row.get("color") or facts.get("by")
        if named in {"B", "W"}:
            return Colour(named)
        code = row["code"]
        if code == "wrong-capture" and at:
            taken = stone(self.layout(), at[0])
            return taken.opponent if taken else None
        if code == "takeback" and at:
            gone = [entry for entry in self.line.retracted.values() if entry.point == at[0]]
            return gone[-1].colour if gone else target.colour if target else None
        if code in {"two-moves", "ko-violation", "forbidden-point", "repetition", "missed-capture", "dropped-stone"}:
            return target.colour if target else None
        return None

    def _lapse(self, entry: Entry) -> None:
        """A stone closes the windows in which its player could have claimed something."""
        number = len(self.line.moves())
        for alert in self.alerts:
            claim = self.code.ruling(alert.code).claim
            if alert.mood is not AlertMood.OPEN:
                continue
            claimant = alert.offender.opponent if alert.offender else None
            answered = claim == "next-stone" and entry.colour is claimant and entry.point is not None
            if answered or (claim == "move-10" and number > LAST_MOVE_TO_SWAP):
                self._not_claimed(alert, number)

    def _lapse_of_old(self, alert: AlertState) -> None:
        """What a clock has to say may be worked out long after: then a stone has closed its window already."""
        if self.code.ruling(alert.code).claim != "next-stone" or alert.offender is None:
            return
        for number, entry in enumerate(self.line.moves(), 1):
            answered = entry.colour is alert.offender.opponent and entry.point is not None
            if answered and entry.t is not None and entry.t > alert.t:
                self._not_claimed(alert, number)
                return

    def _not_claimed(self, alert: AlertState, number: int) -> None:
        article = self.code.ruling(alert.code).claim_article
        why = f"not claimed before move {number}" + (f" (Art. {article})" if article else "")
        self.close(alert, AlertMood.LAPSED, None, why)

    def close(self, alert: AlertState, mood: AlertMood, row: int | None, why: str = "") -> None:
        """An alert is answered."""
        alert.mood, alert.closed_by, alert.why = mood, row, why

    # What is known

    def layout(self) -> Layout:
        """The board as the rules see it now."""
        game, _, _ = replay(self.line, self.code.rules)
        return game.position.layout

    def next_colour(self) -> Colour:
        """Whose turn it is."""
        game, _, _ = replay(self.line, self.code.rules)
        return game.position.to_play

    def counted(self) -> Score | None:
        """The count, once the dead chains are agreed on."""
        if self.dead is None:
            return None
        game, _, taken = replay(self.line, self.code.rules)
        handicap = int(self.info.get("handicap", 0))
        komi = komi_of(self.code, handicap, self.info.get("komi"))
        warnings = {colour: count_warnings(self.ledger, colour) for colour in Colour}
        terms = Terms(komi, handicap, taken, warnings)
        return score(count_board(game.position.layout, self.dead), self.code, terms)

    def timed(self) -> tuple[ClockState | None, tuple[Pair, ...]]:
        """The clock, and which of its presses belongs to which stone."""
        stones = self.camera.stones()
        clock = self.clock.state()
        found = pairs(clock.presses if clock else (), stones)
        if clock is not None and not self.code.time.captures_timed:
            clock = self.clock.state(true_ends(found))
        return clock, found

    def state(self) -> DeskState:
        """All that is known, as it stands."""
        game, faults, taken = replay(self.line, self.code.rules)
        handicap = int(self.info.get("handicap", 0))
        clock, pressed = self.timed()
        return DeskState(
            self.line.size,
            self.code,
            komi_of(self.code, handicap, self.info.get("komi")),
            handicap,
            (str(self.info.get("black", "")), str(self.info.get("white", ""))),
            str(self.info.get("event", "")),
            str(self.info.get("date", "")),
            dict(self.line.start),
            tuple(self.line.entries),
            faults,
            tuple(self.alerts),
            tuple(self.ledger),
            self.phase,
            game.position.to_play,
            game.position.layout,
            taken,
            self.sealed,
            dict(self.pending),
            self.dead,
            self.seen,
            self.counted(),
            self.ending,
            self.revision,
            self.clock.control,
            clock,
            {pair.move.row: pair.press for pair in pressed},
            (str(self.info.get("black_rank", "")), str(self.info.get("white_rank", ""))),
            str(self.info.get("round", "")),
        )


def fold(rows: Iterable[Row], code: Code) -> DeskState:
    """The state that all rows have made. Raises UsageError for a ruling that cannot be, naming its row, and
    FileFormatError for a row that is none."""
    from kifuwatch.arbiter.rulings import apply

    rows = list(rows)
    gone = undone_rows(rows)
    desk = Desk(code)
    for row in rows:
        try:
            if row["type"] != "ruling":
                desk.add(row)
            elif int(row["id"]) not in gone:
                desk.revision = int(row["id"])
                apply(desk, row)
        except UsageError as error:
            raise UsageError(f"row {row['id']} of the journal: {error}") from error
        except (KeyError, ValueError, TypeError) as error:
            raise FileFormatError(f"row {row.get('id')} of the journal cannot be read ({error})") from error
    return desk.state()
