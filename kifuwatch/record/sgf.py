"""The game as an SGF file (FF[4]), whole after every move."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from sgfmill import sgf

from kifuwatch.arbiter.alerts import Alert
from kifuwatch.arbiter.clock.time_control import TimeControl, parse_control
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Colour, Point
from kifuwatch.core.text import one_line
from kifuwatch.reconstruct.events import INFO, Event, Gap, Move
from kifuwatch.record.files import check_writable, write_whole
from kifuwatch.record.lines import GameRecord
from kifuwatch.rules import RuleSet

MOST_KOMI = 400  # more points than a board of 19 lines has


@dataclass(frozen=True)
class GameInfo:
    """What is known of a game beside its moves.

    ``date`` as YYYY-MM-DD; ``komi`` in points, None for that of the rules; ``handicap`` in stones; ``time`` as
    :func:`kifuwatch.arbiter.clock.parse_control` reads it. Raises UsageError for a komi that no game can have, or a
    time control that is none.
    """

    black: str = ""
    white: str = ""
    event: str = ""
    date: str = ""
    komi: float | None = None
    handicap: int = 0
    time: str = ""

    def __post_init__(self) -> None:
        for name in ("black", "white", "event"):
            object.__setattr__(self, name, one_line(getattr(self, name)))
        if self.time:
            parse_control(self.time)
        if self.komi is not None and not abs(self.komi) <= MOST_KOMI:  # this way round, because nan is no number
            raise UsageError(f"a komi of {self.komi:g} cannot be: it lies between -{MOST_KOMI} and {MOST_KOMI} points")


def to_sgf(record: GameRecord, rules: RuleSet, info: GameInfo) -> bytes:
    """The record as an SGF file in UTF-8.

    Times, moves whose order was worked out, and alerts stand in the comments; a move that is illegal and stands is
    marked ``KO[]``, as SGF asks. Stones of the start stand in the root, never in the node of a move.
    """
    game = sgf.Sgf_game(record.size, encoding="UTF-8")
    _root(game.get_root(), record, rules, info)
    notes: dict[int, list[str]] = {}
    for gap in record.gaps:
        notes.setdefault(record.move_after(gap), []).append(_gap_comment(gap))
    for alert in record.alerts:
        if alert.level != INFO:
            notes.setdefault(min(alert.move, len(record.moves)), []).append(f"{alert.text_en}\n{alert.text_zh}")
    if 0 in notes:
        game.get_root().set("C", "\n".join(notes[0]))
    for move in record.moves:
        node = game.extend_main_sequence()
        node.set_move(move.colour.value.lower(), _pair(move.at) if move.at else None)
        if move.faults:
            node.set_raw("KO", b"")
        node.set("C", "\n".join([_comment(move), *notes.get(move.number, [])]))
    content: bytes = game.serialise()
    return content


def _root(root: sgf.Tree_node, record: GameRecord, rules: RuleSet, info: GameInfo) -> None:
    root.set("AP", ("kifuwatch", version("kifuwatch")))
    root.set("RU", rules.sgf_name)
    root.set("KM", float(rules.komi if info.komi is None else info.komi))
    if info.handicap >= 2:
        root.set("HA", info.handicap)
    for name, text in (("PB", info.black), ("PW", info.white), ("EV", info.event), ("DT", info.date)):
        if text:
            root.set(name, " ".join(text.split()))
    if info.time:
        write_control(root, parse_control(info.time))
    if record.black:
        root.set("AB", {_pair(p) for p in record.black})
    if record.white:
        root.set("AW", {_pair(p) for p in record.white})
    first = record.first_to_play
    if first is not None and (record.black or record.white or first is Colour.WHITE):
        root.set("PL", first.value.lower())


def write_control(root: sgf.Tree_node, control: TimeControl) -> None:
    """``TM`` and ``OT`` of a game."""
    limit, over = control.to_sgf()
    root.set("TM", float(limit))
    if over:
        root.set("OT", over)


def _pair(point: Point) -> tuple[int, int]:
    """A point as sgfmill counts it: (row from below, column)."""
    return point.row, point.col


def _comment(move: Move) -> str:
    words = [_clock(move.t)]
    if move.inferred:
        words.append("inferred order")
    if move.faults:
        words.append("stands although: " + ", ".join(f.replace("_", " ") for f in move.faults))
    return "; ".join(words)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{int(minutes)}:{rest:04.1f}"


def _gap_comment(gap: Gap) -> str:
    return f"not seen from {_clock(gap.t)} to {_clock(gap.until)}: {gap.reason}"


class SgfFile:
    """Keeps an SGF file up to date with the events of a game.

    Raises OutputError at once when the file exists (unless ``force``) or cannot be written.
    """

    def __init__(
        self, path: Path, size: int, rules: RuleSet, info: GameInfo | None = None, force: bool = False
    ) -> None:
        check_writable(path, force)
        self.path = path
        self.record = GameRecord(size)
        self._rules = rules
        self._info = info or GameInfo()

    def add(self, event: Event | Alert) -> None:
        """Take one event or alert in; the file is written anew when it changes the record."""
        if self.record.add(event):
            self.save()

    def save(self) -> None:
        """Write the file as the record stands. Raises OutputError when it cannot be written."""
        write_whole(self.path, to_sgf(self.record, self._rules, self._info))

    def describe(self, info: GameInfo) -> None:
        """Replace what is known of the game beside its moves."""
        self._info = replace(info)
        self.save()
