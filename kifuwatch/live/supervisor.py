"""Keeps a task going: a child process does it, and when that dies or hangs, another one does."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from kifuwatch.live.child import ENDED, REFUSED
from kifuwatch.live.patience import WatchdogPatience, reachable
from kifuwatch.live.process import Child
from kifuwatch.live.wire import Message

LOG = logging.getLogger("kifuwatch.live")
TICK = 0.2


@dataclass(frozen=True)
class Task:
    """What a child has to do: ``look`` for a board or ``record`` a game, from a source."""

    kind: str
    source: str
    body: Mapping[str, Any] = field(default_factory=dict)

    def first(self) -> dict[str, Any]:
        """The order with which a child begins."""
        return {"source": self.source, "task": self.kind, **self.body}


class Supervisor:
    """One task at a time. ``heard`` gets every message of a child, ``over`` is called when the task has ended (in
    order or not, and why), ``ticked`` now and then."""

    def __init__(
        self,
        heard: Callable[[Message], None],
        over: Callable[[bool, str], None],
        ticked: Callable[[], None],
        command: Sequence[str],
        patience: WatchdogPatience,
    ) -> None:
        self._heard_by, self._over, self._ticked = heard, over, ticked
        self._command, self.patience = command, patience
        self._changed = threading.Condition()
        self._task: Task | None = None
        self._version = 0
        self._child: Child | None = None
        self._thread: threading.Thread | None = None
        self._closed = False
        self._stopped: float | None = None
        self._began = self._picture_at = monotonic()
        self._pictured, self._taken, self._connecting = False, 0.0, False
        self._error = ""
        self.paused = False
        self.restarts = 0

    # What is wanted

    def begin(self, task: Task) -> None:
        """Do this, instead of what was done before."""
        with self._changed:
            self._task, self._version = task, self._version + 1
            self._stopped, self._pictured, self._began, self.restarts = None, False, monotonic(), 0
            if task.kind != "record":
                self.paused = False
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def amend(self, task: Task) -> None:
        """Do this with the child that is there, which has its source open."""
        with self._changed:
            if self._child is None or self._task is None:
                self.begin(task)
                return
            self._task = task
            self.paused = False
            self._child.order(task.kind, task.body)

    def order(self, kind: str, body: Mapping[str, Any] | None = None) -> None:
        """Tell the child something, where there is one."""
        child = self._child
        if child is not None:
            child.order(kind, body)

    def pause(self, on: bool) -> None:
        """Pause, or go on; the next child knows as well."""
        self.paused = on
        self.order("pause", {"on": on})

    def stop(self) -> None:
        """End the task in order."""
        with self._changed:
            if self._task is not None and self._stopped is None:
                self._stopped = monotonic()
                self.order("stop")
            self._changed.notify_all()

    def close(self) -> None:
        """End the child at once; the task is not over."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(10.0)

    # What is known

    @property
    def alive(self) -> bool:
        """Whether there is a child at work."""
        child = self._child
        return child is not None and child.alive

    @property
    def pid(self) -> int | None:
        """The number of its process."""
        child = self._child
        return None if child is None else child.pid

    def picture_age(self) -> float | None:
        """Seconds since the camera's last picture, of any child; None before the first."""
        return monotonic() - self._picture_at if self._pictured else None

    def waited(self) -> float:
        """Seconds since the task began."""
        return monotonic() - self._began

    # The thread that keeps it going

    def _run(self) -> None:
        failures = 0
        while not self._closed:
            with self._changed:
                while self._task is None and not self._closed:
                    self._changed.wait()
                if self._closed or self._task is None:
                    return
                task, version = self._task, self._version
            started = monotonic()
            status = self._stopped_early() if self._stopped is not None else self._work(task, version)
            if self._closed:
                return
            if version != self._version:
                failures = 0
                continue
            if status in (ENDED, REFUSED):
                failures = 0
                self._finish(status == ENDED)
                continue
            failures = 1 if monotonic() - started >= self.patience.proven else failures + 1
            self._pause_before_next(task, version, failures)
            self.restarts += 1

    def _stopped_early(self) -> int:
        """It was told to end while no child was there."""
        self._error = ""
        return ENDED

    def _finish(self, ended: bool) -> None:
        with self._changed:
            self._task = None
            error, self._error = self._error, ""
        self._over(ended, error)

    def _work(self, task: Task, version: int) -> int | None:
        """Have a child work; how it ended, None where it was killed or died."""
        self._error = ""
        child = Child(task.first(), self._heard, self._wake, self._command)
        with self._changed:
            self._child = child
            if self.paused:
                child.order("pause", {"on": True})
        try:
            reason = self._watch(child, version)
            if reason:
                LOG.warning("the process of a camera is ended: %s", reason)
                child.kill()
        finally:
            child.kill() if child.alive and (self._closed or version != self._version) else child.finish()
            with self._changed:
                self._child = None
        for line in () if child.status in (ENDED, REFUSED) else child.lines:
            LOG.info("process %d: %s", child.pid, line)
        if reason and self._stopped is not None:
            return ENDED
        return child.status

    def _watch(self, child: Child, version: int) -> str:
        """Wait until the child ends, or has to be ended: then why."""
        while child.alive:
            with self._changed:
                if self._closed or version != self._version:
                    return ""
                self._changed.wait(TICK)
            self._ticked()
            reason = self._why_not(child)
            if reason:
                return reason
        return ""

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _why_not(self, child: Child) -> str:
        patience, now = self.patience, monotonic()
        if self._stopped is not None and now - self._stopped > patience.ending:
            return "it does not come to an end"
        if child.silent() > patience.silent and now - child.started > patience.silent:
            return "it gives no sign of life"
        seen = self._pictured and self._picture_at >= child.started
        if seen and now - self._picture_at > (patience.connecting if self._connecting else patience.stuck):
            return "the camera gives no pictures"
        if seen and not self._connecting and self._taken > patience.busy:
            return "it does not get done with a picture"
        return "the camera gave no picture" if not seen and now - child.started > patience.first else ""

    def _pause_before_next(self, task: Task, version: int, failures: int) -> None:
        there = reachable(task.source)
        until = monotonic() + self.patience.before(failures, there)
        asked = monotonic()
        while monotonic() < until:
            with self._changed:
                if self._closed or version != self._version or self._stopped is not None:
                    return
                self._changed.wait(TICK)
            self._ticked()
            if not there and monotonic() - asked >= self.patience.probe:
                asked, there = monotonic(), reachable(task.source)
                if there:
                    return

    def _heard(self, message: Message) -> None:
        if message.kind == "beat":
            age, error = message.body.get("age"), message.body.get("error") or message.body.get("picture")
            if age is not None:
                self._picture_at, self._pictured = monotonic() - float(age), True
                self._taken = float(message.body.get("taken") or 0.0)
            self._connecting = bool(message.body.get("connecting"))
            self._error = str(error or "")
        self._heard_by(message)
