"""The arbiter's desk: rulings as events, what each changes, and that each can be undone. Scripts a player can read."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest
from sgfmill import sgf

from kifuwatch.arbiter import AlertTable
from kifuwatch.arbiter.desk_state import AlertMood, DeskState, Phase
from kifuwatch.core.errors import FileFormatError, InputError, OutputError, UsageError
from kifuwatch.core.points import Colour, Point
from kifuwatch.record.desk_journal import DeskJournal
from kifuwatch.record.desk_sgf import desk_to_sgf
from kifuwatch.record.journal import Journal

TABLE = AlertTable.load()
B, W = Colour.BLACK, Colour.WHITE
KO = "B B2, W C2, B A3, W D3, B B4, W C4, B C3, W B3"
"""White has just taken the ko at B3; Black at C3 would take it back."""


class Table:
    """A board on which a game is played, seen by a camera, and a desk beside it."""

    def __init__(self, folder: Path, rules: str = "cn2002", size: int = 5) -> None:
        self.desk = DeskJournal(Journal.create(folder / "game.db", lambda: "2026-05-01T10:00:00Z"), TABLE)
        self.desk.begin(size, rules, black="Li Hua", white="Wang Fang")
        self.desk.add({"type": "board-found", "t": 0.0, "size": size})
        self.count = 0

    def play(self, text: str) -> Table:
        for move in text.split(","):
            colour, at = move.split()
            self.count += 1
            self.desk.add({"type": "move", "t": float(self.count), "number": self.count, "color": colour, "at": at})
        return self

    def retract(self, number: int) -> None:
        self.desk.add({"type": "retract", "t": float(self.count), "number": number})
        self.count = number - 1

    def alert(self, code: str, *at: str, **more: Any) -> Table:
        self.desk.add({"type": "alert", "t": 1.0, "code": code, "level": "warning", "at": list(at), **more})
        return self

    def rule(self, verb: str, alert: int | None = None, **fields: Any) -> DeskState:
        return self.desk.rule({"do": verb, **({"alert": alert} if alert else {}), **fields})

    @property
    def state(self) -> DeskState:
        return self.desk.state()


def line(state: DeskState) -> str:
    return ", ".join(f"{entry.colour.value} {entry.point or 'pass'}" for entry in state.moves)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path)


def test_a_ko_taken_back_at_once_is_void_a_pass_and_a_warning(table: Table) -> None:
    table.play(KO + ", B C3").alert("ko-violation", "C3", "B3")
    state = table.rule("uphold", 1)
    assert line(state) == KO + ", B pass"
    assert (state.warnings(B), state.warnings(W), state.to_play) == (1, 0, W)
    assert state.pending == {Point.parse("C3"): ".", Point.parse("B3"): "O"}  # what has to be put right
    assert (state.alerts[0].mood, state.ledger[0].article) == (AlertMood.UPHELD, "18.3")


def test_the_older_code_gives_no_warning_for_it(tmp_path: Path) -> None:
    old = Table(tmp_path, "cn1988")
    old.play(KO + ", B C3").alert("ko-violation", "C3", "B3")
    assert (line(old.rule("uphold", 1)), old.state.warnings(B)) == (KO + ", B pass", 0)


@pytest.mark.parametrize("told", [{"move": 9, "color": "B"}, {"move": 8}])
def test_a_ruling_goes_to_the_move_and_player_however_the_journal_numbers_the_alert(
    table: Table, told: dict[str, Any]
) -> None:
    """Older journals gave a ko violation the number of the move before it, and no player."""
    table.play(KO + ", B C3").alert("ko-violation", "C3", "B3", **told)
    (alert,) = table.state.alerts
    assert (alert.offender, alert.target and str(alert.target.point)) == (B, "C3")
    assert line(table.rule("uphold", 1)) == KO + ", B pass"
    table.rule("undo", row=table.state.revision)
    assert (line(table.state), table.state.warnings(B)) == (KO + ", B C3", 0)


def test_a_ruling_goes_to_the_move_that_the_camera_took_back_and_told_again(table: Table) -> None:
    table.play(KO + ", B C3").alert("ko-violation", "C3", "B3", move=9, color="B")
    table.retract(8)
    table.play("W B3, B C3")
    state = table.rule("uphold", 1)
    assert (line(state), state.warnings(B)) == (KO + ", B pass", 1)


def test_a_move_that_the_camera_took_back_for_good_cannot_be_made_void(table: Table) -> None:
    table.play(KO + ", B C3").alert("ko-violation", "C3", "B3", move=9, color="B")
    table.retract(9)
    with pytest.raises(UsageError, match="about no move that stands"):
        table.rule("uphold", 1)
    state = table.rule("uphold", 1, **{"as": ["pass", "warning"]})
    assert (line(state), state.warnings(B)) == (KO + ", B pass", 1)


def test_a_repetition_is_about_the_move_that_repeats_not_the_first_point_of_the_cycle(table: Table) -> None:
    table.play("B B2, W C2, B C4").alert("repetition", "C2", "C4", "B2", move=3, evidence=["cycle: 3"])
    assert table.state.alerts[0].offender is B
    assert line(table.rule("uphold", 1, **{"as": ["void"]})) == "B B2, W C2"


def test_two_moves_lose_under_the_older_code_and_cost_a_warning_under_that_of_2002(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    old = Table(tmp_path / "old", "cn1988").play("B C3, B D3").alert("two-moves", "C3", "D3")
    assert old.rule("uphold", 1).ending is not None
    assert old.state.ending
    assert old.state.ending.sgf == "W+F"
    new = Table(tmp_path).play("B C3, B D3").alert("two-moves", "C3", "D3")
    state = new.rule("uphold", 1)
    assert (line(state), state.warnings(B), state.to_play, state.phase) == ("B C3", 1, W, Phase.PLAYING)


def test_this_was_a_pass(table: Table) -> None:
    table.play("B C3, B D3").alert("two-moves", "C3", "D3")
    state = table.rule("uphold", 1, **{"as": ["was-pass"]})
    assert line(state) == "B C3, W pass, B D3"
    assert state.faults == {}


def test_a_takeback_is_put_back_and_the_camera_only_confirms_it(table: Table) -> None:
    table.play("B C3, W D3")
    table.retract(2)
    table.play("W B3").alert("takeback", "D3", "B3")
    state = table.rule("uphold", 1)
    assert (line(state), state.warnings(W)) == ("B C3, W D3", 1)
    table.retract(2)
    table.play("W D3")  # White has done as was ruled
    assert line(table.state) == "B C3, W D3"


def test_a_takeback_lapses_with_the_opponents_next_stone(table: Table) -> None:
    table.play("B C3, W D3")
    table.retract(2)
    table.play("W B3").alert("takeback", "D3", "B3")
    assert table.state.alerts[0].mood is AlertMood.OPEN
    table.play("B D2")
    assert (table.state.alerts[0].mood, table.state.alerts[0].why) == (
        AlertMood.LAPSED,
        "not claimed before move 3 (Art. 17.3)",
    )
    assert line(table.state) == "B C3, W B3, B D2"


def test_what_carries_out_a_ruling_is_no_new_incident(table: Table) -> None:
    table.play("B C3, B D3").alert("two-moves", "C3", "D3")
    table.rule("uphold", 1)
    table.retract(2)
    table.alert("takeback", "D3")  # the void stone is taken off
    table.play("W D3")
    state = table.state
    assert (state.alerts[1].mood, line(state)) == (AlertMood.AUTO_CLOSED, "B C3, W D3")


def test_a_moved_stone_that_stands_is_set_up(table: Table) -> None:
    table.play("B C3, W D3").alert("moved-stone", "C3", "C4")
    state = table.rule("uphold", 1, **{"as": ["keep"]})
    assert (state.board[Point.parse("C3")], state.board[Point.parse("C4")]) == (".", "X")
    assert state.to_play is B
    game = sgf.Sgf_game.from_bytes(desk_to_sgf(state))
    last = game.get_last_node()
    assert last.has_setup_stones()
    assert not last.has_property("B")  # never a move and stones set up in one node


def test_a_moved_stone_goes_to_a_reasonable_point(table: Table) -> None:
    table.play("B C3, W D3").alert("moved-stone", "C3", "C4")
    with pytest.raises(UsageError, match="say on which point"):
        table.rule("uphold", 1, **{"as": ["reasonable-point"]})
    with pytest.raises(UsageError, match="a stone stands on D3"):
        table.rule("uphold", 1, at=["D3"], **{"as": ["reasonable-point"]})
    state = table.rule("uphold", 1, at=["B3"], **{"as": ["reasonable-point"]})
    assert (state.board[Point.parse("C3")], state.board[Point.parse("B3")]) == (".", "X")


def test_a_second_warning_is_an_alert_of_its_own_and_loses(table: Table) -> None:
    table.play("B C3")
    table.rule("warn", color="W")
    assert table.state.alerts == ()
    state = table.rule("warn", color="W")
    assert (state.alerts[0].code, state.alerts[0].offender) == ("second-warning", W)
    state = table.rule("uphold", 1)
    assert state.ending
    assert (state.ending.sgf, state.ending.zh) == ("B+F", "黑胜（裁定）")


def test_a_warning_is_taken_back(table: Table) -> None:
    table.rule("warn", color="B")
    state = table.rule("unwarn", color="B")
    assert (state.warnings(B), len(state.ledger)) == (0, 1)
    with pytest.raises(UsageError, match="Black has no warning"):
        table.rule("unwarn", color="B")


def test_restoring_to_a_move_leaves_the_rest_as_a_side_line(table: Table) -> None:
    table.play("B C3, W D3, B C4, W D4")
    state = table.rule("restore", number=2)
    assert (line(state), state.to_play) == ("B C3, W D3", B)
    table.play("B B2")
    game = sgf.Sgf_game.from_bytes(desk_to_sgf(table.state))
    nodes = game.get_main_sequence()
    assert [node.get_move()[1] for node in nodes[1:]] == [(2, 2), (2, 3), (1, 1)]
    assert len(nodes[2]) == 2  # the line that stands comes first


def test_a_void_move_is_a_side_line_and_one_that_stands_is_marked(table: Table) -> None:
    table.play(KO + ", B C3").alert("ko-violation", "C3", "B3")
    assert sgf.Sgf_game.from_bytes(desk_to_sgf(table.state)).get_last_node().has_property("KO")
    game = sgf.Sgf_game.from_bytes(desk_to_sgf(table.rule("uphold", 1)))
    last = game.get_last_node()
    assert last.get_move() == ("b", None)
    assert last.parent[1].get_move() == ("b", (2, 2))
    assert last.parent[1].has_property("KO")
    assert "警告一次" in game.get_root().get("GC")


def test_every_ruling_can_be_undone_and_the_undoing_too(table: Table) -> None:
    table.play(KO + ", B C3").alert("ko-violation", "C3", "B3")
    before = table.state
    row = table.rule("uphold", 1).revision
    undone = table.rule("undo", row=row)
    assert (line(undone), undone.warnings(B), undone.alerts[0].mood) == (line(before), 0, AlertMood.OPEN)
    again = table.rule("undo", row=undone.revision)
    assert line(again) == KO + ", B pass"
    with pytest.raises(UsageError, match="is no ruling that could be undone"):
        table.rule("undo", row=1)


def test_what_rests_on_a_ruling_is_undone_first(table: Table) -> None:
    table.play("B C3, B D3").alert("two-moves", "C3", "D3")
    row = table.rule("warn", color="B").revision
    table.rule("unwarn", color="B")
    with pytest.raises(UsageError, match="cannot be undone, since another ruling rests on it"):
        table.rule("undo", row=row)


def test_the_end_by_agreement(table: Table) -> None:
    table.play("B C1, W D1, B C2, W D2, B C3, W D3, B C4, W D4, B C5, W D5")
    assert table.rule("propose-end", color="B").phase is Phase.END_PROPOSED
    assert table.rule("refuse-end").phase is Phase.PLAYING  # White plays on, Black's turn was a pass
    table.play("W B3")
    table.rule("propose-end", color="B")
    table.rule("agree-end")
    with pytest.raises(UsageError, match="there is no chain at A1"):
        table.rule("dead", at=["A1"])
    state = table.rule("dead", at=["B3"])
    assert state.score
    assert (state.score.sgf, state.ending) == ("W+2.5", None)
    state = table.rule("confirm")
    assert state.ending
    assert (state.phase, state.ending.sgf, state.ending.zh) == (Phase.OVER, "W+2.5", "白胜1又1/4子")
    with pytest.raises(UsageError, match="the game is over"):
        table.rule("pass", color="W")


def test_a_warning_costs_one_zi_in_the_count(table: Table) -> None:
    table.play("B C1, W D1, B C2, W D2, B C3, W D3, B C4, W D4, B C5, W D5")
    table.rule("warn", color="W")
    table.rule("agree-end")
    state = table.rule("dead", at=[])
    assert state.score
    assert state.score.sgf == "W+0.5"


def test_a_dispute_on_life_and_death_is_played_out(table: Table) -> None:
    table.play("B C3, W D3")
    table.rule("agree-end")
    state = table.rule("resume", color="W")  # White says dead, and plays first
    assert (state.phase, state.to_play, line(state)) == (Phase.PLAYING, W, "B C3, W D3, B pass")


def test_two_passes_end_the_game_and_resigning_does(table: Table) -> None:
    table.play("B C3")
    with pytest.raises(UsageError, match="it is not Black's turn"):
        table.rule("pass", color="B")
    table.rule("pass", color="W")
    assert table.rule("pass", color="B").phase is Phase.COUNTING
    state = table.rule("resign", color="B")
    assert state.ending
    assert (state.ending.sgf, state.ending.zh) == ("W+R", "白中盘胜")


@pytest.mark.parametrize(
    ("verb", "re", "zh"),
    [
        ("draw", "0", "和棋"),
        ("no-result", "Void", "无胜负"),
        ("replay", "Void", "重赛"),
        ("both-lose", "Void", "双方均负"),
    ],
)
def test_other_endings(table: Table, verb: str, re: str, zh: str) -> None:
    table.play("B C3").alert("repetition", "C3")
    state = table.rule(verb, 1)
    assert state.ending
    assert (state.ending.sgf, state.ending.zh) == (re, zh)
    assert state.alerts[0].mood is AlertMood.UPHELD


def test_a_sealed_move(table: Table) -> None:
    table.play("B C3")
    with pytest.raises(UsageError, match="the game is playing"):
        table.rule("seal", at=["D3"])
    table.rule("pause")
    assert table.rule("seal", at=["D3"]).sealed == Point.parse("D3")
    table.rule("resume")
    table.play("W B3")
    assert table.state.moves[-1].notes == ["sealed was D3"]


def test_a_point_is_corrected(table: Table) -> None:
    table.play("B C3, W D3")
    state = table.rule("point", at=["D3"], cell=".")
    assert (state.board[Point.parse("D3")], state.to_play) == (".", B)
    with pytest.raises(UsageError, match="on D3 is already"):
        table.rule("point", at=["D3"], cell=".")


def test_colours_are_swapped_up_to_move_ten(table: Table) -> None:
    table.play("B C3")
    assert table.rule("swap").players == ("Wang Fang", "Li Hua")
    table.play("W D3, B A1, W A2, B B1, W B2, B E1, W E2, B E3, W E4, B E5")
    with pytest.raises(UsageError, match="up to move 10 only, and 11"):
        table.rule("swap")


def test_rulings_that_cannot_be_change_nothing(table: Table) -> None:
    table.play("B C3").alert("off-point", "C3")
    before = len(table.desk.journal.rows())
    for row, sentence in (
        ({"do": "uphold", "alert": 9}, "there is no alert 9: the game has 1"),
        ({"do": "uphold", "alert": 1}, "prescribes nothing for off-point"),
        ({"do": "uphold", "alert": 1, "as": ["hang"]}, "'hang' is no ruling"),
        ({"do": "uphold", "alert": 1, "as": ["warning"]}, "does not tell whose doing"),
        ({"do": "restore", "number": 7}, "the record has 1 moves"),
        ({"do": "void", "number": 3}, "there is no move 3"),
        ({"do": "was-pass", "number": 1}, "nobody passed"),
        ({"do": "confirm"}, "no count to confirm"),
        ({"do": "dead", "at": []}, "when both have agreed"),
        ({"do": "sing"}, "'sing' is no ruling"),
    ):
        with pytest.raises(UsageError, match=sentence):
            table.desk.rule(row)
    table.rule("reject", 1)
    with pytest.raises(UsageError, match="alert 1 is closed: rejected"):
        table.rule("reject", 1)
    assert len(table.desk.journal.rows()) == before + 1
    assert table.rule("reopen", 1).alerts[0].mood is AlertMood.OPEN


def test_the_journal_is_only_added_to(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Journal.create(path) as journal:
        assert journal.append({"type": "game", "size": 9}) == 1
    connection = sqlite3.connect(path)
    for attempt in ("DELETE FROM events", "UPDATE events SET body = '{}'"):
        with pytest.raises(sqlite3.IntegrityError, match="only added to"):
            connection.execute(attempt)
    connection.close()
    with pytest.raises(OutputError, match="never overwritten"):
        Journal.create(path)


def test_two_can_have_a_journal_open(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "a.db") as recorder, Journal.open(tmp_path / "a.db") as desk:
        recorder.append({"type": "game", "size": 9})
        desk.append({"type": "ruling", "do": "pause"})
        assert [row["type"] for row in recorder.rows()] == ["game", "ruling"]


def test_what_is_no_journal(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        Journal.open(tmp_path / "none.db")
    (tmp_path / "text.db").write_text("hello", encoding="utf-8")
    with pytest.raises(FileFormatError, match="is no journal of a game"):
        Journal.open(tmp_path / "text.db")
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE t (x)").connection.close()
    with pytest.raises(FileFormatError, match="is no journal of a game"):
        Journal.open(tmp_path / "other.db")
