"""Who plays in the library: games that lie there, and a player that needs nothing but the rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
from sgfmill import sgf

from kifuwatch.core.points import EMPTY, Colour, Layout, Point
from kifuwatch.rules import Fault, Game, Position
from kifuwatch.rules import cells as bare

TRIES = 24
"""Points that the scripted player thinks about before a move."""

SCRIPTED = (
    ("scripted-19-1", 19, 1, 210, False),
    ("scripted-19-2-ko", 19, 2, 220, True),
    ("scripted-13-1", 13, 1, 110, False),
    ("scripted-13-2-ko", 13, 2, 120, True),
    ("scripted-13-3", 13, 3, 110, False),
    ("scripted-09-1", 9, 1, 60, False),
    ("scripted-09-2-ko", 9, 2, 60, True),
    ("scripted-09-3", 9, 3, 55, False),
)
"""Name, lines, seed, moves, and whether the players take back every ko."""


@dataclass(frozen=True)
class PlayedGame:
    """A game from beginning to end: ``start`` is the board before the first move, None a pass."""

    name: str
    start: Layout
    to_play: Colour
    moves: tuple[Point | None, ...]

    @property
    def size(self) -> int:
        """Lines of the board."""
        return self.start.size

    def stones(self) -> list[Point]:
        """The moves up to the first pass."""
        end = self.moves.index(None) if None in self.moves else len(self.moves)
        return [move for move in self.moves[:end] if move is not None]

    def turned(self, quarters: int, mirrored: bool) -> PlayedGame:
        """The same game on a board turned clockwise, and before that mirrored left and right."""
        move = [None if m is None else _turned(m, self.size, quarters, mirrored) for m in self.moves]
        stones = {_turned(p, self.size, quarters, mirrored): c.cell for c in Colour for p in self.start.points(c.cell)}
        return PlayedGame(self.name, Layout.empty(self.size).replaced(stones), self.to_play, tuple(move))

    def after(self, count: int) -> Game:
        """The game after so many moves, as if it began there: its history is not known to it."""
        game = Game.of(self.start, self.to_play)
        for point in self.moves[:count]:
            game = game.play(game.position.to_play, point)
        return Game.of(game.position.layout, game.position.to_play)


def _turned(point: Point, size: int, quarters: int, mirrored: bool) -> Point:
    col, row = (size - 1 - point.col if mirrored else point.col), point.row
    for _ in range(quarters % 4):
        col, row = row, size - 1 - col
    return Point(col, row)


@cache
def played_games() -> tuple[PlayedGame, ...]:
    """The games in ``played/``, by name."""
    folder = resources.files("kifuwatch.datasets.scenarios").joinpath("played")
    files = sorted((f for f in folder.iterdir() if f.name.endswith(".sgf")), key=lambda f: f.name)
    return tuple(_read(file.name.removesuffix(".sgf"), file.read_bytes()) for file in files)


def _read(name: str, data: bytes) -> PlayedGame:
    game = sgf.Sgf_game.from_bytes(data)
    black, white, _ = game.get_root().get_setup_stones()
    stones = {Point(col, row): Colour.BLACK.cell for row, col in black}
    stones |= {Point(col, row): Colour.WHITE.cell for row, col in white}
    made = [node.get_move() for node in game.get_main_sequence()[1:]]
    moves = tuple(None if at is None else Point(at[1], at[0]) for _, at in made)
    first = Colour.WHITE if made and made[0][0] == "w" else Colour.BLACK
    return PlayedGame(name, Layout.empty(game.get_size()).replaced(stones), first, moves)


@cache
def scripted_games() -> tuple[PlayedGame, ...]:
    """The games that the scripted player plays for the library."""
    return tuple(scripted_game(*each) for each in SCRIPTED)


def scripted_game(name: str, size: int, seed: int, count: int, ko_lover: bool = False) -> PlayedGame:
    """A game of ``count`` moves by a player who knows hardly more than the rules: it takes what it can, saves what is
    in atari, stays near the last moves and does not fill its own eyes. ``ko_lover``: it takes back every ko that it
    may. The same seed plays the same game.
    """
    rng = np.random.default_rng([seed, 51])
    game, moves = Game.empty(size), list[Point | None]()
    while len(moves) < count:
        point = _choose(game, rng, ko_lover)
        if point is None:
            break
        game = game.play(game.position.to_play, point)
        moves.append(point)
    return PlayedGame(name, Layout.empty(size), Colour.BLACK, tuple(moves))


def _choose(game: Game, rng: np.random.Generator, ko_lover: bool) -> Point | None:
    position = game.position
    for wanted in (_captures(position), _rescues(position), _ataris(position, game, rng)):
        keen = 0.95 if ko_lover else 0.8
        for point in wanted:
            if rng.random() < keen and _may(game, point):
                return point
    for _ in range(3):
        near = _near(game, rng)
        best = max(near, key=lambda p: _worth(position, p, rng), default=None)
        if best is not None and _may(game, best) and _worth(position, best, rng) > -50:
            return best
    free = [p for p in position.layout.points(EMPTY) if _may(game, p) and not _own_eye(position, p)]
    return free[int(rng.integers(len(free)))] if free else None


def _may(game: Game, point: Point) -> bool:
    """Whether the stone is legal and repeats nothing: a library of clean games asks the arbiter nothing."""
    return game.look(game.position.to_play, point).faults == Fault.NONE


def _in_atari(position: Position, colour: Colour) -> list[tuple[frozenset[Point], Point]]:
    found = []
    for chain in position.chains(colour):
        liberties = position.liberties(next(iter(chain)))
        if len(liberties) == 1:
            found.append((chain, next(iter(liberties))))
    return sorted(found, key=lambda each: (-len(each[0]), each[1]))


def _captures(position: Position) -> list[Point]:
    return [liberty for _, liberty in _in_atari(position, position.to_play.opponent)]


def _rescues(position: Position) -> list[Point]:
    saved = []
    for chain, liberty in _in_atari(position, position.to_play):
        after = position.play(position.to_play, liberty).position
        if len(after.liberties(liberty)) > 1 and len(chain) > 1:
            saved.append(liberty)
    return saved


def _ataris(position: Position, game: Game, rng: np.random.Generator) -> list[Point]:
    """Points next to the last stones that put a chain of two liberties into atari."""
    if game.last is None or game.last.point is None or rng.random() < 0.4:
        return []
    chain = position.chain_at(game.last.point)
    liberties = sorted(position.liberties(game.last.point))
    return [p for p in liberties if len(liberties) == 2 and len(chain) < 6 and _safe(position, p)]


def _safe(position: Position, point: Point) -> bool:
    after = position.play(position.to_play, point)
    return bool(after.captured) or len(after.position.liberties(point)) > 1


def _near(game: Game, rng: np.random.Generator) -> list[Point]:
    """Empty points to think about: half of them near the last moves."""
    position = game.position
    size = position.size
    last = [play.point for play in game.plays[-3:] if play.point is not None]
    points = set()
    for _ in range(TRIES):
        if last and rng.random() < 0.6:
            centre = last[int(rng.integers(len(last)))]
            col, row = (int(v) for v in np.array([centre.col, centre.row]) + rng.integers(-3, 4, 2))
        else:
            col, row = (int(v) for v in rng.integers(0, size, 2))
        if 0 <= col < size and 0 <= row < size and position.layout[Point(col, row)] == EMPTY:
            points.add(Point(col, row))
    return sorted(points)


def _worth(position: Position, point: Point, rng: np.random.Generator) -> float:
    size = position.size
    edge = min(point.col, point.row, size - 1 - point.col, size - 1 - point.row)
    if _own_eye(position, point):
        return -100.0
    worth = float(rng.normal(0, 1)) + {0: -4.0, 1: -1.0, 2: 0.5}.get(edge, 0.3)
    if not _safe(position, point):
        worth -= 60
    cells, colour = position.layout, position.to_play
    beside = [cells[p] for p in neighbours(point, size)]
    return worth + 0.5 * beside.count(colour.opponent.cell) - 0.7 * max(0, beside.count(colour.cell) - 1)


def _own_eye(position: Position, point: Point) -> bool:
    beside = [position.layout[p] for p in neighbours(point, position.size)]
    return all(cell == position.to_play.cell for cell in beside)


def neighbours(point: Point, size: int) -> Sequence[Point]:
    """The points next to a point."""
    layout = Layout.empty(size)
    return [layout.point(i) for i in bare.neighbours(size)[layout.index(point)]]
