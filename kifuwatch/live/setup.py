"""What is told of a game before it is recorded, and what a station says of itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from kifuwatch.core.errors import UsageError
from kifuwatch.core.text import one_line
from kifuwatch.rules import DEFAULT_RULES

Corners = tuple[tuple[float, float], ...]
"""Pixel positions (x, y) of the four outermost grid points: top left, top right, bottom right, bottom left."""

SIZES = (9, 13, 19)
MOST_HANDICAP = 25
LEAST_TURN = 1.0  # square pixels
LONGEST_TEXT = 200
LONGEST_SGF = 1024 * 1024
_SECRET = re.compile(r"//[^/@\s]*@")
_BOARD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")

IDLE, SETUP, RECORDING, PAUSED, ENDED, FAILED = "idle", "setup", "recording", "paused", "ended", "failed"
"""The states of a station."""
HAND, BOARD_MOVED, NO_PICTURE, DARK, LOOKING, FINE = "hand", "board-moved", "no-picture", "dark", "looking", ""
"""The notes of a station: why what it says may not be up to date."""


def check_board(board: str) -> str:
    """The id of a board, as it stands in addresses and names of folders. Raises UsageError for what is none."""
    if not _BOARD.fullmatch(board):
        raise UsageError(f"{board[:40]!r} is no name of a board: use up to 32 letters, digits, - and _")
    return board


def as_corners(corners: Sequence[Sequence[float]]) -> Corners:
    """Positions as they are kept, whatever they are."""
    return tuple((float(x), float(y)) for x, y in corners)


def check_corners(corners: Sequence[Sequence[float]] | None) -> Corners | None:
    """Corners as they are kept. Raises UsageError for what is no four positions, or no board seen from above."""
    if corners is None:
        return None
    if len(corners) != 4 or any(len(each) != 2 for each in corners):
        raise UsageError("corners are four positions [x, y]: top left, top right, bottom right, bottom left")
    kept = as_corners(corners)
    # Written out: numpy would keep a child process, which begins with this module, from its first sign of life.
    turns = [_turn(*(kept[(first + step) % 4] for step in range(3))) for first in range(4)]
    if not all(turn > LEAST_TURN for turn in turns):
        raise UsageError("these corners do not make a board: give them clockwise from the top left")
    return kept


def _turn(first: tuple[float, float], then: tuple[float, float], last: tuple[float, float]) -> float:
    """Twice the area of a triangle in square pixels, above nothing where it is walked clockwise in the picture."""
    return (then[0] - first[0]) * (last[1] - then[1]) - (then[1] - first[1]) * (last[0] - then[0])


def without_secrets(text: str) -> str:
    """A sentence without the user and password of any address in it."""
    return _SECRET.sub("//", text)


@dataclass(frozen=True)
class GameSetup:
    """One game as it is set up. ``board``: the id of the board; ``size`` and ``corners`` None to be found.

    ``komi`` in points, None for that of the rules; ``handicap`` in stones, ``corner_stones`` (座子): these are put
    down before moves count. ``time``: how the clock is set, as written. ``continue_from``: an SGF of the game so far,
    which the board has to show before it goes on. Raises UsageError for what cannot be.
    """

    source: str
    board: str = "1"
    size: int | None = None
    corners: Corners | None = None
    rules: str = DEFAULT_RULES
    black: str = ""
    white: str = ""
    black_rank: str = ""
    white_rank: str = ""
    event: str = ""
    round: str = ""
    date: str = ""
    komi: float | None = None
    handicap: int = 0
    corner_stones: bool = False
    time: str = ""
    continue_from: str | None = None

    def __post_init__(self) -> None:
        check_board(self.board)
        object.__setattr__(self, "corners", check_corners(self.corners))
        if self.size is not None and self.size not in SIZES:
            raise UsageError(f"{self.size} is not a size of board that is read: choose 9, 13 or 19")
        if not 0 <= self.handicap <= MOST_HANDICAP:
            raise UsageError(f"a handicap of {self.handicap} stones cannot be: up to {MOST_HANDICAP} are given")
        if self.corner_stones and self.handicap:
            raise UsageError("a game begins with corner stones or with a handicap, not with both")
        for name in ("black", "white", "black_rank", "white_rank", "event", "round", "date", "time"):
            if len(getattr(self, name)) > LONGEST_TEXT:
                raise UsageError(f"{name.replace('_', ' ')} is longer than {LONGEST_TEXT} letters")
            object.__setattr__(self, name, one_line(getattr(self, name)))
        if self.continue_from is not None and len(self.continue_from) > LONGEST_SGF:
            raise UsageError("the record to go on from is too long for a game")
        # Loaded only here, since a child process begins with this module, and is to give a sign of life soon.
        from kifuwatch.record import GameInfo

        GameInfo(komi=self.komi, time=self.time)  # a komi that no game can have, a time control that is none

    def as_dict(self) -> dict[str, Any]:
        """As JSON holds it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> GameSetup:
        """The setup in a JSON object; names that are none of its are left out. Raises UsageError."""
        named = {each.name: given[each.name] for each in fields(cls) if given.get(each.name) is not None}
        try:
            return cls(**named)
        except (TypeError, ValueError) as error:
            raise UsageError(f"the setup of the game cannot be read ({error})") from error

    def facts(self) -> dict[str, Any]:
        """What the ``game`` row of the journal holds."""
        names = ("black", "white", "black_rank", "white_rank", "event", "round", "date", "time")
        known: dict[str, Any] = {name: getattr(self, name) for name in names if getattr(self, name)}
        if self.komi is not None:
            known["komi"] = self.komi
        if self.handicap:
            known["handicap"] = self.handicap
        if self.corner_stones:
            known["corner_stones"] = True
        return known


@dataclass(frozen=True)
class StationStatus:
    """What a station says of itself.

    ``state``: idle, setup, recording, paused, ended or failed. ``note``: hand, board-moved, no-picture, dark, looking
    or nothing, for ``note_since`` seconds. ``frames`` were taken since the source was opened, ``fps`` of late;
    ``last_picture_age`` in seconds, None before the first. ``restarts`` of the camera's process. ``corners`` in pixels
    of the camera's picture. ``error``: one sentence on what is wrong, else empty. ``seconds`` of the game so far.
    ``pid`` of the camera's process, ``row``: the last one of the journal that it has acknowledged. ``reason``: why no
    board was found so far.
    """

    board: str
    state: str = IDLE
    note: str = FINE
    note_since: float = 0.0
    source: str = ""
    game_id: str | None = None
    frames: int = 0
    fps: float = 0.0
    last_picture_age: float | None = None
    restarts: int = 0
    size: int | None = None
    corners: Corners | None = None
    error: str = ""
    seconds: float = 0.0
    pid: int | None = None
    row: int = 0
    reason: str = ""
