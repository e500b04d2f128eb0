"""Each incident that a camera sees, by itself, in the middle of a game. What is expected follows the rules reference:
the section of each alert is in the list of alert codes."""

from __future__ import annotations

from collections.abc import Iterator

from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import EMPTY, Colour, Layout, Point
from kifuwatch.datasets.scenarios.incidents_of_view import (
    board_lost,
    board_pushed,
    camera_bumped,
    lamp_on,
    light_changed,
    view_blocked,
)
from kifuwatch.datasets.scenarios.players import neighbours
from kifuwatch.datasets.scenarios.shots import shot
from kifuwatch.datasets.scenarios.story import Story, above, diagram, distance, each
from kifuwatch.datasets.scenarios.teller import Teller
from kifuwatch.rules import Fault, Game

GROUP = "incidents"
FIRST_SHOT = 100


def _on(number: int, name: str, title: str, wild: bool = False) -> Story:
    return Story.on(f"incident-{name}", title, GROUP, number, wild=wild)


def two_moves(number: int) -> Teller:
    """A player moves twice in a row."""
    story = _on(number, "two-moves", "A player moves a second time before the opponent has moved")
    (first,) = story.go(3)[-1:]
    teller = story.teller
    colour = story.to_play.opponent
    teller.wait(1.0)
    second = story.free(first)
    teller.expect("two-moves", teller.play_as(colour, second), [first, second])
    teller.wait(2.0)
    story.go(4)
    return teller


def pass_unseen(number: int) -> Teller:
    """White passes without a word: on the board it is Black who moves twice."""
    story = _on(number, "pass-unseen", "A player passes and presses the clock; the opponent moves again")
    if story.to_play is Colour.WHITE:
        story.go(1)
    (first,) = story.go(1)
    teller = story.teller
    teller.do("press", by="W")
    teller.wait(2.5)
    second = story.free(first)
    teller.expect("two-moves", teller.play_as(Colour.BLACK, second), [first, second])
    teller.wait(2.0)
    story.go(4)
    return teller


def takeback(number: int) -> Teller:
    """A stone has left the hand, is taken up again and put elsewhere."""
    story = _on(number, "takeback", "A stone that has left the hand is taken up and put on another point")
    story.go(3)
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
    story.go(4)
    return teller


def takeback_pushed(number: int) -> Teller:
    """The same without lifting it: the hand comes back and pushes the stone to the next point."""
    story = _on(number, "takeback-pushed", "The hand comes back and pushes the last stone to the next point")
    story.go(2)
    teller, colour = story.teller, story.to_play
    first = story.free()
    teller.play(first)
    teller.takes_back()
    teller.wait(2.0)
    second = above(first)
    when = teller.slide(first, second, by=colour)
    teller.counts(colour, second, when + 0.5)
    teller.expect("takeback", when, [first, second])
    teller.wait(2.5)
    story.go(4)
    return teller


def dropped_stone(number: int) -> Teller:
    """A stone falls from the hand between two points, is picked up and played elsewhere."""
    story = _on(
        number, "dropped-stone", "A stone falls off its point from a hand above, is picked up, played elsewhere"
    )
    story.go(3)
    teller, colour = story.teller, story.to_play
    fell = story.free()
    when = teller.put(colour, fell, do="drop", offset=[0.44, 0.12])
    teller.expect("dropped-stone", when, [fell])
    teller.wait(2.5)
    teller.take([fell], by=colour)
    teller.wait(1.2)
    story.go(5)
    return teller


def moved_stone(number: int) -> Teller:
    """An older stone is dragged to the next point by a hand in passing."""
    story = _on(number, "moved-stone", "An older stone is dragged to the next point by a hand in passing")
    story.go(3)
    teller = story.teller
    (stone,) = story.quiet()
    teller.wait(0.8)
    when = teller.slide(stone, above(stone), by=Colour.of_cell(teller.board[stone]) or Colour.BLACK)
    teller.expect("moved-stone", when, [stone, above(stone)])
    teller.wait(3.0)
    story.go(5)
    return teller


def moved_stone_by_opponent(number: int) -> Teller:
    """The same by the other player's sleeve, on his way back from a move."""
    story = _on(number, "moved-by-sleeve", "After a move the sleeve drags an opponent's stone to the next point")
    (last,) = story.go(2)[-1:]
    teller, by = story.teller, story.to_play.opponent
    (stone,) = story.quiet(colour=story.to_play)
    teller.t = teller.t - 0.5
    when = teller.sweep(last, stone, by, {stone: above(stone)}, over=0.8)
    teller.expect("moved-stone", when + 0.8, [stone, above(stone)])
    teller.wait(4.0)
    story.go(5)
    return teller


def two_moved_stones(number: int) -> Teller:
    """Two stones are shifted at once."""
    story = _on(number, "two-stones-moved", "A sleeve shifts two older stones to their next points")
    story.go(2)
    teller = story.teller
    one, two = story.quiet(2)
    when = teller.sweep(one, two, story.to_play, {one: above(one), two: above(two)}, over=0.9)
    teller.expect("moved-stone", when, [one, above(one), two, above(two)])
    teller.wait(4.5)
    story.go(4)
    return teller


def moved_behind_a_back(number: int) -> Teller:
    """A stone moves while somebody leans over it: it is only found when he is gone."""
    story = _on(number, "moved-unseen", "A stone is moved while somebody leans over the board for six seconds")
    story.go(3)
    teller = story.teller
    (stone,) = story.quiet()
    side = 1 if stone.col >= 9 else -1
    begin = teller.cover(0.6, 6.0, side)
    teller.wait(2.5)
    teller.slide(stone, above(stone), by=Colour.of_cell(teller.board[stone]) or Colour.BLACK)
    teller.t = begin + 7.5
    teller.expect("moved-stone", begin + 2.0, [stone, above(stone)])
    teller.wait(3.0)
    story.go(4)
    return teller


def scattered_board(number: int) -> Teller:
    """An arm sweeps over the board and takes many stones along."""
    story = _on(number, "scattered-board", "An arm sweeps over the board and takes eight stones along")
    story.go(2)
    teller = story.teller
    stones = story.quiet(8, space=False)
    board, goals = teller.board, dict[Point, Point | tuple[float, float] | None]()
    taken: set[Point] = set(stones)
    for place, stone in enumerate(stones):
        spots = [p for p in board.points(EMPTY) if p not in taken and 1 <= distance(p, stone) <= 2]
        goal = spots[place % len(spots)] if spots and place % 4 else None
        goals[stone] = goal
        taken |= {goal} if goal else set()
    when = teller.sweep(Point(3, 3), Point(15, 15), story.to_play, goals, over=1.2)
    teller.expect("scattered-board", when + 1.0, stones)
    teller.wait(16.0)
    return teller


def wrong_capture(number: int) -> Teller:
    """A player takes stones off that have a liberty."""
    story = _on(number, "wrong-capture", "A player takes stones off that still have liberties", wild=True)
    story.skip_to(_touches_two)
    (last,) = story.go(1)
    teller, by = story.teller, story.to_play.opponent
    chain = _chain_beside(teller.game, last)
    teller.t -= teller.pace * 0.6
    teller.expect("wrong-capture", teller.take(sorted(chain), by=by), chain)
    teller.wait(6.0)
    _go_on(story, chain, 3)
    return teller


def _touches_two(game: Game, point: Point) -> bool:
    after = game.play(game.position.to_play, point)
    last = after.last
    return last is not None and not last.captured and bool(_beside(after, point))


def _beside(game: Game, point: Point) -> frozenset[Point]:
    """A chain of two to four stones beside the last stone that can breathe."""
    position = game.position
    for near in neighbours(point, position.size):
        if position.layout[near] == position.to_play.cell:
            chain = position.chain_at(near)
            if 2 <= len(chain) <= 4 and len(position.liberties(near)) >= 2:
                return chain
    return frozenset()


def _chain_beside(game: Game, point: Point) -> frozenset[Point]:
    chain = _beside(game, point)
    if not chain:
        raise UsageError(f"no chain beside {point}")
    return chain


def _go_on(story: Story, away: frozenset[Point], count: int) -> None:
    """Moves far from what has happened, since the rules still see the stones there."""
    for _ in range(count):
        spots = [p for p in (story.free(), *story.ahead) if story.teller.board[p] == EMPTY]
        point = next((p for p in spots if all(distance(p, q) > 3 for q in away)), None)
        if point is None or story.teller.game.look(story.to_play, point).faults != Fault.NONE:
            raise UsageError("no point to go on with")
        story.teller.play(point, take=False)


def captures_too_many(number: int) -> Teller:
    """With the captured stones goes a stone beside them that was not captured."""
    story = _on(
        number, "took-one-too-many", "With the captured stones a neighbour is taken that was not captured", wild=True
    )
    story.skip_to(lambda game, point: _extra(game, point) is not None)
    point, teller, by = story.ahead.pop(0), story.teller, story.to_play
    extra = _extra(teller.game, point)
    assert extra is not None
    teller.play(point)
    teller.t -= teller.pace * 0.7
    teller.expect("wrong-capture", teller.take([extra], by=by), [extra])
    teller.wait(6.0)
    _go_on(story, frozenset({extra}), 3)
    return teller


def _extra(game: Game, point: Point) -> Point | None:
    """A single stone of the opponent close to what a move captures, with liberties."""
    position = game.position
    play = position.play(position.to_play, point)
    if not 1 <= len(play.captured) <= 4:
        return None
    for taken in sorted(play.captured):
        for col in (-1, 0, 1):
            for row in (-1, 0, 1):
                near = Point(taken.col + col, taken.row + row)
                if not (0 <= near.col < position.size and 0 <= near.row < position.size) or near in play.captured:
                    continue
                if position.layout[near] == position.to_play.opponent.cell and len(position.chain_at(near)) == 1:
                    return near
    return None


def missed_capture(number: int, partly: bool = False) -> Teller:
    """Captured stones stay lying, and the opponent answers."""
    name = "capture-left-half-done" if partly else "missed-capture"
    title = "Some of the captured stones stay lying" if partly else "Captured stones are not taken off"
    story = _on(number, name, f"{title}, and the opponent moves", wild=True)
    story.skip_to(lambda game, p: 2 <= len(game.position.play(game.position.to_play, p).captured) <= 8)
    point, teller, by = story.ahead.pop(0), story.teller, story.to_play
    teller.play(point, take=False)
    last = teller.game.last
    assert last is not None
    left = sorted(last.captured)
    if partly:
        teller.t -= teller.pace * 0.6
        teller.take(left[:1], by=by)
        left = left[1:]
        teller.wait(teller.breath())
    answer = next((p for p in story.ahead if all(distance(p, q) > 1 for q in last.captured)), None)
    if answer is None or teller.board[answer] != EMPTY:
        raise UsageError("no answer elsewhere")
    story.ahead.remove(answer)
    teller.expect("missed-capture", teller.play(answer), left)
    teller.wait(2.0)
    teller.take(left, by=by)
    teller.wait(3.0)
    story.go(3)
    return teller


def capture_half_done(number: int) -> Teller:
    """Some of the captured stones are taken off, the rest stays, and the opponent answers."""
    return missed_capture(number, partly=True)


def ko_violation(number: int) -> Teller:
    """A ko is taken back at once."""
    story = _on(number, "ko-violation", "A ko is taken back at once, without a move elsewhere between", wild=True)
    story.skip_to(lambda game, p: game.position.play(game.position.to_play, p).position.ko_point is not None)
    (first,) = story.go(1)
    teller, ko = story.teller, story.teller.game.position.ko_point
    if ko is None:
        raise UsageError("no ko")
    teller.expect("ko-violation", teller.play(ko), [ko, first])
    teller.wait(3.0)
    _go_on(story, frozenset({ko, first}), 3)
    return teller


def forbidden_point(number: int, several: bool = False) -> Teller:
    """A stone is put where it has no liberty and takes none."""
    name, title = ("suicide-of-two", "two stones") if several else ("forbidden-point", "a stone")
    rows = ("........X", "O.X......", "XOX......", ".OX......") if several else (".O.X.....", "OOXX.....", ".OX......")
    start = Game.of(diagram(*rows), Colour.BLACK)
    said = f"A move leaves {title} without a liberty and captures nothing"
    return _suicide(Teller(f"incident-{name}", said, GROUP, start, number, shot(number)))


def _suicide(teller: Teller) -> Teller:
    position = teller.game.position
    for point in position.layout.points(EMPTY):
        play = position.play(Colour.BLACK, point)
        if Fault.SUICIDE in play.faults:
            wanted = point
            break
    else:
        raise UsageError("no point is forbidden")
    far = [p for p in position.layout.points(EMPTY) if distance(p, wanted) > 2]
    quiet = [p for p in far if all(position.layout[q] == EMPTY for q in neighbours(p, position.size))]
    for point in (quiet[0], quiet[-1]):
        teller.play(point)
    teller.expect("forbidden-point", teller.play(wanted, take=False), [wanted])
    teller.wait(4.0)
    teller.play(quiet[len(quiet) // 2])
    teller.wait(2.0)
    return teller


def suicide_of_two(number: int) -> Teller:
    """The same with a chain of two."""
    return forbidden_point(number, several=True)


TRIPLE_KO = (
    ".XO..XO..XO.",
    "XO.OX.XOXO.O",
    ".XO..XO..XO.",
)
"""Three kos: Black can take the first and the third, White the second."""


def repetition(number: int) -> Teller:
    """Three kos are taken in turn until the whole board is as it was."""
    start = Game.of(diagram(".............", *TRIPLE_KO, "............."), Colour.BLACK)
    title = "Three kos are taken in turn until the whole board is as it was with the same player to move"
    teller = Teller("incident-triple-ko", title, GROUP, start, number, shot(number))
    taken: list[Point] = []
    for turn in range(6):
        position = teller.game.position
        kos = [p for p in position.layout.points(EMPTY) if len(position.play(position.to_play, p).captured) == 1]
        point = next(p for p in kos if p != position.ko_point and (turn < 3 or p not in taken[-2:]))
        taken.append(point)
        when = teller.play(point)
    teller.expect("repetition", when, taken)
    teller.wait(4.0)
    return teller


def off_point(number: int) -> Teller:
    """A stone is left lying nearly halfway between two points."""
    story = _on(number, "off-point", "A stone is left lying nearly halfway between two points")
    story.go(3)
    point = story.free()
    when = story.teller.play(point, offset=[0.46, 0.03])
    story.teller.expect("off-point", when, [point, Point(point.col + 1, point.row)])
    story.teller.wait(4.0)
    story.go(4)
    return story.teller


def stone_appeared(number: int) -> Teller:
    """A prisoner falls on the board from the opponent's hand."""
    story = _on(number, "stone-appeared", "After a move the same hand drops a prisoner on the board, where it stays")
    story.go(3)
    teller, mover = story.teller, story.to_play.opponent
    point = story.free()
    teller.expect("stone-appeared", teller.put(mover.opponent, point, do="drop", by=mover), [point])
    teller.wait(4.0)
    story.go(5)
    return teller


def stone_vanished(number: int) -> Teller:
    """A stone is taken off for no reason."""
    story = _on(number, "stone-vanished", "A stone is taken off the board for no reason that the rules know")
    story.go(3)
    teller = story.teller
    (stone,) = _lonely(story)
    teller.expect("stone-vanished", teller.take([stone], by=story.to_play, do="vanish"), [stone])
    teller.wait(4.0)
    story.go(5)
    return teller


def _lonely(story: Story) -> list[Point]:
    """A quiet stone whose chain is longer than itself: taking it off is no capture, right or wrong."""
    position = story.teller.game.position
    found = [p for p in story.quiet(3, space=False) if len(position.chain_at(p)) > 1]
    if not found:
        raise UsageError("no such stone")
    return found[:1]


def knocked_off(number: int) -> Teller:
    """A sleeve knocks a stone off the board."""
    story = _on(number, "knocked-off", "A sleeve knocks a stone off the board")
    (last,) = story.go(3)[-1:]
    teller = story.teller
    (stone,) = _lonely(story)
    teller.t -= 0.4
    when = teller.sweep(last, stone, story.to_play.opponent, {stone: None}, over=0.8)
    teller.expect("stone-vanished", when + 0.8, [stone])
    teller.wait(4.5)
    story.go(5)
    return teller


def white_first(number: int) -> Teller:
    """On an empty board the first stone is white."""
    title = "On an empty board White plays first"
    teller = Teller("incident-white-first", title, GROUP, Game.of(Layout.empty(19), Colour.WHITE), number, shot(number))
    names = ("Q16", "D4", "Q3", "D17", "F3", "R5")
    when = [teller.play(Point.parse(name)) for name in names]
    teller.expect_notice("setup", when[0])
    teller.wait(2.0)
    return teller


def incidents() -> Iterator[Teller]:
    """Every incident by itself."""
    stories = (
        two_moves,
        pass_unseen,
        takeback,
        takeback_pushed,
        dropped_stone,
        moved_stone,
        moved_stone_by_opponent,
        two_moved_stones,
        moved_behind_a_back,
        scattered_board,
        wrong_capture,
        captures_too_many,
        missed_capture,
        capture_half_done,
        ko_violation,
        forbidden_point,
        suicide_of_two,
        repetition,
        off_point,
        stone_appeared,
        stone_vanished,
        knocked_off,
        board_pushed,
        camera_bumped,
        view_blocked,
        light_changed,
        lamp_on,
        board_lost,
        white_first,
    )
    yield from each(iter(stories), FIRST_SHOT)
