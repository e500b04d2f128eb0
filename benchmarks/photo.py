"""What reading photographs costs: ``python benchmarks/photo.py PHOTO...``.

Prints, for each photograph, CPU seconds of decoding it and of reading it (networks loaded before), their ratio, and
at the end the peak memory of the process. Single-threaded, best of three.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.core.errors import NoBoardError
from kifuwatch.vision.images import load_image
from kifuwatch.vision.reading import BoardReader

TRIES = 3


def cpu_seconds(work: Callable[[], object]) -> float:
    """The least CPU time of a few runs, in seconds."""
    times = []
    for _ in range(TRIES):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def read(reader: BoardReader, image: NDArray[np.uint8]) -> None:
    """Read a picture, whether or not there is a board in it."""
    with suppress(NoBoardError):
        reader.read(image)


def main() -> None:
    """Measure and print one line a photograph."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", nargs="+", type=Path)
    cv2.setNumThreads(1)
    reader = BoardReader()
    print(f"{'photograph':40} {'pixels':>11} {'decode s':>9} {'read s':>8} {'ratio':>6}")
    for path in parser.parse_args().photos:
        image = load_image(path)

        decoding, reading = cpu_seconds(partial(load_image, path)), cpu_seconds(partial(read, reader, image))
        size = f"{image.shape[1]}x{image.shape[0]}"
        print(f"{path.name[-40:]:40} {size:>11} {decoding:9.3f} {reading:8.3f} {reading / decoding:6.1f}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
