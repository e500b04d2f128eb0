"""``kifuwatch restore``: the board that should be there, and what is not yet right."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kifuwatch.cli.check import warn_of_faults
from kifuwatch.cli.diagram import diagram
from kifuwatch.cli.session import (
    BoardOption,
    CornersOption,
    DebugOption,
    ForceOption,
    JsonOption,
    LangOption,
    Session,
    check_outputs,
    parse_corners,
    session_of,
)
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Layout, Point

if TYPE_CHECKING:
    from kifuwatch.arbiter.restoring import ToPutRight

EXAMPLES = """[bold]Examples[/bold]

  kifuwatch restore game.sgf --move 49                   # the board after move 49, to print or to lay
  kifuwatch restore game.db                              # as the journal has it now
  kifuwatch restore game.sgf --move 49 --photo now.jpg   # what is not yet right on the photograph
  kifuwatch restore game.db --move 49 --camera 0         # live, stone by stone, until the board is right
  kifuwatch restore game.sgf --move 49 --diagram 49.svg  # a diagram to print
"""
DiagramOption = Annotated[
    Path | None, typer.Option("--diagram", metavar="FILE.svg", help="Write the board as a diagram to print.")
]
CELLS = {".": "restore.empty", "X": "restore.black", "O": "restore.white"}


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("restore", epilog=EXAMPLES)(restore)


def restore(
    context: typer.Context,
    game: Annotated[Path, typer.Argument(help="A game record (*.sgf) or a journal (*.db).", metavar="GAME")],
    move: Annotated[
        int | None, typer.Option("--move", min=0, help="After this move; by default after the last.")
    ] = None,
    photo: Annotated[
        Path | None, typer.Option("--photo", help="A photograph of the board as it lies: what is not right there?")
    ] = None,
    camera: Annotated[
        str | None,
        typer.Option("--camera", metavar="SOURCE", help="A camera or video to watch until the board is right."),
    ] = None,
    profile: Annotated[Path | None, typer.Option("--profile", help="A profile that calibrate has stored.")] = None,
    corners: CornersOption = None,
    which: BoardOption = None,
    drawing: DiagramOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> int:
    """Show the board that should be there after a move and, with a photograph, each point that is not right yet.

    With a camera it is shown again and again, until the board is right.
    """
    from kifuwatch.arbiter.restoring import as_recorded, to_put_right

    session = session_of(context)
    check_outputs({"--diagram": drawing}, force, [game, photo, profile])
    board, number, last = _board(session, game, move)
    if camera is not None:
        _check_live(photo, drawing)
        return _live(session, camera, board, number, as_json, profile, corners, which)
    wrong: tuple[ToPutRight, ...] | None = None
    if photo is not None:
        from kifuwatch import api

        lies = api.read(photo).layout
        wrong = to_put_right(board, as_recorded(board, lies) if lies.size == board.size else lies)
    if drawing is not None:
        _draw(session, drawing, board, number, last, wrong)
    if as_json:
        record: dict[str, object] = {"move": number, "size": board.size, "board": board.rows}
        if wrong is not None:
            record["right"] = not wrong
            record["to_put_right"] = [{"at": str(w.point), "lies": w.lies, "should": w.should} for w in wrong]
        session.show_json(record)
    else:
        _show(session, board, number, last, wrong)
    return 0


def _check_live(photo: Path | None, drawing: Path | None) -> None:
    for option, given in (("--photo", photo), ("--diagram", drawing)):
        if given is not None:
            raise UsageError(f"--camera watches until the board is right: leave out {option}")


def _live(
    session: Session,
    camera: str,
    board: Layout,
    number: int,
    as_json: bool,
    profile: Path | None,
    corners: tuple[str, str, str, str] | None,
    which: str | None,
) -> int:
    from kifuwatch import api
    from kifuwatch.cli.restore_live import restore_live

    positions = parse_corners(corners)
    if not as_json:
        _show(session, board, number, None, None)
    looks = api.looks(camera, size=board.size, corners=positions, profile=profile, board=which)
    return restore_live(session, board, number, looks, as_json)


def _draw(
    session: Session, file: Path, board: Layout, number: int, last: Point | None, wrong: tuple[ToPutRight, ...] | None
) -> None:
    """The diagram to print: the board that should be there, and what is not right yet."""
    from kifuwatch.record.board_svg import BoardPicture, write_diagram

    title = session.text("restore.board", number=number, black=board.cells.count("X"), white=board.cells.count("O"))
    captions = [title]
    if wrong is not None:
        captions.append(session.text("restore.left", count=len(wrong)) if wrong else session.text("restore.right"))
        captions += [session.text("restore.legend")] if wrong else []
    lies = {each.point: each.lies for each in wrong or ()}
    write_diagram(file, BoardPicture(board, last, lies=lies, title=title, captions=tuple(captions)))


def _board(session: Session, game: Path, move: int | None) -> tuple[Layout, int, Point | None]:
    """The board after a move, its number, its point; what is wrong with the file is said. Raises UsageError when there
    are not so many moves."""
    from kifuwatch.arbiter.code import load_code
    from kifuwatch.arbiter.inspection import Played, inspect
    from kifuwatch.arbiter.restoring import board_after
    from kifuwatch.record.desk_journal import DeskJournal
    from kifuwatch.record.journal import Journal
    from kifuwatch.record.sgf_game import read_game

    if game.suffix.lower() == ".db":
        with Journal.open(game) as journal:
            state = DeskJournal(journal).state()
        if move in (None, len(state.moves)):
            return state.board, len(state.moves), state.moves[-1].point if state.moves else None
        return board_after(state, move), move, state.moves[move - 1].point if move else None
    record = read_game(game)
    places = [place for place, step in enumerate(record.steps) if isinstance(step, Played)]
    number = len(places) if move is None else move
    if number > len(places):
        raise UsageError(f"the record has {len(places)} moves, so there is no move {number}")
    end = places[number] if number < len(places) else len(record.steps)
    code = load_code()
    found = inspect(record.steps[:end], record.size, code, record.handicap, record.cut)
    warn_of_faults(session, record, code, found)
    step = record.steps[places[number - 1]] if number else None
    return found.game.position.layout, number, step.point if isinstance(step, Played) else None


def _show(
    session: Session, board: Layout, number: int, last: Point | None, wrong: tuple[ToPutRight, ...] | None
) -> None:
    counts = {"black": board.cells.count("X"), "white": board.cells.count("O")}
    session.show(session.text("restore.board", number=number, **counts), "", diagram(board, last), "")
    if wrong is None:
        return
    for each in wrong:
        lies, should = session.text(CELLS[each.lies]), session.text(CELLS[each.should])
        session.show("  " + session.text("restore.point", at=each.point, lies=lies, should=should))
    session.show(session.text("restore.left", count=len(wrong)) if wrong else session.text("restore.right"))
