"""What every command shares: the language, where it prints, and options that mean the same everywhere."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from kifuwatch.cli.texts import Language, Texts, load_texts
from kifuwatch.core.chinese import in_chinese
from kifuwatch.core.errors import OutputError, UsageError
from kifuwatch.core.outputs import check_apart, check_no_journal, named

if TYPE_CHECKING:
    from kifuwatch.calibration.pose import BoardPose

SIZES = ("9", "13", "19")
CORNERS = "--corners"
FOUR = 4  # corners of a board
_POSITION = re.compile(r"[-+]?[0-9.]+(e[-+]?\d+)?,[-+]?[0-9.]+(e[-+]?\d+)?")
WIDTH_OF_FILES = 160  # columns of tables that are written into a file or a pipe

LangOption = Annotated[
    Language | None,
    typer.Option("--lang", help="Language of what is printed; by default that of the system.", show_default=False),
]
DebugOption = Annotated[bool, typer.Option("--debug", help="Show where in the program a fault arose.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]
SizeOption = Annotated[
    str | None,
    typer.Option("--size", metavar="LINES", help="Lines of the board: 9, 13 or 19; found by itself when not given."),
]
CornersOption = Annotated[
    tuple[str, str, str, str] | None,
    typer.Option(
        CORNERS,
        metavar="X,Y X,Y X,Y X,Y",
        help="The four outermost grid points in pixels: top left, top right, bottom right, bottom left.",
        show_default=False,
    ),
]
BoardOption = Annotated[
    str | None,
    typer.Option(
        "--board",
        metavar="WHICH",
        help="Where several boards are in view: left, right, top, bottom, largest, smallest, or x,y in pixels on it.",
        show_default=False,
    ),
]
TimeOption = Annotated[str, typer.Option("--time", help="What is played with: 90m, 2h kept 5, 1h+3x30s, 1h+20s.")]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite files that exist.")]


@dataclass(frozen=True)
class Session:
    """One run of the command line: its language, and the consoles for results and for everything else."""

    texts: Texts
    out: Console
    notes: Console

    @classmethod
    def open(cls, language: Language | None = None) -> Session:
        """A session on standard output and standard error."""
        out = Console(highlight=False)
        if not out.is_terminal:
            out = Console(highlight=False, width=WIDTH_OF_FILES)
        return cls(load_texts(language), out, Console(stderr=True, highlight=False))

    def text(self, key: str, **values: object) -> str:
        """A sentence of the catalogue."""
        return self.texts(key, **values)

    def told(self, sentence: str) -> str:
        """A sentence of the library, which is English, in the language of the session."""
        return in_chinese(sentence) if self.texts.language is Language.ZH else sentence

    def show(self, *lines: str) -> None:
        """Print lines as they are, without any markup."""
        for line in lines:
            self.out.print(line, markup=False, soft_wrap=True)

    def warn(self, sentence: str) -> None:
        """One line on standard error, whatever line breaks the sentence holds, and in the language of the session, a
        fault of the library too; nobody is told once that is closed."""
        # Where there is no standard error, or it was closed, nobody can be told, and nothing else is to end for that.
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.write("kifuwatch: " + self.told(" ".join(sentence.split())) + "\n")
            sys.stderr.flush()

    def show_json(self, record: Mapping[str, object]) -> None:
        """Print one JSON object on one line."""
        sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")


def tell_boards(session: Session, poses: Sequence[BoardPose], asked: bool) -> None:
    """Where several boards are in view, say how many, and which was taken: the first of ``poses``."""
    if len(poses) < 2:
        return
    from kifuwatch.calibration.boards import whereabouts

    places = {
        "left": session.text("boards.left"),
        "right": session.text("boards.right"),
        "top": session.text("boards.top"),
        "bottom": session.text("boards.bottom"),
        "middle": session.text("boards.middle"),
    }
    words = {"count": len(poses), "place": places[whereabouts(poses, 0)], "size": poses[0].size}
    key = "boards.asked" if asked else "boards.largest"
    session.warn(session.text(key, **words))


def session_of(context: typer.Context) -> Session:
    """The session of a command."""
    session = context.obj
    assert isinstance(session, Session)
    return session


def parse_corners(given: tuple[str, str, str, str] | None) -> tuple[tuple[float, float], ...] | None:
    """``("10,20", ...)`` as pixel positions. Raises UsageError with one sentence."""
    return None if given is None else tuple(_parse_corner(text) for text in given)


def _parse_corner(text: str) -> tuple[float, float]:
    try:
        x, y = (float(part) for part in text.split(","))
    except ValueError:
        x = y = math.nan
    if not (math.isfinite(x) and math.isfinite(y)):
        raise UsageError(f"--corners: {text!r} is not a position: write x,y in pixels, like 412,80.5")
    return x, y


def check_corners_count(arguments: Sequence[str]) -> None:
    """Make sure that ``--corners`` is followed by four positions: what is short of them would be taken from the
    words behind. Raises UsageError."""
    if CORNERS not in arguments:
        return
    behind = arguments[arguments.index(CORNERS) + 1 :]
    given = list(takewhile(_POSITION.fullmatch, behind))
    if len(given) != FOUR and not any("," in word for word in behind[len(given) : FOUR]):
        raise UsageError(f"{CORNERS} needs four x,y pairs, and {len(given)} {'is' if len(given) == 1 else 'are'} given")


def check_size(size: str | None) -> int | None:
    """A size that boards have. Raises UsageError."""
    if size is not None and size not in SIZES:
        raise UsageError(f"--size: {size} is not a size of board that is read: choose 9, 13 or 19")
    return None if size is None else int(size)


def check_fps(fps: float | None) -> float | None:
    """A rate of frames. Raises UsageError."""
    if fps is not None and not 0 < fps < math.inf:
        raise UsageError(f"--fps must be above 0, and is {fps:g}")
    return fps


def check_outputs(outputs: Mapping[str, Path | None], force: bool, inputs: Iterable[Path | None] = ()) -> None:
    """Make sure that files can be written, before any work is done for them.

    ``outputs`` go by their options. Raises UsageError for one that would replace one of ``inputs``, a journal or
    another output, whatever ``force`` says; OutputError for one that exists, unless ``force``, or cannot be written.
    """
    check_apart(outputs, inputs)
    for option, path in outputs.items():
        if path is not None:
            _check_output(path, force, option)


def _check_output(path: Path, force: bool, option: str) -> None:
    if path.is_dir():
        raise OutputError(f"{named(option, path)} is a folder, not a file")
    check_no_journal(option, path)
    if path.exists() and not force:
        raise OutputError(f"{named(option, path)} exists already: add --force to overwrite it")
    folder = path.absolute().parent
    if not folder.is_dir():
        raise OutputError(f"{named(option, path)} cannot be written: there is no folder {folder}")
    probe = folder / f".{path.name}.probe"
    try:
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError as error:
        raise OutputError(f"{named(option, path)} cannot be written ({error.strerror})") from error
