"""From an incident to an alert: a question to the arbiter, with its article, its ruling and what speaks for it.

What the codes of rules say is data: ``codes/alerts.toml``. An alert proposes; only the arbiter rules.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import resources

from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Point
from kifuwatch.reconstruct.events import Incident
from kifuwatch.rules import RuleSet, ruleset

_YEARS = {"cn1988": "1988规则", "cn2002": "2002规则"}


@dataclass(frozen=True)
class AlertKind:
    """What one alert code means: ``section`` of the rules reference, names, articles and rulings per code of rules."""

    code: str
    section: str
    en: str
    zh: str
    claim: str = ""
    alternatives: tuple[str, ...] = ()
    articles: Mapping[str, str] = field(default_factory=dict)
    ruling_en: Mapping[str, str] = field(default_factory=dict)
    ruling_zh: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Alert:
    """One question to the arbiter.

    ``t`` when it happened and ``seen`` when it was noticed, in seconds; ``at`` the points concerned; ``move`` the
    number of the last move; ``articles`` code of rules to article; ``claim`` until when it can be claimed.
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
    claim: str
    alternatives: tuple[str, ...]
    evidence: tuple[str, ...]
    text_en: str
    text_zh: str


@dataclass(frozen=True)
class AlertTable:
    """All alert codes, by code."""

    kinds: Mapping[str, AlertKind]

    @classmethod
    def load(cls) -> AlertTable:
        """Read the table that comes with the package."""
        text = resources.files("kifuwatch.arbiter").joinpath("codes", "alerts.toml").read_text(encoding="utf-8")
        return cls({code: _kind(code, entry) for code, entry in tomllib.loads(text).items()})

    def alert(self, incident: Incident, rules: RuleSet | None = None) -> Alert:
        """The alert that an incident gives under a code of rules (default: cn2002).

        Raises UsageError when the incident has a code that the table does not know.
        """
        rules = rules or ruleset()
        kind = self.kinds.get(incident.code)
        if kind is None:
            raise UsageError(f"unknown alert code {incident.code!r}")
        ruling_en, ruling_zh = kind.ruling_en.get(rules.name, ""), kind.ruling_zh.get(rules.name, "")
        return Alert(
            incident.code,
            incident.level,
            incident.t,
            incident.seen,
            incident.at,
            incident.move,
            kind.section,
            kind.articles,
            ruling_en,
            ruling_zh,
            kind.claim,
            kind.alternatives,
            tuple(f"{name.replace('_', ' ')}: {value}" for name, value in incident.facts.items()),
            _text_en(kind, incident, rules.name, ruling_en),
            _text_zh(kind, incident, rules.name, ruling_zh),
        )


def _kind(code: str, entry: Mapping[str, object]) -> AlertKind:
    def table(name: str) -> dict[str, str]:
        value = entry.get(name, {})
        return {str(k): str(v) for k, v in value.items()} if isinstance(value, dict) else {}

    options = entry.get("alternatives", [])
    alternatives = tuple(str(o) for o in options) if isinstance(options, list) else ()
    return AlertKind(
        code,
        str(entry["section"]),
        str(entry["en"]),
        str(entry["zh"]),
        str(entry.get("claim", "")),
        alternatives,
        table("articles"),
        table("ruling_en"),
        table("ruling_zh"),
    )


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


def _text_en(kind: AlertKind, incident: Incident, rules: str, ruling: str) -> str:
    article = kind.articles.get(rules)
    where = f"{_where(incident)}: " if incident.at else ""
    law = f" ({rules} Art. {article})" if article else ""
    end = f": {ruling}. Arbiter to confirm." if ruling else ". Arbiter, please look."
    return f"Move {incident.move}: {where}{kind.en}{law}{end}"


def _text_zh(kind: AlertKind, incident: Incident, rules: str, ruling: str) -> str:
    article = kind.articles.get(rules)
    where = f"{_where(incident)} " if incident.at else ""
    law = ""
    if article:
        number, _, clause = article.partition(".")
        law = f"（{_YEARS.get(rules, rules)}第{number}条{clause + '款' if clause else ''}）"
    end = f"：{ruling}。请裁判确认。" if ruling else "。请裁判查看。"
    return f"第{incident.move}手：{where}疑似{kind.zh}{law}{end}"
