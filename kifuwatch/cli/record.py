"""``kifuwatch record``: follow a game and write it down."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from kifuwatch.cli.diagram import diagram
from kifuwatch.cli.rule import claimed, may_be
from kifuwatch.cli.session import (
    BoardOption,
    CornersOption,
    DebugOption,
    ForceOption,
    LangOption,
    Session,
    SizeOption,
    TimeOption,
    check_fps,
    check_size,
    parse_corners,
    session_of,
    tell_boards,
)
from kifuwatch.cli.texts import Language
from kifuwatch.cli.view import warn_of_view
from kifuwatch.core.ending import ending_signals, insists
from kifuwatch.core.points import HIDDEN

if TYPE_CHECKING:
    from kifuwatch.recorder import Progress as Done
    from kifuwatch.recorder import Recording

EXAMPLES = """[bold]Examples[/bold]

  kifuwatch record game.mp4 --sgf game.sgf --events game.jsonl
  kifuwatch record photos/ --sgf game.sgf
  kifuwatch record 0 --sgf game.sgf --pictures pictures/
  kifuwatch record 0 --journal game.db --sgf game.sgf      # meanwhile: kifuwatch rule game.db ...
  kifuwatch record rtsp://camera/live --sgf game.sgf --black "Li Hua" --white "Wang Fang"
"""
SOURCE_LOST = 5
MOVES_A_LINE = 10
MOST_NAMED = 10  # photographs without a board


@dataclass(frozen=True)
class Files:
    """Where a recording is kept."""

    sgf: Path | None
    events: Path | None
    pictures: Path | None
    journal: Path | None = None


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("record", epilog=EXAMPLES)(record)


def record(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="A video, a folder of photographs, a camera, an rtsp or http address.")],
    sgf: Annotated[Path | None, typer.Option("--sgf", help="The game record, whole after every move.")] = None,
    events: Annotated[
        Path | None, typer.Option("--events", help="One JSON object a line for all that happens.")
    ] = None,
    pictures: Annotated[
        Path | None,
        typer.Option(
            "--pictures", help="A folder for pictures of the board, each move and each alert, and short films."
        ),
    ] = None,
    pictures_limit: Annotated[
        str, typer.Option("--pictures-limit", metavar="SIZE", help="At most so much of them, the oldest removed first.")
    ] = "500MB",
    journal: Annotated[
        Path | None,
        typer.Option("--journal", metavar="GAME.db", help="A journal for the arbiter's desk."),
    ] = None,
    fps: Annotated[
        float | None,
        typer.Option(
            "--fps", help="Photographs a second of a folder (1); a fixed rate instead of a video's own times."
        ),
    ] = None,
    profile: Annotated[Path | None, typer.Option("--profile", help="A profile that calibrate has stored.")] = None,
    corners: CornersOption = None,
    size: SizeOption = None,
    board: BoardOption = None,
    rules: Annotated[
        str, typer.Option("--rules", help="cn2002, cn1988, jp, kr, aga, ing, nz, tt, ancient, or EVENT.toml.")
    ] = "cn2002",
    black: Annotated[str, typer.Option("--black", help="Who plays black.")] = "",
    white: Annotated[str, typer.Option("--white", help="Who plays white.")] = "",
    event: Annotated[str, typer.Option("--event", help="The event in which the game is played.")] = "",
    komi: Annotated[float | None, typer.Option("--komi", help="In points; by default that of the rules.")] = None,
    handicap: Annotated[int, typer.Option("--handicap", help="Handicap stones.", min=0, max=25)] = 0,
    time: TimeOption = "",
    force: ForceOption = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print neither progress nor result.")] = False,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> int:
    """Follow a game to the end of its source and write it down.

    Prints the last position, the moves and what the arbiter should know. Ctrl-C ends the recording in order.
    """
    from kifuwatch.evidence import parse_bytes
    from kifuwatch.record import GameInfo

    limit = parse_bytes(pictures_limit)
    positions, lines = parse_corners(corners), check_size(size)
    info = GameInfo(black, white, event, _date_of(source), komi, handicap, time)
    options = {
        "rules": rules,
        "info": info,
        "size": lines,
        "corners": positions,
        "profile": profile,
        "board": board,
        "fps": check_fps(fps),
        "pictures_limit": limit,
    }
    return follow(session_of(context), source, Files(sgf, events, pictures, journal), force, quiet, **options)


def follow(session: Session, source: str, files: Files, force: bool, quiet: bool, **options: object) -> int:
    """Record with a progress bar and tell the result. Returns the exit status."""
    from kifuwatch import api

    with _bar(session, quiet) as bar, _stopping() as stop:
        task = bar.add_task(session.text("record.finding"), total=None, moves="")

        def progress(done: Done) -> None:
            key = "record.recording" if done.board_found else "record.finding"
            moves = session.text("record.count", moves=done.moves, alerts=done.alerts) if done.board_found else ""
            bar.update(task, description=session.text(key), total=done.frame_count, completed=done.frames, moves=moves)

        recording = api.record(
            source,
            seen=lambda quality: warn_of_view(session, quality),
            sgf=files.sgf,
            events=files.events,
            pictures=files.pictures,
            journal=files.journal,
            force=force,
            progress=progress,
            stop=stop.asked,
            **options,  # type: ignore[arg-type]
        )
    if not quiet:
        show(session, recording, files)
    tell_boards(session, recording.boards, options.get("board") is not None)
    for sentence in (recording.warning, recording.lost):
        if sentence:
            session.warn(sentence)
    if recording.interrupted:
        raise KeyboardInterrupt
    return SOURCE_LOST if recording.lost else 0


def _date_of(source: str) -> str:
    """A camera shows a game of today; when a file was filmed nobody can say."""
    live = source.isdecimal() or source.startswith("/dev/") or "://" in source
    return date.today().isoformat() if live else ""


def _bar(session: Session, quiet: bool) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[moves]}"),
        console=session.notes,
        transient=True,
        disable=quiet or not session.notes.is_terminal,
    )


class Stop:
    """Whether somebody has asked to stop."""

    def __init__(self) -> None:
        self._asked = False

    def asked(self) -> bool:
        """Somebody has."""
        return self._asked

    def ask(self, number: int, frame: FrameType | None) -> None:
        """The first time the recording ends after the frame in hand; the second time at once."""
        if self._asked and insists(number):
            raise KeyboardInterrupt
        self._asked = True


@contextmanager
def _stopping() -> Iterator[Stop]:
    """Ctrl-C, a polite kill or a closed terminal ends the recording between two frames, so that the record is whole."""
    stop = Stop()
    before = {number: signal.signal(number, stop.ask) for number in ending_signals()}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def show(session: Session, recording: Recording, files: Files) -> None:
    """Tell what was recorded: the last position, the moves, the alerts, and where everything lies."""
    last = recording.moves[-1].at if recording.moves else None
    stones = sum(cell in "XO" for cell in recording.position.cells)
    title = session.text("record.position", stones=stones, time=clock(recording.seconds))
    if set(recording.position.cells) == {HIDDEN}:
        session.show(session.text("record.covered"), "")
    else:
        session.show(title, "", diagram(recording.position, last), "")
    # Where nothing has been seen the rules see no other board, only an unknown one.
    if any(lying != HIDDEN for _, lying, _ in recording.position.changes(recording.rules_board)):
        session.show(session.text("record.rules_board"), "", diagram(recording.rules_board, last), "")
    _show_moves(session, recording)
    _show_alerts(session, recording)
    if recording.without_board:
        session.show(_unseen(session, recording), "")
    if recording.interrupted:
        session.show(session.text("record.interrupted"), "")
    kept = {"sgf": files.sgf, "events": files.events, "pictures": files.pictures, "journal": files.journal}
    for key, path in kept.items():
        if path is not None:
            session.show(session.text(f"record.{key}", path=path))


def _unseen(session: Session, recording: Recording) -> str:
    names = recording.without_board
    shown = " ".join(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "")
    return session.text("record.unseen", count=len(names), frames=recording.frames, names=shown)


def _show_moves(session: Session, recording: Recording) -> None:
    if not recording.moves:
        session.show(session.text("record.no_moves"), "")
        return
    session.show(session.text("record.moves", count=len(recording.moves)))
    words = []
    for move in recording.moves:
        at = session.text("record.passed") if move.at is None else str(move.at)
        words.append(
            f"{move.number}.{move.colour.value} {at}{session.text('record.inferred') if move.inferred else ''}"
        )
    for start in range(0, len(words), MOVES_A_LINE):
        session.show("  " + "  ".join(f"{word:<9}" for word in words[start : start + MOVES_A_LINE]).rstrip())
    if any(move.inferred for move in recording.moves):
        session.show(session.text("record.inferred_note"))
    session.show("")


def _show_alerts(session: Session, recording: Recording) -> None:
    if not recording.alerts:
        session.show(session.text("record.no_alerts"), "")
        return
    session.show(session.text("record.alerts", count=len(recording.alerts)))
    for alert in recording.alerts:
        text = alert.text_zh if session.texts.language is Language.ZH else alert.text_en
        level = session.texts.level(alert.level)
        session.show("  " + session.text("record.alert", time=clock(alert.t), text=text, level=level))
        if alert.hypotheses and alert.level != "info":
            chinese = session.texts.language is Language.ZH
            named = [(each.zh if chinese else each.en, each.likelihood) for each in alert.hypotheses]
            session.show("        " + may_be(session, named))
            if alert.claim.en:
                window = alert.claim.zh if chinese else alert.claim.en
                session.show("        " + claimed(session, window, alert.claim.article))
    session.show("")


def clock(seconds: float) -> str:
    """Seconds as people say them: ``1:02:03`` or ``2:03``."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
