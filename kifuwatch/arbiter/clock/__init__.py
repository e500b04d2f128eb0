"""Time: what a game is played with, a clock as what became of it, what is called out, and what the arbiter should know.

Nothing here looks at a clock of its own: every time is handed in. Times are whole milliseconds, on the same axis as the
camera's (``t`` in a row is seconds from the start of the source).
"""

from kifuwatch.arbiter.clock.call_outs import CallOut, call_outs
from kifuwatch.arbiter.clock.clock import ClockState, ClockStory
from kifuwatch.arbiter.clock.running import Remaining
from kifuwatch.arbiter.clock.time_control import Kind, TimeControl, control_of_sgf, parse_control

__all__ = [
    "CallOut",
    "ClockState",
    "ClockStory",
    "Kind",
    "Remaining",
    "TimeControl",
    "call_outs",
    "control_of_sgf",
    "parse_control",
]
