"""What the command line says to players and arbiters, in English and in Simplified Chinese."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib.resources import files
from typing import Any


class Language(StrEnum):
    """A language that kifuwatch speaks."""

    EN = "en"
    ZH = "zh"


def language_of(environment: Mapping[str, str]) -> Language:
    """The language that the environment asks for, by the first of the variables that is set; English otherwise."""
    for name in ("KIFUWATCH_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = environment.get(name, "")
        if value:
            return Language.ZH if value.lower().startswith("zh") else Language.EN
    return Language.EN


@dataclass(frozen=True)
class Texts:
    """The catalogue of one language; ``table[section][key]``."""

    language: Language
    table: Mapping[str, Mapping[str, str]]

    def __call__(self, key: str, **values: object) -> str:
        """The sentence of ``section.key`` with its values filled in."""
        section, _, name = key.partition(".")
        return self.table[section][name].format(**values)

    def find(self, section: str, key: str) -> str | None:
        """A sentence that may be missing."""
        return self.table.get(section, {}).get(key)

    def level(self, level: str) -> str:
        """How much an alert matters."""
        return self.find("level", level) or level


def load_texts(language: Language | None = None) -> Texts:
    """The catalogue of a language, by default the one of the environment."""
    language = language or language_of(os.environ)
    tables = read_catalogue()
    return Texts(language, tables[language.value])


def read_catalogue() -> dict[str, Any]:
    """The whole catalogue as it lies in ``texts.toml``: ``[language][section][key]``."""
    return tomllib.loads(files("kifuwatch.cli").joinpath("texts.toml").read_text(encoding="utf-8"))
