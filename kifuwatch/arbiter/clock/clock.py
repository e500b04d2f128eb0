"""A game clock as what became of it: a fold over the ``clock`` rows of a journal, in the order of their time.

A row is ``{"type": "clock", "t": seconds, "do": WHAT, ...}``:

========= ==========================================================================================================
start     the game begins: ``color`` whose clock runs (the first to move), ``absent`` who is not there (["W"]): then
          it runs when he comes, and only in games without main time does his own run meanwhile (cn2002 22.4);
          ``same_house`` where the players are lodged where they play, ``control`` a time control
press     ``color`` has pressed; readings as below may stand beside it, and ``uncertainty_ms``
reading   ``black_ms``, ``white_ms`` what the clock shows: of the main time or, when that is used up, of the period;
          ``black_periods``, ``white_periods`` and ``black_moves``, ``white_moves`` left; ``running``: "B", "W" or null
set       the same fields, as an arbiter sets the clock
stop      the clock stops; ``pause`` and ``resume``: what lies between does not count
arrive    ``color`` comes late and is there now
leave     ``color`` leaves the board, ``return``: is back; ``permitted``: with the arbiter's leave
fault     the clock was wrong: ``true_ms`` what both have used in truth, or ``lost``: nothing of it was written down
========= ==========================================================================================================
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kifuwatch.arbiter.clock.call_outs import CallOut, call_outs
from kifuwatch.arbiter.clock.faults import put_right
from kifuwatch.arbiter.clock.running import Remaining, deducted, is_out, longest, moved, reprieved, spend
from kifuwatch.arbiter.clock.time_control import SECOND, TimeControl, parse_control
from kifuwatch.arbiter.code import TimeRules
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Colour

Row = Mapping[str, Any]
DOINGS = ("start", "press", "reading", "set", "stop", "pause", "resume", "arrive", "leave", "return", "fault")
RULED = ("deduct", "reprieve")
"""What rulings do to a clock; such rows are made by the desk, not written."""
COLOURS = ("B", "W")
UNCERTAINTY = 100
"""Milliseconds by which a press can be told wrongly where its row says nothing else."""


@dataclass(frozen=True)
class Press:
    """A press of the clock, in milliseconds. ``ended``: it ended the turn of the one who pressed; ``left``: what he has
    then; ``read``: that was read from the clock; ``in_overtime``: the turn ended in byo-yomi."""

    row: int
    t: int
    colour: Colour
    uncertainty: int
    ended: bool
    left: Remaining
    read: bool = False
    in_overtime: bool = False


@dataclass(frozen=True)
class Absence:
    """A player is not at the board from ``since`` to ``until`` (milliseconds; None: still). ``late``: from the start
    on; ``own_turn``, ``in_overtime``: when he left; ``permitted``: with the arbiter's leave."""

    row: int
    colour: Colour
    since: int
    until: int | None = None
    late: bool = False
    own_turn: bool = False
    in_overtime: bool = False
    permitted: bool = False


@dataclass(frozen=True)
class ClockState:
    """A clock at the moment of its last row, ``t`` milliseconds.

    ``left``: what each had then; ``running``: whose clock runs, None while it stands; ``read``: whether what is left
    was read from a clock, not only worked out; ``out``: when a player was over time. ``same_house`` as the start said.
    """

    control: TimeControl
    rules: TimeRules
    t: int
    left: Mapping[Colour, Remaining]
    running: Colour | None
    paused: bool
    read: bool
    presses: tuple[Press, ...]
    out: Mapping[Colour, int]
    absences: tuple[Absence, ...]
    started: int | None
    same_house: bool
    faults: tuple[str, ...] = ()

    def at(self, t: int) -> Mapping[Colour, Remaining]:
        """What each has at a later moment, if nobody does anything."""
        if self.running is None:
            return dict(self.left)
        spent = spend(self.control, self.left[self.running], max(0, t - self.t))
        return {**self.left, self.running: spent}

    def out_at(self, colour: Colour) -> int | None:
        """When a player was or, if nobody does anything, will be over time."""
        if colour in self.out:
            return self.out[colour]
        return self.t + longest(self.control, self.left[colour]) if colour is self.running else None

    def calls(self, start: int, end: int) -> tuple[CallOut, ...]:
        """What has to be called out after ``start`` up to ``end``, if nobody does anything."""
        if self.running is None or self.running in self.out:
            return ()
        found = call_outs(self.control, self.rules, self.running, self.left[self.running], self.t, end)
        return tuple(call for call in found if call.t > start)


@dataclass
class ClockStory:
    """Collects what happened to a clock; :meth:`state` folds it in the order of time.

    ``first``: who begins. ``ended`` may tell of a press when the move that it ended was over in truth, see
    :meth:`state`.
    """

    rules: TimeRules
    first: Colour
    control: TimeControl | None = None
    rows: list[Row] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """Take one row in. Raises UsageError with one sentence for what is none."""
        check(row)
        if row.get("control"):
            self.control = parse_control(str(row["control"]))
        self.rows.append(row)

    def state(self, ends: Mapping[int, int] | None = None) -> ClockState | None:
        """The clock after all rows; None where no time control is known, or no row.

        ``ends``: of a press, by its row, when the move was over in truth (milliseconds), where that counts and not the
        press: under cn1988 stones taken off in byo-yomi are not timed (23.4).
        """
        if self.control is None or not self.rows:
            return None
        fold = _Fold(self.control, self.rules, self.first, ends or {})
        for row in sorted(self.rows, key=lambda row: (float(row["t"]), int(row["id"]))):
            fold.take(row)
        return fold.state()


def check(row: Row) -> None:
    """Make sure that a row of a clock can be taken in. Raises UsageError with one sentence."""
    doing = row.get("do")
    if doing not in DOINGS + RULED:
        raise UsageError(f"{doing!r} is nothing that a clock does: there are {', '.join(DOINGS)}")
    t = row.get("t")
    if isinstance(t, bool) or not isinstance(t, int | float) or not 0 <= t < 1e7:
        raise UsageError(f"a row of a clock needs its time t in seconds, and has {t!r}")
    needed = doing in {"press", "arrive", "leave", "return", *RULED}
    if (needed or row.get("color") is not None) and row.get("color") not in COLOURS:
        raise UsageError(f"{doing} needs a color, B or W, and has {row.get('color')!r}")
    absent = row.get("absent", [])
    if not isinstance(absent, list) or any(each not in COLOURS for each in absent):
        raise UsageError(f'absent is a list of colours, like ["W"], and is {absent!r}')
    if row.get("running") not in (None, *COLOURS):
        raise UsageError(f"running is B, W or null, and is {row.get('running')!r}")
    for name, value in row.items():
        if name.endswith(("_ms", "_periods", "_moves")) and not _is_number(value):
            raise UsageError(f"{name} must be a number, and is {value!r}")
    if doing == "fault" and not row.get("lost") and "true_ms" not in row:
        raise UsageError("a fault of the clock needs true_ms, what both have used in truth, or lost")


def _is_number(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and -1e10 < value < 1e10


class _Fold:
    """The state while the rows are gone through."""

    def __init__(self, control: TimeControl, rules: TimeRules, first: Colour, ends: Mapping[int, int]) -> None:
        self.control, self.rules, self.first, self.ends = control, rules, first, ends
        self.left = {colour: Remaining.full(control) for colour in Colour}
        self.t = 0
        self.running: Colour | None = None
        self.stood: Colour | None = None  # whose clock ran before a pause
        self.paused = self.read = self.same_house = False
        self.started: int | None = None
        self.presses: list[Press] = []
        self.out: dict[Colour, int] = {}
        self.absences: list[Absence] = []
        self.faults: list[str] = []

    def state(self) -> ClockState:
        return ClockState(
            self.control,
            self.rules,
            self.t,
            dict(self.left),
            self.running,
            self.paused,
            self.read,
            tuple(self.presses),
            dict(self.out),
            tuple(self.absences),
            self.started,
            self.same_house,
            tuple(self.faults),
        )

    def take(self, row: Row) -> None:
        now, doing = round(float(row["t"]) * SECOND), row["do"]
        if doing == "press":
            self._press(row, now)
            return
        self._run_to(now)
        if doing == "start":
            self._start(row, now)
        elif doing in {"reading", "set"}:
            self._read(row, doing == "reading")
        elif doing == "stop":
            self.running = self.stood = None
        elif doing == "pause":
            self.stood, self.running, self.paused = self.running, None, True
        elif doing == "resume":
            self.running, self.paused = self.running or self.stood or self.first, False
        elif doing in {"arrive", "return"}:
            self._back(Colour(row["color"]), now)
        elif doing == "leave":
            self._leave(row, now)
        elif doing == "fault":
            self.left, said = put_right(self.control, self.left, row, self.rules.fault_minutes_an_hour)
            self.faults.append(said)
        elif doing == "deduct":
            colour = Colour(row["color"])
            self.left[colour] = deducted(self.control, self.left[colour], round(float(row["ms"])))
        elif doing == "reprieve":
            self._reprieve(Colour(row["color"]))

    def _run_to(self, now: int) -> None:
        """Let the clock run up to a moment; note when somebody is over time."""
        if self.running is not None and now > self.t:
            left = self.left[self.running]
            if self.running not in self.out and now - self.t >= longest(self.control, left):
                self.out[self.running] = self.t + longest(self.control, left)
            self.left[self.running] = spend(self.control, left, now - self.t)
        self.t = max(self.t, now)

    def _start(self, row: Row, now: int) -> None:
        self.running = Colour(row["color"]) if row.get("color") else self.first
        self.started = now if self.started is None else self.started
        self.same_house = bool(row.get("same_house", self.same_house))
        absent = [Colour(letter) for letter in row.get("absent", [])]
        self.absences += [Absence(int(row["id"]), colour, now, late=True) for colour in absent]
        if absent:
            self.stood, self.running = self.running, None if self.control.main else absent[0]

    def _press(self, row: Row, now: int) -> None:
        """The turn of the one who presses is over, the other's begins. A press out of turn changes nothing."""
        colour, number = Colour(row["color"]), int(row["id"])
        ended = not self.paused and (self.running is colour or (self.running is None and self.started is None))
        in_overtime = False
        if ended and self.running is colour:
            end = min(now, max(self.t, self.ends.get(number, now)))
            if end < now and not spend(self.control, self.left[colour], end - self.t).in_overtime:
                end = now
            self._run_to(end)
            in_overtime = self.left[colour].in_overtime
            self.left[colour] = moved(self.control, self.left[colour])
            self.t = max(self.t, now)
        else:
            self._run_to(now)
        if ended:
            self.running = colour.opponent
            self.started = now if self.started is None else self.started
        read = self._read(row, True)
        uncertainty = round(float(row.get("uncertainty_ms", UNCERTAINTY)))
        press = Press(number, now, colour, uncertainty, ended, self.left[colour], read, in_overtime)
        self.presses.append(press)

    def _read(self, row: Row, real: bool) -> bool:
        """Take over what a clock shows, or was set to; whether it shows anything."""
        any_read = False
        for colour, name in ((Colour.BLACK, "black"), (Colour.WHITE, "white")):
            if f"{name}_ms" in row:
                self.left[colour] = self._shown(self.left[colour], row, name)
                any_read = True
                if not is_out(self.left[colour]):
                    self.out.pop(colour, None)
                elif real:
                    self.out.setdefault(colour, self.t)
        self.read = self.read or (any_read and real)
        if "running" in row and row["do"] != "press":
            self.running = Colour(row["running"]) if row["running"] in {"B", "W"} else None
        return any_read

    def _shown(self, left: Remaining, row: Row, name: str) -> Remaining:
        """What a display shows: main time while all periods are left and it is more than none, else the period."""
        shown, full = max(0, round(float(row[f"{name}_ms"]))), Remaining.full(self.control)
        periods = int(row.get(f"{name}_periods", left.periods if left.in_overtime else full.periods))
        moves = int(row.get(f"{name}_moves", left.moves if left.in_overtime else full.moves))
        in_main = full.periods == 0 or row.get(f"{name}_overtime") is False
        if not in_main and row.get(f"{name}_overtime") is None:
            given = f"{name}_periods" in row or f"{name}_moves" in row
            begun = left.in_overtime or (given and (periods < full.periods or moves < full.moves))
            in_main = not begun and (shown > self.control.period or left.main > 0)
        if in_main:
            return replace(full, main=shown)
        if shown == 0 and periods <= 1:
            return Remaining(0)
        return Remaining(0, periods, shown or self.control.period, moves)

    def _back(self, colour: Colour, now: int) -> None:
        for place, each in enumerate(self.absences):
            if each.colour is colour and each.until is None:
                self.absences[place] = replace(each, until=now)
                if each.late and not any(other.late and other.until is None for other in self.absences):
                    self._all_there(colour)

    def _all_there(self, late: Colour) -> None:
        """The last of those who were late has come: the game begins."""
        if not self.control.main:
            self.left[late] = Remaining.full(self.control)
        self.running, self.stood = self.stood, None

    def _leave(self, row: Row, now: int) -> None:
        colour = Colour(row["color"])
        own = self.running is colour
        left = self.left[colour]
        allowed = bool(row.get("permitted"))
        self.absences.append(Absence(int(row["id"]), colour, now, None, False, own, left.in_overtime, allowed))

    def _reprieve(self, colour: Colour) -> None:
        """He was over time and may go on: his turn is a pass, the last period is his again (cn2002 22.5)."""
        self.out.pop(colour, None)
        self.left[colour] = reprieved(self.control, self.left[colour])
        if self.running is colour:
            self.running = colour.opponent


def ruled(row: int, t: float, doing: str, colour: Colour, ms: int = 0) -> dict[str, Any]:
    """What a ruling in a row of the journal does to the clock, as :class:`ClockStory` takes it in."""
    return {"type": "clock", "id": row, "t": t, "do": doing, "color": colour.value, "ms": ms}


def seconds(time: int) -> float:
    """Milliseconds as rows and people have them."""
    return round(time / SECOND, 3)


def presses_of(state: ClockState | None) -> Iterable[Press]:
    """The presses that ended a turn, in the order of time."""
    return () if state is None else (press for press in state.presses if press.ended)
