"""All stations of one server, by the id of their board."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from pathlib import Path

from kifuwatch.core.errors import KifuwatchError
from kifuwatch.live.games import GameStore
from kifuwatch.live.patience import WatchdogPatience
from kifuwatch.live.process import COMMAND
from kifuwatch.live.station import Station

LOG = logging.getLogger("kifuwatch.live")


class Hall:
    """The stations of a server. ``home``: the folder in which everything is kept; ``files``: video files may be
    sources as well. ``command`` and ``patience`` are those of the cameras' child processes."""

    def __init__(
        self,
        home: Path,
        files: bool = False,
        command: Sequence[str] = COMMAND,
        patience: WatchdogPatience | None = None,
    ) -> None:
        self.store = GameStore(home)
        self._files, self._command, self._patience = files, command, patience
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
                self._stations[board] = Station(board, self.store, self._files, self._command, self._patience)
            return self._stations[board]

    def resume_all(self) -> list[str]:
        """Every game that has not ended goes on by itself; the ids of those games. The other boards show again what
        they showed last, where that began within a day."""
        going_on = []
        for game_id in self.store.unfinished():
            try:
                self.open(self.store.setup(game_id).board).go_on(game_id)
            except KifuwatchError as error:
                LOG.warning("the game %s does not go on: %s", game_id, error)
            else:
                going_on.append(game_id)
        for game_id in self.store.lately_ended():
            try:
                station = self.open(self.store.setup(game_id).board)
                if station.status().game_id is None:
                    station.show(game_id)
            except KifuwatchError as error:
                LOG.warning("the game %s is not shown again: %s", game_id, error)
        return going_on

    def close(self) -> None:
        """Let go of all cameras."""
        for station in self.stations():
            station.close()
