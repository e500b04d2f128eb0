"""Where games are kept: one folder each under HOME/games, with its journal, its SGF and its pictures.

The journal is the truth. ``game.sgf``, ``game.times.json`` and ``pose.json`` can be made from it again; ``seen.json``
(what the board looked like last) only makes going on easier. Pictures are evidence, and are what goes first when the
disk is full.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Any

from kifuwatch.arbiter.alerts import AlertTable
from kifuwatch.arbiter.desk import fold
from kifuwatch.core.errors import InputError, KifuwatchError, OutputError, UsageError
from kifuwatch.live.setup import ENDED, PAUSED, RECORDING, GameSetup
from kifuwatch.record.desk_journal import DeskJournal
from kifuwatch.record.desk_sgf import desk_to_sgf
from kifuwatch.record.events_read import events_of
from kifuwatch.record.files import write_whole
from kifuwatch.record.journal import Journal
from kifuwatch.record.lease import held
from kifuwatch.record.lines import GameRecord
from kifuwatch.record.times import times_path, to_times
from kifuwatch.rules.codefile import SUFFIX

Row = Mapping[str, Any]
JOURNAL, SGF, EVIDENCE, ABOUT, SEEN, POSE = "journal.db", "game.sgf", "evidence", "game.json", "seen.json", "pose.json"
RESERVE, RESERVED = "reserve", 256 * 1024
"""A file that is given up when the disk is full, so that the journal goes on."""
LATELY = timedelta(days=1)
_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[A-Za-z0-9_-]{1,32}(?:-[0-9]{1,4})?")


@dataclass(frozen=True)
class GameEntry:
    """One line of the list of games. ``alerts`` are those above notices; ``error``: why it cannot be read, or ""."""

    game_id: str
    board: str
    state: str
    started: str
    black: str
    white: str
    event: str
    round: str
    size: int
    moves: int
    alerts: int
    result: str
    bytes: int
    error: str = ""


class GameStore:
    """The games under ``home``/games. ``now`` says what time it is, for their names."""

    def __init__(self, home: Path, now: Callable[[], datetime] = datetime.now) -> None:
        self.home, self._now = home.expanduser().absolute(), now
        self.root = self.home / "games"

    def lease(self, board: str) -> Path:
        """The file that whoever records a board holds."""
        return self.home / "boards" / f"{board}.lease"

    def create(self, setup: GameSetup, origin: Mapping[str, Any] | None = None) -> str:
        """Make the folder and the journal of a new game; its id. ``origin``: when its time began, for going on.

        Raises OutputError where it cannot be written, UsageError for rules that are none.
        """
        AlertTable.load().code(setup.rules)
        try:
            folder = self._new_folder(setup.board)
            (folder / EVIDENCE).mkdir()
            (folder / RESERVE).write_bytes(b"\0" * RESERVED)
            if setup.rules.endswith(SUFFIX):
                # The event's own rules, as they are now: whoever changes that file changes no game that is going on.
                own = folder / Path(setup.rules).name
                shutil.copyfile(setup.rules, own)
                setup = replace(setup, rules=str(own.absolute()))
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise OutputError(f"cannot write into the folder of games {self.root}: {reason}") from error
        about = {"setup": setup.as_dict(), "origin": dict(origin or {})}
        write_whole(folder / ABOUT, json.dumps(about, ensure_ascii=False, indent=1).encode())
        with Journal.create(folder / JOURNAL) as journal:
            known = {"size": setup.size} if setup.size else {}
            journal.append({"type": "game", **known, "rules": setup.rules, "board": setup.board, **setup.facts()})
            journal.append({"type": "status", "state": RECORDING})
        return folder.name

    def _new_folder(self, board: str) -> Path:
        self.root.mkdir(parents=True, exist_ok=True)
        stem = f"{self._now():%Y%m%d-%H%M%S}-{board}"
        for number in range(1000):
            folder = self.root / (stem if not number else f"{stem}-{number + 1}")
            try:
                folder.mkdir()
            except FileExistsError:
                continue
            return folder
        raise OutputError(f"a thousand games on board {board} cannot have begun in one second")

    def end(self, game_id: str) -> None:
        """Make sure that the journal says that a game has ended. Raises OutputError, FileFormatError."""
        with Journal.open(self.journal(game_id)) as journal:
            if state_of(journal.rows()) != ENDED:
                journal.append({"type": "status", "state": ENDED})

    # Finding games

    def games(self) -> list[GameEntry]:
        """All games, the newest first."""
        return [self.entry(name) for name in self._names()]

    def _names(self) -> list[str]:
        """The ids of all games, the newest first."""
        if not self.root.is_dir():
            return []
        return sorted((each.name for each in self.root.iterdir() if _ID.fullmatch(each.name)), reverse=True)

    def entry(self, game_id: str) -> GameEntry:
        """What there is to say of a game. Raises InputError where there is none."""
        folder = self.folder(game_id)
        board, started = game_id[16:], f"{game_id[:4]}-{game_id[4:6]}-{game_id[6:8]} {game_id[9:11]}:{game_id[11:13]}"
        size = _bytes_in(folder)
        try:
            with Journal.open(folder / JOURNAL) as journal:
                rows = journal.rows()
                state = fold(rows, DeskJournal(journal).code(rows))
        except KifuwatchError as error:
            return GameEntry(game_id, board, "", started, "", "", "", "", 0, 0, 0, "", size, str(error))
        info: Row = next((row for row in reversed(rows) if row.get("type") == "game"), {})
        alerts = sum(alert.level != "info" for alert in state.alerts)
        result = "" if state.ending is None else state.ending.sgf
        players, moves = (str(info.get("black", "")), str(info.get("white", ""))), len(state.moves)
        board = str(info.get("board", board))
        event = (str(info.get("event", "")), str(info.get("round", "")))
        return GameEntry(
            game_id, board, state_of(rows), started, *players, *event, state.size, moves, alerts, result, size
        )

    def unfinished(self) -> list[str]:
        """The games that are to go on, of each board the newest."""
        found: dict[str, str] = {}
        for board, game_id, state in self._readable():
            if state in (RECORDING, PAUSED):
                found.setdefault(board, game_id)
        return list(found.values())

    def lately_ended(self) -> list[str]:
        """Of each board the newest game, where it is over and began within the last day: what the board last showed."""
        newest: dict[str, tuple[str, str]] = {}
        for board, game_id, state in self._readable(since=f"{self._now() - LATELY:%Y%m%d-%H%M%S}"):
            newest.setdefault(board, (game_id, state))
        return [game_id for game_id, state in newest.values() if state == ENDED]

    def _readable(self, since: str = "") -> Iterator[tuple[str, str, str]]:
        """Board, id and state of every game that can be read, the newest first; their ids begin with when they did."""
        for game_id in self._names():
            if game_id < since:
                return
            try:
                with Journal.open(self.root / game_id / JOURNAL) as journal:
                    rows = journal.rows()
            except KifuwatchError:
                continue  # it is in the list of games, with what is wrong with it
            board = next((str(row["board"]) for row in rows if row.get("type") == "game" and "board" in row), "")
            yield board or game_id[16:], game_id, state_of(rows)

    def folder(self, game_id: str) -> Path:
        """The folder of a game. Raises InputError where there is none."""
        folder = self.root / game_id
        if not _ID.fullmatch(game_id) or not folder.is_dir():
            raise InputError(f"there is no game {game_id[:60]!r} in {self.root}")
        return folder

    def journal(self, game_id: str) -> Path:
        """Its journal. Raises InputError where there is none."""
        return self.folder(game_id) / JOURNAL

    def about(self, game_id: str) -> dict[str, Any]:
        """How the game was set up, as kept beside the journal. Raises InputError."""
        path = self.folder(game_id) / ABOUT
        try:
            about = json.loads(path.read_bytes())
            return {"setup": dict(about["setup"]), "origin": dict(about.get("origin", {}))}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path} cannot be read ({error})") from error

    def setup(self, game_id: str) -> GameSetup:
        """The setup of a game. Raises InputError, UsageError."""
        return GameSetup.from_dict(self.about(game_id)["setup"])

    # What is made from the journal

    def save_sgf(self, game_id: str) -> None:
        """Write ``game.sgf`` and ``game.times.json`` as the journal has it. Raises OutputError, FileFormatError."""
        folder = self.folder(game_id)
        with Journal.open(folder / JOURNAL) as journal:
            rows = journal.rows()
            state = fold(rows, DeskJournal(journal).code(rows))
        write_whole(folder / SGF, desk_to_sgf(state))
        times = json.dumps(to_times(record_of(rows, state.size)), ensure_ascii=False, indent=1)
        write_whole(times_path(folder / SGF), times.encode() + b"\n")

    def archive(self, game_id: str) -> bytes:
        """All of a game as a ZIP archive: journal, events, SGF, pictures. Raises InputError, OutputError."""
        memory = io.BytesIO()
        self._pack(game_id, memory)
        return memory.getvalue()

    def export(self, game_id: str, target: Path) -> Path:
        """Write that archive as a file. Raises InputError; OutputError where it exists or cannot be written."""
        self.folder(game_id)
        if target.exists():
            raise OutputError(f"{target} exists already and is not overwritten")
        part = target.with_name(f".{target.name}.part")
        try:
            with part.open("wb") as file:
                self._pack(game_id, file)
            part.replace(target)
        except OSError as error:
            part.unlink(missing_ok=True)
            raise OutputError(f"cannot write {target}: {(error.strerror or str(error)).lower()}") from error
        return target

    def _pack(self, game_id: str, file: IO[bytes]) -> None:
        folder = self.folder(game_id)
        with Journal.open(folder / JOURNAL) as journal:
            rows, copy = journal.rows(), journal.copy()
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as pack:
            pack.writestr(f"{game_id}/{JOURNAL}", copy)
            pack.writestr(f"{game_id}/game.jsonl", lines)
            for path in sorted(folder.rglob("*")):
                name = path.relative_to(folder).as_posix()
                if path.is_file() and name != RESERVE and not name.startswith((JOURNAL, ".")):
                    pack.write(path, f"{game_id}/{name}")

    def delete(self, game_id: str) -> None:
        """Remove a game for good. Raises InputError where there is none, UsageError while it is recorded, OutputError
        where it cannot be removed."""
        folder = self.folder(game_id)
        if held(folder / f"{JOURNAL}.lease"):
            raise UsageError(f"the game {game_id} is being recorded: end it first")
        try:
            shutil.rmtree(folder)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise OutputError(f"the game {game_id} cannot be removed: {reason}") from error


def state_of(rows: Iterable[Row]) -> str:
    """Whether a game is being recorded, is paused or has ended, by its journal."""
    states = [str(row.get("state")) for row in rows if row.get("type") == "status" and row.get("state")]
    return states[-1] if states else ENDED


def record_of(rows: Iterable[Row], size: int) -> GameRecord:
    """The moves and gaps that the camera saw, as they stand."""
    record = GameRecord(size)
    for event in events_of(rows):
        record.add(event)
    return record


def _bytes_in(folder: Path) -> int:
    try:
        return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    except OSError:
        return 0
