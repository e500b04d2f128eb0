"""When a station gives a child up, and how long it waits before it starts the next one."""

from __future__ import annotations

import random
import re
import socket
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PORTS = {"http": 80, "https": 443, "rtsp": 554, "rtsps": 322}
_DEVICE = re.compile(r"(?:/dev/video)?(\d{1,4})")


@dataclass(frozen=True)
class WatchdogPatience:
    """All in seconds. A picture older than ``missed`` is told; one older than ``stuck`` (``connecting`` while the child
    says that it tries to connect again), or no sign of life for ``silent``, ends the child; ``first`` is given to a
    child until its first picture, ``busy`` to look at one, ``ending`` to end a game.

    The pause before another child doubles from ``pause`` up to ``longest``, or to ``reachable`` where the camera's
    address answers: it gives no pictures now, but may at any moment. ``proven``: a child that lived so long begins the
    count anew. ``probe``: how often an address that does not answer is asked whether it does again.
    """

    missed: float = 3.0
    stuck: float = 6.0
    connecting: float = 40.0
    silent: float = 5.0
    first: float = 20.0
    busy: float = 30.0
    ending: float = 15.0
    pause: float = 0.25
    longest: float = 30.0
    reachable: float = 2.0
    proven: float = 10.0
    probe: float = 1.0

    def before(self, failures: int, reachable: bool, chance: Callable[[], float] = random.random) -> float:
        """Seconds to wait after so many failures in a row. Every station waits a little longer or shorter than that,
        so that a switch that fails does not bring all cameras back at one moment."""
        longest = self.reachable if reachable else self.longest
        return min(longest, self.pause * 2.0 ** min(failures - 1, 30)) * (0.75 + 0.5 * chance())


def reachable(source: str, timeout: float = 0.5) -> bool:
    """Whether a camera is there: its device exists, or its address takes a connection. True where nothing can be
    asked."""
    device = _DEVICE.fullmatch(source)
    if device:
        return Path(f"/dev/video{device[1]}").exists()
    parts = urllib.parse.urlsplit(source) if "://" in source else None
    if parts is None or not parts.hostname:
        return True
    try:
        port = parts.port or PORTS.get(parts.scheme.lower(), 80)
        with socket.create_connection((parts.hostname, port), timeout):
            return True
    except (OSError, ValueError):
        return False
