"""A position and what a move makes of it. Every move is executed, legal or not, with all its faults told."""

from __future__ import annotations

from dataclasses import dataclass

from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import EMPTY, HIDDEN, Colour, Layout, Point
from kifuwatch.rules import cells as bare
from kifuwatch.rules.faults import Fault

_NO_POINTS: frozenset[Point] = frozenset()


@dataclass(frozen=True, slots=True)
class Position:
    """A board between two moves: the stones, the colour to play, and the point barred by a simple ko.

    ``ko_point`` is where ``to_play`` may not take back at once, or None.
    """

    layout: Layout
    to_play: Colour
    ko_point: Point | None = None

    @classmethod
    def empty(cls, size: int) -> Position:
        """A board of ``size`` lines without stones, Black to play."""
        return cls(Layout.empty(size), Colour.BLACK)

    @classmethod
    def of(cls, layout: Layout, to_play: Colour) -> Position:
        """A position met without its history: no ko is known.

        Chains without liberties are let stand, as they may lie on a real board. Raises UsageError when a
        point is hidden: the rules need to know what is there.
        """
        hidden = layout.cells.find(HIDDEN)
        if hidden >= 0:
            raise UsageError(f"a position needs to know every point, and {layout.point(hidden)} is hidden")
        return cls(layout, to_play)

    @property
    def size(self) -> int:
        """The number of lines of the board."""
        return self.layout.size

    def chain_at(self, point: Point) -> frozenset[Point]:
        """The chain that the stone at ``point`` belongs to; no points when the point is empty."""
        index = self.layout.index(point)
        if self.layout.cells[index] == EMPTY:
            return _NO_POINTS
        return self._points(bare.chain(self.layout.cells, self.size, index))

    def liberties(self, point: Point) -> frozenset[Point]:
        """The liberties of the chain at ``point``; no points when the point is empty."""
        index = self.layout.index(point)
        if self.layout.cells[index] == EMPTY:
            return _NO_POINTS
        stones = bare.chain(self.layout.cells, self.size, index)
        return self._points(bare.liberties(self.layout.cells, self.size, stones))

    def chains(self, colour: Colour) -> tuple[frozenset[Point], ...]:
        """All chains of a colour, in the order of the board text."""
        seen: set[int] = set()
        found: list[frozenset[Point]] = []
        for index, cell in enumerate(self.layout.cells):
            if cell == colour.cell and index not in seen:
                stones = bare.chain(self.layout.cells, self.size, index)
                seen |= stones
                found.append(self._points(stones))
        return tuple(found)

    def chains_without_liberties(self, colour: Colour) -> tuple[frozenset[Point], ...]:
        """The chains of a colour that should not be on the board, in the order of the board text."""
        return tuple(chain for chain in self.chains(colour) if not self.liberties(next(iter(chain))))

    def play(self, colour: Colour, point: Point | None) -> Play:
        """Execute a move (None: a pass) as it stands, whatever its faults, as SGF asks.

        A stone on an occupied point replaces the one that was there. Then the opponent's chains beside it
        that have no liberty come off; when there are none, its own chain if it has none (suicide). Off the
        board nothing is placed. The other colour is to play next. Repetition is known only to a
        :class:`kifuwatch.rules.history.Game`.
        """
        turn = Fault.NONE if colour is self.to_play else Fault.OUT_OF_TURN
        if point is None:
            return Play(colour, None, Position(self.layout, colour.opponent), turn)
        size, before = self.layout.size, self.layout.cells
        if not (0 <= point.col < size and 0 <= point.row < size):
            return Play(colour, point, Position(self.layout, colour.opponent), turn | Fault.OFF_BOARD)
        index = (size - 1 - point.row) * size + point.col
        placed = bare.place(before, size, index, colour.cell)
        faults, replaced = turn, None
        if before[index] != EMPTY:
            faults |= Fault.OCCUPIED
            replaced = Colour.of_cell(before[index])
        if point == self.ko_point and colour is self.to_play:
            faults |= Fault.KO
        if placed.self_captured:
            faults |= Fault.SUICIDE
        ko = bare.ko_after(placed, size, index)
        layout = Layout(size, placed.cells)
        after = Position(layout, colour.opponent, None if ko is None else layout.point(ko))
        captured, gone = self._points(placed.captured), self._points(placed.self_captured)
        return Play(colour, point, after, faults, captured, gone, replaced)

    def _points(self, indices: set[int] | frozenset[int]) -> frozenset[Point]:
        return frozenset(map(self.layout.point, indices)) if indices else _NO_POINTS


@dataclass(frozen=True, slots=True)
class Repetition:
    """A board that was there before: ``earlier`` counts the moves before it (0 is the start position)."""

    earlier: int
    cycle: int
    """Moves from there to here."""


@dataclass(frozen=True, slots=True)
class Play:
    """One move, executed: what came off, all that is wrong with it, and the position after it."""

    colour: Colour
    point: Point | None
    """None: a pass."""
    position: Position
    """The position after the move."""
    faults: Fault = Fault.NONE
    captured: frozenset[Point] = _NO_POINTS
    """The opponent's stones that came off."""
    self_captured: frozenset[Point] = _NO_POINTS
    """The own stones that came off (suicide), the one just played included."""
    replaced: Colour | None = None
    """The colour of the stone that stood on the point."""
    positional: Repetition | None = None
    """The earlier board that it repeats."""
    situational: Repetition | None = None
    """The earlier board that it repeats with the same colour to play."""
