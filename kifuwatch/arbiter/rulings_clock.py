"""What rulings do to a clock, and where the facts of an alert decide what the code prescribes."""

from __future__ import annotations

from dataclasses import replace

from kifuwatch.arbiter.clock.clock import ruled
from kifuwatch.arbiter.clock.incidents import BEYOND_SHOWN, DEDUCT_SHOWN
from kifuwatch.arbiter.code import Code, Ruling
from kifuwatch.arbiter.desk import Desk
from kifuwatch.arbiter.desk_state import AlertState
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Colour


def ruling_for(code: Code, alert: AlertState) -> Ruling:
    """What a code says to this alert: who is late beyond the limit has lost, or both have (cn2002 22.1-22.3, cn1988
    23.1-23.2); else what it says to every alert of the kind."""
    ruling = code.ruling_of(alert.code, alert.facts)
    if alert.code != "late" or BEYOND_SHOWN not in alert.facts:
        return ruling
    prescribed = ("both-lose",) if "both" in alert.facts else ("loss",)
    return replace(ruling, prescribed=prescribed, others=(("clock",),))


def take_off(desk: Desk, row: int, alert: AlertState, colour: Colour) -> None:
    """The time by which he was late, as often as the code says, is taken off his clock."""
    time = int(alert.facts.get(DEDUCT_SHOWN, "0"))
    if time:
        desk.clock.add(ruled(row, alert.t, "deduct", colour, time))


def check_going_on(desk: Desk, alert: AlertState, actions: tuple[str, ...]) -> None:
    """To pass and play on there has to be byo-yomi (cn2002 22.5). Raises UsageError where the clock has none."""
    control = desk.clock.control
    if alert.code == "over-time" and "pass" in actions and control is not None and not control.period:
        raise UsageError(f"there is no byo-yomi to go on in: the game is played with {control}")


def go_on(desk: Desk, row: int, alert: AlertState, colour: Colour) -> None:
    """Who was over time has passed and plays on, his byo-yomi as before (cn2002 22.5)."""
    desk.clock.add(ruled(row, alert.t, "reprieve", colour))
