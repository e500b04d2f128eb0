"""From what a user writes to the source that reads it."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from kifuwatch.core.errors import SourceError, UsageError
from kifuwatch.vision.images import EXTENSIONS
from kifuwatch.vision.sources.base import FrameSource
from kifuwatch.vision.sources.capture import open_device, open_rtsp
from kifuwatch.vision.sources.folder import FolderSource, pictures_in
from kifuwatch.vision.sources.live import Feed, LiveSource, Patience
from kifuwatch.vision.sources.mjpeg import MjpegFeed
from kifuwatch.vision.sources.video import VideoSource

_DEVICE = re.compile(r"(?:/dev/video)?(\d{1,4})")
# What FFmpeg would take for a protocol ("concat:", "file://"); one letter is a drive of Windows.
_PROTOCOL = re.compile(r"([a-z][a-z0-9+.,-]+):", re.IGNORECASE)


def open_source(
    address: str | Path | int,
    fps: float | None = None,
    *,
    patience: Patience | None = None,
    clock: Callable[[], float] = monotonic,
    report: Callable[[str], None] | None = None,
) -> FrameSource:
    """Open whatever gives frames.

    ``address`` is a video file, a folder of pictures, the number of a camera (``0``, ``/dev/video0``), an
    ``rtsp://`` or ``rtsps://`` address, or an ``http://`` or ``https://`` address that sends MJPEG.

    ``fps``: pictures a second of a folder (1 where it is left out), a constant rate instead of the times of a
    video file, or the rate to ask of a camera at the machine; network cameras set their own. ``patience``,
    ``clock`` and ``report`` are for cameras: how long they are waited for, monotonic seconds, and who is told
    about interruptions (see :class:`~kifuwatch.vision.sources.live.LiveSource`).

    Raises SourceError with one sentence when it gives no frames, UsageError when ``fps`` makes no sense.
    """
    if fps is not None and not 0 < fps <= 1000:
        raise UsageError(f"{fps} frames a second make no source: give a number above 0 and up to 1000")
    text = str(address)
    if device := _DEVICE.fullmatch(text):
        number = int(device[1])
        connect = _device(number, fps)
        return LiveSource(f"camera {number}", connect, patience or Patience(), clock, report)
    path = Path(address).expanduser() if not isinstance(address, int) else Path(text)
    if (protocol := _PROTOCOL.match(text)) and not path.exists():
        connect = _network(text, protocol[1].lower(), fps, patience or Patience())
        return LiveSource(without_password(text), connect, patience or Patience(), clock, report)
    if path.is_dir():
        return FolderSource(path, fps)
    if path.suffix.lower() in EXTENSIONS and path.is_file():
        raise SourceError(f"{path} is a single picture: give a video, or the folder that holds the pictures")
    return VideoSource(path, fps)


def files_read(address: str | Path | int) -> list[Path]:
    """The files of which a source gives its frames: a video, a photograph, a folder and its pictures. A camera or an
    address has none, and neither has what is not there."""
    if isinstance(address, int) or _DEVICE.fullmatch(str(address)):
        return []
    path = Path(address).expanduser()
    if not path.is_dir():
        return [path] if path.is_file() else []
    try:
        return [path, *pictures_in(path)]
    except SourceError:  # told when the source is opened
        return [path]


def without_password(url: str) -> str:
    """An address as it may be shown and logged: user and password left out."""
    parts = urllib.parse.urlsplit(url)
    return urllib.parse.urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _device(number: int, fps: float | None) -> Callable[[], Feed]:
    return lambda: open_device(number, fps)


def _network(url: str, protocol: str, fps: float | None, patience: Patience) -> Callable[[], Feed]:
    if protocol not in ("rtsp", "rtsps", "http", "https") or not url[len(protocol) :].startswith("://"):
        raise SourceError(f"{url} is neither a file nor an rtsp, http or https address")
    if not urllib.parse.urlsplit(url).hostname:
        raise SourceError(f"{url} names no host")
    if fps is not None:
        raise UsageError(f"{without_password(url)} sets its own rate: leave the frames a second out")
    if protocol in ("rtsp", "rtsps"):
        return lambda: open_rtsp(url, patience)
    return lambda: MjpegFeed(url, patience.stall_timeout)
