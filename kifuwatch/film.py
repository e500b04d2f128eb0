"""Following one board through a film: it stays where it is, drifts a little, jumps, is hidden, or goes out of view.

Readings count only as long as the board is known to be where it was. When nearly everything in view moves at once,
reading stops; when the picture is still again, the board is looked for, its text turned so that its stones agree with
those known before, and the game goes on. While nobody knows, nothing is read: nothing is made up.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.tracker import Stance, Standing, stance
from kifuwatch.core.errors import NoBoardError
from kifuwatch.core.points import Layout
from kifuwatch.core.times import FrameTime
from kifuwatch.vision.changes import Blindness, Change, blindness
from kifuwatch.vision.following import Sight
from kifuwatch.vision.lights import Lights
from kifuwatch.vision.sources import Frame
from kifuwatch.vision.surroundings import Surroundings
from kifuwatch.watch import (
    CONFIDENT,
    LARGEST_STEP,
    PLAIN_STEP,
    Finder,
    Found,
    Image,
    Notice,
    Pause,
    View,
    corner_gap,
    differences,
    known_after,
    place_of,
    turned_view,
)

EAGER_SECONDS = 2.0  # so long the board is looked for on every frame; then the best that was found is believed
PATIENT_SECONDS = 1.0  # afterwards once in so many seconds: something stands before it, and looking is dear
BUSY, CALM = 10.0, 5.0  # looks a second: enough to see a stone between two hands in fast play; and when nothing moves
BUSY_SECONDS = 1.0  # after the last movement
SURELY = 0.9  # a reading at least so probable is remembered
A_MOVE = 3.0  # seconds in which play changes a point
REMEMBER_EVERY, REMEMBER_BEFORE = 0.5, 0.4  # seconds: readings so shortly before a jump may be of the jump
REASONS = {
    "shaken": "the board or the camera was moved",
    "hidden": "the board was hidden, and may have been moved",
    "cut": "the source was interrupted",
    Blindness.DARK.value: "it was dark",
    Blindness.BLANK.value: "the camera gave no picture",
}


class Follower(Protocol):
    """Reads a board through a film."""

    def begin(self, image: Image, pose: BoardPose, time: FrameTime) -> Sight:
        """Read the whole board, and follow it from here on."""

    def try_at(self, image: Image, pose: BoardPose, time: FrameTime) -> Sight:
        """Read the whole board as if it were there, and go on following it where it was."""

    def look(self, image: Image, time: FrameTime) -> Sight:
        """Read what has changed since the last look."""

    def disown(self) -> None:
        """The last look was not at the board where it is followed."""

    def glance(self, image: Image) -> Change:
        """What has changed; nothing is read."""


@dataclass(frozen=True)
class FilmPatience:
    """When reading stops, and when it goes on. Shares are of the points of the board, times in seconds."""

    shaken: float = 0.5
    """Of the points in view move: a hand and its shadow are less, a bump is all of them."""
    still: float = 0.25
    """Of all points at most move when the board is looked for again: a hand may be back already."""
    rest: float = 0.25
    """It has been still for so long."""
    at_last: float = 2.0
    """After so long it is looked for whether or not it is still."""
    same: float = 0.04
    """Of the points at most look otherwise where nothing has moved after all."""
    believed: float = 3.0
    """After so long a board is believed although its stones are others, and an unclear one to be where it was."""
    unclear: float = 0.35
    """Of the points at most look otherwise then."""
    lost: float = 5.0
    """After so long the board is lost, and the arbiter is told."""
    blocked: float = 10.0
    """After so long that somebody stands before it, that is told instead, where its surroundings show as much."""
    hidden: float = 0.85
    """Where more of the points are covered, the board cannot be recognised, only what is around it."""
    dead: float = 3.0
    """After so long of pictures of one colour the camera is lost."""
    told: float = 2.0
    """A gap at least so long is told."""
    moved: float = 0.5
    """Pitches by which the board has to have moved for that to be told."""
    drifted: float = 0.6
    """Pitches of slow drift after which the finder is asked whether it is still the same lines."""
    light: float = 0.7
    """By how much brighter or darker the board has to be for that to be told; see :class:`Lights`."""
    light_lasts: float = 1.0
    light_again: float = 30.0
    """Seconds in which a change of light is told once: a camera that hunts its exposure would never end."""

    def pause(self, held: float) -> float:
        """Seconds from one look for the board to the next, when reading has been held for so long."""
        return 0.3 if held < self.at_last else 1.0 if held < 10 else 3.0


@dataclass
class _Hold:
    """Reading is held ``since``, because ``why``: the picture was shaken, cut, dark or blank, or hid the board.
    ``sighted``: since when it shows something again."""

    since: float
    why: str
    sighted: float
    still_from: float | None = None
    next_try: float = 0.0
    told: str = ""  # the code that the arbiter has been told


@dataclass(frozen=True)
class KnownBoard:
    """What was known of the board when it was last seen, at ``time`` (seconds): by an earlier source."""

    time: float
    layout: Layout


class FilmWatch:
    """The board of a film.

    The first frames may show a hand over the board. So a board found with doubt waits for a better look; when the
    first seconds are over, the best one found is believed. ``pose`` spares that search (corners by hand, a profile).
    ``known``: the board has been watched before, at this pose: it is looked for as after any interruption.
    """

    def __init__(
        self,
        finder: Finder,
        follower: Follower,
        size: int | None = None,
        pose: BoardPose | None = None,
        patience: FilmPatience | None = None,
        known: KnownBoard | None = None,
    ) -> None:
        self._finder, self._follower, self._size = finder, follower, size
        self._pose = pose
        self._patience = patience or FilmPatience()
        self._best: Found | None = None
        self._next_try = 0.0
        self._begun = False
        self._hold: _Hold | None = None
        self._known: Layout | None = None
        self._memory: deque[tuple[float, Layout]] = deque(maxlen=8)
        self._lights = Lights(self._patience.light, self._patience.light_lasts, self._patience.light_again)
        self._around = Surroundings()
        self._drifted = 0.0
        self._unsure = False
        self._moved_at = 0.0
        self._last_seen = 0.0
        self._notices: list[Notice] = []
        self.reason = "there is no picture to look at"
        self._followed = False
        self._before = known
        if known is not None and pose is not None:
            self._begun, self._known, self._last_seen = True, known.layout, known.time
            self._memory.append((known.time - REMEMBER_BEFORE, known.layout))
            self._hold = _Hold(known.time, "cut", known.time)

    @property
    def looks_a_second(self) -> float:
        """How many frames a second are worth looking at just now."""
        return BUSY if self._hold or not self._begun or self._last_seen - self._moved_at < BUSY_SECONDS else CALM

    @property
    def pause(self) -> Pause | None:
        """Since when, and why, readings say nothing of the board; None while they do."""
        return None if self._hold is None else Pause(self._hold.since, REASONS[self._hold.why])

    def notices(self) -> list[Notice]:
        """What became known of the view since this was asked last."""
        notices, self._notices = self._notices, []
        return notices

    def look(self, frame: Frame) -> View | None:
        """What this frame shows of the board; None while it has not been found, and when it is lost."""
        before, self._last_seen = self._last_seen, frame.time.seconds
        if not self._begun:
            return self._begin(frame)
        if frame.after_gap or self._before is not None:
            self._note_gap(before, frame.time.seconds)
        blind = blindness(frame.image)
        if blind is not Blindness.SEES:
            self._blind(frame, blind)
            return None
        if self._hold is None and self._pose is not None and self._pose.image_size != _size_of(frame):
            self._hold = _Hold(frame.time.seconds, "cut", frame.time.seconds)
        return self._follow(frame) if self._hold is None else self._wait(frame, self._hold)

    # Before the board is known

    def _begin(self, frame: Frame) -> View | None:
        if self._pose is None and frame.time.seconds >= self._next_try:
            self._search(frame)
        elif self._pose is not None:
            self._pose = self._where_it_lies(frame, self._pose)
        if self._pose is None:
            return None
        self._begun, self._moved_at = True, frame.time.seconds
        self._followed = True
        sight = self._follower.begin(frame.image, self._pose, frame.time)
        return self._seen(frame, sight)

    def _where_it_lies(self, frame: Frame, given: BoardPose) -> BoardPose:
        """The pose that was given, or where the board surely is instead, which is told."""
        pose, off = place_of(self._finder, frame.image, given, self._size)
        if off:
            self._size = pose.size
            self._tell("board-moved", frame.time.seconds, frame.time.seconds, True, {"place_given": off})
        return pose

    def _search(self, frame: Frame) -> None:
        now = frame.time.seconds
        try:
            found = self._finder.find(frame.image, self._size)
        except NoBoardError as error:
            self.reason = str(error)
        else:
            self.reason = "what looks like one was seen for a moment only, and not clearly"
            if self._best is None or found.confidence > self._best.confidence:
                self._best = found
        if self._best is not None and (self._best.confidence >= CONFIDENT or now >= EAGER_SECONDS):
            self._pose = self._best.pose
        elif now >= EAGER_SECONDS:
            self._next_try = now + PATIENT_SECONDS

    # While it is where it was

    def _follow(self, frame: Frame) -> View | None:
        assert self._pose is not None
        sight = self._follower.look(frame.image, frame.time)
        if sight.change.moving.any():
            self._moved_at = frame.time.seconds
        place = None if sight.closeup is None else stance(self._pose, sight.closeup, sight.vanished)
        why = self._why_doubted(frame, sight, place)
        if why:
            self._follower.disown()
            self._hold = _Hold(frame.time.seconds, why, frame.time.seconds)
            return None
        if place is not None and place.pose is not self._pose:
            self._pose = place.pose
            sight = self._follower.begin(frame.image, place.pose, frame.time)
        self._note_light(sight, frame.time.seconds)
        return self._seen(frame, sight)

    def _why_doubted(self, frame: Frame, sight: Sight, place: Stance | None) -> str:
        """Why the board may no longer be where it was; empty where it is."""
        if sight.unrest >= self._patience.shaken:
            return "shaken"
        if place is None:
            return ""
        if place.standing is Standing.GONE and sight.change.changed.mean() > self._patience.unclear / 2:
            return "shaken"
        if place.standing is Standing.HIDDEN:
            self._unsure = True
        stays = place.standing is not Standing.HERE or self._stays(frame, place, sight)
        return "" if stays else "hidden"

    def _stays(self, frame: Frame, place: Stance, sight: Sight) -> bool:
        """Whether this is surely still the same board on the same lines, after a slow drift or when all was hidden."""
        self._drifted += place.drift if place.pose is not self._pose else 0.0
        clear = sight.observation.covered.mean() < 1 - self._patience.shaken
        if self._drifted < self._patience.drifted and not (self._unsure and clear):
            return True
        self._drifted, self._unsure = 0.0, False
        try:
            found = self._finder.check(frame.image, place.pose)
        except NoBoardError:
            return True  # nothing better is known
        return corner_gap(found.pose, place.pose) < self._patience.moved

    def _seen(self, frame: Frame, sight: Sight) -> View:
        assert self._pose is not None
        now = frame.time.seconds
        if not self._memory or now - self._memory[-1][0] >= REMEMBER_EVERY:
            self._known = known_after(self._known, sight.observation.layout(SURELY))
            self._memory.append((now, self._known))
            if sight.observation.covered.mean() <= self._patience.unclear:
                self._around.remember(frame.image)
        return View(frame, self._pose, sight.observation)

    def _note_light(self, sight: Sight, now: float) -> None:
        if sight.observation.covered.mean() > self._patience.unclear:
            return
        factor = self._lights.update(sight.change.level, now)
        if factor is not None:
            self._tell("light-changed", now, now, False, {"brightness": f"{factor:.2f}"})

    # While nobody knows

    def _note_gap(self, before: float, now: float) -> None:
        """The source was interrupted: anything may have happened."""
        self._hold = self._hold or _Hold(before, "cut", now)
        if self._before is not None:
            self._hold.sighted, self._before = now, None
        if now - before >= self._patience.told:
            self._tell("camera-lost", before, now, True, _span(before, now))

    def _blind(self, frame: Frame, blind: Blindness) -> None:
        now = frame.time.seconds
        hold = self._hold = self._hold or _Hold(now, blind.value, now)
        hold.still_from, hold.sighted = None, now
        if blind is Blindness.BLANK and not hold.told and now - hold.since >= self._patience.dead:
            hold.told = "camera-lost"
            self._tell("camera-lost", hold.since, now, True, {"picture": "all of one colour"})
        elif blind is Blindness.DARK:
            hold.why = blind.value

    def _wait(self, frame: Frame, hold: _Hold) -> View | None:
        """Look for the board when the picture is still again."""
        assert self._pose is not None
        now, patience = frame.time.seconds, self._patience
        known_size = self._pose.image_size == _size_of(frame)
        change = self._follower.glance(frame.image) if known_size and self._followed else None
        quiet = change is None or change.moving.mean() <= patience.still
        hold.still_from = (hold.still_from if hold.still_from is not None else now) if quiet else None
        rested = hold.still_from is not None and now - hold.still_from >= patience.rest
        held = now - hold.sighted
        if now >= hold.next_try and (rested or held >= patience.at_last):
            changed = float(change.changed.mean()) if change is not None else 1.0 if known_size else None
            view = self._find_again(frame, hold, changed)
            if view is not None:
                return view
            hold.next_try = now + patience.pause(held)
        if not hold.told and held >= patience.lost:
            blocked = self._around.elsewhere(frame.image) is False
            if not blocked or held >= patience.blocked:
                hold.told = "view-blocked" if blocked else "board-lost"
                # As when it is the story that waits: the alert is of now, and says since when nothing is seen.
                self._tell(hold.told, now if blocked else hold.since, now, True, {"since": f"{hold.since:.1f}"})
        return None

    def _find_again(self, frame: Frame, hold: _Hold, changed: float | None) -> View | None:
        """The board on a frame after it was not known where; None where it cannot be told. ``changed``: the share of
        points that do not look as they did, None when the picture is another altogether."""
        assert self._pose is not None
        if changed is not None and changed <= self._patience.same and hold.why in ("shaken", "dark", "blank"):
            sight = self._follower.look(frame.image, frame.time)
            return self._go_on(frame, hold, View(frame, self._pose, sight.observation))
        near = self._found_near(frame) if changed is not None else None
        views = [] if near is None else [near]
        if near is None or self._differs(near, hold) > PLAIN_STEP:
            views += [view for view in [self._found_anywhere(frame)] if view is not None]
        believed = frame.time.seconds - hold.sighted >= self._patience.believed
        view = min(views, key=lambda each: self._differs(each, hold)) if views else None
        if view is not None and (believed or self._differs(view, hold) <= _played_meanwhile(hold, frame)):
            return self._go_on(frame, hold, view)
        if changed is not None and (old := self._where_it_was(frame, hold, changed, believed)) is not None:
            return self._go_on(frame, hold, old)
        return None

    def _found_near(self, frame: Frame) -> View | None:
        assert self._pose is not None
        try:
            found = self._finder.check(frame.image, self._pose)
        except NoBoardError:
            return None
        return self._view_at(frame, found.pose)

    def _found_anywhere(self, frame: Frame) -> View | None:
        """The board wherever it is in the picture, in the turn that agrees best with what was known."""
        pose = self._pose
        assert pose is not None
        try:
            found = self._finder.find(frame.image, pose.size)
        except NoBoardError as error:
            self.reason = str(error)
            return None
        # Where several boards are in view, any of them may be the one.
        views = [self._view_at(frame, each.pose) for each in (found, *found.others) if each.pose.size == pose.size]
        turns = [turned_view(view, quarters) for view in views for quarters in range(4)]
        scale = np.array(pose.image_size) / np.array(_size_of(frame))
        hold = self._hold

        def strangeness(each: View) -> tuple[int, float]:
            gap = np.linalg.norm(each.pose.corners * scale - pose.corners, axis=1).sum()
            return self._differs(each, hold), float(gap)

        # On an empty or symmetric board several turns agree: then the one nearest to where it was.
        return min(turns, key=strangeness)

    def _where_it_was(self, frame: Frame, hold: _Hold, changed: float, believed: bool) -> View | None:
        """The board at its old place, where somebody hides so much of it that no finder would find it there."""
        assert self._pose is not None
        sight = self._follower.try_at(frame.image, self._pose, frame.time)
        view = View(frame, self._pose, sight.observation)
        if sight.closeup is None or self._differs(view, hold) > PLAIN_STEP:
            return None
        if sight.observation.covered.mean() > self._patience.hidden and self._around.elsewhere(frame.image):
            return None  # nobody stands before the board
        standing = stance(self._pose, sight.closeup, sight.vanished).standing
        if standing is Standing.HIDDEN:
            self._unsure = True
        hidden_in_part = sight.observation.covered.mean() > self._patience.still / 2
        if standing is Standing.HIDDEN or (standing is Standing.HERE and hidden_in_part):
            return view
        return view if believed and changed <= self._patience.unclear else None

    def _view_at(self, frame: Frame, pose: BoardPose) -> View:
        return View(frame, pose, self._follower.try_at(frame.image, pose, frame.time).observation)

    def _differs(self, view: View, hold: _Hold | None) -> int:
        known = self._known_before(hold)
        return 0 if known is None else differences(known, view.observation.layout())

    def _known_before(self, hold: _Hold | None) -> Layout | None:
        """What was known shortly before reading stopped."""
        if hold is None:
            return self._known
        past = [layout for t, layout in self._memory if t <= hold.since - REMEMBER_BEFORE]
        return past[-1] if past else self._memory[0][1] if self._memory else None

    def _go_on(self, frame: Frame, hold: _Hold, view: View) -> View:
        """Reading goes on; what the gap was is told."""
        assert self._pose is not None
        now, past = frame.time.seconds, self._pose
        known = self._known_before(hold)
        differing = self._differs(view, hold)
        self._hold, self._pose, self._moved_at = None, view.pose, now
        self._known = known
        if view.pose is not past or not self._followed:
            self._followed = True
            sight = self._follower.begin(frame.image, view.pose, frame.time)
            view = View(frame, view.pose, sight.observation)
        self._tell_gap(hold, now, past, view.pose, differing)
        return view

    def _tell_gap(self, hold: _Hold, now: float, past: BoardPose, pose: BoardPose, differing: int) -> None:
        facts = _span(hold.since, now)
        if hold.told:
            self._tell(hold.told, hold.since, now, False, facts | {"seen": "again"})
        elif hold.why == Blindness.DARK.value:
            self._tell("light-changed", hold.since, now, False, facts)
        moved = past.image_size != pose.image_size or corner_gap(past, pose) >= self._patience.moved
        scattered = differing > PLAIN_STEP
        if moved or (scattered and hold.why == "shaken"):
            facts |= {"points_that_differ": str(differing)} if differing else {}
            # Where nothing has moved, stones that differ are the story's business: a hand may still be over them.
            self._tell("board-moved", hold.since, now, scattered and moved, facts)
        elif not hold.told and hold.why == "shaken" and now - hold.since >= self._patience.told:
            self._tell("board-moved", hold.since, now, False, facts)

    def _tell(self, code: str, t: float, seen: float, serious: bool, facts: dict[str, str]) -> None:
        self._notices.append(Notice(t, seen, code, serious, facts))


def _played_meanwhile(hold: _Hold, frame: Frame) -> int:
    """How many points may have changed while nobody looked: where the source was interrupted, play went on."""
    if hold.why != "cut":
        return PLAIN_STEP
    return min(PLAIN_STEP + int((frame.time.seconds - hold.since) / A_MOVE), LARGEST_STEP)


def _size_of(frame: Frame) -> tuple[int, int]:
    height, width = frame.image.shape[:2]
    return width, height


def _span(start: float, end: float) -> dict[str, str]:
    return {"from": f"{start:.1f}", "to": f"{end:.1f}"}
