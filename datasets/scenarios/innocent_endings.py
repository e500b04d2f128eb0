"""Innocent scenes after and beside the game: looking back, and a camera from the side."""

from __future__ import annotations

from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import EMPTY, Colour
from kifuwatch.datasets.scenarios.story import Story
from kifuwatch.datasets.scenarios.teller import Teller

GROUP = "innocent"
FIRST_SHOT = 200


def _on(number: int, name: str, title: str, wild: bool = False) -> Story:
    return Story.on(f"innocent-{name}", title, GROUP, number, wild=wild)


def review(number: int) -> Teller:
    """After the game the last moves are taken back one by one."""
    story = _on(number, "review", "After the game the last six moves are taken off again, the latest first")
    points = story.go(8)
    teller = story.teller
    teller.wait(6.0)
    lying = [p for p in points if teller.board[p] != EMPTY][-6:]
    if len(lying) < 6 or any(play.captured for play in teller.game.plays):
        raise UsageError("captures among them")
    teller.take(lying[::-1], step=1.6)
    teller.wait(16.0)
    return teller


def seen_from_the_side(number: int) -> Teller:
    """The hands of both come over the whole board, seen by a low camera."""
    story = _on(number, "far-reach", "Each player reaches to the far side of the board, over many stones")
    teller = story.teller
    for _ in range(3):
        player = story.to_play
        far = [p for p in story.teller.board.points(EMPTY) if (p.row > 13) == (player is Colour.BLACK)]
        point = min(far, key=lambda p: (abs(p.row - (15 if player is Colour.BLACK else 3)), abs(p.col - 9), p))
        if teller.game.position.play(player, point).faults:
            raise UsageError("not there")
        teller.play(point, hold=0.8, stay=0.8)
        teller.wait(1.0)
        story.go(1)
    return teller
