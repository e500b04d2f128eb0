"""Are 9, 13 and 19 lines told apart, and never off by one? ``python benchmarks/grid.py [--boards 40] [--kinds ...]``.

For each kind of hard picture, drawn from seeds that no network was trained on: how many boards were found where they
are, not found at all, and found wrongly (another size, or off by a line), and how many were read without an error.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np

from kifuwatch.core.errors import NoBoardError
from kifuwatch.core.points import Layout
from kifuwatch.datasets.diagrams import Diagram, draw_diagram, on_page, photographed, print_style, random_diagram
from kifuwatch.datasets.matching import corner_distances, wrong_points
from kifuwatch.datasets.random_scenes import random_scene
from kifuwatch.datasets.render import render
from kifuwatch.datasets.scene import Scene, random_layout, stone_offsets
from kifuwatch.vision.reading import BoardReader

FIRST = 920_000
OFF = 0.5  # pitches from a true corner: more is another grid


def plain_scene(seed: int) -> Scene:
    """A board that a person sees well: the seed, or the next one that is none of tiny, dark, faint or glaring."""
    while True:
        scene = random_scene(seed, (960, 720))
        good = scene.pose.pitch > 14 and scene.effects.exposure > 0.6 and scene.board.line_strength > 0.6
        if good and not scene.glare and not scene.flat and np.abs(scene.effects.motion).max() < 1:
            return replace(scene, hands=())
        seed += 100_000


def taken(scene: Scene) -> Diagram:
    """A scene as picture with truth."""
    return Diagram(render(scene).image, scene.layout, scene.pose.corners)


def plain(seed: int) -> Diagram:
    """A board in full view."""
    return taken(plain_scene(seed))


def cropped(seed: int) -> Diagram:
    """A board whose outermost line at one side lies just outside the picture."""
    scene = plain_scene(seed)
    seen = taken(scene)
    size, side = scene.pose.size, seed % 4
    edges = {0: (0, 0.5, 0), 1: (size - 1.5, 0, 1), 2: (0, size - 1.5, 0), 3: (0.5, 0, 1)}
    u, v, down = edges[side]
    ends = scene.pose.project([[u, v], [size - 1, v] if not down else [u, size - 1]])
    # The picture ends between the last two lines where they are nearest to it.
    height, width = seen.image.shape[:2]
    axis = int(abs(ends[1] - ends[0])[0] > abs(ends[1] - ends[0])[1])  # a line that runs across: cut above or below
    middle = scene.pose.project([[(size - 1) / 2] * 2])[0]
    low = ends[:, axis].mean() < middle[axis]
    cut = int(np.clip((ends[:, axis].max() if low else ends[:, axis].min()), 0, (width, height)[axis] - 1))
    rows, cols = slice(None), slice(None)
    part = slice(cut, None) if low else slice(None, cut + 1)
    rows, cols = (part, cols) if axis else (rows, part)
    shift = [0, cut] if axis else [cut, 0]
    points = scene.pose.project(np.argwhere(np.ones((size, size)))[:, ::-1])[:, axis]
    hidden = (points < cut) if low else (points > cut)
    cells = np.where(hidden, "?", np.array(list(seen.layout.cells)))
    image = np.ascontiguousarray(seen.image[rows, cols])
    return Diagram(image, Layout(size, "".join(cells)), seen.corners - (shift if low else [0, 0]))


def bordered(seed: int) -> Diagram:
    """A board with a line printed round the grid, from a fifth of a pitch to more than half of one outside it."""
    scene = plain_scene(seed)
    rng = np.random.default_rng([seed, 9])
    border = float(rng.uniform(0.2, 0.65) * scene.pose.spec.across)
    spec = replace(scene.pose.spec, margin=max(scene.pose.spec.margin, border + 6))
    return taken(replace(scene, board=replace(scene.board, border=border), pose=replace(scene.pose, spec=spec)))


def rimmed(seed: int) -> Diagram:
    """A board whose outer lines are all under stones."""
    scene = plain_scene(seed)
    rng = np.random.default_rng([seed, 9])
    size = scene.pose.size
    cells = np.array(list(scene.layout.cells)).reshape(size, size)
    rim = np.ones((size, size), bool)
    rim[1:-1, 1:-1] = False
    cells[rim] = rng.choice(list("XO"), int(rim.sum()))
    layout = Layout(size, "".join(cells.ravel()))
    return taken(replace(scene, layout=layout, offsets=stone_offsets(rng, layout, scene.pose.spec, 0.06)))


def screen(seed: int) -> Diagram:
    """A program's diagram as it is on the screen."""
    return on_page(random_diagram(seed, "screen"), np.random.default_rng([seed, 6]))


def screen_photo(seed: int) -> Diagram:
    """A photograph of a screen."""
    return photographed(screen(seed), np.random.default_rng([seed, 7]))


def printed(seed: int) -> Diagram:
    """A diagram of a book, scanned, most stones with numbers."""
    return on_page(random_diagram(seed, "print"), np.random.default_rng([seed, 6]))


def printed_photo(seed: int) -> Diagram:
    """A photograph of a page."""
    return photographed(printed(seed), np.random.default_rng([seed, 7]))


def _printed_with(seed: int, **changes: object) -> Diagram:
    rng = np.random.default_rng([seed, 5])
    layout = random_layout(rng, int(rng.choice([9, 13, 19])))
    style = replace(print_style(rng), **changes)  # type: ignore[arg-type]
    return draw_diagram(rng, layout, style)


def numbered(seed: int) -> Diagram:
    """Print, every stone with its number."""
    return _printed_with(seed, numbers=1.0, hatched=False)


def unnumbered(seed: int) -> Diagram:
    """Print without numbers."""
    return _printed_with(seed, numbers=0.0, hatched=False)


def hatched(seed: int) -> Diagram:
    """Print, black stones hatched."""
    return _printed_with(seed, numbers=0.0, hatched=True)


KINDS: dict[str, Callable[[int], Diagram]] = {
    each.__name__: each
    for each in (
        plain,
        cropped,
        bordered,
        rimmed,
        screen,
        screen_photo,
        printed,
        printed_photo,
        unnumbered,
        numbered,
        hatched,
    )
}


def judge(reader: BoardReader, diagram: Diagram) -> tuple[str, int]:
    """What became of a picture (``right``, ``none``, ``size`` or ``line``), and errors of a right one."""
    try:
        reading = reader.read(diagram.image)
    except NoBoardError:
        return "none", 0
    if reading.size != diagram.layout.size:
        return "size", 0
    found = [(float(x), float(y)) for x, y in reading.corners]
    true = tuple((float(x), float(y)) for x, y in diagram.corners)
    gaps = corner_distances(found, true, reading.size)
    if gaps.min() > OFF:
        return "line", 0
    return "right", len(wrong_points(reading.layout, diagram.layout, int(gaps.argmin())))


def main() -> None:
    """Measure and print one line a kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--boards", type=int, default=40)
    parser.add_argument("--first", type=int, default=FIRST)
    parser.add_argument("--kinds", nargs="*", choices=list(KINDS), default=list(KINDS))
    parser.add_argument("--details", action="store_true", help="name the seeds that went wrong")
    options = parser.parse_args()
    cv2.setNumThreads(1)
    reader = BoardReader()
    print(f"{'kind':14} {'boards':>6} {'found':>6} {'none':>5} {'size':>5} {'line':>5} {'read':>5} {'errors':>6}")
    for kind in options.kinds:
        seeds = range(options.first, options.first + options.boards)
        results = [judge(reader, KINDS[kind](seed)) for seed in seeds]
        counts = Counter(what for what, _ in results)
        read = sum(what == "right" and errors == 0 for what, errors in results)
        errors = sum(errors for _, errors in results)
        row = [counts["right"], counts["none"], counts["size"], counts["line"], read, errors]
        print(
            f"{kind:14} {len(results):6} {row[0]:6} {row[1]:5} {row[2]:5} {row[3]:5} {row[4]:5} {row[5]:6}", flush=True
        )
        if options.details:
            wrong = [f"{seed}:{what}" for seed, (what, _) in zip(seeds, results, strict=True) if what != "right"]
            print("   ", " ".join(wrong))


if __name__ == "__main__":
    main()
