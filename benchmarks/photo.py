"""What reading photographs costs: ``python benchmarks/photo.py [--height 720] PHOTO...``.

Prints, for each photograph, CPU milliseconds of decoding it, of finding the board (networks loaded before), of reading
the found board once more as a film does, and how often the photograph could be decoded while it is found and read; at
the end the medians and the peak memory of the process. Single-threaded, best of three.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

import cv2
import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.finder import BoardFinder
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.errors import NoBoardError
from kifuwatch.vision.images import load_image
from kifuwatch.vision.stones import StoneReader

TRIES = 3


def cpu_milliseconds(work: Callable[[], object]) -> float:
    """The least CPU time of a few runs."""
    times = []
    for _ in range(TRIES):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return 1000 * min(times)


def pose_in(finder: BoardFinder, image: NDArray[np.uint8]) -> BoardPose | None:
    """Where the board is, None where there is none."""
    try:
        return finder.find(image).pose
    except NoBoardError:
        return None


def main() -> None:
    """Measure and print one line a photograph."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("photos", nargs="+", type=Path)
    parser.add_argument("--height", type=int, help="pixels to which higher photographs are reduced first")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    finder, reader = BoardFinder(), StoneReader()
    print(f"{'photograph':40} {'pixels':>11} {'decode ms':>9} {'find ms':>8} {'read ms':>8} {'ratio':>6}")
    costs: list[tuple[float, float]] = []
    for path in options.photos:
        image = load_image(path)
        factor = min(1.0, (options.height or image.shape[0]) / image.shape[0])
        size = round(image.shape[1] * factor), round(image.shape[0] * factor)
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        decoding = cpu_milliseconds(partial(load_image, path))
        finding = cpu_milliseconds(partial(pose_in, finder, image))
        pose = pose_in(finder, image)
        reading = float("nan") if pose is None else cpu_milliseconds(partial(reader.read, image, pose))
        name, pixels = path.name[-40:], f"{size[0]}x{size[1]}"
        ratio = (finding + reading) / decoding
        print(f"{name:40} {pixels:>11} {decoding:9.1f} {finding:8.1f} {reading:8.1f} {ratio:6.1f}", flush=True)
        if pose is not None:
            costs.append((finding, reading))
    if costs:
        finding, reading = (median(column) for column in zip(*costs, strict=True))
        print(f"half of them: found in {finding:.0f} ms, read in {reading:.1f} ms")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
