"""The journal of a game: what happened, row after row, in one SQLite file to which things are only ever added.

SGF, alerts, ledger and result are folds over it. It is written in WAL mode with full synchronisation: a row that has
been acknowledged survives a crash, and a recorder and an arbiter's desk can have it open at the same time.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from kifuwatch.core.errors import FileFormatError, InputError, OutputError

APPLICATION, VERSION = 0x6B696675, 2
LOG_PAGES = 256
"""Pages of 4 kB in the log after which it is taken into the journal: a row takes one or two."""
PATIENCE = 10.0
"""Seconds to wait while the other side is writing."""
_FOLLOW = """
CREATE TRIGGER events_follow BEFORE INSERT ON events WHEN NEW.id > 0 AND NEW.id <= (SELECT max(id) FROM events)
BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END;
"""
_MIGRATIONS = {1: _FOLLOW}
"""What makes a journal of a version one of the next. 2: a row cannot be put in the place of another (``INSERT OR
REPLACE`` runs no trigger of deletion)."""
_SCHEMA = f"""
CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, body TEXT NOT NULL);
CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END;
CREATE TRIGGER events_remain BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'the journal is only added to'); END;
{_FOLLOW}
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
"""


def wall_clock() -> str:
    """Now, as ISO 8601 in UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Journal:
    """One journal. ``clock`` says when a row is written."""

    def __init__(self, path: Path, connection: sqlite3.Connection, clock: Callable[[], str] = wall_clock) -> None:
        self.path, self._connection, self._clock = path, connection, clock

    @classmethod
    def create(cls, path: Path, clock: Callable[[], str] = wall_clock) -> Journal:
        """A new one. Raises OutputError when there is a file already, or none can be written."""
        if path.exists():
            raise OutputError(f"{path} exists already: a journal is never overwritten")
        if not path.parent.is_dir():
            raise OutputError(f"cannot write {path}: there is no folder {path.parent}")
        try:
            connection = _connect(path)
            connection.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise OutputError(f"cannot write the journal {path}: {error}") from error
        return cls(path, connection, clock)

    @classmethod
    def open(cls, path: Path, clock: Callable[[], str] = wall_clock) -> Journal:
        """One that exists. Raises InputError where there is none, FileFormatError where the file is no journal.

        A journal of an earlier version is brought up to this one, after a copy of it has been laid beside it
        (``NAME.v1``); where that cannot be written it is read as it is.
        """
        if not path.is_file():
            raise InputError(f"cannot read the journal {path}: no such file")
        try:
            connection = _connect(path)
            found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
        except sqlite3.Error as error:
            raise FileFormatError(f"{path} is no journal of a game ({error})") from error
        if found[0] != APPLICATION:
            connection.close()
            raise FileFormatError(f"{path} is no journal of a game")
        if not 1 <= found[1] <= VERSION:
            connection.close()
            known = f"and versions 1 to {VERSION} are known"
            raise FileFormatError(f"{path} is a journal of version {found[1]}, {known}")
        if found[1] < VERSION:
            _migrate(path, connection)
        return cls(path, connection, clock)

    def append(self, body: Mapping[str, Any]) -> int:
        """Add one row; its id. It lasts once this returns. Raises OutputError when it cannot be written."""
        text = json.dumps(
            {key: value for key, value in body.items() if key not in {"id", "at_time"}}, ensure_ascii=False
        )
        try:
            done = self._connection.execute("INSERT INTO events (at, body) VALUES (?, ?)", (self._clock(), text))
        except sqlite3.Error as error:
            raise OutputError(f"cannot write the journal {self.path}: {error}") from error
        assert done.lastrowid is not None
        return done.lastrowid

    def rows(self, after: int = 0) -> list[dict[str, Any]]:
        """All rows behind one, each with its ``id`` and the time ``at_time`` at which it was written. Raises
        FileFormatError for rows that cannot be read."""
        try:
            found = self._connection.execute("SELECT id, at, body FROM events WHERE id > ? ORDER BY id", (after,))
            return [{**json.loads(body), "id": number, "at_time": at} for number, at, body in found]
        except (sqlite3.Error, ValueError, TypeError) as error:
            raise FileFormatError(f"the journal {self.path} cannot be read ({error})") from error

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else adds rows meanwhile; what was added here is dropped again when an exception ends it. Within
        another it is a part of that one."""
        if self._connection.in_transaction:
            yield
            return
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise OutputError(f"cannot write the journal {self.path}: {error}") from error
        try:
            yield
        except BaseException:
            self._roll_back()
            raise
        try:
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            raise OutputError(f"cannot write the journal {self.path}: {error}") from error

    def _roll_back(self) -> None:
        """Drop what was added; where SQLite has done so itself (a full disk), there is nothing to do."""
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")

    def shrink(self) -> bool:
        """Take the log beside the journal into it, so that it takes no room of its own; whether that could be done.
        Rows in the log are whole all the same."""
        try:
            busy, _, _ = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error:
            return False
        return not busy

    def copy(self) -> bytes:
        """The journal as it is now, as one whole file. Raises OutputError when it cannot be read."""
        try:
            with closing(sqlite3.connect(":memory:")) as whole:
                self._connection.backup(whole)
                # One file, without the log beside it: in a copy nobody writes at the same time.
                whole.execute("PRAGMA journal_mode = DELETE")
                return whole.serialize()
        except sqlite3.Error as error:
            raise OutputError(f"the journal {self.path} cannot be copied: {error}") from error

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _migrate(path: Path, connection: sqlite3.Connection) -> None:
    """Bring a journal up to the version of now, all or nothing; a copy of it as it was stays beside it."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            while version < VERSION:
                _lay_by(path, version)
                connection.execute(_MIGRATIONS[version])
                version += 1
                connection.execute(f"PRAGMA user_version = {version}")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")
    except (sqlite3.Error, OSError):
        return  # a medium that cannot be written, a full disk: what was written before can be read all the same


def _lay_by(path: Path, version: int) -> None:
    """Copy a journal as it is, once."""
    copy = path.with_name(f"{path.name}.v{version}")
    if copy.exists():
        return
    draft = copy.with_name(f".{copy.name}.part")
    draft.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(draft)) as target:
        source.backup(target)
    draft.replace(copy)


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection
