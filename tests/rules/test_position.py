"""Chains, liberties, captures, and moves that should not be: on diagrams."""

from __future__ import annotations

import pytest

from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Layout, Point
from kifuwatch.rules import Fault, Play, Position
from tests.rules.boards import B, W, diagram, points, position


def at(text: str) -> Point:
    return Point.parse(text)


def played(before: str, colour: str, where: str, to_play: str | None = None) -> Play:
    mover = B if colour == "B" else W
    turn = mover if to_play is None else (B if to_play == "B" else W)
    return position(before, turn).play(mover, at(where))


class TestChainsAndLiberties:
    BOARD = """
        .X..O
        XX.OO
        .....
        ..O.X
        ...X.
    """

    def test_a_chain_is_joined_along_the_lines(self) -> None:
        board = position(self.BOARD)
        assert board.chain_at(at("B5")) == points("B5 A4 B4")
        assert board.chain_at(at("E5")) == points("E5 E4 D4")

    def test_stones_that_touch_at_a_corner_are_two_chains(self) -> None:
        board = position(self.BOARD)
        assert board.chain_at(at("D1")) == points("D1")
        assert board.chain_at(at("E2")) == points("E2")

    def test_liberties_are_the_empty_points_beside_the_chain(self) -> None:
        board = position(self.BOARD)
        assert board.liberties(at("A4")) == points("A5 C5 C4 A3 B3")
        assert board.liberties(at("D4")) == points("D5 C4 D3 E3")
        assert board.liberties(at("E2")) == points("E3 D2 E1")

    def test_an_empty_point_has_neither_chain_nor_liberties(self) -> None:
        board = position(self.BOARD)
        assert board.chain_at(at("C3")) == frozenset()
        assert board.liberties(at("C3")) == frozenset()

    def test_all_chains_of_a_colour_in_the_order_of_the_diagram(self) -> None:
        board = position(self.BOARD)
        assert board.chains(B) == (points("B5 A4 B4"), points("E2"), points("D1"))
        assert board.chains(W) == (points("E5 E4 D4"), points("C2"))

    def test_chains_without_liberties_are_found_and_let_stand(self) -> None:
        board = position("""
            OX..X
            XX.X.
            ...XX
            .XXXO
            .XOOO
        """)
        assert board.chains_without_liberties(W) == (points("A5"), points("E2 C1 D1 E1"))
        assert board.chains_without_liberties(B) == ()


class TestCaptures:
    def test_one_stone(self) -> None:
        play = played(
            """
            .....
            ..X..
            .XO..
            ..X..
            .....
            """,
            "B",
            "D3",
        )
        assert play.captured == points("C3")
        assert play.faults is Fault.NONE
        assert play.position.layout == diagram("""
            .....
            ..X..
            .X.X.
            ..X..
            .....
        """)
        assert play.position.to_play is W

    def test_a_chain_in_the_corner(self) -> None:
        play = played(
            """
            OOX..
            .OX..
            XX...
            .....
            .....
            """,
            "B",
            "A4",
        )
        assert play.captured == points("A5 B5 B4")
        assert play.position.layout == diagram("""
            ..X..
            X.X..
            XX...
            .....
            .....
        """)

    def test_the_opponent_comes_off_first_when_both_are_without_liberties(self) -> None:
        play = played(
            """
            .XO..
            XXO..
            OOO..
            .....
            .....
            """,
            "W",
            "A5",
        )
        assert play.captured == points("B5 A4 B4")
        assert play.self_captured == frozenset()
        assert play.faults is Fault.NONE
        assert play.position.layout == diagram("""
            O.O..
            ..O..
            OOO..
            .....
            .....
        """)

    def test_four_chains_at_once(self) -> None:
        play = played(
            """
            ..X..
            .XOX.
            XO.OX
            .XOX.
            ..X..
            """,
            "B",
            "C3",
        )
        assert play.captured == points("C4 B3 D3 C2")

    def test_a_dead_chain_elsewhere_is_not_touched(self) -> None:
        """A captured stone that nobody has removed yet goes on lying there."""
        play = played(
            """
            OX...
            X....
            .....
            .....
            .....
            """,
            "B",
            "D2",
        )
        assert play.captured == frozenset()
        assert play.position.layout[at("A5")] == "O"


class TestMovesThatShouldNotBe:
    def test_suicide_of_one_stone_comes_off_again(self) -> None:
        before = """
            .....
            ..O..
            .O.O.
            ..O..
            .....
        """
        play = played(before, "B", "C3")
        assert play.faults is Fault.SUICIDE
        assert play.self_captured == points("C3")
        assert play.position.layout == diagram(before)
        assert play.position.to_play is W

    def test_suicide_of_many_comes_off_as_a_whole(self) -> None:
        play = played(
            """
            .OOO.
            OXXXO
            OX.XO
            OXXXO
            .OOO.
            """,
            "B",
            "C3",
        )
        assert play.faults is Fault.SUICIDE
        assert len(play.self_captured) == 9
        assert play.position.layout == diagram("""
            .OOO.
            O...O
            O...O
            O...O
            .OOO.
        """)

    def test_a_stone_on_a_stone_replaces_it(self) -> None:
        play = played(
            """
            .....
            .....
            ..X..
            .....
            .....
            """,
            "W",
            "C3",
        )
        assert play.faults is Fault.OCCUPIED
        assert play.replaced is B
        assert play.position.layout[at("C3")] == "O"

    def test_a_stone_on_a_stone_of_its_own_colour_changes_nothing(self) -> None:
        before = """
            ...
            .X.
            ...
        """
        play = played(before, "B", "B2")
        assert (play.faults, play.replaced, play.position.layout) == (Fault.OCCUPIED, B, diagram(before))

    def test_a_stone_that_replaces_another_can_capture(self) -> None:
        """White cuts the black corner off by a stone on top of a black one."""
        play = played(
            """
            XX...
            OO...
            .....
            .....
            .....
            """,
            "W",
            "B5",
        )
        assert play.faults is Fault.OCCUPIED
        assert play.captured == points("A5")

    def test_off_the_board_nothing_is_placed_and_the_turn_is_over(self) -> None:
        before = Position.empty(9)
        play = before.play(B, at("K3"))
        assert play.faults is Fault.OFF_BOARD
        assert play.position == Position(Layout.empty(9), W)
        assert before.play(B, Point(-1, 4)).faults is Fault.OFF_BOARD

    def test_out_of_turn_is_played_and_the_other_is_to_move(self) -> None:
        play = Position.empty(9).play(W, at("E5"))
        assert play.faults is Fault.OUT_OF_TURN
        assert play.position.layout[at("E5")] == "O"
        assert play.position.to_play is B

    def test_all_faults_at_once(self) -> None:
        """Black plays twice in a row, on top of a white stone, into suicide."""
        play = played(
            """
            ..O..
            .OOO.
            .....
            .....
            .....
            """,
            "B",
            "C5",
            to_play="W",
        )
        assert play.faults == Fault.OUT_OF_TURN | Fault.OCCUPIED
        play = played(
            """
            .OOO.
            .OOO.
            .OOO.
            .....
            .....
            """,
            "B",
            "C4",
            to_play="W",
        )
        assert play.faults == Fault.OUT_OF_TURN | Fault.OCCUPIED | Fault.SUICIDE
        assert play.replaced is W
        assert play.position.layout[at("C4")] == "."

    def test_a_hidden_point_is_refused(self) -> None:
        with pytest.raises(UsageError, match="C3 is hidden"):
            position("""
                .....
                .....
                ..?..
                .....
                .....
            """)


class TestSimpleKo:
    KO = """
        .....
        .XO..
        X.XO.
        .XO..
        .....
    """

    def test_taking_back_at_once_is_a_fault_and_is_played(self) -> None:
        taken = position(self.KO, W).play(W, at("B3"))
        assert taken.captured == points("C3")
        assert taken.position.ko_point == at("C3")
        back = taken.position.play(B, at("C3"))
        assert back.faults is Fault.KO
        assert back.captured == points("B3")
        assert back.position.layout == diagram(self.KO)

    def test_filling_the_ko_is_no_fault_of_ko(self) -> None:
        taken = position(self.KO, W).play(W, at("B3"))
        assert taken.position.play(W, at("C3")).faults is Fault.OUT_OF_TURN

    @pytest.mark.parametrize("elsewhere", [None, Point.parse("E1")])
    def test_after_a_threat_or_a_pass_the_ko_is_open(self, elsewhere: Point | None) -> None:
        taken = position(self.KO, W).play(W, at("B3"))
        assert taken.position.play(B, elsewhere).position.ko_point is None

    def test_taking_two_is_no_ko(self) -> None:
        taken = played(
            """
            ......
            ......
            ......
            OOOX..
            OOOXX.
            OXX.X.
            """,
            "W",
            "D1",
        )
        assert len(taken.captured) == 2
        assert taken.position.ko_point is None

    def test_a_snapback_is_no_ko(self) -> None:
        taken = played(
            """
            .....
            .XXX.
            XOOOX
            XOXOX
            XO.XX
            """,
            "W",
            "C1",
        )
        assert taken.captured == points("C2")
        assert taken.position.ko_point is None
        back = taken.position.play(B, at("C2"))
        assert back.faults is Fault.NONE
        assert len(back.captured) == 7

    def test_a_stone_with_another_liberty_takes_without_ko(self) -> None:
        taken = played(
            """
            .....
            .XO..
            X.XO.
            ..O..
            .....
            """,
            "W",
            "B3",
        )
        assert taken.captured == points("C3")
        assert taken.position.ko_point is None


def test_positions_are_values() -> None:
    """Positions met by two ways are the same, and can be kept in a set."""
    one = Position.empty(9).play(B, at("E5")).position.play(W, at("C3")).position
    other = Position.of(one.layout, B)
    assert one == other
    assert len({one, other}) == 1
