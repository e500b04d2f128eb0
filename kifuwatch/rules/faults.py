"""What can be wrong with a move: each fault by itself, so that a move can have several at once."""

from __future__ import annotations

from enum import Flag, auto


class Fault(Flag):
    """The faults of one move. They are facts, seen without knowing which rules are in force.

    Which of them a code of rules forbids is said by :meth:`kifuwatch.rules.ruleset.RuleSet.forbidden`: suicide
    is legal under some codes, and a long repetition is under most.
    """

    NONE = 0
    OFF_BOARD = auto()
    """The point is not on the board."""
    OUT_OF_TURN = auto()
    """The other colour was to play."""
    OCCUPIED = auto()
    """A stone already stood on the point."""
    SUICIDE = auto()
    """It leaves the own chain without a liberty and takes nothing."""
    KO = auto()
    """The simple ko: it makes the board again that the opponent's stone has just changed."""
    POSITIONAL_REPEAT = auto()
    """It makes a board that was there before in this game."""
    SITUATIONAL_REPEAT = auto()
    """It makes a board that was there before, with the same colour to play."""
