"""How a live server is set up: where games lie, where it listens, who may rule, how far the public is behind."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kifuwatch.core.errors import UsageError

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 8361
MOST_SECONDS, MOST_MOVES = 24 * 3600.0, 400
_DELAY = re.compile(r"(\d+(?:\.\d+)?)\s*(s|sec|seconds?|m|min|minutes?|moves?|秒|分钟?|手)?", re.IGNORECASE)
_UNITS = {"s": 1.0, "秒": 1.0, "m": 60.0, "分": 60.0}


@dataclass(frozen=True)
class Delay:
    """How far the public is behind: what became known less than ``seconds`` ago is not told, nor the last ``moves``."""

    seconds: float = 0.0
    moves: int = 0

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return self.seconds > 0 or self.moves > 0


def parse_delay(text: str) -> Delay:
    """``30s``, ``15min``, ``5moves``, or both as ``30s,5moves``. Raises UsageError with one sentence."""
    seconds, moves = 0.0, 0
    for word in text.split(","):
        found = _DELAY.fullmatch(word.strip())
        if found is None:
            raise UsageError(f"--delay: {word.strip()!r} is no delay: write 30s, 15min, 5moves, or 30s,5moves")
        number, unit = float(found.group(1)), (found.group(2) or "s").lower()
        if unit.startswith(("move", "手")):
            moves = int(number)
            if moves != number:
                raise UsageError(f"--delay: {word.strip()!r} is no number of moves")
        else:
            seconds = number * _UNITS[unit[0]]
    if seconds > MOST_SECONDS or moves > MOST_MOVES:
        raise UsageError(f"--delay: at most {MOST_SECONDS / 3600:g} hours and {MOST_MOVES} moves can be held back")
    return Delay(seconds, moves)


@dataclass(frozen=True)
class LiveConfig:
    """What a live server needs to know. ``token``: who has it may rule; ``names``: host names beside the usual ones
    under which it is reached; ``most_clients``: pages that may listen at once."""

    home: Path
    token: str = field(repr=False)
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    delay: Delay = Delay()
    names: frozenset[str] = frozenset()
    most_clients: int = 2000

    @property
    def local(self) -> bool:
        """Whether only this machine can reach it."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def home_of(given: Path | None, environment: Mapping[str, str]) -> Path:
    """Where games lie: as given, or ``$KIFUWATCH_HOME``, or ``~/.local/share/kifuwatch``."""
    if given is not None:
        return given
    named = environment.get("KIFUWATCH_HOME", "")
    return Path(named) if named else Path.home() / ".local" / "share" / "kifuwatch"
