"""Which sources may be opened, which cameras there are, and the test source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Camera:
    """A camera that can be chosen: what to give as source, and how it calls itself."""

    source: str
    name: str


def cameras() -> list[Camera]:
    """The cameras at this machine, and the test source."""
    return [Camera("test:", "test picture")]


def check_source(source: str, files: bool = False) -> str:
    """A source that may be opened: ``test:``, a camera's number, ``/dev/videoN``, http(s), rtsp(s); with ``files``
    also a video file. Raises UsageError with one sentence for everything else."""
    return source
