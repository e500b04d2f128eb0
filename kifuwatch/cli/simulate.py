"""``kifuwatch simulate``: a clip of what a scenario says, filmed without a camera."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from kifuwatch.cli.session import DebugOption, ForceOption, LangOption, check_outputs, session_of
from kifuwatch.core.errors import UsageError
from kifuwatch.core.outputs import same_place

EXAMPLES = """[bold]Examples[/bold]

  kifuwatch simulate ko.scenario.json ko-film.mp4         # its truth: ko-film.scenario.json
  kifuwatch simulate ko.scenario.json ko-2.mp4 --seed 2   # another board, light and camera
"""


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("simulate", epilog=EXAMPLES)(simulate)


def simulate(
    context: typer.Context,
    scenario: Annotated[Path, typer.Argument(help="What happens: a *.scenario.json.", metavar="SCENARIO")],
    clip: Annotated[Path, typer.Argument(help="The video to write: .mp4, .avi or .webm.", metavar="OUT")],
    seed: Annotated[int, typer.Option("--seed", min=0, help="Another seed: another board, light, camera.")] = 0,
    force: ForceOption = False,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> None:
    """Film a scenario without a camera: hands place, take and shift stones; the truth is written beside the clip."""
    from kifuwatch.datasets import simulate as simulation

    session = session_of(context)
    truth = simulation.truth_path(clip)
    there = [scenario] if scenario.exists() else []  # what is not there is told when it is read
    if there and same_place(truth, scenario):
        other = clip.with_stem(f"{clip.stem}-film").name
        raise UsageError(f"the truth of {clip} would replace the scenario {scenario}: name the clip {other}, say")
    check_outputs({"the clip": clip, "the truth": truth}, force, there)
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    # Where there is no terminal a bar would leave an empty line behind, before the one sentence of a fault.
    terminal = session.notes.is_terminal
    with Progress(*columns, console=session.notes, transient=True, disable=not terminal) as bar:
        task = bar.add_task(session.text("simulate.progress"), total=None)
        simulation.simulate(scenario, clip, seed, progress=lambda done, of: bar.update(task, completed=done, total=of))
    session.show(session.text("simulate.clip", path=clip), session.text("simulate.truth", path=truth))
