"""Make the clip that comes with kifuwatch: ``python -m kifuwatch.datasets.make_demo [FOLDER]``.

A short game on nine lines. White takes two stones, and a little later White's hand, on its way back, drags a stone of
its own to the next point: the arbiter should hear of it. The same film comes out every time.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from rich.progress import Progress

from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.points import EMPTY, Colour, Layout, Point
from kifuwatch.datasets.clip_look import ClipLook, Player, clip_pose
from kifuwatch.datasets.scene import BoardLook, CameraEffects, Light, Scene, StoneLook
from kifuwatch.datasets.simulate import simulate
from kifuwatch.rules import Fault, Game

SIZE, FPS, WIDTH, HEIGHT, SEED, SECONDS = 9, 10, 960, 540, 4, 67.0
GAME = """
    E5 G4 F3 G3 F5 G5 G6 H6 G7 G2 F2 C4 C5 D4 D5 E4 F4 B5 B6 B4
    E3 D3 D2 C2 H7 J7 H8 C6 D6 C7 D7 B7 A6 A7 C8 A5 J8 J6 B8 F1
"""
"""The moves, Black first."""
DRAGGED = ("H6", "H5")
"""After White's move 36: from where to where."""


def scenario() -> dict[str, object]:
    """The script of the demo, and what a recorder must report of it."""
    events, board, dragged_at = _events()
    dragged = {Point.parse(DRAGGED[0]): EMPTY, Point.parse(DRAGGED[1]): Colour.WHITE.cell}
    return {
        "id": "demo",
        "size": SIZE,
        "rules": "cn2002",
        "fps": FPS,
        "width": WIDTH,
        "height": HEIGHT,
        "to_play": "B",
        "dur": SECONDS,
        "note": "a short game; after move 36 a white stone is dragged to the next point",
        "setup": {"B": [], "W": []},
        "events": events,
        "expect": {
            "moves": [["BW"[i % 2], name] for i, name in enumerate(GAME.split())],
            "final": board.replaced(dragged).rows,
            "final_by_moves": board.rows,
            "alerts": [{"code": "moved-stone", "t": dragged_at, "at": list(DRAGGED)}],
        },
    }


def _events() -> tuple[list[dict[str, object]], Layout, float]:
    """What happens, the board by the rules at the end, and when the stone is dragged (s)."""
    rng = np.random.default_rng(SEED)
    game, t, dragged_at = Game.empty(SIZE), 1.5, 0.0
    events: list[dict[str, object]] = []
    for number, name in enumerate(GAME.split(), 1):
        colour, point = (Colour.BLACK, Colour.WHITE)[(number + 1) % 2], Point.parse(name)
        play = game.look(colour, point)
        if play.faults != Fault.NONE:
            raise ValueError(f"move {number}, {colour.value} {point}, is not legal")
        game = game.play(colour, point)
        events.append({"t": round(t, 2), "do": "place", "color": colour.value, "at": name})
        if play.captured:
            taken = [str(each) for each in sorted(play.captured)]
            events.append({"t": round(t + 0.75, 2), "do": "remove", "at": taken, "step": 0.5})
            t += 0.75 + 0.5 * len(taken)
        if number == 36:
            dragged_at = round(t + 1.6, 2)
            events.append({"t": dragged_at, "do": "slide", "from": DRAGGED[0], "to": DRAGGED[1], "by": "W"})
            t += 3.4
        t += float(rng.uniform(1.25, 1.6))
    return events, game.position.layout, dragged_at


def look() -> ClipLook:
    """A good board by a window: the whole of it in view, Black nearest the camera."""
    spec = BoardSpec(SIZE, 22.6, 24.1, 22.0, 8.8, 19.0, "demo")
    pose = clip_pose(spec, (WIDTH, HEIGHT), float(np.radians(62)), 0.09, -0.01, 1.35)
    window = np.array([-0.45, -0.42, 0.79])
    x, y, z = window / np.linalg.norm(window)
    scene = Scene(
        seed=SEED,
        pose=pose,
        layout=Layout.empty(SIZE),
        board=BoardLook(
            kind="wood",
            colour=(0.27, 0.57, 0.82),
            grain=0.55,
            line_colour=(0.02, 0.025, 0.03),
            line_width=0.9,
            line_strength=0.88,
            wear=0.0,
            star_radius=2.1,
            thickness=45.0,
            border=0.0,
            labels=False,
            fold=0.0,
            gloss=0.0,
        ),
        black=StoneLook((0.012, 0.012, 0.013), 0.3, 30.0),
        white=StoneLook((0.82, 0.86, 0.87), 0.25, 40.0, 0.05),
        lights=(Light((float(x), float(y), float(z)), (0.76, 0.8, 0.82), 0.35),),
        ambient=(0.42, 0.4, 0.38),
        table=(0.10, 0.16, 0.25),
        offsets=np.zeros((SIZE, SIZE, 2)),
        clutter=1,
        effects=CameraEffects(exposure=1.02, vignette=0.12, contrast=1.04),
    )
    black = Player(skin=(0.30, 0.41, 0.68), sleeve=(0.26, 0.13, 0.07))
    white = Player(skin=(0.22, 0.33, 0.58), sleeve=(0.30, 0.30, 0.29))
    return ClipLook(scene, black, white, grain=0.7)


def main() -> None:
    """Write ``demo.mp4`` and ``demo.scenario.json``."""
    parser = argparse.ArgumentParser(description=__doc__)
    folder = Path(__file__).resolve().parents[1] / "kifuwatch" / "demo"
    parser.add_argument("folder", type=Path, nargs="?", default=folder)
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "demo.scenario.json"
    script.write_text(json.dumps(scenario(), indent=1) + "\n", encoding="utf-8")
    with Progress() as bar:
        task = bar.add_task("demo", total=None)
        simulate(script, folder / "demo.mp4", SEED, look(), lambda done, of: bar.update(task, completed=done, total=of))


if __name__ == "__main__":
    main()
