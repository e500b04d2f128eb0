"""Every kind of source under one roof: how to open a working one, and how to fail to open one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from kifuwatch.vision.images import save_image
from kifuwatch.vision.sources import FrameSource, Patience, open_source
from kifuwatch.vision.sources.capture import open_device, open_rtsp
from kifuwatch.vision.sources.live import LiveSource
from tests.vision.sources.cameras import FakeCapture, mjpeg_camera
from tests.vision.sources.clips import card, write_clip

COUNT = 12
HASTY = Patience(open_timeout=5, stall_timeout=2, attempts=2, first_pause=0.02, longest_pause=0.05)
RTSP_SERVER = Path(__file__).with_name("rtsp_server.py")


@dataclass(frozen=True)
class Backend:
    """``opened`` gives a working source of test cards; ``nowhere`` is an address of this kind that is not there.

    ``opened`` is given the request of the test, for the folder and the server that it may use.
    """

    name: str
    live: bool
    opened: Callable[[pytest.FixtureRequest], AbstractContextManager[FrameSource]]
    nowhere: str
    settled: bool = False

    def __str__(self) -> str:
        return self.name


@contextmanager
def video(request: pytest.FixtureRequest, ending: str) -> Iterator[FrameSource]:
    folder: Path = request.getfixturevalue("tmp_path")
    with open_source(write_clip(folder / f"clip{ending}", COUNT)) as source:
        yield source


@contextmanager
def pictures(request: pytest.FixtureRequest) -> Iterator[FrameSource]:
    folder: Path = request.getfixturevalue("tmp_path")
    for index in range(COUNT):
        save_image(folder / f"move {index}.png", card(index))
    with open_source(folder) as source:
        yield source


@contextmanager
def usb(_: pytest.FixtureRequest) -> Iterator[FrameSource]:
    def connect() -> object:
        return open_device(0, None, lambda number: FakeCapture())

    with LiveSource("camera 0", connect, HASTY) as source:  # type: ignore[arg-type]
        yield source


@contextmanager
def rtsp(_: pytest.FixtureRequest) -> Iterator[FrameSource]:
    def connect() -> object:
        return open_rtsp("rtsp://camera", HASTY, lambda *arguments: FakeCapture())

    with LiveSource("rtsp://camera", connect, HASTY) as source:  # type: ignore[arg-type]
        yield source


@contextmanager
def rtsp_server(port: int = 0) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A real RTSP camera in a process of its own; skips the test where there is none to be had."""
    if not sys.platform.startswith("linux") or not Path("/usr/bin/python3").exists():
        pytest.skip("a real RTSP camera needs the Python of a Linux system with GStreamer")
    command = ["/usr/bin/python3", str(RTSP_SERVER), str(port)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        if not line:
            pytest.skip("a real RTSP camera needs gir1.2-gst-rtsp-server-1.0 and gstreamer1.0-plugins-ugly")
        yield f"rtsp://127.0.0.1:{line.strip()}/cam", server
    finally:
        server.kill()
        server.communicate()


@contextmanager
def real_rtsp(request: pytest.FixtureRequest) -> Iterator[FrameSource]:
    with open_source(request.getfixturevalue("rtsp_camera"), patience=HASTY) as source:
        yield source


@contextmanager
def mjpeg(_: pytest.FixtureRequest, lengths: bool) -> Iterator[FrameSource]:
    with mjpeg_camera(lengths=lengths) as camera, open_source(camera.url, patience=HASTY) as source:
        yield source


BACKENDS = [
    Backend("mp4 file", False, partial(video, ending=".mp4"), "gone.mp4"),
    Backend("avi file", False, partial(video, ending=".avi"), "gone.avi"),
    Backend("folder", False, pictures, "gone/", settled=True),
    Backend("usb", True, usb, "/dev/video99"),
    Backend("rtsp", True, rtsp, "rtsp://127.0.0.1:9/cam"),
    Backend("rtsp over the wire", True, real_rtsp, "rtsp://127.0.0.1:9/cam"),
    Backend("mjpeg", True, partial(mjpeg, lengths=True), "http://127.0.0.1:9/stream"),
    Backend("mjpeg without lengths", True, partial(mjpeg, lengths=False), "http://127.0.0.1:9/stream"),
]
