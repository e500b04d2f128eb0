"""``kifuwatch evaluate``: how well boards are found, stones read and games recorded, on labelled data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from kifuwatch.cli.session import DebugOption, JsonOption, LangOption, Session, session_of
from kifuwatch.core.errors import UsageError

if TYPE_CHECKING:
    from kifuwatch.datasets.evaluate import Evaluation
    from kifuwatch.datasets.evaluate_games import GameFigures, GameResult
    from kifuwatch.datasets.evaluate_photos import PhotoFigures
    from kifuwatch.vision.sources import FrameSource

EXAMPLES = """[bold]Examples[/bold]

  kifuwatch evaluate photos/
  kifuwatch evaluate photos/manifest.jsonl clips/ --json
  kifuwatch evaluate photos/manifest.jsonl --given-corners
  kifuwatch evaluate clips/ko.scenario.json --details
  kifuwatch evaluate library/ --results results.jsonl --by light --by elevation
"""


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("evaluate", epilog=EXAMPLES)(evaluate)


def evaluate(
    context: typer.Context,
    data: Annotated[
        list[Path],
        typer.Argument(help="Folders, manifest.jsonl, *.scenario.json or sequences/*.json.", metavar="DATA..."),
    ],
    as_json: JsonOption = False,
    given_corners: Annotated[
        bool, typer.Option("--given-corners", help="Read photographs at their labelled corners: judge stones alone.")
    ] = False,
    details: Annotated[bool, typer.Option("--details", help="List each photograph and each game.")] = False,
    results: Annotated[
        Path | None,
        typer.Option("--results", metavar="FILE", help="Keep the result of each clip here, and go on from there."),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            metavar="CONDITION",
            help="Split clips by this too: elevation, light, size, pitch.",
            show_default=False,
        ),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", min=1, max=256, help="So many clips at once.")] = 1,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> None:
    """Hold what is read and recorded against labelled photographs and clips; figures are split by source."""
    from kifuwatch.datasets.evaluate import Evaluator
    from kifuwatch.datasets.kept_results import KeptResults
    from kifuwatch.datasets.labelled import find_labelled

    session = session_of(context)
    labelled = find_labelled(data)
    total = len(labelled.photos) + len(labelled.scenarios) + len(labelled.sequences)
    with _bar(session) as bar:
        task = bar.add_task(session.text("evaluate.progress"), total=total, item="")
        done = iter(range(total + 1))

        def progress(name: str) -> None:
            bar.update(task, completed=next(done), item=name[-40:])

        kept = KeptResults(results) if results else None
        result = Evaluator(record_events, given_corners, progress, kept, jobs).run(labelled)
        bar.update(task, completed=total, item="")
    if as_json:
        session.show_json(result.to_json())
    else:
        _show(session, result, details, _conditions(result, by or []))


def record_events(source: str | FrameSource, rules: str) -> list[dict[str, Any]]:
    """A source recorded to its end, as the lines of GAME.jsonl."""
    from kifuwatch import api
    from kifuwatch.record import event_line

    return [event_line(event) for event in api.record(source, rules=rules).events]


def _bar(session: Session) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[item]}", markup=False),
        console=session.notes,
        transient=True,
        disable=not session.notes.is_terminal,
    )


def _conditions(result: Evaluation, wanted: Sequence[str]) -> Sequence[str]:
    """The conditions to split clips by. Raises UsageError for one that no clip names."""
    for name in wanted:
        if name not in result.conditions:
            known = ", ".join(result.conditions) or "none"
            raise UsageError(f"--by: no clip says anything of {name!r}; what they name is: {known}")
    return wanted


def _show(session: Session, result: Evaluation, details: bool, by: Sequence[str] = ()) -> None:
    if result.photos:
        session.out.print(_photo_table(session, result))
        session.show(session.text("evaluate.note"), "")
        if details:
            session.show(*(_photo_line(session, each.to_json()) for each in result.photos), "")
    for key, games, figures in (
        ("clips", result.clips, result.clip_figures),
        ("sequences", result.sequences, result.sequence_figures),
    ):
        if games:
            session.out.print(_game_table(session, key, *figures()))
            for name in by if key == "clips" else ():
                session.out.print(_game_table(session, key, *result.figures_by(name), title=name))
            if details:
                session.show(*(_game_line(session, each) for each in games), "")
    session.show(session.text("evaluate.memory", megabytes=round(result.peak_megabytes)))


def _photo_line(session: Session, result: dict[str, Any]) -> str:
    if not result["found"]:
        return session.text("evaluate.photo_not_found", id=result["id"], why=session.told(result["why"]))
    if not result["errors"]:
        return session.text("evaluate.photo_right", id=result["id"])
    return session.text("evaluate.photo_wrong", id=result["id"], errors=result["errors"], why=result["why"])


def _game_line(session: Session, game: GameResult) -> str:
    counts = {"right": game.right, "expected": game.expected, "reported": game.reported}
    state = game.fault or session.text("evaluate.game_moves", **counts)
    state += f" ({game.first_fault})" if game.first_fault else ""
    false = [session.text("evaluate.game_false", code=a.code, seconds=f"{a.seconds:g}") for a in game.false_alerts]
    missed = [session.text("evaluate.game_missed", what=each) for each in game.missed]
    return "; ".join([f"{game.id}: {state}", *missed, *false])


def _table(session: Session, title: str, columns: Sequence[str]) -> Table:
    table = Table(title=session.text(f"evaluate.{title}"), title_justify="left", box=SIMPLE_HEAD, padding=(0, 2, 0, 0))
    for place, column in enumerate(columns):
        heading = session.text(f"evaluate.{column}")
        table.add_column(heading, justify="right" if place else "left", no_wrap=not place)
    return table


def _fill(session: Session, table: Table, rows: Sequence[tuple[str, Sequence[str]]], total: Sequence[str]) -> Table:
    for place, (name, cells) in enumerate(rows, 1):
        table.add_row(name, *cells, end_section=place == len(rows))
    table.add_row(session.text("evaluate.all"), *total)
    return table


def _photo_table(session: Session, result: Evaluation) -> Table:
    columns = ("source", "boards", "found", "read", "errors", "wrong_size", "confident", "cpu")
    groups, total = result.photo_figures()
    rows = [(name, _photo_cells(figures)) for name, figures in groups.items()]
    return _fill(session, _table(session, "photos", columns), rows, _photo_cells(total))


def _photo_cells(figures: PhotoFigures) -> list[str]:
    record = figures.to_json()
    return [
        str(figures.boards),
        _counted(figures.found, record["found_share"]),
        _counted(figures.read, record["read_share"]),
        "-" if record["errors_a_point"] is None else f"{record['errors_a_point']:.4%}",
        str(figures.wrong_size),
        str(figures.confidently_wrong),
        f"{figures.cpu_median:.2f} / {figures.cpu_longest:.2f}",
    ]


GAME_COLUMNS = ("games", "exact", "moves", "extra", "finals", "cost", "met", "false", "delay", "speed")
OF_CLIPS = ("met", "false", "delay", "speed")  # a series of photographs has no times and no expected alerts


def _game_table(
    session: Session, kind: str, groups: dict[str, GameFigures], total: GameFigures, title: str | None = None
) -> Table:
    wanted = [name for name in GAME_COLUMNS if kind == "clips" or name not in OF_CLIPS]
    cells = {name: _game_cells(figures) for name, figures in groups.items()}
    rows = [(name, [each[column] for column in wanted]) for name, each in cells.items()]
    table = _table(session, kind, ["kind", *wanted])
    if title:
        table.title = f"{session.text('evaluate.clips')}: {title}"
    return _fill(session, table, rows, [_game_cells(total)[column] for column in wanted])


def _game_cells(figures: GameFigures) -> dict[str, str]:
    record = figures.to_json()
    return {
        "games": str(figures.games),
        "exact": str(figures.exact),
        "moves": f"{figures.right}/{figures.expected}",
        "extra": str(figures.extra),
        "finals": str(figures.finals_right),
        "met": f"{figures.alerts_met}/{figures.alerts_expected}",
        "false": f"{figures.alerts_false} ({_or_dash(record['alerts_false_an_hour'])})",
        "delay": f"{_or_dash(record['delay_seconds_median'])} / {_or_dash(record['delay_seconds_p95'])}",
        "cost": _or_dash(record["cpu_over_decoding"]),
        "speed": _or_dash(record["speed"]),
    }


def _counted(count: int, share: object) -> str:
    return str(count) if share is None else f"{count} ({share:.1%})"


def _or_dash(value: object) -> str:
    return "-" if value is None else str(value)
