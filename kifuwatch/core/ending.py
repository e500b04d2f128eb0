"""The signals by which a program is asked to end in order."""

from __future__ import annotations

import signal

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
