"""Board diagrams and lists of moves as a Go player writes them, and where the labelled data lies."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.rules import Game, Position

SHARED = Path(__file__).resolve().parents[3] / "shared"
B, W = Colour.BLACK, Colour.WHITE


def diagram(text: str) -> Layout:
    """A layout from an indented diagram, the top line first."""
    return Layout.from_rows(line.strip() for line in text.strip().splitlines())


def position(text: str, to_play: Colour = B) -> Position:
    return Position.of(diagram(text), to_play)


def game(text: str, to_play: Colour = B) -> Game:
    return Game.of(diagram(text), to_play)


def points(text: str) -> frozenset[Point]:
    """``"C3 D4"``, in any order."""
    return frozenset(Point.parse(word) for word in text.split())


def move(colour: str, at: str) -> tuple[Colour, Point | None]:
    return Colour(colour), None if at == "pass" else Point.parse(at)


def moves(text: str) -> list[tuple[Colour, Point | None]]:
    """``"B Q16, W pass"``: one move after the other."""
    return [move(*one.split()) for one in text.split(",")]


def play(line: Game, what: str | Iterable[tuple[Colour, Point | None]]) -> Game:
    """The line with these moves, whether they are legal or not."""
    for colour, point in moves(what) if isinstance(what, str) else what:
        line = line.play(colour, point)
    return line
