"""The rules of Go: positions, moves with all their faults, repetition, and the codes of rules by name."""

from kifuwatch.core.errors import IllegalMove
from kifuwatch.rules.codefile import CODE_NAMES, DEFAULT_RULES
from kifuwatch.rules.faults import Fault
from kifuwatch.rules.history import Game
from kifuwatch.rules.position import Play, Position, Repetition
from kifuwatch.rules.ruleset import KoRule, RuleSet, ruleset, rulesets

__all__ = [
    "CODE_NAMES",
    "DEFAULT_RULES",
    "Fault",
    "Game",
    "IllegalMove",
    "KoRule",
    "Play",
    "Position",
    "Repetition",
    "RuleSet",
    "ruleset",
    "rulesets",
]
