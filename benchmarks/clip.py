"""What recording costs: ``python benchmarks/clip.py CLIP...``.

Prints, for each clip, CPU seconds of only decoding it (every frame as a picture, and without making pictures of them)
and of recording it in the same run, the ratio of recording to decoding to pictures, and how many times faster than it
plays it was recorded. Single-threaded. The first clip of a run also bears
what a process needs once, for loading libraries and networks: give a clip twice to see it without.

``--hours 2`` records each clip over and over, as one film of so many hours, and prints the memory that is held
meanwhile. The frames of the clip have to fit together: where it starts again, the board is set up otherwise than at
its end, so the moves of such a film mean nothing.

    kifuwatch simulate game.scenario.json game.mp4     # 1920 x 1080 at 30 frames a second, for example
    python benchmarks/clip.py game.mp4
    python benchmarks/clip.py game.mp4 --hours 2
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import cv2

import kifuwatch
from kifuwatch.core.times import FrameTime
from kifuwatch.vision.sources import Frame, FrameSource, open_source
from kifuwatch.vision.sources.base import Rate, Sampler

TOLD_EVERY = 600.0  # seconds of the film between two lines on memory


class Loop(FrameSource):
    """A clip over and over, as one film of so many seconds."""

    def __init__(self, path: Path, seconds: float, tell: Callable[[float], None]) -> None:
        super().__init__(str(path))
        self._path, self._seconds, self._tell = path, seconds, tell
        with open_source(path) as source:
            self._size, self.nominal_fps = source.size, source.nominal_fps

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of every frame."""
        return self._size

    def frames(self, at_most_fps: Rate = None) -> Iterator[Frame]:
        """The frames of one round after the other."""
        start, index, told, sampler = 0.0, 0, 0.0, Sampler(at_most_fps)
        while start < self._seconds:
            last = start
            with open_source(self._path) as source:
                for frame in source.frames(at_most_fps):
                    last = start + frame.time.seconds
                    time = FrameTime.of_seconds(last)
                    index += 1
                    if sampler.wants(time):
                        yield Frame(index, time, frame.image)
                    if last - told >= TOLD_EVERY:
                        told = last
                        self._tell(last)
            start = last + 1 / self.nominal_fps

    def _release(self) -> None: ...


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", type=Path)
    parser.add_argument("--hours", type=float, help="record each clip over and over for so long, and print memory")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    for path in arguments.clips:
        if arguments.hours:
            remember(path, arguments.hours * 3600)
        else:
            compare(path)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


def compare(path: Path) -> None:
    """Decoding and recording of one clip."""
    first = "" if "kifuwatch.film" in sys.modules else "  (this run also loaded libraries and networks)\n"
    capture = cv2.VideoCapture(str(path))
    grabbing = spent(lambda: all(iter(capture.grab, False)))
    frames, decoding = 0, time.process_time()
    with open_source(path) as source:
        frames = sum(1 for _ in source)
        shape, fps = "{}x{}".format(*source.size), source.nominal_fps
    decoding = time.process_time() - decoding
    begin = time.process_time()
    recording = kifuwatch.record(path)
    whole = time.process_time() - begin
    print(f"{path.name}: {shape}, {fps:g} frames a second, {frames} frames, {recording.seconds:.1f} s")
    print(f"  decoding {decoding:.2f} s (without pictures {grabbing:.2f} s), recording {whole:.2f} s of CPU time")
    print(f"  ratio {whole / decoding:.2f}, {recording.seconds / whole:.2f} times faster than it plays")
    print(f"  {recording.frames} frames looked at, {len(recording.moves)} moves, {len(recording.alerts)} alerts")
    print(first, end="")


def spent(do: Callable[[], object]) -> float:
    """CPU seconds that something takes."""
    begin = time.process_time()
    do()
    return time.process_time() - begin


def remember(path: Path, seconds: float) -> None:
    """Memory over a long film."""

    def tell(now: float) -> None:
        print(f"  {now / 60:6.0f} min {held():8.0f} MB", flush=True)

    print(f"{path.name}, over and over for {seconds / 3600:g} h")
    with Loop(path, seconds, tell) as source:
        recording = kifuwatch.record(source)
    print(f"  end        {held():8.0f} MB, {len(recording.events)} events")


def held() -> float:
    """Megabytes that this process holds now (Linux)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 1e6


if __name__ == "__main__":
    main()
