"""Where games are kept: one folder each, with its journal, its SGF and its pictures."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


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
    """The games under ``home``/games."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def games(self) -> list[GameEntry]:
        """All games, the newest first."""
        return []

    def folder(self, game_id: str) -> Path:
        """The folder of a game. Raises InputError where there is none."""
        raise NotImplementedError

    def journal(self, game_id: str) -> Path:
        """Its journal. Raises InputError where there is none."""
        raise NotImplementedError

    def export(self, game_id: str, target: Path) -> Path:
        """All of a game as one ZIP archive. Raises InputError, OutputError."""
        raise NotImplementedError

    def archive(self, game_id: str) -> bytes:
        """The same in memory."""
        raise NotImplementedError

    def delete(self, game_id: str) -> None:
        """Remove a game for good. Raises InputError where there is none, UsageError while it is recorded."""
        raise NotImplementedError
