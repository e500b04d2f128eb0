"""What the arbiter's desk knows of a game at one moment: the line, the alerts, the ledger, what is expected next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from kifuwatch.arbiter.clock.clock import ClockState, Press
from kifuwatch.arbiter.clock.time_control import TimeControl
from kifuwatch.arbiter.code import Code
from kifuwatch.arbiter.result import Score
from kifuwatch.core.points import Colour, Layout, Point


class Phase(StrEnum):
    """Where a game stands."""

    PLAYING = "playing"
    PAUSED = "paused"
    END_PROPOSED = "end-proposed"
    COUNTING = "counting"
    OVER = "over"


class AlertMood(StrEnum):
    """What has become of an alert."""

    OPEN = "open"
    UPHELD = "upheld"
    REJECTED = "rejected"
    LAPSED = "lapsed"
    AUTO_CLOSED = "auto-closed"


@dataclass
class Entry:
    """One thing in the record, in the order in which it came: a move, a pass (``point`` None), or stones set up.

    ``stands``: on the main line; else a side line, with ``why``. ``camera``: its number in the recorder's own count,
    None where it has none; ``ruled``: a ruling made it. ``row``: the journal row that it came with.
    ``gone``: the camera took it back, and it is in the record no more.
    """

    row: int
    colour: Colour
    point: Point | None = None
    setup: dict[Point, str] | None = None
    to_play: Colour | None = None
    camera: int | None = None
    ruled: bool = False
    stands: bool = True
    why: str = ""
    t: float | None = None
    inferred: bool = False
    notes: list[str] = field(default_factory=list)
    gone: bool = False

    @property
    def is_move(self) -> bool:
        """Whether it is a move or a pass."""
        return self.setup is None


@dataclass
class AlertState:
    """An alert on the desk. ``number`` counts the alerts of the game; ``offender``: whose doing it is, where known.

    ``told``: the row that it came with (hypotheses, boards, claim, evidence).
    """

    number: int
    row: int
    code: str
    level: str
    at: tuple[Point, ...]
    text_en: str
    text_zh: str
    t: float
    offender: Colour | None
    target: Entry | None
    facts: dict[str, str]
    mood: AlertMood = AlertMood.OPEN
    closed_by: int | None = None
    why: str = ""
    moves_at: int = 0
    told: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LedgerEntry:
    """A warning or an advice; ``taken_back`` is the row of the ruling that took it back."""

    row: int
    colour: Colour
    kind: str
    alert: int | None
    article: str
    taken_back: int | None = None

    def to_json(self) -> dict[str, object]:
        """As programs read it, from the command line and from the server alike."""
        return {
            "row": self.row,
            "color": self.colour.value,
            "kind": self.kind,
            "alert": self.alert,
            "article": self.article,
            "taken_back": self.taken_back,
        }


@dataclass(frozen=True)
class Ending:
    """How a game ended: ``sgf`` as SGF writes it (``RE``), in words, and the row of the ruling."""

    sgf: str
    en: str
    zh: str
    row: int
    winner: Colour | None = None


@dataclass(frozen=True)
class DeskState:
    """The whole of it. ``line``: the entries that stand; ``faults`` the names of what is wrong with each of them.

    ``pending``: what has to lie on points that a ruling has changed, until the board shows it. ``revision``: the last
    row of the journal. ``clock``: None where there is none; ``presses``: of the entries that a press ended, by row.
    """

    size: int
    code: Code
    komi: float
    handicap: int
    players: tuple[str, str]
    event: str
    date: str
    start: dict[Point, str]
    entries: tuple[Entry, ...]
    faults: dict[int, tuple[str, ...]]
    alerts: tuple[AlertState, ...]
    ledger: tuple[LedgerEntry, ...]
    phase: Phase
    to_play: Colour
    board: Layout
    captures: dict[Colour, int]
    sealed: Point | None
    pending: dict[Point, str]
    dead: frozenset[Point] | None
    seen: Layout | None
    score: Score | None
    ending: Ending | None
    revision: int
    control: TimeControl | None = None
    clock: ClockState | None = None
    presses: Mapping[int, Press] = field(default_factory=dict)
    ranks: tuple[str, str] = ("", "")
    round: str = ""

    @property
    def line(self) -> tuple[Entry, ...]:
        """The entries that stand, in order."""
        return tuple(entry for entry in self.entries if entry.stands)

    @property
    def moves(self) -> tuple[Entry, ...]:
        """The moves and passes that stand: number n of the record is ``moves[n - 1]``."""
        return tuple(entry for entry in self.line if entry.is_move)

    def warnings(self, colour: Colour) -> int:
        """How many warnings of a colour count."""
        return count_warnings(self.ledger, colour)

    def alert(self, number: int) -> AlertState | None:
        """The alert of a number."""
        return next((each for each in self.alerts if each.number == number), None)


def count_warnings(ledger: tuple[LedgerEntry, ...] | list[LedgerEntry], colour: Colour) -> int:
    """How many warnings of a colour have not been taken back."""
    return sum(each.colour is colour and each.kind == "warning" and each.taken_back is None for each in ledger)
