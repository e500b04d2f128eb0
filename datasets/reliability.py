"""Do probabilities hold? ``python -m kifuwatch.datasets.reliability SCENES [MANIFEST ...] [--fit] [--plot FILE]``.

Reads boards whose truth is known (folders of make_scenes, or manifests of labelled photographs), and compares what
the reader believed with what was so: per point, and per board (right place and size, at most two errors). ``--fit``
takes the rendered scenes with even numbers, fits the few numbers of :class:`~kifuwatch.vision.doubt.Doubt` on them and
writes them to ``vision/weights/doubt.json``; tables and plot show the odd ones, and photographs by source.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from scipy.optimize import minimize, minimize_scalar

from kifuwatch.core.errors import NoBoardError
from kifuwatch.core.points import HIDDEN
from kifuwatch.datasets.labelled import LabelledPhoto, read_photos
from kifuwatch.datasets.make_scenes import load
from kifuwatch.datasets.matching import board_turn
from kifuwatch.vision.doubt import FILE, SOME_ERRORS, Doubt, features
from kifuwatch.vision.images import load_image
from kifuwatch.vision.reading import BoardReader

Floats = NDArray[np.float64]

RENDERED = "rendered"
CELLS = ".XO"
SURE_BOARD = 0.9
POINT_EDGES = np.array([1 / 3, 0.5, 0.7, 0.85, 0.95, 0.98, 0.995, 0.999, 1.0])
BOARD_EDGES = np.array([0.0, 0.2, 0.4, 0.6, 0.75, 0.85, 0.9, 0.95, 0.98, 1.0])


@dataclass(frozen=True, eq=False)
class Looked:
    """One board that was presented. ``right``: size and place are; then ``truth`` (n, n) holds cells of ``CELLS`` (-1
    unknown). ``raw`` (n, n, 3) are the network's chances, ``covered`` (n, n) which points it calls hidden."""

    id: str
    source: str
    number: int
    score: float
    right: bool
    raw: Floats
    covered: NDArray[np.bool_]
    truth: NDArray[np.int64]

    @property
    def errors(self) -> int:
        """Points whose best reading is not the truth."""
        return int(((self.raw.argmax(axis=2) != self.truth) & (self.truth >= 0)).sum())

    @property
    def good(self) -> bool:
        """The event that a board's confidence is the probability of."""
        return self.right and self.errors <= SOME_ERRORS


def labelled(path: Path) -> Iterator[LabelledPhoto]:
    """The photographs of a manifest, or the scenes of a folder of make_scenes as such."""
    if path.suffix == ".jsonl":
        yield from read_photos(path)
        return
    for truth in sorted(path.glob("*.json")):
        scene = load(truth)
        corners = tuple((float(x), float(y)) for x, y in scene.pose.corners)
        yield LabelledPhoto(truth.stem, truth.with_suffix(".jpg"), RENDERED, scene.layout, corners, "high", ())


def look(reader: BoardReader, photo: LabelledPhoto, number: int) -> Looked | None:
    """What is presented on a picture; None where no board is."""
    try:
        reading = reader.read(load_image(photo.file))
    except NoBoardError:
        return None
    observation = reading.observation
    turn = board_turn(
        [(float(x), float(y)) for x, y in reading.corners], reading.size, photo.corners, photo.layout.size
    )
    truth = np.full((reading.size, reading.size), -1)
    if turn is not None:
        cells = photo.layout.turned(turn).cells
        truth = np.array([-1 if cell == HIDDEN else CELLS.index(cell) for cell in cells]).reshape(truth.shape)
    raw = observation.probabilities.astype(np.float64)
    return Looked(photo.id, photo.source, number, reading.score, turn is not None, raw, observation.covered, truth)


def fit(boards: Sequence[Looked]) -> Doubt:
    """The numbers under which what happened was most probable."""
    temperatures = [_temperature(boards, covered) for covered in (False, True)]
    doubt = Doubt(*temperatures)
    rows = np.array([features(board.score, doubt.of_points(board.raw, board.covered)) for board in boards])
    good = np.array([board.good for board in boards])

    def loss(parameters: Floats) -> float:
        logit = parameters[0] + parameters[1] * rows[:, 0] + parameters[2] * rows[:, 1]
        wrong = np.logaddexp(0, np.where(good, -logit, logit)).sum()
        return float(wrong + 0.05 * (parameters[1] ** 2 + parameters[2] ** 2))

    found = minimize(loss, np.array([0.0, 1.0, -1.0]), bounds=[(None, None), (0, None), (None, 0)]).x
    return Doubt(*temperatures, *(float(each) for each in found))


def _temperature(boards: Sequence[Looked], covered: bool) -> float:
    chances, truth = _points(boards, covered)
    if len(truth) < 100:
        return 1.0
    logs = np.log(np.clip(chances, 1e-12, 1))

    def loss(temperature: float) -> float:
        scaled = logs / temperature
        return float(-(scaled[np.arange(len(truth)), truth] - np.logaddexp.reduce(scaled, axis=1)).mean())

    return float(minimize_scalar(loss, bounds=(0.3, 5.0), method="bounded").x)


def _points(boards: Sequence[Looked], covered: bool | None = None) -> tuple[Floats, NDArray[np.int64]]:
    """Chances (m, 3) and truth (m,) of all known points of boards in their right places."""
    kept = [board for board in boards if board.right]
    masks = [(b.truth >= 0) & (True if covered is None else b.covered == covered) for b in kept]
    chances = [board.raw[mask] for board, mask in zip(kept, masks, strict=True)]
    truths = [board.truth[mask] for board, mask in zip(kept, masks, strict=True)]
    return np.concatenate([np.zeros((0, 3)), *chances]), np.concatenate([np.zeros(0, np.int64), *truths])


@dataclass(frozen=True, eq=False)
class Curve:
    """A reliability diagram: per bin how many there are, what was believed in the mean, and what share was so."""

    counts: NDArray[np.int64]
    believed: Floats
    happened: Floats

    @classmethod
    def of(cls, believed: Floats, happened: NDArray[np.bool_], edges: Floats) -> Curve:
        """Sort beliefs into bins."""
        place = np.clip(np.searchsorted(edges, believed, side="right") - 1, 0, len(edges) - 2)
        counts = np.bincount(place, minlength=len(edges) - 1)
        total = np.maximum(counts, 1)
        sums = [np.bincount(place, weights=each, minlength=len(edges) - 1) for each in (believed, happened)]
        return cls(counts, sums[0] / total, sums[1] / total)

    @property
    def error(self) -> float:
        """Expected calibration error: the mean gap between belief and share, by how many are in the bin."""
        gaps = np.abs(self.believed - self.happened)
        return float((gaps * self.counts).sum() / max(self.counts.sum(), 1))


def point_curve(boards: Sequence[Looked], doubt: Doubt) -> Curve:
    """Believed and right readings of points."""
    parts = [_points(boards, covered) for covered in (False, True)]
    chances = np.concatenate([doubt.of_points(parts[i][0], np.full(len(parts[i][0]), bool(i))) for i in (0, 1)])
    truth = np.concatenate([part[1] for part in parts])
    return Curve.of(chances.max(axis=1), chances.argmax(axis=1) == truth, POINT_EDGES)


def board_beliefs(boards: Sequence[Looked], doubt: Doubt) -> Floats:
    """The confidence of each board."""
    return np.array([doubt.of_board(b.score, doubt.of_points(b.raw, b.covered)) for b in boards])


def board_curve(boards: Sequence[Looked], doubt: Doubt) -> Curve:
    """Believed and good boards."""
    return Curve.of(board_beliefs(boards, doubt), np.array([board.good for board in boards]), BOARD_EDGES)


def report(name: str, boards: Sequence[Looked], doubt: Doubt) -> None:
    """Print how well the probabilities hold on some boards."""
    raw, now, whole = point_curve(boards, Doubt()), point_curve(boards, doubt), board_curve(boards, doubt)
    beliefs = board_beliefs(boards, doubt)
    bad = [(b.id, b.errors if b.right else "misplaced", c) for b, c in zip(boards, beliefs, strict=True) if not b.good]
    print(f"{name}: {len(boards)} boards presented, {len(bad)} of them misplaced or with more than two errors")
    print(f"  points: calibration error {raw.error:.5f} raw, {now.error:.5f} fitted; boards: {whole.error:.3f}")
    print(f"  confidence above {SURE_BOARD}: {(beliefs > SURE_BOARD).sum()} boards")
    for identity, errors, confidence in bad:
        if confidence > SURE_BOARD:
            print(f"  confidence {confidence:.3f} but wrong: {identity} ({errors})")


def plot(path: Path, parts: dict[str, Sequence[Looked]], doubt: Doubt) -> None:
    """Reliability diagrams of points and boards, one line for each part."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4.2), layout="constrained")
    for name, boards in parts.items():
        now, whole = point_curve(boards, doubt), board_curve(boards, doubt)
        some = now.counts >= 20
        # Nearly all happens above 0.9: distances from 1 are what can be seen.
        left.plot(1 - now.believed[some], 1 - now.happened[some] + 1e-6, "o-", label=name)
        some = whole.counts >= 5
        right.plot(whole.believed[some], whole.happened[some], "o-", label=name)
    left.plot([1e-4, 0.6], [1e-4, 0.6], "--", color="grey")
    right.plot([0, 1], [0, 1], "--", color="grey")
    left.set(
        xscale="log", yscale="log", xlabel="believed chance of an error", ylabel="errors that were", title="points"
    )
    right.set(xlabel="confidence of the board", ylabel="right, at most two errors", title="boards")
    right.legend(fontsize=8)
    figure.savefig(path, dpi=80)


def main() -> None:
    """Look, fit if asked for, report, draw."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--fit", action="store_true", help="fit the numbers anew, and store them")
    parser.add_argument("--plot", type=Path)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    reader = BoardReader()
    photos = [photo for path in options.paths for photo in labelled(path)]
    seen = [look(reader, photo, i) for i, photo in enumerate(track(photos, description="looking"))]
    boards = [board for board in seen if board is not None]
    store = Path(__file__).resolve().parent.parent / "vision" / "weights" / FILE
    rendered = [board for board in boards if board.source == RENDERED]
    if options.fit:
        taught = [board for board in rendered if board.number % 2 == 0]
        rendered = [board for board in rendered if board.number % 2]
        numbers = {name: round(value, 4) for name, value in vars(fit(taught)).items()}
        made = f"fitted on {len(taught)} boards found in rendered scenes of {options.paths[0].name}"
        store.parent.mkdir(exist_ok=True)
        store.write_text(json.dumps({**numbers, "made": made}, indent=1) + "\n", encoding="utf-8")
        print(numbers, made)
    doubt = Doubt.from_json(json.loads(store.read_text(encoding="utf-8")))
    sources = sorted({board.source for board in boards} - {RENDERED})
    real = [board for board in boards if board.source != RENDERED]
    parts = {"rendered scenes": rendered, "photographs": real}
    for name, part in parts.items():
        if part:
            report(name, part, doubt)
    for source in sources:
        report(source, [board for board in boards if board.source == source], doubt)
    if options.plot:
        plot(options.plot, {name: part for name, part in parts.items() if part}, doubt)


if __name__ == "__main__":
    main()
