"""SGF files as they are found: read as far as they go, with a list of what is wrong with them.

Files out in the world break off, mix encodings and carry text between their properties. A strict reader refuses
them; an arbiter who is handed one wants to know what it says. So nothing but a file without any node is refused.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, lookup
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kifuwatch.core.errors import FileFormatError, InputError

MOST_BYTES = 32 * 1024 * 1024
MOST_NODES = 200_000
"""A dictionary of openings has fewer; a file with more is a trap, or at least no game."""
_MARKS = {BOM_UTF8: "utf-8-sig", BOM_UTF16_LE: "utf-16", BOM_UTF16_BE: "utf-16"}
_NAMES = {"utf8": "utf-8", "ms_kanji": "cp932", "shift_jis": "cp932", "gb2312": "gb18030", "gbk": "gb18030"}
_GUESSES = ("utf-8", "gb18030", "cp932", "big5")
_CHARSET = re.compile(rb"CA\[([^\]]{1,40})\]")
_PROPERTY = re.compile(r"([A-Za-z]+)\s*(?=\[)")
_START = re.compile(r"\(\s*;")
"""Where a game begins: what comes before is to be skipped, as FF[4] says."""
_LOOSE_START = re.compile(r"\(\s*[A-Z]{1,2}\s*\[|;\s*[A-Z]{1,2}\s*\[")
"""Where it begins in files that forget the first semicolon, or the first bracket."""
_VALUE_END = re.compile(r"[\]\\]")


@dataclass
class Node:
    """One node: its properties by name, capitals only, each with its values as they stand (escapes undone)."""

    properties: dict[str, list[str]] = field(default_factory=dict)
    children: list[Node] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    """The names in the order in which they were met."""

    def text(self, name: str) -> str | None:
        """The first value of a property, or None."""
        values = self.properties.get(name)
        return values[0] if values else None


@dataclass(frozen=True)
class SgfTree:
    """A file: the root of its first game, how many games and side lines it holds, and what is wrong with it."""

    root: Node
    games: int
    variations: int
    encoding: str
    skipped: int
    """Characters before the game that are left out."""
    problems: tuple[str, ...]

    def main_line(self) -> Iterator[Node]:
        """The nodes from the root along the first child of each."""
        node: Node | None = self.root
        while node is not None:
            yield node
            node = node.children[0] if node.children else None


def load_sgf(path: Path) -> SgfTree:
    """Read a file. Raises InputError when it cannot be read, FileFormatError when there is no game in it."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise FileFormatError(f"{path}: {path.stat().st_size} bytes are too many for a game record")
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from error
    return parse_sgf(data, str(path))


def parse_sgf(data: bytes, where: str = "this record") -> SgfTree:
    """Read the bytes of a file. Raises FileFormatError, naming ``where``, when there is no game in it."""
    text, encoding, problems = _decoded(data)
    start = _START.search(text) or _LOOSE_START.search(text)
    if start is None:
        raise FileFormatError(f"{where} is no game record in SGF: there is no '(;' in it")
    skipped = len(text[: start.start()].strip())
    if skipped:
        problems.append(f"{skipped} characters before the game are left out")
    return _Parser(text, start.start(), problems, where).tree(encoding, skipped)


def _decoded(data: bytes) -> tuple[str, str, list[str]]:
    """Text, encoding, problems. Bytes that are no letters in it become marks, and that is said."""
    for mark, name in _MARKS.items():
        if data.startswith(mark):
            return data.decode(name, errors="replace"), name, []
    if data[1:2] == b"\0" or data[:1] == b"\0":
        name = "utf-16-le" if data[1:2] == b"\0" else "utf-16-be"
        return data.decode(name, errors="replace"), name, []
    problems: list[str] = []
    named = _CHARSET.search(data)
    wish = named.group(1).decode("ascii", errors="replace").strip().lower() if named else ""
    wanted = [_NAMES.get(wish, wish)] if wish else []
    damaged = _damaged_utf8(data)
    guesses = [*_known(wanted), *(("utf-8",) if damaged else _GUESSES)]
    for name in guesses:
        try:
            text = data.decode(name)
        except UnicodeDecodeError:
            continue
        if wanted and name != wanted[0]:
            problems.append(f"the text is not in {wish}, as the file says: read as {name}")
        return text, name, problems
    problems.append("some letters of the text cannot be made out")
    name = "utf-8" if damaged else (*_known(wanted), *_GUESSES)[0]
    return data.decode(name, errors="replace"), name, problems


def _damaged_utf8(data: bytes) -> bool:
    """Whether the bytes are UTF-8 with a few letters cut. In another encoding such bytes may decode as well, but
    take the brackets behind them along."""
    letters = sum(byte >= 0x80 for byte in data)
    bad = data.decode("utf-8", errors="replace").count("\ufffd") - data.count(b"\xef\xbf\xbd")
    return 0 < 4 * bad < letters


def _known(names: list[str]) -> list[str]:
    def known(name: str) -> bool:
        try:
            lookup(name)
        except LookupError:
            return False
        return True

    return [name for name in names if known(name)]


class _Parser:
    """Goes through the text once, without recursion: brackets may be nested deeper than Python's stack."""

    def __init__(self, text: str, place: int, problems: list[str], where: str) -> None:
        self._text, self._place, self._problems, self._where = text, place, problems, where
        self._nodes = 0
        self._root: Node | None = None
        self._node: Node | None = None
        self._open: list[Node | None] = []
        self._games = self._variations = 0
        self._stray = 0
        if text[place] != "(":  # a game without its first bracket: it is open all the same
            self._open.append(None)
            self._games = 1

    def tree(self, encoding: str, skipped: int) -> SgfTree:
        """Go through the text."""
        text, end = self._text, len(self._text)
        while self._place < end:
            letter = text[self._place]
            if letter == "(":
                self._begin()
            elif letter == ";":
                self._add(Node())
            elif letter == ")":
                self._end()
            elif letter.isalpha() and (found := _PROPERTY.match(text, self._place)):
                self._property(found)
                continue
            elif not letter.isspace():
                self._stray += 1
            self._place += 1
        if self._open:
            self._problems.append("the file breaks off: a bracket is not closed")
        if self._stray:
            self._problems.append(f"{self._stray} characters between the properties are left out")
        if self._games > 1:
            self._problems.append(f"the file holds {self._games} games: the first is taken")
        return SgfTree(self._root or Node(), self._games, self._variations, encoding, skipped, tuple(self._problems))

    def _begin(self) -> None:
        if not self._open:
            self._games += 1
        elif self._node is not None and self._node.children and self._games == 1:
            self._variations += 1
        self._open.append(self._node if self._open else None)
        if len(self._open) == 1:
            self._node = None

    def _end(self) -> None:
        if self._open:
            self._node = self._open.pop()
        else:
            self._stray += 1

    def _add(self, node: Node) -> None:
        self._nodes += 1
        if self._nodes > MOST_NODES:
            raise FileFormatError(f"{self._where} has more than {MOST_NODES} moves and side lines: too many for a game")
        if self._node is not None:
            self._node.children.append(node)
        elif self._root is None:
            self._root = node
            self._games = max(self._games, 1)
        self._node = node

    def _property(self, found: re.Match[str]) -> None:
        if self._node is None:
            self._add(Node())
        assert self._node is not None
        name = "".join(letter for letter in found.group(1) if letter.isupper()) or found.group(1).upper()
        values = self._node.properties.setdefault(name, [])
        self._node.order.append(name)
        self._place = found.end()
        while self._place < len(self._text) and self._text[self._place] == "[":
            values.append(self._value())
            while self._place < len(self._text) and self._text[self._place].isspace():
                self._place += 1

    def _value(self) -> str:
        """The value whose bracket opens here; the place is moved behind it."""
        parts, start = [], self._place + 1
        while found := _VALUE_END.search(self._text, start):
            parts.append(self._text[start : found.start()])
            if found.group() == "]":
                self._place = found.end()
                return "".join(parts)
            escaped = self._text[found.end() : found.end() + 1]
            parts.append("" if escaped == "\n" else escaped)
            start = found.end() + 1
        self._problems.append("the file breaks off within a property")
        self._place = len(self._text)
        return ""
