"""What a clock shows, on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kifuwatch.cli.session import Session
from kifuwatch.cli.texts import Language
from kifuwatch.core.points import Colour

if TYPE_CHECKING:
    from kifuwatch.arbiter.clock.running import Remaining
    from kifuwatch.arbiter.desk_state import DeskState

SECOND = 1000


def show_clock(session: Session, state: DeskState) -> None:
    """The time control and, where a clock is connected, what each has left."""
    if state.control is None:
        return
    chinese = session.texts.language is Language.ZH
    session.show(session.text("clock.control", control=state.control.zh if chinese else state.control.en))
    if state.clock is None:
        return
    for colour in Colour:
        name = session.text("desk.black") if colour is Colour.BLACK else session.text("desk.white")
        out = colour in state.clock.out
        session.show("  " + (session.text("clock.out", who=name) if out else _left(session, name, state, colour)))


def _left(session: Session, name: str, state: DeskState, colour: Colour) -> str:
    assert state.clock is not None
    left: Remaining = state.clock.left[colour]
    if not left.in_overtime:
        return session.text("clock.main", who=name, time=shown(left.main))
    if left.moves:
        return session.text("clock.moves", who=name, time=shown(left.period), moves=left.moves)
    return session.text("clock.periods", who=name, time=shown(left.period), periods=left.periods)


def shown(time: int) -> str:
    """Milliseconds as a clock shows them: ``1:02:03`` or ``2:03``, rounded up as clocks do."""
    minutes, seconds = divmod(-(-time // SECOND), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes}:{seconds:02d}"
