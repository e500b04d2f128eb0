"""One game as a child is to record it: what is known of it already, where its board was, and when its time began."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.profile import load_profile
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.errors import KifuwatchError
from kifuwatch.live.games import ABOUT, JOURNAL, POSE, SEEN, GameStore
from kifuwatch.live.orders import RecordOrder
from kifuwatch.live.seen import LastSeen
from kifuwatch.live.setup import GameSetup
from kifuwatch.live.sources import TEST, speed_of
from kifuwatch.reconstruct import BoardFound
from kifuwatch.reconstruct.resuming import KnownGame
from kifuwatch.record.events_read import event_of, events_of
from kifuwatch.record.files import write_whole
from kifuwatch.record.journal import Journal
from kifuwatch.record.lease import boot_id


@dataclass(frozen=True)
class Clocks:
    """The clocks of the machine: one that only runs forward while it is on, and the one on the wall, in seconds."""

    steady: Callable[[], float]
    wall: Callable[[], float]
    boot: str


def machine_clocks() -> Clocks:
    """Those of this machine. The steady one is the same for all processes, and runs on while the machine sleeps."""
    kind = getattr(time, "CLOCK_BOOTTIME", None)
    steady = time.monotonic if kind is None else lambda: time.clock_gettime(kind)
    return Clocks(steady, time.time, boot_id())


@dataclass(frozen=True)
class Origin:
    """When the time of a game began: by the steady clock of one run of the machine, and by the one on the wall.
    ``clip``: that of a clip that is played, in its own seconds; ``speed``: how fast it is."""

    steady: float
    wall: float
    boot: str
    clip: float = 0.0
    speed: float = 1.0

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Origin | None:
        """As kept in JSON; None where it is not."""
        try:
            numbers = (float(body["steady"]), float(body["wall"]))
            return cls(*numbers, str(body["boot"]), float(body.get("clip", 0.0)), float(body.get("speed", 1.0)))
        except (KeyError, ValueError, TypeError):
            return None

    def elapsed(self, clocks: Clocks, last: float) -> float:
        """Seconds of the game until now, and never before ``last``, when something was last seen of it. A wall clock
        that was put right changes nothing as long as the machine stays on."""
        same = bool(self.boot) and self.boot == clocks.boot
        gone = clocks.steady() - self.steady if same else clocks.wall() - self.wall
        return max(gone * self.speed, last)


@dataclass(frozen=True)
class GamePlan:
    """A game to be recorded. ``known`` is None for one that has no board yet; ``last``: when it was last seen."""

    store: GameStore
    game_id: str
    folder: Path
    setup: GameSetup
    known: KnownGame | None
    board: BoardFound | None
    pose: BoardPose | None
    waiting: bool
    origin: Origin | None
    last: float
    alerts: int

    @classmethod
    def of(cls, order: RecordOrder) -> GamePlan:
        """What the folder of a game holds. Raises InputError and what it is a root of, in one sentence."""
        store = GameStore(Path(order.home))
        about, folder = store.about(order.game_id), store.folder(order.game_id)
        with Journal.open(folder / JOURNAL) as journal:
            rows = journal.rows()
        last = max((float(row.get("seen", row.get("t", 0.0)) or 0.0) for row in rows if "t" in row), default=0.0)
        seen = LastSeen.load(folder / SEEN)
        known = KnownGame.of(events_of(rows), last)
        if known is not None and seen is not None:
            known = seen.added_to(known)
        board = next((e for e in map(event_of, rows) if isinstance(e, BoardFound)), None)
        origin = Origin.of(about["origin"])
        waiting = known is not None and seen is not None and seen.waiting
        setup = GameSetup.from_dict(about["setup"])
        last, alerts = known.time if known is not None else last, sum(row.get("type") == "alert" for row in rows)
        return cls(store, order.game_id, folder, setup, known, board, _pose(folder), waiting, origin, last, alerts)

    def pose_in(self, size: tuple[int, int]) -> BoardPose | None:
        """Where the board was, in pictures of ``size`` (width, height)."""
        if self.pose is not None or self.board is None:
            return self.pose
        return BoardPose.from_corners(self.board.corners, BoardSpec(self.board.size), size)

    def clip_start(self, clocks: Clocks) -> float:
        """Where a clip goes on, in its own seconds: a test clip runs on by itself, as a camera does; of a file
        nothing is left out."""
        if self.origin is None:
            return 0.0
        gone = self.last
        if self.setup.source.startswith(TEST):
            gone = self.origin.elapsed(clocks, self.last)
        return self.origin.clip + gone

    def begin_time(self, clocks: Clocks, clip: float) -> None:
        """The game begins now, at ``clip`` seconds of a clip. Raises OutputError."""
        origin = {
            "steady": clocks.steady(),
            "wall": clocks.wall(),
            "boot": clocks.boot,
            "clip": clip,
            "speed": speed_of(self.setup.source),
        }
        about = {"setup": self.setup.as_dict(), "origin": origin}
        write_whole(self.folder / ABOUT, json.dumps(about, ensure_ascii=False, indent=1).encode())


def _pose(folder: Path) -> BoardPose | None:
    path = folder / POSE
    try:
        return load_profile(path) if path.exists() else None
    except KifuwatchError:
        return None  # the journal says where the board was found
