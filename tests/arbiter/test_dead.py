"""What is proposed as dead, by the rules alone or by an engine."""

from __future__ import annotations

import random
import shutil
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

from kifuwatch.arbiter.dead import proposal_of, propose_dead
from kifuwatch.arbiter.gtp import ask_dead
from kifuwatch.core.errors import InputError
from kifuwatch.core.points import Layout
from kifuwatch.rules.life import settled
from kifuwatch.rules.playouts import play_out
from tests.arbiter.test_result import layouts
from tests.rules.boards import diagram, points

TWO_EYES = """
    . X . X O O O
    X X X X O . .
    O O O O O . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
"""


def test_two_eyes_live_whatever_is_played() -> None:
    found = settled(diagram(TWO_EYES))
    assert found.alive == points("B7 A6 B6 C6 D6 D7")
    assert found.dead == frozenset()


def test_one_eye_does_not() -> None:
    assert points("A6") <= settled(diagram(TWO_EYES)).alive
    assert settled(diagram(TWO_EYES.replace(". X . X", "X X . X"))).alive == frozenset()


def test_a_stone_that_cannot_live_within_two_eyes_is_dead() -> None:
    layout = diagram(
        """
        . X . O X
        X X . X X
        X X X X .
        . X . X X
        X X X X .
        """
    )
    found = settled(layout)
    assert found.dead == points("D5")
    assert points("A4 E5") <= found.alive


def test_a_large_region_may_still_hold_life() -> None:
    layout = diagram(
        """
        . X . X . . . . .
        X X X X . . . . .
        . X . X . . . . .
        X X X X . . O . .
        . . . X . . . . .
        . . . X . . . . .
        . . . X . . . . .
        . . . X . . . . .
        . . . X . . . . .
        """
    )
    assert settled(layout).dead == frozenset()


@settings(max_examples=60, deadline=None)
@given(layouts)
def test_what_lives_for_sure_is_never_dead_for_sure(layout: Layout) -> None:
    found = settled(layout)
    assert not found.alive & found.dead
    proposal = propose_dead(layout, games=4)
    assert not found.alive & proposal.points
    assert found.dead <= proposal.points


DEAD_INSIDE = """
    . . X . . O . . .
    . . X . . O . . .
    . . X X X O . X .
    . O . X O O . X .
    . O . X O . O . .
    . . X X O . . O .
    X X X X O . . . .
    . . . X O O O O O
    . . . X X X X X X
"""


def test_prisoners_in_a_territory_are_proposed() -> None:
    proposal = propose_dead(diagram(DEAD_INSIDE))
    assert points("B6 B5") <= proposal.points
    assert all(chain.why == "played-out" and 0.5 < chain.sure <= 1 for chain in proposal.dead)


def test_the_same_board_gives_the_same_proposal() -> None:
    assert propose_dead(diagram(DEAD_INSIDE), games=20) == propose_dead(diagram(DEAD_INSIDE), games=20)


def test_a_board_played_out_belongs_to_who_is_on_it() -> None:
    owned = play_out(diagram("XXX\nX.X\n.XX"), random.Random(1), 10)
    assert set(owned.values) == {1.0}


def fake_engine(folder: Path, answer: str) -> str:
    script = folder / "engine.py"
    script.write_text(
        "import sys\nfor line in sys.stdin:\n    words = line.split()\n"
        f"    print({answer!r} if 'final_status_list' in words else '=', end='\\n\\n', flush=True)\n",
        encoding="utf-8",
    )
    return f"{sys.executable} {script}"


def test_an_engine_is_asked(tmp_path: Path) -> None:
    named = ask_dead(fake_engine(tmp_path, "=9999 B6 B5\nH6"), diagram(DEAD_INSIDE))
    assert named == points("B6 B5 H6")
    proposal = proposal_of(diagram(DEAD_INSIDE), named)
    assert proposal.points == points("B6 B5 H6 H7")  # a chain is dead as a whole
    assert {chain.why for chain in proposal.dead} == {"engine"}


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [("?9999 unknown command", "cannot say which stones are dead"), ("=9999 dunno", "what is no point"), ("=", "GTP")],
)
def test_an_engine_that_does_not_know(tmp_path: Path, answer: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        ask_dead(fake_engine(tmp_path, answer), diagram(DEAD_INSIDE))


def test_an_engine_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be started"):
        ask_dead(str(tmp_path / "none"), diagram(DEAD_INSIDE))
    with pytest.raises(InputError, match="no answer within"):
        ask_dead(f'{sys.executable} -c "import time; time.sleep(9)"', diagram(DEAD_INSIDE), patience=0.3)


@pytest.mark.skipif(not (shutil.which("gnugo") or Path("/usr/games/gnugo").exists()), reason="gnugo is not installed")
def test_gnu_go_agrees_on_the_prisoners() -> None:
    program = shutil.which("gnugo") or "/usr/games/gnugo"
    assert points("B6 B5") <= ask_dead(f"{program} --mode gtp", diagram(DEAD_INSIDE))
