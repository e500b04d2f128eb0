"""``kifuwatch restore --camera``: what is not yet right on a board, again and again until it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.live import Live
from rich.text import Text

from kifuwatch.cli.diagram import diagram
from kifuwatch.cli.record import clock
from kifuwatch.cli.session import Session
from kifuwatch.core.points import HIDDEN, Layout, Point

if TYPE_CHECKING:
    from kifuwatch.api import Look
    from kifuwatch.arbiter.restoring import StillWrong, ToPutRight

NOT_RIGHT = 7
MOST_NAMED = 12


@dataclass
class Told:
    """What has been told last, so that only changes are."""

    points: frozenset[Point] | None = None
    lost: bool = False


def restore_live(session: Session, should: Layout, number: int, looks: Iterable[Look], as_json: bool) -> int:
    """Watch until the board is right; the exit status, 7 when the source ends before.

    On a terminal the board is drawn anew with each change; elsewhere each change is a line, or an object.
    """
    from kifuwatch.arbiter.restoring import RestoreAssistant

    told, assistant, settled = Told(), None, None
    with _screen(session, as_json) as screen:
        for look in looks:
            if assistant is None:
                settled = look.settled
                assistant = RestoreAssistant(should, 0.0) if settled else RestoreAssistant(should)
            if look.board is None:
                _tell_lost(session, look.t, told, screen, as_json)
                continue
            state = assistant.see(look.t, look.board)
            if screen is not None:
                screen.update(_picture(session, should, state))
            else:
                _tell(session, number, state, told, as_json)
            if state.right:
                break
        else:
            return _ended(session, told, screen, as_json)
    if not as_json:
        session.show(session.text("restore.right"))
    return 0


@contextmanager
def _screen(session: Session, as_json: bool) -> Iterator[Live | None]:
    """A display that changes in place, where there is a terminal to show it."""
    if as_json or not session.out.is_terminal:
        yield None
        return
    with Live(console=session.out, refresh_per_second=4, transient=True) as live:
        yield live


def _picture(session: Session, should: Layout, state: StillWrong) -> Text:
    """The board that should be there with ``?`` where it is not yet, and what has to be done."""
    shown = should.replaced({each.point: HIDDEN for each in state.points})
    lines = [diagram(shown, None), "", _summary(session, state), *_points(session, state.points)]
    return Text("\n".join(lines))


def _summary(session: Session, state: StillWrong) -> str:
    text = session.text("restore.left", count=len(state.points)) if state.points else ""
    unseen = session.text("restore.unseen", count=state.unseen) if state.unseen else ""
    return "  ".join(part for part in (text, unseen) if part) or session.text("restore.right")


def _points(session: Session, points: tuple[ToPutRight, ...]) -> list[str]:
    lines = ["  " + to_do(session, each) for each in points[:MOST_NAMED]]
    return lines + ([f"  … {len(points) - MOST_NAMED}"] if len(points) > MOST_NAMED else [])


def to_do(session: Session, each: ToPutRight) -> str:
    """What has to be done at a point."""
    names = {"X": session.text("restore.black"), "O": session.text("restore.white"), ".": session.text("restore.empty")}
    lies, should = names.get(each.lies, each.lies), names.get(each.should, each.should)
    return session.text("restore.point", at=each.point, lies=lies, should=should)


def _tell(session: Session, number: int, state: StillWrong, told: Told, as_json: bool) -> None:
    """One line for each change, in the order of the board text; that a hand covers something is none."""
    points = frozenset(each.point for each in (*state.points, *state.covered))
    if points == told.points and not state.right:
        return
    told.points, told.lost = points, False
    if as_json:
        wrong = [{"at": str(each.point), "lies": each.lies, "should": each.should} for each in state.points]
        record = {"t": round(state.t, 3), "move": number, "right": state.right, "unseen": state.unseen}
        session.show_json({**record, "to_put_right": wrong})
    elif not state.right:
        named = "; ".join(to_do(session, each) for each in state.points[:MOST_NAMED])
        session.show(f"{clock(state.t)}  {_summary(session, state)} {named}".rstrip())


def _tell_lost(session: Session, t: float, told: Told, screen: Live | None, as_json: bool) -> None:
    if screen is not None:
        screen.update(Text(session.text("restore.lost")))
    elif not told.lost and as_json:
        session.show_json({"t": round(t, 3), "right": False, "board": None})
    elif not told.lost:
        session.show(f"{clock(t)}  {session.text('restore.lost')}")
    told.lost, told.points = True, None


def _ended(session: Session, told: Told, screen: Live | None, as_json: bool) -> int:
    """The source has ended, and the board is not right."""
    session.warn(session.text("restore.ended"))
    return NOT_RIGHT
