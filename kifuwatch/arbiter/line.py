"""The line of a game as the desk keeps it: what the camera saw, what rulings made of it, and what stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kifuwatch.arbiter.desk_state import Entry
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import EMPTY, Colour, Layout, Point
from kifuwatch.rules import Game, RuleSet


class Line:
    """The entries of a game, changed by camera rows and rulings.

    The recorder counts moves for itself: ``camera`` maps its numbers to entries, and a ruling in between does not
    disturb it.
    """

    def __init__(self, size: int, first: Colour) -> None:
        self.size, self.first = size, first
        self.entries: list[Entry] = []
        self.start: dict[Point, str] = {}
        self.start_to_play: Colour | None = None
        self.camera: list[Entry] = []
        self.retracted: dict[int, Entry] = {}

    # Camera rows

    def set_up(self, row: Mapping[str, Any]) -> None:
        """The stones before the first move."""
        self.start = {Point.parse(at): "X" for at in row.get("B", [])}
        self.start |= {Point.parse(at): "O" for at in row.get("W", [])}
        self.start_to_play = Colour(row["to_play"]) if row.get("to_play") else None

    def move(self, row: Mapping[str, Any]) -> Entry:
        """A move of the camera. One that a ruling had put on the record already is only confirmed by it."""
        colour = Colour(row["color"])
        point = None if row["at"] == "pass" else Point.parse(row["at"])
        last = self.last()
        if (
            last
            and last.ruled
            and last.camera is None
            and last.is_move
            and (last.colour, last.point) == (colour, point)
        ):
            entry = last
            entry.t = row.get("t")
        else:
            entry = Entry(int(row["id"]), colour, point, t=row.get("t"), inferred=bool(row.get("inferred")))
            self.entries.append(entry)
        entry.camera = int(row["number"])
        del self.camera[entry.camera - 1 :]
        self.camera.append(entry)
        return entry

    def retract(self, row: Mapping[str, Any]) -> None:
        """The camera takes moves back. What a ruling has already put aside stays as a side line."""
        number = int(row["number"])
        for entry in self.camera[number - 1 :]:
            if entry.camera is not None:
                self.retracted[entry.camera] = entry
            if entry.ruled:
                entry.camera = None
            elif entry.stands:
                self.entries.remove(entry)
                entry.stands, entry.gone, entry.why = False, True, "taken back by the camera"
        del self.camera[number - 1 :]

    # What rulings do

    def last(self) -> Entry | None:
        """The last entry that stands."""
        return next((entry for entry in reversed(self.entries) if entry.stands), None)

    def moves(self) -> list[Entry]:
        """The moves and passes that stand."""
        return [entry for entry in self.entries if entry.stands and entry.is_move]

    def numbered(self, number: int) -> Entry:
        """The move of a number of the record. Raises UsageError when there is none."""
        moves = self.moves()
        if not 1 <= number <= len(moves):
            raise UsageError(f"the record has {len(moves)} moves, so there is no move {number}")
        return moves[number - 1]

    def void(self, entry: Entry, why: str) -> None:
        """A move does not stand: it becomes a side line."""
        if not entry.stands:
            raise UsageError("this move does not stand any more")
        entry.stands, entry.why = False, why

    def insert(self, entry: Entry, after: Entry | None) -> None:
        """Put an entry behind another one; at the end where there is none, or the record has it no more."""
        place = len(self.entries) if after is None or after.gone else self.entries.index(after) + 1
        self.entries.insert(place, entry)

    def insert_before(self, entry: Entry, other: Entry) -> None:
        """Put an entry before another one."""
        self.entries.insert(self.entries.index(other), entry)

    def cut(self, number: int, why: str) -> list[Entry]:
        """Nothing after move ``number`` stands any more. Raises UsageError when there is no such move."""
        moves = self.moves()
        if not 0 <= number <= len(moves):
            raise UsageError(f"the record has {len(moves)} moves, so it cannot go back to move {number}")
        first = 0 if number == 0 else self.entries.index(moves[number - 1]) + 1
        gone = [entry for entry in self.entries[first:] if entry.stands]
        for entry in gone:
            entry.stands, entry.why = False, why
        return gone


def replay(line: Line, rules: RuleSet) -> tuple[Game, dict[int, tuple[str, ...]], dict[Colour, int]]:
    """Go through what stands under the rules.

    Returns the game since stones were last set up, for each place among the standing entries the names of what the
    rules forbid about it, and how many stones of each colour came off.
    """
    standing = [entry for entry in line.entries if entry.stands]
    layout = Layout.empty(line.size).replaced(line.start)
    first = next((entry.colour for entry in standing if entry.is_move), line.first)
    game = Game.of(layout, line.start_to_play or first)
    if line.start_to_play is None and not line.start and standing and standing[0].is_move:
        game = Game.of(layout, standing[0].colour)
    faults: dict[int, tuple[str, ...]] = {}
    taken = {Colour.BLACK: 0, Colour.WHITE: 0}
    for place, entry in enumerate(standing):
        if entry.setup is not None:
            after = game.position.layout.replaced(entry.setup)
            game = Game.of(after, entry.to_play or game.position.to_play)
            continue
        game = game.play(entry.colour, entry.point)
        play = game.plays[-1]
        taken[entry.colour.opponent] += len(play.captured)
        taken[entry.colour] += len(play.self_captured)
        broken = rules.forbidden(play.faults)
        if broken:
            faults[place] = tuple(fault.name.lower() for fault in broken if fault.name)
    return game, faults, taken


def changed(before: Layout, after: Layout) -> dict[Point, str]:
    """What has to lie on each point that differs."""
    return {point: now for point, _, now in before.changes(after)}


def stone(layout: Layout, point: Point) -> Colour | None:
    """The colour of the stone on a point; None where there is none, or no such point."""
    if not (0 <= point.col < layout.size and 0 <= point.row < layout.size):
        return None
    return Colour.of_cell(layout[point])


def emptied(points: tuple[Point, ...]) -> dict[Point, str]:
    """These points without stones."""
    return dict.fromkeys(points, EMPTY)
