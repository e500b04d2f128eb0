"""What does accuracy depend on? ``python benchmarks/robustness.py WORK [--boards 40] [--sweeps ...] [--docs docs]``.

One thing at a time is changed on boards that no network was trained on (seeds from 910000): resolution, blur, JPEG
quality, exposure, elevation of the camera, number of stones. Pictures are kept in WORK, so that a second run only reads
them; results are kept too, for the shipped weights as they are, so that a broken run goes on where it was. At the end
``docs/robustness.md`` and its plots are written.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

import cv2
import numpy as np

from kifuwatch.core.errors import NoBoardError
from kifuwatch.core.points import Layout
from kifuwatch.datasets.make_scenes import load, store
from kifuwatch.datasets.matching import board_turn, wrong_points
from kifuwatch.datasets.random_scenes import place_camera, random_scene
from kifuwatch.datasets.render import render
from kifuwatch.datasets.scene import CameraEffects, Scene, stone_offsets
from kifuwatch.vision.images import load_image
from kifuwatch.vision.reading import BoardReader

FIRST = 910_000
SIZE, LONGEST = 19, 960
PITCH, STONES = 20.0, 140  # of a board where nothing else is said
INTRO = """# What accuracy depends on

One thing at a time is changed; all else stays as a fair webcam gives it: boards of 19 lines, {pitch:.0f} pixels a
pitch, {stones} stones, seen from 45 to 75 degrees above the table, in focus, JPEG quality 90. Boards, stones, woods,
lights and tables are drawn at random from seeds that no network was trained on (from {first}); {boards} boards for each
value.
Rendered boards are harsher than most photographs: see the README for those.

A board counts as found when its size is right and each corner within half a pitch; one not found counts as not read.

```sh
pip install '.[plots]'
python benchmarks/robustness.py out/robustness   # renders once, then reads; goes on where it was broken off
```
"""


@dataclass(frozen=True)
class Sweep:
    """One thing that is changed: how it is called, its unit, its values, and the scene that a value makes of one."""

    title: str
    unit: str
    values: tuple[float, ...]
    change: Callable[[Scene, float], Scene]


def base_scene(seed: int) -> Scene:
    """A board of ordinary look under ordinary light, seen by a fair camera."""
    rng = np.random.default_rng([seed, 3])
    drawn = random_scene(seed)
    while drawn.flat or drawn.board.line_strength < 0.5:
        seed += 100_000
        drawn = random_scene(seed)
    spec = replace(drawn.pose.spec, size=SIZE, margin=float(np.clip(drawn.pose.spec.margin, 9, 25)))
    scene = replace(drawn, seed=seed, hands=(), glare=(), shadows=())
    scene = seen_from(replace(scene, pose=replace(scene.pose, spec=spec)), float(rng.uniform(45, 75)))
    effects = CameraEffects(blur=0.5, noise=0.04, jpeg=90, gamma=2.2, lamp_angle=drawn.effects.lamp_angle)
    return with_stones(replace(scene, effects=effects), STONES)


def seen_from(scene: Scene, elevation: float) -> Scene:
    """The same board from so many degrees above the table, as many pixels large."""
    spec = scene.pose.spec
    rng = np.random.default_rng([scene.seed, 4])
    image, focal = (LONGEST, LONGEST * 3 // 4), LONGEST * 1.0
    angles = (np.radians(elevation), float(rng.normal(0, 0.3)), float(rng.normal(0, 0.04)))
    aim = np.array([spec.across, spec.along]) * (SIZE - 1) / 2
    distance = focal * spec.across / PITCH
    for _ in range(20):  # nearer or further until the pitch is as wished
        pose = place_camera(spec, image, focal, angles, distance, aim, (0.0, 0.0))
        distance *= pose.pitch / PITCH
    return replace(scene, pose=pose)


def of_pitch(scene: Scene, pitch: float) -> Scene:
    """The same view with so many pixels a pitch."""
    factor = pitch / scene.pose.pitch
    width, height = (round(n * factor) for n in scene.pose.image_size)
    return replace(scene, pose=scene.pose.scaled(factor, (width, height)))


def with_stones(scene: Scene, count: float) -> Scene:
    """The same board with so many stones, black and white in turn, in clumps."""
    rng = np.random.default_rng([scene.seed, 5])
    order = np.argsort(
        -cv2.GaussianBlur(rng.standard_normal((SIZE, SIZE)), (0, 0), 1.2).ravel() - rng.normal(0, 0.15, 361)
    )
    colour = cv2.GaussianBlur(rng.standard_normal((SIZE, SIZE)), (0, 0), 1.0).ravel()
    chosen = order[: int(count)]
    cells = np.full(SIZE * SIZE, ".")
    black = np.argsort(colour[chosen]) < len(chosen) / 2
    cells[chosen] = np.where(black, "X", "O")
    layout = Layout(SIZE, "".join(cells))
    return replace(scene, layout=layout, offsets=stone_offsets(rng, layout, scene.pose.spec, 0.06))


def _effect(**changes: object) -> Callable[[Scene], Scene]:
    return lambda scene: replace(scene, effects=replace(scene.effects, **changes))  # type: ignore[arg-type]


SWEEPS = {
    "resolution": Sweep("Resolution", "pixels a pitch", (6, 8, 10, 12, 16, 24, 40), of_pitch),
    "blur": Sweep(
        "Blur",
        "standard deviation in pitches",
        (0.0, 0.05, 0.1, 0.15, 0.2, 0.25),
        lambda scene, value: _effect(blur=value * scene.pose.pitch)(scene),
    ),
    "jpeg": Sweep(
        "JPEG quality", "quality", (10, 20, 30, 50, 70, 90), lambda scene, value: _effect(jpeg=int(value))(scene)
    ),
    "exposure": Sweep(
        "Exposure",
        "times the right one",
        (0.06, 0.12, 0.25, 0.5, 1.0, 2.0, 3.0),
        lambda scene, value: _effect(exposure=value)(scene),
    ),
    "elevation": Sweep("Elevation", "degrees above the table", (20, 25, 30, 35, 40, 50, 65, 85), seen_from),
    "stones": Sweep("Stones on the board", "stones", (0, 40, 100, 180, 260, 340), with_stones),
}


def pictures(work: Path, name: str, value: float, boards: int) -> list[Path]:
    """The truths of the scenes of one value, each beside its picture; rendered where they are missing."""
    folder = work / f"{name}-{value:g}"
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(FIRST, FIRST + boards):
        if not (folder / f"{seed:06d}.json").exists():
            store(render(SWEEPS[name].change(base_scene(seed), value)), folder, seed)
    return sorted(folder.glob("*.json"))[:boards]


@dataclass(frozen=True)
class Figures:
    """How boards of one value were read."""

    boards: int
    found: int
    read: int
    errors: int


def measure(reader: BoardReader, truths: Sequence[Path]) -> Figures:
    """Read the pictures."""
    found = read = errors = 0
    for path in truths:
        scene = load(path)
        try:
            reading = reader.read(load_image(path.with_suffix(".jpg")))
        except NoBoardError:
            continue
        corners = tuple((float(x), float(y)) for x, y in scene.pose.corners)
        turn = board_turn([(float(x), float(y)) for x, y in reading.corners], reading.size, corners, scene.layout.size)
        if turn is not None:
            wrong = len(wrong_points(reading.layout, scene.layout, turn))
            found, read, errors = found + 1, read + (wrong == 0), errors + wrong
    return Figures(len(truths), found, read, errors)


def weights() -> str:
    """A short name for the shipped weights as they are."""
    folder = resources.files("kifuwatch.calibration") / "weights"
    data = b"".join(path.read_bytes() for path in sorted(Path(str(folder)).glob("*.onnx")))
    return hashlib.sha256(data).hexdigest()[:12]


def table(sweep: Sweep, results: dict[float, Figures]) -> str:
    """The figures of a sweep in Markdown."""
    rows = [f"| {sweep.unit} | found | read without one error | errors a point |", "|---:|---:|---:|---:|"]
    for value, figures in sorted(results.items()):
        points = max(figures.found, 1) * SIZE**2
        share = f"{figures.errors / points:.4%}" if figures.found else "-"
        rows.append(
            f"| {value:g} | {figures.found / figures.boards:.0%} | {figures.read / figures.boards:.0%} | {share} |"
        )
    return "\n".join(rows)


def plot(path: Path, sweep: Sweep, results: dict[float, Figures]) -> None:
    """Found and read over the values."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    values = sorted(results)
    figure, axes = pyplot.subplots(figsize=(5.2, 3.2), layout="constrained")
    for label, shares in (
        ("found", [results[v].found / results[v].boards for v in values]),
        ("read without one error", [results[v].read / results[v].boards for v in values]),
    ):
        axes.plot(values, shares, "o-", label=label)
    if min(values) > 0 and max(values) / min(values) > 5:
        axes.set_xscale("log")
        axes.set_xticks(values, [f"{v:g}" for v in values])
        axes.minorticks_off()
    axes.set(xlabel=sweep.unit, ylim=(-0.02, 1.02), title=sweep.title)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, loc="lower center")
    figure.savefig(path, dpi=80)
    pyplot.close(figure)


def main() -> None:
    """Render what is missing, read what is not known yet, write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", type=Path)
    parser.add_argument("--boards", type=int, default=40)
    parser.add_argument("--sweeps", nargs="*", choices=list(SWEEPS), default=list(SWEEPS))
    parser.add_argument("--render", action="store_true", help="only make the pictures")
    parser.add_argument("--docs", type=Path, default=Path(__file__).resolve().parent.parent / "docs")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    options.work.mkdir(parents=True, exist_ok=True)
    kept = options.work / f"results-{weights()}-{options.boards}.json"
    known: dict[str, list[int]] = json.loads(kept.read_text()) if kept.exists() else {}
    reader = BoardReader()
    for name in options.sweeps:
        for value in SWEEPS[name].values:
            truths = pictures(options.work, name, value, options.boards)
            if options.render or f"{name} {value:g}" in known:
                continue
            figures = measure(reader, truths)
            known[f"{name} {value:g}"] = list(vars(figures).values())
            kept.write_text(json.dumps(known))
            print(name, f"{value:g}", figures, flush=True)
    if not options.render:
        write(options.docs, known, options.boards)


def write(docs: Path, known: dict[str, list[int]], boards: int) -> None:
    """The page and its plots, of the sweeps that are complete."""
    page = [INTRO.format(pitch=PITCH, stones=STONES, first=FIRST, boards=boards)]
    for name, sweep in SWEEPS.items():
        results = {v: Figures(*known[f"{name} {v:g}"]) for v in sweep.values if f"{name} {v:g}" in known}
        if len(results) == len(sweep.values):
            plot(docs / f"robustness-{name}.png", sweep, results)
            page.append(f"## {sweep.title}\n\n![{sweep.title}](robustness-{name}.png)\n\n{table(sweep, results)}\n")
    (docs / "robustness.md").write_text("\n".join(page), encoding="utf-8")


if __name__ == "__main__":
    main()
