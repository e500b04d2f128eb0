"""``kifuwatch restore``: the board that should be there, and what is not yet right on a photograph, or live."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from kifuwatch import api
from kifuwatch.arbiter.restoring import RestoreAssistant, as_recorded, to_put_right
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Layout, Point
from tests.arbiter.test_result import layouts
from tests.cli.conftest import Ended, Run
from tests.material import take, take_all
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
    other = tmp_path / "board.png"
    ended = call("restore", game, "--move", 3, "--diagram", other)
    assert (ended.status, other.exists()) == (2, False)
    assert "a diagram is written as SVG: give it a name that ends in .svg" in ended.sentence
    again = call("restore", game, "--diagram", file)
    assert (again.status, again.sentence) == (
        6,
        f"kifuwatch: --diagram: {file} exists already: add --force to overwrite it",
    )
    assert call("score", game, "--dead", "none", "--diagram", file, "--force", "--lang", "zh").status == 0
    assert "白胜" in file.read_text(encoding="utf-8")


# Live: again and again until the board is right


RIGHT = "XO.\n...\n..X"


def test_a_board_is_put_right_stone_by_stone() -> None:
    assistant = RestoreAssistant(diagram(RIGHT), steady=0.5)
    told = []
    for t, seen in [
        (0.0, "X..\n.O.\n..X"),  # B3 has slid to B2
        (0.5, "X..\n.O.\n..X"),
        (1.0, "X..\n...\n..X"),  # taken up
        (1.5, "X..\n...\n..X"),
        (2.0, "XO.\n...\n..X"),  # put back, and seen there for long enough
        (2.5, "XO.\n...\n..X"),
    ]:
        state = assistant.see(t, diagram(seen))
        told.append((state.right, [str(each.point) for each in state.points]))
    assert told == [
        (False, []),  # nothing has been seen for long enough
        (False, ["B3", "B2"]),
        (False, ["B3", "B2"]),
        (False, ["B3"]),
        (False, ["B3"]),
        (True, []),
    ]


def test_what_is_covered_is_not_judged_and_not_right_either() -> None:
    assistant = RestoreAssistant(diagram(RIGHT), steady=0.0)
    assert assistant.see(0.0, diagram("X?.\n...\n..X")).right is False
    state = assistant.see(1.0, diagram("XX.\n...\n..X"))
    assert [(str(each.point), each.lies, each.should) for each in state.points] == [("B3", "X", "O")]
    hidden = assistant.see(2.0, diagram("X?.\n?..\n..X"))
    assert (hidden.points, hidden.unseen, hidden.right) == ((), 2, False)
    assert assistant.see(3.0, diagram(RIGHT)).right


def test_a_finger_for_a_moment_is_no_stone() -> None:
    assistant = RestoreAssistant(diagram(RIGHT), steady=0.5)
    for t in (0.0, 0.5):
        assistant.see(t, diagram(RIGHT))
    assert assistant.see(1.0, diagram("XO.\n.O.\n..X")).points == ()


@given(layouts)
def test_a_board_filmed_from_any_side_is_right(board: Layout) -> None:
    for quarters in range(4):
        assert RestoreAssistant(board, steady=0.0).see(0.0, board.turned(quarters)).right


def test_another_board_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="3 lines, and the board that lies there has 2"):
        RestoreAssistant(diagram(RIGHT)).see(0.0, Layout.empty(2))


def boards(*changes: dict[str, str]) -> list[Layout]:
    """The board of the record with some points otherwise."""
    points = {"E5": "X", "C7": "O", "G3": "X", "G7": "O"}
    right = Layout.empty(9).replaced({Point.parse(at): cell for at, cell in points.items()})
    return [right.replaced({Point.parse(at): cell for at, cell in each.items()}) for each in changes]


SLID = {"G3": ".", "H3": "X", "G7": "."}


def test_until_it_is_right(call: Run, tmp_path: Path) -> None:
    folder = take_all(tmp_path / "photos", boards(SLID, {"G7": "."}, {}))
    ended = call("restore", record(tmp_path), "--camera", folder, "--json")
    lines = [json.loads(line) for line in ended.out.splitlines()]
    assert ended.status == 0
    assert [(line["right"], [each["at"] for each in line["to_put_right"]]) for line in lines] == [
        (False, ["G7", "G3", "H3"]),
        (False, ["G7"]),
        (True, []),
    ]


@pytest.fixture
def watched(call: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ended]:
    """The command with a camera that shows these boards, one each second; None: no board."""

    def run(*seen: Layout | None, **options: Any) -> Ended:
        looks = [api.Look(float(t), board, settled=True) for t, board in enumerate(seen)]
        monkeypatch.setattr(api, "looks", lambda source, **options: iter(looks))
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        return call("restore", record(tmp_path), "--camera", "0", *words)

    return run


def test_in_words_each_change_is_a_line(watched: Callable[..., Ended]) -> None:
    slid, nearly, hand, right = boards(SLID, {"G7": "."}, {"G7": "?"}, {})
    ended = watched(slid, slid, None, None, nearly, hand, right, slid)
    assert ended.status == 0
    three = "G7: empty, should be white; G3: empty, should be black; H3: black, should be empty"
    assert [line.strip() for line in ended.out.splitlines() if line.startswith("0:")] == [
        f"0:00  3 points are not right yet. {three}",
        "0:02  The board is not in view.",
        "0:04  1 points are not right yet. G7: empty, should be white",
    ]
    assert ended.out.endswith("The board is right.\n")
    assert "棋盘已复原。" in watched(right, lang="zh").out


def test_a_source_that_ends_before_it_is_right(watched: Callable[..., Ended]) -> None:
    ended = watched(*boards({"G7": "."}))
    assert (ended.status, ended.sentence) == (7, "kifuwatch: the source has ended before the board was right")
    ended = watched(*boards({}), photo="now.jpg")
    assert (ended.status, "leave out --photo" in ended.sentence) == (2, True)


def test_a_board_after_any_move_of_a_journal(call: Run, tmp_path: Path) -> None:
    events = tmp_path / "game.jsonl"
    rows: list[dict[str, object]] = [{"type": "board-found", "t": 0.0, "size": 9}]
    for number, (colour, at) in enumerate([("B", "E5"), ("W", "C7"), ("B", "G3")], 1):
        rows.append({"type": "move", "t": float(number), "number": number, "color": colour, "at": at})
    events.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert call("journal", tmp_path / "game.db", "--from", events).status == 0
    found = json.loads(call("restore", tmp_path / "game.db", "--move", 2, "--json").out)
    assert list(map(str, Layout.from_rows(found["board"]).points("X"))) == ["E5"]
    assert "so there is no move 4" in call("restore", tmp_path / "game.db", "--move", 4).sentence
