"""Several incidents in one game, one after the other or at once, with clean play between."""

from __future__ import annotations

from collections.abc import Iterator

from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import EMPTY, Colour, Point
from kifuwatch.datasets.scenarios.story import Story, above, each
from kifuwatch.datasets.scenarios.teller import Teller

GROUP = "combined"
FIRST_SHOT = 300


def _on(number: int, name: str, title: str, after: int = 50) -> Story:
    return Story.on(f"combined-{name}", title, GROUP, number, 19, after)


def _drag(story: Story) -> None:
    """An older stone is dragged to the point above it."""
    teller = story.teller
    (stone,) = story.quiet()
    teller.wait(0.8)
    when = teller.slide(stone, above(stone), by=Colour.of_cell(teller.board[stone]) or Colour.BLACK)
    teller.expect("moved-stone", when, [stone, above(stone)])
    teller.wait(4.0)


def _vanish(story: Story) -> None:
    """A stone of a chain is taken off."""
    teller = story.teller
    found = [p for p in story.quiet(3, space=False) if len(teller.game.position.chain_at(p)) > 1]
    found = [p for p in found if teller.board[p] != EMPTY]
    if not found:
        raise UsageError("no such stone")
    teller.expect("stone-vanished", teller.take(found[:1], by=story.to_play, do="vanish"), found[:1])
    teller.wait(4.5)


def _drop(story: Story) -> None:
    """A prisoner falls on the board."""
    teller, mover = story.teller, story.to_play.opponent
    point = story.free()
    teller.expect("stone-appeared", teller.put(mover.opponent, point, do="drop", by=mover), [point])
    teller.wait(5.0)


def _take_back(story: Story) -> None:
    """A move is taken back."""
    teller, colour = story.teller, story.to_play
    first = story.free()
    teller.play(first)
    teller.takes_back()
    teller.wait(1.5)
    when = teller.take([first], by=colour)
    teller.wait(1.0)
    second = story.free(Point(18 - first.col, 18 - first.row))
    teller.play(second)
    teller.expect("takeback", when, [first, second])


def moved_and_vanished(number: int) -> Teller:
    """A stone is moved, and some moves later another taken off."""
    story = _on(number, "moved-then-vanished", "A stone is dragged; five moves later another is taken off")
    story.go(3)
    _drag(story)
    story.go(5)
    _vanish(story)
    story.go(4)
    return story.teller


def pushed_and_taken_back(number: int) -> Teller:
    """The board is pushed, and then a move is taken back."""
    story = _on(number, "pushed-then-takeback", "The board is pushed; then a move is taken back")
    story.go(3)
    story.teller.expect_notice("board-moved", story.teller.do("shift-board"))
    story.teller.wait(5.0)
    story.go(3)
    _take_back(story)
    story.go(4)
    return story.teller


def bumped_twice(number: int) -> Teller:
    """The camera is bumped, and a few moves later the board is pushed."""
    story = _on(number, "bumped-and-pushed", "The camera is bumped, and a few moves later the board is pushed")
    story.go(3)
    for what in ("bump-camera", "shift-board"):
        story.teller.expect_notice("board-moved", story.teller.do(what))
        story.teller.wait(5.0)
        story.go(6)
    return story.teller


def bumped_with_a_hand(number: int) -> Teller:
    """The camera is bumped while a hand is putting a stone down."""
    story = _on(number, "bumped-during-a-move", "The camera is bumped just while a stone is put down")
    story.go(4)
    teller = story.teller
    teller.expect_notice("board-moved", teller.do("bump-camera", teller.t + 0.1))
    story.go(1)
    teller.wait(4.0)
    story.go(5)
    return teller


def dark_and_moved(number: int) -> Teller:
    """The light goes out, and in the dark a stone is moved."""
    story = _on(number, "dark-then-moved", "A lamp goes out; later a stone is dragged")
    story.go(3)
    teller = story.teller
    teller.expect_notice("light-changed", teller.do("light", gain=0.42, over=0.3))
    teller.wait(3.0)
    story.go(3)
    _drag(story)
    story.go(4)
    return teller


def twice_dropped(number: int) -> Teller:
    """A prisoner falls on the board and stays; some moves later a player moves twice."""
    story = _on(number, "dropped-then-two-moves", "A prisoner falls on the board; later a player moves twice in a row")
    story.go(3)
    _drop(story)
    (first,) = story.go(5)[-1:]
    teller, colour = story.teller, story.to_play.opponent
    teller.wait(1.0)
    second = story.free(first)
    teller.expect("two-moves", teller.play_as(colour, second), [first, second])
    teller.wait(2.5)
    story.go(3)
    return teller


def blocked_and_moved(number: int) -> Teller:
    """Somebody leans over the board for long, and meanwhile a move is made and a stone dragged."""
    story = _on(number, "blocked-and-moved", "Behind somebody who leans over the board a move is made, a stone dragged")
    story.go(3)
    teller = story.teller
    (stone,) = story.quiet()
    begin = teller.cover(0.85, 14.0, 1 if number % 2 else -1)
    teller.wait(3.0)
    story.go(1)
    teller.slide(stone, above(stone), by=story.to_play)
    teller.t = begin + 16.0
    teller.expect("view-blocked", begin + 10.0)
    teller.expect("moved-stone", begin + 6.0, [stone, above(stone)])
    teller.wait(3.0)
    story.go(3)
    return teller


def three_in_a_row(number: int) -> Teller:
    """A takeback, a dragged stone and a prisoner on the board, in one game."""
    story = _on(number, "three-incidents", "In one game a move is taken back, a stone dragged, a prisoner dropped")
    story.go(3)
    _take_back(story)
    story.go(4)
    _drag(story)
    story.go(4)
    _drop(story)
    story.go(4)
    return story.teller


def lost_and_on(number: int) -> Teller:
    """The camera is turned away while two moves are made."""
    story = _on(
        number, "away-and-two-moves", "The camera is turned away for ten seconds, and two moves are made meanwhile"
    )
    story.go(3)
    teller = story.teller
    begin = teller.do("turn-camera", **{"for": 10.0})
    teller.unseen(begin, begin + 11.5)
    teller.expect("board-lost", begin)
    teller.wait(3.0)
    story.go(2)
    teller.t = begin + 14.0
    story.go(4)
    return teller


def combinations() -> Iterator[Teller]:
    """Every combination."""
    stories = (
        moved_and_vanished,
        pushed_and_taken_back,
        bumped_twice,
        bumped_with_a_hand,
        dark_and_moved,
        twice_dropped,
        blocked_and_moved,
        three_in_a_row,
        lost_and_on,
    )
    yield from each(iter(stories), FIRST_SHOT)
