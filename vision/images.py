"""Pictures from and to disk: the only place that reads and writes picture files.

Everything behind it sees one kind of array: BGR, 8 bits, three channels, upright.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.core.errors import ImageError, OutputError
from kifuwatch.vision.image_header import ImageHeader, check_complete, read_header
from kifuwatch.vision.quiet import listening

EXTENSIONS = frozenset({".jpg", ".jpeg", ".png", ".webp"})
MOST_PIXELS = 100_000_000
_MOST_BYTES = 512 * 1024 * 1024
_DAMAGE = ("premature end", "extraneous bytes")  # how libjpeg says that pixels are missing
_ENCODING: dict[str, list[int]] = {
    ".jpg": [cv2.IMWRITE_JPEG_QUALITY, 92],
    ".jpeg": [cv2.IMWRITE_JPEG_QUALITY, 92],
    ".png": [],
    ".webp": [cv2.IMWRITE_WEBP_QUALITY, 90],
}
_Pixels = NDArray[np.uint8]
_TURNS: dict[int, Callable[[_Pixels], Any]] = {
    2: lambda image: cv2.flip(image, 1),
    3: lambda image: cv2.rotate(image, cv2.ROTATE_180),
    4: lambda image: cv2.flip(image, 0),
    5: cv2.transpose,
    6: lambda image: cv2.rotate(image, cv2.ROTATE_90_CLOCKWISE),
    7: lambda image: cv2.rotate(cv2.transpose(image), cv2.ROTATE_180),
    8: lambda image: cv2.rotate(image, cv2.ROTATE_90_COUNTERCLOCKWISE),
}


def load_image(path: Path | str) -> NDArray[np.uint8]:
    """Read a JPEG, PNG or WebP file as BGR, shape (height, width, 3), turned as its EXIF orientation says.

    16-bit, grey and CMYK pictures are converted; what is transparent becomes white.
    Raises ImageError with one sentence when the file is missing, no picture, cut off, damaged or over 100
    megapixels; the size is taken from the header, before memory is taken for the pixels.
    """
    path = Path(path)
    data = _read_file(path)
    try:
        return decode_image(data)
    except ValueError as error:
        raise ImageError(f"{path} {error}") from None


def image_size(path: Path | str) -> tuple[int, int]:
    """(width, height) in pixels of a picture file after its EXIF orientation, from the header alone.

    Raises ImageError like :func:`load_image`, as far as the header shows it.
    """
    path = Path(path)
    _check_file(path)
    try:
        with path.open("rb") as stream:
            return _checked_header(stream).size
    except OSError as error:
        raise ImageError(f"{path} cannot be read: {_reason(error)}") from None
    except ValueError as error:
        raise ImageError(f"{path} {error}") from None


def decode_image(data: bytes) -> NDArray[np.uint8]:
    """Decode the bytes of a whole picture file as BGR, shape (height, width, 3), upright.

    Raises ValueError with the end of a sentence ("is cut off: its end is missing").
    """
    header = _checked_header(io.BytesIO(data))
    check_complete(header.kind, data)
    flags = cv2.IMREAD_UNCHANGED if header.alpha else cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION
    with listening() as complaints:
        try:
            pixels = cv2.imdecode(np.frombuffer(data, np.uint8), flags)
        except cv2.error:
            pixels = None
    if pixels is None or any(word in line for line in complaints.lines for word in _DAMAGE):
        raise ValueError(f"is a damaged {header.kind} file")
    turn = _TURNS.get(header.orientation)
    image = _as_bgr(pixels)
    return np.ascontiguousarray(turn(image) if turn else image, dtype=np.uint8)


def save_image(path: Path | str, image: NDArray[np.uint8]) -> None:
    """Write a BGR (height, width, 3) or grey (height, width) picture in the format that its name ends with.

    The file is complete or not there: it is written beside its place and then moved. An existing file is
    replaced.
    Raises OutputError with one sentence when the place cannot be written or the ending is none of .jpg .png
    .webp.
    """
    path = Path(path)
    encoding = _ENCODING.get(path.suffix.lower())
    if encoding is None:
        raise OutputError(f"cannot write {path}: the name of a picture ends with .jpg, .png or .webp")
    try:
        done, data = cv2.imencode(path.suffix.lower(), image, encoding)
    except cv2.error:
        done = False
    if not done:
        raise OutputError(f"cannot write {path}: an array of shape {image.shape} does not fit this format")
    _write_whole(path, data.tobytes())


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise ImageError(f"{path} is a folder, not a picture")
    if not path.exists():
        raise ImageError(f"{path} does not exist")
    if not path.is_file():
        raise ImageError(f"{path} is not a picture file")


def _read_file(path: Path) -> bytes:
    """The bytes of a file whose header promises a picture of bearable size."""
    _check_file(path)
    try:
        with path.open("rb") as stream:
            _checked_header(stream)
            if os.fstat(stream.fileno()).st_size > _MOST_BYTES:
                raise ValueError(f"is larger than {_MOST_BYTES // 1024 // 1024} MB")
            stream.seek(0)
            return stream.read()
    except OSError as error:
        raise ImageError(f"{path} cannot be read: {_reason(error)}") from None
    except ValueError as error:
        raise ImageError(f"{path} {error}") from None


def _checked_header(stream: io.BufferedIOBase) -> ImageHeader:
    header = read_header(stream)  # type: ignore[arg-type]
    if header.width * header.height > MOST_PIXELS:
        raise ValueError(
            f"has {header.width} x {header.height} pixels: more than {MOST_PIXELS // 1_000_000} megapixels are not read"
        )
    return header


def _as_bgr(pixels: NDArray[Any]) -> NDArray[np.uint8]:
    """Any array that OpenCV decodes to, as 8-bit BGR; what is transparent becomes white."""
    if pixels.dtype == np.uint16:
        pixels = pixels >> 8
    image = pixels.astype(np.uint8, copy=False)
    if image.ndim == 2:
        return cv2.cvtColor(image, cv2.COLOR_GRAY2BGR).astype(np.uint8, copy=False)
    if image.shape[2] == 3:
        return image
    opaque = image[:, :, 3:].astype(np.uint16)
    blended = (image[:, :, :3] * opaque + 255 * (255 - opaque) + 127) // 255
    return blended.astype(np.uint8)


def _write_whole(path: Path, data: bytes) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        try:
            part.write_bytes(data)
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OutputError(f"cannot write {path}: {_reason(error)}") from None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
