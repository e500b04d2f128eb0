"""Each point by itself becomes settled: uncovered, and read the same for long enough.

In fast play there is nearly always a hand somewhere over the board, so a whole clear view may never come. Every
point keeps its own account instead. Time in which a cell is clearly read is paid in, a contrary reading takes out
twice as much, and a covered point keeps what it had: covered is not empty.

Arrays are flat, indexed as ``Layout.cells``.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kifuwatch.core.points import EMPTY, HIDDEN, Layout, Point
from kifuwatch.vision.observation import CELLS, Observation

UNKNOWN = -1
GAPS = 4
"""So many times out of view are remembered for each point."""
SHORTEST_GAP = 0.5
"""Seconds out of view in which a stone can be put down and taken off."""
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class SettleTiming:
    """How long a reading has to last, in seconds of view, and what a doubtful view is worth."""

    needed: float = 0.35
    """Clear view before a cell counts: in play at 1.2 s a move with a hand over the stone for 0.6 s, about
    0.5 s remain before the next hand comes; a shorter time lets in what fingers look like between two frames."""
    beside_cover: float = 0.35
    """Worth of a view with one or two covered neighbours: what shows there may be a fingertip."""
    most_covered: int = 3
    """So many covered neighbours of eight make a view worth nothing: the edge of a hand is there."""
    surely_hand: int = 6
    """So many covered points are a hand however long they stay covered."""
    lasting_cover: float = 2.0
    """Fewer, for so many seconds, are none."""
    moving: float = 0.25
    """Worth of a view while the picture changes at the point."""
    uncovered: float = 0.6
    """Seconds after a point was covered in which its view is worth as little as beside a cover: a fingertip that
    stays behind looks like wood."""
    least_sure: float = 0.55
    """A reading less probable than this pays nothing in."""
    plain: float = 0.75
    """A reading less probable than this does not show that nothing has changed yet."""
    fully_sure: float = 0.9
    """A reading at least so probable pays in full."""
    was_sure: float = 0.95
    """A point that was read so surely before is not read with doubt for nothing."""
    memory: float = 0.5
    """Seconds over which readings of one point are averaged while no hand comes near."""
    memory_touched: float = 0.12
    """The same just after a hand was there: what was read before it says nothing."""
    blink: float = 0.5
    """Seconds between two frames in which a hand can come and go unseen; so long after a hand was seen beside a
    point its fingers may still be there."""
    hand_about: float = 1.0
    """Seconds before and after a hand was seen anywhere in which its fingers may have been taken for board."""
    least_hand: int = 3
    """So many covered points at least are a hand."""
    about: float = 0.7
    """Clear view before a change counts when a hand was about, though not seen near it."""
    about_sure: float = 0.8
    """And so sure it must be read."""
    memory_about: float = 0.3
    """The time over which readings are averaged then."""
    untouched: float = 2.5
    """Clear view before a stone counts as gone or as another where no hand has been seen, for that is a misreading."""
    untouched_stone: float = 1.5
    """The same for a new stone: the hand that laid it may have been taken for board."""
    untouched_sure: float = 0.9
    """And so sure it must be read for so long."""


@dataclass(frozen=True)
class Settled:
    """A point that came to hold another cell.

    ``since``: the first moment it was seen so. ``not_before``: the last moment it was clearly seen as it was
    before (minus infinity when never). What happened, happened between the two. ``touched``: a hand was near then.
    """

    point: Point
    was: str
    now: str
    since: float
    not_before: float
    touched: bool = True


@dataclass
class SettleFilter:
    """The accounts of all points of a board of ``size`` lines.

    ``settled_views``: each frame is a settled view by itself, so a single uncovered reading counts at once.
    """

    size: int
    settled_views: bool = False
    timing: SettleTiming = field(default_factory=SettleTiming)

    def __post_init__(self) -> None:
        count = self.size * self.size
        self.cell = np.full(count, UNKNOWN, dtype=np.int8)
        """Index into ``CELLS`` of the settled cell, or UNKNOWN."""
        self.since = np.full(count, -np.inf)
        """When the settled cell was first seen."""
        self.not_before = np.full(count, -np.inf)
        """When the cell before it was last clearly seen."""
        self.agreed = np.full(count, -np.inf)
        """When the settled cell was last clearly seen, with nothing speaking against it."""
        self.clear = np.full(count, -np.inf)
        """When the point was last in clear view, whatever was read."""
        self.covered = np.full(count, -np.inf)
        """When the point was last covered."""
        self.free = np.zeros(count)
        """Seconds that the settled cell was in view with nothing near it: the stone has left the hand."""
        self.free_before = np.zeros(count)
        """The same of the cell before."""
        self.gaps = np.full((GAPS, 2, count), -np.inf)
        """The latest times out of view, from and to, the newest first."""
        self.touched = np.full(count, -np.inf)
        """When a hand was last over or beside the point, or nobody looked."""
        self.by_hand = np.ones(count, dtype=bool)
        """Whether a hand was anywhere about when the settled cell came."""
        self.beside_hand = np.ones(count, dtype=bool)
        """Whether it was near the point."""
        self.hidden_until = np.full(count, -np.inf)
        """When the point was last covered before the settled cell was first seen."""
        self.held = np.zeros((count, 3))
        """Seconds of sure view in which each cell was read."""
        self.belief = np.full((count, 3), 1 / 3)
        """What has been read of late in clear view, as likelihoods: anew after each touch, else over ``memory``."""
        self.surest = np.zeros(count)
        """How surely the settled cell has been read at best since it came."""
        self.hand = -np.inf
        """When a hand was last seen anywhere over the board, or nobody looked."""
        self.now = -np.inf
        self._covered_from = np.full(count, -np.inf)
        self._unclear = np.full(count, -np.inf)  # since when the point is read with doubt
        self._score = np.zeros((count, 3))
        self._began = np.full((count, 3), np.inf)
        self._hidden = np.full((count, 3), -np.inf)
        self._near = np.zeros((count, 3), dtype=bool)  # a hand was near when a cell began to be read
        self._about = np.zeros((count, 3), dtype=bool)  # one was anywhere over the board then
        self._rows = np.arange(count)

    @property
    def known(self) -> float:
        """The share of points that have been settled at least once."""
        return float(np.count_nonzero(self.cell != UNKNOWN)) / len(self.cell)

    def layout(self) -> Layout:
        """The settled cells; ``?`` where a point has not been seen yet."""
        return Layout(self.size, "".join(np.array((*CELLS, HIDDEN))[self.cell]))

    def update(self, seen: Observation) -> list[Settled]:
        """Take one frame in; the points that became another cell by it, in the order of the board text.

        Raises ValueError when the observation is of another size.
        """
        if seen.size != self.size:
            raise ValueError(f"an observation of {seen.size} lines came to a board of {self.size}")
        now = seen.time.seconds
        gain = self._gain(now)
        covered = seen.covered.ravel()
        self._covered_from[covered & (self.covered < self.now)] = now
        self._step = now - self.now
        self.now = now
        read = seen.probabilities.reshape(-1, 3).argmax(axis=1)
        weight = self._weight(seen)
        view = weight > 0
        self.covered[covered] = now
        self._note_touch(seen, now)
        self._believe(seen, view, now)
        self._note_gaps(view, now)
        self.clear[view] = now
        self._account(read, weight * gain, view, now)
        self._credit_free(seen, read, view, gain, now)
        return self._settle()

    def _note_touch(self, seen: Observation, now: float) -> None:
        """Where a hand can have changed something since the frame before."""
        if self._step > self.timing.blink or self.settled_views:
            self.touched[:] = self.hand = now
            return
        if np.count_nonzero(seen.covered) >= self.timing.least_hand:
            self.hand = now
        if seen.covered.any():
            self.touched[(neighbours(seen.covered) + seen.covered).ravel() > 1] = now  # one alone is a flicker

    def _believe(self, seen: Observation, view: BoolArray, now: float) -> None:
        """Readings of one point one after the other err alike: they are averaged, not multiplied."""
        read = seen.probabilities.reshape(-1, 3)
        timing, step = self.timing, min(self._step, 60.0)
        memory = timing.memory_about if now - self.hand <= timing.hand_about else timing.memory
        slow, fast = (1.0 - np.exp(-step / seconds) for seconds in (memory, timing.memory_touched))
        share = np.where(now - self.touched <= timing.blink, fast, slow)
        share = np.where(view, share, 0.0)[:, None]
        self.belief += share * (read - self.belief)
        np.maximum(self.surest, self.belief[self._rows, np.maximum(self.cell, 0)], out=self.surest)

    def sure(self, index: int) -> float:
        """How surely the settled cell of a point has been read since it came, at best and over a moment, 0..1."""
        return float(self.surest[index])

    def _note_gaps(self, view: BoolArray, now: float) -> None:
        """Points that come into view again after more than a moment."""
        back = np.flatnonzero(view & (now - self.clear > SHORTEST_GAP))
        if len(back):
            self.gaps[1:, :, back] = self.gaps[:-1, :, back]
            self.gaps[0, 0, back], self.gaps[0, 1, back] = self.clear[back], now

    def out_of_view(self, index: int, start: float, end: float) -> bool:
        """Whether a stone can have been put on a point and taken off again unseen, between two times."""
        gaps = [(float(a), float(b)) for a, b in self.gaps[:, :, index]]
        if self.now - self.clear[index] > SHORTEST_GAP:
            gaps.append((float(self.clear[index]), self.now))
        return any(min(b, end) - max(a, start) > SHORTEST_GAP for a, b in gaps)

    def _gain(self, now: float) -> float:
        """Seconds that this frame stands for: at most half of what is needed, so that two frames are asked."""
        if self.settled_views:
            return self.timing.needed / self.timing.beside_cover
        step = now - self.now if np.isfinite(self.now) else self.timing.needed
        return float(min(max(step, 0.0), self.timing.needed / 2))

    def _weight(self, seen: Observation) -> FloatArray:
        """What the view of each point is worth, 0..1."""
        timing = self.timing
        best = seen.probabilities.reshape(-1, 3).max(axis=1)
        sure = (best - timing.least_sure) / (timing.fully_sure - timing.least_sure)
        weight: FloatArray = np.clip(sure, 0.0, 1.0).astype(np.float64)
        weight[seen.covered.ravel()] = 0.0
        if self.settled_views:
            return np.where(weight > 0, 1.0, 0.0)
        unclear = self._newly_unclear(seen, best)
        if seen.covered.any():
            weight[neighbours(seen.covered).ravel() > 0] *= timing.beside_cover
            weight[neighbours(self._hand_like(seen) | unclear).ravel() >= timing.most_covered] = 0.0
        weight[seen.moving.ravel()] *= timing.moving
        weight[seen.time.seconds - self.covered < timing.uncovered] *= timing.beside_cover
        return weight

    def _newly_unclear(self, seen: Observation, best: FloatArray) -> BoolArray:
        """Uncovered points (n, n) that were read surely and now are not: beside covered points that is more of the
        hand. What stays so is glare or wear."""
        now = seen.time.seconds
        unclear = (best < self.timing.fully_sure) & (self.surest >= self.timing.was_sure) & ~seen.covered.ravel()
        fresh = unclear & ~np.isfinite(self._unclear)
        self._unclear[fresh] = now
        self._unclear[~unclear] = -np.inf
        return (unclear & (now - self._unclear < self.timing.lasting_cover)).reshape(seen.covered.shape)

    def _hand_like(self, seen: Observation) -> BoolArray:
        """Covered points (n, n) but a few that have been so for long: a stone put down there hides them from a low
        camera, and itself is in full view."""
        if np.count_nonzero(seen.covered) >= self.timing.surely_hand:
            return seen.covered
        lasting = seen.time.seconds - self._covered_from >= self.timing.lasting_cover
        return seen.covered & ~lasting.reshape(seen.covered.shape)

    def _account(self, read: NDArray[np.intp], pay: FloatArray, view: BoolArray, now: float) -> None:
        """Pay into the account of the cell that was read, take out of the two others."""
        before = self._score[self._rows, read]
        self._score[view] -= 2.0 * pay[view, None]
        np.maximum(self._score, 0.0, out=self._score)
        fresh = view & (before <= 0.0)
        self._began[self._rows[fresh], read[fresh]] = now
        self._note_hand(read, view, fresh, now)
        self._hidden[self._rows[fresh], read[fresh]] = self.covered[fresh]
        self.held[self._rows[view], read[view]] += pay[view]
        after = np.minimum(before + pay, self.timing.needed)
        self._score[self._rows[view], read[view]] = after[view]

    def _note_hand(self, read: NDArray[np.intp], view: BoolArray, fresh: BoolArray, now: float) -> None:
        """Whether a hand was there when a cell began to be read: since the last look before, or a moment later."""
        timing, rows = self.timing, self._rows
        before = np.minimum(self.agreed, now)
        near, about = self.touched >= before - timing.blink, self.hand >= before - timing.hand_about
        self._near[rows[fresh], read[fresh]] = near[fresh]
        self._about[rows[fresh], read[fresh]] = about[fresh]
        age = now - self._began[rows, read]
        late = view & ~fresh & (age <= timing.blink) & (self.touched >= now)
        self._near[rows[late], read[late]] = True
        if self.hand >= now:
            late = view & (age <= timing.hand_about)
            self._about[rows[late], read[late]] = True

    def _credit_free(self, seen: Observation, read: NDArray[np.intp], view: BoolArray, gain: float, now: float) -> None:
        """Note where the settled cell is seen as it is, and where it is seen so with no hand near."""
        same = view & (read == self.cell)
        rivals = self._score.sum(axis=1) - self._score[self._rows, np.maximum(self.cell, 0)]
        plain = seen.probabilities.reshape(-1, 3).max(axis=1) >= (0.0 if self.settled_views else self.timing.plain)
        self.agreed[same & plain & (rivals <= 0.0)] = now
        covered = seen.covered
        free = same & (neighbours(covered, reach=2).ravel() == 0) if covered.any() else same
        self.free[free] += gain

    def _settle(self) -> list[Settled]:
        best = self._score.argmax(axis=1)
        full = self._score[self._rows, best] >= self.timing.needed - 1e-9
        changed = np.flatnonzero(full & (best != self.cell))
        blank = Layout.empty(self.size)
        return [
            self._become(i, int(best[i]), blank.point(i)) for i in map(int, changed) if self._counts(i, int(best[i]))
        ]

    def _counts(self, index: int, cell: int) -> bool:
        """Whether a change is believed already: one that no hand can have made is a misreading at first."""
        timing, belief = self.timing, float(self.belief[index, cell])
        lasting = self.now - float(self._began[index, cell])
        if self.cell[index] == UNKNOWN or self._near[index, cell]:
            return True
        if self._about[index, cell] and lasting >= timing.about and belief >= timing.about_sure:
            return True
        needed = timing.untouched_stone if CELLS[self.cell[index]] == EMPTY else timing.untouched
        return lasting >= needed and belief >= timing.untouched_sure

    def _become(self, i: int, cell: int, point: Point) -> Settled:
        names = (*CELLS, HIDDEN)
        began = float(self._began[i, cell])
        last = float(self.agreed[i]) if self.cell[i] != UNKNOWN else -np.inf
        was = names[int(self.cell[i])]
        self.beside_hand[i] = self._near[i, cell]
        self.by_hand[i], self.surest[i] = bool(self._near[i, cell] or self._about[i, cell]), self.belief[i, cell]
        self.cell[i], self.since[i], self.not_before[i] = cell, began, min(last, began)
        self.hidden_until[i] = min(self._hidden[i, cell], began)
        self.agreed[i], self.free_before[i], self.free[i] = self.now, self.free[i], 0.0
        self._score[i, [c for c in range(3) if c != cell]] = 0.0
        return Settled(point, was, CELLS[cell], began, float(self.not_before[i]), bool(self.by_hand[i]))

    def leaning(self, index: int) -> bool:
        """Whether something other than the settled cell has been read at a point of late."""
        rest = self._score[index].sum() - self._score[index, max(int(self.cell[index]), 0)]
        return bool(rest > 0.5 * self.timing.needed)

    def unsettled(self) -> bool:
        """Whether any point in view is about to become another cell."""
        rest = self._score.sum(axis=1) - self._score[self._rows, np.maximum(self.cell, 0)]
        return bool((rest > 0.5 * self.timing.needed).any())

    def wholly_clear_since(self, time: float, longest_cover: float = 20.0) -> bool:
        """Whether every point has been in clear view after ``time``.

        Points that were covered without a break for ``longest_cover`` before it are left out: something lies
        there, and no stone can have come there lately without its being moved.
        """
        unseen = self.clear < time
        return not bool((unseen & (self.clear > time - longest_cover)).any())


def neighbours(mask: BoolArray, reach: int = 1) -> NDArray[np.int16]:
    """How many points of ``mask`` (n, n) lie within ``reach`` lines of each point, the point itself left out."""
    size = mask.shape[0]
    padded = np.zeros((size + 2 * reach, size + 2 * reach), dtype=np.int16)
    padded[reach:-reach, reach:-reach] = mask
    wide = 2 * reach + 1
    across = np.zeros((size + 2 * reach, size), dtype=np.int16)
    for k in range(wide):
        across += padded[:, k : k + size]
    total = -mask.astype(np.int16)
    for k in range(wide):
        total += across[k : k + size]
    return total
