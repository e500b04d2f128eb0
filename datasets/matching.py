"""Whether what was reported is what happened: boards, moves and alerts held against the truth.

A board seen from above has four readings. Where nothing tells which is meant, any of them counts; then the whole
report is turned as one, moves, final board and alerts alike. Turns are clockwise quarters, as in Layout.turned.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.core.points import HIDDEN, Layout, Point
from kifuwatch.datasets.labelled import Corners, ExpectedAlert, Move

NEAR_ENOUGH = 0.5  # a corner is right within half a pitch of the true one
ALERT_EARLY, ALERT_LATE = 1.0, 15.0  # seconds around an expected alert


def turned_point(point: Point, size: int, quarters: int) -> Point:
    """Where a point lies when the board text is turned clockwise by this many quarter turns."""
    for _ in range(quarters % 4):
        point = Point(point.row, size - 1 - point.col)
    return point


def turned_move(move: Move, size: int, quarters: int) -> Move:
    """The same move on the turned board text."""
    return Move(move.colour, None if move.at is None else turned_point(move.at, size, quarters))


def corner_distances(found: Sequence[Sequence[float]], true: Corners, size: int) -> NDArray[np.float64]:
    """For each of the four turns, how far the worst corner is from the true one, in pitches of the true board.

    Entry ``q`` supposes that the found board text is the true one turned clockwise by ``q`` quarters. Pitches are
    those of the board itself, so a far corner is judged as strictly as a near one.
    """
    last = size - 1
    lattice = np.array([[0, 0], [last, 0], [last, last], [0, last]], dtype=np.float32)
    to_board = cv2.getPerspectiveTransform(np.array(true, dtype=np.float32), lattice)
    flat = np.column_stack([np.array(found, dtype=float), np.ones(4)]) @ to_board.T
    # The corner of the picture may lie beyond the board's horizon: in front is where the true corners are.
    flat *= np.sign(float(np.mean(np.column_stack([np.array(true, dtype=float), np.ones(4)]) @ to_board[2])))
    with np.errstate(divide="ignore", invalid="ignore"):
        places = flat[:, :2] / flat[:, 2:]
    worst = []
    for quarters in range(4):
        gaps = np.linalg.norm(places - np.roll(lattice, quarters, axis=0), axis=1)
        worst.append(float(gaps.max()) if np.all(np.isfinite(gaps)) and np.all(flat[:, 2] > 0) else np.inf)
    return np.array(worst)


def board_turn(found: Sequence[Sequence[float]], found_size: int, true: Corners, size: int) -> int | None:
    """By how many quarters the found board is turned against the true one; None when it is not that board."""
    if found_size != size:
        return None
    distances = corner_distances(found, true, size)
    best = int(distances.argmin())
    return best if distances[best] <= NEAR_ENOUGH else None


def wrong_points(read: Layout, true: Layout, turn: int) -> list[Point]:
    """The points of the reading that differ from the truth, in its own board text; true ``?`` are left out.

    A point that the reading calls hidden although the truth is known is wrong too.
    """
    expected = true.turned(turn)
    return [point for point, was, now in expected.changes(read) if was != HIDDEN and was != now]


@dataclass(frozen=True)
class MoveMatch:
    """Reported moves held against the expected ones.

    ``pairs``: places (in the expected list, in the reported list) of the moves that are right and in order.
    ``turn``: the quarter turn of the report that fits best.
    """

    expected: int
    reported: int
    pairs: tuple[tuple[int, int], ...]
    turn: int

    @property
    def right(self) -> int:
        """Moves that are right, in order."""
        return len(self.pairs)

    @property
    def exact(self) -> bool:
        """The game is recorded without one wrong, missing or extra move."""
        return self.right == self.expected == self.reported


def match_moves(expected: Sequence[Move], reported: Sequence[Move], size: int, hint: int | None = None) -> MoveMatch:
    """The longest agreement of two move lists, under the common quarter turn that makes it longest.

    ``hint`` settles a tie (a game of few moves): the turn under which the boards agree.
    """
    order = sorted(range(4), key=lambda quarters: quarters != hint)
    matches = []
    for turn in order:
        turned = [turned_move(move, size, turn) for move in expected]
        matches.append(MoveMatch(len(expected), len(reported), tuple(common_subsequence(turned, reported)), turn))
    return max(matches, key=lambda match: match.right)


def common_subsequence(first: Sequence[Move], second: Sequence[Move]) -> list[tuple[int, int]]:
    """A longest list of places (in the first, in the second), both growing, that hold the same move."""
    longest = np.zeros((len(first) + 1, len(second) + 1), dtype=int)
    for i in range(len(first) - 1, -1, -1):
        for j in range(len(second) - 1, -1, -1):
            same = first[i] == second[j]
            longest[i, j] = longest[i + 1, j + 1] + 1 if same else max(longest[i + 1, j], longest[i, j + 1])
    pairs, i, j = [], 0, 0
    while i < len(first) and j < len(second):
        if first[i] == second[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i + 1, j] >= longest[i, j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def match_steps(steps: Sequence[Iterable[Move]], reported: Sequence[Move], size: int) -> MoveMatch:
    """Like :func:`match_moves` for a game seen in steps: within one step the order of the stones is free.

    Passes are left out on both sides: nobody sees them in a folder of pictures.
    """
    played = [move for move in reported if move.at is not None]
    matches = []
    for turn in range(4):
        expected: list[Move] = []
        for step in steps:
            turned = [turned_move(move, size, turn) for move in step if move.at is not None]
            expected.extend(_in_the_order_of(played, turned, len(expected)))
        pairs = tuple(common_subsequence(expected, played))
        matches.append(MoveMatch(len(expected), len(played), pairs, turn))
    return max(matches, key=lambda match: match.right)


def _in_the_order_of(reported: Sequence[Move], step: Sequence[Move], start: int) -> list[Move]:
    """The moves of one step in the order in which they were reported, looking from about where the step begins."""
    slack = len(step) + 2
    window = list(reported[max(0, start - slack) : start + 2 * slack])
    return sorted(step, key=lambda move: window.index(move) if move in window else len(window))


@dataclass(frozen=True)
class ReportedAlert:
    """An alert as it was reported: ``seconds`` when it happened, ``seen`` when it was said."""

    code: str
    level: str
    seconds: float
    seen: float
    at: frozenset[Point]


@dataclass(frozen=True)
class AlertMatch:
    """Expected alerts that were met and missed, and reported ones that nothing expects."""

    met: tuple[ExpectedAlert, ...]
    missed: tuple[ExpectedAlert, ...]
    false: tuple[ReportedAlert, ...]


def match_alerts(
    expected: Sequence[ExpectedAlert], reported: Sequence[ReportedAlert], size: int, turn: int
) -> AlertMatch:
    """Hold alerts against what a scenario expects; notices of level ``info`` are never false, and meet only what is
    expected as a notice.

    An expected alert is met by one of its code that begins at most 1 s before and is said at most 15 s after its
    time and shares a point with it, if it names any. Several reports of one expected alert are not false.
    """
    counted = [alert for alert in reported if alert.level != "info"]
    met = [
        want
        for want in expected
        if any(_meets(alert, want, size, turn) for alert in (reported if want.notice else counted))
    ]
    false = [alert for alert in counted if not any(_meets(alert, want, size, turn) for want in expected)]
    return AlertMatch(tuple(met), tuple(want for want in expected if want not in met), tuple(false))


def _meets(alert: ReportedAlert, want: ExpectedAlert, size: int, turn: int) -> bool:
    if alert.code != want.code:
        return False
    if not want.seconds - ALERT_EARLY <= alert.seconds or not alert.seen <= want.seconds + ALERT_LATE:
        return False
    points = {turned_point(point, size, turn) for point in want.at}
    return not points or bool(points & alert.at)
