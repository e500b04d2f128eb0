"""Render numbered random scenes into a folder, in pieces, resumable: ``python -m kifuwatch.datasets.make_scenes OUT
--count 6000``.

Scene ``n`` is ``OUT/n.jpg`` and ``OUT/n.json`` (its truth); the number is the seed, so anyone makes the same set again.
With ``--photoreal`` scenes are path-traced (extra ``kifuwatch[render]``), and ``--kind`` says which, fast ones too.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.errors import KifuwatchError, UsageError
from kifuwatch.core.points import Layout
from kifuwatch.datasets.hard_scenes import hard_scene
from kifuwatch.datasets.odd_scenes import odd_scene
from kifuwatch.datasets.photoreal import is_fast, render_photo
from kifuwatch.datasets.photoreal_scene import KINDS, photo_scene
from kifuwatch.datasets.play_scenes import play_scene
from kifuwatch.datasets.random_scenes import random_scene
from kifuwatch.datasets.render import Rendered, render


@dataclass(frozen=True, eq=False)
class StoredScene:
    """The truth of a stored scene: pose, layout, covered share (n, n), offsets (n, n, 2) in pitches right and up."""

    pose: BoardPose
    layout: Layout
    covered: NDArray[np.float32]
    offsets: NDArray[np.float64]
    flat: bool


def store(rendered: Rendered, folder: Path, number: int) -> None:
    """Write picture and truth; the truth last, so that a scene with truth is whole."""
    scene = rendered.scene
    cv2.imwrite(str(folder / f"{number:06d}.jpg"), rendered.image, [cv2.IMWRITE_JPEG_QUALITY, 96])
    truth = {
        "pose": scene.pose.to_json(),
        "board": scene.layout.rows,
        "covered": np.round(rendered.covered, 2).tolist(),
        "offsets": np.round(scene.offsets, 3).tolist(),
        "flat": scene.flat,
    }
    (folder / f"{number:06d}.json").write_text(json.dumps(truth))


def load(path: Path) -> StoredScene:
    """Read the truth of a scene that :func:`store` wrote."""
    data = json.loads(path.read_text())
    return StoredScene(
        BoardPose.from_json(data["pose"]),
        Layout.from_rows(data["board"]),
        np.array(data["covered"], np.float32),
        np.array(data["offsets"]),
        bool(data["flat"]),
    )


FAST = {"any": random_scene, "hard": hard_scene, "odd": odd_scene, "play": play_scene}


def maker(photoreal: bool, kind: str) -> Callable[[int], Rendered]:
    """What renders the scene of a seed: by a path tracer or fast, of a kind.

    Raises UsageError for a kind that there is not, and when Mitsuba is asked for and not installed.
    """
    if kind not in (KINDS if photoreal else FAST):
        there = ", ".join(KINDS if photoreal else FAST)
        raise UsageError(f"there is no kind of {'path-traced' if photoreal else 'fast'} scene {kind!r}: {there}")
    if not photoreal:
        return lambda seed: render(FAST[kind](seed))
    if not is_fast():
        print("libLLVM (16 or newer) was not found: path tracing takes about three times as long", file=sys.stderr)
    return lambda seed: render_photo(photo_scene(seed, kind))


def main() -> None:
    """Render the scenes of a range of seeds that are not there yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--photoreal", action="store_true", help="path-trace them: near a photograph, some 10 s each")
    parser.add_argument(
        "--kind",
        default="any",
        help=f"which scenes: {', '.join(FAST)} (hard_scenes.py, odd_scenes.py); photoreal ones {', '.join(KINDS)}",
    )
    parser.add_argument("--step", type=int, default=1, help="render every n-th seed, to share the work among processes")
    options = parser.parse_args()
    try:
        make = maker(options.photoreal, options.kind)
    except KifuwatchError as fault:
        print(f"make_scenes: {fault}", file=sys.stderr)
        raise SystemExit(fault.exit_status) from None
    options.out.mkdir(parents=True, exist_ok=True)
    for seed in track(range(options.first, options.first + options.count, options.step), description="scenes"):
        if not (options.out / f"{seed:06d}.json").exists():
            store(make(seed), options.out, seed)


if __name__ == "__main__":
    main()
