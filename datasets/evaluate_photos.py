"""Photographs: how many boards are found, and how many are read without one error."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from kifuwatch.core.errors import NoBoardError
from kifuwatch.core.points import HIDDEN, Layout, Point
from kifuwatch.datasets.figures import CpuCost, share
from kifuwatch.datasets.labelled import LabelledPhoto
from kifuwatch.datasets.matching import board_turn, wrong_points

Image = NDArray[np.uint8]


@dataclass(frozen=True)
class PhotoReading:
    """What was read on a photograph: the part of a reading that is judged.

    ``corners``: (4, 2) pixels in the order of the board text. ``uncertain``: points the reading is not sure of.
    """

    size: int
    layout: Layout
    corners: Sequence[Sequence[float]]
    uncertain: frozenset[Point] = frozenset()


class PhotoReader(Protocol):
    """Reads one photograph; raises NoBoardError where it finds no board."""

    def __call__(self, image: Image, photo: LabelledPhoto) -> PhotoReading:
        """The reading of an image (h, w, 3) BGR; ``photo`` for its corners, where they are given."""


@dataclass(frozen=True)
class PhotoResult:
    """One photograph held against its truth.

    ``points``: those whose truth is known. ``errors``: how many of them were read wrong, None where the board was not
    found. ``wrong_size``: a board of another size was presented. ``confidently_wrong``: a reading was presented
    that is wrong at a point which it did not call uncertain, or that shows another board.
    """

    id: str
    source: str
    points: int
    found: bool
    errors: int | None
    wrong_size: bool
    confidently_wrong: bool
    why: str
    cost: CpuCost

    @property
    def read(self) -> bool:
        """Read without one error."""
        return self.errors == 0

    def to_json(self) -> dict[str, object]:
        """The result as plain values."""
        return {
            "id": self.id,
            "source": self.source,
            "found": self.found,
            "errors": self.errors,
            "wrong_size": self.wrong_size,
            "confidently_wrong": self.confidently_wrong,
            "why": self.why,
            "cpu_seconds": round(self.cost.pipeline, 3),
        }


def judge_photo(photo: LabelledPhoto, reading: PhotoReading | NoBoardError, cost: CpuCost) -> PhotoResult:
    """Hold a reading, or the reason why there is none, against the truth."""
    points = sum(cell != HIDDEN for cell in photo.layout.cells)

    def result(found: bool, errors: int | None, wrong_size: bool, confident: bool, why: str) -> PhotoResult:
        return PhotoResult(photo.id, photo.source, points, found, errors, wrong_size, confident, why, cost)

    if isinstance(reading, NoBoardError):
        return result(False, None, False, False, str(reading))
    if reading.size != photo.layout.size:
        return result(False, None, True, True, f"read as {reading.size} lines, not {photo.layout.size}")
    turn = board_turn(reading.corners, reading.size, photo.corners, photo.layout.size)
    if turn is None:
        return result(False, None, False, True, "a corner is more than half a pitch from the true one")
    wrong = wrong_points(reading.layout, photo.layout, turn)
    unflagged = [point for point in wrong if point not in reading.uncertain and reading.layout[point] != HIDDEN]
    why = " ".join(f"{p}:{photo.layout.turned(turn)[p]}>{reading.layout[p]}" for p in wrong[:8])
    return result(True, len(wrong), False, bool(unflagged), why)


def evaluate_photos(
    photos: Iterable[LabelledPhoto], load: Callable[[LabelledPhoto], Image], read: PhotoReader
) -> Iterator[PhotoResult]:
    """Read each photograph and hold it against its truth, with the processor time that loading and reading took."""
    for photo in photos:
        start = time.process_time()
        image = load(photo)
        loaded = time.process_time()
        try:
            reading: PhotoReading | NoBoardError = read(image, photo)
        except NoBoardError as error:
            reading = error
        done = time.process_time()
        yield judge_photo(photo, reading, CpuCost(done - start, loaded - start))


@dataclass(frozen=True)
class PhotoFigures:
    """The figures of some photographs together; a board that is not found counts as not read."""

    boards: int
    found: int
    read: int
    errors: int
    points: int
    wrong_size: int
    confidently_wrong: int
    cpu_median: float
    cpu_longest: float

    @classmethod
    def of(cls, results: Sequence[PhotoResult]) -> PhotoFigures:
        """Add up results. Errors and points are those of the boards that were found."""
        found = [each for each in results if each.found]
        cpu = [each.cost.pipeline for each in results] or [0.0]
        return cls(
            boards=len(results),
            found=len(found),
            read=sum(each.read for each in results),
            errors=sum(each.errors or 0 for each in found),
            points=sum(each.points for each in found),
            wrong_size=sum(each.wrong_size for each in results),
            confidently_wrong=sum(each.confidently_wrong for each in results),
            cpu_median=float(np.median(cpu)),
            cpu_longest=max(cpu),
        )

    def to_json(self) -> dict[str, object]:
        """The figures as plain values, shares between 0 and 1."""
        return {
            "boards": self.boards,
            "found": self.found,
            "found_share": share(self.found, self.boards),
            "read": self.read,
            "read_share": share(self.read, self.boards),
            "errors": self.errors,
            "errors_a_point": share(self.errors, self.points, digits=6),
            "wrong_size": self.wrong_size,
            "confidently_wrong": self.confidently_wrong,
            "cpu_seconds_median": round(self.cpu_median, 3),
            "cpu_seconds_longest": round(self.cpu_longest, 3),
        }
