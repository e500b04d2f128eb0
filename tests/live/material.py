"""A hall without cameras: rows are put into real journals, as a recorder would."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any, cast

import httpx
from fastapi import FastAPI

from kifuwatch.arbiter.alerts import AlertTable
from kifuwatch.core.points import Colour
from kifuwatch.live.app import create_app
from kifuwatch.live.config import Delay, LiveConfig
from kifuwatch.live.hall import Hall
from kifuwatch.live.hub import Hub
from kifuwatch.live.setup import GameSetup, StationStatus, check_board
from kifuwatch.record.desk_journal import DeskJournal
from kifuwatch.record.journal import Journal

TOKEN = "a-token-for-tests-only"
FIRST_TWENTY = "Q16 D4 Q3 D17 R5 C15 O3 F4 K16 G16 C6 F17 R14 K4 J17 O17 P17 O16 R11 Q10"
OPENING = FIRST_TWENTY.split()


@cache
def alert_table() -> AlertTable:
    """The table of alerts, read once for all tests."""
    return AlertTable.load()


class Clock:
    """A clock that stands still until it is told to go on."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def text(self) -> str:
        from datetime import UTC, datetime

        return datetime.fromtimestamp(self.now, UTC).isoformat(timespec="milliseconds")


class Table:
    """A board whose camera is this test: it says what is played."""

    def __init__(self, board: str, folder: Path, clock: Clock) -> None:
        self.board, self.folder, self.clock = check_board(board), folder, clock
        self.state, self.note, self.source = "idle", "", ""
        self.asked: list[tuple[str, Any]] = []
        self._callbacks: list[Callable[[], None]] = []
        self._path: Path | None = None
        self.played = 0
        self.lines: int | None = None
        self.jpeg: bytes | None = None

    # What a recorder does

    def begin(self, size: int = 19, rules: str = "cn2002", **info: object) -> None:
        """A game begins on an empty board."""
        path = self.folder / f"{self.board}-{len(list(self.folder.glob('*.db')))}.db"
        with Journal.create(path, self.clock.text) as journal:
            DeskJournal(journal, alert_table()).begin(size, rules, **info)
            journal.append({"type": "board-found", "t": 0.0, "size": size, "corners": []})
        self._path, self.state, self.played, self.lines = path, "recording", 0, size
        self.tell()

    def row(self, **row: Any) -> int:
        """Whatever else the recorder has to say."""
        assert self._path is not None
        with Journal.open(self._path, self.clock.text) as journal:
            number = journal.append(row)
        self.tell()
        return number

    def play(self, *points: str, every: float = 10.0) -> None:
        """Moves in turn, Black first, so many seconds apart."""
        for at in points:
            self.play_one(at, every)
        self.tell()

    def play_one(self, at: str, every: float = 10.0) -> int:
        """One move, of which the server is not told; its row."""
        assert self._path is not None
        self.played += 1
        colour = Colour.BLACK if self.played % 2 else Colour.WHITE
        t = self.played * every
        row = {"type": "move", "t": t, "seen": t + 0.5, "number": self.played, "color": colour.value, "at": at}
        with Journal.open(self._path, self.clock.text) as journal:
            return journal.append(
                {**row, "captures": [], "inferred": False, "not_before": t - 1, "left_after": t - 0.2}
            )

    def alert(self, code: str, at: list[str], **more: Any) -> int:
        """The recorder calls the arbiter."""
        text = {"en": f"{code} at {' '.join(at)}", "zh": f"{code} {' '.join(at)}"}
        row = {"type": "alert", "t": 1.0, "seen": 1.5, "code": code, "level": "warning", "at": at, "move": self.played}
        return self.row(**row, articles={"cn2002": "20.1"}, evidence=[], text=text, **more)

    def tell(self) -> None:
        """What the station does after every row."""
        for callback in self._callbacks:
            callback()

    # What the server asks

    def status(self) -> StationStatus:
        game = self._path.stem if self._path else None
        return StationStatus(self.board, self.state, self.note, source=self.source, game_id=game, size=self.lines)

    def journal_path(self) -> Path | None:
        return self._path

    def on_change(self, callback: Callable[[], None]) -> None:
        self._callbacks.append(callback)

    def changed(self) -> None:
        self.tell()

    def picture(self) -> bytes | None:
        return self.jpeg

    def overlay(self) -> dict[str, Any] | None:
        return {"corners": [], "size": 19, "board": None, "width": 1280, "height": 720}

    def quality(self) -> dict[str, Any] | None:
        return {"verdict": "good"}

    def preview(self, source: str, size: Any = None, corners: Any = None, board: Any = None) -> None:
        from kifuwatch.live.sources import check_source

        self.source = check_source(source)
        self.state = "setup"
        self.asked.append(("preview", source))

    def start(self, setup: GameSetup) -> str:
        self.asked.append(("start", setup))
        self.begin(setup.size or 19, setup.rules, **setup.facts())
        return "game"

    def stop(self) -> None:
        self.state = "ended"
        self.tell()

    def pause(self) -> None:
        self.state = "paused"

    def resume(self) -> None:
        self.state = "recording"

    def evidence(self, alert_row: Mapping[str, Any]) -> list[Path]:
        return sorted((self.folder / f"evidence-{alert_row['id']}").glob("*"))

    def frame_of(self, move: int) -> Path | None:
        path = self.folder / f"move-{move}.jpg"
        return path if path.is_file() else None


class TestHall:
    """The tables of a test."""

    __test__ = False

    def __init__(self, folder: Path, clock: Clock) -> None:
        self.folder, self.clock = folder, clock
        self._tables: dict[str, Table] = {}

    @property
    def store(self) -> TestHall:
        return self

    def archive(self, game: str) -> bytes:
        return f"all of {game}".encode()

    def stations(self) -> list[Table]:
        return [self._tables[board] for board in sorted(self._tables)]

    def station(self, board: str) -> Table | None:
        return self._tables.get(board)

    def open(self, board: str) -> Table:
        return self._tables.setdefault(board, Table(board, self.folder, self.clock))


class Site:
    """A running server of a test, without a network: ``client`` is everybody, ``arbiter`` has logged in."""

    def __init__(self, app: FastAPI, hall: TestHall, clock: Clock) -> None:
        self.app, self.hall, self.clock = app, hall, clock
        self.hub: Hub = app.state.hub
        transport = httpx.ASGITransport(app)
        self.client = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8361")
        self.arbiter = httpx.AsyncClient(
            transport=transport, base_url="http://127.0.0.1:8361", headers={"X-Kifuwatch": "1"}
        )

    async def settle(self) -> None:
        """Let the server take in what has been played."""
        await self.hub.look({station.board for station in self.hall.stations()})

    async def get(self, address: str) -> Any:
        """A public answer as JSON."""
        answer = await self.client.get(address)
        assert answer.status_code == 200, answer.text
        return answer.json()


@asynccontextmanager
async def site(folder: Path, delay: Delay = Delay(), **more: Any) -> AsyncIterator[Site]:  # noqa: B008
    """A server over a hall of one table, ``1``."""
    clock = Clock()
    hall = TestHall(folder, clock)
    hall.open("1")
    config = LiveConfig(folder, TOKEN, delay=delay, **more)
    hub = Hub(config, cast(Hall, hall), clock, clock, alert_table())
    app = create_app(config, cast(Hall, hall), hub)
    async with app.router.lifespan_context(app):
        made = Site(app, hall, clock)
        await made.settle()
        answer = await made.arbiter.post("/api/login", json={"token": TOKEN})
        assert answer.status_code == 200, answer.text
        yield made
        await made.client.aclose()
        await made.arbiter.aclose()
