"""Faults in Chinese: every sentence of a fault is written in English where it is raised, and ``faults.toml`` holds
what it is in Chinese; ``faults_of_others.toml`` that of the system and of the library of the command line.

A finished sentence is held against the templates there, those with most text of their own first. The words of a
template that are ours in turn, another fault or a colour, go by the names in ``OURS`` and are put into Chinese
too; all others, paths and numbers and what somebody typed, stay as they are.
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import takewhile

FILES = OWN, OTHERS = "faults.toml", "faults_of_others.toml"
OURS = frozenset({"what", "who", "why"})
"""Names for words of ours within a sentence."""
LONGEST = 1000
"""Characters: what is longer is no sentence of ours."""


@dataclass(frozen=True)
class Template:
    """One sentence in both languages. ``texts``: what stands before, between and behind its ``names``."""

    english: str
    chinese: str
    texts: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, english: str, chinese: str) -> Template:
        """``"{path} is empty"``, ``"{path} 是空的"``: with the same names in braces."""
        parts = [(text, name) for text, name, _, _ in string.Formatter().parse(english)]
        names = tuple(name for _, name in parts if name is not None)
        texts = [text for text, _ in parts]
        return cls(english, chinese, tuple(texts if len(texts) > len(names) else [*texts, ""]), names)

    def words(self, sentence: str) -> dict[str, str] | None:
        """What stands for each name in a sentence; None where it is another. No name stands for nothing."""
        first, last = self.texts[0], self.texts[-1]
        if not self.names:
            return {} if sentence == first else None
        end = len(sentence) - len(last)
        if not (sentence.startswith(first) and sentence.endswith(last)):
            return None
        found, place = {}, len(first)
        for name, behind in zip(self.names[:-1], self.texts[1:-1], strict=True):
            at = sentence.find(behind, place + 1, end)
            if at < 0:
                return None
            found[name] = sentence[place:at]
            place = at + len(behind)
        return {**found, self.names[-1]: sentence[place:end]} if place < end else None


def read_faults(file: str) -> dict[str, str]:
    """One of ``FILES`` as it stands: English and Chinese."""
    sections = tomllib.loads(files("kifuwatch.core").joinpath(file).read_text(encoding="utf-8"))
    return {english: chinese for section in sections.values() for english, chinese in section.items()}


@cache
def templates() -> tuple[Template, ...]:
    """All that is known, those with most text of their own first: they are meant where several fit."""
    found = [Template.of(*pair) for file in FILES for pair in read_faults(file).items()]
    return tuple(sorted(found, key=lambda each: sum(map(len, each.texts)), reverse=True))


def in_chinese(sentence: str) -> str:
    """A fault in Chinese, as far as it is known: what nobody has translated stays English."""
    return known(sentence) or sentence


def known(sentence: str) -> str | None:
    """A fault in Chinese, also behind the place where it was met (``game.sgf: ...``) and as one of several; None where
    it is in no template."""
    if len(sentence) > LONGEST:
        return None
    return _each(sentence, "; ", "；", _behind_its_place) or _behind_its_place(sentence)


def matching(sentence: str) -> tuple[Template, dict[str, str]] | None:
    """The template of a sentence, and what stands in it for each name."""
    for template in templates():
        words = template.words(sentence)
        if words is not None and _begins_with(template, words):
            return template, words
    return None


def _begins_with(template: Template, words: dict[str, str]) -> bool:
    """Whether what the sentence begins with is no more than what the template means: no place before it, as in
    ``game.sgf: Q16 is ...``, unless that is a fault in turn."""
    if template.texts[0] or not template.names:
        return True
    name = template.names[0]
    return ": " not in f"{words[name]} " or (name in OURS and known(words[name]) is not None)


def _behind_its_place(sentence: str) -> str | None:
    where = ""
    while True:
        told = _filled(sentence) or _each(sentence, ", ", "、", _filled)
        if told is not None:
            return where + told
        place, colon, sentence = sentence.partition(": ")
        if not colon:
            return None
        where += f"{_filled(place) or place}："


def _filled(sentence: str) -> str | None:
    found = matching(sentence) or matching(sentence[:1].upper() + sentence[1:])  # here and there one is written small
    if found is None:
        return None
    template, words = found
    return template.chinese.format(**{name: _ours(word) if name in OURS else word for name, word in words.items()})


def _ours(words: str) -> str:
    """Words of ours within a sentence; those of the system come with a capital here and there."""
    return known(words) or known(words.lower()) or words


def _each(sentence: str, comma: str, own: str, say: Callable[[str], str | None]) -> str | None:
    """All of a list; None where one of it is not known."""
    pieces = sentence.split(comma)
    if len(pieces) == 1:
        return None
    told = [each for each in takewhile(bool, map(say, pieces)) if each]
    return own.join(told) if len(told) == len(pieces) else None
