"""``kifuwatch restore``: the board that should be there, and what is not yet right on a photograph."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given

from kifuwatch.arbiter.restoring import as_recorded, to_put_right
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Layout
from tests.arbiter.test_result import layouts
from tests.cli.conftest import Run
from tests.material import take
from tests.rules.boards import diagram

GAME = "(;SZ[9];B[ee];W[cc];B[gg];W[gc])"


def record(folder: Path) -> Path:
    path = folder / "game.sgf"
    path.write_text(GAME, encoding="utf-8")
    return path


def test_the_board_after_a_move(call: Run, tmp_path: Path) -> None:
    found = json.loads(call("restore", record(tmp_path), "--move", 2, "--json").out)
    board = Layout.from_rows(found["board"])
    assert (list(map(str, board.points("X"))), list(map(str, board.points("O")))) == (["E5"], ["C7"])
    assert "The board after move 4: 2 black stones, 2 white stones." in call("restore", tmp_path / "game.sgf").out
    assert json.loads(call("restore", tmp_path / "game.sgf", "--move", 0, "--json").out)["board"] == ["." * 9] * 9


def test_a_move_that_is_not_there(call: Run, tmp_path: Path) -> None:
    ended = call("restore", record(tmp_path), "--move", 5)
    assert (ended.status, ended.sentence) == (2, "kifuwatch: the record has 4 moves, so there is no move 5")


def test_what_is_not_right_on_a_photograph(call: Run, tmp_path: Path) -> None:
    rows = [["."] * 9 for _ in range(9)]
    rows[4][4], rows[2][2], rows[6][7] = "X", "O", "X"  # G3 slid to H3, and G7 is gone
    photo = take(tmp_path / "now.png", Layout.from_rows("".join(row) for row in rows))
    found = json.loads(call("restore", record(tmp_path), "--photo", photo, "--json").out)
    assert {(each["at"], each["lies"], each["should"]) for each in found["to_put_right"]} == {
        ("G7", ".", "O"),
        ("H3", "X", "."),
        ("G3", ".", "X"),
    }
    words = call("restore", tmp_path / "game.sgf", "--photo", photo, "--lang", "zh").out
    assert "G7：现为空，应为白子" in words
    assert "尚有 3 点不符。" in words


def test_hidden_points_are_not_judged() -> None:
    should, lies = diagram("XO.\n...\n..X"), diagram("X?.\n...\n.O?")
    assert [(str(each.point), each.lies, each.should) for each in to_put_right(should, lies)] == [("B1", "O", ".")]


def test_boards_of_different_sizes() -> None:
    with pytest.raises(UsageError, match="the record is of 9 lines, and the board that lies there has 13"):
        to_put_right(Layout.empty(9), Layout.empty(13))


@given(layouts)
def test_a_photograph_from_any_side_is_the_same_board(layout: Layout) -> None:
    for quarters in range(4):
        assert to_put_right(layout, as_recorded(layout, layout.turned(quarters))) == ()


def test_a_diagram_to_print(call: Run, tmp_path: Path) -> None:
    game, file = record(tmp_path), tmp_path / "board.svg"
    assert call("restore", game, "--move", 3, "--diagram", file).status == 0
    assert "The board after move 3: 2 black stones, 1 white stones." in file.read_text(encoding="utf-8")
    again = call("restore", game, "--diagram", file)
    assert (again.status, again.sentence) == (
        6,
        f"kifuwatch: --diagram: {file} exists already: add --force to overwrite it",
    )
    assert call("score", game, "--dead", "none", "--diagram", file, "--force", "--lang", "zh").status == 0
    assert "白胜" in file.read_text(encoding="utf-8")
