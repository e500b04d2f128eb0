"""The command ``kifuwatch``: its commands, and how each way of ending becomes one sentence and an exit status."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer
import typer.main

import kifuwatch
from kifuwatch.cli import (
    calibrate,
    check,
    demo,
    evaluate,
    games,
    live,
    publish,
    read,
    record,
    report,
    restore,
    rule,
    score,
    simulate,
)
from kifuwatch.cli.help import speak
from kifuwatch.cli.session import Session, check_corners_count
from kifuwatch.cli.texts import Language, Texts, language_of
from kifuwatch.core.errors import KifuwatchError

INTERRUPTED = 130
BROKEN_PIPE = 141
# Faults of usage, as typer raises them; the class has no public name in all versions of typer.
USAGE_FAULT: type[Exception] = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns its exit status, and never raises: a fault is one sentence on standard error."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    _never_fail_on_encoding()
    session = Session.open(wanted_language(arguments))
    try:
        check_corners_count(arguments)
        status = _command(session.texts)(args=arguments, prog_name="kifuwatch", standalone_mode=False, obj=session)
        sys.stdout.flush()
        if status == INTERRUPTED:  # so some versions of typer end on Ctrl-C; others raise Abort
            raise KeyboardInterrupt
        return status if isinstance(status, int) else 0
    except BrokenPipeError:
        # The reader of our output went away (a pager, head): nothing more can be said on it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except (KeyboardInterrupt, typer.Abort):
        session.warn(session.text("end.interrupted"))
        return INTERRUPTED
    except Exception as error:
        if "--debug" in arguments:
            traceback.print_exc()
        return _end_of(error, session)


def _end_of(error: Exception, session: Session) -> int:
    """Say in one sentence what went wrong; the exit status that goes with it."""
    if isinstance(error, KifuwatchError):
        session.warn(str(error))
        return error.exit_status
    if isinstance(error, USAGE_FAULT):
        sentence = error.format_message() if hasattr(error, "format_message") else str(error)
        session.warn(sentence)
        return int(getattr(error, "exit_code", 2))
    if isinstance(error, MemoryError):
        session.warn(session.text("end.memory"))
    else:
        session.warn(session.text("end.unexpected", kind=type(error).__name__, what=error))
    return 1


def wanted_language(arguments: Sequence[str]) -> Language | None:
    """The language that ``--lang`` asks for, known before the arguments are read, since their faults are said in it."""
    for place, word in enumerate(arguments):
        name, equals, value = word.partition("=")
        if name == "--lang":
            value = value if equals else next(iter(arguments[place + 1 : place + 2]), "")
            return Language(value) if value in {each.value for each in Language} else None
    return language_of(os.environ)


def _never_fail_on_encoding() -> None:
    """Letters that the terminal cannot show become marks instead of a fault."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"kifuwatch {kifuwatch.__version__}")
        raise typer.Exit


def build() -> typer.Typer:
    """All commands."""
    app = typer.Typer(
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(start)
    at_the_board = (read, record, calibrate, check, score, rule, restore, report)
    for module in (*at_the_board, live, games, publish, evaluate, simulate, demo):
        module.add_to(app)
    return app


def start(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and end."),
    ] = False,
) -> None:
    """A camera looks at a Go board: the game record, and what the arbiter should know."""


def _command(texts: Texts) -> Any:
    """The command with its help in the language of the texts."""
    command = typer.main.get_command(build())
    speak(command, texts)
    return command
