"""A photograph becomes a position: find the board, read it, say what is in doubt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kifuwatch.calibration.boards import BoardChoice
from kifuwatch.calibration.closeup import CloseUp, CloseUpReader
from kifuwatch.calibration.finder import BoardFinder, FoundBoard
from kifuwatch.calibration.given import pose_at
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.points import HIDDEN, Layout, Point
from kifuwatch.core.times import FrameTime
from kifuwatch.vision.doubt import shipped_doubt
from kifuwatch.vision.observation import Observation
from kifuwatch.vision.second_look import look_again
from kifuwatch.vision.stones import observe

UNCERTAIN = 0.98  # a point whose best reading is less probable is listed


@dataclass(frozen=True)
class UncertainPoint:
    """A point that could be read otherwise, with the probability of each reading."""

    at: Point
    empty: float
    black: float
    white: float
    covered: bool = False


@dataclass(frozen=True, eq=False)
class Reading:
    """A board read from one picture.

    ``layout`` holds the best reading of every point, covered ones included (they are listed in ``uncertain``);
    ``confidence`` (0..1) is the probability that a board of this size is where ``pose`` says and at most two of its
    points are misread; ``score`` (0..1) is the finder's own. ``others`` are further boards in the picture, that were
    not read.
    """

    pose: BoardPose
    layout: Layout
    confidence: float
    uncertain: tuple[UncertainPoint, ...]
    observation: Observation
    others: tuple[FoundBoard, ...] = ()
    score: float = 1.0

    @property
    def size(self) -> int:
        """Lines of the board."""
        return self.layout.size

    @property
    def corners(self) -> NDArray[np.float64]:
        """(4, 2) pixels of the outermost points: top-left, top-right, bottom-right, bottom-left of the board text."""
        return self.pose.corners

    def to_json(self) -> dict[str, Any]:
        """The object that ``kifuwatch read --json`` prints."""
        doubts = [
            {"at": str(p.at), "empty": p.empty, "black": p.black, "white": p.white}
            | ({"covered": True} if p.covered else {})
            for p in self.uncertain
        ]
        return {
            "size": self.size,
            "board": self.layout.rows,
            "corners": np.round(self.corners, 2).tolist(),
            "confidence": round(self.confidence, 4),
            "uncertain": doubts,
            "boards": [_board_json(self.pose, True), *(_board_json(other.pose, False) for other in self.others)],
        }


def _board_json(pose: BoardPose, taken: bool) -> dict[str, Any]:
    """A board in view, for programs: size, corners, and whether it is the one that was read."""
    return {"size": pose.size, "corners": np.round(pose.corners, 2).tolist(), "taken": taken}


class BoardReader:
    """Reads photographs; loads its networks once. ``choice`` says which board is meant where several are in view."""

    def __init__(
        self,
        finder: BoardFinder | None = None,
        closeup: CloseUpReader | None = None,
        choice: BoardChoice | None = None,
    ) -> None:
        self._closeup = closeup or CloseUpReader()
        self._finder = finder or BoardFinder(closeup=self._closeup, choice=choice)

    def read(
        self,
        image: NDArray[np.uint8],
        size: int | None = None,
        corners: ArrayLike | None = None,
        spec: BoardSpec | None = None,
    ) -> Reading:
        """The board in a picture (h, w, 3), BGR.

        ``corners`` (4, 2) pixels given by hand replace finding: only how many lines are between them is looked for
        then, where ``size`` does not say. Raises NoBoardError when none is found, UsageError for bad corners.
        """
        if corners is None:
            found = self._finder.find(image, size, spec)
            return replace(self._reading(found.closeup, found.pose, found.confidence), others=found.others)
        pose = pose_at(corners, image, self._closeup, size, spec)
        return self._reading(self._closeup(image, pose), pose, 1.0)

    def _reading(self, closeup: CloseUp, pose: BoardPose, score: float) -> Reading:
        closeup = look_again(self._closeup, closeup, pose)
        return reading_of(pose, observe(closeup, pose, FrameTime(0)), score)


def reading_of(pose: BoardPose, observation: Observation, score: float) -> Reading:
    """What an observation says as one position, with its doubts; ``score`` is the finder's."""
    layout, doubt = observation.layout(), shipped_doubt()
    chances = doubt.of_points(observation.probabilities, observation.covered)
    best = np.array([".", "X", "O"])[chances.argmax(axis=2)]
    full = Layout(layout.size, "".join(best.ravel()))
    doubts = []
    for index, cell in enumerate(layout.cells):
        line, col = divmod(index, layout.size)
        if cell == HIDDEN or chances[line, col].max() < UNCERTAIN:
            empty, black, white = (round(float(p), 3) for p in chances[line, col])
            doubts.append(UncertainPoint(layout.point(index), empty, black, white, cell == HIDDEN))
    confidence = doubt.of_board(score, chances)
    return Reading(pose, full, confidence, tuple(doubts), observation, score=score)
