"""What checking a record finds: irregular moves, faults of the start, a result that does not fit the count."""

from __future__ import annotations

import csv
from functools import cache

import pytest

from kifuwatch.arbiter import AlertTable
from kifuwatch.arbiter.inspection import KINDS, Irregularity
from kifuwatch.core.points import Colour
from kifuwatch.record.checking import Checked, check
from kifuwatch.record.sgf_game import game_of_bytes, read_game
from tests.rules.boards import SHARED

TABLE = AlertTable.load()


def checked(text: str, rules: str = "cn2002") -> Checked:
    return check(game_of_bytes(text.encode()), TABLE.code(rules))


def only(found: Checked) -> Irregularity:
    (one,) = found.irregularities
    return one


def test_an_ordinary_game() -> None:
    found = checked("(;SZ[9]KM[7.5];B[ee];W[ec];B[gc];W[])")
    assert found.irregularities == ()
    assert (found.inspection.moves, found.inspection.passes) == (4, 1)


KO = "(;SZ[5]AB[bd][ac][cc][bb]PL[W]AW[cd][dc][cb];W[bc];B[cc])"
"""Black at B2 A3 C3 B4, White at C2 D3 C4: White takes at B3, Black takes back at once."""


def test_a_ko_taken_back_at_once() -> None:
    one = only(checked(KO))
    assert (one.move, one.code, one.kinds) == (2, "ko-violation", ("simpleko", "psk", "ssk"))
    assert (one.article, one.ruling_en) == ("18.3", "move void, one turn forfeited, one warning")
    assert only(checked(KO, "cn1988")).article == "20.1"


def test_a_ko_taken_back_after_a_threat() -> None:
    assert checked(KO.replace(";B[cc]", ";B[ee];W[ea];B[cc]")).irregularities == ()


def test_an_occupied_point_and_the_same_colour_twice() -> None:
    found = checked("(;SZ[9];B[ee];W[ee];W[aa])")
    assert [(each.move, each.code) for each in found.irregularities] == [(2, "occupied"), (3, "two-moves")]
    assert found.inspection.counts["occ"] == found.inspection.counts["samecol"] == 1
    assert found.irregularities[1].article == "17.2"


SUICIDE = "(;SZ[5]AW[ba][ab]PL[B];B[aa])"


def test_suicide_is_forbidden_where_the_code_forbids_it() -> None:
    one = only(checked(SUICIDE))
    assert (one.code, one.kinds, one.facts, one.forbidden) == ("forbidden-point", ("suic1", "psk"), {"stones": 1}, True)
    assert not only(checked(SUICIDE, "nz")).forbidden


def test_suicide_of_more_than_one() -> None:
    assert only(checked("(;SZ[5]AB[aa]AW[ca][bb][ab]PL[B];B[ba])")).kinds == ("suicN",)


def test_a_repetition_says_its_cycle_and_its_points() -> None:
    """Send two, return one: Black adds a second stone, White takes both, Black takes the one back."""
    found = [each for each in checked(SEND_TWO).irregularities if each.code == "repetition"]
    assert [(each.move, each.facts["cycle"], each.facts["same_to_play"]) for each in found] == [(3, 3, False)]
    assert not found[0].forbidden
    assert found[0].article == "20.3"
    (forbidden,) = [each for each in checked(SEND_TWO, "tt").irregularities if each.code == "repetition"]
    assert forbidden.forbidden


SEND_TWO = "(;SZ[6]AW[ad][bd][cd][ae][be][ce][af]AB[dd][de][ee][cf][ef]PL[B];B[bf];W[df];B[cf])"


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("(;SZ[9]HA[3];B[ee])", {"handicap": 3, "stones": 0}),
        ("(;SZ[9]HA[2]AB[cc][gg][cg];W[ee])", {"handicap": 2, "stones": 3}),
        ("(;SZ[9]AB[aa]AW[aa];B[ee])", {"twice": "A9"}),
        ("(;SZ[9]AB[aa]AW[ab][ba];B[ee])", {"without_liberties": 1}),
        ("(;SZ[9]AB[pp];B[ee])", {"off_board": "column 16, row -6"}),
        ("(;SZ[9]AB[cc]PL[W];B[ee])", {"said_to_play": "W"}),
    ],
)
def test_faults_of_the_start(text: str, facts: dict[str, object]) -> None:
    one = only(checked(text))
    assert (one.move, one.code, one.facts) == (0, "setup", facts)


def test_white_first_is_move_1_and_a_matter_of_turn_not_of_the_empty_board() -> None:
    one = only(checked("(;SZ[9];W[bb];B[gg])"))
    assert (one.move, one.code, [str(at) for at in one.at], one.facts) == (1, "setup", ["B8"], {"first": "W"})
    assert one.article == "2.3"
    assert only(checked("(;SZ[9];W[bb];B[gg])", "cn1988")).article == "2.1"
    assert only(checked("(;SZ[9]AB[cc]PL[W];B[ee])")).article == "2.3"
    assert only(checked("(;SZ[9]HA[3];B[ee])")).article == "2.2"


def test_starts_that_are_in_order() -> None:
    for text in (
        "(;SZ[9]HA[2]AB[cc][gg];W[ee])",
        "(;SZ[9]HA[2];AB[cc][gg];W[ee])",
        "(;SZ[9]AB[cc]AW[gg]PL[W];W[ee])",
        "(;SZ[9]HA[0];B[ee])",
    ):
        assert checked(text).irregularities == (), text
    assert checked("(;SZ[9];W[ee])", "ancient").irregularities == ()


def test_a_move_off_the_board() -> None:
    found = checked("(;SZ[9];B[ss])")
    assert [each.code for each in found.irregularities] == ["off-board"]


def test_stones_put_down_in_mid_game() -> None:
    found = checked("(;SZ[9];B[ee];W[cc];AE[ee]AB[ef];B[gg];W[ee])")
    assert found.irregularities == ()
    assert found.inspection.game.position.layout.rows[5][4] == "X"


FINISHED = (
    "(;SZ[5]KM[0]RU[{rules}]RE[{result}]AB[ba][bb][bc][bd][be]AW[ca][cb][cc][cd][ce][ac]"
    ";B[];W[]TB[aa][ab][ac][ad][ae]TW[da:ee])"
)


def test_a_result_against_the_marked_territory() -> None:
    good = checked(FINISHED.format(rules="Chinese", result="W+5"))
    assert (good.irregularities, good.score and good.score.sgf) == ((), "W+5")
    one = only(checked(FINISHED.format(rules="Chinese", result="B+2")))
    assert (one.code, one.facts) == ("count-mismatch", {"counted": "W+5", "difference": 7.0})
    assert one.article == "16.4"
    assert checked(FINISHED.format(rules="Japanese", result="W+4"), "jp").irregularities == ()


def test_a_result_is_not_judged_without_knowing_what_is_dead() -> None:
    text = FINISHED.format(rules="Chinese", result="B+2").split("TB")[0] + ")"
    assert checked(text).irregularities == ()


# The real records


@cache
def manifest() -> dict[str, dict[str, str]]:
    with (SHARED / "sgf" / "manifest.csv").open(encoding="utf-8", newline="") as file:
        return {row["file"]: row for row in csv.DictReader(file)}


@cache
def real() -> dict[str, Checked]:
    found = {}
    for name in manifest():
        game = read_game(SHARED / "sgf" / name)
        found[name] = check(game, TABLE.code(game.rules or "cn2002"))
    return found


needs_records = pytest.mark.skipif(not SHARED.is_dir(), reason="the labelled data (../shared) is not here")


@needs_records
def test_real_records_have_the_counts_of_the_manifest() -> None:
    for name, row in manifest().items():
        if row["moves"]:  # two of them break off, and the manifest does not count them
            assert real()[name].inspection.counts == {kind: int(row[kind]) for kind in KINDS}, name
            assert real()[name].inspection.moves == int(row["moves"]), name


@needs_records
def test_nothing_else_is_irregular_but_starts_without_their_stones_and_one_result() -> None:
    """Nine records name handicap stones that are not there; the comments of one say another result than its head."""
    other = {(name, each.code) for name, found in real().items() for each in found.irregularities if not each.kinds}
    starts = {name for name, code in other if code == "setup"}
    assert starts == {
        name for name, row in manifest().items() if row["HA"] and int(row["HA"]) >= 2 and row["setup"] == "0"
    }
    assert other - {(name, "setup") for name in starts} == {("130_mid_pass_kat_gnu.sgf", "count-mismatch")}
    assert real()["130_mid_pass_kat_gnu.sgf"].score is not None


@needs_records
def test_marked_territory_gives_the_results_that_were_written_down() -> None:
    """Seven records of three codes with marks and a counted result, and the one that contradicts itself."""
    counted = {name: found for name, found in real().items() if found.score and found.game.result.points}
    agree = [
        name for name, found in counted.items() if not any(e.code == "count-mismatch" for e in found.irregularities)
    ]
    assert (len(counted), len(agree)) == (8, 7)
    assert {found.code.name for found in counted.values()} == {"jp", "cn2002", "aga"}


@needs_records
def test_komi_in_zi_is_read_rightly() -> None:
    in_zi = {name for name, found in real().items() if found.game.in_zi}
    assert in_zi == {name for name, row in manifest().items() if row["KM"] in {"375", "325"}}
    assert {real()[name].game.komi for name in in_zi} == {7.5, 6.5}


@needs_records
def test_the_strangest_files_are_survived() -> None:
    for path in sorted((SHARED / "sgf" / "weird").glob("*.sgf")):
        found = check(read_game(path), TABLE.code("cn2002"))
        assert found.game.size in {9, 19}, path.name


def test_colours_that_were_captured_are_counted() -> None:
    found = checked("(;SZ[5]AW[aa]AB[ba]PL[B];B[ab];W[ee])")
    assert found.inspection.captures == {Colour.BLACK: 0, Colour.WHITE: 1}
