"""Putting the record right where the camera, or whoever watched, was wrong: a move is set, inserted, or taken out.

Unlike a ruling such a row leaves no side line: what was wrong in the record never happened on the board. The journal
keeps it all the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kifuwatch.arbiter.desk import Desk
from kifuwatch.arbiter.desk_state import Entry
from kifuwatch.arbiter.line import replay
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Colour, Point

Row = Mapping[str, Any]
PASS = "pass"


def set_move(desk: Desk, row: Row) -> None:
    """Move ``number`` was on another point, of another colour, or a pass."""
    entry = desk.line.numbered(int(row["number"]))
    before = (entry.colour, entry.point, entry.ruled, list(entry.notes))
    point = _point(desk, row)
    colour = Colour(row["color"]) if row.get("color") else entry.colour
    if (colour, point) == (entry.colour, entry.point):
        raise UsageError(f"move {row['number']} is {point or PASS} already")
    entry.colour, entry.point, entry.ruled = colour, point, True
    entry.notes.append(f"corrected from {before[1] or PASS}" + (f": {row['note']}" if row.get("note") else ""))
    try:
        _check_free(desk, entry)
    except UsageError:
        entry.colour, entry.point, entry.ruled, entry.notes = before
        raise


def insert(desk: Desk, row: Row) -> None:
    """A move that nobody saw: it becomes number ``number``, and those behind it count one more."""
    number, moves = int(row["number"]), desk.line.moves()
    if not 1 <= number <= len(moves) + 1:
        raise UsageError(f"the record has {len(moves)} moves, so a new one can be number 1 to {len(moves) + 1}")
    colour = Colour(row["color"]) if row.get("color") else _turn_at(desk, number)
    notes = ["inserted" + (f": {row['note']}" if row.get("note") else "")]
    entry = Entry(int(row["id"]), colour, _point(desk, row), ruled=True, notes=notes)
    if number <= len(moves):
        desk.line.insert_before(entry, moves[number - 1])
    else:
        desk.line.insert(entry, None)
    try:
        _check_free(desk, entry)
    except UsageError:
        desk.line.entries.remove(entry)
        raise


def delete(desk: Desk, row: Row) -> None:
    """Move ``number`` was never played; the recorder's own count is not disturbed."""
    entry = desk.line.numbered(int(row["number"]))
    entry.stands, entry.why = False, "deleted"
    desk.line.entries.remove(entry)


def _turn_at(desk: Desk, number: int) -> Colour:
    """Whose turn it was before the move of a number."""
    moves = desk.line.moves()
    if number > len(moves):
        return desk.next_colour()
    return moves[number - 2].colour.opponent if number > 1 else moves[0].colour.opponent


def _point(desk: Desk, row: Row) -> Point | None:
    given = row["at"][0]
    if given == PASS:
        return None
    point = Point.parse(given)
    if not (0 <= point.col < desk.line.size and 0 <= point.row < desk.line.size):
        raise UsageError(f"the point {point} is not on this board of {desk.line.size} lines")
    return point


def _check_free(desk: Desk, entry: Entry) -> None:
    """A slip of the finger is refused: the move itself may not fall on a stone. What becomes illegal otherwise, this
    move or a later one, stands and is marked, as ever."""
    _, faults, _ = replay(desk.line, desk.code.rules)
    standing = [each for each in desk.line.entries if each.stands]
    for place, names in faults.items():
        if "occupied" in names and standing[place] is entry:
            number, point = sum(each.is_move for each in standing[: place + 1]), entry.point
            raise UsageError(f"a stone would stand on {point} already when move {number} is played there")
