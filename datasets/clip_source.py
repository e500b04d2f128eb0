"""The frames of a scenario as a source: filmed while they are recorded, without a video file between.

    with ScenarioSource.of(Path("ko.scenario.json")) as source:
        kifuwatch.record(source)

A file would have to be written, coded and decoded again, which takes longer than drawing its pictures.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from kifuwatch.core.times import FrameTime
from kifuwatch.datasets.clip_frames import Studio
from kifuwatch.datasets.clip_look import ClipLook
from kifuwatch.datasets.clip_script import ClipScript, read_script
from kifuwatch.datasets.clip_setting import look_of
from kifuwatch.vision.sources import Frame, FrameSource
from kifuwatch.vision.sources.base import Rate, Sampler


class ScenarioSource(FrameSource):
    """Gives the frames of a script in their order. ``drawing``: processor seconds that it took to draw them."""

    def __init__(self, script: ClipScript, name: str, seed: int = 0, look: ClipLook | None = None) -> None:
        super().__init__(name)
        begin = time.process_time()
        self._script = script
        self._studio = Studio(script, seed, look or look_of(script, seed))
        self._next = 0
        self.nominal_fps, self.frame_count = script.fps, script.frame_count
        self.drawing = time.process_time() - begin

    @classmethod
    def of(cls, scenario: Path, seed: int = 0) -> ScenarioSource:
        """The frames of a ``*.scenario.json``. Raises FileFormatError for a scenario that cannot be."""
        return cls(read_script(scenario, seed), str(scenario), seed)

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of every frame."""
        return self._script.width, self._script.height

    def frames(self, at_most_fps: Rate = None) -> Iterator[Frame]:
        """Give the frames that are still to come; see :meth:`FrameSource.frames`. Those left out are not drawn."""
        sampler = Sampler(at_most_fps)
        self._check_open()
        while self._next < self._script.frame_count:
            index = self._next
            self._next += 1
            moment = FrameTime.of_seconds(index / self._script.fps)
            if not sampler.wants(moment):
                continue
            begin = time.process_time()
            image, _ = self._studio.picture(moment)
            self.drawing += time.process_time() - begin
            yield Frame(index, moment, image)

    def _release(self) -> None:
        self._next = self._script.frame_count
