"""What a child does from its first order to its end: open the source, look for the board, record the game."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kifuwatch.core.errors import SourceError
from kifuwatch.live.child import ENDED, LOST
from kifuwatch.live.eye import Eye
from kifuwatch.live.orders import LookOrder, Orders
from kifuwatch.live.plan import Clocks, GamePlan, machine_clocks
from kifuwatch.live.recording import Desk, GameRecording, Watched
from kifuwatch.live.report import Report
from kifuwatch.live.sources import CameraLost, TappedSource, is_clip, open_live
from kifuwatch.vision.colours import load_ahead
from kifuwatch.vision.sources import Frame, FrameSource

if TYPE_CHECKING:
    from kifuwatch.live.lookout import Lookout

LOOKS_A_SECOND = 5.0
LOADED_AFTER = 15
"""Frames of a game that goes on after which libraries that are needed later are loaded."""
GIVEN_UP = 25.0
"""Seconds of a frozen picture after which the camera is opened anew while a game is recorded."""


class Shift:
    """One child's work. ``opened`` opens a source from some second on, ``clocks`` are those of the machine,
    ``watched`` makes the watch of a game."""

    def __init__(
        self,
        first: dict[str, Any],
        orders: Orders,
        report: Report,
        opened: Callable[[str, float, bool], FrameSource] = open_live,
        clocks: Clocks | None = None,
        watched: Watched | None = None,
    ) -> None:
        self._source_name = str(first["source"])
        self._orders, self._report, self._opened = orders, report, opened
        self._clocks, self._watched = clocks or machine_clocks(), watched
        self._eye = Eye(report)
        self._ahead: threading.Thread | None = None
        self._frames = 0
        orders.wanted = self._eye.wanted
        kind = str(first.get("task", "look"))
        orders.take(kind, first)

    def run(self) -> int:
        """Work until the game or the camera ends; how it ended."""
        order = self._orders.record
        plan = None if order is None else GamePlan.of(order)
        try:
            start = plan.clip_start(self._clocks) if plan is not None and is_clip(self._source_name) else 0.0
            source = TappedSource(self._opened(self._source_name, start, plan is None), self._tap)
        except SourceError as error:
            self._report.say(picture=str(error))
            return LOST
        with source:
            self._report.ask(lambda: source.last_picture)
            return self._work(source, plan)

    def _work(self, source: TappedSource, plan: GamePlan | None) -> int:
        lookout = None
        if plan is None:
            from kifuwatch.live.lookout import Lookout  # a game that goes on does not need it, and is there sooner

            lookout = Lookout(self._report, self._eye)
            if not self._look(source, lookout):
                return ENDED if is_clip(self._source_name) or self._orders.stopped else LOST
            assert self._orders.record is not None
            plan = GamePlan.of(self._orders.record)
        recording = GameRecording(plan, Desk(self._orders, self._report, self._eye), self._watched)
        try:
            self._set_time(source, plan)
            recording.run(source, None if lookout is None else lookout.pose)
        except CameraLost as error:
            self._report.say(picture=str(error))
            return LOST
        finally:
            recording.close()
        return ENDED

    def _look(self, source: TappedSource, lookout: Lookout) -> bool:
        """Look for the board until a game is to be recorded; whether it is."""
        try:
            for frame in source.frames(LOOKS_A_SECOND):
                if self._orders.record is not None:
                    return True
                if self._orders.stopped:
                    return False
                lookout.look(frame, self._orders.look or LookOrder())
        except CameraLost as error:
            self._report.say(picture=str(error))
        return False

    def _set_time(self, source: TappedSource, plan: GamePlan) -> None:
        """From now on the source gives the time of the game."""
        latest = self._eye.latest
        shown = 0.0 if latest is None else latest.time.seconds
        source.begin()
        if plan.origin is None:
            plan.begin_time(self._clocks, source.clip_seconds(shown))
            source.later = -shown
        elif is_clip(self._source_name):
            source.later = -plan.origin.clip
        else:
            source.later = plan.origin.elapsed(self._clocks, plan.last)

    def _tap(self, frame: Frame) -> None:
        self._frames += 1
        if self._ahead is None and (self._orders.record is None or self._frames >= LOADED_AFTER):
            # Meanwhile, so that the first move does not wait for it, nor the board of a game that goes on.
            self._ahead = threading.Thread(target=load_ahead, name="loading", daemon=True)
            self._ahead.start()
        self._report.frame(frame.time.seconds)
        self._eye.take(frame)
        frozen = self._eye.stale_since or 0.0
        if frozen >= GIVEN_UP and self._orders.record is not None and not is_clip(self._source_name):
            raise CameraLost("the camera gives the same picture again and again")
