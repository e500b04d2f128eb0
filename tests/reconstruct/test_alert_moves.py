"""To which move an incident belongs, and whose doing it is: ``3 W`` is White, with move 3."""

from __future__ import annotations

from kifuwatch.core.points import Point
from tests.reconstruct.script import EMPTY_9, FOUR_IN_ATARI, place, remove, slide, watch
from tests.reconstruct.stage import Report, moves
from tests.reconstruct.test_situations_14_to_22 import KO

# White at A1 has no liberty and takes nothing.
EYE = """
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . O . .
X X . . . . . . .
. X . . . . O . .
"""


def told(seen: Report, code: str) -> str:
    """The number of the move and the colour of the one incident of a code."""
    (found,) = [each for each in seen.incidents if each.code == code]
    return f"{found.move} {found.colour.value if found.colour else '-'}"


def test_a_ko_taken_back_belongs_to_the_stone_that_takes_it_back() -> None:
    seen = watch(KO, place(2.0, "W D5"), remove(3.0, "E5", by="W"), place(5.0, "B E5"), remove(6.0, "D5"))
    assert seen.moves == ["W D5", "B E5"]
    assert told(seen, "ko-violation") == "2 B"
    assert [move.number for move in seen.standing if move.faults] == [2]


def test_a_forbidden_point_belongs_to_the_stone_on_it() -> None:
    seen = watch(EYE, place(2.0, "B E5"), place(5.0, "W A1"), duration=16.0)
    assert seen.moves == ["B E5", "W A1"]
    assert told(seen, "forbidden-point") == "2 W"


def test_two_moves_in_a_row_belong_to_the_second() -> None:
    seen = watch(EMPTY_9, moves("B C3, W G7, B E5", 1.6), place(7.5, "B G3"))
    assert told(seen, "two-moves") == "4 B"


def test_a_takeback_belongs_to_the_move_that_was_taken_back() -> None:
    seen = watch(EMPTY_9, moves("B C3, W G7", 1.6), place(5.0, "B E5"), slide(8.0, "E5", "G3", "B"))
    assert told(seen, "takeback") == "3 B"


def test_a_stone_that_fell_belongs_to_the_move_that_it_was_taken_for() -> None:
    fell = place(4.6, "B E5", offset=[0.36, 0.12])
    seen = watch(EMPTY_9, moves("B C3, W G7", 1.6), fell, remove(7.4, "E5"), place(8.6, "B G3"), moves("W C7", 11.0))
    assert told(seen, "dropped-stone") == "3 B"


def test_captured_stones_left_lying_belong_to_the_move_that_captured_them_not_to_the_answer() -> None:
    script = moves("B F5", 2.0), remove(3.0, "D5"), place(9.0, "W B7"), moves("B H8", 13.0)
    seen = watch(FOUR_IN_ATARI, *script, duration=20.0)
    assert seen.moves == ["B F5", "W B7", "B H8"]
    assert told(seen, "missed-capture") == "1 B"


def test_stones_taken_wrongly_belong_to_the_move_of_the_player_who_took_them() -> None:
    """Without a stone of his they were taken in his own turn: that of the move to come."""
    seen = watch(FOUR_IN_ATARI, remove(1.6, "D5", "E5", "D6", "E6"), place(17.5, "B H3"))
    assert seen.moves == ["B H3"]
    assert told(seen, "wrong-capture") == "1 B"


def test_a_stone_off_its_point_belongs_to_its_own_move() -> None:
    off = place(4.6, "B E5", offset=[0.46, 0.05])
    seen = watch(EMPTY_9, moves("B C3, W G7", 1.6), off, moves("W C7", 6.4))
    assert told(seen, "off-point") == "3 B"


def test_white_first_belongs_to_the_first_move() -> None:
    seen = watch(EMPTY_9, moves("W C3, B G7, W E5", 1.6))
    assert told(seen, "setup") == "1 W"
    (began,) = [each for each in seen.incidents if each.code == "setup"]
    assert (began.at, began.facts["first"]) == ((Point.parse("C3"),), "W")
