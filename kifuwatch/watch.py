"""Following one board through a source: where it is on each frame, and what stands on it.

Two ways of watching. A film shows the board in one place, mostly: see :mod:`kifuwatch.film`. A folder holds
photographs, between which the camera may have been moved: on each the board is looked for again, and of its four turns
the one is taken that agrees best with the board as it was known before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.errors import NoBoardError
from kifuwatch.core.points import HIDDEN, Layout
from kifuwatch.core.times import FrameTime
from kifuwatch.vision.changes import Blindness, blindness
from kifuwatch.vision.observation import Observation
from kifuwatch.vision.sources import Frame

Image = NDArray[np.uint8]

PLAIN_STEP = 3  # so many changed points between two photographs need no second opinion
LARGEST_STEP = 12  # where no board is found, more changes than this at its old place mean that it is not there
CONFIDENT = 0.9  # a board found with this confidence is believed at once
ELSEWHERE = 0.5  # pitches off the place that was given: then it is the wrong place
UNCOUNTED = "too few lines are seen between the corners to count them: say how many there are with --size"


class Found(Protocol):
    """A board that was found."""

    @property
    def pose(self) -> BoardPose:
        """Where it is."""

    @property
    def confidence(self) -> float:
        """How sure that is, 0 to 1."""

    @property
    def others(self) -> Sequence[Found]:
        """Further boards in the same picture."""


class Finder(Protocol):
    """Finds a board in a picture."""

    def find(self, image: Image, size: int | None = None) -> Found:
        """The board in an image (h, w, 3) BGR. Raises NoBoardError."""

    def check(self, image: Image, pose: BoardPose) -> Found:
        """The board in an image, where it is known to be nearly. Raises NoBoardError when it is not there."""


class Reader(Protocol):
    """Reads the stones of a board whose place is known."""

    def read(self, image: Image, pose: BoardPose, time: FrameTime) -> Observation:
        """What one frame says of every point."""


@dataclass(frozen=True, eq=False)
class View:
    """One frame on which the board is known: where it is, and what was read."""

    frame: Frame
    pose: BoardPose
    observation: Observation


@dataclass(frozen=True)
class Notice:
    """Something became known of the view, not of the game. ``code``: one of the alerts of section A26; ``t`` when it
    happened or began, ``seen`` when it was noticed; ``serious``: the arbiter has to look. ``facts``: ``from`` and
    ``to`` say, in seconds, what was not seen."""

    t: float
    seen: float
    code: str
    serious: bool
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Pause:
    """Where the board is has not been known since a time (seconds); ``reason`` in words."""

    since: float
    reason: str


class Watch(Protocol):
    """Follows one board from frame to frame."""

    def look(self, frame: Frame) -> View | None:
        """What this frame shows of the board; None where it does not show it."""

    @property
    def pause(self) -> Pause | None:
        """Since when, and why, the pictures say nothing of the board although it was found; None when they do."""

    def notices(self) -> list[Notice]:
        """What became known of the view since this was asked last, in order."""

    @property
    def looks_a_second(self) -> float | None:
        """How many frames a second are worth looking at just now; None for all."""

    @property
    def reason(self) -> str:
        """Why the board was not found on the frames so far."""


def place_of(finder: Finder, image: Image, given: BoardPose, size: int | None) -> tuple[BoardPose, str]:
    """The pose that was given, or where the board is when that is surely elsewhere, and how far the given one is off:
    the camera was nudged after its profile was stored, the profile is of another board, corners are off by a line, or
    the board has other lines than was said."""
    height, width = image.shape[:2]
    found = _found_at(finder, image, given, size) if given.image_size == (width, height) else None
    if found is None:
        return given, ""  # nothing better is known
    boards = [found.pose, *(other.pose for other in found.others)]
    there = any(given.size == board.size and any_way_apart(given, board) < ELSEWHERE for board in boards)
    if there or found.confidence < CONFIDENT:
        return given, ""
    pose = min((found.pose.turned(k) for k in range(4)), key=lambda turned: corner_gap(given, turned))
    off = f"off by {corner_gap(pose, given):.1f} lines" if pose.size == given.size else f"has {given.size} lines"
    return pose, off


def _found_at(finder: Finder, image: Image, given: BoardPose, size: int | None) -> Found | None:
    """The board at a place that was given, or else anywhere; one of other lines than were asked for only there."""
    try:
        return finder.check(image, given)
    except NoBoardError:
        pass
    try:
        return finder.find(image, size)
    except NoBoardError:
        if size is None:
            return None
    try:
        found = finder.find(image)
    except NoBoardError:
        return None
    apart = min(any_way_apart(given, found.pose), any_way_apart(found.pose, given))
    return found if apart < ELSEWHERE else None


class LateWatch:
    """A watch that begins with the first picture that tells how many lines lie between given corners.

    ``count`` says how many a picture (h, w, 3) shows, None where too little is seen: a camera often begins with a
    black picture, and a hand may be over the board. ``make`` makes the watch of a board of so many lines.
    """

    def __init__(self, count: Callable[[Image], int | None], make: Callable[[int], Watch]) -> None:
        self._count, self._make = count, make
        self._watch: Watch | None = None

    def look(self, frame: Frame) -> View | None:
        """What this frame shows of the board; None as long as its lines cannot be counted."""
        if self._watch is None:
            lines = self._count(frame.image) if blindness(frame.image) is Blindness.SEES else None
            if lines is None:
                return None
            self._watch = self._make(lines)
        return self._watch.look(frame)

    @property
    def pause(self) -> Pause | None:
        """As the watch that was made says."""
        return None if self._watch is None else self._watch.pause

    def notices(self) -> list[Notice]:
        """As the watch that was made says."""
        return [] if self._watch is None else self._watch.notices()

    @property
    def looks_a_second(self) -> float | None:
        """As the watch that was made says; the first frame is looked at in any case."""
        return None if self._watch is None else self._watch.looks_a_second

    @property
    def reason(self) -> str:
        """As the watch that was made says."""
        return UNCOUNTED if self._watch is None else self._watch.reason


class FixedWatch:
    """A board whose place is given once for all pictures: each of them is read as a whole."""

    reason = "there is no picture to look at"
    looks_a_second: float | None = None
    pause: Pause | None = None

    def __init__(self, reader: Reader, pose: BoardPose) -> None:
        self._reader, self._pose = reader, pose

    def look(self, frame: Frame) -> View | None:
        """What this picture shows of the board."""
        return View(frame, self._pose, self._reader.read(frame.image, self._pose, frame.time))

    def notices(self) -> list[Notice]:
        """Nothing: where the board is is not asked."""
        return []


class FolderWatch:
    """The board of a folder of photographs: looked for on each, and turned so that it agrees with what was known.

    Where a photograph agrees badly, the board may have been found wrongly (a line too far, a hand in view): then
    the place from the photograph before is tried as well, and the better of the two is believed. That place says
    something only of pictures with as many pixels, and only where a board is seen there.
    """

    looks_a_second: float | None = None
    pause: Pause | None = None

    def __init__(self, finder: Finder, reader: Reader, size: int | None = None) -> None:
        self._finder, self._reader, self._size = finder, reader, size
        self._pose: BoardPose | None = None
        self._known: Layout | None = None
        self.reason = "there is no picture to look at"

    def look(self, frame: Frame) -> View | None:
        """What this photograph shows of the board; None where no board is found on it."""
        views = [view for view in [self._found_on(frame)] if view is not None]
        if self._pose is not None and not any(self._differs(view) <= PLAIN_STEP for view in views):
            old = self._at_old_place(frame, self._pose)
            views += [old] if old is not None and (views or self._differs(old) <= LARGEST_STEP) else []
        if not views:
            return None
        view = min(views, key=self._differs)
        self._pose, self._size = view.pose, view.pose.size
        self._known = known_after(self._known, view.observation.layout())
        return view

    def notices(self) -> list[Notice]:
        """Nothing: of a photograph without a board the recorder knows itself."""
        return []

    def _found_on(self, frame: Frame) -> View | None:
        try:
            pose = self._finder.find(frame.image, self._size).pose
        except NoBoardError as error:
            self.reason = str(error)
            return None
        view = self._read(frame, pose)
        if self._known is None or self._pose is None:
            return view
        turns = [turned_view(view, quarters) for quarters in range(4)]
        last = self._pose.corners
        # On an empty or symmetric board several turns agree: then the one nearest to the last picture.
        return min(turns, key=lambda each: (self._differs(each), _gap(each.pose.corners, last)))

    def _at_old_place(self, frame: Frame, pose: BoardPose) -> View | None:
        height, width = frame.image.shape[:2]
        if pose.image_size != (width, height):
            return None
        try:
            self._finder.check(frame.image, pose)
        except NoBoardError:
            return None
        return self._read(frame, pose)

    def _read(self, frame: Frame, pose: BoardPose) -> View:
        return View(frame, pose, self._reader.read(frame.image, pose, frame.time))

    def _differs(self, view: View) -> int:
        return 0 if self._known is None else differences(self._known, view.observation.layout())


def differences(known: Layout, seen: Layout) -> int:
    """At how many points that both show two boards differ."""
    if known.size != seen.size:
        return known.size**2
    return sum(HIDDEN not in (was, now) for _, was, now in known.changes(seen))


def known_after(known: Layout | None, seen: Layout) -> Layout:
    """What is known of the board after another look: what is hidden now is as it was."""
    if known is None or known.size != seen.size:
        return seen
    return seen.replaced({point: was for point, was, now in known.changes(seen) if now == HIDDEN})


def turned_view(view: View, quarters: int) -> View:
    """The same view with its board text turned clockwise by this many quarter turns."""
    if quarters % 4 == 0:
        return view
    return replace(view, pose=view.pose.turned(quarters), observation=turned_observation(view.observation, quarters))


def turned_observation(observation: Observation, quarters: int) -> Observation:
    """The same reading with its board text turned clockwise by this many quarter turns."""
    offsets = np.rot90(observation.offsets, -quarters)
    for _ in range(quarters % 4):
        # What pointed up points right, what pointed right points down.
        offsets = np.stack([offsets[..., 1], -offsets[..., 0]], axis=-1)
    return Observation(
        time=observation.time,
        probabilities=np.ascontiguousarray(np.rot90(observation.probabilities, -quarters)),
        covered=np.ascontiguousarray(np.rot90(observation.covered, -quarters)),
        offsets=np.ascontiguousarray(offsets),
        moving=np.ascontiguousarray(np.rot90(observation.moving, -quarters)),
    )


def corner_gap(one: BoardPose, other: BoardPose) -> float:
    """How far apart the corners of two poses are, at most, in pitches of the first."""
    return float(np.linalg.norm(one.corners - other.corners, axis=1).max()) / one.pitch


def any_way_apart(given: BoardPose, other: BoardPose) -> float:
    """How far apart two poses are, in pitches of the second, whichever way their texts are turned."""
    return min(corner_gap(other.turned(quarters), given) for quarters in range(4))


def _gap(corners: NDArray[np.float64], others: NDArray[np.float64]) -> float:
    return float(np.linalg.norm(corners - others, axis=1).sum())
