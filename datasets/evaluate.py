"""Everything that is labelled, run through the product and held against its truth: the figures of ``evaluate``."""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import active_children, get_context
from pathlib import Path
from typing import Protocol

from kifuwatch.core.ending import end_with_parent
from kifuwatch.core.errors import KifuwatchError
from kifuwatch.datasets.clip_source import ScenarioSource
from kifuwatch.datasets.evaluate_games import GameFigures, GameResult, judge_clip, judge_sequence, without_record
from kifuwatch.datasets.evaluate_photos import Image, PhotoFigures, PhotoReading, PhotoResult, evaluate_photos
from kifuwatch.datasets.figures import CpuCost, by_group
from kifuwatch.datasets.kept_results import KeptResults
from kifuwatch.datasets.labelled import LabelledData, LabelledPhoto, LabelledSequence, Scenario
from kifuwatch.vision.images import load_image
from kifuwatch.vision.reading import BoardReader
from kifuwatch.vision.sources import FrameSource, open_source


class RecordEvents(Protocol):
    """Records a source to its end and hands over its events, one object each as in GAME.jsonl."""

    def __call__(self, source: str | FrameSource, rules: str) -> Iterable[Mapping[str, object]]:
        """The events of a source under a code of rules."""


@dataclass(frozen=True)
class Evaluation:
    """All results, and the figures by source."""

    photos: tuple[PhotoResult, ...] = ()
    clips: tuple[GameResult, ...] = ()
    sequences: tuple[GameResult, ...] = ()
    peak_megabytes: float = field(default=0.0)

    def photo_figures(self) -> tuple[dict[str, PhotoFigures], PhotoFigures]:
        """Of each source, and of all."""
        return by_group(self.photos, lambda each: each.source, PhotoFigures.of)

    def clip_figures(self) -> tuple[dict[str, GameFigures], GameFigures]:
        """Of each kind of clip, and of all."""
        return by_group(self.clips, lambda each: each.group, GameFigures.of)

    def figures_by(self, condition: str) -> tuple[dict[str, GameFigures], GameFigures]:
        """Of the clips that name this condition (camera, light), by what they say of it, and of all these."""
        clips = [clip for clip in self.clips if condition in clip.conditions]
        return by_group(clips, lambda each: each.conditions[condition], GameFigures.of)

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions that clips name."""
        return tuple(sorted({name for clip in self.clips for name in clip.conditions}))

    def sequence_figures(self) -> tuple[dict[str, GameFigures], GameFigures]:
        """Of each series by its name, and of all."""
        return by_group(self.sequences, lambda each: each.id, GameFigures.of)

    def to_json(self) -> dict[str, object]:
        """Everything as plain values."""
        report: dict[str, object] = {"peak_megabytes": round(self.peak_megabytes)}
        if self.photos:
            groups, total = self.photo_figures()
            report["photos"] = {
                "total": total.to_json(),
                "by_source": {name: figures.to_json() for name, figures in groups.items()},
                "each": [result.to_json() for result in self.photos],
            }
        games = {"clips": (self.clips, self.clip_figures), "sequences": (self.sequences, self.sequence_figures)}
        for key, (results, figures_of) in games.items():
            if results:
                by_name, all_games = figures_of()
                report[key] = {
                    "total": all_games.to_json(),
                    "by_source": {name: figures.to_json() for name, figures in by_name.items()},
                    "each": [result.to_json() for result in results],
                }
        if self.conditions:
            split = {name: self.figures_by(name)[0] for name in self.conditions}
            report["clips_by_condition"] = {
                name: {value: figures.to_json() for value, figures in groups.items()} for name, groups in split.items()
            }
        return report


@dataclass(frozen=True)
class Evaluator:
    """Runs labelled data through the product.

    ``given_corners``: photographs are read at their labelled corners, so that only the reading of stones is judged.
    ``progress`` is called with the name of each item before it is taken up. ``kept``: results of clips from before,
    and where new ones go. ``jobs``: so many clips are recorded at once, each in a process of its own (``record`` must
    then be a function of a module).
    """

    record: RecordEvents
    given_corners: bool = False
    progress: Callable[[str], None] = lambda name: None
    kept: KeptResults | None = None
    jobs: int = 1

    def run(self, data: LabelledData) -> Evaluation:
        """Evaluate everything."""
        return Evaluation(
            tuple(self._photos(data.photos)),
            self._clips(data.scenarios),
            tuple(self._sequence(sequence) for sequence in data.sequences),
            peak_memory(),
        )

    def _photos(self, photos: tuple[LabelledPhoto, ...]) -> Iterator[PhotoResult]:
        if not photos:
            return
        reader = BoardReader()

        def read(image: Image, photo: LabelledPhoto) -> PhotoReading:
            size, corners = (photo.layout.size, photo.corners) if self.given_corners else (None, None)
            reading = reader.read(image, size, corners)
            uncertain = frozenset(each.at for each in reading.uncertain)
            return PhotoReading(reading.size, reading.layout, [tuple(c) for c in reading.corners], uncertain)

        def load(photo: LabelledPhoto) -> Image:
            self.progress(photo.file.name)
            return load_image(photo.file)

        # What is loaded once in a process (models) is start-up: it is not part of what a photograph costs.
        for _ in evaluate_photos(photos[:1], lambda photo: load_image(photo.file), read):
            pass
        yield from evaluate_photos(photos, load, read)

    def _clips(self, scenarios: Sequence[Scenario]) -> tuple[GameResult, ...]:
        """The results of all, in their order; those that are known are not recorded again."""
        results: dict[int, GameResult] = {}
        left: list[int] = []
        for number, scenario in enumerate(scenarios):
            known = self.kept.of(scenario) if self.kept else None
            if known is None:
                left.append(number)
            else:
                self.progress(scenario.id)
                results[number] = known
        for number, result in self._recorded(scenarios, left):
            results[number] = result
            if self.kept:
                self.kept.keep(scenarios[number], result)
        return tuple(results[number] for number in range(len(scenarios)))

    def _recorded(self, scenarios: Sequence[Scenario], numbers: Sequence[int]) -> Iterator[tuple[int, GameResult]]:
        if self.jobs <= 1:
            for number in numbers:
                self.progress(scenarios[number].id)
                yield number, evaluate_clip(self.record, scenarios[number])
            return
        fault: BaseException | None = None
        pool = ProcessPoolExecutor(self.jobs, get_context("spawn"), end_with_parent)
        try:
            waiting = {pool.submit(evaluate_clip, self.record, scenarios[number]): number for number in numbers}
            for done in as_completed(waiting):
                self.progress(scenarios[waiting[done]].id)
                if done.exception() is None:
                    yield waiting[done], done.result()
                fault = fault or done.exception()
        except BaseException:  # Ctrl-C: nobody waits for what has been begun
            pool.shutdown(wait=False, cancel_futures=True)
            for process in active_children():
                process.terminate()
            raise
        pool.shutdown()
        if fault is not None:  # after all others: what they found is kept
            raise fault

    def _sequence(self, sequence: LabelledSequence) -> GameResult:
        self.progress(sequence.name)
        with numbered_folder([frame.file for frame in sequence.frames]) as folder:
            cpu, wall = time.process_time(), time.monotonic()
            try:
                result = judge_sequence(sequence, list(self.record(str(folder), "cn2002")))
            except KifuwatchError as error:
                expected = sum(len(frame.changes) for frame in sequence.frames)
                frames = float(len(sequence.frames))
                result = without_record(sequence.name, sequence.source, expected, 0, frames, str(error))
            spent, wall = time.process_time() - cpu, time.monotonic() - wall
            return result.spent(CpuCost(spent, decoding_cost(str(folder))), wall)


def evaluate_clip(record: RecordEvents, scenario: Scenario) -> GameResult:
    """Record one clip and judge it. One without a video is filmed meanwhile, which does not count as the product's."""
    cpu, wall = time.process_time(), time.monotonic()
    drawing = 0.0
    filmed = not scenario.video.is_file() and scenario.path is not None
    try:
        if filmed and scenario.path is not None:
            source = ScenarioSource.of(scenario.path)
            with source:
                result = judge_clip(scenario, list(record(source, scenario.rules)))
            drawing = source.drawing
        else:
            result = judge_clip(scenario, list(record(str(scenario.video), scenario.rules)))
    except KifuwatchError as error:
        expected, alerts = len(scenario.moves), len(scenario.alerts)
        group = scenario.group or scenario.id.split("-")[0]
        told = str(error), scenario.conditions
        result = without_record(scenario.id, group, expected, alerts, scenario.seconds, *told)
    spent, wall = time.process_time() - cpu - drawing, time.monotonic() - wall - drawing
    return result.spent(CpuCost(spent, 0.0 if filmed else decoding_cost(str(scenario.video))), wall)


def decoding_cost(address: str) -> float:
    """Processor seconds of only decoding a source, all its frames."""
    start = time.process_time()
    try:
        with open_source(address) as source:
            for _ in source:
                pass
    except KifuwatchError:
        return 0.0
    return time.process_time() - start


@contextmanager
def numbered_folder(files: Iterable[Path]) -> Iterator[Path]:
    """A folder in which these files lie in this order by name, as a camera would have numbered them."""
    with tempfile.TemporaryDirectory(prefix="kifuwatch-") as name:
        folder = Path(name)
        for number, file in enumerate(files, 1):
            (folder / f"{number:04d}{file.suffix}").symlink_to(file.absolute())
        yield folder


def peak_memory() -> float:
    """The most memory that this process, or one that it started and that has ended, has held so far, in megabytes."""
    peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6
