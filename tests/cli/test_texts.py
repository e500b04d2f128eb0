"""The catalogue: the same sentences in both languages, and the language that is asked for."""

from __future__ import annotations

import re
import string
from pathlib import Path
from typing import Any

import pytest
import typer.main

from kifuwatch.cli.help import speak
from kifuwatch.cli.main import build, wanted_language
from kifuwatch.cli.texts import Language, language_of, load_texts, read_catalogue

CATALOGUE = read_catalogue()
SOURCES = Path(__file__).resolve().parents[2] / "kifuwatch" / "cli"
KEYS = [(section, key) for section, entries in CATALOGUE["en"].items() for key in entries]


def fields(sentence: str) -> set[str]:
    """The names in braces of a sentence."""
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize(("section", "key"), KEYS)
def test_every_sentence_has_its_like_in_chinese(section: str, key: str) -> None:
    english, chinese = CATALOGUE["en"][section][key], CATALOGUE["zh"][section][key]
    assert fields(english) == fields(chinese)
    if section not in {"record"} or key != "inferred":
        assert english != chinese, "a sentence that was not translated"


def test_chinese_says_nothing_that_english_does_not() -> None:
    only_help = {"help", "option"}
    chinese = {
        (section, key) for section, entries in CATALOGUE["zh"].items() if section not in only_help for key in entries
    }
    assert chinese == set(KEYS)


def test_every_sentence_is_used_and_every_used_one_is_there() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES.glob("*.py"))
    used = set(re.findall(rf'"((?:{"|".join(CATALOGUE["en"])})\.\w+)"', source))
    known = {f"{section}.{key}" for section, key in KEYS}
    assert used - known == set()
    spoken_by_name = {"level", "evaluate", "record"}
    assert {key for key in known - used if key.split(".")[0] not in spoken_by_name} == set()


def test_all_help_is_translated() -> None:
    """Each command and each option of each command has a Chinese text."""
    command: Any = typer.main.get_command(build())
    speak(command, load_texts(Language.ZH))
    missing = [
        f"{each.name} {param.name}"
        for each in [command, *command.commands.values()]
        for param in each.params
        if param.name not in {"help"} and not re.search(r"[一-鿿]", param.help or "")
    ]
    assert missing == []
    assert all(re.search(r"[一-鿿]", each.help) for each in [command, *command.commands.values()])


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({}, Language.EN),
        ({"LANG": "zh_CN.UTF-8"}, Language.ZH),
        ({"LANG": "de_DE.UTF-8"}, Language.EN),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, Language.EN),
        ({"LANG": "en_US", "LC_MESSAGES": "zh_TW"}, Language.ZH),
        ({"LANG": "zh_CN", "KIFUWATCH_LANG": "en"}, Language.EN),
        ({"LC_ALL": "", "LANG": "zh_CN"}, Language.ZH),
    ],
)
def test_the_language_of_the_system(environment: dict[str, str], language: Language) -> None:
    assert language_of(environment) is language


def test_the_language_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIFUWATCH_LANG", "en")
    assert wanted_language(["read", "x.jpg", "--lang", "zh"]) is Language.ZH
    assert wanted_language(["read", "x.jpg", "--lang=zh"]) is Language.ZH
    assert wanted_language(["read", "x.jpg"]) is Language.EN
    assert wanted_language(["read", "--lang", "fr"]) is None
