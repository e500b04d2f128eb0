"""What an SGF file says of a game: its steps, and what stands at its head, in the units that are meant."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from kifuwatch.arbiter.clock.time_control import TimeControl, control_of_sgf
from kifuwatch.arbiter.inspection import Played, PutDown, Step
from kifuwatch.core.errors import FileFormatError
from kifuwatch.core.points import COLUMNS, Colour, Point
from kifuwatch.record.sgf_tree import Node, SgfTree, load_sgf, parse_sgf

LARGEST, PASS_UP_TO = 25, 19
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_HUMAN = re.compile(r"[A-HJ-Z](?:1?\d|2[0-5])")
_RULES = {
    "chinese": "cn2002",
    "cn": "cn2002",
    "japanese": "jp",
    "jp": "jp",
    "korean": "kr",
    "aga": "aga",
    "goe": "ing",
    "ing": "ing",
    "nz": "nz",
    "tromp-taylor": "tt",
    "ancient chinese": "ancient",
}
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?|[-+]?\.\d+")
_SCORE = re.compile(r"([BW黑白])\s*\+\s*(\d+(?:\.\d+)?|\.\d+)\s*")


@dataclass(frozen=True)
class Result:
    """A result as written. ``winner`` None: drawn, void or unknown; ``points``: the margin where it was counted."""

    text: str
    winner: Colour | None = None
    points: float | None = None

    @property
    def counted(self) -> bool:
        """Whether it was found by counting."""
        return self.points is not None


@dataclass(frozen=True)
class SgfGame:
    """The main line of a file and its head.

    ``komi`` and the margin of ``result`` in points, whatever unit the file writes; ``in_zi`` says that it was zi.
    ``rules`` is the name of a known code, or "" where the file names none that is known. ``black_area`` and
    ``white_area``: the points marked as territory in the last node (``TB``, ``TW``).
    """

    where: str
    size: int
    steps: tuple[Step, ...]
    komi: float | None
    in_zi: bool
    handicap: int
    rules: str
    result: Result
    players: tuple[str, str]
    event: str
    date: str
    black_area: tuple[Point, ...]
    white_area: tuple[Point, ...]
    variations: int
    cut: bool
    """The file has more before the place where a game begins: its beginning may be missing."""
    problems: tuple[str, ...]
    control: TimeControl | None = None
    """The time control (``TM``, ``OT``), as far as it is understood."""


def read_game(path: Path) -> SgfGame:
    """Read a file. Raises InputError when it cannot be read, FileFormatError when there is no game in it that could
    be played on a board."""
    return game_of(load_sgf(path), str(path))


def game_of_bytes(data: bytes, where: str = "this record") -> SgfGame:
    """The game in the bytes of a file; raises FileFormatError as :func:`read_game`."""
    return game_of(parse_sgf(data, where), where)


def game_of(tree: SgfTree, where: str) -> SgfGame:
    """The game on the main line of a file. Raises FileFormatError for another game than Go, or no size of board."""
    nodes = list(tree.main_line())
    problems = list(tree.problems)
    head = _head(nodes)
    if head.get("GM", "1").strip() not in {"1", ""}:
        raise FileFormatError(f"{where} is a record of another game than Go (GM[{head['GM'].strip()[:10]}])")
    size = _size(head.get("SZ", "19"), where)
    reader = _StepReader(size, problems)
    steps = tuple(step for node in nodes for step in reader.steps(node))
    komi, in_zi = _komi(head.get("KM"), problems)
    handicap = _number(head.get("HA"))
    control, problem = control_of_sgf(head.get("TM"), head.get("OT"))
    problems += [problem] if problem else []
    last = nodes[-1]
    return SgfGame(
        where,
        size,
        steps,
        komi,
        in_zi,
        int(handicap) if handicap and 0 < handicap < 100 else 0,
        _RULES.get(head.get("RU", "").strip().lower(), ""),
        _result(head.get("RE", ""), in_zi),
        (head.get("PB", "").strip(), head.get("PW", "").strip()),
        head.get("EV", head.get("GN", "")).strip(),
        head.get("DT", "").strip(),
        reader.points(last.properties.get("TB", [])),
        reader.points(last.properties.get("TW", [])),
        tree.variations,
        tree.skipped > 0,
        tuple(dict.fromkeys(problems)),
        control,
    )


def _head(nodes: list[Node]) -> dict[str, str]:
    """What is said of the game as a whole; where two games share their beginning it stands later than in the root."""
    head: dict[str, str] = {}
    for node in nodes:
        for name in ("GM", "SZ", "KM", "HA", "RU", "RE", "PB", "PW", "EV", "GN", "DT", "TM", "OT"):
            value = node.text(name)
            if value is not None:
                head.setdefault(name, value)
    return head


def _size(text: str, where: str) -> int:
    if not text.strip().isdecimal() or not 2 <= int(text) <= LARGEST:
        raise FileFormatError(f"{where}: a board of size {text.strip()[:12]!r} is none that is known (2 to {LARGEST})")
    return int(text)


def _number(text: str | None) -> float | None:
    found = _NUMBER.search(text) if text else None
    return float(found.group()) if found else None


def _komi(text: str | None, problems: list[str]) -> tuple[float | None, bool]:
    """Komi in points, and whether the file means zi. Fox writes hundredths: ``375`` is 3.75 zi, ``650`` 6.5 points.

    Points come in halves; what has quarters can only be zi, of which each is two points.
    """
    value = _number(text)
    if value is None:
        if text and text.strip():
            problems.append(f"KM[{text.strip()[:12]}] is no komi")
        return None, False
    if abs(value) >= 100:
        value /= 100
    if (value * 2) % 1:
        return value * 2, True
    return value, False


def _result(text: str, in_zi: bool) -> Result:
    text = text.strip()
    found = _SCORE.fullmatch(text)
    if found:
        winner = Colour.BLACK if found.group(1) in "B黑" else Colour.WHITE
        return Result(text, winner, float(found.group(2)) * (2 if in_zi else 1))
    if re.match(r"[BW]\s*\+", text):
        return Result(text, Colour(text[0]))
    if text.lower() in {"0", "draw", "jigo"}:
        return Result(text, None, 0.0)
    return Result(text)


class _StepReader:
    """Turns nodes into steps; what is wrong with them goes into the list of problems."""

    def __init__(self, size: int, problems: list[str]) -> None:
        self._size, self._problems = size, problems

    def steps(self, node: Node) -> list[Step]:
        """The stones put down in a node, and the moves of it."""
        found: list[Step] = []
        properties = node.properties
        black, white, empty = (self.points(properties.get(name, [])) for name in ("AB", "AW", "AE"))
        to_play = self._colour(properties.get("PL", [""])[0] if "PL" in properties else "")
        if black or white or empty or to_play:
            found.append(PutDown(black, white, empty, to_play))
        for name in dict.fromkeys(node.order):
            if name in {"B", "W"}:
                found += [self._move(Colour(name), value) for value in properties[name][:1]]
        if sum(isinstance(step, Played) for step in found) > 1:
            self._problems.append("a node holds a move of each colour")
        if len(found) > 1 and isinstance(found[0], PutDown) and (black or white or empty):
            self._problems.append("a node both puts stones down and holds a move")
        return found

    def points(self, values: list[str]) -> tuple[Point, ...]:
        """The points of a list, rectangles (``aa:cc``) included."""
        found: list[Point] = []
        for value in values:
            first, colon, last = value.strip().partition(":")
            here, there = self._point(first), self._point(last if colon else first)
            if here is None or there is None:
                self._problems.append(f"[{value.strip()[:12]}] is no point")
                continue
            cols, rows = sorted((here.col, there.col)), sorted((here.row, there.row))
            found += [Point(col, row) for row in range(rows[0], rows[1] + 1) for col in range(cols[0], cols[1] + 1)]
        return tuple(found)

    def _move(self, colour: Colour, value: str) -> Played:
        text = value.strip()
        if text == "" or (text == "tt" and self._size <= PASS_UP_TO) or text.lower() == "pass":
            return Played(colour, None)
        point = self._point(text)
        if point is None:
            self._problems.append(f"{colour.value}[{text[:12]}] is no point: taken for a pass")
        return Played(colour, point)

    def _point(self, text: str) -> Point | None:
        """``dp`` as SGF counts: the column from the left, the row from above. Row and column may lie off the board."""
        if len(text) == 2 and text[0] in _LETTERS and text[1] in _LETTERS:
            return Point(_LETTERS.index(text[0]), self._size - 1 - _LETTERS.index(text[1]))
        if _HUMAN.fullmatch(text):
            self._problems.append("points are written as players say them (Q16), not as SGF wants")
            return Point(COLUMNS.index(text[0]), int(text[1:]) - 1)
        return None

    def _colour(self, text: str) -> Colour | None:
        letter = text.strip()[:1].upper()
        return Colour(letter) if letter in {"B", "W"} else {"1": Colour.BLACK, "2": Colour.WHITE}.get(letter)
