"""What recording costs: ``python benchmarks/clip.py CLIP...``.

Prints, for each clip, CPU seconds of only decoding it and of recording it in the same run, their ratio, and how many
times faster than it plays it was recorded. Single-threaded.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

import cv2

import kifuwatch
from kifuwatch.vision.sources import open_source


def main() -> None:
    """Measure and print one line a clip."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clips", nargs="+", type=Path)
    cv2.setNumThreads(1)
    print(f"{'clip':24} {'plays s':>8} {'decode s':>9} {'record s':>9} {'ratio':>6} {'x speed':>8}")
    for path in parser.parse_args().clips:
        begin = time.process_time()
        with open_source(path) as source:
            frames = sum(1 for _ in source)
        decoding = time.process_time() - begin
        begin = time.process_time()
        recording = kifuwatch.record(path)
        whole = time.process_time() - begin
        speed = recording.seconds / whole
        print(
            f"{path.name:24} {recording.seconds:8.1f} {decoding:9.2f} {whole:9.2f} {whole / decoding:6.2f} {speed:8.2f}"
        )
        print(f"{'':24} {frames} frames, {len(recording.moves)} moves, {len(recording.alerts)} alerts")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
