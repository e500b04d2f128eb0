"""``kifuwatch read``: a photograph becomes a position."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kifuwatch import api
from kifuwatch.cli.diagram import diagram
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

if TYPE_CHECKING:
    from kifuwatch.vision.reading import Reading

EXAMPLES = """[bold]Examples[/bold]

  kifuwatch read photo.jpg
  kifuwatch read photo.jpg --picture reading.png
  kifuwatch read photo.jpg --json
  kifuwatch read two-boards.jpg --board left
  kifuwatch read photo.jpg --size 13 --corners 310,95 1210,102 1400,820 120,811
"""
MOST_LISTED = 12  # uncertain points; the rest is counted


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("read", epilog=EXAMPLES)(read)


def read(
    context: typer.Context,
    photo: Annotated[Path, typer.Argument(help="A photograph: JPEG, PNG or WebP.")],
    as_json: JsonOption = False,
    picture: Annotated[
        Path | None, typer.Option("--picture", help="Draw the reading over the photograph, into this file.")
    ] = None,
    corners: CornersOption = None,
    size: SizeOption = None,
    board: BoardOption = None,
    force: ForceOption = False,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> None:
    """Read the position on a photograph of a board.

    Prints the board as a diagram, X black and O white, and lists the points it is not sure of. The board may be read
    turned, since nothing in a single photograph tells where its reader sits.
    """
    session = session_of(context)
    positions, lines = parse_corners(corners), check_size(size)
    check_outputs({"--picture": picture}, force, [photo])
    from kifuwatch.vision.images import load_image, save_image

    image = load_image(photo)
    reading = api.read(image, size=lines, corners=positions, board=board)
    tell_boards(session, [reading.pose, *(other.pose for other in reading.others)], board is not None)
    if picture is not None:
        from kifuwatch.overlay import draw_reading

        uncertain = [each.at for each in reading.uncertain]
        save_image(picture, draw_reading(image, reading.pose, reading.layout, uncertain))
    if as_json:
        session.show_json(reading.to_json())
    else:
        _show(session, reading, picture)


def _show(session: Session, reading: Reading, picture: Path | None) -> None:
    session.show(diagram(reading.layout), "")
    cells = reading.layout.cells
    session.show(
        session.text(
            "read.summary",
            size=reading.size,
            confidence=f"{reading.confidence:.3f}",
            black=cells.count("X"),
            white=cells.count("O"),
        )
    )
    hidden = [str(point.at) for point in reading.uncertain if point.covered]
    if hidden:
        session.show(session.text("read.hidden", points=" ".join(hidden)))
    doubtful = sorted(
        (point for point in reading.uncertain if not point.covered),
        key=lambda point: max(point.empty, point.black, point.white),
    )
    for point in doubtful[:MOST_LISTED]:
        chances = {"empty": f"{point.empty:.0%}", "black": f"{point.black:.0%}", "white": f"{point.white:.0%}"}
        session.show(session.text("read.uncertain", at=point.at, **chances))
    if len(doubtful) > MOST_LISTED:
        session.show(session.text("read.more", count=len(doubtful) - MOST_LISTED))
    if picture is not None:
        session.show(session.text("read.picture", path=picture))
