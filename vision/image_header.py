"""What the header of a JPEG, PNG or WebP file says, read without decoding: kind, size, alpha, orientation.

A picture is refused by this, before memory is taken for it: 20,000 x 20,000 pixels fit into a PNG of one
megabyte.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import BinaryIO

_PNG = b"\x89PNG\r\n\x1a\n"
_OTHER_KINDS = (
    (0, b"GIF8", "GIF"),
    (0, b"BM", "BMP"),
    (0, b"II*\0", "TIFF"),
    (0, b"MM\0*", "TIFF"),
    (0, b"%PDF", "PDF"),
    (4, b"ftypheic", "HEIC"),
    (4, b"ftypheix", "HEIC"),
    (4, b"ftypmif1", "HEIC"),
    (4, b"ftypavif", "AVIF"),
    (4, b"ftyp", "video"),
)
_ORIENTATION_TAG = 0x0112
_MOST_CHUNKS = 100_000  # a header has a dozen; more is an attempt to keep the reader busy
# In the coded data of a JPEG: the next marker that is neither a stuffed zero, a restart nor a filling byte.
_NEXT_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")


@dataclass(frozen=True)
class ImageHeader:
    """``width`` x ``height`` as stored, before the EXIF ``orientation`` (1-8) is applied; ``alpha``: not all
    opaque."""

    kind: str
    width: int
    height: int
    alpha: bool = False
    orientation: int = 1

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) in pixels as a viewer shows it, after the orientation."""
        return (self.height, self.width) if self.orientation >= 5 else (self.width, self.height)


def read_header(stream: BinaryIO) -> ImageHeader:
    """Read the header of a picture from the start of a seekable stream.

    Raises ValueError with the end of a sentence ("is empty") when it is no JPEG, PNG or WebP or its header is
    damaged.
    """
    start = stream.read(16)
    stream.seek(0)
    if not start:
        raise ValueError("is empty")
    try:
        if start.startswith(b"\xff\xd8"):
            header = _read_jpeg(stream)
        elif start.startswith(_PNG):
            header = _read_png(stream)
        elif start[:4] == b"RIFF" and start[8:12] == b"WEBP":
            header = _read_webp(stream)
        else:
            raise ValueError(_not_a_picture(start))
    except (EOFError, struct.error):
        raise ValueError("is cut off within its header") from None
    if header.width < 1 or header.height < 1:
        raise ValueError("has a header that gives no size")
    return header


def check_complete(kind: str, data: bytes) -> None:
    """Check that the file goes on to the end that its format marks. Raises ValueError where it is cut off."""
    ends = {"JPEG": _jpeg_ends, "PNG": _png_ends, "WebP": _webp_ends}[kind]
    if not ends(data):
        raise ValueError("is cut off: its end is missing")


def _not_a_picture(start: bytes) -> str:
    for offset, magic, kind in _OTHER_KINDS:
        if start[offset:].startswith(magic):
            return f"is a {kind} file: save it as JPEG, PNG or WebP"
    return "is not a JPEG, PNG or WebP picture"


def _take(stream: BinaryIO, count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError
    return data


def _read_jpeg(stream: BinaryIO) -> ImageHeader:
    stream.seek(2)
    orientation = 1
    for _ in range(_MOST_CHUNKS):
        marker = _take(stream, 2)
        while marker == b"\xff\xff":
            marker = b"\xff" + _take(stream, 1)
        code = marker[1]
        if marker[0] != 0xFF or code in (0xD9, 0xDA):
            break
        if code == 0x01 or 0xD0 <= code <= 0xD8:
            continue
        length = struct.unpack(">H", _take(stream, 2))[0] - 2
        if length < 0:
            break
        if 0xC0 <= code <= 0xCF and code not in (0xC4, 0xC8, 0xCC):
            _, height, width = struct.unpack(">BHH", _take(stream, 5))
            return ImageHeader("JPEG", width, height, orientation=orientation)
        if code == 0xE1:
            orientation = exif_orientation(_take(stream, length)) or orientation
        else:
            stream.seek(length, 1)
    raise ValueError("has a damaged JPEG header")


def _read_png(stream: BinaryIO) -> ImageHeader:
    stream.seek(len(_PNG))
    length, name = struct.unpack(">I4s", _take(stream, 8))
    if name != b"IHDR" or length != 13:
        raise ValueError("has a damaged PNG header")
    width, height, _, colour = struct.unpack(">IIBB", _take(stream, 10))
    stream.seek(3 + 4, 1)
    alpha, orientation = colour in (4, 6), 1
    for _ in range(_MOST_CHUNKS):
        length, name = struct.unpack(">I4s", _take(stream, 8))
        if name in (b"IDAT", b"IEND"):
            break
        if name == b"eXIf" and length < 1 << 20:
            orientation = exif_orientation(_take(stream, length)) or 1
            length = 0
        alpha = alpha or name == b"tRNS"
        stream.seek(length + 4, 1)
    return ImageHeader("PNG", width, height, alpha, orientation)


def _read_webp(stream: BinaryIO) -> ImageHeader:
    stream.seek(12)
    name, length = struct.unpack("<4sI", _take(stream, 8))
    if name == b"VP8 ":
        frame = _take(stream, 10)
        if frame[3:6] != b"\x9d\x01\x2a":
            raise ValueError("has a damaged WebP header")
        width, height = struct.unpack("<HH", frame[6:])
        return ImageHeader("WebP", width & 0x3FFF, height & 0x3FFF)
    if name == b"VP8L":
        sign, bits = struct.unpack("<BI", _take(stream, 5))
        if sign != 0x2F:
            raise ValueError("has a damaged WebP header")
        return ImageHeader("WebP", (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1, bool(bits >> 28 & 1))
    if name != b"VP8X" or length < 10:
        raise ValueError("has a damaged WebP header")
    flags = _take(stream, 4)[0]
    width, height = (int.from_bytes(_take(stream, 3), "little") + 1 for _ in range(2))
    orientation = _webp_orientation(stream) if flags & 0x08 else 1
    return ImageHeader("WebP", width, height, bool(flags & 0x10), orientation)


def _webp_orientation(stream: BinaryIO) -> int:
    stream.seek(12)
    for _ in range(_MOST_CHUNKS):
        head = stream.read(8)
        if len(head) < 8:
            break
        name, length = struct.unpack("<4sI", head)
        if name == b"EXIF":
            return exif_orientation(stream.read(min(length, 1 << 20))) or 1
        stream.seek(length + (length & 1), 1)
    return 1


def exif_orientation(block: bytes) -> int | None:
    """The orientation (1-8) in an EXIF block, with or without the prefix ``Exif``; None where there is
    none."""
    tiff = block[6:] if block.startswith(b"Exif\0") else block
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(tiff[:4])
    if order is None:
        return None
    try:
        (at,) = struct.unpack_from(f"{order}I", tiff, 4)
        (entries,) = struct.unpack_from(f"{order}H", tiff, at)
        for entry in range(entries):
            tag, kind, _, value = struct.unpack_from(f"{order}HHIH", tiff, at + 2 + 12 * entry)
            if tag == _ORIENTATION_TAG and kind == 3:
                return int(value) if 1 <= value <= 8 else None
    except struct.error:
        return None
    return None


def _jpeg_ends(data: bytes) -> bool:
    at = 2
    while found := _NEXT_MARKER.search(data, at):
        code = data[found.start() + 1]
        if code == 0xD9:
            return True
        at = found.end()
        if code != 0x01 and at + 2 <= len(data):
            at += int.from_bytes(data[at : at + 2], "big")
    return False


def _png_ends(data: bytes) -> bool:
    at = len(_PNG)
    while at + 12 <= len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        at += 12 + length
        if name == b"IEND":
            return bool(at <= len(data))
    return False


def _webp_ends(data: bytes) -> bool:
    return len(data) >= 8 + int.from_bytes(data[4:8], "little")
