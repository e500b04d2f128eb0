"""All stations of one server, by the id of their board."""

from __future__ import annotations

import threading
from pathlib import Path

from kifuwatch.live.games import GameStore
from kifuwatch.live.station import Station


class Hall:
    """The stations of a server. ``home``: the folder in which everything is kept."""

    def __init__(self, home: Path) -> None:
        self.store = GameStore(home)
        self._stations: dict[str, Station] = {}
        self._lock = threading.Lock()

    def stations(self) -> list[Station]:
        """All of them, in the order of their boards."""
        with self._lock:
            return [self._stations[board] for board in sorted(self._stations)]

    def station(self, board: str) -> Station | None:
        """The station of a board; None where there is none."""
        with self._lock:
            return self._stations.get(board)

    def open(self, board: str) -> Station:
        """The station of a board, made when it is not there yet. Raises UsageError for what is no name of a board."""
        with self._lock:
            if board not in self._stations:
                self._stations[board] = Station(board, self.store)
            return self._stations[board]

    def resume_all(self) -> list[str]:
        """Every game that has not ended goes on by itself; the ids of those games."""
        return []

    def close(self) -> None:
        """Let go of all cameras."""
        for station in self.stations():
            station.close()
