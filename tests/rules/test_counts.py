"""Numbers that are known, or that a second, slow and simple set of rules counts again."""

from __future__ import annotations

from itertools import product

import pytest

from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.rules import Game, Position, RuleSet, ruleset

# Legal positions on n x n boards, as published by J. Tromp (OEIS A094777).
LEGAL_POSITIONS = {1: 1, 2: 57, 3: 12675}


@pytest.mark.parametrize(("size", "known"), LEGAL_POSITIONS.items())
def test_legal_positions_among_all_ways_to_cover_the_board(size: int, known: int) -> None:
    legal = 0
    for cells in product(".XO", repeat=size * size):
        position = Position.of(Layout(size, "".join(cells)), Colour.BLACK)
        legal += not any(position.chains_without_liberties(colour) for colour in Colour)
    assert legal == known


@pytest.mark.parametrize(("size", "known"), LEGAL_POSITIONS.items())
def test_positions_that_can_be_reached_from_the_empty_board(size: int, known: int) -> None:
    """With either colour to place a stone, without suicide: all legal positions, and no other."""
    points = [Point(col, row) for col in range(size) for row in range(size)]
    reached, waiting = {Layout.empty(size)}, [Layout.empty(size)]
    while waiting:
        layout = waiting.pop()
        for colour in Colour:
            position = Position(layout, colour)
            for point in points:
                if layout[point] != ".":
                    continue
                play = position.play(colour, point)
                if not play.faults and play.position.layout not in reached:
                    reached.add(play.position.layout)
                    waiting.append(play.position.layout)
    assert len(reached) == known


# --- the second set of rules: a board is a dict, a chain grows until it stops, nothing is clever -------------

Board = dict[tuple[int, int], str]


def slow_group(board: Board, start: tuple[int, int]) -> set[tuple[int, int]]:
    group = {start}
    while True:
        grown = group | {p for p in board if board[p] == board[start] and slow_beside(p) & group}
        if grown == group:
            return group
        group = grown


def slow_beside(point: tuple[int, int]) -> set[tuple[int, int]]:
    x, y = point
    return {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)}


def slow_clear(board: Board, colour: str) -> Board:
    """Everything of a colour without a liberty off the whole board, as Tromp and Taylor write it."""
    dead = {
        p
        for p, cell in board.items()
        if cell == colour and not any(board.get(q) == "." for stone in slow_group(board, p) for q in slow_beside(stone))
    }
    return {p: "." if p in dead else cell for p, cell in board.items()}


def slow_sequences(history: list[tuple[Board, str, bool]], depth: int, rules: RuleSet) -> int:
    """How many legal sequences of ``depth`` moves follow. A history entry: board, to play, made by a pass."""
    if depth == 0:
        return 1
    board, mover, _ = history[-1]
    other = "O" if mover == "X" else "X"
    count = slow_sequences([*history, (board, other, True)], depth - 1, rules)
    for point in [p for p, cell in board.items() if cell == "."]:
        taken = slow_clear({**board, point: mover}, other)
        after = slow_clear(taken, mover)
        if after != taken and not rules.suicide_allowed:
            continue
        made = [(b, turn) for i, (b, turn, passed) in enumerate(history) if i == 0 or not passed]
        if len(history) > 1 and not history[-1][2] and history[-2][0] == after == taken:
            continue
        if rules.ko.value == "positional" and any(b == after for b, _ in made):
            continue
        if rules.ko.value == "situational" and (after, other) in made:
            continue
        count += slow_sequences([*history, (after, other, False)], depth - 1, rules)
    return count


def sequences(game: Game, depth: int, rules: RuleSet) -> int:
    """The same number by the engine."""
    if depth == 0:
        return 1
    size, colour = game.start.size, game.position.to_play
    points = [None, *(Point(col, row) for col in range(size) for row in range(size))]
    legal = [point for point in points if game.is_legal(colour, point, rules)]
    return sum(sequences(game.play(colour, point), depth - 1, rules) for point in legal)


@pytest.mark.parametrize("name", ["cn2002", "aga", "nz", "tt", "ing"])
@pytest.mark.parametrize(("size", "depth"), [(1, 6), (2, 6), (3, 3)])
def test_legal_sequences_with_passes(name: str, size: int, depth: int) -> None:
    rules = ruleset(name)
    empty = {(col, row): "." for col in range(size) for row in range(size)}
    assert sequences(Game.empty(size), depth, rules) == slow_sequences([(empty, "X", False)], depth, rules)


def test_legal_sequences_that_capture_from_the_middle_of_a_game() -> None:
    """A ko, two chains in atari and a forbidden point on one small board, four moves deep."""
    start = Game.of(Layout.from_rows(["XO.", "X.O", ".XO"]), Colour.WHITE)
    cells = {(point.col, point.row): start.start.layout[point] for point in map(start.start.layout.point, range(9))}
    for name in ("cn2002", "nz", "tt"):
        slow = slow_sequences([(cells, "O", False)], 4, ruleset(name))
        assert sequences(start, 4, ruleset(name)) == slow
