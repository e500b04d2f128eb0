"""What no output may ever replace, whoever asks for it: what is read in the same run, journals, one another."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from kifuwatch.core.errors import UsageError

_SQLITE = b"SQLite format 3\0"
_LOGS = ("-wal", "-shm", "-journal")
"""What SQLite lays beside a journal: rows that were acknowledged may lie there alone."""


def check_apart(outputs: Mapping[str, Path | None], inputs: Iterable[Path | None] = ()) -> None:
    """Make sure that no output replaces an input or another output. Raises UsageError.

    ``outputs`` go by the name under which messages speak of them: ``--sgf``, ``the game record``.
    """
    read = [path for path in inputs if path is not None]
    taken: dict[str, Path] = {}
    for name, path in outputs.items():
        if path is None:
            continue
        if any(same_place(path, each) for each in read):
            raise UsageError(f"{named(name, path)} is what is read, and is not overwritten: name another file")
        for other, place in taken.items():
            if same_place(path, place):
                raise UsageError(f"{path} is named for {other} and for {name}: give each a name of its own")
        taken[name] = path


def check_no_journal(name: str, path: Path) -> None:
    """Make sure that an output does not replace a journal, or the log of one. Raises UsageError."""
    if is_journal(path):
        raise UsageError(f"{named(name, path)} is a journal, and a journal is never overwritten: name another file")


def named(name: str, path: Path) -> str:
    """How messages name an output: ``--sgf: game.sgf``, ``the truth ko.scenario.json``, or its path alone."""
    return f"{name}: {path}" if name.startswith("-") else f"{name} {path}".strip()


def same_place(one: Path, other: Path) -> bool:
    """Whether two paths lead to the same file, under whatever names, or would if it were there."""
    try:
        return one.samefile(other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)


def is_journal(path: Path) -> bool:
    """Whether a file is a journal, or the log beside one.

    Every SQLite file counts: in a journal that has just been begun, the mark that it is one may still lie in its log.
    """
    for log in _LOGS:
        if path.name.endswith(log) and _is_sqlite(path.with_name(path.name.removesuffix(log))):
            return True
    return _is_sqlite(path)


def _is_sqlite(path: Path) -> bool:
    try:
        if not path.is_file():  # a pipe, opened to look into it, would wait for a writer
            return False
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False
