"""The rules of Go: positions, moves with all their faults, repetition, and the codes of rules by name."""

from kifuwatch.core.errors import IllegalMove
from kifuwatch.rules.codes import DEFAULT_RULES, RULE_SETS, KoRule, RuleSet, ruleset
from kifuwatch.rules.faults import Fault
from kifuwatch.rules.history import Game
from kifuwatch.rules.position import Play, Position, Repetition

__all__ = [
    "DEFAULT_RULES",
    "RULE_SETS",
    "Fault",
    "Game",
    "IllegalMove",
    "KoRule",
    "Play",
    "Position",
    "Repetition",
    "RuleSet",
    "ruleset",
]
