"""What a player has left, and what becomes of it while his clock runs and when he has moved."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kifuwatch.arbiter.clock.time_control import Kind, TimeControl


@dataclass(frozen=True)
class Remaining:
    """What one player has left, in milliseconds.

    ``main``: of the main time. ``periods``: of byo-yomi or kept minutes, the present one counted. ``period``: of the
    present period. ``moves``: still to be played in it where so many are to be played a period.
    """

    main: int
    periods: int = 0
    period: int = 0
    moves: int = 0

    @classmethod
    def full(cls, control: TimeControl) -> Remaining:
        """What a player has at the start."""
        periods = 1 if control.kind is Kind.CANADIAN else control.periods
        return cls(control.main, periods, control.period, control.moves)

    @property
    def in_overtime(self) -> bool:
        """Whether the main time is used up and a period runs."""
        return self.main == 0 and self.periods > 0


def longest(control: TimeControl, left: Remaining) -> int:
    """How long the clock may still run without a move, all periods counted."""
    if not left.periods:
        return left.main
    return left.main + left.period + (left.periods - 1) * control.period


def spend(control: TimeControl, left: Remaining, time: int) -> Remaining:
    """What is left when the clock has run for ``time`` milliseconds more.

    A period is used when it has passed whole: a move at exactly 60 s has used the minute (cn2002 12.3). Without
    anything left he is over time. Spending in two parts is spending their sum.
    """
    if time < left.main:
        return replace(left, main=left.main - time)
    if not left.periods:
        return replace(left, main=0)
    beyond = time - left.main
    if beyond < left.period:
        return replace(left, main=0, period=left.period - beyond)
    if control.period == 0:
        return Remaining(0)
    used, within = divmod(beyond - left.period, control.period)
    periods = left.periods - 1 - used
    if periods <= 0:
        return Remaining(0)
    return replace(left, main=0, periods=periods, period=control.period - within)


def is_out(left: Remaining) -> bool:
    """Whether nothing is left."""
    return left.main == 0 and left.periods == 0


def moved(control: TimeControl, left: Remaining) -> Remaining:
    """What is left after his move. Who is over time stays so."""
    if is_out(left):
        return left
    if control.kind is Kind.FISCHER:
        return replace(left, main=left.main + control.increment)
    if control.kind is Kind.CANADIAN and left.in_overtime:
        if left.moves > 1:
            return replace(left, moves=left.moves - 1)
        return replace(left, moves=control.moves, period=control.period + (left.period if control.carry else 0))
    return replace(left, period=control.period) if left.periods else left


def reprieved(control: TimeControl, left: Remaining) -> Remaining:
    """What a player gets who was over time and may go on: the last period, whole (cn2002 22.5: as before)."""
    if not is_out(left):
        return left
    return Remaining(0, 1, control.period, control.moves) if control.period else left


def deducted(control: TimeControl, left: Remaining, time: int) -> Remaining:
    """What is left when time is taken off (or, negative, given back): as the clock would have spent it."""
    if time >= 0:
        return spend(control, left, time)
    return replace(left, main=left.main - time)
