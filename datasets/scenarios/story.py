"""A stretch of a real game as the ground of a story: what goes before, and the moves that would follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import EMPTY, Colour, Layout, Point
from kifuwatch.datasets.scenarios.players import PlayedGame, neighbours, played_games, scripted_games
from kifuwatch.datasets.scenarios.shots import shot
from kifuwatch.datasets.scenarios.teller import Teller
from kifuwatch.rules import Fault, Game

VARIANTS = 60
"""So many grounds are tried for a story that is not possible on each."""


@dataclass
class Story:
    """A teller with the moves that the game would go on with, the next first."""

    teller: Teller
    ahead: list[Point]

    @classmethod
    def on(
        cls, name: str, title: str, group: str, number: int, size: int = 19, after: int = 60, wild: bool = False
    ) -> Story:
        """The ``number``-th ground: a game on ``size`` lines, turned, after so many moves; in a ``wild`` one much is
        captured."""
        games = _wild() if wild else _tame(size)
        game = games[number % len(games)].turned(number % 4, number % 8 >= 4)
        teller = Teller(name, title, group, game.after(after), number, shot(number), pace=2.2 + 0.1 * (number % 6))
        return cls(teller, game.stones()[after:])

    @property
    def to_play(self) -> Colour:
        """Whose turn it is."""
        return self.teller.game.position.to_play

    def go(self, count: int, **how: object) -> list[Point]:
        """Play the next moves of the game; where. Raises UsageError where one has become impossible."""
        return [self._next(**how) for _ in range(count)]

    def _next(self, **how: object) -> Point:
        if not self.ahead:
            raise UsageError(f"{self.teller.name}: the game is over")
        point = self.ahead.pop(0)
        play = self.teller.game.look(self.to_play, point)
        if play.faults != Fault.NONE or self.teller.board[point] != EMPTY:
            raise UsageError(f"{self.teller.name}: {point} cannot be played")
        self.teller.play(point, **how)  # type: ignore[arg-type]
        return point

    def skip_to(self, wanted: Callable[[Game, Point], bool], most: int = 200) -> None:
        """Begin the story later: just before the first move for which ``wanted`` holds.

        Raises UsageError when there is none, or something has been told already.
        """
        teller, game = self.teller, self.teller.game
        for place, point in enumerate(self.ahead[:most]):
            if teller.moves:
                break
            if wanted(game, point):
                fresh = Game.of(game.position.layout, game.position.to_play)
                again = Teller(teller.name, teller.title, teller.group, fresh, teller.seed, teller.shot, teller.pace)
                self.teller, self.ahead = again, self.ahead[place:]
                return
            game = game.play(game.position.to_play, point)
        raise UsageError(f"{teller.name}: the game never comes to that")

    def free(self, near: Point | None = None, apart: int = 3) -> Point:
        """An empty point where nothing will happen soon: with empty neighbours, near another or anywhere."""
        board, size = self.teller.board, self.teller.board.size
        soon = self.ahead[:12]
        spots = [
            p
            for p in board.points(EMPTY)
            if all(board[q] == EMPTY for q in neighbours(p, size))
            and all(distance(p, q) >= apart for q in soon)
            and 2 <= p.col < size - 2
            and 2 <= p.row < size - 2
        ]
        if not spots:
            raise UsageError(f"{self.teller.name}: there is no free point")
        return min(spots, key=lambda p: (distance(p, near) if near else 0, p))

    def quiet(self, count: int = 1, colour: Colour | None = None, space: bool = True) -> list[Point]:
        """Stones with which nothing will happen soon, each with an empty point above it (``space``)."""
        board, size = self.teller.board, self.teller.board.size
        last = self.teller.game.plays[-2:]
        soon = [*self.ahead[:12], *(play.point for play in last if play.point)]
        chosen: list[Point] = []
        for stone in (p for c in (colour, *Colour) if c for p in board.points(c.cell)):
            up = Point(stone.col, stone.row + 1)
            if (colour and board[stone] != colour.cell) or stone.row + 1 >= size or (space and board[up] != EMPTY):
                continue
            if all(distance(stone, p) >= 3 for p in soon) and all(distance(stone, p) >= 3 for p in chosen):
                chosen.append(stone)
        if len(chosen) < count:
            raise UsageError(f"{self.teller.name}: there are not so many quiet stones")
        return chosen[len(chosen) // 3 :][:count] if len(chosen) >= 3 * count else chosen[:count]


@cache
def _wild() -> tuple[PlayedGame, ...]:
    return tuple(game for game in scripted_games() if game.size == 19)


@cache
def _tame(size: int) -> tuple[PlayedGame, ...]:
    black = Colour.BLACK.cell
    return tuple(game for game in played_games() if game.size == size and not game.start.points(black))


def distance(a: Point, b: Point) -> int:
    """Lines between two points, the longer way."""
    return max(abs(a.col - b.col), abs(a.row - b.row))


def above(point: Point) -> Point:
    """The point above."""
    return Point(point.col, point.row + 1)


def possible(tell: Callable[[int], Teller], first: int) -> Teller:
    """The story on the first ground, from ``first`` on, on which it can happen. Raises UsageError when on none."""
    why = "no ground"
    for number in range(first, first + VARIANTS):
        try:
            return tell(number)
        except UsageError as error:
            why = str(error)
    raise UsageError(f"not possible on {VARIANTS} grounds, the last because: {why}")


def diagram(*rows: str) -> Layout:
    """Board text on a board of the usual size that holds it, in its lower left corner."""
    size = next(size for size in (9, 13, 19) if size >= max(len(rows), *(len(row) for row in rows)))
    lines = [row.ljust(size, EMPTY) for row in rows]
    return Layout.from_rows([EMPTY * size] * (size - len(lines)) + lines)


def each(stories: Iterator[Callable[[int], Teller]], first: int) -> Iterator[Teller]:
    """Each story on a ground of its own."""
    for place, tell in enumerate(stories):
        yield possible(tell, first + place)
