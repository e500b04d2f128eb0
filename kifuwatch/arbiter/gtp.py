"""An engine that speaks GTP (GNU Go, KataGo), asked which stones are dead. None is needed: it is a second opinion."""

from __future__ import annotations

import re
import shlex
import subprocess

from kifuwatch.core.errors import InputError
from kifuwatch.core.points import Colour, Layout, Point

PATIENCE = 60.0
_QUESTION = 9999
_ANSWER = re.compile(rf"^([=?]){_QUESTION}\b(.*?)(?:\n\s*\n|\Z)", re.DOTALL | re.MULTILINE)


def ask_dead(command: str, layout: Layout, patience: float = PATIENCE) -> frozenset[Point]:
    """The stones that an engine holds for dead; ``command`` starts it, like ``gnugo --mode gtp``.

    ``patience`` in seconds. The stones are put down one by one: on the way to a legal board nothing is captured.
    Raises InputError with one sentence when the engine cannot be started, does not answer, or does not know.
    """
    lines = [f"boardsize {layout.size}", "clear_board"]
    for colour in Colour:
        lines += [f"play {colour.value.lower()} {point}" for point in layout.points(colour.cell)]
    lines += [f"{_QUESTION} final_status_list dead", "quit"]
    try:
        done = subprocess.run(
            shlex.split(command),
            input="\n".join(lines) + "\n",
            capture_output=True,
            text=True,
            timeout=patience,
            check=False,
        )
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"the engine {command!r} cannot be started ({reason})") from error
    except (ValueError, IndexError) as error:
        raise InputError(f"the engine {command!r} cannot be started: it is no command") from error
    except subprocess.TimeoutExpired as error:
        raise InputError(f"the engine {command!r} gave no answer within {patience:g} seconds") from error
    found = _ANSWER.search(done.stdout)
    if found is None:
        raise InputError(f"the engine {command!r} did not answer which stones are dead: does it speak GTP?")
    if found.group(1) == "?":
        raise InputError(f"the engine {command!r} cannot say which stones are dead:{found.group(2)}")
    try:
        return frozenset(Point.parse(word) for word in found.group(2).split())
    except ValueError as error:
        raise InputError(f"the engine {command!r} named as dead what is no point: {error}") from error
