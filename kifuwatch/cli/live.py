"""``kifuwatch live``: record games and let everyone follow them in a browser."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kifuwatch.cli.session import DebugOption, LangOption, Session, session_of
from kifuwatch.core.errors import UsageError

if TYPE_CHECKING:
    from kifuwatch.live.config import LiveConfig
    from kifuwatch.live.hall import Hall
    from kifuwatch.live.outlets import Exporter
    from kifuwatch.live.station import Station

EXAMPLES = """[bold]Examples[/bold]

  kifuwatch live                                    # opens the page; choose the camera there
  kifuwatch live 0 --start                          # the first camera, recording at once
  kifuwatch live rtsp://camera/live --board 3
  kifuwatch live test:                              # a game to look at, without any camera
  kifuwatch live --host 0.0.0.0 --delay 10min       # for everybody in the house, ten minutes behind
"""
HOME_LEASE = "server.lease"


class Log(StrEnum):
    """How the server writes down what it does."""

    TEXT = "text"
    JSON = "json"


HomeOption = Annotated[
    Path | None,
    typer.Option("--home", metavar="DIR", help="Where games are kept; by default $KIFUWATCH_HOME.", show_default=False),
]
DelayOption = Annotated[
    str, typer.Option("--delay", metavar="TIME", help="How far the public is behind: 30s, 15min, 5moves.")
]


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("live", epilog=EXAMPLES)(live)


def live(
    context: typer.Context,
    source: Annotated[
        str | None, typer.Argument(help="A camera, an rtsp or http address, a video; chosen on the page else.")
    ] = None,
    home: HomeOption = None,
    host: Annotated[str, typer.Option("--host", help="Address to listen on; 0.0.0.0: all of this machine.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="Port to listen on.")] = 8361,
    delay: DelayOption = "0s",
    board: Annotated[str, typer.Option("--board", metavar="NAME", help="The name of the board.")] = "1",
    start: Annotated[bool, typer.Option("--start", help="Record at once, without setting up on the page.")] = False,
    token_file: Annotated[
        Path | None, typer.Option("--token-file", help="A file with the arbiter's token; else one is made.")
    ] = None,
    name: Annotated[
        list[str] | None, typer.Option("--name", metavar="HOST", help="A host name under which it is reached.")
    ] = None,
    webhook: Annotated[
        list[str] | None,
        typer.Option("--webhook", metavar="URL", help="Tell this address; signed with $KIFUWATCH_WEBHOOK_SECRET."),
    ] = None,
    alert_webhook: Annotated[
        list[str] | None,
        typer.Option("--alert-webhook", metavar="URL", help="Tell this address of each alert at once; signed too."),
    ] = None,
    ogs: Annotated[
        list[str] | None,
        typer.Option("--ogs", metavar="BOARD=ID", help="Show a board on an OGS demo board; needs $KIFUWATCH_OGS_JWT."),
    ] = None,
    log: Annotated[Log, typer.Option("--log", help="What is written to standard error: text or json.")] = Log.TEXT,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the page.")] = False,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> None:
    """Record games and let everyone follow them in a browser.

    Starts a server and opens its page. Ctrl-C stops it; games that are recorded go on when it is started again.
    """
    from kifuwatch.live import logs
    from kifuwatch.live.app import create_app
    from kifuwatch.live.auth import find_token
    from kifuwatch.live.config import LiveConfig, home_of, parse_delay
    from kifuwatch.live.hall import Hall
    from kifuwatch.live.server import bind, serve
    from kifuwatch.live.setup import check_board
    from kifuwatch.record.lease import Lease

    session = session_of(context)
    behind, passing_on = parse_delay(delay), exporters(webhook or [], alert_webhook or [], ogs or [])
    check_board(board)
    _check_source(source, start)
    folder = home_of(home, os.environ)
    token = find_token(folder, token_file, os.environ)
    config = LiveConfig(folder, token, host, port, behind, frozenset(name or ()))
    with ExitStack() as stack:
        # Two servers would both write the games of one home.
        stack.callback(Lease(folder / HOME_LEASE, f"the home {folder}", "served").release)
        bound = bind(config)
        stack.callback(bound.close)
        logs.set_up(log is Log.JSON)
        hall = Hall(folder, files=True)
        stack.callback(hall.close)
        tell_going_on(session, hall, source, board)
        page = open_board(hall, source, board, start)
        app = create_app(config, hall, exporters=passing_on)
        serve(app, config, bound, lambda: tell(session, config, page, no_browser))
    session.show(session.text("live.stopped"))


def _check_source(source: str | None, start: bool) -> None:
    """Tell at once what is wrong with a source, before a server runs."""
    if source is None:
        if start:
            raise UsageError("--start needs a source: a camera, an address, a video, or test:")
        return
    from kifuwatch.live.sources import check_source

    check_source(source, files=True)


def exporters(hooks: list[str], alert_hooks: list[str], demo_boards: list[str]) -> list[Exporter]:
    """Where games are passed on to. Raises UsageError for what cannot be."""
    from kifuwatch.live.ogs import OgsDemoBoard
    from kifuwatch.live.outlets import AlertHook, Webhook

    secret = os.environ.get("KIFUWATCH_WEBHOOK_SECRET", "")
    found: list[Exporter] = [Webhook(address, secret) for address in hooks]
    found += [AlertHook(address, secret) for address in alert_hooks]
    for text in demo_boards:
        board, _, number = text.partition("=")
        if not board or not number.isdecimal():
            raise UsageError(f"--ogs: {text!r} names no demo board: write BOARD=ID, like 1=123456")
        jwt = os.environ.get("KIFUWATCH_OGS_JWT", "")
        if not jwt:
            raise UsageError("--ogs needs the user_jwt of the demo board's owner in KIFUWATCH_OGS_JWT")
        found.append(OgsDemoBoard(board, int(number), jwt))
    return found


def tell_going_on(session: Session, hall: Hall, source: str | None, board: str) -> None:
    """Games that were not over go on, and that is said; also that a source is not opened, where its board has one."""
    from kifuwatch.live.sources import shown

    hall.resume_all()
    for station in going_on(hall):
        status = station.status()
        session.show(
            session.text("live.goes_on", board=station.board, game=status.game_id, source=shown(status.source))
        )
        if station.board == board and source not in {None, status.source}:
            session.warn(session.text("live.other_source", board=board, source=shown(str(source))))


def going_on(hall: Hall) -> list[Station]:
    """The stations whose game is not over."""
    return [station for station in hall.stations() if station.status().state in {"recording", "paused"}]


def open_board(hall: Hall, source: str | None, board: str, start: bool) -> str:
    """A source that is given is opened, where no game goes on. The page to show first."""
    from kifuwatch.live.setup import GameSetup

    if source is None:
        return "/" if going_on(hall) else f"/setup/{board}"
    station = hall.open(board)
    if station in going_on(hall):
        return f"/desk/{board}"
    if start:
        station.start(GameSetup(source, board, date=date.today().isoformat()))
        return f"/desk/{board}"
    station.preview(source)
    return f"/setup/{board}"


def tell(session: Session, config: LiveConfig, page: str, no_browser: bool) -> None:
    """Say where the pages are, and open the first."""
    import sys
    import threading
    import webbrowser

    everywhere = config.host in {"0.0.0.0", "::", ""}
    shown = "127.0.0.1" if everywhere else config.host
    shown = f"[{shown}]" if ":" in shown else shown
    address = f"http://{shown}:{config.port}"
    session.show(session.text("live.address", address=address))
    if everywhere and (own := own_address()):
        session.show(session.text("live.others", address=f"http://{own}:{config.port}"))
    session.show(session.text("live.token", token=config.token))
    session.show(session.text("live.stop"))
    sys.stdout.flush()
    if not no_browser and has_screen(sys.platform, os.environ):
        # Behind the #: a browser never sends that part to any server, nor into a log. A browser may take its time.
        opened = (f"{address}{page}#token={config.token}",)
        threading.Thread(target=webbrowser.open, args=opened, daemon=True).start()


def has_screen(platform: str, environment: Mapping[str, str]) -> bool:
    """Whether a browser can be opened that does not take over the terminal."""
    if not platform.startswith(("linux", "freebsd")):
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


def own_address() -> str | None:
    """The address of this machine among others; None where it is alone. Nothing is sent to find it out."""
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("10.255.255.255", 1))
        except OSError:
            return None
        found = str(probe.getsockname()[0])
    return None if found.startswith(("0.", "127.")) else found
