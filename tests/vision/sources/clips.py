"""Clips of a test card, and the boxes of an MP4 file, so that a test can give it other times or a turn."""

from __future__ import annotations

import struct
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
SIZE = (320, 240)
# The colour bars of television, as the test picture of GStreamer shows them too.
BARS = [(255, 255, 255), (0, 255, 255), (255, 255, 0), (0, 255, 0), (255, 0, 255), (0, 0, 255), (255, 0, 0)]
_CELL = 20


def card(index: int = 0, size: tuple[int, int] = SIZE) -> Image:
    """Seven colour bars, white first and blue last, and the index as black and white cells at the bottom left."""
    width, height = size
    image = np.zeros((height, width, 3), np.uint8)
    for i, colour in enumerate(BARS):
        image[:, i * width // 7 : (i + 1) * width // 7] = colour
    image[-_CELL:, : 8 * _CELL] = 0
    for bit in range(8):
        if index >> bit & 1:
            image[-_CELL:, bit * _CELL : (bit + 1) * _CELL] = 255
    return image


def card_index(image: Image) -> int:
    """The index that a test card shows."""
    cells = image[-_CELL // 2, _CELL // 2 : 8 * _CELL : _CELL].mean(axis=1)
    return sum(1 << bit for bit, cell in enumerate(cells) if cell > 127)


def write_clip(path: Path, count: int, fps: float = 10, size: tuple[int, int] = SIZE) -> Path:
    """A clip of test cards 0, 1, 2... at a constant rate."""
    codec = "MJPG" if path.suffix == ".avi" else "mp4v"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*codec), fps, size)
    for index in range(count):
        writer.write(card(index, size))
    writer.release()
    return path


_HOLDERS = (b"moov", b"trak", b"mdia", b"minf", b"stbl")


def _rebuilt(data: bytes, change: dict[bytes, bytes]) -> bytes:
    """The same boxes with other contents for those named; lengths are put right all the way up."""
    out, at = b"", 0
    while at < len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + length]
        if name == b"edts":
            name = b"free"  # the edit list still tells the old duration
        elif name in _HOLDERS:
            body = _rebuilt(body, change)
        body = change.get(name, body)
        out += struct.pack(">I4s", len(body) + 8, name) + body
        at += length
    return out


def _box(data: bytes, wanted: bytes) -> bytes:
    at = 0
    while at < len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        body = data[at + 8 : at + length]
        if name == wanted:
            return body
        if name in _HOLDERS:
            try:
                return _box(body, wanted)
            except KeyError:
                pass
        at += length
    raise KeyError(wanted)


def give_times(path: Path, seconds: list[float]) -> Path:
    """Give the frames of an MP4 clip these times, each its own: a variable frame rate as phones record."""
    data = path.read_bytes()
    (scale,) = struct.unpack_from(">I", _box(data, b"mdhd"), 12)
    ticks = [round(second * scale) for second in seconds]
    steps = [*np.diff(ticks).tolist(), 1]
    table = struct.pack(">II", 0, len(steps)) + b"".join(struct.pack(">II", 1, step) for step in steps)
    path.write_bytes(_rebuilt(data, {b"stts": table}))
    return path


def turn_clip(path: Path, degrees: int) -> Path:
    """Set the rotation flag of an MP4 clip, as a phone held upright does: turn clockwise when showing."""
    data = path.read_bytes()
    one = 1 << 16
    a, b = {0: (one, 0), 90: (0, one), 180: (-one, 0), 270: (0, -one)}[degrees]
    matrix = struct.pack(">9i", a, b, 0, -b, a, 0, 0, 0, 1 << 30)
    header = _box(data, b"tkhd")
    path.write_bytes(_rebuilt(data, {b"tkhd": header[:40] + matrix + header[76:]}))
    return path
