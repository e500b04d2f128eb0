"""A record gone through move by move: every irregularity of it, as facts, and what the code in force says to each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from kifuwatch.arbiter.code import Code
from kifuwatch.core.points import COLUMNS, EMPTY, Colour, Layout, Point
from kifuwatch.rules import Fault, Game, Play

SETUP = "setup"
KINDS = ("simpleko", "psk", "ssk", "suic1", "suicN", "occ", "samecol")
"""What is counted: simple ko, position repeated, repeated with the same colour to play, suicide of one and of more,
a stone on an occupied point, the same colour twice in a row."""


@dataclass(frozen=True)
class PutDown:
    """Stones put down or taken off without a move (SGF ``AB``, ``AW``, ``AE``, ``PL``)."""

    black: tuple[Point, ...] = ()
    white: tuple[Point, ...] = ()
    empty: tuple[Point, ...] = ()
    to_play: Colour | None = None


@dataclass(frozen=True)
class Played:
    """A move as a record has it: ``point`` None is a pass."""

    colour: Colour
    point: Point | None


Step = PutDown | Played


@dataclass(frozen=True)
class Irregularity:
    """One thing that is wrong with a record.

    ``move``: the number of the move, 0 for the start. ``code``: an alert code, or ``occupied``, ``off-board``.
    ``kinds``: which of :data:`KINDS` it is; ``facts`` say more, in figures. ``forbidden``: whether the code in force
    forbids it; ``article`` and ruling are what it says.
    """

    move: int
    code: str
    colour: Colour | None
    at: tuple[Point, ...]
    kinds: tuple[str, ...] = ()
    facts: dict[str, object] = field(default_factory=dict)
    forbidden: bool = True
    article: str = ""
    ruling_en: str = ""
    ruling_zh: str = ""


@dataclass(frozen=True)
class Inspection:
    """What going through a record has found; ``game`` is its line since the stones were last put down anew."""

    irregularities: tuple[Irregularity, ...]
    counts: dict[str, int]
    moves: int
    passes: int
    captures: dict[Colour, int]
    """Stones of each colour that came off."""
    game: Game


def inspect(steps: Iterable[Step], size: int, code: Code, handicap: int = 0, cut: bool = False) -> Inspection:
    """Go through a record under a code.

    ``handicap``: the stones that it says Black was given; ``cut``: its beginning is not known to be whole.
    """
    return _Inspector(size, code, handicap, cut).run(list(steps))


class _Inspector:
    def __init__(self, size: int, code: Code, handicap: int, cut: bool) -> None:
        self._size, self._code, self._handicap, self._cut = size, code, handicap, cut
        self._found: list[Irregularity] = []
        self._counts = dict.fromkeys(KINDS, 0)
        self._captures = {Colour.BLACK: 0, Colour.WHITE: 0}
        self._number = self._passes = 0
        self._game = Game.empty(size)

    def run(self, steps: Sequence[Step]) -> Inspection:
        start = next((i for i, step in enumerate(steps) if isinstance(step, Played)), len(steps))
        self._begin([step for step in steps[:start] if isinstance(step, PutDown)], steps[start:])
        for step in steps[start:]:
            if isinstance(step, Played):
                self._play(step)
            else:
                self._set_up(step)
        return Inspection(
            tuple(self._found), self._counts, self._number, self._passes, dict(self._captures), self._game
        )

    # The start, and stones put down later

    def _begin(self, before: Sequence[PutDown], rest: Sequence[Step]) -> None:
        layout, wanted = Layout.empty(self._size), None
        for step in before:
            layout = self._laid(layout, step)
            wanted = step.to_play or wanted
        first = next((step.colour for step in rest if isinstance(step, Played)), wanted or self._code.first)
        self._game = Game.of(layout, first)
        self._check_stones(layout)
        self._check_handicap(layout)
        if wanted is not None and wanted is not first:
            self._note(SETUP, first, (), said_to_play=wanted.value)
        elif rest and first is not self._code.first and self._plain_start(layout):
            began = next(step for step in rest if isinstance(step, Played))
            at = (began.point,) if began.point is not None and self._on_board(began.point) else ()
            self._note(SETUP, first, at, first=first.value)
            self._found[-1] = replace(self._found[-1], move=1)  # it is the first move that is wrong, not the board

    def _plain_start(self, layout: Layout) -> bool:
        """Whether nothing speaks for another colour to begin than the code says."""
        return layout == Layout.empty(self._size) and not self._handicap and not self._cut

    def _set_up(self, step: PutDown) -> None:
        """Stones put down in mid-game: the position is a new one, and repetition is known only from here."""
        if not (step.black or step.white or step.empty):
            if step.to_play is not None and step.to_play is not self._game.position.to_play:
                self._game = Game.of(self._game.position.layout, step.to_play)
            return
        layout = self._laid(self._game.position.layout, step)
        self._game = Game.of(layout, step.to_play or self._game.position.to_play)
        self._check_stones(layout)

    def _laid(self, layout: Layout, step: PutDown) -> Layout:
        cells: dict[Point, str] = {}
        for points, cell in ((step.empty, EMPTY), (step.black, "X"), (step.white, "O")):
            for point in points:
                if not self._on_board(point):
                    self._note(SETUP, Colour.of_cell(cell), (), off_board=named(point))
                elif point in cells and cells[point] != cell:
                    self._note(SETUP, Colour.of_cell(cell), (point,), twice=str(point))
                cells[point] = cell
        return layout.replaced({point: cell for point, cell in cells.items() if self._on_board(point)})

    def _on_board(self, point: Point) -> bool:
        return 0 <= point.col < self._size and 0 <= point.row < self._size

    def _check_stones(self, layout: Layout) -> None:
        position = Game.of(layout, Colour.BLACK).position
        for colour in (Colour.BLACK, Colour.WHITE):
            for chain in position.chains_without_liberties(colour):
                self._note(SETUP, colour, tuple(sorted(chain)), without_liberties=len(chain))

    def _check_handicap(self, layout: Layout) -> None:
        stones = len(layout.points("X"))
        if self._handicap >= 2 and stones != self._handicap and not layout.points("O"):
            self._note(SETUP, Colour.BLACK, (), handicap=self._handicap, stones=stones)

    # Moves

    def _play(self, step: Played) -> None:
        self._number += 1
        if step.point is None:
            self._passes += 1
        self._game = self._game.play(step.colour, step.point)
        play = self._game.plays[-1]
        self._captures[step.colour.opponent] += len(play.captured)
        self._captures[step.colour] += len(play.self_captured)
        if play.faults:
            self._judge(play)

    def _judge(self, play: Play) -> None:
        faults, at = play.faults, (play.point,) if play.point else ()
        if Fault.OFF_BOARD in faults and play.point:
            self._note("off-board", play.colour, (), point=named(play.point))
        if Fault.OUT_OF_TURN in faults:
            self._note("two-moves", play.colour, at, ("samecol",))
        if Fault.OCCUPIED in faults:
            self._note("occupied", play.colour, at, ("occ",), stone=play.replaced.value if play.replaced else "")
        if Fault.SUICIDE in faults:
            self._judge_suicide(play, at)
        else:
            self._judge_repetition(play, at)

    def _judge_suicide(self, play: Play, at: tuple[Point, ...]) -> None:
        """Of one stone it leaves the board as it was, which is counted but is no incident of its own."""
        size = len(play.self_captured)
        kinds = ("suic1" if size == 1 else "suicN", *_repeats(play))
        self._note("forbidden-point", play.colour, at, kinds, Fault.SUICIDE, stones=size)

    def _judge_repetition(self, play: Play, at: tuple[Point, ...]) -> None:
        kinds = _repeats(play)
        facts: dict[str, object] = {}
        again = play.situational or play.positional
        if again is not None:
            offset = self._number - len(self._game)
            facts = {"cycle": again.cycle, "like_after_move": again.earlier + offset}
            facts["same_to_play"] = play.situational is not None
        if Fault.KO in play.faults:
            self._note("ko-violation", play.colour, at, ("simpleko", *kinds), Fault.KO, **facts)
        elif kinds:
            repeated = play.faults & (Fault.POSITIONAL_REPEAT | Fault.SITUATIONAL_REPEAT)
            cycle = again.cycle if again else 0
            facts["points"] = cycle_points(self._game, cycle)
            facts["captured"] = [len(each.captured) for each in self._game.plays[-cycle:]] if cycle else []
            self._note("repetition", play.colour, at, kinds, repeated, **facts)

    def _note(
        self,
        code: str,
        colour: Colour | None,
        at: tuple[Point, ...],
        kinds: tuple[str, ...] = (),
        fault: Fault = Fault.NONE,
        **facts: object,
    ) -> None:
        ruling = self._code.ruling_of(code, facts)
        for kind in kinds:
            self._counts[kind] += 1
        forbidden = not fault or bool(self._code.rules.forbidden(fault))
        article = ruling.article or ("" if not fault else self._code.articles.get(_ARTICLE_OF.get(code, ""), ""))
        found = Irregularity(self._number, code, colour, at, kinds, facts, forbidden, article, ruling.en, ruling.zh)
        self._found.append(found)


_ARTICLE_OF = {"ko-violation": "moves.ko", "forbidden-point": "moves.suicide", "repetition": "moves.repetition"}


def _repeats(play: Play) -> tuple[str, ...]:
    """Which of the kinds of repetition a move is."""
    repeats = {"psk": Fault.POSITIONAL_REPEAT, "ssk": Fault.SITUATIONAL_REPEAT}
    return tuple(kind for kind, fault in repeats.items() if fault in play.faults)


def cycle_points(game: Game, cycle: int) -> list[str]:
    """The points played on in the last ``cycle`` moves, in order, each once."""
    points = [play.point for play in game.plays[len(game) - cycle :] if play.point] if cycle else []
    return [str(point) for point in dict.fromkeys(points)]


def named(point: Point) -> str:
    """A point's name, even where it lies beyond the letters of the largest board."""
    known = 0 <= point.col < len(COLUMNS) and point.row >= 0
    return str(point) if known else f"column {point.col + 1}, row {point.row + 1}"
