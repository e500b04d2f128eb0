"""Alerts: the code's article, ruling and words, in English and Chinese."""

from __future__ import annotations

import re

import pytest

from kifuwatch.arbiter import AlertTable
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Point
from kifuwatch.reconstruct import Incident
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
    assert {code: kind.section for code, kind in TABLE.kinds.items()} == found
