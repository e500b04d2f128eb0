"""Tells those who listen to a station, in a thread of its own, so that a slow listener holds nobody up."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from kifuwatch.core.errors import KifuwatchError

LOG = logging.getLogger("kifuwatch.live")


class Notifier:
    """Calls everyone after a change; changes that come meanwhile are one. ``save`` is called before, when there are
    new rows."""

    def __init__(self, save: Callable[[], None]) -> None:
        self._save, self._callbacks = save, list[Callable[[], None]]()
        self._changed = threading.Condition()
        self._rows = self._status = self._ended = False
        self._complaint = ""
        self._thread: threading.Thread | None = None

    def add(self, callback: Callable[[], None]) -> None:
        """One more who listens."""
        with self._changed:
            self._callbacks.append(callback)

    def rows_changed(self) -> None:
        """The journal has grown."""
        self._wake(rows=True)

    def status_changed(self) -> None:
        """Something else is to be told."""
        self._wake(rows=False)

    def close(self) -> None:
        """Tell what is still to be told, and end."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(5.0)

    def _wake(self, rows: bool) -> None:
        with self._changed:
            self._status, self._rows = True, self._rows or rows
            if self._thread is None and not self._ended:
                self._thread = threading.Thread(target=self._run, name="notifier", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._status and not self._ended:
                    self._changed.wait()
                if not self._status:
                    return
                rows, callbacks = self._rows, list(self._callbacks)
                self._rows = self._status = False
            if rows:
                self._saved()
            for callback in callbacks:
                try:
                    callback()
                except Exception:  # a listener's fault is not the station's
                    LOG.exception("a listener of a station has failed")

    def _saved(self) -> None:
        """Save; what is wrong is said once, and again when it is something else."""
        complaint = ""
        try:
            self._save()
        except KifuwatchError as error:
            complaint = str(error)
        if complaint and complaint != self._complaint:
            LOG.warning("%s", complaint)
        self._complaint = complaint
