"""The codes of rules by name, as far as the moves, the komi and the SGF file need them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cache

from kifuwatch.core.points import Colour
from kifuwatch.rules.codefile import CODE_NAMES, DEFAULT_RULES, TableReader, read_code
from kifuwatch.rules.faults import Fault


class KoRule(Enum):
    """Which repetition makes a move illegal. The simple ko is forbidden under each."""

    SIMPLE = "simple"
    POSITIONAL = "positional"
    SITUATIONAL = "situational"


_ALWAYS = Fault.OFF_BOARD | Fault.OUT_OF_TURN | Fault.OCCUPIED | Fault.KO


@dataclass(frozen=True, slots=True)
class RuleSet:
    """One code of rules: ``komi`` in points (SGF ``KM``), ``sgf_name`` for SGF ``RU``, ``first``: who plays first."""

    name: str
    sgf_name: str
    komi: float
    ko: KoRule = KoRule.SIMPLE
    suicide_allowed: bool = False
    first: Colour = Colour.BLACK

    @property
    def komi_zi(self) -> float:
        """The komi in zi (子), as the Chinese codes write it: half the points."""
        return self.komi / 2

    def forbidden(self, faults: Fault) -> Fault:
        """Those of the faults of a move that make it illegal under this code."""
        broken = _ALWAYS
        if not self.suicide_allowed:
            broken |= Fault.SUICIDE
        if self.ko is KoRule.POSITIONAL:
            broken |= Fault.POSITIONAL_REPEAT
        elif self.ko is KoRule.SITUATIONAL:
            broken |= Fault.SITUATIONAL_REPEAT
        return faults & broken


def ruleset(name: str = DEFAULT_RULES) -> RuleSet:
    """The code of this name, or of an event's file (``EVENT.toml``).

    The Chinese codes forbid every repetition in writing, but are played with the simple ko alone: a longer cycle is
    a question for the arbiter, not an illegal move. Raises UsageError naming the known codes, InputError and
    FileFormatError as :func:`kifuwatch.rules.codefile.read_code`.
    """
    return _packaged(name) if name in CODE_NAMES else _read(name)


def rulesets() -> tuple[RuleSet, ...]:
    """All codes that come with the package."""
    return tuple(map(ruleset, CODE_NAMES))


def _read(name: str) -> RuleSet:
    top = TableReader.top(read_code(name))
    code, moves, result = top.part("code"), top.part("moves"), top.part("result")
    return RuleSet(
        code.text("name"),
        code.text("sgf"),
        result.number("komi", least=-400, most=400),
        KoRule(moves.choice("ko", tuple(rule.value for rule in KoRule))),
        moves.flag("suicide"),
        Colour(top.part("start").choice("first", ("B", "W"), "B")),
    )


_packaged = cache(_read)  # files that never change while the program runs
