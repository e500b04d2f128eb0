"""``kifuwatch calibrate``: find the board once, look at it, keep it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kifuwatch.cli.session import (
    BoardOption,
    CornersOption,
    DebugOption,
    ForceOption,
    JsonOption,
    LangOption,
    Session,
    SizeOption,
    check_outputs,
    check_size,
    parse_corners,
    session_of,
    tell_boards,
)
from kifuwatch.cli.view import show_view

if TYPE_CHECKING:
    from kifuwatch.api import Calibration
    from kifuwatch.calibration.pose import BoardPose

EXAMPLES = """[bold]Examples[/bold]

  kifuwatch calibrate game.mp4
  kifuwatch calibrate 0 --picture grid.png --profile table-3.json
  kifuwatch calibrate 0 --json
  kifuwatch calibrate hall.jpg --board left
  kifuwatch calibrate photo.jpg --corners 310,95 1210,102 1400,820 120,811
  kifuwatch record rtsp://camera/live --profile table-3.json --sgf game.sgf
"""


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("calibrate", epilog=EXAMPLES)(calibrate)


def calibrate(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="A photograph, video, folder, camera or address.")],
    picture: Annotated[
        Path, typer.Option("--picture", help="Draw the found grid over the picture, into this file.")
    ] = Path("grid.png"),
    profile: Annotated[Path, typer.Option("--profile", help="Store the place of the board here.")] = Path(
        "profile.json"
    ),
    as_json: JsonOption = False,
    corners: CornersOption = None,
    size: SizeOption = None,
    board: BoardOption = None,
    force: ForceOption = False,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> None:
    """Find the board, say how good the view is, show the grid as a picture, and store a profile for recording.

    Measures resolution, angle, light, focus and noise, and says what to change before the game begins. A1 is
    marked with a ring. Corners given by hand are taken as they are.
    """
    session = session_of(context)
    positions, lines = parse_corners(corners), check_size(size)
    from kifuwatch import api
    from kifuwatch.calibration.profile import save_profile
    from kifuwatch.overlay import draw_view
    from kifuwatch.vision.images import save_image
    from kifuwatch.vision.sources import files_read

    check_outputs({"--picture": picture, "--profile": profile}, force, files_read(source))
    found = api.calibrate(source, size=lines, corners=positions, board=board)
    save_image(picture, draw_view(found.image, found.pose, found.quality))
    save_profile(profile, found.pose)
    tell_boards(session, [found.pose, *(other.pose for other in found.others)], board is not None)
    if as_json:
        session.show_json(_json(found, picture, profile))
    else:
        _show(session, found, source, picture, profile)


def _json(found: Calibration, picture: Path, profile: Path) -> dict[str, object]:
    poses = [found.pose, *(other.pose for other in found.others)]
    return {
        "size": found.pose.size,
        "corners": _rounded(found.pose),
        "confidence": found.confidence and round(found.confidence, 4),
        "view": found.quality.to_json(),
        "boards": [{"size": pose.size, "corners": _rounded(pose), "taken": pose is found.pose} for pose in poses],
        "picture": str(picture),
        "profile": str(profile),
    }


def _rounded(pose: BoardPose) -> list[list[float]]:
    return [[round(float(x), 2), round(float(y), 2)] for x, y in pose.corners]


def _show(session: Session, found: Calibration, source: str, picture: Path, profile: Path) -> None:
    from kifuwatch.vision.images import EXTENSIONS

    pose = found.pose
    if found.confidence is None:
        session.show(session.text("calibrate.given", size=pose.size))
    else:
        session.show(session.text("calibrate.found", size=pose.size, confidence=f"{found.confidence:.3f}"))
    show_view(session, found.quality)
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in pose.corners)
    session.show(
        session.text("calibrate.corners", corners=corners),
        session.text("calibrate.picture", path=picture),
        session.text("calibrate.profile", path=profile),
    )
    if Path(source).suffix.lower() not in EXTENSIONS:  # a photograph shows no game to record
        quoted = {"source": shlex.quote(source), "path": shlex.quote(str(profile))}
        session.show(session.text("calibrate.hint", **quoted))
