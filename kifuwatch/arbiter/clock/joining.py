"""Clock and camera together: which press ended which move, and whether it came too early.

The camera tells between which two moments a stone left the hand, and between which two a captured stone was taken
off. Only what is beyond what both can be wrong by is told: nothing is said within it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kifuwatch.arbiter.clock.clock import Press
from kifuwatch.arbiter.clock.time_control import SECOND
from kifuwatch.core.points import Colour, Point
from kifuwatch.reconstruct.events import Move
from kifuwatch.reconstruct.hand_offs import HandOff, hand_offs

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Lift:
    """A captured stone that came off its point: not before ``earliest`` (None: not known), by ``latest``; in
    milliseconds."""

    at: Point
    earliest: int | None
    latest: int


@dataclass(frozen=True)
class SeenMove:
    """A stone that the camera saw played. ``row`` of the journal, ``number`` of the recorder; it left the hand between
    ``earliest`` and ``latest`` (milliseconds; None: not known from when on); ``lifts``: of each captured stone, None
    as long as some of them lie there."""

    row: int
    number: int
    colour: Colour
    at: Point
    earliest: int | None
    latest: int
    captures: int
    lifts: tuple[Lift, ...] | None = None


@dataclass
class CameraMoves:
    """The moves as the camera has them now: a fold over its rows."""

    _moves: list[tuple[int, Move]] = field(default_factory=list)
    _lifts: dict[int, tuple[Lift, ...]] = field(default_factory=dict)

    def add(self, row: Row) -> None:
        """Take in a row of a move, of one taken back, or of captured stones that are off the board."""
        if row["type"] == "move":
            self._cut(int(row["number"]))
            self._moves.append((int(row["id"]), _move(row)))
        elif row["type"] == "retract":
            self._cut(int(row["number"]))
        elif row["type"] == "cleared" and 0 < int(row["number"]) <= len(self._moves):
            self._lifts[self._moves[int(row["number"]) - 1][0]] = tuple(map(_lift, row["stones"]))

    def _cut(self, number: int) -> None:
        del self._moves[number - 1 :]

    def stones(self) -> tuple[SeenMove, ...]:
        """The stones in the order in which they were played; passes are none."""
        moves = [move for _, move in self._moves]
        found = []
        for (row, move), off in zip(self._moves, hand_offs(moves), strict=True):
            if move.at is not None:
                earliest, latest = _bounds(off)
                captures, lifts = len(move.captures), self._lifts.get(row)
                found.append(SeenMove(row, move.number, move.colour, move.at, earliest, latest, captures, lifts))
        return tuple(found)


def _move(row: Row) -> Move:
    return Move(
        float(row.get("t", 0.0)),
        float(row.get("seen", row.get("t", 0.0))),
        int(row["number"]),
        Colour(row["color"]),
        None if row["at"] == "pass" else Point.parse(row["at"]),
        tuple(map(Point.parse, row.get("captures", ()))),
        not_before=row.get("not_before"),
        left_after=row.get("left_after"),
    )


def _lift(stone: Row) -> Lift:
    before = stone.get("not_before")
    earliest = None if before is None else round(float(before) * SECOND)
    return Lift(Point.parse(stone["at"]), earliest, round(float(stone["t"]) * SECOND))


def _bounds(off: HandOff) -> tuple[int | None, int]:
    earliest = None if off.earliest is None else round(off.earliest * SECOND)
    return earliest, round(off.latest * SECOND)


@dataclass(frozen=True)
class Pair:
    """A press and the stone that it belongs to. ``margin``: so many milliseconds, at least, it came before the stone
    left the hand; negative where that is not certain."""

    press: Press
    move: SeenMove
    margin: int

    @property
    def early(self) -> bool:
        """Whether the press certainly came before the stone (cn2002 17.4)."""
        return self.margin > self.press.uncertainty

    @property
    def lying(self) -> tuple[Point, ...]:
        """The captured stones that certainly still lay on the board when the clock was pressed (22.6)."""
        limit = self.press.t + self.press.uncertainty
        return tuple(lift.at for lift in self.move.lifts or () if lift.earliest is not None and lift.earliest > limit)

    @property
    def cleared_after(self) -> int | None:
        """Milliseconds from the press until the last captured stone was seen to be off."""
        return max(lift.latest for lift in self.move.lifts) - self.press.t if self.move.lifts else None


def pairs(presses: Iterable[Press], stones: Sequence[SeenMove]) -> tuple[Pair, ...]:
    """Which press belongs to which stone: to the last one of its colour before it, where that has none yet; else, if
    nothing of the opponent came in between, to the next one, which it then came before. A press without either is a
    pass, or a slip."""
    ended = sorted((press for press in presses if press.ended), key=lambda press: press.t)
    found: list[Pair] = []
    taken: set[int] = set()
    for press in ended:
        own = [stone for stone in stones if stone.colour is press.colour]
        before = [stone for stone in own if _from(stone) <= press.t]
        if before and before[-1].row not in taken:
            stone, margin = before[-1], -1
        else:
            later = next((stone for stone in own if _from(stone) > press.t), None)
            if later is None or not _in_one_turn(press, later, stones, ended):
                continue
            stone, margin = later, _from(later) - press.t
        taken.add(stone.row)
        found.append(Pair(press, stone, margin))
    return tuple(found)


def _from(stone: SeenMove) -> int:
    """The first moment when it can have left the hand, as far as that is proved; else it is taken to be at once."""
    return stone.earliest if stone.earliest is not None else -1


def _in_one_turn(press: Press, stone: SeenMove, stones: Sequence[SeenMove], presses: Sequence[Press]) -> bool:
    """Whether nothing of the opponent lies between a press and a stone of the same colour after it, and his stone
    before it was down when it was pressed."""
    place = stones.index(stone)
    if place and stones[place - 1].colour is stone.colour:
        return False
    if place and stones[place - 1].latest > press.t:
        return False
    first = _from(stone)
    return not any(press.t < other.t < first and other.colour is not press.colour for other in presses)


def true_ends(found: Iterable[Pair]) -> dict[int, int]:
    """Of each press that ended a capture: when the stone had left the hand, at the latest. Where captures are not
    timed in byo-yomi (cn1988 23.4) the move was over then."""
    return {
        pair.press.row: pair.move.latest for pair in found if pair.move.captures and pair.move.latest <= pair.press.t
    }
