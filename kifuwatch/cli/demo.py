"""``kifuwatch demo``: the clip that comes with kifuwatch, recorded."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated

import typer

from kifuwatch.cli.record import Files, follow
from kifuwatch.cli.session import DebugOption, ForceOption, LangOption, session_of
from kifuwatch.core.errors import InputError, OutputError

EXAMPLES = """[bold]Examples[/bold]

  kifuwatch demo
  kifuwatch demo --out /tmp/demo --lang zh
"""


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("demo", epilog=EXAMPLES)(demo)


def demo(
    context: typer.Context,
    out: Annotated[Path, typer.Option("--out", help="A folder for the results.")] = Path("kifuwatch-demo"),
    force: ForceOption = False,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> int:
    """Record the clip that comes with kifuwatch: position, moves, alerts, SGF and pictures."""
    session = session_of(context)
    folder = files("kifuwatch").joinpath("demo")
    clips = [each for each in folder.iterdir() if each.name.endswith(".mp4")] if folder.is_dir() else []
    if not clips:
        raise InputError("this installation of kifuwatch comes without its demo clip: install it again")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"--out: the folder {out} cannot be made ({error.strerror})") from error
    with as_file(clips[0]) as clip:
        session.show(session.text("demo.intro", clip=clip), "")
        kept = Files(out / "game.sgf", out / "game.jsonl", out / "pictures")
        return follow(session, str(clip), kept, force, quiet=False)
