"""Other people's rules as referees: sgfmill's board always, GNU Go over GTP where it is installed."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from types import TracebackType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgfmill import boards, sgf

from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.rules import Fault, Game, RuleSet, ruleset
from tests.rules.boards import SHARED

GNUGO = shutil.which("gnugo", path=os.environ.get("PATH", "") + os.pathsep + "/usr/games")


def cells_of(board: boards.Board) -> str:
    letters = {None: ".", "b": "X", "w": "O"}
    lines = range(board.side - 1, -1, -1)
    return "".join(letters[board.get(row, col)] for row in lines for col in range(board.side))


def all_points(size: int) -> list[Point]:
    return [Point(col, row) for col in range(size) for row in range(size)]


@given(st.integers(2, 7), st.lists(st.tuples(st.integers(0, 48), st.sampled_from("bw")), max_size=120))
@settings(max_examples=150, deadline=None)
def test_sgfmill_agrees_on_every_board_and_every_ko(size: int, steps: list[tuple[int, str]]) -> None:
    """Any colour, any empty point: suicides too."""
    game, referee = Game.empty(size), boards.Board(size)
    for place, letter in steps:
        empty = game.position.layout.points(".")
        if not empty:
            return
        point = empty[place % len(empty)]
        ko = referee.play(point.row, point.col, letter)
        game = game.play(Colour(letter.upper()), point)
        assert game.position.layout.cells == cells_of(referee)
        assert game.position.ko_point == (None if ko is None else Point(ko[1], ko[0]))


@pytest.mark.skipif(not SHARED.is_dir(), reason="the labelled data (../shared) is not here")
def test_sgfmill_agrees_along_every_variation_of_the_records() -> None:
    """The labels know the main lines only; some records carry hundreds of variations."""
    nodes = 0
    for path in sorted((SHARED / "sgf").glob("*.sgf")):
        try:
            root = sgf.Sgf_game.from_bytes(path.read_bytes()).get_root()
        except ValueError:
            continue
        if any(len(node) > 1 for node in walk(root)):
            nodes += along_variations(root)
    assert nodes > 10_000


def walk(root: sgf.Tree_node) -> Iterator[sgf.Tree_node]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += list(node)


def along_variations(root: sgf.Tree_node) -> int:
    """Play all variations with both; a node that sets stones or stands on a stone ends its branch."""
    board = boards.Board(root.get_size())
    black, white, _ = root.get_setup_stones()
    board.apply_setup(black, white, [])
    start = Game.of(Layout(board.side, cells_of(board)), Colour.BLACK)
    waiting, nodes = [(child, start, board) for child in root], 0
    while waiting:
        node, game, before = waiting.pop()
        letter, at = node.get_move()
        referee = before.copy()
        if node.has_setup_stones() or (at is not None and referee.get(*at) is not None):
            continue
        if letter is not None:
            game = game.play(Colour(letter.upper()), at and Point(at[1], at[0]))
            if at is not None:
                referee.play(*at, letter)
            assert game.position.layout.cells == cells_of(referee)
            nodes += 1
        waiting += [(child, game, referee) for child in node]
    return nodes


class GnuGo:
    """GNU Go over GTP, as a referee."""

    def __init__(self, *options: str) -> None:
        assert GNUGO is not None
        command = [GNUGO, "--mode", "gtp", "--level", "1", *options]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> GnuGo:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.communicate("quit\n", timeout=10)

    def ask(self, command: str) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = ""
        while (line := self.process.stdout.readline()) != "\n":
            assert line, f"GNU Go ended at {command!r}"
            answer += line
        assert answer.startswith("="), f"GNU Go refused {command!r}: {answer}"
        return answer[1:].strip()

    def legal(self, colour: Colour) -> set[Point]:
        return {Point.parse(word) for word in self.ask(f"all_legal {colour.name}").split() if word != "PASS"}

    def stones(self, colour: Colour) -> set[Point]:
        return {Point.parse(word) for word in self.ask(f"list_stones {colour.name}").split()}


def referee_game(referee: GnuGo, rules: RuleSet, size: int, plays: int, luck: random.Random) -> set[Fault]:
    """Random legal moves and some passes. Before each, both must allow the same points. Returns the faults met."""
    referee.ask(f"boardsize {size}")
    referee.ask("clear_board")
    game, met = Game.empty(size), set()
    for _ in range(plays):
        colour = game.position.to_play
        looks = {point: game.look(colour, point) for point in all_points(size)}
        legal = {point for point, look in looks.items() if not rules.forbidden(look.faults)}
        met |= {fault for look in looks.values() for fault in look.faults}
        assert legal == referee.legal(colour), f"\n{game.position.layout}"
        point = luck.choice(sorted(legal)) if legal and luck.random() > 0.05 else None
        game = game.play(colour, point)
        referee.ask(f"play {colour.name} {point or 'PASS'}")
        for one in Colour:
            assert set(game.position.layout.points(one.cell)) == referee.stones(one)
    return met


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed (Debian package gnugo)")
@pytest.mark.parametrize(
    ("options", "rules"),
    [
        (("--forbid-suicide", "--simple-ko"), ruleset("cn2002")),
        (("--allow-all-suicide", "--simple-ko"), ruleset("ing")),
        (("--forbid-suicide", "--situational-superko"), ruleset("aga")),
        # GNU Go does not look for repetition by a suicide, so it is asked without.
        (("--forbid-suicide", "--positional-superko"), replace(ruleset("tt"), suicide_allowed=False)),
    ],
    ids=["chinese", "ing", "aga", "tromp-taylor-without-suicide"],
)
def test_gnu_go_allows_the_same_moves(options: tuple[str, ...], rules: RuleSet) -> None:
    luck, met = random.Random(20021201), set()
    with GnuGo(*options) as referee:
        for size, plays in ((5, 90), (5, 90), (5, 90), (7, 120), (9, 120)):
            met |= referee_game(referee, rules, size, plays, luck)
    assert met >= {Fault.OCCUPIED, Fault.SUICIDE, Fault.KO, Fault.POSITIONAL_REPEAT}
