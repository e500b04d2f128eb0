"""The watch of a live game: shows what it sees, says why it does not, and stops for a pause or a frozen picture."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.profile import save_profile
from kifuwatch.core.errors import OutputError
from kifuwatch.film import REASONS
from kifuwatch.live.eye import Eye
from kifuwatch.live.orders import Orders
from kifuwatch.live.report import Report
from kifuwatch.live.setup import BOARD_MOVED, DARK, FINE, HAND, LOOKING, NO_PICTURE
from kifuwatch.vision.sources import Frame
from kifuwatch.watch import Notice, Pause, View, Watch

A_HAND = 6
"""So many covered points are a hand."""
SHOW_SELDOM, SHOW_OFTEN = 1.0, 0.2
"""Seconds between overlays when nobody looks, and when somebody does."""
PAUSED, FROZEN = "the recording was paused", "the picture of the camera stood still"
NOTES = {
    REASONS["shaken"]: BOARD_MOVED,
    REASONS["hidden"]: BOARD_MOVED,
    REASONS["cut"]: LOOKING,
    REASONS["dark"]: DARK,
    REASONS["blank"]: NO_PICTURE,
}


class LiveWatch:
    """A watch, as the server wants it. ``seen`` is told every look at the board that counts;
    ``may_freeze``: the source is a camera, whose picture never stands still."""

    def __init__(
        self,
        inner: Watch,
        orders: Orders,
        report: Report,
        eye: Eye,
        pose_file: Path,
        seen: Callable[[View], None],
        may_freeze: bool,
    ) -> None:
        self._inner, self._orders, self._report, self._eye = inner, orders, report, eye
        self._pose_file, self._seen, self._may_freeze = pose_file, seen, may_freeze
        self._held: Pause | None = None
        self._pose: BoardPose | None = None
        self._shown = float("-inf")

    @property
    def pause(self) -> Pause | None:
        """Since when, and why, the pictures say nothing of the board."""
        return self._held or self._inner.pause

    @property
    def looks_a_second(self) -> float | None:
        """How many frames a second are worth looking at."""
        return self._inner.looks_a_second

    @property
    def reason(self) -> str:
        """Why the board was not found so far."""
        return self._inner.reason

    def notices(self) -> list[Notice]:
        """What became known of the view; in a pause nothing is."""
        notices = self._inner.notices()
        return [] if self._orders.paused else notices

    def look(self, frame: Frame) -> View | None:
        """What this frame shows of the board."""
        now = frame.time.seconds
        view = self._inner.look(frame)
        self._hold(now)
        self._note(view)
        if view is not None:
            self._show(view, now)
            if self._held is None:
                self._seen(view)
        return None if self._held is not None else view

    def _hold(self, now: float) -> None:
        stale = self._eye.stale_since if self._may_freeze else None
        if self._orders.paused:
            self._held = self._held if self._held and self._held.reason == PAUSED else Pause(now, PAUSED)
        elif stale is not None:
            self._held = self._held or Pause(max(now - stale, 0.0), FROZEN)
        else:
            self._held = None

    def _note(self, view: View | None) -> None:
        frozen = self._held is not None and self._held.reason == FROZEN
        self._report.say(picture="the camera gives the same picture again and again" if frozen else "")
        if frozen:
            self._report.note(NO_PICTURE)
        elif self._inner.pause is not None:
            self._report.note(NOTES.get(self._inner.pause.reason, LOOKING))
        elif view is None:
            self._report.note(LOOKING)
        else:
            self._report.note(HAND if view.observation.covered.sum() >= A_HAND else FINE)

    def _show(self, view: View, now: float) -> None:
        if now - self._shown >= (SHOW_OFTEN if self._eye.watched else SHOW_SELDOM) or view.pose is not self._pose:
            self._shown = now
            self._eye.show(view.pose, view.observation.layout())
        if view.pose is not self._pose:
            self._pose = view.pose
            try:
                save_profile(self._pose_file, view.pose)
            except OutputError:
                return  # the journal says where the board was found
