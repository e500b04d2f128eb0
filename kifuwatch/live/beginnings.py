"""Games that do not begin on an empty board: handicap and corner stones, and adjourned games.

While the stones are being put down nothing on the board is a move; when it shows what was agreed on, the game begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from kifuwatch.arbiter.inspection import Played, PutDown, Step
from kifuwatch.core.errors import FileFormatError, UsageError
from kifuwatch.core.points import BLACK, EMPTY, HIDDEN, WHITE, Colour, Layout, Point
from kifuwatch.live.setup import LONGEST_TEXT, MOST_HANDICAP, GameSetup
from kifuwatch.reconstruct import Event, Incident, Move, Setup
from kifuwatch.reconstruct.customs import corner_stones
from kifuwatch.reconstruct.resuming import KnownGame, expected
from kifuwatch.record.sgf_game import SgfGame, game_of_bytes
from kifuwatch.rules import Game
from kifuwatch.vision.observation import Observation

RESTS = 0.7
"""Seconds for which the board has to show what was agreed on."""
SURE = 0.8
"""A point read less surely counts as not seen."""
MOST_HIDDEN = 0.05
"""Of the points at most may be hidden then."""
GIVEN_UP = 20.0
"""Seconds after which a board that is nearly as it should be, and rests, is played on."""
MOST_MOVES = 2000
"""More than this are in no game, and would take long to play through."""
NEARLY = 4
"""Points in which it may differ then."""


Missing = Callable[[Layout], Sequence[Point] | None]
"""The points of a board that are not as agreed on; None: they are still being put down."""


class GameStory(Protocol):
    """What the recorder and its pauses need of a story."""

    def see(self, observation: Observation) -> Sequence[Event]: ...  # noqa: D102
    def hold(self, time: float, reason: str = ...) -> None: ...  # noqa: D102
    def resume(self, time: float) -> Sequence[Event]: ...  # noqa: D102
    def finish(self, time: float) -> Sequence[Event]: ...  # noqa: D102


class AwaitedStart:
    """A story that begins when the board shows what it should, or when it nearly does for long, which is an incident
    ``code`` then. ``first``: what is told at once."""

    def __init__(self, story: GameStory, missing: Missing, code: str, first: Sequence[Event] = ()) -> None:
        self._story, self._missing, self._code, self._first = story, missing, code, list(first)
        self._since: float | None = None
        self._lies: Layout | None = None
        self.waiting = True

    def see(self, observation: Observation) -> Sequence[Event]:
        """Wait, or pass on."""
        told, self._first = self._first, []
        if not self.waiting:
            return [*told, *self._story.see(observation)]
        lies, now = observation.layout(SURE), observation.time.seconds
        if lies.cells.count(HIDDEN) > MOST_HIDDEN * len(lies.cells) or lies != self._lies:
            self._since, self._lies = now, lies
            return told
        assert self._since is not None
        wrong, rested = self._missing(lies), now - self._since
        if wrong is None or len(wrong) > NEARLY or rested < (GIVEN_UP if wrong else RESTS):
            return told
        if wrong:
            differs = Incident(now, now, self._code, tuple(wrong), 0, facts={"points": str(len(wrong))})
            told.append(differs)
        return [*told, *self._begin(observation)]

    def _begin(self, observation: Observation) -> Sequence[Event]:
        self.waiting = False
        return [*self._story.resume(observation.time.seconds), *self._story.see(observation)]

    def hold(self, time: float, reason: str = "the board was not in view") -> None:
        """The picture says nothing of the board; while it is waited for, that changes nothing."""
        self._since = self._lies = None
        if not self.waiting:
            self._story.hold(time, reason)

    def resume(self, time: float) -> Sequence[Event]:
        """The board is seen again."""
        return () if self.waiting else self._story.resume(time)

    def finish(self, time: float) -> Sequence[Event]:
        """The source has ended."""
        return [*self._first, *self._story.finish(time)]


def stones_missing(setup: GameSetup) -> Missing:
    """What is not as a game with handicap or corner stones begins. As long as nobody can have played on, the stones
    are still being put down."""

    def missing(lies: Layout) -> Sequence[Point] | None:
        black, white = lies.points(BLACK), lies.points(WHITE)
        if setup.corner_stones:
            stones = dict.fromkeys(black, BLACK) | dict.fromkeys(white, WHITE)
            there = len(stones) == 4 and corner_stones(stones, lies.size)
            played_on = len(stones) > 4
        else:
            there, played_on = len(black) == setup.handicap and not white, bool(white)
        return [] if there else [*black, *white][:NEARLY] if played_on else None

    return missing


def adjourned(setup: GameSetup) -> KnownGame | None:
    """The game that a setup goes on from; None where it begins anew.

    Raises FileFormatError for a record that cannot be read, UsageError for one that does not go with the setup.
    """
    if setup.continue_from is None:
        return None
    game = _record(setup.continue_from)
    if setup.size is not None and setup.size != game.size:
        raise UsageError(f"the record to go on from is of {game.size} lines, and the board of {setup.size}")
    if len(game.steps) > MOST_MOVES:
        raise FileFormatError(f"the record to go on from has {len(game.steps)} moves: more moves than a game has")
    start, steps = _start(game.steps, game.size)
    first = next((step.colour for step in steps), None)
    turn = [step.to_play for step in game.steps if isinstance(step, PutDown) and step.to_play]
    to_play = first or (turn[-1] if turn else Colour.WHITE if game.handicap >= 2 else Colour.BLACK)
    return KnownGame(start, _moves(start, steps, to_play), to_play)


def completed(setup: GameSetup) -> GameSetup:
    """The setup with what the record that it goes on from says of the game, where the setup itself says nothing.
    Raises as :func:`adjourned`."""
    known = adjourned(setup)
    if known is None or setup.continue_from is None:
        return setup
    game = _record(setup.continue_from)
    return replace(
        setup,
        size=known.start.size,
        komi=game.komi if setup.komi is None else setup.komi,
        handicap=setup.handicap or (0 if setup.corner_stones else min(game.handicap, MOST_HANDICAP)),
        black=setup.black or game.players[0][:LONGEST_TEXT],
        white=setup.white or game.players[1][:LONGEST_TEXT],
        event=setup.event or game.event[:LONGEST_TEXT],
        date=setup.date or game.date[:LONGEST_TEXT],
    )


def _record(sgf: str) -> SgfGame:
    return game_of_bytes(sgf.encode("utf-8", "replace"), "the record to go on from")


def _start(steps: Sequence[Step], size: int) -> tuple[Layout, list[Played]]:
    layout, played = Layout.empty(size), list[Played]()
    for step in steps:
        if isinstance(step, Played):
            played.append(step)
            continue
        if played and (step.black or step.white or step.empty):
            raise UsageError(f"the record to go on from changes stones by hand behind move {len(played)}")
        for points, cell in ((step.black, BLACK), (step.white, WHITE), (step.empty, EMPTY)):
            layout = layout.replaced({p: cell for p in points if 0 <= p.col < size and 0 <= p.row < size})
    return layout, played


def _moves(start: Layout, steps: Sequence[Played], to_play: Colour) -> tuple[Move, ...]:
    game, moves = Game.of(start, to_play), list[Move]()
    for number, step in enumerate(steps, start=1):
        if step.point is not None and not (0 <= step.point.col < start.size and 0 <= step.point.row < start.size):
            raise FileFormatError(f"move {number} of the record to go on from is off the board")
        game = game.play(step.colour, step.point)
        moves.append(Move(0.0, 0.0, number, step.colour, step.point, tuple(sorted(game.plays[-1].captured))))
    return tuple(moves)


def told_before(known: KnownGame) -> list[Event]:
    """What is told of a game that was played before: its stones and its moves."""
    black, white = tuple(known.start.points(BLACK)), tuple(known.start.points(WHITE))
    setup: list[Event] = [Setup(0.0, 0.0, black, white, known.to_play)] if black or white else []
    return [*setup, *known.moves]


def not_as_known(known: KnownGame) -> Missing:
    """What differs from the board on which a known game goes on, of the points that are seen."""
    should = expected(known)
    return lambda lies: [point for point, _, there in should.changes(lies) if there != HIDDEN]
