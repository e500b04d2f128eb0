"""``kifuwatch games``: what has been recorded by ``kifuwatch live``."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kifuwatch.cli.live import HomeOption
from kifuwatch.cli.session import DebugOption, JsonOption, LangOption, Session, session_of
from kifuwatch.core.errors import InputError, UsageError

if TYPE_CHECKING:
    from kifuwatch.live.games import GameEntry, GameStore

EXAMPLES = """[bold]Examples[/bold]

  kifuwatch games                                          # all games, the newest first
  kifuwatch games --json
  kifuwatch games export 20261130-101500-1 game.zip        # journal, record, times, pictures
  kifuwatch games delete 20261130-101500-1 --yes
"""
IdArgument = Annotated[str, typer.Argument(help="The id of a game, as the list shows it.", metavar="ID")]
STATES = {"recording": "games.recording", "paused": "games.paused", "ended": "games.ended"}


def add_to(app: typer.Typer) -> None:
    """Add this command and those below it."""
    group = typer.Typer(invoke_without_command=True, add_completion=False, rich_markup_mode="rich")
    group.callback(epilog=EXAMPLES)(games)
    group.command("export")(export)
    group.command("delete")(delete)
    app.add_typer(group, name="games")


def games(
    context: typer.Context,
    home: HomeOption = None,
    as_json: JsonOption = False,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> None:
    """List the games that kifuwatch live has recorded; export and delete them."""
    if context.invoked_subcommand is not None:
        return
    session, entries = session_of(context), _store(home).games()
    if as_json:
        session.show_json({"games": [asdict(entry) for entry in entries]})
        return
    if not entries:
        session.show(session.text("games.none"))
    for entry in entries:
        session.show(_line(session, entry))


def export(
    context: typer.Context,
    game: IdArgument,
    file: Annotated[Path, typer.Argument(help="The archive to write.", metavar="FILE.zip")],
    home: HomeOption = None,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> None:
    """Write all of a game as one archive: journal, record, times, pictures."""
    session = session_of(context)
    written = _store(home).export(game, file)
    session.show(session.text("games.exported", path=written))


def delete(
    context: typer.Context,
    game: IdArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Really remove it.")] = False,
    home: HomeOption = None,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> None:
    """Remove a game for good, pictures and journal included."""
    session, store = session_of(context), _store(home)
    store.folder(game)
    if not yes:
        raise UsageError(f"the game {game} would be gone for good: add --yes")
    store.delete(game)
    session.show(session.text("games.deleted", game=game))


def _store(home: Path | None) -> GameStore:
    from kifuwatch.live.config import home_of
    from kifuwatch.live.games import GameStore

    if home is not None and not home.is_dir():
        raise InputError(f"there are no games in {home}: no such folder")
    return GameStore(home_of(home, os.environ))


def _line(session: Session, entry: GameEntry) -> str:
    if entry.error:
        return session.text("games.unreadable", game=entry.game_id, fault=session.told(entry.error))
    names = " – ".join(filter(None, (entry.black, entry.white))) or session.text("games.nameless")
    return session.text(
        "games.line",
        game=entry.game_id,
        names=names,
        moves=entry.moves,
        alerts=entry.alerts,
        state=session.text(STATES[entry.state]),
        result=entry.result,
        size=f"{entry.bytes / 1e6:.1f}",
    ).rstrip()
