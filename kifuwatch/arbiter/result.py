"""The result of a game: the count under a code of rules, with komi, handicap, warnings and group tax, and its words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from kifuwatch.arbiter.code import Code
from kifuwatch.core.points import Colour, Point
from kifuwatch.rules.count import BoardCount, live_groups

_ZH = {Colour.BLACK: "黑", Colour.WHITE: "白"}
_EN = {Colour.BLACK: "Black", Colour.WHITE: "White"}


@dataclass(frozen=True)
class Terms:
    """What a game is counted with. ``komi`` in points; ``prisoners`` by the colour of the stones taken; ``warnings``
    how many each has; ``groups``: the live groups of each, where the players have agreed on them; ``seki``: points
    of chains in seki, which have no territory where territory is counted."""

    komi: float
    handicap: int = 0
    prisoners: Mapping[Colour, int] = field(default_factory=dict)
    warnings: Mapping[Colour, int] = field(default_factory=dict)
    groups: Mapping[Colour, int] = field(default_factory=dict)
    seki: frozenset[Point] = frozenset()


@dataclass(frozen=True)
class Score:
    """A counted game. ``margin`` in points, positive for Black; the parts of it by name, each for Black.

    ``area``: of each colour in zi (area counting); ``territory``: enclosed points and prisoners (territory counting).
    """

    code: Code
    margin: float
    parts: Mapping[str, float]
    area: Mapping[Colour, float]
    territory: Mapping[Colour, int]
    count: BoardCount

    @property
    def winner(self) -> Colour | None:
        """Who wins; None for a draw."""
        if self.margin == 0:
            return None if self.code.counting.ties == "draw" else Colour(self.code.counting.ties)
        return Colour.BLACK if self.margin > 0 else Colour.WHITE

    @property
    def sgf(self) -> str:
        """The result as SGF writes it (``RE``), in points."""
        if self.winner is None:
            return "0"
        return f"{self.winner.value}+{abs(self.margin):g}"

    @property
    def text_en(self) -> str:
        """The result in words."""
        if self.winner is None:
            return "a draw"
        if self.margin == 0:
            return f"{_EN[self.winner]} wins an even count"
        points = f"{abs(self.margin):g} {'point' if abs(self.margin) == 1 else 'points'}"
        if self.code.counting.unit == "zi":
            return f"{_EN[self.winner]} wins by {in_quarters(abs(self.margin) / 2, ' ')} zi ({points})"
        return f"{_EN[self.winner]} wins by {points}"

    @property
    def text_zh(self) -> str:
        """The result in Chinese."""
        if self.winner is None:
            return "和棋"
        if self.margin == 0:
            return f"{_ZH[self.winner]}胜（平局算{_ZH[self.winner]}胜）"
        if self.code.counting.unit == "zi":
            return f"{_ZH[self.winner]}胜{in_quarters(abs(self.margin) / 2, '又')}子"
        return f"{_ZH[self.winner]}胜{abs(self.margin):g}目"


def komi_of(code: Code, handicap: int, given: float | None) -> float:
    """The komi in points that a game is played with: what was given, or what the code says."""
    if given is not None:
        return given
    return code.counting.komi if handicap == 0 else code.counting.handicap_komi


def score(count: BoardCount, code: Code, terms: Terms) -> Score:
    """Count a board under a code of rules.

    Area counting is 数子法: Black's area less half of the board, doubled into points. Territory counting takes the
    enclosed points, the stones taken in the game and the dead ones.
    """
    area = {colour: count.area(colour) for colour in Colour}
    territory = {colour: _territory(count, colour, terms) for colour in Colour}
    if code.counting.count == "area":
        difference = area[Colour.BLACK] - area[Colour.WHITE]
    else:
        difference = float(territory[Colour.BLACK] - territory[Colour.WHITE])
    parts = {"board": difference, "komi": -terms.komi, "handicap": -code.counting.compensation(terms.handicap)}
    fine = code.warnings.fine
    parts["fines"] = fine * (terms.warnings.get(Colour.WHITE, 0) - terms.warnings.get(Colour.BLACK, 0))
    if code.counting.group_tax:
        groups = {colour: terms.groups.get(colour, live_groups(count, colour)) for colour in Colour}
        parts["group_tax"] = code.counting.group_tax * (groups[Colour.WHITE] - groups[Colour.BLACK])
    parts = {name: value + 0.0 for name, value in parts.items()}
    return Score(code, sum(parts.values()), parts, area, territory, count)


def _territory(count: BoardCount, colour: Colour, terms: Terms) -> int:
    """Points enclosed, without those of chains in seki, and the stones of the opponent taken off."""
    own = [point for point in count.enclosed[colour] if not _beside(point, terms.seki)]
    taken = terms.prisoners.get(colour.opponent, 0) + len(count.dead[colour.opponent])
    return len(own) + taken


def _beside(point: Point, stones: frozenset[Point]) -> bool:
    col, row = point
    near = (Point(col - 1, row), Point(col + 1, row), Point(col, row - 1), Point(col, row + 1))
    return any(each in stones for each in near)


def in_quarters(zi: float, joint: str) -> str:
    """A number of zi as players write it: ``3/4``, ``1又1/4``, ``7``."""
    exact = Fraction(zi).limit_denominator(1000)
    whole, rest = divmod(exact, 1)
    if not rest:
        return str(whole)
    return f"{whole}{joint}{rest.numerator}/{rest.denominator}" if whole else f"{rest.numerator}/{rest.denominator}"
