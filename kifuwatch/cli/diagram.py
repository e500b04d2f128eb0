"""Boards as text, the way Go players print them: letters above and below, numbers on both sides."""

from __future__ import annotations

from kifuwatch.core.points import COLUMNS, EMPTY, Layout, Point, star_points

__all__ = ["diagram", "star_points"]


def diagram(layout: Layout, last: Point | None = None) -> str:
    """The board as lines of text: ``X`` black, ``O`` white, ``+`` a star point, ``?`` not visible.

    The stone of the last move stands in brackets.
    """
    stars = star_points(layout.size)
    letters = "   " + "".join(f" {COLUMNS[col]}" for col in range(layout.size))
    lines = [letters]
    for line, cells in enumerate(layout.rows):
        row = layout.size - 1 - line
        text = f"{row + 1:3d}"
        for col, cell in enumerate(cells):
            point = Point(col, row)
            shown = "+" if cell == EMPTY and point in stars else cell
            text += _before(point, last) + shown
        lines.append(f"{text}{_before(Point(layout.size, row), last)}{row + 1}")
    return "\n".join([*lines, letters])


def _before(point: Point, last: Point | None) -> str:
    """What stands between a point and the one on its left: a space, or one of the brackets around the last move."""
    if last is None or point.row != last.row:
        return " "
    return {0: "(", 1: ")"}.get(point.col - last.col, " ")
