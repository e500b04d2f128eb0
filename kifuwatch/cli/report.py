"""``kifuwatch report``: a game sheet to keep, to sign, to print."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kifuwatch.cli.check import RulesOption
from kifuwatch.cli.session import DebugOption, ForceOption, LangOption, Session, check_outputs, session_of
from kifuwatch.core.errors import InputError

if TYPE_CHECKING:
    from kifuwatch.arbiter.inspection import Irregularity
    from kifuwatch.record.checking import Checked
    from kifuwatch.record.sheet import Sheet

EXAMPLES = """[bold]Examples[/bold]

  kifuwatch report game.db --pictures pictures/           # game.html: moves, times, incidents, rulings, result
  kifuwatch report game.db --pdf game.pdf --lang zh
  kifuwatch report game.sgf --out sheet.html              # of any game record
  kifuwatch report game.jsonl --black "Li Hua" --white "Wang Fang"
"""
BESIDE = "evidence"
"""The folder of pictures beside the journal of a game that was recorded live."""
SHEETS = {".html", ".pdf"}
HEAD = ("black", "white", "event", "round", "date", "place", "arbiter")


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("report", epilog=EXAMPLES)(report)


def report(
    context: typer.Context,
    game: Annotated[Path, typer.Argument(help="A journal (*.db), a game record (*.sgf) or events (*.jsonl).")],
    pictures: Annotated[
        Path | None,
        typer.Option("--pictures", help="The folder of its pictures; by default evidence beside the journal."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE.html", help="Where to write it; by default beside the game.")
    ] = None,
    pdf: Annotated[Path | None, typer.Option("--pdf", metavar="FILE.pdf", help="Print it to this file.")] = None,
    rules: RulesOption = None,
    black: Annotated[str, typer.Option("--black", help="Who plays black.")] = "",
    white: Annotated[str, typer.Option("--white", help="Who plays white.")] = "",
    event: Annotated[str, typer.Option("--event", help="The event in which the game is played.")] = "",
    round_: Annotated[str, typer.Option("--round", help="The round of the event.")] = "",
    date: Annotated[str, typer.Option("--date", help="The day of the game.")] = "",
    place: Annotated[str, typer.Option("--place", help="Where it was played.")] = "",
    arbiter: Annotated[str, typer.Option("--arbiter", help="Who is the arbiter.")] = "",
    force: ForceOption = False,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> None:
    """Make a game sheet: players, diagrams of fifty moves, times, incidents with their pictures, rulings, result.

    One HTML file that needs nothing beside it. --pdf prints it with Chromium, Chrome or Edge.
    """
    from kifuwatch.record.files import write_whole
    from kifuwatch.record.pdf import find_browser, print_pdf
    from kifuwatch.record.sheet_html import sheet_html

    session = session_of(context)
    if pictures is not None and not pictures.is_dir():
        raise InputError(f"--pictures: there is no folder {pictures}")
    if pictures is None and (game.parent / BESIDE).is_dir() and game.suffix.lower() == ".db":
        pictures = game.parent / BESIDE
    page = out or (None if pdf else game.with_suffix(".html"))
    check_outputs({"--out": page, "--pdf": pdf}, force, _read_for(game, rules, pictures))
    browser = find_browser() if pdf else ""
    given = dict(zip(HEAD, (black, white, event, round_, date, place, arbiter), strict=True))
    sheet = sheet_of(session, game, rules, {name: text for name, text in given.items() if text})
    html = sheet_html(sheet, session.texts.language.value, _finder(pictures))
    if page is not None:
        write_whole(page, html.encode("utf-8"))
        session.show(session.text("report.html", path=page))
    if pdf is not None:
        print_pdf(html, pdf, browser)
        session.show(session.text("report.pdf", path=pdf))


def _read_for(game: Path, rules: str | None, pictures: Path | None) -> list[Path | None]:
    """The files that a sheet is made of. What lies among the pictures and is a sheet itself is none of them."""
    from kifuwatch.record.times import times_path
    from kifuwatch.rules.codefile import event_file

    shown = pictures.iterdir() if pictures is not None and pictures.is_dir() else ()
    return [game, times_path(game), event_file(rules), *(each for each in shown if each.suffix not in SHEETS)]


def sheet_of(session: Session, game: Path, rules: str | None, info: Mapping[str, str]) -> Sheet:
    """The sheet of a file, by the kind that its name says. ``info`` goes before what the file says of the game."""
    from dataclasses import replace

    kind = game.suffix.lower()
    if kind == ".sgf":
        return _of_record(session, game, rules, info)
    if kind not in {".db", ".jsonl"}:
        raise InputError(f"{game}: a sheet is made of a journal (*.db), a game record (*.sgf) or events (*.jsonl)")
    sheet = _of_rows(session, game, rules, journal=kind == ".db")
    return replace(sheet, info={**sheet.info, **info})


def _of_rows(session: Session, game: Path, rules: str | None, journal: bool) -> Sheet:
    from kifuwatch.arbiter.alerts import AlertTable
    from kifuwatch.cli.rule import read_events
    from kifuwatch.record.journal import Journal
    from kifuwatch.record.sheet import sheet_of_rows
    from kifuwatch.rules import DEFAULT_RULES

    if journal:
        with Journal.open(game) as opened:
            rows = opened.rows()
    else:
        rows = [{**row, "id": number} for number, row in enumerate(read_events(game, session.warn), 1)]
    named = [str(row["rules"]) for row in rows if row.get("type") == "game" and row.get("rules")]
    return sheet_of_rows(rows, AlertTable.load().code(rules or (named[-1] if named else DEFAULT_RULES)))


def _of_record(session: Session, game: Path, rules: str | None, info: Mapping[str, str]) -> Sheet:
    from kifuwatch.arbiter.code import load_code
    from kifuwatch.record.checking import check
    from kifuwatch.record.sgf_game import read_game
    from kifuwatch.record.sheet import sheet_of_record
    from kifuwatch.record.times import times_path
    from kifuwatch.rules import DEFAULT_RULES

    record = read_game(game)
    found = check(record, load_code(rules or record.rules or DEFAULT_RULES))
    for problem in record.problems:
        session.warn(session.text("check.problem", problem=session.told(problem)))
    return sheet_of_record(found, _times(times_path(game)), _speaker(session, found), info)


def _times(path: Path) -> Mapping[str, Any] | None:
    """What lies beside a record; nothing where it cannot be read: times are an extra."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return told if isinstance(told, dict) and isinstance(told.get("moves"), list) else None


def _speaker(session: Session, found: Checked) -> Callable[[Irregularity], Mapping[str, str]]:
    """What ``check`` says of an irregularity."""
    from kifuwatch.cli.check import sentence

    def say(each: Irregularity) -> Mapping[str, str]:
        return dict.fromkeys(("en", "zh"), sentence(session, found, each))

    return say


def _finder(folder: Path | None) -> Callable[[str], bytes | None]:
    """Pictures of a folder by name; names that lead out of it find nothing."""

    def find(name: str) -> bytes | None:
        if folder is None or Path(name).name != name:
            return None
        try:
            return (folder / name).read_bytes()
        except OSError:
            return None

    return find
