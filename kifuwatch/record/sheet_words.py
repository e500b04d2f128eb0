"""The words of a game sheet: one catalogue for each language, and how times, points and rulings are said."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from kifuwatch.arbiter.alerts import clause_zh
from kifuwatch.arbiter.code import Code
from kifuwatch.arbiter.desk_state import LedgerEntry
from kifuwatch.arbiter.result import in_quarters
from kifuwatch.core.points import Colour, Point
from kifuwatch.record.sheet import RulingLine

LANGUAGES = ("en", "zh")
CELLS = {"B": "black", "W": "white", "empty": "none", "X": "black", "O": "white", ".": "none"}


@dataclass(frozen=True)
class SheetWords:
    """One language. ``table[section][key]`` as in ``sheet_texts.toml``."""

    language: str
    table: Mapping[str, Mapping[str, str]]

    @classmethod
    def load(cls, language: str) -> SheetWords:
        """The words of ``en`` or ``zh``."""
        text = resources.files("kifuwatch.record").joinpath("sheet_texts.toml").read_text(encoding="utf-8")
        return cls(language, tomllib.loads(text)[language])

    def __call__(self, key: str, **values: object) -> str:
        """A sentence of the section ``sheet``."""
        return self.table["sheet"][key].format(**values)

    def of(self, section: str, key: str) -> str:
        """A word of another section; the key itself where it has none."""
        return self.table[section].get(key, key)

    def colour(self, colour: Colour) -> str:
        """``Black`` or ``White``."""
        return self("black") if colour is Colour.BLACK else self("white")

    def point(self, point: Point | None) -> str:
        """A point, or that it is a pass."""
        return self("pass_word") if point is None else str(point)

    def actions(self, actions: tuple[str, ...]) -> str:
        """What was ruled."""
        return self("comma").join(self.of("action", each) for each in actions)

    def article(self, article: str) -> str:
        """An article as the language writes it."""
        return clause_zh(article) if self.language == "zh" else article

    def rules(self, code: Code) -> str:
        """The title of a code of rules."""
        return code.title_zh if self.language == "zh" else code.title_en

    def komi(self, komi: float, code: Code) -> str:
        """Komi, in zi where the code counts so."""
        if code.counting.unit == "zi":
            joint = "又" if self.language == "zh" else " "
            return self("komi_zi", zi=in_quarters(komi / 2, joint), points=f"{komi:g}")
        return self("komi_points", points=f"{komi:g}")

    def ruling(self, line: RulingLine) -> str:
        """A ruling in words, with its note."""
        row = line.row
        verb, fields = str(row.get("do", "")), self._fields(line)
        template = self.table["ruling"].get(verb)
        try:
            said = self.table["ruling"]["other"].format(**fields) if template is None else template.format(**fields)
        except KeyError:  # a row that lacks what its verb mostly has
            said = self.table["ruling"]["other"].format(**fields)
        note = str(row.get("note", "")).strip()
        return f"{said.strip()}{self('colon')}{note}" if note else said.strip()

    def _fields(self, line: RulingLine) -> dict[str, Any]:
        row = line.row
        known: dict[str, Any] = {key: value for key, value in row.items() if key in {"do", "alert", "number", "row"}}
        if row.get("color") in {"B", "W"}:
            known["color"] = self.colour(Colour(row["color"]))
        at = row.get("at", ())
        known["at"] = at if isinstance(at, str) else " ".join(map(str, at)) or self("none")
        known["cell"] = self(CELLS.get(str(row.get("cell")), "none"))
        known["actions"] = self.actions(line.actions or tuple(row.get("as", ()))) or self("none")
        left_out = {"type", "do", "id", "at_time", "note"}
        known["rest"] = " ".join(f"{key} {value}" for key, value in row.items() if key not in left_out)
        return known

    def ledger(self, entry: LedgerEntry) -> str:
        """A warning or an advice."""
        return self(
            "ledger_line",
            colour=self.colour(entry.colour),
            kind=self.of("kind", entry.kind),
            article=self("article", article=self.article(entry.article)) if entry.article else "",
            alert=self("of_alert", number=entry.alert) if entry.alert is not None else "",
            back="" if entry.taken_back is None else self("taken_back"),
        )


def clock_time(seconds: float) -> str:
    """Seconds as a clock shows them.

    >>> clock_time(7.94), clock_time(754), clock_time(3723)
    ('0:07', '12:34', '1:02:03')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
