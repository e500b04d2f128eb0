"""Files that are whole at every moment, and that never replace what somebody else has written."""

from __future__ import annotations

import os
from pathlib import Path

from kifuwatch.core.errors import OutputError
from kifuwatch.core.outputs import check_no_journal


def check_writable(path: Path, force: bool = False) -> None:
    """Make sure, before anything is recorded, that ``path`` can be written.

    Raises OutputError when it exists and ``force`` is not given, when its folder is missing, or when nothing
    can be written there; UsageError for a journal, which nothing replaces.
    """
    if path.is_dir():
        raise OutputError(f"cannot write {path}: it is a folder")
    check_no_journal("", path)
    if path.exists() and not force:
        raise OutputError(f"{path} exists already and is not overwritten without --force")
    if not path.parent.is_dir():
        raise OutputError(f"cannot write {path}: there is no folder {path.parent}")
    part = _part(path)
    try:
        part.write_bytes(b"")
        part.unlink()
    except OSError as error:
        raise OutputError(f"cannot write {path}: {_reason(error)}") from error


def write_whole(path: Path, content: bytes) -> None:
    """Replace ``path`` in one step: a reader, or a power cut, meets the old content or the new, never a part.

    Raises OutputError when it cannot be written.
    """
    part = _part(path)
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise OutputError(f"cannot write {path}: {_reason(error)}") from error


def _sync_folder(folder: Path) -> None:
    """Make the new name last through a power cut, where the system offers that."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _part(path: Path) -> Path:
    return path.with_name(f".{path.name}.part")


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
