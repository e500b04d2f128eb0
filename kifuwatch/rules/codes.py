"""The codes of rules by name, as far as the moves, the komi and the SGF file need them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from kifuwatch.core.errors import UsageError
from kifuwatch.rules.faults import Fault


class KoRule(Enum):
    """Which repetition makes a move illegal. The simple ko is forbidden under each."""

    SIMPLE = "simple"
    POSITIONAL = "positional"
    SITUATIONAL = "situational"


_ALWAYS = Fault.OFF_BOARD | Fault.OUT_OF_TURN | Fault.OCCUPIED | Fault.KO


@dataclass(frozen=True, slots=True)
class RuleSet:
    """One code of rules: ``komi`` in points (SGF ``KM``), ``sgf_name`` for SGF ``RU``."""

    name: str
    sgf_name: str
    komi: float
    ko: KoRule = KoRule.SIMPLE
    suicide_allowed: bool = False

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


# The Chinese codes forbid every repetition in writing, but are played with the simple ko alone: a longer
# cycle is a question for the arbiter, not an illegal move. Komi is what the code or its usual events give.
RULE_SETS = (
    RuleSet("cn1988", "Chinese", 5.5),
    RuleSet("cn2002", "Chinese", 7.5),
    RuleSet("jp", "Japanese", 6.5),
    RuleSet("kr", "Korean", 6.5),
    RuleSet("aga", "AGA", 7.5, KoRule.SITUATIONAL),
    RuleSet("ing", "GOE", 8.0, suicide_allowed=True),
    RuleSet("nz", "NZ", 7.0, KoRule.SITUATIONAL, suicide_allowed=True),
    RuleSet("tt", "Tromp-Taylor", 7.5, KoRule.POSITIONAL, suicide_allowed=True),
    RuleSet("ancient", "Ancient Chinese", 0.0),
)
DEFAULT_RULES = "cn2002"


def ruleset(name: str = DEFAULT_RULES) -> RuleSet:
    """The code of this name. Raises UsageError naming the known ones."""
    for rules in RULE_SETS:
        if rules.name == name:
            return rules
    known = ", ".join(rules.name for rules in RULE_SETS)
    raise UsageError(f"unknown rules {name!r}: the known ones are {known}")
