"""Faults in Chinese: each that the source can say has its sentence, each sentence is of a fault that can be said."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kifuwatch.arbiter.desk_state import AlertMood, Phase
from kifuwatch.core import chinese
from kifuwatch.core.chinese import Template, in_chinese, known, templates
from kifuwatch.rules.faults import Fault
from tests.fault_sentences import HOLE, Sentence, Source

SENTENCES = {each.text: each for each in Source().sentences()}
# Words that fill sentences, and that no raise site shows: a list there, or a value of an enumeration.
FILLED_IN = [
    *(mood.value for mood in AlertMood),
    *(phase.value for phase in Phase),
    *(str(fault.name).lower().replace("_", " ") for fault in Fault),
    *("Black", "White", "black", "white", "black at Q16", "white at Q16", "9, 13 or 19", "before", "during", "after"),
    *("the game record", "the times of the moves", "the journal", "the clip", "the truth"),
    *("the clip ko.mp4", "the truth ko.json", "the game 7", "it is no text", "and 3 more pictures"),
]
NO_FAULTS = {
    f"{HOLE} is back": "said of a camera, and not shown",
    **dict.fromkeys((f"--{option}: {HOLE}" for option in ("dead", "seki")), "another fault behind an option"),
    **dict.fromkeys(
        (
            f"the text is not in , as the file says: read as {name}"
            for name in (HOLE, "utf-8", "utf-16-le", "utf-16-be")
        ),
        "said only where the file names an encoding",
    ),
}
WORDS = st.text(alphabet="qxzQXZ0179./_-", min_size=1, max_size=12)


def filled(sentence: Sentence) -> str:
    return sentence.text.replace(HOLE, "q7")


def has_words(sentence: Sentence) -> bool:
    return re.search("[A-Za-z]{2}", sentence.text.replace(HOLE, "")) is not None


def test_every_fault_is_said_in_chinese() -> None:
    said = [each for text, each in SENTENCES.items() if has_words(each) and text not in NO_FAULTS]
    assert len(said) > 400, "the source is read no more"
    assert [f"{each.where}: {filled(each)}" for each in said if known(filled(each)) is None] == []
    assert [word for word in FILLED_IN if known(word) is None] == []


def test_what_is_no_fault_is_still_in_the_source() -> None:
    assert set(NO_FAULTS) - set(SENTENCES) == set()


def test_every_template_is_of_a_fault_that_can_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    used: set[str] = set()
    find = chinese.matching

    def noted(sentence: str) -> tuple[Template, dict[str, str]] | None:
        found = find(sentence)
        used.update([found[0].english] if found else [])
        return found

    monkeypatch.setattr(chinese, "matching", noted)
    for sentence in [*(filled(each) for each in SENTENCES.values()), *FILLED_IN]:
        known(sentence)
    assert set(chinese.read_faults(chinese.OWN)) - used == set()


def test_both_languages_name_the_same() -> None:
    """``again`` is what English says twice."""
    for template in templates():
        told = {name for _, name, _, _ in string.Formatter().parse(template.chinese) if name}
        assert told | {"again"} == set(template.names) | {"again"}, template.english
        assert len(set(template.names)) == len(template.names), template.english


def test_no_sentence_stands_twice() -> None:
    assert len({each.texts for each in templates()}) == len(templates())


def test_chinese_is_written_with_its_own_signs() -> None:
    told = [each for each in templates() if each.chinese != "{why}"]
    assert [each.chinese for each in told if not re.search("[一-鿿]", each.chinese)] == []
    assert [each.chinese for each in told if re.search("[一-鿿][,;:?!]|[,;:?!][一-鿿]", each.chinese)] == []


@settings(max_examples=15, deadline=None)
@given(st.lists(WORDS, min_size=5, max_size=5))
def test_words_that_fill_a_sentence_stay_what_they_are(words: list[str]) -> None:
    for template in templates():
        filling = dict(zip(template.names, words, strict=False))
        assert known(template.english.format(**filling)) == template.chinese.format(**filling)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_a_sentence_of_somebody_else_stays_as_it_is_or_becomes_chinese(text: str) -> None:
    assert in_chinese(text) == text or re.search("[一-鿿]", in_chinese(text))


@pytest.mark.parametrize("english", ["ko, " * 400, "row 1 of the journal: " * 60, "a, b; c: " * 100, ": " * 450])
def test_no_sentence_takes_long(english: str) -> None:
    assert isinstance(in_chinese(english), str)


@pytest.mark.parametrize(
    ("english", "told"),
    [
        ("wall.jpg does not exist", "wall.jpg 不存在"),
        ("row 3 of the journal: alert 1 is closed: upheld (row 5)", "日志第 3 行：提示 1 已了结：成立（第 5 行）"),
        ("cannot read a.sgf: no such file or directory", "无法读取 a.sgf：没有这个文件或文件夹"),
        ("cannot read the profile a.json: Permission denied", "无法读取配置文件 a.json：没有权限"),
        ("a.png is empty; b.png is not a video: left out", "a.png 是空的；b.png 不是视频：略去"),
        ("--dead: 'Z3' names no host", "--dead：'Z3' 没有主机名"),
        ("a.toml: komi: must be true or false, and is 3", "a.toml：komi：须为 true 或 false，现为 3"),
        ("move 3, a pass, is illegal under x: ko, suicide", "第 3 手（虚着）不合 x：劫争马上回提、禁着点"),
        ("board 3 is recorded already by process 12: end that first", "已由进程 12 记录，请先结束：第 3 台"),
        ("this record: a board of size 30 is none that is known (2 to 25)", "这份棋谱：没有 30 路的棋盘（2 到 25）"),
        ("nobody has said this before", "nobody has said this before"),
        ("棋谱：a.sgf", "棋谱：a.sgf"),
    ],
)
def test_examples(english: str, told: str) -> None:
    assert in_chinese(english) == told


def test_a_sentence_that_begins_small_is_known_as_well() -> None:
    assert in_chinese("komi: input should be less than or equal to 400") == "komi：不能大于 400。"
