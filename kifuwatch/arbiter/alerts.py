"""From an incident to an alert: a question to the arbiter, with its article, its ruling and what speaks for it.

What an alert is called is data (``codes/alerts.toml``), what a code of rules says to it too
(``kifuwatch/rules/codes``). An alert proposes; only the arbiter rules.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from typing import Any

from kifuwatch.arbiter.code import Code, Ruling, load_code
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Colour, Point
from kifuwatch.reconstruct.events import FIRST, PLACE_GIVEN, Boards, Incident
from kifuwatch.rules import CODE_NAMES, RuleSet

CLAIM_EN = {
    "next-stone": "by the opponent, before the next stone",
    "move-10": "up to move 10",
    "end": "until the result is confirmed",
    "none": "",
}
CLAIM_ZH = {
    "next-stone": "由对方于下一手着子之前",
    "move-10": "第10手之前（含第10手）",
    "end": "确认胜败结果之前",
    "none": "",
}
DIGITS = 4
"""A likelihood is told to so many places."""
LEAST = 0.001
"""Less than this is not told apart from nothing."""
OWN_STONES = frozenset(
    {
        "two-moves",
        "takeback",
        "dropped-stone",
        "ko-violation",
        "forbidden-point",
        "off-point",
        "clock-before-stone",
        "clock-before-clear",
        "setup",
    }
)
"""Alerts whose points are those on which the player named has put his stones, or the first of them is."""
_EN = {Colour.BLACK: "Black", Colour.WHITE: "White"}
_ZH = {Colour.BLACK: "黑方", Colour.WHITE: "白方"}
_STONE_ZH = {Colour.BLACK: "黑", Colour.WHITE: "白"}


@dataclass(frozen=True)
class Hypothesis:
    """Something that may lie behind an alert. ``likelihood``: 0 to 1, None where nothing computes it: then what the
    others leave is shared among those without a number."""

    name: str
    en: str
    zh: str
    likelihood: float | None = None


@dataclass(frozen=True)
class AlertKind:
    """What one alert code means: ``section`` of the rules reference, names, and what else may lie behind it.

    ``question_en``, ``question_zh``: what has to be asked before anything is ruled. ``began_en``, ``began_zh``: how it
    is called when it is about who has begun; ``given_en``, ``given_zh``: when the place that was given is another.
    """

    code: str
    section: str
    en: str
    zh: str
    alternatives: tuple[str, ...] = ()
    hypotheses: tuple[Hypothesis, ...] = ()
    question_en: str = ""
    question_zh: str = ""
    began_en: str = ""
    began_zh: str = ""
    given_en: str = ""
    given_zh: str = ""


@dataclass(frozen=True)
class Claim:
    """Until when something can be claimed: ``until`` as in :data:`kifuwatch.arbiter.code.CLAIMS`, ``by`` whom, where
    that is known, by which ``article``, and in words."""

    until: str = "none"
    by: Colour | None = None
    article: str = ""
    en: str = ""
    zh: str = ""


@dataclass(frozen=True)
class Alert:
    """One question to the arbiter.

    ``t`` when it happened and ``seen`` when it was noticed, in seconds; ``at`` the points concerned; ``move`` the
    number of the move it is about, or of the last one before it; ``articles`` code of rules to article; ``claim``
    until when it can be claimed; ``prescribed`` the actions of the ruling in ``rules``; ``colour`` whose doing it is,
    where that is known; ``hypotheses`` what may have happened, first what it looks like; ``boards`` the board before
    it, as it should be, as it lies.
    """

    code: str
    level: str
    t: float
    seen: float
    at: tuple[Point, ...]
    move: int
    section: str
    articles: Mapping[str, str]
    ruling_en: str
    ruling_zh: str
    claim: Claim
    alternatives: tuple[str, ...]
    evidence: tuple[str, ...]
    text_en: str
    text_zh: str
    prescribed: tuple[str, ...] = ()
    colour: Colour | None = None
    rules: str = ""
    hypotheses: tuple[Hypothesis, ...] = ()
    boards: Boards | None = None


@dataclass(frozen=True)
class AlertTable:
    """All alert codes, by code, and the codes of rules with their articles."""

    kinds: Mapping[str, AlertKind]
    codes: Mapping[str, Code]

    @classmethod
    def load(cls) -> AlertTable:
        """Read the tables that come with the package."""
        text = resources.files("kifuwatch.arbiter").joinpath("codes", "alerts.toml").read_text(encoding="utf-8")
        kinds = {code: _kind(code, entry) for code, entry in tomllib.loads(text).items()}
        return cls(kinds, {name: load_code(name, tuple(kinds)) for name in CODE_NAMES})

    def code(self, rules: str) -> Code:
        """The code of this name, or of an event's file. Raises as :func:`kifuwatch.arbiter.code.load_code`."""
        return self.codes.get(rules) or load_code(rules, tuple(self.kinds))

    def alert(self, incident: Incident, rules: RuleSet | Code | None = None) -> Alert:
        """The alert that an incident gives under a code of rules (default: cn2002).

        Raises UsageError when the incident has a code that the table does not know.
        """
        code = rules if isinstance(rules, Code) else self.code(rules.name if rules else "cn2002")
        kind = self.kinds.get(incident.code)
        if kind is None:
            raise UsageError(f"unknown alert code {incident.code!r}")
        ruling = code.ruling_of(kind.code, incident.facts)
        told = {**self.codes, code.name: code}
        articles = {name: each.ruling_of(kind.code, incident.facts).article for name, each in told.items()}
        return Alert(
            incident.code,
            incident.level,
            incident.t,
            incident.seen,
            incident.at,
            incident.move,
            kind.section,
            {name: article for name, article in articles.items() if article},
            ruling.en,
            ruling.zh,
            _claim(ruling, incident.colour),
            kind.alternatives,
            tuple(f"{name.replace('_', ' ')}: {value}" for name, value in incident.facts.items()),
            _text_en(kind, incident, code, ruling),
            _text_zh(kind, incident, code, ruling),
            ruling.prescribed,
            incident.colour,
            code.name,
            tuple(replace(each, likelihood=_rounded(each.name, incident)) for each in kind.hypotheses),
            incident.boards,
        )


def _kind(code: str, entry: Mapping[str, Any]) -> AlertKind:
    return AlertKind(
        code,
        str(entry["section"]),
        str(entry["en"]),
        str(entry["zh"]),
        tuple(map(str, entry.get("alternatives", ()))),
        tuple(Hypothesis(each["name"], each["en"], each["zh"]) for each in entry.get("hypotheses", ())),
        str(entry.get("question_en", "")),
        str(entry.get("question_zh", "")),
        str(entry.get("began_en", "")),
        str(entry.get("began_zh", "")),
        str(entry.get("given_en", "")),
        str(entry.get("given_zh", "")),
    )


def _claim(ruling: Ruling, colour: Colour | None) -> Claim:
    """The claim window that a ruling leaves; none where the code says nothing of it."""
    if not (ruling.prescribed or ruling.article):
        return Claim()
    by = colour.opponent if colour is not None and ruling.claim == "next-stone" else None
    return Claim(ruling.claim, by, ruling.claim_article, CLAIM_EN[ruling.claim], CLAIM_ZH[ruling.claim])


def _rounded(name: str, incident: Incident) -> float | None:
    value = incident.likelihoods.get(name)
    return None if value is None else round(value, DIGITS)


def likelihood_text(likelihood: float) -> str:
    """A likelihood as people read it.

    >>> likelihood_text(0.00002), likelihood_text(0.034), likelihood_text(0.9999)
    ('< 0.1 %', '3.4 %', '> 99.9 %')
    """
    if likelihood < LEAST:
        return f"< {LEAST:.1%}".replace("%", " %")
    if likelihood > 1 - LEAST:
        return f"> {1 - LEAST:.1%}".replace("%", " %")
    return f"{100 * likelihood:.2g} %"


def article_zh(code: Code, article: str) -> str:
    """An article as Chinese writes it: ``2002规则第18条3款``."""
    return code.short_zh + clause_zh(article)


def clause_zh(article: str) -> str:
    """The same without the code.

    >>> clause_zh("18.3")
    '第18条3款'
    """
    number, _, clause = article.partition(".")
    return f"第{number}条{clause + '款' if clause else ''}"


def _shown(points: tuple[Point, ...], most: int = 8) -> str:
    names = " ".join(map(str, points[:most]))
    return f"{names} …" if len(points) > most else names


def _where(incident: Incident) -> str:
    """The points as people read them; of a moved stone, from where to where."""
    points = incident.at
    if incident.code != "moved-stone" or len(points) % 2:
        return _shown(points)
    moved = [f"{old} → {new}" for old, new in zip(points[::2], points[1::2], strict=True)]
    return ", ".join(moved[:4]) + (" …" if len(moved) > 4 else "")


def _when_en(move: int) -> str:
    return f"Move {move}" if move else "Before move 1"


def _when_zh(move: int) -> str:
    return f"第{move}手" if move else "第1手之前"


def _place_en(incident: Incident) -> str:
    """The move, whose it is, and where: with his stones a player is named like them (``Black C3``), beside the points
    of others by himself."""
    who, where, move = incident.colour and _EN[incident.colour], _where(incident), _when_en(incident.move)
    if who is None or not where:
        lone = where if who is None else who + _late(incident, ", {minutes} min")
        return f"{move}: {lone}: " if lone else f"{move}: "
    if incident.code not in OWN_STONES:
        return f"{move}, {who}: {where}: "
    if incident.code == "ko-violation" and len(incident.at) > 1:
        where = f"{incident.at[0]}, taking {_shown(incident.at[1:])}"
    return f"{move}: {who} {where}: "


def _place_zh(incident: Incident) -> str:
    """The same in Chinese."""
    colour, where, move = incident.colour, _where(incident), _when_zh(incident.move)
    if colour is None or not where:
        lone = f"{where} " if where else ""
        return f"{move}：{lone if colour is None else _ZH[colour] + _late(incident, '（{minutes}分钟）')}"
    if incident.code not in OWN_STONES:
        return f"{move}，{_ZH[colour]}：{where} "
    if incident.code == "ko-violation" and len(incident.at) > 1:
        where = f"{incident.at[0]}（提{_shown(incident.at[1:])}）"
    return f"{move}：{_STONE_ZH[colour]}{where}"


def _late(incident: Incident, words: str) -> str:
    """Of somebody who is late, by how much."""
    minutes = incident.facts.get("late_minutes")
    return words.format(minutes=f"{float(minutes):g}") if minutes else ""


def _named(plain: str, began: str, given: str, incident: Incident, names: Mapping[Colour, str]) -> str:
    """What it is called; where somebody began who should not have, that; or that a given place is not the board's."""
    if given and PLACE_GIVEN in incident.facts:
        return given
    if not began or FIRST not in incident.facts:
        return plain
    who = Colour(incident.facts[FIRST])
    return began.format(who=names[who], other=names[who.opponent])


def _text_en(kind: AlertKind, incident: Incident, code: Code, ruling: Ruling) -> str:
    law = f" ({code.short_en} Art. {ruling.article})" if ruling.article else ""
    end = f": {ruling.en}. Arbiter to confirm." if ruling.en else ". Arbiter, please look."
    if kind.question_en:
        who = "the opponent" if incident.colour is None else _EN[incident.colour.opponent]
        asked = kind.question_en.format(opponent=who)
        end = f". {asked[0].upper()}{asked[1:]}" + (f" If not{end}" if ruling.en else end[1:])
    return f"{_place_en(incident)}{_named(kind.en, kind.began_en, kind.given_en, incident, _EN)}{law}{end}"


def _text_zh(kind: AlertKind, incident: Incident, code: Code, ruling: Ruling) -> str:
    law = f"（{article_zh(code, ruling.article)}）" if ruling.article else ""
    end = f"：{ruling.zh}。请裁判确认。" if ruling.zh else "。请裁判查看。"
    if kind.question_zh:
        who = "对方" if incident.colour is None else _ZH[incident.colour.opponent]
        end = f"。{kind.question_zh.format(opponent=who)}" + (f"如未弃权{end}" if ruling.zh else end[1:])
    seems = "" if PLACE_GIVEN in incident.facts else "疑似"
    return f"{_place_zh(incident)}{seems}{_named(kind.zh, kind.began_zh, kind.given_zh, incident, _ZH)}{law}{end}"
