"""Codes of rules as data: the files ``codes/*.toml``, an event's own file on top of one, and reading them strictly.

A file that is mis-typed is told by one sentence with the file and the key; nothing is guessed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from kifuwatch.core.errors import FileFormatError, InputError, UsageError

CODE_NAMES = ("cn1988", "cn2002", "jp", "kr", "aga", "ing", "nz", "tt", "ancient")
DEFAULT_RULES = "cn2002"
SUFFIX = ".toml"


@dataclass(frozen=True)
class CodeFile:
    """A code of rules as it stands in its file, an event's overrides laid over its base; ``where`` names the file."""

    where: str
    table: Mapping[str, Any]


def read_code(name: str = DEFAULT_RULES) -> CodeFile:
    """The code of a name, or of an event's file (a path that ends in ``.toml``).

    Raises UsageError for an unknown name, InputError for a file that cannot be read, FileFormatError for one that
    is no TOML or does not name its base.
    """
    if name in CODE_NAMES:
        return _packaged(name)
    file = event_file(name)
    if file is None:
        known = ", ".join(CODE_NAMES)
        raise UsageError(f"unknown rules {name!r}: the known ones are {known}, or an event's own file (EVENT{SUFFIX})")
    return _event(file)


def event_file(name: str | None) -> Path | None:
    """The file that ``name`` means as the name of a code, where it is an event's own."""
    return Path(name) if name is not None and name not in CODE_NAMES and name.endswith(SUFFIX) else None


@cache
def _packaged(name: str) -> CodeFile:
    file = resources.files("kifuwatch.rules").joinpath("codes", name + SUFFIX)
    return CodeFile(f"{name}{SUFFIX}", tomllib.loads(file.read_text(encoding="utf-8")))


def _event(path: Path) -> CodeFile:
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read the rules {path}: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path}: this is no text in UTF-8, as TOML must be") from error
    except tomllib.TOMLDecodeError as error:
        raise FileFormatError(f"{path}: this is no TOML ({error})") from error
    base = table.pop("base", None)
    if base not in CODE_NAMES:
        known = ", ".join(CODE_NAMES)
        raise FileFormatError(f"{path}: base: it must name the code that the event plays by, one of {known}")
    named = {"code": {"name": path.stem, "event": True}}
    return CodeFile(str(path), _laid_over(_laid_over(_packaged(base).table, named), table))


def _laid_over(base: Mapping[str, Any], top: Mapping[str, Any]) -> dict[str, Any]:
    """``base`` with every value that ``top`` has instead, table by table; a list is replaced as a whole."""
    merged = dict(base)
    for key, value in top.items():
        below = merged.get(key)
        merged[key] = _laid_over(below, value) if isinstance(below, dict) and isinstance(value, dict) else value
    return merged


@dataclass
class TableReader:
    """One table of a code file, read key by key. Every fault is FileFormatError with the file and the key.

    ``place`` is the table's name with its dots. :meth:`finish` complains of keys that nobody has asked for, so that
    a slip of the pen is not taken for silence.
    """

    where: str
    place: str
    table: Mapping[str, Any]
    _asked: set[str] = field(default_factory=set)

    @classmethod
    def top(cls, code: CodeFile) -> TableReader:
        """The whole file."""
        return cls(code.where, "", code.table)

    def part(self, key: str) -> TableReader:
        """A table within this one; an empty one where it is missing."""
        value = self._get(key, {})
        if not isinstance(value, dict):
            raise self.fault(key, "must be a table")
        return TableReader(self.where, self._name(key), value)

    def names(self) -> tuple[str, ...]:
        """The keys of this table."""
        return tuple(self.table)

    def text(self, key: str, default: str | None = None) -> str:
        """A string; without a default it must be there."""
        value = self._get(key, default)
        if not isinstance(value, str):
            raise self.fault(key, f"must be a text in quotes, and is {_shown(value)}")
        return value

    def choice(self, key: str, options: tuple[str, ...], default: str | None = None) -> str:
        """A string out of a few."""
        value = self._get(key, default)
        if value not in options:
            raise self.fault(key, f"is {_shown(value)}, and must be one of {', '.join(options)}")
        return str(value)

    def number(self, key: str, default: float | None = None, least: float = 0.0, most: float = 1000.0) -> float:
        """A number within limits."""
        value = self._get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
            raise self.fault(key, f"must be a number from {least:g} to {most:g}, and is {_shown(value)}")
        return float(value)

    def flag(self, key: str, default: bool | None = None) -> bool:
        """true or false."""
        value = self._get(key, default)
        if not isinstance(value, bool):
            raise self.fault(key, f"must be true or false, and is {_shown(value)}")
        return value

    def words(self, key: str, options: tuple[str, ...], default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """A list of strings out of a few."""
        value = self._get(key, None if default is None else list(default))
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self.fault(key, f"must be a list of texts, and is {_shown(value)}")
        for each in value:
            if each not in options:
                raise self.fault(key, f"names {each!r}, which is none of {', '.join(options)}")
        return tuple(value)

    def choices(self, key: str, options: tuple[str, ...], joint: str) -> tuple[tuple[str, ...], ...]:
        """A list of strings, each of one or more of the options, like ``void+pass``; an empty one where missing."""
        value = self._get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self.fault(key, f"must be a list of texts, and is {_shown(value)}")
        found = tuple(tuple(each.split(joint)) for each in value)
        for each in (word for words in found for word in words):
            if each not in options:
                raise self.fault(key, f"names {each!r}, which is none of {', '.join(options)}")
        return found

    def numbers(self, key: str, default: tuple[int, ...] | None = None) -> tuple[int, ...]:
        """A list of whole numbers."""
        value = self._get(key, None if default is None else list(default))
        if not isinstance(value, list) or not all(isinstance(n, int) and not isinstance(n, bool) for n in value):
            raise self.fault(key, f"must be a list of whole numbers, and is {_shown(value)}")
        return tuple(value)

    def finish(self) -> None:
        """Nothing more is asked of this table: every key of it must have been."""
        unknown = [key for key in self.table if key not in self._asked]
        if unknown:
            known = ", ".join(sorted(self._asked))
            raise self.fault(unknown[0], f"is unknown here; known are {known}")

    def fault(self, key: str, what: str) -> FileFormatError:
        """A fault of one key of this table, as one sentence."""
        return FileFormatError(f"{self.where}: {self._name(key)}: {what}")

    def _get(self, key: str, default: Any) -> Any:
        self._asked.add(key)
        if key in self.table:
            return self.table[key]
        if default is None:
            raise self.fault(key, "is missing")
        return default

    def _name(self, key: str) -> str:
        return f"{self.place}.{key}" if self.place else key


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, str | int | float) else f"a {type(value).__name__}"
