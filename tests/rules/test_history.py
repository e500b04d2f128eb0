"""Lines of play: ko, repetition long and short, what each code forbids, going back."""

from __future__ import annotations

import pytest

from kifuwatch.core.errors import IllegalMove, UsageError
from kifuwatch.core.points import Point
from kifuwatch.rules import Fault, Game, Position, Repetition, ruleset
from tests.rules.boards import B, W, diagram, game, moves, play

KO = """
    .....
    .XO..
    X.XO.
    .XO..
    .....
"""
SEND_TWO_RETURN_ONE = """
    ......
    ......
    ......
    OOOX..
    OOOXX.
    O.X.X.
"""
TRIPLE_KO = """
    .........
    .........
    .........
    .XXXXX...
    XXOOOXX..
    OOO.OOX..
    .OXOXOXX.
    OXXXXOOX.
    XX.X.XOX.
"""
REPEAT = Fault.POSITIONAL_REPEAT | Fault.SITUATIONAL_REPEAT


def allowed_by(line: Game, what: str) -> set[str]:
    """The codes under which the next move is legal."""
    ((colour, point),) = moves(what)
    names = ["cn1988", "cn2002", "jp", "kr", "aga", "ing", "nz", "tt", "ancient"]
    return {name for name in names if line.is_legal(colour, point, ruleset(name))}


EVERY_CODE = set(["cn1988", "cn2002", "jp", "kr", "aga", "ing", "nz", "tt", "ancient"])


class TestRepetition:
    def test_a_ko_taken_back_at_once_is_a_cycle_of_two(self) -> None:
        line = play(game(KO, W), "W B3, B C3")
        last = line.plays[-1]
        assert last.faults == Fault.KO | REPEAT
        assert last.positional == last.situational == Repetition(earlier=0, cycle=2)
        assert allowed_by(line.undo(), "B C3") == set()

    def test_a_ko_after_a_threat_is_open(self) -> None:
        line = play(game(KO, W), "W B3, B E5, W E1")
        assert line.look(B, Point.parse("C3")).faults is Fault.NONE
        assert allowed_by(line, "B C3") == EVERY_CODE

    def test_a_ko_after_a_pass_and_a_move_is_open(self) -> None:
        line = play(game(KO, W), "W B3, B pass, W E1")
        assert allowed_by(line, "B C3") == EVERY_CODE

    def test_a_ko_after_two_passes_repeats_but_is_no_simple_ko(self) -> None:
        line = play(game(KO, W), "W B3, B pass, W pass")
        assert line.look(B, Point.parse("C3")).faults == REPEAT
        assert allowed_by(line, "B C3") == EVERY_CODE - {"tt", "aga", "nz"}

    def test_send_two_return_one_repeats_the_board_with_the_other_to_play(self) -> None:
        line = play(game(SEND_TWO_RETURN_ONE), "B B1, W D1, B C1")
        last = line.plays[-1]
        assert last.faults is Fault.POSITIONAL_REPEAT
        assert last.positional == Repetition(earlier=0, cycle=3)
        assert last.situational is None
        assert allowed_by(line.undo(), "B C1") == EVERY_CODE - {"tt"}

    def test_triple_ko_comes_round_after_six(self) -> None:
        line = play(game(TRIPLE_KO), "B A3, W E1, B D4, W A2, B F1, W D3, B A3")
        assert [bool(one.faults) for one in line.plays] == [False] * 5 + [True] * 2
        assert line.plays[5].situational == Repetition(earlier=0, cycle=6)
        assert line.plays[6].situational == Repetition(earlier=1, cycle=6)
        assert line.plays[5].faults == REPEAT
        assert allowed_by(line.upto(5), "W D3") == EVERY_CODE - {"tt", "aga", "nz"}

    def test_the_second_time_round_names_the_latest_board(self) -> None:
        line = play(game(TRIPLE_KO), "B A3, W E1, B D4, W A2, B F1, W D3, B A3, W E1, B D4, W A2, B F1, W D3")
        assert line.plays[-1].situational == Repetition(earlier=6, cycle=6)

    def test_a_pass_repeats_nothing(self) -> None:
        line = play(game(KO), "B pass, W pass, B pass")
        assert {one.faults for one in line.plays} == {Fault.NONE}

    def test_a_board_is_dated_by_the_stone_that_made_it_not_by_a_pass_after_it(self) -> None:
        line = play(game(SEND_TWO_RETURN_ONE), "B pass, W pass, B B1, W D1, B C1")
        assert line.plays[-1].positional == Repetition(earlier=0, cycle=5)
        assert line.plays[-1].situational is None


class TestSuicide:
    ONE = """
        .....
        ..O..
        .O.O.
        ..O..
        .....
    """
    MANY = """
        .OOO.
        OXXXO
        OX.XO
        OXXXO
        .OOO.
    """

    def test_one_stone_leaves_the_board_as_it_was(self) -> None:
        """Where suicide is allowed it is a pass in disguise, which Tromp-Taylor's repetition rule forbids."""
        line = play(game(self.ONE), "B C3")
        assert line.plays[-1].faults == Fault.SUICIDE | Fault.POSITIONAL_REPEAT
        assert line.plays[-1].positional == Repetition(earlier=0, cycle=1)
        assert allowed_by(game(self.ONE), "B C3") == {"ing", "nz"}

    def test_many_stones(self) -> None:
        assert allowed_by(game(self.MANY), "B C3") == {"ing", "nz", "tt"}

    def test_a_suicide_after_a_suicide_is_no_ko(self) -> None:
        line = play(
            game("""
                .X.O.
                X...O
                .....
                .....
                .....
            """),
            "B E5, W A5",
        )
        assert line.plays[-1].faults == Fault.SUICIDE | REPEAT
        assert line.plays[-1].positional == Repetition(earlier=1, cycle=1)
        assert allowed_by(line.undo(), "W A5") == {"ing"}


class TestStrictPlay:
    def test_a_legal_move(self) -> None:
        line = Game.empty(9).play_legal(B, Point.parse("E5"))
        assert line.position.layout[Point.parse("E5")] == "X"

    def test_an_illegal_move_says_which_where_and_why(self) -> None:
        line = play(game(KO, W), "W B3")
        with pytest.raises(IllegalMove, match=r"move 2, black at C3, is illegal under cn2002: ko$"):
            line.play_legal(B, Point.parse("C3"))

    def test_all_reasons_are_named(self) -> None:
        with pytest.raises(IllegalMove, match=r"white at C3, is illegal under jp: out of turn, occupied$"):
            game(KO, B).play_legal(W, Point.parse("C3"), ruleset("jp"))

    def test_a_pass_out_of_turn(self) -> None:
        with pytest.raises(IllegalMove, match="move 1, a pass, is illegal under cn2002: out of turn"):
            Game.empty(9).play_legal(W, None)

    def test_an_illegal_move_that_stands_and_the_game_goes_on(self) -> None:
        line = play(game(KO, W), "W B3, B C3, W E5")
        assert line.position.layout == diagram("""
            ....O
            .XO..
            X.XO.
            .XO..
            .....
        """)
        assert line.plays[-1].faults is Fault.NONE


class TestGoingBack:
    LINE = "B C3, W D3, B pass, W C4"

    def test_undo_and_upto_give_the_line_as_it_was(self) -> None:
        lines = [Game.empty(5)]
        for colour, point in moves(self.LINE):
            lines.append(lines[-1].play(colour, point))
        for number, line in enumerate(lines):
            assert lines[-1].upto(number) == line
            assert lines[-1].undo(4 - number) == line
            assert lines[-1].position_at(number) == line.position
            assert len(line) == number

    def test_lines_with_a_common_beginning_do_not_disturb_each_other(self) -> None:
        common = play(game(TRIPLE_KO), "B A3, W E1, B D4, W A2, B F1")
        round_again, away = play(common, "W D3"), play(common, "W J9")
        assert round_again.plays[-1].faults == REPEAT
        assert away.plays[-1].faults is Fault.NONE
        assert len(common) == 5

    def test_the_last_play(self) -> None:
        assert Game.empty(5).last is None
        last = play(Game.empty(5), self.LINE).last
        assert last is not None
        assert (last.colour, last.point) == (W, Point.parse("C4"))

    def test_a_line_rebuilt_from_its_plays_knows_its_repetitions(self) -> None:
        line = play(game(SEND_TWO_RETURN_ONE), "B B1, W D1")
        rebuilt = Game(line.start, line.plays)
        assert rebuilt == line
        assert rebuilt.look(B, Point.parse("C1")).positional == Repetition(earlier=0, cycle=3)

    @pytest.mark.parametrize("number", [-1, 5])
    def test_there_is_no_position_before_the_first_or_after_the_last(self, number: int) -> None:
        line = play(Game(Position.empty(5)), self.LINE)
        with pytest.raises(UsageError, match=f"the game has 4 moves, so there is no position {number}"):
            line.upto(number)
