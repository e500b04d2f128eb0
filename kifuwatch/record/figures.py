"""A game in figures, as kifu are printed: fifty numbered moves each, and below what found its point taken.

A figure shows the stones that lay there when it begins, and every move of it, whether or not its stone was captured
later. A move on a point where a stone is drawn already stands below: ``25 = at 12``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kifuwatch.arbiter.inspection import named
from kifuwatch.core.points import EMPTY, Colour, Layout, Point
from kifuwatch.record.board_svg import BoardPicture
from kifuwatch.rules import Game

MOVES = 50


@dataclass(frozen=True)
class Turn:
    """One move of the line; ``point`` None is a pass."""

    number: int
    colour: Colour
    point: Point | None


Step = Turn | Mapping[Point, str]
"""A move, or stones put down and taken off (what lies on each point afterwards)."""


@dataclass(frozen=True)
class Below:
    """A line below a figure: move ``number`` is at a point where ``label`` is drawn (a move number or the name of the
    point), or, without a label, a pass."""

    number: int
    colour: Colour
    label: str = ""


@dataclass(frozen=True)
class Figure:
    """Moves ``first`` to ``last`` on a board, what stands below it, and how many stones of each colour came off."""

    first: int
    last: int
    picture: BoardPicture
    below: tuple[Below, ...]
    captured: Mapping[Colour, int]


@dataclass
class _Drawing:
    base: Layout
    layout: Layout
    turns: list[Turn] = field(default_factory=list)
    labels: dict[Point, str] = field(default_factory=dict)
    below: list[Below] = field(default_factory=list)
    captured: dict[Colour, int] = field(default_factory=lambda: dict.fromkeys(Colour, 0))

    def add(self, turn: Turn) -> None:
        self.turns.append(turn)
        if turn.point is None:
            self.below.append(Below(turn.number, turn.colour))
        elif not (0 <= turn.point.col < self.layout.size and 0 <= turn.point.row < self.layout.size):
            self.below.append(Below(turn.number, turn.colour, named(turn.point)))
        elif self.layout[turn.point] != EMPTY:
            self.below.append(Below(turn.number, turn.colour, self.labels.get(turn.point, str(turn.point))))
        else:
            self.layout = self.layout.replaced({turn.point: turn.colour.cell})
            self.labels[turn.point] = str(turn.number)

    def figure(self, last: Point | None) -> Figure:
        first, final = self.turns[0].number, self.turns[-1].number
        picture = BoardPicture(self.layout, last, self.labels, title=f"{first}–{final}")
        return Figure(first, final, picture, tuple(self.below), self.captured)


def figures(start: Layout, steps: Sequence[Step], every: int = MOVES) -> list[Figure]:
    """The figures of a line that begins with ``start``. Stones put down anew begin another figure."""
    found = list(_drawings(start, steps, every))
    return [drawing.figure(_last(drawing) if drawing is found[-1] else None) for drawing in found]


def position_after(start: Layout, steps: Sequence[Step]) -> Layout:
    """The board after all steps, played by the rules as they stand, legal or not."""
    game = Game.of(start, Colour.BLACK)
    for step in steps:
        game = _play(game, step)
    return game.position.layout


def _drawings(start: Layout, steps: Sequence[Step], every: int) -> Iterator[_Drawing]:
    game = Game.of(start, Colour.BLACK)
    drawing = _Drawing(start, start)
    for step in steps:
        if drawing.turns and (not isinstance(step, Turn) or step.number % every == 1 or every == 1):
            yield drawing
            drawing = _Drawing(game.position.layout, game.position.layout)
        game = _play(game, step)
        if isinstance(step, Turn):
            drawing.add(step)
            play = game.plays[-1]
            drawing.captured[step.colour.opponent] += len(play.captured)
            drawing.captured[step.colour] += len(play.self_captured)
        else:
            drawing = _Drawing(game.position.layout, game.position.layout)
    if drawing.turns:
        yield drawing


def _play(game: Game, step: Step) -> Game:
    if isinstance(step, Turn):
        return game.play(step.colour, step.point)
    return Game.of(game.position.layout.replaced(dict(step)), game.position.to_play)


def _last(drawing: _Drawing) -> Point | None:
    point = drawing.turns[-1].point
    return point if point in drawing.labels else None
