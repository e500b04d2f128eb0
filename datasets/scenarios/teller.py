"""Tells a story on a board: hands that play, take and disturb, and what a recorder must report of it.

The teller keeps two boards as a recorder does: the line of play that the rules see, and what lies there. Times run on
by themselves; whatever is told happens at :attr:`Teller.t`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import EMPTY, Colour, Layout, Point
from kifuwatch.rules import Game

REACHES = 0.75
"""Seconds from a stone that captures to the first stone that is taken off."""
HANDED = 0.2
"""Seconds for which a hand stays on a stone that it has put down, where nothing else is said."""


@dataclass(frozen=True)
class Shot:
    """How a scenario is filmed: ``look`` as in :mod:`kifuwatch.datasets.clip_setting`."""

    look: Mapping[str, object] = field(default_factory=dict)
    width: int = 640
    height: int = 480
    fps: float = 8.0


@dataclass
class Teller:
    """One scenario in the making.

    ``name`` says its group and what happens, ``title`` the same in a sentence. ``game`` begins with what lies there at
    the start. ``pace``: seconds a move in the mean.
    """

    name: str
    title: str
    group: str
    game: Game
    seed: int
    shot: Shot = field(default_factory=Shot)
    pace: float = 2.6
    t: float = 1.5

    def __post_init__(self) -> None:
        self.board: Layout = self.game.position.layout
        self._start, self._to_play = self.board, self.game.position.to_play
        self._rng = np.random.default_rng([self.seed, 41])
        self._events: list[dict[str, object]] = []
        self._moves: list[list[str]] = []
        self._visible: list[float | None] = []
        self._alerts: list[dict[str, object]] = []
        self._covered: list[tuple[float, float]] = []

    def do(self, what: str, t: float | None = None, **how: object) -> float:
        """Something that leaves the board as it is (hover, light, press, ...); returns when it happens."""
        when = self._now(t)
        self._events.append({"t": when, "do": what, **how})
        return when

    def wait(self, seconds: float) -> None:
        """Nothing happens for a while."""
        self.t += seconds

    def play(self, point: Point, take: bool = True, step: float = 0.5, **how: object) -> float:
        """The colour to play puts a stone on a point and (``take``) takes off what it captures; when the stone stood.

        ``how``: more of the place event: ``stay``, ``hold``, ``offset``, ``by``.
        """
        colour = self.game.position.to_play
        return self.play_as(colour, point, take, step, **how)

    def play_as(self, colour: Colour, point: Point, take: bool = True, step: float = 0.5, **how: object) -> float:
        """A move of a colour, in turn or not."""
        when = self.put(colour, point, "place", **how)
        self.game = self.game.play(colour, point)
        self._moves.append([colour.value, str(point)])
        stay = how.get("stay", HANDED)
        self._visible.append(self._seen_from(when + (stay if isinstance(stay, float | int) else HANDED)))
        last = self.game.last
        assert last is not None
        lying = [p for p in sorted(last.captured) if self.board[p] == colour.opponent.cell]
        if take and lying:
            self.t = when + REACHES
            self.take(_nearest_first(lying, point), step=step, by=colour)
        else:
            self.t = when
        self.t += self.breath()
        return when

    def put(self, colour: Colour, point: Point, do: str = "place", **how: object) -> float:
        """A stone comes to lie on a point, which is no move by itself."""
        when = self._now()
        by = how.pop("by", None)
        more = {"by": by.value} if isinstance(by, Colour) else {}
        self._events.append({"t": when, "do": do, "color": colour.value, "at": str(point), **more, **how})
        self._set({point: colour.cell})
        return when

    def take(self, points: Sequence[Point], step: float = 0.5, by: Colour | None = None, do: str = "remove") -> float:
        """Stones are taken off one by one; the time goes on to the last of them. Returns when the first went."""
        when = self._now()
        more = {"by": by.value} if by else {}
        self._events.append({"t": when, "do": do, "at": [str(p) for p in points], "step": step, **more})
        self._set(dict.fromkeys(points, EMPTY))
        self.t = when + step * (len(points) - 1)
        return when

    def slide(self, source: Point, goal: Point, by: Colour, **how: object) -> float:
        """A stone is pushed to another point."""
        when = self._now()
        self._events.append({"t": when, "do": "slide", "from": str(source), "to": str(goal), "by": by.value, **how})
        self._set({source: EMPTY, goal: self.board[source]})
        return when

    def sweep(
        self,
        begin: Point,
        end: Point,
        by: Colour,
        stones: Mapping[Point, Point | tuple[float, float] | None],
        over: float,
    ) -> float:
        """An arm passes and takes stones along: to another point, off the board (None), or to another offset."""
        when, entries = self._now(), []
        for point, goal in stones.items():
            entry: dict[str, object] = {"at": str(point)}
            if isinstance(goal, Point):
                entry["to"] = str(goal)
                self._set({point: EMPTY, goal: self.board[point]})
            elif goal is None:
                self._set({point: EMPTY})
            else:
                entry["offset"] = list(goal)
            entries.append(entry)
        how = {"from": str(begin), "to": str(end), "by": by.value, "over": over, "stones": entries}
        self._events.append({"t": when, "do": "sweep", **how})
        return when

    def cover(self, share: float, seconds: float, side: int = 1) -> float:
        """Somebody leans over a share of the board; the time stays, so that what follows happens behind him."""
        when = self.do("cover", share=share, side=side, **{"for": seconds})
        self._covered.append((when, when + seconds))
        return when

    def unseen(self, begin: float, end: float) -> None:
        """Nothing of the board can be seen between two times."""
        self._covered.append((begin, end))

    def passes(self) -> None:
        """The colour to play passes, which leaves nothing to see."""
        self.game = self.game.play(self.game.position.to_play, None)
        self.t += self.breath()

    def counts(self, colour: Colour, point: Point, seen: float) -> None:
        """What lies there already is a move after all, to be seen from ``seen`` on."""
        self.game = self.game.play(colour, point)
        self._moves.append([colour.value, str(point)])
        self._visible.append(self._seen_from(seen))

    def begins(self, colour: Colour) -> None:
        """What lies there now is where the record begins; this colour is to play."""
        self.game = Game.of(self.board, colour)

    def takes_back(self) -> None:
        """The last move is not one after all: it is taken out of the record."""
        self.game = self.game.undo()
        self._moves.pop()
        self._visible.pop()

    def expect(self, code: str, t: float, at: Iterable[Point] = ()) -> None:
        """The arbiter must hear of this."""
        self._alerts.append({"code": code, "t": round(t, 2), "at": [str(p) for p in at]})

    def expect_notice(self, code: str, t: float) -> None:
        """It must be said, and nobody need be called: all stones are where they were and can be read."""
        self._alerts.append({"code": code, "t": round(t, 2), "at": [], "level": "info"})

    def breath(self) -> float:
        """Seconds until the next move."""
        return float(self.pace * self._rng.uniform(0.82, 1.18))

    @property
    def moves(self) -> int:
        """How many moves have been told."""
        return len(self._moves)

    def scenario(self, rest: float = 3.5) -> dict[str, object]:
        """The whole as the record that is written; the film goes on for ``rest`` seconds."""
        start = {c.value: [str(p) for p in self._start.points(c.cell)] for c in Colour}
        return {
            "id": self.name,
            "group": self.group,
            "title": self.title,
            "size": self.board.size,
            "rules": "cn2002",
            "fps": self.shot.fps,
            "width": self.shot.width,
            "height": self.shot.height,
            "dur": round(max([self.t, *(end for _, end in self._covered)]) + rest, 2),
            "look": dict(self.shot.look),
            "setup": start,
            "to_play": self._to_play.value,
            "events": sorted(self._events, key=_time),
            "expect": {
                "moves": self._moves,
                "visible": self._visible,
                "final": self.board.rows,
                "final_by_moves": self.game.position.layout.rows,
                "alerts": self._alerts,
            },
        }

    def _now(self, t: float | None = None) -> float:
        return round(self.t if t is None else t, 2)

    def _set(self, changes: Mapping[Point, str]) -> None:
        for point, cell in changes.items():
            if (self.board[point] == EMPTY) == (cell == EMPTY):
                raise UsageError(
                    f"{self.name}: {point} is {self.board[point]!r} and cannot become {cell!r} at {self.t:.1f}"
                )
            self.board = self.board.replaced({point: cell})

    def _seen_from(self, moment: float) -> float:
        """From when something can be seen that could be from ``moment`` on if nobody leaned over the board."""
        return round(max([moment, *(end for begin, end in self._covered if begin < moment < end)]), 2)


def _time(event: Mapping[str, object]) -> float:
    t = event["t"]
    assert isinstance(t, float)
    return t


def _nearest_first(points: Sequence[Point], to: Point) -> list[Point]:
    return sorted(points, key=lambda p: (abs(p.col - to.col) + abs(p.row - to.row), p))
