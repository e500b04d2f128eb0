"""The two things a program asks of kifuwatch: read a picture, record a game.

Everything heavy (picture and model libraries) is loaded when a function is called, not when this is imported.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kifuwatch.vision.reading import Reading


def read(
    picture: str | Path | NDArray[np.uint8],
    *,
    size: int | None = None,
    corners: Sequence[Sequence[float]] | None = None,
) -> Reading:
    """Find the board in a picture and read what stands on it.

    ``picture`` is a file (JPEG, PNG, WebP; EXIF orientation is obeyed) or an array (h, w, 3) of BGR bytes.
    ``size``: lines of the board, found by itself when not given. ``corners``: four pixel positions (x, y) of the
    outermost grid points, in the order top-left, top-right, bottom-right, bottom-left; then nothing is searched for,
    and the board text has its top line between the first two.

    The reading holds ``size``, ``layout`` (what stands where), ``corners``, ``confidence`` and the ``uncertain``
    points. Raises NoBoardError when no board is found or none can be trusted, ImageError when the file is not a
    readable picture, UsageError for corners that make no board.

    >>> import kifuwatch
    >>> reading = kifuwatch.read(photo)
    >>> reading.size
    9
    >>> print(reading.layout)
    .........
    .........
    ......O..
    .........
    ....X....
    .........
    ..X......
    .........
    .........
    """
    from kifuwatch.calibration.finder import BoardFinder
    from kifuwatch.vision.images import load_image
    from kifuwatch.vision.reading import read_board
    from kifuwatch.vision.stones import StoneReader

    image = load_image(Path(picture)) if isinstance(picture, str | Path) else picture
    return read_board(image, BoardFinder(), StoneReader(), size=size, corners=corners)
