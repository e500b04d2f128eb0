"""``kifuwatch check`` and ``kifuwatch score``: what they print, and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

KO = "(;SZ[5]RU[Chinese]AB[bd][ac][cc][bb]PL[W]AW[cd][dc][cb];W[bc];B[cc])"
# Black wins 15:10 on a board of five lines; the white stone at B3 is dead.
BOARD = "(;SZ[5]KM[0]RU[Chinese]RE[{result}]AB[ca][cb][cc][cd][ce]AW[da][db][dc][dd][de][bc])"


def write(folder: Path, text: str, name: str = "game.sgf") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_an_irregular_record_in_words(call: Run, tmp_path: Path) -> None:
    ended = call("check", write(tmp_path, KO))
    assert ended.status == 0
    assert "Move 2 Black C3: takes the ko back at once (cn2002 Art. 18.3): move void" in ended.out
    chinese = call("check", tmp_path / "game.sgf", "--lang", "zh")
    assert "第 2 手 黑 C3：劫争马上回提（2002规则第18条3款）：着手无效、弃权一次并警告一次" in chinese.out


def test_an_irregular_record_for_programs(call: Run, tmp_path: Path) -> None:
    found = json.loads(call("check", write(tmp_path, KO), "--json", "--rules", "cn1988").out)
    (one,) = found["irregularities"]
    assert (one["move"], one["color"], one["at"], one["code"]) == (2, "B", ["C3"], "ko-violation")
    assert (found["rules"], one["article"]) == ("cn1988", "20.1")
    assert found["counts"] == {"simpleko": 1, "psk": 1, "ssk": 1, "suic1": 0, "suicN": 0, "occ": 0, "samecol": 0}


def test_many_records_are_one_line_each(call: Run, tmp_path: Path) -> None:
    for name in ("b.sgf", "a.sgf"):
        write(tmp_path, "(;SZ[9];B[ee])", name)
    lines = [json.loads(line) for line in call("check", tmp_path, "--json").out.splitlines()]
    assert [Path(line["file"]).name for line in lines] == ["a.sgf", "b.sgf"]
    assert "Nothing irregular." in call("check", tmp_path).out


def test_one_unreadable_record_does_not_stop_the_others(call: Run, tmp_path: Path) -> None:
    write(tmp_path, "(;SZ[9];B[ee])", "a.sgf")
    write(tmp_path, "no record", "b.sgf")
    ended = call("check", tmp_path, "--json")
    assert (ended.status, len(ended.out.splitlines())) == (4, 1)
    assert "b.sgf is no game record in SGF" in ended.sentence
    assert call("check", tmp_path / "b.sgf").status == 4


def test_strict_ends_with_a_status_of_its_own(call: Run, tmp_path: Path) -> None:
    assert call("check", write(tmp_path, KO), "--strict").status == 7
    assert call("check", write(tmp_path, "(;SZ[9];B[ee])"), "--strict").status == 0


def test_an_empty_folder_and_a_missing_file(call: Run, tmp_path: Path) -> None:
    assert "no game record (*.sgf)" in call("check", tmp_path).sentence
    assert call("check", tmp_path / "none.sgf").status == 4


def test_a_mistyped_event_is_told_before_any_record(call: Run, tmp_path: Path) -> None:
    rules = write(tmp_path, 'base = "cn2002"\n[result]\nkomy = 6', "cup.toml")
    ended = call("check", write(tmp_path, KO), "--rules", rules)
    assert ended.status == 4
    assert f"{rules}: result.komy: is unknown here" in ended.sentence


def test_a_count_with_the_dead_stones_named(call: Run, tmp_path: Path) -> None:
    ended = call("score", write(tmp_path, BOARD.format(result="B+5")), "--dead", "B3")
    assert ended.status == 0
    assert "Result: Black wins by 2 1/2 zi (5 points), RE[B+5] (cn2002 Art. 9)" in ended.out
    assert "apart" not in ended.out
    chinese = call("score", tmp_path / "game.sgf", "--dead", "B3", "--lang", "zh")
    assert "结果：黑胜2又1/2子，RE[B+5]（2002规则第9条）" in chinese.out


def test_dead_stones_that_are_only_proposed(call: Run, tmp_path: Path) -> None:
    found = json.loads(call("score", write(tmp_path, BOARD.format(result="B+5")), "--json").out)
    assert (found["dead"], found["confirmed"], found["RE"]) == (["B3"], False, "B+5")
    assert found["proposed"][0]["at"] == ["B3"]
    assert "please confirm with --dead" in call("score", tmp_path / "game.sgf").out


def test_warnings_cost_a_zi_each(call: Run, tmp_path: Path) -> None:
    game = write(tmp_path, BOARD.format(result="B+5"))
    found = json.loads(call("score", game, "--dead", "B3", "--warnings", "1,0", "--json").out)
    assert (found["RE"], found["parts"]["fines"]) == ("B+3", -2)


def test_a_count_that_differs_from_record_and_arbiter(call: Run, tmp_path: Path) -> None:
    game = write(tmp_path, BOARD.format(result="W+1"))
    found = json.loads(call("score", game, "--dead", "B3", "--counted", "W11", "--json").out)
    assert [(each["with"], each["difference"]) for each in found["mismatches"]] == [("record", 6), ("arbiter", 2)]
    words = call("score", game, "--dead", "B3", "--counted", "14").out
    assert "The arbiter's count differs by 2 points: count again." in words
    assert "The record says W+1: 6 points apart." in words
    agrees = json.loads(call("score", game, "--dead", "B3", "--counted", "15", "--json").out)
    assert [each["with"] for each in agrees["mismatches"]] == ["record"]


def test_no_stone_is_dead(call: Run, tmp_path: Path) -> None:
    found = json.loads(call("score", write(tmp_path, BOARD.format(result="")), "--dead", "none", "--json").out)
    assert (found["dead"], found["dead_from"], found["confirmed"]) == ([], "given", True)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--dead", "A1"), "there is no chain at A1: the point is empty"),
        (("--dead", "Q16"), "the point Q16 is not on this board of 5 lines"),
        (("--dead", "I3"), "--dead: 'I3' is not a point"),
        (("--warnings", "1"), "--warnings: '1' must be two numbers"),
        (("--groups", "a,b"), "--groups: 'a,b' must be two numbers"),
        (("--counted", "many"), "--counted: 'many' is no number of zi on this board"),
        (("--counted", "900"), "--counted: '900' is no number of zi"),
        (("--rules", "chinese"), "unknown rules 'chinese'"),
    ],
)
def test_bad_requests_are_one_sentence(call: Run, tmp_path: Path, options: tuple[str, ...], sentence: str) -> None:
    ended = call("score", write(tmp_path, BOARD.format(result="")), *options)
    assert ended.status == 2
    assert sentence in ended.sentence
    assert ended.out == ""


def test_an_engine_that_cannot_be_started(call: Run, tmp_path: Path) -> None:
    ended = call("score", write(tmp_path, BOARD.format(result="")), "--engine", "no-such-engine")
    assert ended.status == 4
    assert ended.sentence.endswith("the engine 'no-such-engine' cannot be started (no such file or directory)")


def test_white_first_is_move_1_by_the_article_of_whose_turn_it_is(call: Run, tmp_path: Path) -> None:
    game = write(tmp_path, "(;SZ[9]RU[Chinese];W[bb];B[gg])")
    said = "Move 1 White B8: White began on an empty board, though Black plays first (cn2002 Art. 2.3)"
    assert said in call("check", game).out
    assert (
        "第 1 手 白 B8：空枰由白方先行（应由黑方先行）（2002规则第2条3款）" in call("check", game, "--lang", "zh").out
    )


# What makes a board that the record does not mean is said by all who count or show it

FAULTY = {
    "half": ("(;SZ[9]KM[7.5];B[ee];W[cc];B[gg", ["The file: the file breaks off"]),
    "off": ("(;SZ[9]KM[7.5];B[ee];W[ss])", ["Move 2 White: off the board"]),
    "occupied": ("(;SZ[9]KM[7.5];B[ee];W[ee])", ["Move 2 White E5: on an occupied point"]),
    "handicap": ("(;SZ[9]HA[3];W[ee])", ["Start: 3 handicap stones are named and 0 set up"]),
    "whole": ("(;SZ[9]KM[7.5];B[ee];W[cc])", []),
    "white first": ("(;SZ[9]KM[7.5];W[ee];B[cc])", []),
}


@pytest.mark.parametrize("command", [("score", "--dead", "none"), ("restore",)])
@pytest.mark.parametrize("name", FAULTY)
def test_a_faulty_record_is_not_counted_or_shown_as_if_whole(
    call: Run, tmp_path: Path, name: str, command: tuple[str, ...]
) -> None:
    text, said = FAULTY[name]
    ended = call(command[0], write(tmp_path, text), *command[1:])
    assert ended.status == 0
    assert bool(ended.err) == bool(said), ended.err
    assert all(each in ended.err for each in said)


def test_what_is_wrong_with_a_counted_file_is_told_to_programs_too(call: Run, tmp_path: Path) -> None:
    game = write(tmp_path, FAULTY["half"][0])
    counted = json.loads(call("score", game, "--dead", "none", "--json").out)
    assert counted["problems"] == json.loads(call("check", game, "--json").out)["problems"] != []


@pytest.mark.parametrize(
    ("options", "en", "zh"),
    [
        (("--komi", 7.5), "Komi: White gets 3 3/4 zi (7.5 points)", "贴目：白得3又3/4子（7.5目）"),
        (("--komi", -3), "Komi: Black gets 1 1/2 zi (3 points)", "贴目：黑得1又1/2子（3目）"),
        (("--komi", 6.5, "--rules", "jp"), "Komi: White gets 6.5 points", "贴目：白得6.5目"),
        (("--warnings", "1,0"), "Fines for warnings: White gets 1 zi (2 points)", "警告罚子：白得1子（2目）"),
        (("--handicap", 2), "Compensation for handicap: White gets 1 zi (2 points)", "让子贴还：白得1子（2目）"),
    ],
)
def test_komi_and_the_like_say_who_gets_them(
    call: Run, tmp_path: Path, options: tuple[object, ...], en: str, zh: str
) -> None:
    game = write(tmp_path, BOARD.format(result=""))
    assert en in call("score", game, "--dead", "B3", *options).out.splitlines()
    assert zh in call("score", game, "--dead", "B3", *options, "--lang", "zh").out.splitlines()
