"""Stones that custom puts on the board before the game: handicap stones, and the four corner stones 座子."""

from __future__ import annotations

from kifuwatch.core.points import BLACK, EMPTY, WHITE, Point
from kifuwatch.reconstruct.situation import Situation
from kifuwatch.reconstruct.stories import Arrival

STARS = {19: (3, 9, 15), 13: (3, 6, 9), 9: (2, 4, 6)}
MOST_HANDICAP = 9
ANCIENT = "ancient"


def put_down_before(s: Situation, arrival: Arrival) -> dict[Point, str] | None:
    """The stones put down one by one before the game: when all so far can be such, and the last is out of turn."""
    start = s.game.start.layout
    stones = {p: start[p] for cell in (BLACK, WHITE) for p in start.points(cell)}
    for recorded in s.records:
        if recorded.step.point is None or recorded.event.captures:
            return None
        stones[recorded.step.point] = recorded.step.colour.cell
    stones[arrival.point] = arrival.colour.cell
    if _handicap(stones, s.visible.size) or corner_stones(stones, s.visible.size):
        return stones
    return None


def _handicap(stones: dict[Point, str], size: int) -> bool:
    """Two to nine black stones on the stars, and nothing else."""
    stars = STARS.get(size, ())
    on_stars = all(p.col in stars and p.row in stars for p in stones)
    return set(stones.values()) == {BLACK} and 2 <= len(stones) <= MOST_HANDICAP and on_stars


def corner_stones(stones: dict[Point, str], size: int) -> bool:
    """Stones on the four corner stars, those of one colour across from each other, as the ancient rules have them."""
    stars = STARS.get(size, ())
    if not stars or not 2 <= len(stones) <= 4:
        return False
    corners = {Point(col, row) for col in (stars[0], stars[-1]) for row in (stars[0], stars[-1])}
    if not stones.keys() <= corners:
        return False
    rising = {cell for p, cell in stones.items() if p.col == p.row}
    falling = {cell for p, cell in stones.items() if p.col != p.row}
    return len(rising) <= 1 and len(falling) <= 1 and not rising & falling


def all_corner_stones(s: Situation) -> dict[Point, str] | None:
    """The four stones, when the ancient rules are played and these and nothing else lie on the board at first."""
    if s.rules.name != ANCIENT or s.game.start.layout.cells.strip(EMPTY) or len(s.records) >= 4:
        return None
    stones = {p: s.visible[p] for cell in (BLACK, WHITE) for p in s.visible.points(cell)}
    return stones if len(stones) == 4 and corner_stones(stones, s.visible.size) else None
