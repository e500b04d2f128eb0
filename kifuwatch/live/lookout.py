"""Before a game: looking for the board again and again, so that whoever sets the camera up sees what it sees."""

from __future__ import annotations

from time import monotonic

from kifuwatch.calibration.boards import BoardChoice
from kifuwatch.calibration.closeup import CloseUpReader
from kifuwatch.calibration.finder import BoardFinder
from kifuwatch.calibration.given import pose_at
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.quality import measure_view
from kifuwatch.core.errors import KifuwatchError, NoBoardError, UsageError
from kifuwatch.live.eye import Eye, Picture, corners_in
from kifuwatch.live.orders import LookOrder
from kifuwatch.live.report import Report
from kifuwatch.live.setup import FINE, LOOKING
from kifuwatch.live.words import sentences
from kifuwatch.vision.sources import Frame
from kifuwatch.vision.stones import StoneReader

SOON, LATER = 0.5, 1.5
"""Seconds from one look to the next: while the board is not found, and when it is."""
MEASURE = 3.0
"""Seconds after which the view is measured anew."""


class Lookout:
    """Looks at frames as it was ordered to, and tells what it finds."""

    def __init__(self, report: Report, eye: Eye) -> None:
        self._report, self._eye = report, eye
        self._finder, self._closeups, self._reader = BoardFinder(), CloseUpReader(), StoneReader()
        self._order: LookOrder | None = None
        self._next = self._measured = float("-inf")
        self.pose: BoardPose | None = None

    def look(self, frame: Frame, order: LookOrder) -> None:
        """Look at one frame, if it is time to."""
        now = monotonic()
        if order != self._order:
            self._order, self._next, self._measured, self.pose = order, now, float("-inf"), None
            self._finder = _finder(order, self._report)
        if now < self._next:
            return
        try:
            pose, confidence = self._find(frame.image, order)
        except (NoBoardError, UsageError) as error:
            # Where there is no board, looking for one takes longest: so long at least nothing is done behind it.
            done = monotonic()
            self.pose, self._next = None, done + max(SOON, done - now)
            self._report.note(LOOKING)
            self._report.say(error="", size=order.size, reason=str(error))
            self._eye.show(None, None)
            return
        self.pose, self._next = pose, now + LATER
        self._report.note(FINE)
        self._report.say(error="", size=pose.size, reason="")
        self._eye.show(pose, self._reader.read(frame.image, pose).layout())
        if now - self._measured >= MEASURE:
            self._measured = now
            self._measure(frame.image, pose, confidence)

    def _find(self, image: Picture, order: LookOrder) -> tuple[BoardPose, float | None]:
        if order.corners is not None:
            return pose_at(corners_in(image.shape[1], order.corners), image, self._closeups, order.size), None
        found = self._finder.find(image, order.size)
        return found.pose, found.confidence

    def _measure(self, image: Picture, pose: BoardPose, confidence: float | None) -> None:
        view = measure_view(image, pose, self._closeups(image, pose))
        quality = {
            "size": pose.size,
            "corners": [[round(float(x), 2), round(float(y), 2)] for x, y in pose.corners],
            "confidence": None if confidence is None else round(confidence, 4),
            "view": view.to_json(),
            "sentences": sentences(view),
        }
        self._report.send("quality", {"quality": quality})


def _finder(order: LookOrder, report: Report) -> BoardFinder:
    try:
        return BoardFinder(choice=BoardChoice.parse(order.board))
    except KifuwatchError as error:
        report.say(error=str(error))
        return BoardFinder()
