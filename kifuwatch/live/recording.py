"""Recording one game in the child process of its camera, from its beginning or from wherever it stands."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from kifuwatch.arbiter import AlertTable
from kifuwatch.arbiter.code import Code
from kifuwatch.calibration.closeup import CloseUpReader
from kifuwatch.calibration.finder import BoardFinder
from kifuwatch.calibration.given import board_between, lines_between
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.errors import KifuwatchError, NoBoardError
from kifuwatch.core.points import BLACK, HIDDEN, WHITE, Colour
from kifuwatch.film import FilmWatch, KnownBoard
from kifuwatch.live.beginnings import (
    MOST_HIDDEN,
    SURE,
    AwaitedStart,
    GameStory,
    adjourned,
    not_as_known,
    stones_missing,
    told_before,
)
from kifuwatch.live.exhibits import Exhibits
from kifuwatch.live.eye import Eye, corners_in
from kifuwatch.live.games import EVIDENCE, JOURNAL, POSE, RESERVE, SEEN
from kifuwatch.live.journal_keeper import LiveJournal
from kifuwatch.live.orders import Orders
from kifuwatch.live.plan import GamePlan
from kifuwatch.live.report import Report
from kifuwatch.live.seen import LastSeen
from kifuwatch.live.setup import ENDED, PAUSED, RECORDING
from kifuwatch.live.sources import TappedSource, is_clip
from kifuwatch.live.watching import LiveWatch
from kifuwatch.reconstruct import BoardFound, Event, Reconstructor
from kifuwatch.reconstruct.resuming import KnownGame, expected
from kifuwatch.record.lease import Lease
from kifuwatch.recorder import Keeper, Progress, Recorder, SoFar
from kifuwatch.vision.following import BoardFollower
from kifuwatch.watch import LateWatch, View, Watch

READINGS_A_SECOND = 10.0
LEASE_PATIENCE = 8.0
"""Seconds for which one who recorded this board before, and is just ending, is waited for."""
KEEP_EVERY = 2.0
"""Seconds between two notes of what was seen last."""
CORNERS_TOLD = "the board was set up again"


@dataclass(frozen=True)
class Desk:
    """What a child shares with all that it does: what is wanted of it, and where it tells how it goes."""

    orders: Orders
    report: Report
    eye: Eye


Watched = Callable[[GamePlan, tuple[int, int], BoardPose | None], Watch]
"""Makes the watch of a game: in frames of a size (width, height), where its board is as far as somebody has looked."""


def film_of(plan: GamePlan, size: tuple[int, int], pose: BoardPose | None) -> Watch:
    """The watch of a board before a camera; of a game that goes on, the board is looked for as after any gap."""
    lines, known = plan.setup.size, None

    def film_at(pose: BoardPose | None) -> FilmWatch:
        return FilmWatch(BoardFinder(), BoardFollower(), lines, pose, known=known)

    if plan.known is not None:
        pose, lines = plan.pose_in(size), plan.known.start.size
        known = KnownBoard(plan.last, plan.known.visible or expected(plan.known))
    elif plan.setup.corners is not None:
        corners, closeup = corners_in(size[0], plan.setup.corners), CloseUpReader()
        lines = lines or (None if pose is None else pose.size)  # they have been counted while it was set up

        def between(lines: int) -> FilmWatch:
            return film_at(board_between(corners, BoardSpec(lines), size))

        return between(lines) if lines else LateWatch(lambda image: lines_between(corners, image, closeup), between)
    return film_at(pose)


class GameRecording:
    """One game while it is being recorded. Holds the leases of board and journal until it is closed.

    Raises OutputError when somebody else records this board, or the journal cannot be written.
    """

    def __init__(self, plan: GamePlan, desk: Desk, watched: Watched | None = None) -> None:
        self._plan, self._desk, self._watched = plan, desk, watched or film_of
        self._table = AlertTable.load()
        self._law: Code = self._table.code(plan.setup.rules)
        self._story: Reconstructor | None = None
        self._awaited: AwaitedStart | None = None
        self._view: View | None = None
        self._paused = desk.orders.paused
        self._now, self._remembered = plan.last, float("-inf")
        with ExitStack() as stack:
            for path, what in (
                (plan.store.lease(plan.setup.board), f"board {plan.setup.board}"),
                (plan.folder / f"{JOURNAL}.lease", f"the game {plan.game_id}"),
            ):
                stack.callback(Lease.soon(path, what, LEASE_PATIENCE).release)
            self._exhibits = Exhibits(plan.folder / EVIDENCE, plan.alerts, written=desk.report.exhibited)
            self._journal = LiveJournal(
                plan.folder / JOURNAL,
                desk.report.kept,
                lambda sentence: desk.report.say(error=sentence),
                self._make_room,
            )
            stack.callback(self._journal.release)
            self._held = stack.pop_all()

    def close(self) -> None:
        """Let go of board and journal."""
        self._held.close()

    def run(self, source: TappedSource, pose: BoardPose | None) -> None:
        """Record to the end of the source, or until it is to stop. ``pose``: where the board is, as far as that is
        known from looking for it. Raises CameraLost when the camera gives no more pictures."""
        try:
            recorder = Recorder(
                self._watch(source, pose),
                self._begin,
                lambda incident: self._exhibits.named(self._table.alert(incident, self._law)),
                self._keepers(),
                self._progress,
                lambda: self._desk.orders.stopped,
                self._so_far(),
            )
            recorder.run(source, READINGS_A_SECOND)
        except (NoBoardError, KeyboardInterrupt):
            pass  # it was to end before a board was seen (again)
        self._journal.add([{"type": "status", "state": ENDED, "t": round(self._now, 3)}])
        if self._journal.waiting:
            raise KifuwatchError("what happened last cannot be written into the journal: the game is not ended yet")

    # The parts of a recorder

    def _watch(self, source: TappedSource, pose: BoardPose | None) -> LiveWatch:
        plan, desk = self._plan, self._desk
        inner = self._watched(plan, source.size, pose)
        may_freeze = not is_clip(plan.setup.source)
        return LiveWatch(inner, desk.orders, desk.report, desk.eye, plan.folder / POSE, self._seen, may_freeze)

    def _keepers(self) -> list[Keeper]:
        return [self._journal, self._exhibits]

    def _begin(self, lines: int) -> GameStory:
        """The story of a game that begins now, on a board of so many lines."""
        setup, known = self._plan.setup, adjourned(self._plan.setup)
        if known is not None and known.start.size == lines:
            return self._wait_for(known, told_before(known))
        ahead = setup.handicap >= 2 or setup.corner_stones
        sure = setup.corner_stones or (self._looks_empty() and not self._law.corner_stones)
        to_play = Colour.WHITE if setup.handicap >= 2 else self._law.first if sure else None
        self._story = Reconstructor(lines, self._law.rules, to_play=to_play)
        if not ahead:
            return self._story
        self._awaited = AwaitedStart(self._story, stones_missing(setup), "setup")
        return self._awaited

    def _looks_empty(self) -> bool:
        """Whether nothing lies on the board: then the game begins now, and it is known who begins."""
        if self._view is None:
            return False
        cells = self._view.observation.layout(SURE).cells
        return not set(cells) & {BLACK, WHITE} and cells.count(HIDDEN) <= MOST_HIDDEN * len(cells)

    def _wait_for(self, known: KnownGame, first: list[Event]) -> GameStory:
        self._story = Reconstructor.resumed(known, self._law.rules)
        self._story.hold(known.time, CORNERS_TOLD)
        self._awaited = AwaitedStart(self._story, not_as_known(known), "resume-differs", first)
        return self._awaited

    def _so_far(self) -> SoFar | None:
        """What has been told of a game that goes on; None for one that begins."""
        known, board, setup = self._plan.known, self._plan.board, self._plan.setup
        if known is None or board is None:
            return None
        found = BoardFound(board.t, board.size, board.corners)
        if self._plan.waiting and setup.continue_from is not None:
            return SoFar(self._wait_for(known, []), [found, *known.moves])
        if self._plan.waiting:
            return SoFar(self._begin(board.size), [found])
        self._story = Reconstructor.resumed(known, self._law.rules)
        return SoFar(self._story, [found, *known.moves])

    # While it goes on

    def _progress(self, progress: Progress) -> None:
        self._now = progress.seconds
        self._journal.flush()
        if self._desk.orders.paused != self._paused:
            self._paused = self._desk.orders.paused
            state = PAUSED if self._paused else RECORDING
            self._journal.add([{"type": "status", "state": state, "t": round(self._now, 3)}])

    def _seen(self, view: View) -> None:
        """One look at the board, which is known to be in its place."""
        self._view = view
        self._exhibits.look(view)
        now = view.frame.time.seconds
        if now - self._remembered < KEEP_EVERY:
            return
        self._remembered = now
        if self._story is not None and self._journal.waiting == 0:
            waiting = self._awaited is not None and self._awaited.waiting
            LastSeen.of(self._story, now, waiting).save(self._plan.folder / SEEN)

    def _make_room(self) -> bool:
        """The disk is full: the oldest pictures go first, then what was set aside for this."""
        if self._exhibits.trim():
            return True
        reserve = self._plan.folder / RESERVE
        try:
            reserve.unlink()
        except OSError:
            return False
        return True
