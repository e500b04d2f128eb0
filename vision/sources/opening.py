"""From what a user writes to the source that reads it."""

from __future__ import annotations

from pathlib import Path

from kifuwatch.core.errors import SourceError, UsageError
from kifuwatch.vision.images import EXTENSIONS
from kifuwatch.vision.sources.base import FrameSource
from kifuwatch.vision.sources.folder import FolderSource
from kifuwatch.vision.sources.video import VideoSource


def open_source(address: str | Path, fps: float | None = None) -> FrameSource:
    """Open a video file or a folder of pictures.

    Raises SourceError with one sentence when it gives no frames.
    """
    if fps is not None and not 0 < fps <= 1000:
        raise UsageError(f"{fps} frames a second make no source: give a number above 0 and up to 1000")
    path = Path(address).expanduser()
    if path.is_dir():
        return FolderSource(path, fps)
    if path.suffix.lower() in EXTENSIONS and path.is_file():
        raise SourceError(f"{path} is a picture: give the folder that holds it, or a video")
    return VideoSource(path, fps)
