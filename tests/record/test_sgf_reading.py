"""SGF files as they are found: broken off, badly encoded, in the units of whoever wrote them."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.arbiter.inspection import Played, PutDown
from kifuwatch.core.errors import FileFormatError, InputError
from kifuwatch.core.points import Colour, Point
from kifuwatch.record.sgf_game import SgfGame, game_of_bytes, read_game
from kifuwatch.record.sgf_tree import parse_sgf

B, W = Colour.BLACK, Colour.WHITE


def game(text: str) -> SgfGame:
    return game_of_bytes(text.encode())


def moves(found: SgfGame) -> list[str]:
    played = [step for step in found.steps if isinstance(step, Played)]
    return [f"{step.colour.value} {step.point or 'pass'}" for step in played]


def test_the_main_line_is_the_first_of_each_branching() -> None:
    found = game("(;SZ[9];B[aa](;W[bb](;B[cc])(;B[dd]))(;W[ee]))")
    assert moves(found) == ["B A9", "W B8", "B C7"]
    assert found.variations == 2


def test_passes_as_they_are_written() -> None:
    assert moves(game("(;SZ[19];B[];W[tt];B[Pass];W[ss])")) == ["B pass", "W pass", "B pass", "W T1"]
    assert moves(game("(;SZ[21];B[tt])")) == ["B U2"]  # on larger boards tt is a point


def test_escapes_and_brackets_in_comments() -> None:
    tree = parse_sgf(rb"(;C[a \] b \\ c \: (;B[aa\])]PB[x\;y];W[bb])")
    assert tree.root.text("C") == "a ] b \\ c : (;B[aa])"
    assert [node.text("W") for node in tree.main_line()] == [None, "bb"]


def test_setup_with_rectangles_and_a_colour_to_play() -> None:
    (step,) = game("(;SZ[9]AB[aa:bb]AW[ii]PL[W])").steps
    assert isinstance(step, PutDown)
    assert set(map(str, step.black)) == {"A9", "B9", "A8", "B8"}
    assert (list(map(str, step.white)), step.to_play) == (["J1"], W)


def test_fox_writes_komi_in_hundredths_and_in_zi() -> None:
    found = game("(;SZ[19]KM[375]RU[Chinese]RE[B+0.75];B[dd])")
    assert (found.komi, found.in_zi, found.rules) == (7.5, True, "cn2002")
    assert (found.result.winner, found.result.points) == (B, 1.5)
    found = game("(;SZ[19]KM[650]RU[Japanese]RE[W+8.5];B[dd])")
    assert (found.komi, found.in_zi, found.result.points) == (6.5, False, 8.5)
    assert game("(;KM[3.75]RE[W+0.25];B[dd])").result.points == 0.5
    assert game("(;KM[325];B[dd])").komi == 6.5
    assert game("(;KM[7.5]RE[W+0.5];B[dd])").result.points == 0.5


@pytest.mark.parametrize(
    ("text", "winner", "points"),
    [
        ("B+R", B, None),
        ("W+Resign", W, None),
        ("B+T", B, None),
        ("W + 3.5", W, 3.5),
        ("0", None, 0.0),
        ("Draw", None, 0.0),
        ("draw", None, 0.0),
        ("Void", None, None),
        ("?", None, None),
        ("", None, None),
        ("黑+1.5", B, 1.5),
    ],
)
def test_results(text: str, winner: Colour | None, points: float | None) -> None:
    found = game(f"(;SZ[9]RE[{text}];B[aa])").result
    assert (found.winner, found.points) == (winner, points)


def test_a_file_that_breaks_off_is_read_as_far_as_it_goes() -> None:
    found = game("(;SZ[9];B[aa];W[bb];B[c")
    assert moves(found)[:2] == ["B A9", "W B8"]
    assert any("breaks off" in problem for problem in found.problems)


def test_what_is_wrong_is_said() -> None:
    assert "242" not in "".join(game("(;SZ[9];B[aa])").problems)
    assert game("hello (;SZ[9];B[aa])").problems == ("5 characters before the game are left out",)
    assert game("(;SZ[9];B[aa])(;SZ[9])").problems == ("the file holds 2 games: the first is taken",)
    assert game("(;SZ[9];B[aa]AB[bb])").problems == ("a node both puts stones down and holds a move",)
    assert game("(;SZ[9];B[zzz])").problems == ("B[zzz] is no point: taken for a pass",)
    assert "as players say them" in game("(;SZ[19];B[R16])").problems[0]
    assert game("(;SZ[9]KM[much];B[aa])").problems == ("KM[much] is no komi",)


def test_brackets_that_are_forgotten() -> None:
    assert moves(game(";SZ[9];B[aa];W[bb];B[cc])")) == ["B A9", "W B8", "B C7"]
    assert moves(game("(\nSZ[9]\n;B[aa])")) == ["B A9"]


def test_damaged_letters_do_not_swallow_brackets() -> None:
    """Read in another encoding a cut letter would take the bracket behind it along."""
    text = "(;SZ[9]PB[黄龙士]PW[徐星友]EV[决赛第2局];B[aa])".encode()
    cut = text.replace("士".encode(), "士".encode()[:2]).replace("局".encode(), "局".encode()[:1])
    found = game_of_bytes(cut)
    assert moves(found) == ["B A9"]
    assert found.players[1] == "徐星友"
    assert found.problems == ("some letters of the text cannot be made out",)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "gb18030"])
def test_encodings(encoding: str) -> None:
    found = game_of_bytes("(;SZ[9]PB[黄龙士];B[aa])".encode(encoding))
    assert found.players[0] == "黄龙士"
    assert not found.problems


def test_a_named_encoding() -> None:
    assert game_of_bytes("(;CA[Shift_JIS]PB[本因坊];B[aa])".encode("cp932")).players[0] == "本因坊"
    wrong = game_of_bytes("(;CA[Shift_JIS]PB[黄龙士];B[aa])".encode())
    assert wrong.problems == ("the text is not in shift_jis, as the file says: read as utf-8",)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is no game record in SGF"),
        (b"\x89PNG\r\n", "is no game record in SGF"),
        (b"(;GM[2]SZ[8])", "another game than Go"),
        (b"(;SZ[99];B[aa])", "a board of size '99' is none that is known"),
        (b"(;SZ[19:13];B[aa])", "a board of size '19:13'"),
    ],
)
def test_what_is_no_game_of_go_is_one_sentence(data: bytes, sentence: str) -> None:
    with pytest.raises(FileFormatError, match=r"x\.sgf") as caught:
        game_of_bytes(data, "x.sgf")
    assert sentence in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*none\.sgf: no such file"):
        read_game(tmp_path / "none.sgf")


def test_a_million_moves_are_refused_soon() -> None:
    began = time.process_time()
    with pytest.raises(FileFormatError, match="has more than 200000 moves and side lines: too many for a game"):
        parse_sgf(b"(;SZ[19]" + b";B[aa];W[bb]" * 500_000 + b")")
    assert time.process_time() - began < 10


def test_brackets_deeper_than_pythons_stack() -> None:
    deep = "(;SZ[9]" + "(;B[aa]" * 20_000 + ")" * 20_001
    assert len(moves(game(deep))) == 20_000


@given(st.text("();[]\\BWAab \n", max_size=60))
def test_no_text_makes_the_reader_fall_over(text: str) -> None:
    try:
        found = game(text)
    except FileFormatError:
        return
    assert found.size == 19


@given(st.lists(st.sampled_from([Point(0, 0), Point(3, 5), Point(8, 8), None]), max_size=8))
def test_what_is_written_is_read(line: list[Point | None]) -> None:
    letters = "abcdefghi"
    nodes = [f";{'BW'[i % 2]}[{letters[p.col] + letters[8 - p.row] if p else ''}]" for i, p in enumerate(line)]
    found = game(f"(;SZ[9]{''.join(nodes)})")
    assert [step.point for step in found.steps if isinstance(step, Played)] == line


def test_the_time_control_of_a_file() -> None:
    assert str(game("(;SZ[9]TM[3600]OT[5x30 byo-yomi];B[aa])").control) == "1h+5x30s"
    assert game("(;SZ[9];B[aa])").control is None
    odd = game("(;SZ[9]TM[nan]OT[whenever];B[aa])")
    assert (odd.control, odd.problems) == (None, ("the time control TM[nan] OT[whenever] is not understood",))
