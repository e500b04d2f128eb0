"""Alerts: the code's article, ruling and words, in English and Chinese."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from kifuwatch.arbiter import AlertTable
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.reconstruct import Boards, Incident
from kifuwatch.record import event_line
from kifuwatch.rules import ruleset
from tests.reconstruct.stage import SHARED

TABLE = AlertTable.load()


def incident(code: str, *at: str, move: int = 31) -> Incident:
    return Incident(7.0, 8.0, code, tuple(map(Point.parse, at)), move)


def test_a_ko_violation_under_the_code_of_2002() -> None:
    alert = TABLE.alert(incident("ko-violation", "D5"), ruleset("cn2002"))
    assert alert.text_en == (
        "Move 31: D5: ko violation (cn2002 Art. 18.3): move void, one turn forfeited, one warning. Arbiter to confirm."
    )
    assert alert.text_zh == "第31手：D5 疑似提劫违例（2002规则第18条3款）：着手无效、弃权一次并警告一次。请裁判确认。"
    assert alert.articles == {"cn1988": "20.1", "cn2002": "18.3", "jp": "14", "aga": "8"}
    assert alert.prescribed == ("void", "pass", "warning")
    assert alert.claim.en == "by the opponent, before the next stone"


@pytest.mark.parametrize(
    ("code", "colour", "at", "en", "zh"),
    [
        (
            "ko-violation",
            "W",
            "O3 O4",
            "Move 31: White O3, taking O4: ko violation",
            "第31手：白O3（提O4）疑似提劫违例",
        ),
        ("forbidden-point", "B", "A1", "Move 31: Black A1: move on a forbidden", "第31手：黑A1疑似禁着点"),
        ("takeback", "W", "E5 G3", "Move 31: White E5 G3: takeback", "第31手：白E5 G3疑似悔棋"),
        ("missed-capture", "W", "G9 G10", "Move 31, White: G9 G10: incomplete", "第31手，白方：G9 G10 疑似漏提"),
        ("wrong-capture", "B", "C3", "Move 31, Black: C3: wrongly captured", "第31手，黑方：C3 疑似误提"),
        ("over-time", "B", "", "Move 31: Black: over time", "第31手：黑方疑似超时"),
    ],
)
def test_who_is_named_with_his_stone_or_beside_those_of_others(
    code: str, colour: str, at: str, en: str, zh: str
) -> None:
    alert = TABLE.alert(replace(incident(code, *at.split()), colour=Colour(colour)))
    assert alert.text_en.startswith(en)
    assert alert.text_zh.startswith(zh)


def test_white_first_cites_whose_turn_it_is_not_the_empty_board() -> None:
    began = replace(incident("setup", "B8", move=1), colour=Colour.WHITE, facts={"first": "W"})
    alert = TABLE.alert(began)
    assert alert.text_en == (
        "Move 1: White B8: White began, though Black plays first (cn2002 Art. 2.3). Arbiter, please look."
    )
    assert alert.text_zh == "第1手：白B8疑似白方先行（应由黑方先行）（2002规则第2条3款）。请裁判查看。"
    assert alert.articles == {"cn1988": "2.1", "cn2002": "2.3"}
    stones = TABLE.alert(incident("setup", "D4", "Q16"))
    assert "D4 Q16: the start position (cn2002 Art. 2.2)" in stones.text_en
    assert stones.articles == {"cn2002": "2.2"}


def test_a_place_that_was_given_wrongly_is_no_board_that_moved() -> None:
    off = replace(incident("board-moved", move=0), facts={"place_given": "off by 1.2 lines"})
    alert = TABLE.alert(off)
    assert alert.text_en == (
        "Before move 1: the board is not where the corners or the profile say; it is read where it is seen. "
        "Arbiter, please look."
    )
    assert alert.text_zh.startswith("第1手之前：棋盘不在所给四角或配置文件所说的位置")
    assert "was moved" in TABLE.alert(incident("board-moved", move=7)).text_en


def test_the_older_code_rules_otherwise() -> None:
    assert TABLE.alert(incident("two-moves", "D5"), ruleset("cn1988")).ruling_en == "the double mover loses"
    assert (
        TABLE.alert(incident("two-moves", "D5"), ruleset("cn2002")).ruling_en == "the second move is void, one warning"
    )
    assert "Art." not in TABLE.alert(incident("missed-capture", "D5"), ruleset("cn1988")).text_en


def test_a_code_of_rules_without_an_article_asks_the_arbiter_to_look() -> None:
    alert = TABLE.alert(incident("moved-stone", "D5", "E5"), ruleset("nz"))
    assert alert.text_en == "Move 31: D5 → E5: moved stone. Arbiter, please look."


def test_stones_that_moved_say_from_where_to_where() -> None:
    alert = TABLE.alert(incident("moved-stone", "H6", "H5", "C3", "C4"))
    assert "H6 → H5, C3 → C4: moved stone" in alert.text_en
    assert "H6 → H5, C3 → C4 疑似移子" in alert.text_zh


def test_an_alert_without_points_and_one_with_many() -> None:
    assert TABLE.alert(incident("view-blocked")).text_en == "Move 31: the view is blocked. Arbiter, please look."
    many = [f"{c}{r}" for c in "ABCDE" for r in (1, 2)]
    assert "…" in TABLE.alert(incident("scattered-board", *many)).text_en


def test_an_unknown_code_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="unknown alert code 'nonsense'"):
        TABLE.alert(incident("nonsense"))


def test_every_alert_says_itself_in_both_languages() -> None:
    for code, kind in TABLE.kinds.items():
        alert = TABLE.alert(incident(code, "K10"))
        assert kind.en in alert.text_en
        assert kind.zh in alert.text_zh


@pytest.mark.skipif(not (SHARED / "FORMATS.md").exists(), reason="the formats of ../shared are not here")
def test_every_code_of_the_formats_is_known_under_its_section() -> None:
    text = (SHARED / "FORMATS.md").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for names, section in re.findall(r"\| ((?:`[a-z-]+`(?:, )?)+) \| (A\d\d) ", text):
        found |= dict.fromkeys(re.findall(r"`([a-z-]+)`", names), section)
    assert len(found) >= 26
    reported = {"absent": "A23"}  # has no code among the formats: no camera can see it, a clock or a person tells
    assert {code: kind.section for code, kind in TABLE.kinds.items()} == found | reported


def test_the_same_colour_twice_asks_whether_the_opponent_passed() -> None:
    twice = replace(incident("two-moves", "C3", "D5"), colour=Colour.BLACK)
    alert = TABLE.alert(twice, ruleset("cn2002"))
    assert alert.text_en == (
        "Move 31: Black C3 D5: two moves in a row (cn2002 Art. 17.2). Did White pass? If not: the second move is void, "
        "one warning. Arbiter to confirm."
    )
    assert alert.text_zh == (
        "第31手：黑C3 D5疑似连下两着（2002规则第17条2款）。白方是否弃权（虚着）？"
        "如未弃权：第二着无效，警告一次。请裁判确认。"
    )
    assert (
        "Did the opponent pass? Arbiter, please look."
        in TABLE.alert(incident("two-moves", "C3"), ruleset("nz")).text_en
    )


def test_what_may_lie_behind_an_alert_has_numbers_only_where_something_computes_them() -> None:
    seen = replace(incident("two-moves", "C3", "D5"), likelihoods={"misread": 0.01234, "stone-not-seen": 0.0})
    known = {each.name: each.likelihood for each in TABLE.alert(seen).hypotheses}
    assert known == {
        "out-of-turn": None,
        "passed": None,
        "stone-not-seen": 0.0,
        "wrong-colour": None,
        "dropped": None,
        "misread": 0.0123,
    }


def test_the_claim_window_says_who_until_when_by_which_article() -> None:
    taken = replace(incident("takeback", "C3", "D5"), colour=Colour.WHITE)
    claim = TABLE.alert(taken, ruleset("cn2002")).claim
    assert (claim.until, claim.by, claim.article) == ("next-stone", Colour.BLACK, "17.3")
    assert claim.zh == "由对方于下一手着子之前"
    assert TABLE.alert(taken, ruleset("tt")).claim.until == "none"


def test_a_line_of_the_events_holds_it_all() -> None:
    before, after = Layout.from_rows(["..", ".X"]), Layout.from_rows(["X.", ".X"])
    twice = replace(incident("two-moves", "B1", "A2"), colour=Colour.BLACK, boards=Boards(before, before, after))
    line = json.loads(json.dumps(event_line(TABLE.alert(twice))))
    assert line["boards"] == {"before": ["..", ".X"], "expected": ["..", ".X"], "after": ["X.", ".X"]}
    assert line["claim"]["by"] == "W"
    assert (line["claim"]["until"], line["color"]) == ("next-stone", "B")
    assert {"name": "passed", "en": "the opponent passed", "zh": "对方弃权（虚着）", "likelihood": None} in line[
        "hypotheses"
    ]
    plain = event_line(TABLE.alert(incident("view-blocked")))
    assert "boards" not in plain
    assert "color" not in plain
