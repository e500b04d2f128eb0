"""A game that was recorded before: what is known of it, and how the record goes on from there.

After a crash, a power cut, a restart, or for an adjourned game. What the camera sees first is then not a first
position but the board after a gap: nothing is recorded twice, and what changed meanwhile is explained like anything
that nobody saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from kifuwatch.core.points import EMPTY, HIDDEN, Colour, Layout, Point
from kifuwatch.reconstruct.events import BoardFound, Event, Move, Retract, Setup
from kifuwatch.reconstruct.ledger import Ledger
from kifuwatch.reconstruct.settle import SettleFilter
from kifuwatch.reconstruct.situation import Deviation, Recorded
from kifuwatch.reconstruct.stories import Arrival, Step
from kifuwatch.vision.observation import CELLS


@dataclass(frozen=True)
class KnownGame:
    """A game up to ``time`` (seconds, of the clock that goes on): the stones it began with, and its moves in order.

    ``to_play``: the colour of the first move, None where nothing has told. ``visible``: the board as it lay last, None
    where only the moves tell; ``deviations``: where it is known to differ from what the rules see. ``complete``: the
    stones of the start were put down one by one and are all there.
    """

    start: Layout
    moves: tuple[Move, ...] = ()
    to_play: Colour | None = None
    time: float = 0.0
    visible: Layout | None = None
    deviations: Mapping[Point, Deviation] = field(default_factory=dict)
    complete: bool = False

    @classmethod
    def of(cls, events: Iterable[Event], time: float) -> KnownGame | None:
        """The game that these events have told, later ones taking back earlier ones; None where no board was found
        yet."""
        start: Layout | None = None
        moves: list[Move] = []
        to_play: Colour | None = None
        for event in events:
            if isinstance(event, BoardFound) and start is None:
                start = Layout.empty(event.size)
            elif isinstance(event, Setup) and start is not None:
                stones = {p: Colour.BLACK.cell for p in event.black} | {p: Colour.WHITE.cell for p in event.white}
                start, to_play = Layout.empty(start.size).replaced(stones), event.to_play or to_play
            elif isinstance(event, Move):
                moves.append(event)
            elif isinstance(event, Retract):
                del moves[event.number - 1 :]
        return None if start is None else cls(start, tuple(moves), to_play, time)


def take_up(ledger: Ledger, game: KnownGame) -> None:
    """Make the record what is known of the game. Nothing is told: it has been told before."""
    first = game.moves[0].colour if game.moves else game.to_play
    ledger.now, ledger.complete = game.time, game.complete
    ledger.begin(game.start, first)
    for move in game.moves:
        ledger.game = ledger.game.play(move.colour, move.at)
        ledger.records.append(Recorded(Step(move.colour, move.at, _arrival(move), move.inferred), move, None))
    model = ledger.board
    seen = game.visible if game.visible is not None else _lying(model, game.deviations)
    ledger.deviations = {p: d for p, d in game.deviations.items() if seen[p] == d.cell != model[p]}
    _remember(ledger.view, seen, game.time)
    ledger.visible = ledger.view.layout()


def _arrival(move: Move) -> Arrival | None:
    """The stone of a move as it must have been seen."""
    if move.at is None:
        return None
    earliest = float("-inf") if move.not_before is None else move.not_before
    left = float("-inf") if move.left_after is None else move.left_after
    return Arrival(move.at, move.colour, move.t, earliest, left_after=left)


def _lying(model: Layout, deviations: Mapping[Point, Deviation]) -> Layout:
    return model.replaced({point: deviation.cell for point, deviation in deviations.items()})


def _remember(view: SettleFilter, seen: Layout, time: float) -> None:
    """The state of a filter that has looked at this board until ``time``; what is hidden has never been seen."""
    known = np.array([cell != HIDDEN for cell in seen.cells])
    view.cell[:] = [CELLS.index(cell) if cell != HIDDEN else -1 for cell in seen.cells]
    for array in (view.since, view.not_before, view.agreed, view.clear):
        array[known] = time
    for array in (view.surest, view.free, view.free_before):
        array[known] = 1.0
    view.held[known, view.cell[known]] = 1.0
    view.now = time


def expected(game: KnownGame) -> Layout:
    """The board as it should lie: as it lay last, or as the moves have it."""
    if game.visible is not None:
        return game.visible.replaced({p: EMPTY for p in game.visible.points(HIDDEN)})
    from kifuwatch.rules import Game

    played = Game.of(game.start, game.moves[0].colour if game.moves else game.to_play or Colour.BLACK)
    for move in game.moves:
        played = played.play(move.colour, move.at)
    return _lying(played.position.layout, game.deviations)
