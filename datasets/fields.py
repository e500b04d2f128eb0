"""Fields of a JSON object, each read as the type it must have; a wrong one is a sentence that says where."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from kifuwatch.core.errors import FileFormatError, InputError
from kifuwatch.core.points import Colour, Layout, Point

T = TypeVar("T")
_MISSING = object()


def read_text(path: Path) -> str:
    """What a data file holds. Raises InputError where it cannot be read, FileFormatError where it is no text."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path}: this is no text in UTF-8") from error


def read_json(text: str, where: str) -> Mapping[str, object]:
    """One JSON object. Raises FileFormatError."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise FileFormatError(f"{where}: is not JSON ({error})") from error
    if not isinstance(value, dict):
        raise FileFormatError(f"{where}: must be a JSON object, not {type(value).__name__}")
    return value


@dataclass(frozen=True)
class Fields:
    """The fields of one object; ``where`` says in messages which one it is."""

    record: Mapping[str, object]
    where: str

    def __contains__(self, key: str) -> bool:
        return key in self.record

    def _not(self, what: str, name: str, value: object) -> FileFormatError:
        return FileFormatError(f"{self.where}: {what} must be {name}, not {value!r:.60}")

    def _get(self, key: str, default: object) -> object:
        value = self.record.get(key, default)
        if value is None and default is not _MISSING:
            return default
        if value is _MISSING:
            raise FileFormatError(f"{self.where}: the field {key!r} is missing")
        return value

    def _typed(self, key: str, default: object, kind: type[T], name: str) -> T:
        value = self._get(key, default)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self._not(repr(key), name, value)
        return value

    def text(self, key: str, default: object = _MISSING) -> str:
        """A string."""
        return self._typed(key, default, str, "text")

    def integer(self, key: str) -> int:
        """A whole number."""
        return self._typed(key, _MISSING, int, "a whole number")

    def number(self, key: str, default: object = _MISSING) -> float:
        """A number."""
        value = self._get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._not(repr(key), "a number", value)
        return float(value)

    def items(self, key: str, default: object = _MISSING) -> list[object]:
        """A list of anything."""
        return self._typed(key, default, list, "a list")

    def sub(self, key: str, default: object = _MISSING) -> Fields:
        """An object."""
        return Fields(self._typed(key, default, dict, "an object"), f"{self.where}, {key}")

    def entries(self, key: str, default: object = _MISSING) -> list[Fields]:
        """A list of objects."""
        found = []
        for number, value in enumerate(self.items(key, default), 1):
            if not isinstance(value, dict):
                raise FileFormatError(f"{self.where}: {key!r} number {number} must be an object, not {value!r:.60}")
            found.append(Fields(value, f"{self.where}, {key} number {number}"))
        return found

    def rows(self, key: str) -> list[Fields]:
        """A list of lists; each becomes fields named ``0``, ``1`` and so on."""
        found = []
        for number, value in enumerate(self.items(key), 1):
            if not isinstance(value, list):
                raise FileFormatError(f"{self.where}: {key!r} number {number} must be a list, not {value!r:.60}")
            row: dict[str, object] = {str(place): item for place, item in enumerate(value)}
            found.append(Fields(row, f"{self.where}, {key} number {number}"))
        return found

    def point(self, key: str) -> Point:
        """A point like ``Q16``."""
        return self._point(self.text(key), key)

    def points(self, key: str, default: object = _MISSING) -> list[Point]:
        """A list of points; one written alone counts as a list of one."""
        value = self._get(key, default)
        if isinstance(value, str):
            value = [value]
        if not isinstance(value, list):
            raise self._not(repr(key), "a list of points", value)
        return [self._point(each, key) for each in value]

    def _point(self, text: object, key: str) -> Point:
        try:
            return Point.parse(str(text))
        except ValueError as error:
            raise FileFormatError(f"{self.where}: {key!r}: {error}") from error

    def colour(self, key: str) -> Colour:
        """``B`` or ``W``."""
        letter = self.text(key)
        if letter not in {"B", "W"}:
            raise FileFormatError(f"{self.where}: {key!r} must be B or W, not {letter!r}")
        return Colour(letter)

    def layout(self, key: str) -> Layout:
        """Board text: a list of lines, or one text with line breaks."""
        value = self._get(key, _MISSING)
        rows = value.split("\n") if isinstance(value, str) else value
        if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
            raise self._not(repr(key), "lines of board text", value)
        try:
            return Layout.from_rows(rows)
        except ValueError as error:
            raise FileFormatError(f"{self.where}: {key!r}: {error}") from error

    def corners(self, key: str) -> tuple[tuple[float, float], ...]:
        """Four pixel positions (x, y)."""
        found = tuple((row.number("0"), row.number("1")) for row in self.rows(key))
        if len(found) != 4:
            raise FileFormatError(f"{self.where}: {key!r} must be four positions, not {len(found)}")
        return found
