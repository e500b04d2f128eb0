"""What is called out in byo-yomi, at the exact seconds that the code of rules prescribes (cn1988 12.2, cn2002 12.3).

The codes write them for periods of a minute: 30, 40, 50, 55 and 58 seconds, the minute, and what is left; in the last
minute 30, 40, 50 and then every second, spoken as 1 to 10. In fast games with shorter periods the same is called as
long before the end of the period, on the same principle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kifuwatch.arbiter.clock.running import Remaining
from kifuwatch.arbiter.clock.time_control import MINUTE, SECOND, Kind, TimeControl
from kifuwatch.arbiter.code import TimeRules
from kifuwatch.core.points import Colour

COUNTED_FROM = 10
"""In the last period so many last seconds are counted aloud, 1 to 10."""


@dataclass(frozen=True)
class CallOut:
    """One call: when (milliseconds), to whom, how much of the period has passed, in words.

    ``left``: periods that are left behind this one. ``last``: it is the last one, and its end the end of the game.
    """

    t: int
    colour: Colour
    passed: int
    left: int
    last: bool
    en: str
    zh: str


def call_outs(
    control: TimeControl, rules: TimeRules, colour: Colour, left: Remaining, base: int, until: int
) -> tuple[CallOut, ...]:
    """What has to be called while a player's clock runs, after ``base`` up to ``until`` (milliseconds).

    ``left``: what he has at ``base``. Nothing is called in the main time, nor where no periods are counted.
    """
    if control.kind not in {Kind.KEPT, Kind.BYO_YOMI}:
        return ()
    return tuple(_calls(control, rules, colour, left, base, until))


def _calls(
    control: TimeControl, rules: TimeRules, colour: Colour, left: Remaining, base: int, until: int
) -> Iterator[CallOut]:
    length = control.period
    start = base + left.main - (length - left.period)  # when the present period began, or will
    for behind in reversed(range(left.periods)):
        if start >= until:
            return
        last = behind == 0
        for second in rules.last_call_outs if last else rules.call_outs:
            passed = length - (MINUTE - second * SECOND)
            if passed > 0 and base < start + passed <= until:
                en, zh = _words(passed, length, behind)
                yield CallOut(start + passed, colour, passed, behind, last, en, zh)
        start += length


def _words(passed: int, length: int, behind: int) -> tuple[str, str]:
    """``40 seconds``; the minute with what is left; in the last period the last ten seconds as 1 to 10."""
    seconds, before_end = passed // SECOND, (length - passed) // SECOND
    if behind:
        if before_end:
            return f"{seconds} seconds", f"{seconds}秒"
        if length == MINUTE:
            minutes = "minute" if behind == 1 else "minutes"
            return f"one minute; {behind} {minutes} left", f"1分钟，还剩{behind}分钟"
        periods = "period" if behind == 1 else "periods"
        return f"{seconds} seconds; {behind} {periods} left", f"{seconds}秒，还剩{behind}次"
    if before_end >= COUNTED_FROM:
        return f"{seconds} seconds", f"{seconds}秒"
    count = COUNTED_FROM - before_end
    return (str(count), str(count)) if before_end else ("10, over time", "10，超时判负")
