"""How a program is asked to end in order, and how its helpers end with it."""

from __future__ import annotations

import os
import signal
from multiprocessing import parent_process
from threading import Thread

_CLOSED = getattr(signal, "SIGHUP", None)
"""The terminal was closed; no system but Unix tells."""


def ending_signals() -> tuple[signal.Signals, ...]:
    """Ctrl-C, a polite kill, and a terminal that is closed; the last not where nohup had it ignored."""
    if _CLOSED is None or signal.getsignal(_CLOSED) is signal.SIG_IGN:
        return (signal.SIGINT, signal.SIGTERM)
    return (signal.SIGINT, signal.SIGTERM, _CLOSED)


def insists(number: int) -> bool:
    """Whether a signal that comes again means: at once. A terminal that is closed is told by its shell and by the
    system, so that one comes two or three times by itself."""
    return number != _CLOSED


def end_with_parent() -> None:
    """Called in a process of a pool: let it end when the one that began it does, however that ends. Without this it
    would wait for work for ever. Ctrl-C is for that one alone to hear."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is None:
        return

    def follow() -> None:
        parent.join()
        os._exit(1)

    Thread(target=follow, daemon=True).start()
