"""``kifuwatch calibrate``: find the board once, look at it, keep it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kifuwatch.cli.session import (
    CornersOption,
    DebugOption,
    ForceOption,
    LangOption,
    Session,
    SizeOption,
    check_output,
    check_size,
    parse_corners,
    session_of,
)

if TYPE_CHECKING:
    from kifuwatch.api import Calibration

EXAMPLES = """[bold]Examples[/bold]

  kifuwatch calibrate game.mp4
  kifuwatch calibrate 0 --picture grid.png --profile table-3.json
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
    corners: CornersOption = None,
    size: SizeOption = None,
    force: ForceOption = False,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> None:
    """Find the board, show the grid as a picture, and store a profile for recording.

    A1 is marked with a ring. Corners given by hand are taken as they are.
    """
    session = session_of(context)
    positions, lines = parse_corners(corners), check_size(size)
    check_output(picture, True, "--picture")
    check_output(profile, force, "--profile")
    from kifuwatch import api
    from kifuwatch.calibration.profile import save_profile
    from kifuwatch.overlay import draw_grid
    from kifuwatch.vision.images import save_image

    found = api.calibrate(source, size=lines, corners=positions)
    save_image(picture, draw_grid(found.image, found.pose))
    save_profile(profile, found.pose)
    _show(session, found, source, picture, profile)


def _show(session: Session, found: Calibration, source: str, picture: Path, profile: Path) -> None:
    from kifuwatch.vision.images import EXTENSIONS

    pose = found.pose
    if found.confidence is None:
        session.show(session.text("calibrate.given", size=pose.size))
    else:
        session.show(session.text("calibrate.found", size=pose.size, confidence=f"{found.confidence:.3f}"))
    corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in pose.corners)
    session.show(
        session.text("calibrate.corners", corners=corners),
        session.text("calibrate.camera", elevation=round(pose.elevation), pitch=f"{pose.pitch:.1f}"),
        session.text("calibrate.picture", path=picture),
        session.text("calibrate.profile", path=profile),
    )
    if Path(source).suffix.lower() not in EXTENSIONS:  # a photograph shows no game to record
        quoted = {"source": shlex.quote(source), "path": shlex.quote(str(profile))}
        session.show(session.text("calibrate.hint", **quoted))
