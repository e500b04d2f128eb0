"""Picture files made by hand, byte by byte, so that each test says what is in them."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]


def quarters() -> Image:
    """60 x 40 pixels: red, green / blue, white quarters, so that every turn and mirroring shows."""
    image = np.zeros((40, 60, 3), np.uint8)
    image[:20, :30], image[:20, 30:] = (0, 0, 255), (0, 255, 0)
    image[20:, :30], image[20:, 30:] = (255, 0, 0), (255, 255, 255)
    return image


def encode(ending: str, image: NDArray[Any], *options: int) -> bytes:
    done, data = cv2.imencode(ending, image, list(options))
    assert done
    return bytes(data.tobytes())


def exif(orientation: int, order: str = "<") -> bytes:
    """A TIFF block that holds nothing but the orientation."""
    start = b"II*\0" if order == "<" else b"MM\0*"
    return start + struct.pack(f"{order}IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)


def jpeg_with_exif(image: Image, orientation: int, order: str = "<") -> bytes:
    block = b"Exif\0\0" + exif(orientation, order)
    data = encode(".jpg", image, cv2.IMWRITE_JPEG_QUALITY, 98)
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block + data[2:]


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(width: int, height: int, depth: int, colour: int, rows: bytes, *between: bytes) -> bytes:
    """A PNG of raw rows (each with its filter byte), with chunks between header and pixels."""
    header = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    parts = [chunk(b"IHDR", header), *between, chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def webp_with_exif(image: Image, orientation: int) -> bytes:
    """A WebP in its extended form: canvas, picture, EXIF."""
    height, width = image.shape[:2]
    picture = encode(".webp", image, cv2.IMWRITE_WEBP_QUALITY, 101)[12:]
    canvas: bytes = struct.pack("<I", 0x08) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    block = exif(orientation)
    body = b"WEBP" + b"VP8X" + struct.pack("<I", 10) + canvas + picture
    body += b"EXIF" + struct.pack("<I", len(block)) + block + bytes(len(block) & 1)
    return b"RIFF" + struct.pack("<I", len(body)) + body
