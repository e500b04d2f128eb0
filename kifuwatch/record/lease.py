"""One recorder a board, one a journal, one server a home: a file that is locked for as long as its holder lives.

The lock is the system's (``flock``): it goes with the process, however that ends, so nobody has to clean up after a
crash. What stands in the file says who holds it, for the sentence that the second one gets.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from time import monotonic, sleep
from typing import IO

from kifuwatch.core.errors import OutputError

try:
    import fcntl
except ImportError:  # a system without flock: nobody is kept out there
    fcntl = None  # type: ignore[assignment]

AGAIN = 0.1
"""Seconds from one try to the next."""
BOOT = Path("/proc/sys/kernel/random/boot_id")


def boot_id() -> str:
    """What tells this run of the machine from every other; empty where the system does not say."""
    try:
        return BOOT.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


class Lease:
    """Holds ``path`` until it is released or the process ends. Raises OutputError with one sentence when somebody else
    holds it already; ``what`` is what it stands for ("board 3"), ``done`` what its holder does with that."""

    def __init__(self, path: Path, what: str, done: str = "recorded") -> None:
        self.path = path
        while True:
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file: IO[str] = path.open("a+", encoding="utf-8")
            except OSError as error:
                raise OutputError(f"cannot write {path}: {(error.strerror or str(error)).lower()}") from error
            try:
                if fcntl is not None:
                    fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                holder = self._holder()
                self._file.close()
                raise OutputError(f"{what} is {done} already{holder}: end that first") from error
            if self._is_there():
                break
            self._file.close()  # whoever held it has removed it just now: once more
        self._write(json.dumps({"pid": os.getpid(), "boot": boot_id()}))

    @classmethod
    def soon(cls, path: Path, what: str, seconds: float) -> Lease:
        """The same, but one who is just ending is waited for, for so many seconds: a process whose server was killed
        may still have a picture in hand when the next one begins."""
        until = monotonic() + seconds
        while True:
            try:
                return cls(path, what)
            except OutputError as error:
                # Only one who holds it is waited for; he may remove the file just now.
                if monotonic() >= until or not isinstance(error.__cause__, BlockingIOError):
                    raise
            sleep(AGAIN)

    def release(self) -> None:
        """Let somebody else have it; a second call does nothing."""
        if not self._file.closed:
            if self._is_there():
                with contextlib.suppress(OSError):
                    self.path.unlink()
            self._file.close()

    def _is_there(self) -> bool:
        """Whether the file that is locked is the one that lies there."""
        try:
            return os.path.samestat(os.fstat(self._file.fileno()), self.path.stat())
        except OSError:
            return False

    def _holder(self) -> str:
        try:
            self._file.seek(0)
            held = json.loads(self._file.read())
            return f" by process {int(held['pid'])}" if held.get("boot") == boot_id() else ""
        except (OSError, ValueError, KeyError, AttributeError, TypeError):
            return ""

    def _write(self, text: str) -> None:
        try:
            self._file.seek(0)
            self._file.truncate()
            self._file.write(text)
            self._file.flush()
        except OSError:
            return  # a full disk: the lock holds all the same


def held(path: Path) -> bool:
    """Whether somebody holds a lease at ``path``."""
    try:
        Lease(path, "").release()
    except OutputError:
        return path.exists()
    return False
