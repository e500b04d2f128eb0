"""The codes of rules by name."""

from __future__ import annotations

import pytest

from kifuwatch.core.errors import UsageError
from kifuwatch.rules import Fault, KoRule, ruleset, rulesets


def test_the_names_are_those_of_the_formats() -> None:
    assert [rules.name for rules in rulesets()] == ["cn1988", "cn2002", "jp", "kr", "aga", "ing", "nz", "tt", "ancient"]


def test_the_newer_chinese_code_is_the_default() -> None:
    assert ruleset() is ruleset("cn2002")


@pytest.mark.parametrize(
    ("name", "points", "zi"),
    [("cn1988", 5.5, 2.75), ("cn2002", 7.5, 3.75), ("ing", 8.0, 4.0), ("nz", 7.0, 3.5), ("ancient", 0, 0)],
)
def test_komi_in_points_and_in_zi(name: str, points: float, zi: float) -> None:
    assert (ruleset(name).komi, ruleset(name).komi_zi) == (points, zi)


def test_the_names_for_sgf_are_those_of_ff4_where_it_has_one() -> None:
    wanted = {"cn2002": "Chinese", "jp": "Japanese", "aga": "AGA", "ing": "GOE", "nz": "NZ"}
    assert {name: ruleset(name).sgf_name for name in wanted} == wanted


def test_who_may_commit_suicide() -> None:
    assert {rules.name for rules in rulesets() if rules.suicide_allowed} == {"ing", "nz", "tt"}


def test_who_forbids_more_than_the_simple_ko() -> None:
    by_rule = {rule: {rules.name for rules in rulesets() if rules.ko is rule} for rule in KoRule}
    assert by_rule[KoRule.POSITIONAL] == {"tt"}
    assert by_rule[KoRule.SITUATIONAL] == {"aga", "nz"}


def test_what_no_code_allows() -> None:
    never = Fault.OFF_BOARD | Fault.OUT_OF_TURN | Fault.OCCUPIED | Fault.KO
    for rules in rulesets():
        assert rules.forbidden(never) == never
        assert rules.forbidden(Fault.NONE) is Fault.NONE


def test_an_unknown_name_is_told_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"'chinese'.*cn1988, cn2002, jp, kr, aga, ing, nz, tt, ancient"):
        ruleset("chinese")
