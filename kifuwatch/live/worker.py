"""What is told of each board, worked out once: in a thread of its own, which alone reads the journals."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from kifuwatch.arbiter.alerts import AlertTable
from kifuwatch.arbiter.dead import Proposal, propose_dead
from kifuwatch.arbiter.desk_state import Phase
from kifuwatch.core.errors import KifuwatchError, UsageError
from kifuwatch.core.points import Layout
from kifuwatch.live.book import Book
from kifuwatch.live.config import LiveConfig
from kifuwatch.live.desk_json import Sources, desk_state
from kifuwatch.live.setup import StationStatus
from kifuwatch.live.state import Json, brief, clock_state, empty_state, public_record, public_state, to_bytes
from kifuwatch.live.station import Station
from kifuwatch.live.story import Row, Story
from kifuwatch.record.clock_journal import moment_of
from kifuwatch.record.desk_journal import DeskJournal
from kifuwatch.record.desk_sgf import desk_to_sgf
from kifuwatch.record.journal import Journal

log = logging.getLogger("kifuwatch.live")
Files = tuple[int, ...]


@dataclass
class Told:
    """What is told of one board now, made once for everybody.

    ``plain``: the public state with its clock as last read, ``core`` its bytes, by which it is seen whether there is
    anything new; ``only_station``: that nothing else has changed; ``files_seen``: how many pictures lie to the moves
    and to each alert; ``written``: when the last row was, in seconds since 1970.
    """

    plain: Json
    public: Json
    public_bytes: bytes
    brief: Json
    core: bytes
    station: Json
    changed: float
    desk: Json | None = None
    desk_bytes: bytes | None = None
    files_seen: Files = ()
    written: float | None = None
    only_station: bool = False
    files: dict[str, bytes] = field(default_factory=dict)
    """Game records made of it, when first asked for."""


class Worker:
    """Reads journals and folds games. Everything in here runs in one thread, unless it says otherwise.

    ``aside``: where slow work goes; ``again``: called with a board, from any thread, when that is done.
    """

    def __init__(
        self,
        config: LiveConfig,
        table: AlertTable,
        monotonic: Callable[[], float],
        wall: Callable[[], float],
        aside: Executor,
        again: Callable[[str], None],
    ) -> None:
        self.table = table
        self._config, self._monotonic, self._wall = config, monotonic, wall
        self._aside, self._again = aside, again
        self.books: dict[str, Book] = {}
        self._made: dict[str, Told] = {}
        self._faults: dict[str, str] = {}
        self._proposals: dict[str, tuple[Layout, Proposal | None]] = {}

    def work_out(self, board: str, station: Station, marked: bool) -> Told | None:
        """What is to be told of a board when that is something new; the arbiter's part of it is still that of before,
        see :meth:`with_desk`. ``marked``: the station has said that there is something, pictures perhaps."""
        try:
            status = station.status()
            book, fresh = self._book(board, station.journal_path())
            changed = book.refresh() if book is not None else False
        except KifuwatchError as error:
            if self._faults.get(board) != str(error):  # once, not every second
                self._faults[board] = str(error)
                log.warning("the journal cannot be read", extra={"board": board, "error": str(error)})
            return None
        self._faults.pop(board, None)
        before, shown = self._made.get(board), station_json(status, self._wall())
        if before is not None and not changed and not fresh:
            more = marked and book is not None and self._files(book, station) != before.files_seen
            if not more:
                if same_status(before.station, shown):
                    return None
                self._made[board] = replace(before, station=shown, only_station=True)
                return self._made[board]
        self._made[board] = self._new(board, status.game_id, book, station, shown)
        return self._made[board]

    def _book(self, board: str, path: Path | None) -> tuple[Book | None, bool]:
        """The book of the game that a board has now; whether it is another than before."""
        book = self.books.get(board)
        if book is not None and book.path == path:
            return book, False
        if book is not None:
            self.books.pop(board).close()
        if path is None or not path.is_file():
            return None, book is not None
        self.books[board] = Book(path, self.table, self._config.delay, self._monotonic, self._wall)
        return self.books[board], True

    def _files(self, book: Book, station: Station) -> Files:
        story = book.desk
        if story is None:
            return ()
        cameras = [entry.camera for entry in story.state.moves if entry.camera is not None]
        frames = sum(station.frame_of(number) is not None for number in cameras)
        rows = [book.teller.row(alert.row) or {} for alert in story.state.alerts]
        return (frames, *(len(station.evidence(row)) for row in rows))

    def _new(self, board: str, game: str | None, book: Book | None, station: Station, shown: Json) -> Told:
        before, delay = self._made.get(board), self._config.delay
        public = book.public if book is not None else None
        state = empty_state(board) if public is None else public_state(board, game, public, delay.moves)
        state |= {"delay": {"seconds": delay.seconds, "moves": delay.moves}}
        plain, core = dict(state), to_bytes(state)
        if before is not None and before.core == core:  # nothing new for everybody: not even that there was something
            told = replace(before, station=shown, only_station=False)
        else:
            if public is not None and book is not None and state.get("clock"):
                state["clock"] = clock_state(public.state.clock, self._now(book.rows, delay.seconds))
            sent = to_bytes(state | {"station": shown})
            told = Told(plain, state, sent, brief(state), core, shown, self._wall())
        told = replace(told, written=_written(book.rows) if book is not None else None)
        if before is not None and book is not None and public is not None and before.public["game_id"] == game:
            return replace(told, desk=before.desk, desk_bytes=before.desk_bytes, files_seen=before.files_seen)
        return told

    def with_desk(self, board: str, station: Station) -> Told:
        """What is told of a board, with the arbiter's part of it worked out anew."""
        told, book = self._made[board], self.books.get(board)
        desk = book.desk if book is not None else None
        if book is None or desk is None:
            self._made[board] = replace(told, desk=None, desk_bytes=None, files_seen=())
            return self._made[board]
        proposal, now = self._proposal(board, desk), self._now(book.rows)
        sources = Sources(self.table, station.evidence, station.frame_of, proposal, now)
        made = desk_state(board, told.public["game_id"], desk, book.teller, sources) | {"station": told.station}
        seen = self._files(book, station)
        self._made[board] = replace(told, desk=made, desk_bytes=to_bytes(made), files_seen=seen)
        return self._made[board]

    def _now(self, rows: list[Row], behind: float = 0.0) -> float | None:
        """What time it is in the rows' own time."""
        wall = datetime.fromtimestamp(self._wall() - behind, UTC).isoformat()
        try:
            return moment_of(rows, wall)
        except UsageError:
            return None

    def _proposal(self, board: str, story: Story) -> Proposal | None:
        """Which chains are probably dead, while a game is counted and nobody has said: worked out aside."""
        state = story.state
        if state.phase is not Phase.COUNTING or state.dead is not None:
            return None
        layout, found = self._proposals.get(board, (None, None))
        if layout != state.board:
            self._proposals[board] = (state.board, None)
            done = self._aside.submit(propose_dead, state.board)
            done.add_done_callback(lambda future: self._proposed(board, state.board, future))
            return None
        return found

    def _proposed(self, board: str, layout: Layout, future: Future[Proposal]) -> None:
        if not future.cancelled() and future.exception() is None:
            self._proposals[board] = (layout, future.result())
            if board in self._made:
                self._made[board] = replace(self._made[board], files_seen=(-1,))
            self._again(board)

    def sgf(self, told: Told) -> bytes:
        """The public record of what is told; made once. Raises KeyError for a board without a game."""
        if "sgf" not in told.files:
            public = self.books[told.public["board"]].public
            assert public is not None
            told.files["sgf"] = desk_to_sgf(public_record(public, self._config.delay.moves))
        return told.files["sgf"]

    def running(self, board: str) -> tuple[Path, float | None] | None:
        """The journal of a game whose clock runs, and what time it is in it."""
        book = self.books.get(board)
        story = book.desk if book is not None else None
        clock = story.state.clock if story is not None else None
        if book is None or clock is None or clock.running is None or clock.paused:
            return None
        return book.path, self._now(book.rows)

    def raise_due(self, path: Path, now: float | None) -> bool:
        """Add the alerts of a clock that are due; whether there were any. For any thread, and may take its time."""
        with Journal.open(path) as journal:
            return bool(DeskJournal(journal, self.table).raise_due(now))

    def close(self) -> None:
        """Close the journals."""
        for book in self.books.values():
            book.close()
        self.books.clear()


def _written(rows: list[Row]) -> float | None:
    """When the last row was written, in seconds since 1970."""
    try:
        return datetime.fromisoformat(str(rows[-1]["at_time"])).timestamp()
    except (IndexError, KeyError, ValueError):
        return None


def station_json(status: StationStatus, now: float) -> Json:
    """How a station stands at ``now`` (seconds since 1970), for everybody: without its source, which may hold a
    password."""
    return {
        "at": round(now, 2),
        "state": status.state,
        "note": status.note,
        "note_since": round(status.note_since, 1),
        "last_picture_age": None if status.last_picture_age is None else round(status.last_picture_age, 1),
    }


def same_status(before: Json, after: Json) -> bool:
    """Whether nothing has changed that has to be told: seconds that go on by themselves are not."""
    return (before.get("state"), before.get("note")) == (after["state"], after["note"])
