"""The codes of rules: what each prescribes, what an event may change, and what is said of a file that is mis-typed."""

from __future__ import annotations

from pathlib import Path

import pytest

from kifuwatch.arbiter import AlertTable
from kifuwatch.arbiter.code import ACTIONS, Code, load_code
from kifuwatch.core.errors import FileFormatError, InputError, KifuwatchError, UsageError
from kifuwatch.rules import CODE_NAMES, ruleset

TABLE = AlertTable.load()
OLD, NEW = TABLE.code("cn1988"), TABLE.code("cn2002")

# What the two Chinese codes prescribe, one row an event: alert, article and ruling of the older code, of that of 2002.
COMPARED = """
two-moves           17.1  loss                17.2  void+warning
takeback            17.2  put-back+warning    17.3  put-back+warning
dropped-stone       17.2  free                17.3  free
moved-stone         17.3  put-back            17.5  put-back
scattered-board     17.4  restore             17.6  restore
wrong-capture       18    put-back+warning    18.1  put-back+warning
missed-capture      -     take-off            18.2  take-off+warning
ko-violation        20.1  void+pass           18.3  void+pass+warning
forbidden-point     19    void+pass           19    void+pass
repetition          20.3  -                   20.3  -
clock-before-stone  -     -                   17.4  warning
clock-before-clear  23.4  advice              22.6  warning
colours-swapped     -     -                   17.1  swap
over-time           23.5  loss                22.5  loss
late                23.1  clock               22.1  clock
second-warning      25.2  loss                24.2  loss
"""


@pytest.mark.parametrize("row", [line.split() for line in COMPARED.strip().splitlines()], ids=lambda row: row[0])
def test_the_chinese_codes_compared(row: list[str]) -> None:
    alert, old_article, old, new_article, new = ("" if word == "-" else word for word in row)
    for code, article, ruling in ((OLD, old_article, old), (NEW, new_article, new)):
        assert (code.ruling(alert).article, "+".join(code.ruling(alert).prescribed)) == (article, ruling), code.name


@pytest.mark.parametrize(
    ("alert", "old", "new"),
    [
        ("moved-stone", {"keep", "draw", "replay"}, {"reasonable-point", "keep", "draw", "replay", "both-lose"}),
        ("scattered-board", {"draw", "replay"}, {"draw", "replay", "both-lose"}),
        ("repetition", {"draw", "replay"}, {"no-result", "draw", "extra-game"}),
        ("clock-before-clear", {"warning"}, set()),
        ("over-time", set(), {"pass"}),
    ],
)
def test_what_the_chief_arbiter_may_rule_instead(alert: str, old: set[str], new: set[str]) -> None:
    for code, wanted in ((OLD, old), (NEW, new)):
        offered = {"+".join(choice) for choice in code.ruling(alert).others}
        assert wanted <= offered, code.name
    assert ("reasonable-point",) not in OLD.ruling("moved-stone").others


def test_warnings_count_in_the_result_under_the_code_of_2002_alone() -> None:
    assert (OLD.warnings.fine, OLD.warnings.loss_at) == (0, 2)
    assert (NEW.warnings.fine, NEW.warnings.loss_at) == (2, 2)  # two points are one zi
    assert NEW.cite("warnings.fine") == "cn2002 Art. 24.1"
    assert OLD.cite("warnings.loss") == "cn1988 Art. 25.2"


def test_captures_in_byo_yomi_are_timed_under_the_code_of_2002_alone() -> None:
    assert (OLD.time.captures_timed, NEW.time.captures_timed) == (False, True)


def test_a_takeback_lapses_with_the_next_stone_under_the_code_of_2002_alone() -> None:
    assert (NEW.ruling("takeback").claim, NEW.ruling("takeback").claim_article) == ("next-stone", "17.3")
    assert OLD.ruling("takeback").claim == "end"


def test_what_white_gets_for_handicap_stones() -> None:
    given = {name: TABLE.code(name).counting.compensation(4) for name in CODE_NAMES}
    assert given["cn1988"] == given["cn2002"] == 4
    assert given["aga"] == 3
    assert given["jp"] == given["kr"] == 0
    assert NEW.counting.compensation(1) == 0  # 让先: no stones are given


def test_the_ancient_rules_have_corner_stones_white_first_and_a_group_tax() -> None:
    ancient = TABLE.code("ancient")
    assert (ancient.corner_stones, ancient.first.value, ancient.counting.group_tax) == (True, "W", 2)


@pytest.mark.parametrize("name", CODE_NAMES)
def test_every_code_says_where_it_is_from_and_speaks_of_known_alerts(name: str) -> None:
    code = load_code(name, tuple(TABLE.kinds))
    assert code.source_en
    assert code.source_zh
    for alert, ruling in code.rulings.items():
        assert set(ruling.prescribed) <= set(ACTIONS)
        assert not ruling.prescribed or (ruling.en and ruling.zh), f"{alert} is prescribed without words for it"
        assert bool(ruling.en) == bool(ruling.zh), alert


def test_codes_of_which_no_text_was_seen_say_so() -> None:
    assert {name for name in CODE_NAMES if TABLE.code(name).source == "seen"} == {"cn1988", "cn2002"}
    assert TABLE.code("ancient").source == "not seen"


def event(folder: Path, text: str) -> str:
    path = folder / "cup.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_an_event_rules_a_triple_ko_and_its_own_komi(tmp_path: Path) -> None:
    name = event(
        tmp_path,
        'base = "cn2002"\n[result]\nkomi = 6.5\n[rulings.repetition]\nprescribed = ["draw"]\n'
        'article = "R4"\nen = "draw"\nzh = "和棋"\n[warnings]\nfine = 0\n',
    )
    code = TABLE.code(name)
    assert code.name == ruleset(name).name == "cup"
    assert ruleset(name).komi == code.counting.komi == 6.5
    assert code.ruling("repetition").prescribed == ("draw",)
    assert code.ruling("repetition").others == NEW.ruling("repetition").others  # what it does not say stays
    assert code.ruling("ko-violation") == NEW.ruling("ko-violation")
    assert code.warnings.fine == 0


MISTYPED = [
    ("", "base: it must name the code"),
    ('base = "cn2003"', "base: it must name the code"),
    ('base = "cn2002"\n[result]\nkomy = 6.5', "result.komy: is unknown here"),
    ('base = "cn2002"\n[result]\nkomi = "6.5"', "result.komi: must be a number from -400 to 400, and is '6.5'"),
    ('base = "cn2002"\n[result]\nkomi = 4000', "result.komi: must be a number"),
    ('base = "cn2002"\n[result]\nkomi = nan', "result.komi: must be a number"),
    ('base = "cn2002"\n[moves]\nko = "super"', "moves.ko: is 'super', and must be one of simple, positional"),
    ('base = "cn2002"\n[moves]\nsuicide = 1', "moves.suicide: must be true or false, and is 1"),
    ('base = "cn2002"\n[rulings.tripleko]\narticle = "5"', "rulings.tripleko: is no alert code"),
    ('base = "cn2002"\n[rulings.repetition]\nprescribed = ["tie"]', "rulings.repetition.prescribed: names 'tie'"),
    ('base = "cn2002"\n[rulings.repetition]\nprescribed = "draw"', "rulings.repetition.prescribed: must be a list"),
    ('base = "cn2002"\n[rulings.repetition]\nothers = ["void+tie"]', "rulings.repetition.others: names 'tie'"),
    ('base = "cn2002"\n[rulings.late]\nclaim = "soon"', "rulings.late.claim: is 'soon'"),
    ('base = "cn2002"\n[rulings.late]\narticle = 22.1', "rulings.late.article: must be a text in quotes, and is 22.1"),
    ('base = "cn2002"\n[warnings]\nloss_at = 1.5', "warnings.loss_at: must be a whole number"),
    ('base = "cn2002"\n[time]\ncall_outs = [30, "x"]', "time.call_outs: must be a list of whole numbers"),
    ('base = "cn2002"\nresult = 5', "result: must be a table"),
    ('base = "cn2002"\n[resultt]\nkomi = 5', "resultt: is unknown here"),
    ('base = "cn2002', "this is no TOML"),
]


@pytest.mark.parametrize(("text", "sentence"), MISTYPED, ids=[sentence for _, sentence in MISTYPED])
def test_a_mistyped_file_is_one_sentence_with_file_and_key(tmp_path: Path, text: str, sentence: str) -> None:
    name = event(tmp_path, text)
    with pytest.raises(FileFormatError) as caught:
        load_code(name, tuple(TABLE.kinds))
    assert str(caught.value).startswith(f"{name}: {sentence}")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_and_a_name_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read the rules .*none\.toml"):
        load_code(str(tmp_path / "none.toml"))
    with pytest.raises(UsageError, match="unknown rules 'chinese'"):
        load_code("chinese")
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9")
    with pytest.raises(FileFormatError, match="no text in UTF-8"):
        load_code(str(tmp_path / "latin.toml"))


def test_a_fault_is_of_the_tree_that_the_command_line_knows(tmp_path: Path) -> None:
    with pytest.raises(KifuwatchError) as caught:
        ruleset(event(tmp_path, 'base = "cn2002"\n[moves]\nko = 3'))
    assert caught.value.exit_status == 4


def test_articles_are_cited_from_the_code_in_force() -> None:
    code: Code = TABLE.code("cn2002")
    assert code.cite("result.komi") == "cn2002 Art. 11"
    assert code.cite("result.nothing") == ""
