"""What the reconstructor reports: the events of a game, each a frozen record.

Times are seconds from the start of the source: ``t`` when it happened, ``seen`` when it was reported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from kifuwatch.core.points import Colour, Layout, Point

INFO = "info"
WARNING = "warning"
FIRST = "first"
"""The fact of a ``setup`` that is about who has begun: his colour."""
PLACE_GIVEN = "place_given"
"""The fact of a ``board-moved`` that is about a place given beforehand: how it is wrong."""


@dataclass(frozen=True)
class BoardFound:
    """A board is in the picture; ``corners`` in pixels, (x, y), top-left first, clockwise in the board text."""

    t: float
    size: int
    corners: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Setup:
    """Stones that stood before the first move. A later one replaces an earlier one."""

    t: float
    seen: float
    black: tuple[Point, ...]
    white: tuple[Point, ...]
    to_play: Colour | None = None


@dataclass(frozen=True)
class Move:
    """A move: ``at`` None is a pass. ``inferred``: its order among its neighbours was worked out, not seen.

    ``t`` is the first moment when the stone was seen lying free; it was put down after ``not_before``, and its point
    was still covered at ``left_after``: between that and ``t`` the hand left it (None: not known).
    ``faults``: names of what is wrong with it, when it stands although it is illegal.
    """

    t: float
    seen: float
    number: int
    colour: Colour
    at: Point | None
    captures: tuple[Point, ...] = ()
    inferred: bool = False
    not_before: float | None = None
    faults: tuple[str, ...] = ()
    left_after: float | None = None


@dataclass(frozen=True)
class Retract:
    """The move of this number and all after it are taken back; what stands instead follows."""

    t: float
    seen: float
    number: int
    reason: str


@dataclass(frozen=True)
class Gap:
    """From ``t`` until ``until`` the board, or a good part of it, was not seen: moves in between are worked out."""

    t: float
    until: float
    seen: float
    reason: str


@dataclass(frozen=True)
class Lifted:
    """A captured stone was taken off its point: after ``not_before``, when it was last clearly seen there (None: not
    known), and not later than ``t``, when the point was first seen empty."""

    at: Point
    t: float
    not_before: float | None = None


@dataclass(frozen=True)
class Cleared:
    """All stones that the move of this number captured are off the board, the last of them since ``t``."""

    t: float
    seen: float
    number: int
    stones: tuple[Lifted, ...]


@dataclass(frozen=True)
class Boards:
    """The board of an incident: ``before`` it by the rules, what by the rules is ``expected`` to lie there if it is
    one, and what is seen there ``after`` it."""

    before: Layout
    expected: Layout
    after: Layout


@dataclass(frozen=True)
class Incident:
    """Something the arbiter should look at. ``code`` as in the list of alert codes; ``facts`` say what was seen.

    ``move``: the number of the move that it is about, where it is about none that of the last one before it.
    ``colour``: whose doing it is, where known. ``likelihoods``: of what may lie behind it, by name, where computed.
    """

    t: float
    seen: float
    code: str
    at: tuple[Point, ...]
    move: int
    level: str = WARNING
    colour: Colour | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    likelihoods: Mapping[str, float] = field(default_factory=dict)
    boards: Boards | None = None


@dataclass(frozen=True)
class PositionSeen:
    """The board as it lies; ``rules_board`` is what the rules see."""

    t: float
    board: Layout
    rules_board: Layout


Event = BoardFound | Setup | Move | Retract | Cleared | Gap | Incident | PositionSeen
