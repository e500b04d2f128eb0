"""Reading a film of one board: closely where the picture has changed, and of the rest what was read before.

What a look says is what reading the whole board on that picture would say: a cell is read again when its picture
changes, once more when it has come to rest, now and then while it is in doubt, and with the whole board every few
seconds. What rests and is in doubt is looked at twice (``second_look``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.closeup import PITCH, CloseUp, CloseUpReader, closeup_of
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.times import FrameTime
from kifuwatch.vision.centres import StoneCentres
from kifuwatch.vision.changes import Change, ChangeGauge
from kifuwatch.vision.colours import BoardColours
from kifuwatch.vision.observation import Observation
from kifuwatch.vision.second_look import look_again
from kifuwatch.vision.stones import READ_MARGIN, observe
from kifuwatch.vision.windows import Window, windows_round

Mask = NDArray[np.bool_]

CONTEXT = 3  # cells round those to be read that the network has to see
RESTED = 0.2  # seconds after the last change of a cell when it is read once more
DOUBT = 0.5  # seconds after which a cell in doubt is read again
SURE = 0.9  # a reading less probable than this is in doubt
WHOLE = 4.0  # seconds after which the whole board is read again
BRIGHTER = 0.12  # logarithm of a gain with which all of it looks different
SOON = 0.5  # seconds that pass at least before everything is read again because the light goes on changing
MUCH = 0.3  # of the cells: when so many have changed, all are read
A_POINT, NO_POINT = 0.85, -1.1  # log odds 0.7 and 0.25: where a grid point was seen and is seen no more, something lies


@dataclass(frozen=True, eq=False)
class Sight:
    """What one look says. ``closeup``: of the whole board, where all of it was read. ``change``: as the points of the
    board see it (n, n), without margin. ``unrest``: the share of the points in view where the picture moved.
    ``vanished`` (n, n): grid points that were seen here and are seen no more: something hides them, be it as plain as
    a sleeve; they are covered, too."""

    observation: Observation
    change: Change
    unrest: float
    closeup: CloseUp | None
    vanished: Mask


class BoardFollower:
    """Follows one board, which may be found anew at another place."""

    def __init__(self, closeup: CloseUpReader | None = None) -> None:
        self._network = closeup or CloseUpReader()
        self._colours = BoardColours()
        self._board: _Board | None = None

    def begin(self, image: NDArray[np.uint8], pose: BoardPose, time: FrameTime) -> Sight:
        """Read the whole board where it is now, and follow it from here on."""
        self._board = _Board(self._network, pose, self._colours)
        return self._board.look(image, time)

    def try_at(self, image: NDArray[np.uint8], pose: BoardPose, time: FrameTime) -> Sight:
        """Read the whole board as if it were there, and go on following it where it was."""
        board = _Board(self._network, pose, self._colours)
        if self._board is not None and self._board.pose is pose:
            board.usual[:] = self._board.usual
        return board.look(image, time)

    def look(self, image: NDArray[np.uint8], time: FrameTime) -> Sight:
        """Read what has changed since the last look. Raises ValueError before :meth:`begin`."""
        return self._known().look(image, time)

    def disown(self) -> None:
        """The last look was not at the board where it is followed: what was seen before is what it looks like."""
        self._known().gauge.take_back()

    def glance(self, image: NDArray[np.uint8]) -> Change:
        """What has changed, point by point (n, n), since the last look or glance and since it was read; nothing is
        read."""
        return self._known().glance(image)

    def _known(self) -> _Board:
        if self._board is None:
            raise ValueError("a board is followed only from where it begins")
        return self._board


class _Board:
    """One board at one place: all that is known of its cells, in the turn in which the network sees them."""

    def __init__(self, network: CloseUpReader, pose: BoardPose, colours: BoardColours) -> None:
        self.pose, self.colours, self._network = pose, colours, network
        self._centres = StoneCentres()
        self._turn, self._straighten = network.view(pose, READ_MARGIN)
        self.gauge = ChangeGauge(pose.turned(self._turn), READ_MARGIN)
        self._last: Observation | None = None
        n = pose.size + 2 * READ_MARGIN
        self._maps: NDArray[np.float32] | None = None
        self._picture = np.zeros((n * PITCH, n * PITCH, 3), np.uint8)
        self._changed, self._read = np.full((n, n), -np.inf), np.full((n, n), -np.inf)
        self._doubtful = np.zeros((n, n), np.bool_)
        self._whole = float("-inf")
        self.usual = np.full((n, n), -np.inf, np.float32)
        self._vanished = np.zeros((pose.size, pose.size), np.bool_)
        self._covered = np.zeros((pose.size, pose.size), np.bool_)

    def glance(self, image: NDArray[np.uint8]) -> Change:
        return self._on_board(self.gauge.look(image))

    def look(self, image: NDArray[np.uint8], time: FrameTime) -> Sight:
        now = time.seconds
        change = self.gauge.look(image)
        if self._maps is not None:
            self._changed[change.changed] = now
        begun, closeup = self._last is not None, None
        windows = self._windows(change, now)
        if windows is None:
            closeup = self._read_whole(image, now)
        elif windows:
            self._read_parts(image, windows, now)
        covered = self._covered
        if windows is None or windows:
            seen = closeup or closeup_of(self._all_maps(), self._picture, self._turn, READ_MARGIN)
            self._observe(self._looked_at_again(seen, now), time)
        return self._sight(self._on_board(change), covered, begun, time, closeup)

    def _looked_at_again(self, closeup: CloseUp, now: float) -> CloseUp:
        """A close-up with second looks at what was read now and has not just changed; that is remembered."""
        rests = (self._read == now) & (self._changed < now)
        better = look_again(self._network, closeup, self.pose, np.rot90(rests, self._turn))
        if better is not closeup:
            self._all_maps()[..., :4] = np.rot90(better.stones, -self._turn)
        return better

    def _observe(self, closeup: CloseUp, time: FrameTime) -> None:
        points = self._all_maps()[..., 4]
        np.maximum(self.usual, points, out=self.usual)
        seen = observe(closeup, self.pose, time, self.colours, self._centres)
        m = READ_MARGIN
        self._vanished = np.rot90(((self.usual > A_POINT) & (points < NO_POINT))[m:-m, m:-m], self._turn)
        self._covered = seen.covered
        self._last = replace(seen, covered=seen.covered | self._vanished)
        self._note_doubt(self._last)

    def _sight(
        self, change: Change, covered_before: Mask, begun: bool, time: FrameTime, closeup: CloseUp | None
    ) -> Sight:
        assert self._last is not None
        hidden = self._covered | covered_before
        # What comes out from under a hand has not moved itself.
        moving = change.moving & ~hidden if begun else np.zeros_like(hidden)
        in_view = int(np.count_nonzero(~hidden))
        unrest = float(np.count_nonzero(moving)) / in_view if in_view >= hidden.size / 5 else 0.0
        self._last = replace(self._last, time=time, moving=moving & ~self._last.covered)
        return Sight(self._last, change, unrest, closeup, self._vanished)

    def _windows(self, change: Change, now: float) -> list[Window] | None:
        """What is to be read at this look; None for everything."""
        since = now - self._whole
        other_light = abs(float(np.log(change.gain))) > BRIGHTER and since >= SOON
        if self._maps is None or since >= WHOLE or other_light or change.changed.mean() >= MUCH:
            return None
        rested = (self._read < self._changed + RESTED) & (now >= self._changed + RESTED)
        doubted = self._doubtful & (now - self._read >= DOUBT)
        wanted = _grown(change.changed) | rested | doubted
        if not wanted.any():
            return []
        windows = windows_round(wanted, CONTEXT)
        return None if windows[0].wanted == (0, 0, *wanted.shape) else windows

    def _read_whole(self, image: NDArray[np.uint8], now: float) -> CloseUp:
        self._picture = self._straighten(image)
        self._maps = self._network.answers(self._picture)
        self.gauge.take_over()
        self._read[:], self._whole = now, now
        return closeup_of(self._maps, self._picture, self._turn, READ_MARGIN)

    def _read_parts(self, image: NDArray[np.uint8], windows: list[Window], now: float) -> None:
        maps, done = self._all_maps(), np.zeros_like(self._doubtful)
        for window in windows:
            left, top, right, bottom = window.wanted
            x, y = window.shown[:2]
            picture = self._straighten.part(image, window.shown)
            inner = np.s_[top - y : bottom - y, left - x : right - x]
            maps[top:bottom, left:right] = self._network.answers(picture)[inner]
            pixels = np.s_[(top - y) * PITCH : (bottom - y) * PITCH, (left - x) * PITCH : (right - x) * PITCH]
            self._picture[top * PITCH : bottom * PITCH, left * PITCH : right * PITCH] = picture[pixels]
            done[top:bottom, left:right] = True
        self.gauge.take_over(done)
        self._read[done] = now

    def _all_maps(self) -> NDArray[np.float32]:
        assert self._maps is not None
        return self._maps

    def _note_doubt(self, seen: Observation) -> None:
        doubtful = (seen.probabilities.max(axis=2) < SURE) & ~seen.covered
        m = READ_MARGIN
        self._doubtful[m:-m, m:-m] = np.rot90(doubtful, -self._turn)

    def _on_board(self, change: Change) -> Change:
        m, turn = READ_MARGIN, self._turn
        changed, moving = (np.rot90(mask[m:-m, m:-m], turn) for mask in (change.changed, change.moving))
        return replace(change, changed=changed, moving=moving)


def _grown(cells: Mask) -> Mask:
    """These cells and all next to them: a stone leans over into the next."""
    wide = np.pad(cells, 1)
    rows = wide[:-2] | wide[1:-1] | wide[2:]
    grown: Mask = rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]
    return grown
