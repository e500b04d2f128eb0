"""Child processes that misbehave: ``python children.py HOW LOG``. Each start adds a line to LOG."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from kifuwatch.core.errors import OutputError, SourceError
from kifuwatch.live.child import ENDED, main
from kifuwatch.live.orders import Orders
from kifuwatch.live.report import Report

SHORT = 0.3


def behave(how: str, number: int, orders: Orders, report: Report) -> int:
    if how == "refused":
        raise OutputError("board 1 is recorded already by process 7: end that first")
    if how == "lost":
        raise SourceError("camera 0 gives no frames: it cannot be opened, another program may hold it")
    if how == "never-begins":
        threading.Event().wait()
    began = time.monotonic()
    while not (orders.stopped and how != "stubborn"):
        late = time.monotonic() - began > SHORT
        if late and (how == "dies" or (how == "dies-once" and number == 1)):
            os.kill(os.getpid(), signal.SIGKILL)
        if late and how == "hangs-once" and number == 1:
            threading.Event().wait()  # a read inside a driver that never returns
        if late and how == "mute-once" and number == 1:
            os.kill(os.getpid(), signal.SIGSTOP)
        report.frame(time.monotonic() - began)
        report.say(row=number)
        time.sleep(0.02)
    return ENDED


def started(log: Path) -> int:
    with log.open("a") as file:
        file.write(f"{time.monotonic()}\n")
    return len(log.read_text().split())


if __name__ == "__main__":
    how, log = sys.argv[1], Path(sys.argv[2])

    def run(first: dict[str, Any], orders: Orders, report: Report) -> int:
        return behave(how, started(log), orders, report)

    code = main(run)
    os._exit(code)
