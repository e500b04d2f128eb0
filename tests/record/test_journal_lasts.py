"""A journal through a power cut, through a full disk, through the versions of its format, and with two who want it."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kifuwatch
from kifuwatch.core.errors import FileFormatError, OutputError
from kifuwatch.record import journal as journal_module
from kifuwatch.record.journal import VERSION, Journal
from kifuwatch.record.lease import Lease, held


def moves(count: int) -> list[dict[str, Any]]:
    return [{"type": "move", "number": n, "at": f"D{n}"} for n in range(1, count + 1)]


def plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in ("id", "at_time")} for row in rows]


def store_together(journal: Journal, rows: list[dict[str, Any]]) -> None:
    with journal.alone():
        for row in rows:
            journal.append(row)


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("running")
    with Journal.create(folder / "game.db") as journal:
        for row in moves(12):
            journal.append(row)
        for name in ("game.db", "game.db-wal"):
            shutil.copy(folder / name, folder / f"cut-{name}")
    return folder


class TestPowerCut:
    """What the disk holds when the power goes is the database and a log that may end anywhere."""

    @settings(max_examples=40, deadline=None)
    @given(share=st.floats(0.0, 1.0), junk=st.binary(max_size=40))
    def test_the_journal_is_whole_up_to_some_row(self, running: Path, share: float, junk: bytes) -> None:
        cut = running / "after"
        shutil.rmtree(cut, ignore_errors=True)
        cut.mkdir()
        shutil.copy(running / "cut-game.db", cut / "game.db")
        log = (running / "cut-game.db-wal").read_bytes()
        (cut / "game.db-wal").write_bytes(log[: int(len(log) * share)] + junk)
        try:
            with Journal.open(cut / "game.db") as journal:
                rows = plain(journal.rows())
        except FileFormatError:
            # Before the journal itself had been stored nothing had been acknowledged.
            assert share < 0.3
            return
        assert rows == moves(12)[: len(rows)]
        if share == 1.0:
            assert len(rows) == 12


class TestVersions:
    @pytest.fixture
    def old(self, tmp_path: Path) -> Path:
        """A journal as version 1 wrote it."""
        path = tmp_path / "game.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.executescript(
                """
                CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, body TEXT NOT NULL);
                CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'no'); END;
                CREATE TRIGGER events_remain BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'no'); END;
                PRAGMA application_id = 1802069621;
                PRAGMA user_version = 1;
                """
            )
            connection.execute('INSERT INTO events (at, body) VALUES (\'2026-01-01\', \'{"type": "game", "size": 9}\')')
        return path

    def test_an_older_one_is_brought_up_and_laid_by(self, old: Path) -> None:
        with Journal.open(old) as journal:
            assert plain(journal.rows()) == [{"type": "game", "size": 9}]
            assert journal.append({"type": "move"}) == 2
        with closing(sqlite3.connect(old)) as connection:
            assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        with closing(sqlite3.connect(old.with_name("game.db.v1"))) as copy:
            assert copy.execute("PRAGMA user_version").fetchone() == (1,)
            assert copy.execute("SELECT count(*) FROM events").fetchone() == (1,)

    def test_a_migration_that_fails_leaves_it_as_it_was(self, old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(journal_module, "_MIGRATIONS", {1: "CREATE TRIGGER broken"})
        with Journal.open(old) as journal:
            assert plain(journal.rows()) == [{"type": "game", "size": 9}]
            journal.append({"type": "move"})
        with closing(sqlite3.connect(old)) as connection:
            assert connection.execute("PRAGMA user_version").fetchone() == (1,)

    def test_one_of_the_future_is_refused(self, old: Path) -> None:
        with closing(sqlite3.connect(old)) as connection:
            connection.execute("PRAGMA user_version = 3")
        with pytest.raises(FileFormatError, match="version 3, and versions 1 to 2 are known"):
            Journal.open(old)


def test_no_row_takes_the_place_of_another(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "game.db") as journal:
        journal.append({"type": "game"})
    with closing(sqlite3.connect(tmp_path / "game.db")) as connection:
        for statement in (
            "INSERT OR REPLACE INTO events (id, at, body) VALUES (1, '', '{}')",
            "UPDATE events SET body = '{}'",
            "DELETE FROM events",
        ):
            with pytest.raises(sqlite3.Error, match="only added to"):
                connection.execute(statement)


def test_rows_that_belong_together_are_stored_together(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "game.db") as journal:
        journal.append({"type": "game"})
        pages = journal._connection.execute("PRAGMA page_count").fetchone()[0]
        journal._connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(OutputError, match="full"):
            store_together(journal, [{"type": "retract", "reason": "x" * 400}] * 100)
        assert len(journal.rows()) == 1
        journal._connection.execute("PRAGMA max_page_count = 1000")
        assert journal.append({"type": "move"}) == 2


def test_a_copy_is_one_whole_file(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "game.db") as journal:
        for row in moves(3):
            journal.append(row)
        (tmp_path / "copy.db").write_bytes(journal.copy())
    with Journal.open(tmp_path / "copy.db") as copy:
        assert plain(copy.rows()) == moves(3)


class TestLease:
    def test_the_second_is_told_who_holds_it(self, tmp_path: Path) -> None:
        path = tmp_path / "boards" / "3.lease"
        first = Lease(path, "board 3")
        with pytest.raises(OutputError, match=r"^board 3 is recorded already by process \d+: end that first$"):
            Lease(path, "board 3")
        assert held(path)
        first.release()
        first.release()
        assert not held(path)
        assert not path.exists()
        Lease(path, "board 3").release()

    def test_one_who_is_just_ending_is_waited_for(self, tmp_path: Path) -> None:
        path = tmp_path / "3.lease"
        first = Lease(path, "board 3")
        with pytest.raises(OutputError, match="board 3 is recorded already"):
            Lease.soon(path, "board 3", 0.2)
        ending = threading.Timer(0.3, first.release)
        ending.start()
        Lease.soon(path, "board 3", 10.0).release()
        ending.join()

    def test_what_a_crash_left_behind_holds_nobody_up(self, tmp_path: Path) -> None:
        path = tmp_path / "3.lease"
        path.write_text('{"pid": 1, "boot": "another"}')
        Lease(path, "board 3").release()

    def test_of_many_at_once_one_gets_it(self, tmp_path: Path) -> None:
        path, got, most = tmp_path / "3.lease", [0], [0]

        def try_often() -> None:
            for _ in range(200):
                try:
                    lease = Lease(path, "board 3")
                except OutputError:
                    continue
                got[0] += 1
                most[0] = max(most[0], got[0])
                got[0] -= 1
                lease.release()

        threads = [threading.Thread(target=try_often) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert most == [1]

    def test_record_keeps_out_of_a_journal_that_is_in_use(self, tmp_path: Path) -> None:
        lease = Lease(tmp_path / "game.db.lease", "the game")
        with pytest.raises(OutputError, match=r"the journal .*game.db is recorded already by process \d+"):
            kifuwatch.record(tmp_path / "clip.mp4", journal=tmp_path / "game.db")
        lease.release()

    def test_a_place_that_cannot_be_written_is_named(self, tmp_path: Path) -> None:
        (tmp_path / "boards").write_text("a file")
        with pytest.raises(OutputError, match="cannot write"):
            Lease(tmp_path / "boards" / "3.lease", "board 3")
