"""Who would own a point if the game were played out at random: an estimate of life and death by the rules alone.

The idea is that of Monte-Carlo Go (B. Bruegmann, 1993): on a finished board random play, which never fills its own
eyes, takes what is dead and keeps what lives.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from kifuwatch.core.points import EMPTY, Colour, Layout, Point

_BORDER, _NONE, _BLACK, _WHITE = 3, 0, 1, 2


@dataclass(frozen=True)
class Ownership:
    """For each point of the board, -1 (White's in every game played out) to +1 (Black's)."""

    size: int
    values: tuple[float, ...]

    def of(self, point: Point) -> float:
        """Of one point."""
        return self.values[(self.size - 1 - point.row) * self.size + point.col]


def play_out(layout: Layout, luck: random.Random, games: int = 100) -> Ownership:
    """Play a position out at random ``games`` times, each colour beginning in half of them."""
    totals = [0] * len(layout.cells)
    for number in range(games):
        board = _Board(layout)
        board.fill(_BLACK if number % 2 else _WHITE, luck)
        for index, owner in enumerate(board.owners()):
            totals[index] += (owner == _BLACK) - (owner == _WHITE)
    return Ownership(layout.size, tuple(total / games for total in totals))


class _Board:
    """A board with a border around it, as numbers, for speed: this is called some hundred thousand times."""

    def __init__(self, layout: Layout) -> None:
        size = layout.size
        self.size, self.width = size, size + 2
        self.cells = bytearray([_BORDER]) * (self.width * self.width)
        number = {EMPTY: _NONE, Colour.BLACK.cell: _BLACK, Colour.WHITE.cell: _WHITE}
        self.places = [self.width * (line + 1) + col + 1 for line in range(size) for col in range(size)]
        for place, cell in zip(self.places, layout.cells, strict=True):
            self.cells[place] = number[cell]
        self.ko = -1

    def fill(self, colour: int, luck: random.Random) -> None:
        """Play at random until neither side has a move that is not its own eye."""
        empty = [place for place in self.places if self.cells[place] == _NONE]
        passes, left = 0, 3 * len(self.places)
        while passes < 2 and left:
            left -= 1
            moved = self._random_move(colour, empty, luck)
            passes = 0 if moved else passes + 1
            colour = 3 - colour

    def _random_move(self, colour: int, empty: list[int], luck: random.Random) -> bool:
        count = len(empty)
        while count:
            choice = int(luck.random() * count)
            place = empty[choice]
            count -= 1
            empty[choice], empty[count] = empty[count], place
            if place != self.ko and not self._own_eye(place, colour):
                taken = self._play(place, colour)
                if taken is not None:
                    empty[count] = empty[-1]
                    empty.pop()
                    empty.extend(taken)
                    return True
        self.ko = -1
        return False

    def _own_eye(self, place: int, colour: int) -> bool:
        cells, width, other = self.cells, self.width, 3 - colour
        for near in (place - width, place - 1, place + 1, place + width):
            if cells[near] not in (colour, _BORDER):
                return False
        corners = [cells[place + d] for d in (-width - 1, -width + 1, width - 1, width + 1)]
        return corners.count(other) < (1 if _BORDER in corners else 2)

    def _play(self, place: int, colour: int) -> list[int] | None:
        """Put a stone down: the places it has emptied, or None (nothing changed) when it would be suicide."""
        cells, width, other = self.cells, self.width, 3 - colour
        cells[place] = colour
        taken: list[int] = []
        near = (place - width, place - 1, place + 1, place + width)
        for beside in near:
            if cells[beside] == other:
                dead = self._dead_chain(beside)
                for stone in dead:
                    cells[stone] = _NONE
                taken += dead
        if not taken and self._dead_chain(place):
            cells[place] = _NONE
            return None
        alone = len(taken) == 1 and all(cells[beside] in (other, _BORDER, _NONE) for beside in near)
        self.ko = taken[0] if alone and sum(cells[beside] == _NONE for beside in near) == 1 else -1
        return taken

    def _dead_chain(self, place: int) -> list[int]:
        """The chain at a place if it has no liberty, else nothing."""
        cells, width, colour = self.cells, self.width, self.cells[place]
        found, seen = [place], {place}
        for stone in found:
            for near in (stone - width, stone - 1, stone + 1, stone + width):
                cell = cells[near]
                if cell == _NONE:
                    return []
                if cell == colour and near not in seen:
                    seen.add(near)
                    found.append(near)
        return found

    def owners(self) -> list[int]:
        """Whose each point is at the end: its stone's, or that of the one colour around it."""
        cells, width = self.cells, self.width
        owners = []
        for place in self.places:
            owner = cells[place]
            if owner == _NONE:
                around = {cells[n] for n in (place - width, place - 1, place + 1, place + width)} - {_BORDER, _NONE}
                owner = around.pop() if len(around) == 1 else _NONE
            owners.append(owner)
        return owners
