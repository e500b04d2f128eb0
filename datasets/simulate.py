"""From a scenario to a clip: what happens on a board, filmed without a camera.

    simulate(Path("ko.scenario.json"), Path("ko.mp4"), seed=1)

Beside ``ko.mp4`` lies its truth, ``ko.scenario.json``: the scenario with where the board is in the picture over time,
what lies on it when, and how each stone lies at the end.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.errors import OutputError
from kifuwatch.core.points import COLUMNS
from kifuwatch.core.times import FrameTime
from kifuwatch.datasets.clip_frames import Studio
from kifuwatch.datasets.clip_look import ClipLook
from kifuwatch.datasets.clip_script import ClipScript, read_script, with_truth
from kifuwatch.datasets.clip_setting import look_of

CODECS = {".mp4": "mp4v", ".avi": "MJPG", ".webm": "VP80"}
"""What every build of OpenCV writes and reads, by the ending of the file."""


def truth_path(clip: Path) -> Path:
    """Where the truth of a clip lies: beside it, under the same name."""
    return clip.with_suffix(".scenario.json")


def simulate(
    scenario: Path,
    out: Path,
    seed: int = 0,
    look: ClipLook | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Film a ``*.scenario.json``; returns the path of the truth that is written beside the clip.

    ``progress`` hears of frames done and frames in all. Raises InputError for a scenario that cannot be read,
    FileFormatError for one that cannot be, and OutputError when the clip or its truth cannot be written. Files of
    these names are replaced; the truth holds all that the scenario says, so it may replace the scenario.
    """
    script = read_script(scenario, seed)
    truth = truth_path(out)
    if out.suffix.lower() not in CODECS:
        raise OutputError(f"{out}: a clip must end in {', '.join(CODECS)}")
    studio = Studio(script, seed, look or look_of(script, seed))
    _film(script, studio, out, progress or (lambda done, of: None))
    views = [_corners(t, studio.view.poses_at(t)[0]) for t in _view_times(script)]
    lines = json.dumps(with_truth(script, out.name, views, studio.laid), ensure_ascii=False, indent=1)
    try:
        truth.write_text(lines + "\n", encoding="utf-8")
    except OSError as error:
        raise OutputError(f"{truth}: cannot be written ({error.strerror or error})") from error
    return truth


def _film(script: ClipScript, studio: Studio, out: Path, progress: Callable[[int, int], None]) -> None:
    if not out.parent.is_dir():
        raise OutputError(f"{out}: there is no folder {out.parent}")
    code = cv2.VideoWriter.fourcc(*CODECS[out.suffix.lower()])
    writer = cv2.VideoWriter(str(out), code, script.fps, (script.width, script.height))
    if not writer.isOpened():
        raise OutputError(f"{out}: cannot be written as a video")
    try:
        for number in range(script.frame_count):
            writer.write(studio.frame(FrameTime.of_seconds(number / script.fps)).image)
            progress(number + 1, script.frame_count)
    finally:
        writer.release()


def _view_times(script: ClipScript) -> list[float]:
    moved = [d.seconds + d.over for d in script.disturbances if d.what in ("camera", "board")]
    return [0.0, *(round(t, 3) for t in moved if t <= script.seconds)]


def _corners(seconds: float, pose: BoardPose) -> dict[str, object]:
    """The outermost points by name, in pixels, and the whole pose."""
    last = f"{COLUMNS[pose.size - 1]}"
    names = (f"A{pose.size}", f"{last}{pose.size}", f"{last}1", "A1")
    corners = {name: np.round(xy, 2).tolist() for name, xy in zip(names, pose.corners, strict=True)}
    return {"t": seconds, "corners": corners, "pose": pose.to_json()}
