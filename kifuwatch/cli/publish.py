"""``kifuwatch publish``: kept games as plain files, for any static host."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated

import typer

from kifuwatch.cli.live import DelayOption, HomeOption
from kifuwatch.cli.session import DebugOption, LangOption, session_of
from kifuwatch.core.errors import InputError

EXAMPLES = """[bold]Examples[/bold]

  kifuwatch publish public/t
  kifuwatch publish public/t --watch --delay 10min    # goes on until Ctrl-C
  rsync -a public/ host:public/                       # or any other way of putting files on a host
"""


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("publish", epilog=EXAMPLES)(publish)


def publish(
    context: typer.Context,
    target: Annotated[Path, typer.Argument(help="The folder for the files; made when missing.", metavar="DIR")],
    home: HomeOption = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on, and write what changes.")] = False,
    every: Annotated[float, typer.Option("--every", min=0.2, max=3600, help="Seconds between two looks.")] = 1.0,
    delay: DelayOption = "0s",
    lang: LangOption = None,
    debug: DebugOption = False,
) -> None:
    """Write all kept games as plain files that any static host can serve: JSON and SGF by event, round and board.

    Files are replaced whole, and those that are right are not touched.
    """
    from kifuwatch.live.config import home_of, parse_delay
    from kifuwatch.live.games import GameStore
    from kifuwatch.live.publishing import Publisher

    session = session_of(context)
    folder = home_of(home, os.environ)
    if not folder.is_dir():
        raise InputError(f"there are no games in {folder}: no such folder")
    publisher = Publisher(GameStore(folder), target, parse_delay(delay))
    told: set[str] = set()
    try:
        while True:
            written = publisher.publish()
            for game, fault in publisher.faults.items():
                if game not in told:
                    session.warn(session.text("publish.fault", game=game, fault=session.told(fault)))
                    told.add(game)
            if written or not watch:
                session.show(session.text("publish.written", count=written, folder=target))
            if not watch:
                return
            time.sleep(every)
    finally:
        publisher.close()
