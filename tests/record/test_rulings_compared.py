"""Each row of the table of alerts and of the rulings compared, at the desk: what becomes of record, ledger and board
when an alert is upheld as prescribed, under the older Chinese code and under that of 2002. Clock and time have a file
of their own (test_clock_journal.py), the result another (tests/arbiter/test_result.py)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from kifuwatch.arbiter.desk_state import AlertMood, DeskState, Phase
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Colour, Point
from tests.record.test_desk import KO, Table, line

B, W = Colour.BLACK, Colour.WHITE
Make = Callable[[str], Table]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(rules: str) -> Table:
        (tmp_path / rules).mkdir()
        return Table(tmp_path / rules, rules)

    return made


def both(make: Make, play: str, code: str, *at: str, **more: object) -> tuple[DeskState, DeskState]:
    """The state after the alert was upheld as prescribed, under cn1988 and cn2002."""
    states = [make(rules).play(play).alert(code, *at, **more).rule("uphold", 1) for rules in ("cn1988", "cn2002")]
    return states[0], states[1]


def warned(state: DeskState) -> tuple[int, int]:
    return state.warnings(B), state.warnings(W)


def pending(state: DeskState) -> dict[str, str]:
    return {str(point): cell for point, cell in state.pending.items()}


def result(state: DeskState) -> str:
    return state.ending.sgf if state.ending else ""


def test_a01_two_moves_in_a_row(make: Make) -> None:
    old, new = both(make, "B C3, B D3", "two-moves", "C3", "D3")
    assert (result(old), old.phase) == ("W+F", Phase.OVER)
    assert (result(new), line(new), warned(new), new.to_play) == ("", "B C3", (1, 0), W)


def test_a02_takeback(make: Make) -> None:
    for rules, article in (("cn1988", "17.2"), ("cn2002", "17.3")):
        table = make(rules).play("B C3, W D3")
        table.retract(2)
        state = table.play("W B3").alert("takeback", "D3", "B3").rule("uphold", 1)
        assert (line(state), warned(state), state.ledger[0].article) == ("B C3, W D3", (0, 1), article)
        assert pending(state) == {"D3": "O", "B3": "."}


def test_a02_a_takeback_can_be_claimed_to_the_end_under_the_older_code(make: Make) -> None:
    moods = {}
    for rules in ("cn1988", "cn2002"):
        table = make(rules).play("B C3, W D3")
        table.retract(2)
        moods[rules] = table.play("W B3").alert("takeback", "D3", "B3").play("B D2").state.alerts[0].mood
    assert moods == {"cn1988": AlertMood.OPEN, "cn2002": AlertMood.LAPSED}


def test_a03_a_dropped_stone_may_be_played_anywhere(make: Make) -> None:
    old, new = both(make, "B C3, W D3", "dropped-stone", "D3")
    for state in (old, new):
        assert (line(state), warned(state), state.alerts[0].why) == ("B C3, W D3", (0, 0), "free")


def test_a03_without_the_opponents_consent_the_chief_arbiter_may_have_it_put_back(make: Make) -> None:
    table = make("cn2002").play("B C3, W D3").alert("dropped-stone", "D3")
    state = table.rule("uphold", 1, **{"as": ["put-back", "warning"]})
    assert (pending(state), warned(state)) == ({"D3": "O"}, (0, 1))


def test_a04_a_moved_stone_is_put_back_when_both_agree(make: Make) -> None:
    old, new = both(make, "B C3, W D3", "moved-stone", "C3", "C4")
    for state in (old, new):
        assert (line(state), pending(state), warned(state)) == ("B C3, W D3", {"C3": "X", "C4": "."}, (0, 0))


@pytest.mark.parametrize(
    ("rules", "choice", "sgf"),
    [
        ("cn1988", "keep", ""),
        ("cn1988", "draw", "0"),
        ("cn1988", "replay", "Void"),
        ("cn2002", "keep", ""),
        ("cn2002", "reasonable-point", ""),
        ("cn2002", "draw", "0"),
        ("cn2002", "replay", "Void"),
        ("cn2002", "both-lose", "Void"),
    ],
)
def test_a04_a_moved_stone_without_agreement(rules: str, choice: str, sgf: str, make: Make) -> None:
    table = make(rules).play("B C3, W D3").alert("moved-stone", "C3", "C4")
    assert (choice,) in table.state.code.ruling("moved-stone").others
    more = {"at": ["B3"]} if choice == "reasonable-point" else {}
    state = table.rule("uphold", 1, **{"as": [choice]}, **more)
    assert result(state) == sgf
    stands = {"keep": "C4", "reasonable-point": "B3"}.get(choice, "C3")
    assert state.board[Point.parse(stands)] == "X"


def test_a04_who_moved_it_with_intent_loses(make: Make) -> None:
    for rules in ("cn1988", "cn2002"):
        table = make(rules).play("B C3, W D3").alert("moved-stone", "C3", "C4")
        assert result(table.rule("uphold", 1, **{"as": ["loss"]}, color="W")) == "B+F"


def test_a05_a_scattered_board_is_put_up_again(make: Make) -> None:
    for rules in ("cn1988", "cn2002"):
        table = make(rules).play("B C3, W D3, B B2")
        table.desk.add({"type": "position", "t": 9.0, "board": [".....", ".....", "..X..", "....O", "....."]})
        state = table.alert("scattered-board", "C3", "D3", "B2", "E2").rule("uphold", 1)
        assert pending(state) == {"D3": "O", "B2": "X", "E2": "."}
        assert (line(state), state.phase) == ("B C3, W D3, B B2", Phase.PLAYING)


@pytest.mark.parametrize(
    ("rules", "choice", "sgf"),
    [("cn1988", "draw", "0"), ("cn1988", "replay", "Void"), ("cn2002", "draw", "0"), ("cn2002", "both-lose", "Void")],
)
def test_a05_a_board_that_cannot_be_put_up_again(rules: str, choice: str, sgf: str, make: Make) -> None:
    table = make(rules).play("B C3, W D3").alert("scattered-board", "C3", "D3")
    assert (choice,) in table.state.code.ruling("scattered-board").others
    assert result(table.rule("uphold", 1, **{"as": [choice]})) == sgf


def test_a06_stones_that_have_liberties_are_put_back_with_a_warning(make: Make) -> None:
    for state in both(make, "B C3, W D3, B C4", "wrong-capture", "D3"):
        assert (pending(state), warned(state)) == ({"D3": "O"}, (1, 0))


def test_a07_captured_stones_that_lie_there_are_taken_off_and_only_the_code_of_2002_warns(make: Make) -> None:
    play = "B A2, W A1, B B1, W C3"  # Black has captured A1
    old, new = both(make, play, "missed-capture", "A1", evidence=["capturing move: 3", "left: 1"])
    assert (pending(old), pending(new)) == ({"A1": "."}, {"A1": "."})
    assert (warned(old), warned(new)) == ((0, 0), (1, 0))


def test_a08_a_ko_taken_back_at_once(make: Make) -> None:
    old, new = both(make, KO + ", B C3", "ko-violation", "C3", "B3")
    for state in (old, new):
        assert (line(state), state.to_play, pending(state)) == (KO + ", B pass", W, {"C3": ".", "B3": "O"})
    assert (warned(old), warned(new)) == ((0, 0), (1, 0))


def test_a09_a_forbidden_point_is_a_pass_without_a_warning(make: Make) -> None:
    play = "B A2, W E5, B B1, W A1"  # no liberty, nothing captured
    for state in both(make, play, "forbidden-point", "A1"):
        assert (line(state), state.to_play, warned(state)) == ("B A2, W E5, B B1, W pass", B, (0, 0))


@pytest.mark.parametrize(
    ("rules", "choice", "sgf"),
    [
        ("cn1988", "draw", "0"),
        ("cn1988", "replay", "Void"),
        ("cn2002", "no-result", "Void"),
        ("cn2002", "draw", "0"),
        ("cn2002", "extra-game", "Void"),
        ("cn2002", "void", ""),
    ],
)
def test_a10_a_whole_board_repetition_is_for_the_event_to_rule(rules: str, choice: str, sgf: str, make: Make) -> None:
    table = make(rules).play("B C3, W D3").alert("repetition", "C3", "D3")
    with pytest.raises(UsageError, match="prescribes nothing for repetition"):
        table.rule("uphold", 1)
    assert (choice,) in table.state.code.ruling("repetition").others
    assert result(table.rule("uphold", 1, **{"as": [choice]})) == sgf


def test_a13_colours_swapped(make: Make) -> None:
    state = make("cn2002").play("B C3").alert("colours-swapped").rule("uphold", 1)
    assert state.players == ("Wang Fang", "Li Hua")
    old = make("cn1988").play("B C3").alert("colours-swapped")
    with pytest.raises(UsageError, match="prescribes nothing"):
        old.rule("uphold", 1)
    assert old.rule("uphold", 1, **{"as": ["swap"]}).players == ("Wang Fang", "Li Hua")


def test_a14_a_stone_of_the_wrong_colour_is_among_what_two_moves_may_be(make: Make) -> None:
    table = make("cn2002").play("B C3, B D3").alert("two-moves", "C3", "D3")
    assert "wrong-colour" in [each.name for each in table.desk.table.kinds["two-moves"].hypotheses]
    state = table.rule("set-move", number=2, at=["D3"], color="W")  # the stone is exchanged for one of White's
    assert (line(state), state.board[Point.parse("D3")]) == ("B C3, W D3", "O")


def test_a15_a_stone_off_its_point_stands_where_both_agree(make: Make) -> None:
    table = make("cn2002").play("B C3").alert("off-point", "C3", "C4")
    state = table.rule("uphold", 1, **{"as": ["point"]}, at=["C4"])
    assert (state.board[Point.parse("C4")], state.board[Point.parse("C3")]) == ("X", ".")
    kept = make("cn1988").play("B C3").alert("off-point", "C3", "C4").rule("uphold", 1, **{"as": ["keep"]})
    assert kept.board[Point.parse("C3")] == "X"


def test_a16_a_stone_that_no_move_explains_and_one_that_has_vanished(make: Make) -> None:
    table = make("cn2002").play("B C3").alert("stone-appeared", "E5", evidence=["colour: W"])
    assert pending(table.rule("uphold", 1, **{"as": ["take-off"]})) == {"E5": "."}
    table.alert("stone-vanished", "C3")
    state = table.rule("uphold", 2, **{"as": ["put-back"]})
    assert pending(state) == {"E5": ".", "C3": "X"}
    kept = make("cn1988").play("B C3").alert("stone-vanished", "C3").rule("uphold", 1, **{"as": ["keep"]})
    assert kept.board[Point.parse("C3")] == "."


def test_a17_a_signal_for_the_end_is_taken_up_or_refused(make: Make) -> None:
    assert make("cn1988").play("B C3").alert("end-signal").rule("uphold", 1, **{"as": ["end"]}).phase is Phase.COUNTING
    table = make("cn2002").play("B C3").alert("end-signal")
    assert table.rule("uphold", 1, **{"as": ["refuse"]}).phase is Phase.PLAYING


def test_a17_a_proposal_that_is_refused_gives_the_move_back(make: Make) -> None:
    for rules in ("cn1988", "cn2002"):
        table = make(rules).play("B C3, W D3")
        assert table.rule("propose-end", color="B").phase is Phase.END_PROPOSED
        state = table.play("W B2").state
        assert (state.phase, state.to_play) == (Phase.PLAYING, B)


def test_a18_a_count_that_differs_is_counted_again(make: Make) -> None:
    for rules, article in (("cn1988", "16.3"), ("cn2002", "16.4")):
        table = make(rules).play("B C3").alert("count-mismatch")
        assert table.state.code.ruling("count-mismatch").article == article
        assert table.rule("uphold", 1, **{"as": ["recount"]}).alerts[0].mood is AlertMood.UPHELD


def test_a19_a_dispute_is_played_out_and_who_says_dead_plays_first(make: Make) -> None:
    table = make("cn2002").play("B C3, W D3")
    table.rule("propose-end", color="B")
    table.rule("agree-end")
    state = table.rule("resume", color="B")
    assert (state.phase, state.to_play, line(state)) == (Phase.PLAYING, B, "B C3, W D3, B pass, W pass")


def test_a20_the_sealed_move_has_to_be_played(make: Make) -> None:
    table = make("cn1988").play("B C3")
    table.rule("pause")
    table.rule("seal", at=["D3"])
    table.rule("resume")
    table.play("W B2")
    assert [row["code"] for row in table.desk.raise_due()] == ["resume-differs"]
    assert table.desk.raise_due() == []
    alert = table.state.alerts[0]
    assert (list(map(str, alert.at)), alert.offender, alert.facts["sealed"]) == (["D3", "B2"], W, "D3")
    state = table.rule("uphold", 1, **{"as": ["restore"]})
    assert state.alerts[0].mood is AlertMood.UPHELD


def test_a20_a_sealed_point_that_is_taken_forfeits_the_turn(make: Make) -> None:
    """cn1988 22: 如封棋之点已有棋子时，判弃权一次，轮对方下子."""
    table = make("cn1988").play("B C3")
    table.rule("pause")
    table.rule("seal", at=["C3"])
    table.rule("resume")
    state = table.rule("pass", color="W")
    assert (line(state), state.to_play) == ("B C3, W pass", B)


def test_a20_played_as_sealed_nothing_is_said(make: Make) -> None:
    table = make("cn2002").play("B C3")
    table.rule("pause")
    table.rule("seal", at=["D3"])
    table.rule("resume")
    assert table.play("W D3").desk.raise_due() == []


def test_a24_two_warnings_lose_under_both_codes_and_cost_a_zi_each_under_one(make: Make) -> None:
    for rules, article, fine in (("cn1988", "25.2", 0.0), ("cn2002", "24.2", 2.0)):
        table = make(rules).play("B C3, W D3")
        table.rule("warn", color="B")
        state = table.rule("warn", color="B")
        assert [(each.code, each.offender) for each in state.alerts] == [("second-warning", B)]
        assert (state.code.ruling("second-warning").article, state.code.warnings.fine) == (article, fine)
        assert result(table.rule("uphold", 1)) == "W+F"


def test_a25_a_start_that_is_not_as_it_should_be_stands_or_is_corrected(make: Make) -> None:
    table = make("cn2002")
    table.desk.add({"type": "setup", "t": 0.5, "B": ["C3"], "W": []})
    state = table.alert("setup", "C3").rule("uphold", 1, **{"as": ["keep"]})
    assert state.board[Point.parse("C3")] == "X"
    assert table.rule("point", at=["C3"], cell=".").board[Point.parse("C3")] == "."


def test_a26_what_cannot_be_seen_is_looked_at_and_closed(make: Make) -> None:
    table = make("cn2002").play("B C3")
    codes = ("board-moved", "view-blocked", "light-changed", "board-lost", "camera-lost", "uncertain-reading")
    for number, code in enumerate(codes, 1):
        table.alert(code, "C3")
        assert table.rule("reject", number).alerts[-1].mood is AlertMood.REJECTED
    assert line(table.state) == "B C3"
