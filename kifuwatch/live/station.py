"""One camera, one board, and the child process that records it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from kifuwatch.live.games import GameStore
from kifuwatch.live.setup import GameSetup, StationStatus, check_board


class Station:
    """One camera and board. All of it may be called from any thread, and nothing of it waits for the camera."""

    def __init__(self, board: str, store: GameStore) -> None:
        self.board, self._store = check_board(board), store
        self._callbacks: list[Callable[[], None]] = []

    def status(self) -> StationStatus:
        """What is known now."""
        return StationStatus(self.board)

    def picture(self) -> bytes | None:
        """The camera's latest picture as JPEG, at most 1280 pixels wide."""
        return None

    def overlay(self) -> dict[str, Any] | None:
        """``corners``, ``size``, ``board`` (text of the last reading), ``width``, ``height``, in pixels of that
        picture."""
        return None

    def quality(self) -> dict[str, Any] | None:
        """How good a view of the board it is, as ``calibrate --json`` tells it."""
        return None

    def preview(
        self,
        source: str,
        size: int | None = None,
        corners: Sequence[Sequence[float]] | None = None,
        board: str | None = None,
    ) -> None:
        """Open a source and look for the board, without recording. Raises UsageError for a source that is refused,
        and while a game is being recorded."""
        raise NotImplementedError

    def start(self, setup: GameSetup) -> str:
        """Begin to record; the id of the game. Raises UsageError, OutputError with one sentence."""
        raise NotImplementedError

    def stop(self) -> None:
        """End the game in order; its record stays."""
        raise NotImplementedError

    def pause(self) -> None:
        """What happens on the board is no part of the game until :meth:`resume`."""
        raise NotImplementedError

    def resume(self) -> None:
        """The game goes on."""
        raise NotImplementedError

    def on_change(self, callback: Callable[[], None]) -> None:
        """Call this, from a thread of the station, whenever rows were added to the journal or the status changed."""
        self._callbacks.append(callback)

    def changed(self) -> None:
        """Somebody else (the desk) has added rows to the journal: the SGF is written anew, and callbacks are called."""

    def journal_path(self) -> Path | None:
        """The journal of the game of now, or of the last one; None before any."""
        return None

    def evidence(self, alert_row: int | Mapping[str, Any]) -> list[Path]:
        """Pictures before, during and after an alert, by its row in the journal (or the id of that)."""
        return []

    def frame_of(self, move_number: int) -> Path | None:
        """The picture of a move, by its number in the recorder's own count."""
        return None

    def close(self) -> None:
        """Let go of the camera; a game that is being recorded goes on when the server is back."""
