"""What the child process of a camera knows of itself, and tells the server again and again."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from time import monotonic
from typing import Any

from kifuwatch.live.setup import FINE, LOOKING, without_secrets
from kifuwatch.live.wire import Mailbox

BEAT = 0.5
"""Seconds from one sign of life to the next."""
RATE_OVER = 5.0
"""Seconds over which frames a second are counted."""


class Report:
    """The state of one child. Any thread may change it; a thread of its own tells it."""

    def __init__(self, mailbox: Mailbox, clock: Callable[[], float] = monotonic) -> None:
        self._mailbox, self._clock, self._lock = mailbox, clock, threading.Lock()
        self._frames, self._times = 0, deque[float](maxlen=200)
        self._facts: dict[str, Any] = {
            "note": LOOKING,
            "error": "",
            "picture": "",
            "connecting": False,
            "row": 0,
            "seconds": 0.0,
            "exhibits": 0,
        }
        self._noted = clock()
        self._last_picture: Callable[[], float | None] = lambda: None
        threading.Thread(target=self._beat, name="heartbeat", daemon=True).start()

    def ask(self, last_picture: Callable[[], float | None]) -> None:
        """Whom to ask when the camera gave its last picture: it may be long until that one is looked at."""
        self._last_picture = last_picture

    def frame(self, seconds: float) -> None:
        """One more frame has come; ``seconds`` is its time in the game."""
        with self._lock:
            self._frames += 1
            self._times.append(self._clock())
            self._facts["seconds"] = seconds

    def note(self, note: str) -> None:
        """Why what is said may not be up to date, or nothing."""
        with self._lock:
            if self._facts["note"] == note:
                return
            self._facts["note"], self._noted = note, self._clock()
        self.tell()

    def say(self, **facts: Any) -> None:
        """Change what is told, at once where it differs. Sentences are told without any password in them."""
        facts = {name: without_secrets(value) if isinstance(value, str) else value for name, value in facts.items()}
        with self._lock:
            same = all(name in self._facts and self._facts[name] == value for name, value in facts.items())
            self._facts |= facts
        if not same:
            self.tell()

    def kept(self, row: int) -> None:
        """Everything up to this row of the journal lasts."""
        self.say(row=row)

    def connecting(self, sentence: str) -> None:
        """The camera is lost and tried again, or back: as its source says."""
        back = sentence.endswith(" is back")
        self.say(picture="" if back else sentence, connecting=not back)

    def exhibited(self) -> None:
        """There are more pictures to be seen."""
        with self._lock:
            self._facts["exhibits"] += 1
        self.tell()

    def send(self, kind: str, body: Mapping[str, Any], load: bytes = b"") -> None:
        """Something else for the server: a picture, where the board is."""
        self._mailbox.put(kind, body, load)

    def tell(self) -> None:
        """Send the state as it is now."""
        with self._lock:
            now = self._clock()
            recent = [t for t in self._times if now - t <= RATE_OVER]
            taken = now - self._times[-1] if self._times else None
            came = self._last_picture()
            age = taken if taken is None or came is None else min(now - came, taken)
            span = max(now - recent[0], 1.0) if recent else 1.0
            body = {
                **self._facts,
                "frames": self._frames,
                "fps": round(len(recent) / span, 2),
                "age": age,
                "taken": taken,
            }
            body["note_since"] = now - self._noted if body["note"] != FINE else 0.0
        self._mailbox.put("beat", body)

    def _beat(self) -> None:
        waiting = threading.Event()
        while not self._mailbox.broken:
            self.tell()
            waiting.wait(BEAT)
