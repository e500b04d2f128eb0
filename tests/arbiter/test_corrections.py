"""Putting the record right: what the camera got wrong, and what nobody saw."""

from __future__ import annotations

from typing import Any

import pytest

from kifuwatch.arbiter.alerts import AlertTable
from kifuwatch.arbiter.desk import fold
from kifuwatch.arbiter.desk_state import DeskState
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Colour

CODE = AlertTable.load().code("cn2002")
Row = dict[str, Any]


def played(*points: str, first: int = 1) -> list[Row]:
    """Moves in turn as the recorder tells them."""
    return [
        {"type": "move", "t": float(n), "number": n, "color": "BW"[(n + 1) % 2], "at": at}
        for n, at in enumerate(points, first)
    ]


def ruling(do: str, number: int, **more: Any) -> Row:
    return {"type": "ruling", "do": do, "number": number, **more}


def folded(*rows: Row) -> DeskState:
    numbered = [{"id": n, **row} for n, row in enumerate([{"type": "game", "size": 9}, *rows], 1)]
    return fold(numbered, CODE)


def line(state: DeskState) -> list[str]:
    return [f"{move.colour.value} {move.point or 'pass'}" for move in state.moves]


def test_a_move_that_was_read_one_line_off_is_set_right() -> None:
    state = folded(*played("E5", "C3", "G7"), ruling("set-move", 2, at=["C4"]))
    assert line(state) == ["B E5", "W C4", "B G7"]
    assert state.board.rows[5] == "..O......"
    assert state.to_play is Colour.WHITE
    assert [entry.point for entry in state.entries if not entry.stands] == [], "no side line is left of it"


def test_the_recorder_counts_on_behind_a_correction() -> None:
    state = folded(*played("E5", "C3"), ruling("set-move", 2, at=["C4"]), *played("G7", first=3))
    assert line(state) == ["B E5", "W C4", "B G7"]


def test_a_recorder_that_comes_to_see_the_same_only_confirms_it() -> None:
    retract = {"type": "retract", "number": 2, "reason": "read anew"}
    state = folded(*played("E5", "C3"), ruling("set-move", 2, at=["C4"]), retract, *played("C4", "G7", first=2))
    assert line(state) == ["B E5", "W C4", "B G7"]


def test_a_move_that_nobody_saw_is_inserted_in_its_place() -> None:
    state = folded(*played("E5", "C3"), ruling("insert", 2, at=["pass"]), ruling("insert", 3, at=["G3"], color="B"))
    assert line(state) == ["B E5", "W pass", "B G3", "W C3"]


def test_a_move_that_was_none_is_taken_out_and_the_recorder_is_not_disturbed() -> None:
    state = folded(*played("E5", "C3", "G7"), ruling("delete", 3), *played("G3", first=4))
    assert line(state) == ["B E5", "W C3", "W G3"]
    back = {"type": "retract", "number": 3, "reason": "a hand"}
    assert line(folded(*played("E5", "C3", "G7"), ruling("delete", 3), back)) == ["B E5", "W C3"]


def test_stones_taken_are_worked_out_anew() -> None:
    """White on E5 has one liberty left, F5; the camera read Black's fourth stone one line off.

    ..X..
    .XOX.   Black G5 was F5
    ..X..
    """
    moves = played("E6", "E5", "D5", "A1", "E4", "A2", "G5", "A3")
    state = folded(*moves, ruling("set-move", 7, at=["F5"]))
    assert state.captures == {Colour.BLACK: 0, Colour.WHITE: 1}
    assert state.board.rows[4] == "...X.X..."


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (ruling("set-move", 9, at=["C4"]), "the record has 3 moves, so there is no move 9"),
        (ruling("set-move", 2, at=["T19"]), "the point T19 is not on this board of 9 lines"),
        (ruling("set-move", 2, at=["C3"]), "move 2 is C3 already"),
        (ruling("set-move", 3, at=["E5"]), "a stone would stand on E5 already when move 3 is played there"),
        (ruling("insert", 5, at=["C4"]), "the record has 3 moves, so a new one can be number 1 to 4"),
        (ruling("delete", 4), "the record has 3 moves, so there is no move 4"),
    ],
)
def test_a_correction_that_cannot_be_is_one_sentence(row: Row, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        folded(*played("E5", "C3", "G7"), row)


def test_a_later_move_that_becomes_illegal_stands_and_is_marked() -> None:
    state = folded(*played("E5", "C3", "G7"), ruling("set-move", 1, at=["G7"]))
    assert line(state) == ["B G7", "W C3", "B G7"]
    assert "occupied" in state.faults[2]


def test_a_finished_game_can_be_corrected() -> None:
    resigned = {"type": "ruling", "do": "resign", "color": "W"}
    state = folded(*played("E5", "C3", "G7"), resigned, ruling("set-move", 2, at=["C4"]))
    assert line(state)[1] == "W C4"
    assert state.ending is not None
