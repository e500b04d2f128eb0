"""FFmpeg and OpenCV keep their own lines off standard error, in a process of its own: their level is set once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.vision.sources.clips import write_clip

SCRIPT = """
import os, sys
from kifuwatch.core.errors import SourceError
from kifuwatch.vision.sources import Patience, open_source
import cv2
level = cv2.utils.logging.getLogLevel()
for address in sys.argv[1:]:
    try:
        with open_source(address, patience=Patience(2, 1, 0)) as source:
            print(len(list(source)), source.decode_failures)
    except SourceError as error:
        print(error)
assert cv2.utils.logging.getLogLevel() == level
assert "OPENCV_FFMPEG_LOGLEVEL" not in os.environ
cv2.VideoCapture(sys.argv[-1])  # without kifuwatch: OpenCV may speak again
"""


def test_only_our_sentences_are_heard(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.mp4", 30)
    data = bytearray(clip.read_bytes())
    (tmp_path / "cut.mp4").write_bytes(data[: len(data) // 2])
    for at in range(300, len(data) - 2000, 7):
        data[at] ^= 0x5A
    (tmp_path / "damaged.mp4").write_bytes(data)
    addresses = [tmp_path / "cut.mp4", tmp_path / "damaged.mp4", "rtsp://127.0.0.1:9/cam", "/dev/video99"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENCV_")}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *map(str, addresses)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env=environment,
    )
    heard = done.stdout.splitlines()
    assert heard[0] == f"{tmp_path / 'cut.mp4'} is cut off: its end is missing"
    assert heard[2:] == [
        "rtsp://127.0.0.1:9/cam gives no frames: the address does not answer as an RTSP camera",
        "camera 99 gives no frames: there is no /dev/video99 at this machine",
    ]
    assert all("VIDEOIO" in line for line in done.stderr.splitlines()), "only what came after the last source"
