"""All kept games as plain files in a folder, for any static host; see :mod:`kifuwatch.live.layout`."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from kifuwatch.arbiter.alerts import AlertTable
from kifuwatch.core.errors import KifuwatchError, OutputError
from kifuwatch.live.book import Book
from kifuwatch.live.config import Delay
from kifuwatch.live.games import JOURNAL, GameStore
from kifuwatch.live.layout import Published, layout
from kifuwatch.live.setup import check_board
from kifuwatch.live.state import public_record, public_state
from kifuwatch.record.desk_sgf import desk_to_sgf
from kifuwatch.record.files import write_whole


class Publisher:
    """Writes the games of a store into ``target``, as far as the public may know them."""

    def __init__(
        self,
        store: GameStore,
        target: Path,
        delay: Delay,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._target, self._delay = store, target, delay
        self._monotonic, self._wall = monotonic, wall
        self._table = AlertTable.load()
        self._books: dict[str, Book] = {}
        self._made: dict[str, Published] = {}
        self.faults: dict[str, str] = {}

    def publish(self) -> int:
        """Bring the folder up to date; how many files were written. Files that are right are not touched.

        A game that cannot be read is left out and named in ``faults``. Raises OutputError when nothing can be written.
        """
        for game in self._games():
            try:
                self._refresh(game)
            except KifuwatchError as error:
                self.faults[game] = str(error)
        return sum(self._write(self._target / path, content) for path, content in layout(self._made.values()).items())

    def _games(self) -> list[str]:
        if not self._store.root.is_dir():
            return []
        return sorted(path.name for path in self._store.root.iterdir() if (path / JOURNAL).is_file())

    def _refresh(self, game: str) -> None:
        book = self._books.get(game)
        if book is None:
            book = Book(self._store.journal(game), self._table, self._delay, self._monotonic, self._wall)
            self._books[game] = book
        if not book.refresh():
            return
        story = book.public
        if story is None:
            return
        board = check_board(str(story.info.get("board", "1")))
        state = public_state(board, game, story, self._delay.moves)
        self._made[game] = Published(state, desk_to_sgf(public_record(story, self._delay.moves)))

    def _write(self, path: Path, content: bytes) -> bool:
        try:
            if path.is_file() and path.read_bytes() == content:
                return False
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"cannot write {path}: {(error.strerror or str(error)).lower()}") from error
        write_whole(path, content)
        return True

    def close(self) -> None:
        """Close the journals."""
        for book in self._books.values():
            book.close()
