"""A clock that went wrong (cn2002 22.8, 22.9).

When what both have used together is wrong by two minutes an hour or more, the clock is changed and the times are put
right in the proportion of what each has used; a smaller error changes nothing. When nothing of the first half was
written down, both have used the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from kifuwatch.arbiter.clock.running import Remaining
from kifuwatch.arbiter.clock.time_control import HOUR, MINUTE, SECOND, TimeControl
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Colour


def used(control: TimeControl, left: Mapping[Colour, Remaining]) -> dict[Colour, int]:
    """What the clock shows that each has used of the main time, in milliseconds."""
    return {colour: max(0, control.main - left[colour].main) for colour in Colour}


def matters(shown: int, true: int, minutes_an_hour: float) -> bool:
    """Whether an error of the sum is large enough to be put right; ``minutes_an_hour`` 0: any is."""
    return abs(true - shown) * HOUR >= minutes_an_hour * MINUTE * true and true != shown


def shared(used_by: Mapping[Colour, int], true: int) -> dict[Colour, int]:
    """The true sum shared in proportion to what each is shown to have used; evenly where nothing is shown."""
    total = sum(used_by.values())
    if total == 0:
        return {Colour.BLACK: true - true // 2, Colour.WHITE: true // 2}
    black = (true * used_by[Colour.BLACK] + total // 2) // total
    return {Colour.BLACK: black, Colour.WHITE: true - black}


def put_right(
    control: TimeControl, left: Mapping[Colour, Remaining], row: Mapping[str, Any], minutes_an_hour: float
) -> tuple[dict[Colour, Remaining], str]:
    """What each has when a fault of the clock has been dealt with, and one sentence on it.

    ``row``: ``true_ms`` what both have used in truth, ``lost`` that nothing was written down of who used what.
    Raises UsageError where it is lost and the sum is not known either.
    """
    shown = used(control, left)
    if "true_ms" not in row and sum(shown.values()) == 0:
        raise UsageError("say with true_ms what both have used together")
    true = max(0, round(float(row.get("true_ms", sum(shown.values())))))
    if row.get("lost"):
        corrected, how = {Colour.BLACK: true - true // 2, Colour.WHITE: true // 2}, "shared evenly"
    elif not matters(sum(shown.values()), true, minutes_an_hour):
        return dict(left), "the error is too small to be put right"
    else:
        corrected, how = shared(shown, true), "put right in proportion"
    done = {
        colour: replace(left[colour], main=max(0, control.main - corrected[colour]))
        if shown[colour] or row.get("lost")
        else left[colour]
        for colour in Colour
    }
    times = ", ".join(f"{colour.value} {corrected[colour] / SECOND:g} s" for colour in Colour)
    return done, f"used time {how}: {times}"
