"""One camera, one board, and the child process that records it: started, watched, and started again when it dies."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from kifuwatch.core.errors import KifuwatchError, UsageError
from kifuwatch.live.beginnings import completed
from kifuwatch.live.games import EVIDENCE, GameStore, state_of
from kifuwatch.live.notifier import Notifier
from kifuwatch.live.patience import WatchdogPatience
from kifuwatch.live.process import COMMAND
from kifuwatch.live.setup import (
    ENDED,
    FAILED,
    FINE,
    IDLE,
    LOOKING,
    NO_PICTURE,
    PAUSED,
    RECORDING,
    SETUP,
    GameSetup,
    StationStatus,
    as_corners,
    check_board,
    check_corners,
)
from kifuwatch.live.sources import check_source, is_clip, shown
from kifuwatch.live.supervisor import Supervisor, Task
from kifuwatch.live.wire import Message
from kifuwatch.record.journal import Journal
from kifuwatch.record.lease import Lease

LOG = logging.getLogger("kifuwatch.live")
PICTURE_ASKED = 2.0
"""Seconds between two messages to a child that somebody looks at its pictures."""


class Station:
    """One camera and board. All of it may be called from any thread, and nothing of it waits for the camera.

    ``files``: video files may be opened as well. ``command`` and ``patience`` are those of the child process.
    """

    def __init__(
        self,
        board: str,
        store: GameStore,
        files: bool = False,
        command: Sequence[str] = COMMAND,
        patience: WatchdogPatience | None = None,
    ) -> None:
        self.board, self._store, self._files = check_board(board), store, files
        self._lock = threading.RLock()
        self._state, self._source, self._game, self._error = IDLE, "", "", ""
        self._beat: Mapping[str, Any] = {}
        self._picture: bytes | None = None
        self._overlay: dict[str, Any] | None = None
        self._quality: dict[str, Any] | None = None
        self._asked = float("-inf")
        self._told: tuple[Any, ...] = ()
        self._notifier = Notifier(self._save_sgf)
        self._supervisor = Supervisor(self._heard, self._over, self._refresh, command, patience or WatchdogPatience())

    # What is known

    def status(self) -> StationStatus:
        """What is known now."""
        with self._lock:
            beat, working = self._beat, self._state in (SETUP, RECORDING, PAUSED)
            age = self._supervisor.picture_age()
            note, since = self._note(age) if working else (FINE, 0.0)
            overlay = self._overlay or {}
            corners = overlay.get("corners")
            return StationStatus(
                self.board,
                self._state,
                note,
                round(since, 1),
                self._source,
                self._game or None,
                int(beat.get("frames", 0)),
                float(beat.get("fps", 0.0)) if age is not None and age < self._supervisor.patience.missed else 0.0,
                None if age is None else round(age, 2),
                self._supervisor.restarts,
                overlay.get("size"),
                None if corners is None else as_corners(corners),
                self._error or str(beat.get("error") or beat.get("picture") or ""),
                float(beat.get("seconds", 0.0)),
                self._supervisor.pid,
                int(beat.get("row", 0)),
                str(beat.get("reason") or ""),
            )

    def _note(self, age: float | None) -> tuple[str, float]:
        missed = self._supervisor.patience.missed
        if age is None:
            waiting = self._supervisor.waited()
            return (LOOKING, waiting) if waiting < missed else (NO_PICTURE, waiting)
        if age >= missed:
            return NO_PICTURE, age
        return str(self._beat.get("note", LOOKING)), float(self._beat.get("note_since", 0.0))

    def picture(self) -> bytes | None:
        """The camera's latest picture as JPEG, at most 1280 pixels wide."""
        with self._lock:
            if monotonic() - self._asked >= PICTURE_ASKED:
                self._asked = monotonic()
                self._supervisor.order("picture")
            return self._picture

    def overlay(self) -> dict[str, Any] | None:
        """``corners``, ``size``, ``board`` (text of the last reading), ``width``, ``height``, in pixels of that
        picture."""
        with self._lock:
            return None if self._overlay is None else dict(self._overlay)

    def quality(self) -> dict[str, Any] | None:
        """How good a view of the board it is, as ``calibrate --json`` tells it, with ``sentences`` by language."""
        with self._lock:
            return None if self._quality is None else dict(self._quality)

    def journal_path(self) -> Path | None:
        """The journal of the game of now, or of the last one; None before any."""
        with self._lock:
            return self._store.journal(self._game) if self._game else None

    def evidence(self, alert_row: int | Mapping[str, Any]) -> list[Path]:
        """Pictures before, during and after an alert, and the film of it, by its row in the journal (or the id of
        that); what is not there (yet, or any more) is left out."""
        path = self.journal_path()
        if path is None:
            return []
        row = alert_row
        if isinstance(row, int):
            with Journal.open(path) as journal:
                row = next((each for each in journal.rows(after=row - 1) if each["id"] == alert_row), {})
        names = [str(name) for name in row.get("evidence", ()) if str(name).endswith((".jpg", ".mkv"))]
        files = [path.parent / EVIDENCE / name for name in names if "/" not in name]
        return [each for each in files if each.is_file()]

    def frame_of(self, move_number: int) -> Path | None:
        """The picture of a move, by its number in the recorder's own count."""
        from kifuwatch.evidence import move_picture

        path = self.journal_path()
        found = None if path is None else path.parent / EVIDENCE / move_picture(move_number)
        return found if found is not None and found.is_file() else None

    # What is wanted

    def preview(
        self,
        source: str,
        size: int | None = None,
        corners: Sequence[Sequence[float]] | None = None,
        board: str | None = None,
    ) -> None:
        """Open a source and look for the board, without recording. ``corners`` in pixels of :meth:`picture`;
        ``board`` which one is meant where several are in view.

        Raises UsageError for a source that is refused, and while a game is being recorded.
        """
        source = check_source(source, self._files)
        look = {"size": size, "corners": check_corners(corners), "board": board}
        with self._lock:
            self._check_free()
            again = self._state == SETUP and source == self._source and self._supervisor.alive
            self._state, self._error, self._quality = SETUP, "", None
            if again:
                self._supervisor.amend(Task("look", source, look))
            else:
                self._fresh(source)
                self._supervisor.begin(Task("look", source, look))
        self._refresh()

    def start(self, setup: GameSetup) -> str:
        """Begin to record; the id of the game. Raises UsageError, FileFormatError for a record to go on from that
        cannot be read, OutputError where nothing can be written or somebody else records this board."""
        if setup.board != self.board:
            raise UsageError(f"this is board {self.board}, and the game is set up for board {setup.board}")
        setup = completed(setup)  # a record that cannot be gone on from is told here
        with self._lock:
            self._check_free()
            if setup.source != self._source:
                check_source(setup.source, self._files)
            Lease(self._store.lease(self.board), f"board {self.board}").release()
            self._end_failed()
            same = self._state == SETUP and setup.source == self._source and self._supervisor.alive
            self._game = self._store.create(setup)
            task = Task("record", setup.source, {"home": str(self._store.home), "game_id": self._game})
            if same:
                self._supervisor.amend(task)
            else:
                self._fresh(setup.source)
                self._supervisor.begin(task)
            self._state, self._error = RECORDING, ""
        LOG.info("board %s: game %s begins, from %s", self.board, self._game, shown(setup.source))
        self._notifier.rows_changed()
        return self._game

    def go_on(self, game_id: str) -> None:
        """Go on with a game that has not ended: after a restart of the server. Raises what its folder raises."""
        setup = self._store.setup(game_id)
        with Journal.open(self._store.journal(game_id)) as journal:
            paused = state_of(journal.rows()) == PAUSED
        with self._lock:
            self._check_free()
            self._fresh(setup.source)
            self._game, self._state, self._error = game_id, PAUSED if paused else RECORDING, ""
            self._supervisor.paused = paused
            self._supervisor.begin(Task("record", setup.source, {"home": str(self._store.home), "game_id": game_id}))
        LOG.info("board %s: game %s goes on", self.board, game_id)
        self._notifier.rows_changed()

    def show(self, game_id: str) -> None:
        """Show a game that is over, as at its end; nothing is recorded. Raises what its folder raises, and UsageError
        while a game is being recorded."""
        source = self._store.setup(game_id).source
        with self._lock:
            self._check_free()
            self._fresh("" if is_clip(source) else source)
            self._game, self._state, self._error = game_id, ENDED, ""
        self._notifier.rows_changed()

    def stop(self) -> None:
        """End the game in order, or stop looking for the board; what was recorded stays. A game that could not be
        recorded is ended too. Raises OutputError where somebody else records it."""
        with self._lock:
            if self._state in (SETUP, RECORDING, PAUSED):
                self._supervisor.stop()
                return
            if self._state != FAILED or not self._game:
                return
            lease = Lease(self._store.lease(self.board), f"board {self.board}")
            try:
                self._end_failed()
            finally:
                lease.release()
            self._state, self._error = ENDED, ""
        self._notifier.rows_changed()
        self._refresh()

    def _end_failed(self) -> None:
        """The game that could not be recorded is over: else it would be tried again at the next start."""
        if self._state == FAILED and self._game:
            self._store.end(self._game)

    def pause(self) -> None:
        """What happens on the board is no part of the game until :meth:`resume`. Raises UsageError when no game is
        being recorded."""
        self._pause(True)

    def resume(self) -> None:
        """The game goes on. Raises UsageError when none is being recorded."""
        self._pause(False)

    def _pause(self, on: bool) -> None:
        with self._lock:
            if self._state not in (RECORDING, PAUSED):
                raise UsageError(f"board {self.board} has no game that could be {'paused' if on else 'resumed'}")
            self._state = PAUSED if on else RECORDING
            self._supervisor.pause(on)
        self._refresh()

    def _check_free(self) -> None:
        if self._state in (RECORDING, PAUSED):
            raise UsageError(f"a game is being recorded on board {self.board}: end it first")

    def _fresh(self, source: str) -> None:
        self._source, self._beat = source, {}
        self._picture = self._overlay = self._quality = None

    # Telling others

    def on_change(self, callback: Callable[[], None]) -> None:
        """Call this, from a thread of the station, whenever rows were added to the journal or the status changed."""
        self._notifier.add(callback)

    def changed(self) -> None:
        """Somebody else (the desk) has added rows to the journal: the SGF is written anew, and callbacks are called."""
        self._notifier.rows_changed()

    def close(self) -> None:
        """Let go of the camera; a game that is being recorded goes on when the server is back."""
        self._supervisor.close()
        self._notifier.close()

    def _save_sgf(self) -> None:
        game = self._game
        if game:
            self._store.save_sgf(game)

    # What the child says

    def _heard(self, message: Message) -> None:
        """A message of the child; in a thread that does nothing else."""
        body, grown = message.body, False
        with self._lock:
            if message.kind == "beat":
                grown = int(body.get("row", 0)) > int(self._beat.get("row", 0))
                self._beat = body
            elif message.kind == "picture":
                self._picture = message.load
            elif message.kind == "overlay":
                self._overlay = body.get("overlay")
            elif message.kind == "quality":
                self._quality = body.get("quality")
        if grown:
            self._notifier.rows_changed()
        self._refresh()

    def _over(self, ended: bool, error: str) -> None:
        """The task is over: it has ended in order, or will never be done, with a sentence why."""
        with self._lock:
            recorded = self._state in (RECORDING, PAUSED)
            self._error = error
            self._state = FAILED if not ended else ENDED if recorded else IDLE
            if recorded and ended:
                try:
                    self._store.end(self._game)
                except KifuwatchError as fault:
                    self._error = str(fault)
        LOG.info("board %s: %s%s", self.board, self._state, f" ({error})" if error else "")
        self._notifier.rows_changed()

    def _refresh(self) -> None:
        """Tell those who listen when what a person sees has changed."""
        status = self.status()
        told: tuple[Any, ...] = (status.state, status.note, status.error, status.restarts, status.game_id, status.size)
        with self._lock:
            told = (*told, self._beat.get("exhibits"))
            if told == self._told:
                return
            self._told = told
        self._notifier.status_changed()
