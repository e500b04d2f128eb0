"""What looks like an incident and is none: a recorder must say nothing of it, and have every move."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.datasets.scenarios.innocent_endings import review, seen_from_the_side
from kifuwatch.datasets.scenarios.shots import shot
from kifuwatch.datasets.scenarios.story import Story, diagram, distance, each
from kifuwatch.datasets.scenarios.teller import Teller
from kifuwatch.rules import Game

GROUP = "innocent"
FIRST_SHOT = 200


def _on(number: int, name: str, title: str, wild: bool = False) -> Story:
    return Story.on(f"innocent-{name}", title, GROUP, number, wild=wild)


def adjusted(number: int) -> Teller:
    """Stones are put down askew and pushed straight at once."""
    story = _on(number, "adjusted", "Stones are put down askew and pushed straight with a finger")
    for offset in ([0.3, -0.2], [-0.28, 0.15], [0.05, 0.33]):
        colour, when = story.to_play, story.teller.t
        (point,) = story.go(1, offset=offset)
        story.teller.do("nudge", when + 1.0, at=str(point), offset=[0.03, 0.02], by=colour.value)
        story.teller.wait(1.2)
    story.go(2)
    return story.teller


def pushed_on(number: int) -> Teller:
    """A stone is put down beside its point and pushed on before the hand leaves it."""
    story = _on(number, "pushed-on", "A stone is put down on the next point and pushed on before the hand leaves it")
    story.go(2)
    teller, colour = story.teller, story.to_play
    goal = story.free()
    beside = Point(goal.col, goal.row - 1)
    when = teller.put(colour, beside, stay=0.3)
    teller.t = when + 0.4
    pushed = teller.slide(beside, goal, by=colour)
    teller.counts(colour, goal, pushed + 0.5)
    teller.wait(3.0)
    story.go(4)
    return teller


def long_hover(number: int) -> Teller:
    """A hand with a stone stays over the board for long and then plays elsewhere."""
    story = _on(number, "long-hover", "A hand with a stone hovers for seven seconds, then plays elsewhere")
    story.go(2)
    teller = story.teller
    player = story.to_play.value
    teller.do("hover", near=str(story.free()), carry=player, by=player, **{"for": 7.0})
    teller.wait(8.6)
    story.go(4)
    return teller


def slow_capture(number: int) -> Teller:
    """Captured stones are taken off very slowly."""
    story = _on(number, "slow-capture", "Captured stones are taken off one by one, slowly", wild=True)
    story.skip_to(lambda game, p: len(game.position.play(game.position.to_play, p).captured) >= 2)
    teller = story.teller
    teller.play(story.ahead.pop(0), step=2.6)
    story.go(4)
    return teller


def captured_first(number: int) -> Teller:
    """The stones are taken off first, and the stone that captures them comes after."""
    story = _on(
        number, "taken-off-first", "Stones are taken off before the stone that captures them is put down", wild=True
    )
    story.skip_to(lambda game, p: 1 <= len(game.position.play(game.position.to_play, p).captured) <= 3)
    teller, colour = story.teller, story.to_play
    point = story.ahead.pop(0)
    captured = sorted(teller.game.position.play(colour, point).captured)
    teller.wait(1.0)
    teller.take(captured, by=colour)
    teller.wait(1.3)
    teller.play(point)
    story.go(4)
    return teller


def by_the_other(number: int) -> Teller:
    """The captured player takes his own stones off."""
    story = _on(number, "own-stones-taken", "The player whose stones are captured takes them off himself", wild=True)
    story.skip_to(lambda game, p: 1 <= len(game.position.play(game.position.to_play, p).captured) <= 4)
    teller, colour = story.teller, story.to_play
    teller.play(story.ahead.pop(0), take=False)
    last = teller.game.last
    assert last is not None
    teller.wait(-0.8)
    teller.take(sorted(last.captured), by=colour.opponent)
    teller.wait(2.0)
    story.go(4)
    return teller


def nudged(number: int) -> Teller:
    """A sleeve shifts stones, none of them far from its point."""
    story = _on(number, "nudged", "A sleeve shifts four stones by a quarter of a pitch")
    story.go(2)
    teller = story.teller
    rng = np.random.default_rng(number)
    stones = story.quiet(4, space=False)
    shifts: dict[Point, Point | tuple[float, float] | None] = {
        stone: (round(float(rng.uniform(-0.22, 0.22)), 2), round(float(rng.uniform(-0.22, 0.22)), 2))
        for stone in stones
    }
    teller.sweep(stones[0], stones[-1], story.to_play, shifts, over=1.2)
    teller.wait(4.0)
    story.go(5)
    return teller


def resting_hand(number: int) -> Teller:
    """A hand rests on the edge of the board for twenty seconds."""
    story = _on(number, "resting-hand", "A player's hand rests on his edge of the board for twenty seconds")
    story.go(2)
    teller, player = story.teller, story.to_play
    row = 4 if player is Colour.BLACK else 14
    teller.do("hover", None, near=str(Point(11, row)), by=player.value, height=6.0, spread=0.03, **{"for": 20.0})
    teller.wait(22.0)
    story.go(4)
    return teller


def into_the_lid(number: int) -> Teller:
    """Prisoners are laid beside the board, one by one."""
    story = _on(
        number, "prisoners-aside", "Prisoners are laid beside the board, and later moved there again", wild=True
    )
    story.skip_to(lambda game, p: 1 <= len(game.position.play(game.position.to_play, p).captured) <= 4)
    teller, colour = story.teller, story.to_play
    teller.play(story.ahead.pop(0))
    teller.do("aside", color=colour.opponent.value, count=4)
    teller.wait(2.5)
    story.go(2)
    teller.do("aside", color=colour.opponent.value, count=3)
    teller.wait(2.5)
    story.go(2)
    return teller


def bowl_pushed(number: int) -> Teller:
    """A bowl beside the board is pushed."""
    story = _on(number, "bowl-pushed", "A bowl beside the board is pushed aside")
    story.go(2)
    story.teller.do("push-bowl")
    story.teller.wait(2.5)
    story.go(4)
    return story.teller


def dimmed(number: int) -> Teller:
    """A cloud passes: the light becomes weaker and stronger again, slowly."""
    story = _on(number, "cloud", "A cloud passes: the light goes down by a quarter and comes back, over seconds")
    story.go(1)
    teller = story.teller
    teller.do("light", gain=0.76, over=5.0)
    story.go(4)
    teller.do("light", gain=1.0, over=5.0)
    story.go(4)
    return teller


def hunting(number: int) -> Teller:
    """The camera hunts for its exposure whenever a hand comes in."""
    story = _on(number, "exposure-hunting", "The camera's exposure goes up and down a little with every hand")
    for place in range(8):
        story.teller.do("light", story.teller.t - 0.3, gain=0.9 if place % 2 else 1.08, over=0.5)
        story.teller.do("light", story.teller.t + 0.6, gain=1.0, over=0.8)
        story.go(1)
    return story.teller


def sleeve_across(number: int) -> Teller:
    """An arm goes over the whole board and touches nothing."""
    story = _on(number, "sleeve-across", "An arm goes low across the whole board and touches no stone")
    story.go(2)
    teller = story.teller
    teller.sweep(Point(2, 2), Point(16, 14), story.to_play, {}, over=1.6)
    teller.wait(3.5)
    story.go(2)
    teller.sweep(Point(15, 3), Point(3, 12), story.to_play, {}, over=1.4)
    teller.wait(3.0)
    story.go(2)
    return teller


def quick_exchange(number: int) -> Teller:
    """Moves come so quickly that both hands are over the board at once."""
    story = _on(number, "quick-exchange", "Six moves within seven seconds, both hands over the board at once")
    story.go(2)
    story.teller.pace = 1.15
    story.go(6)
    story.teller.pace = 2.6
    story.teller.wait(1.0)
    story.go(2)
    return story.teller


def behind_a_head(number: int) -> Teller:
    """Two moves are made while a head is in the picture."""
    story = _on(number, "moves-behind-a-head", "A head is in the picture for six seconds; two moves are made behind it")
    story.go(2)
    teller = story.teller
    begin = teller.cover(0.55, 6.0, 1 if number % 2 else -1)
    teller.wait(1.6)
    story.go(1)
    story.go(1)
    teller.t = max(teller.t, begin + 7.5)
    story.go(3)
    return teller


def head_in_view(number: int) -> Teller:
    """Heads come into the picture, and nothing happens behind them."""
    story = _on(number, "heads", "Heads come into the picture from both sides for some seconds; nothing happens behind")
    story.go(2)
    teller = story.teller
    for side, seconds in ((1, 4.0), (-1, 7.0)):
        teller.cover(0.35, seconds, side)
        teller.wait(seconds + 1.5)
        story.go(1)
    story.go(2)
    return teller


def hesitation(number: int) -> Teller:
    """A stone is put down and lifted again by a hand that never leaves it."""
    story = _on(number, "hesitation", "A stone touches the board and is lifted again; the hand never leaves it")
    story.go(2)
    teller, colour = story.teller, story.to_play
    point = story.free()
    teller.put(colour, point, stay=0.5)
    teller.t += 0.6
    teller.take([point], by=colour)
    teller.wait(0.8)
    story.go(5)
    return teller


def hesitation_in_place(number: int) -> Teller:
    """The same, and the stone is put back on the same point."""
    story = _on(number, "lifted-and-put-back", "A stone is lifted by the hand still on it and put back on its point")
    story.go(2)
    teller, colour = story.teller, story.to_play
    point = story.free()
    teller.put(colour, point, stay=0.4)
    teller.t += 0.5
    teller.take([point], by=colour)
    teller.wait(0.9)
    teller.play(point)
    story.go(4)
    return teller


def noticed(number: int) -> Teller:
    """A player takes a stone too many, notices it, and puts it back."""
    story = _on(number, "put-back-at-once", "A stone is taken off by mistake and put back at once")
    story.go(2)
    teller = story.teller
    stones = story.quiet(3, space=False)
    stone = next((p for p in stones if len(teller.game.position.chain_at(p)) > 1), None)
    if stone is None:
        raise UsageError("no such stone")
    colour = Colour.of_cell(teller.board[stone])
    assert colour is not None
    teller.take([stone], by=story.to_play)
    teller.wait(1.2)
    teller.put(colour, stone, by=story.to_play)
    teller.wait(3.5)
    story.go(4)
    return teller


def prisoner_back(number: int) -> Teller:
    """A prisoner slips back on the board and is picked up at once."""
    story = _on(
        number, "prisoner-slips", "A captured stone slips back on the board and is picked up at once", wild=True
    )
    story.skip_to(lambda game, p: 1 <= len(game.position.play(game.position.to_play, p).captured) <= 3)
    teller, colour = story.teller, story.to_play
    teller.play(story.ahead.pop(0))
    last = teller.game.last
    assert last is not None
    point = min(last.captured)
    teller.wait(-0.9)
    teller.put(colour.opponent, point, by=colour, offset=[0.1, -0.15])
    teller.wait(1.2)
    teller.take([point], by=colour)
    teller.wait(2.0)
    story.go(4)
    return teller


def ko_fight(number: int) -> Teller:
    """A ko is fought as the rules want it, with a threat and an answer between."""
    story = _on(
        number, "ko-fight", "A ko is taken and taken back four times, each time with a threat between", wild=True
    )
    story.skip_to(lambda game, p: game.position.play(game.position.to_play, p).position.ko_point is not None)
    (taker,) = story.go(1)
    teller = story.teller
    ko = teller.game.position.ko_point
    if ko is None:
        raise UsageError("no ko")
    for turn in range(4):
        for _ in range(2):
            spot = story.free(apart=1)
            if distance(spot, taker) < 3:
                raise UsageError("no room for threats")
            teller.play(spot)
        point = ko if turn % 2 == 0 else taker
        if len(teller.game.position.play(story.to_play, point).captured) != 1:
            raise UsageError("no ko any more")
        teller.play(point)
    teller.wait(1.5)
    return teller


def snapback(number: int) -> Teller:
    """A stone is thrown in, taken, and its takers are taken on the same point."""
    layout = diagram("XXXX.....", "OOOX.....", "O..X.....")
    title = "A stone is thrown in and taken, and its takers are taken on the same point"
    teller = Teller("innocent-snapback", title, GROUP, Game.of(layout, Colour.BLACK), number, shot(number))
    for name in ("B1", "C1", "B1", "G5", "E7", "C7"):
        teller.play(Point.parse(name))
    teller.wait(1.5)
    return teller


def big_capture(number: int) -> Teller:
    """A large chain is captured."""
    layout = diagram("XXXXXXXX.", "XOOOOOOX.", "XOOOOOOX.", "XOX.XXXX.", "XXX......")
    title = "A chain of thirteen stones is captured and taken off"
    teller = Teller("innocent-big-capture", title, GROUP, Game.of(layout, Colour.WHITE), number, shot(number))
    for name in ("C8", "D2", "G8", "E8"):
        teller.play(Point.parse(name), step=0.6)
    teller.wait(1.5)
    return teller


def clocks(number: int) -> Teller:
    """Both press a clock after every move, over the corner of the board."""
    story = _on(number, "clock-pressed", "Both players press the clock after every move")
    for _ in range(8):
        colour, when = story.to_play, story.teller.t
        story.go(1)
        story.teller.do("press", when + 1.1, by=colour.value)
    return story.teller


def bulging(number: int) -> Teller:
    """A row is full, and its stones push each other outwards."""
    rows = ["." * 13, *["." * 13] * 5, "XOXXOOXOXXO..", *["." * 13] * 6]
    layout = Layout.from_rows(rows)
    title = "A full row bulges: each stone lies a little farther out than the one before"
    teller = Teller("innocent-bulging-row", title, GROUP, Game.of(layout, Colour.BLACK), number, shot(number))
    teller.play(Point(11, 6), offset=[0.2, 0.0])
    teller.play(Point(12, 6), offset=[0.25, 0.0])
    for col in range(8, 11):
        teller.do("nudge", at=str(Point(col, 6)), offset=[round(0.05 * (col - 6), 2), 0.02], by="B")
        teller.wait(0.9)
    teller.wait(2.0)
    for col, row in ((3, 3), (9, 9), (3, 9)):
        teller.play(Point(col, row))
    teller.wait(1.5)
    return teller


def careless(number: int) -> Teller:
    """Both players put their stones down carelessly."""
    story = _on(number, "careless", "Both players put every stone down a quarter of a pitch off its point")
    rng = np.random.default_rng(number)
    for _ in range(8):
        way = float(rng.uniform(0, 2 * np.pi))
        story.go(1, offset=[round(0.24 * float(np.cos(way)), 2), round(0.24 * float(np.sin(way)), 2)])
    return story.teller


def handicap(number: int) -> Teller:
    """Four handicap stones are put down one by one before White begins."""
    title = "Black puts four handicap stones on the star points one by one; then White begins"
    start = Game.of(Layout.empty(19), Colour.BLACK)
    teller = Teller("innocent-handicap", title, GROUP, start, number, shot(number))
    for name in ("D4", "Q16", "D16", "Q4"):
        teller.put(Colour.BLACK, Point.parse(name))
        teller.wait(1.8)
    teller.begins(Colour.WHITE)
    teller.wait(2.0)
    for name in ("F17", "C14", "R14", "O17", "K4", "H16"):
        teller.play(Point.parse(name))
    teller.wait(1.5)
    return teller


def thinking(number: int) -> Teller:
    """A player thinks for a minute; his hand comes and goes."""
    story = _on(number, "long-think", "A player thinks for forty seconds; the hand comes and goes over the board")
    story.go(2)
    teller, player = story.teller, story.to_play
    for wait, stay in ((8.0, 1.5), (9.0, 3.0), (7.0, 0.8)):
        teller.wait(wait)
        teller.do("hover", near=str(story.free()), by=player.value, **{"for": stay})
        teller.wait(stay + 1.5)
    story.go(3)
    return teller


def pointing(number: int) -> Teller:
    """A player taps on stones and counts with a finger."""
    story = _on(number, "counting-with-a-finger", "A player counts points with a finger low over the stones")
    story.go(2)
    teller, player = story.teller, story.to_play
    for stone in story.quiet(5, space=False):
        teller.do("hover", near=str(stone), by=player.value, height=1.0, spread=0.05, **{"for": 0.7})
        teller.wait(1.2)
    teller.wait(2.0)
    story.go(4)
    return teller


def resigns(number: int) -> Teller:
    """A player lays two stones on the rim of the board: the game is over, and the record stays as it is."""
    story = _on(number, "resigns", "A player lays two of his stones on the rim of the board: no move")
    story.go(4)
    teller, player = story.teller, story.to_play
    rim = [16.6, 18.85] if player is Colour.BLACK else [1.4, -0.85]
    for shift in (0.0, 1.1):
        teller.do("aside", color=player.value, by=player.value, at=[rim[0] + shift, rim[1]])
        teller.wait(1.2)
    teller.wait(5.0)
    return teller


def cleared(number: int) -> Teller:
    """After the game the board is cleared by both hands."""
    story = Story.on("innocent-board-cleared", "After the game the board is cleared", GROUP, number, 9, 30)
    story.go(2)
    teller = story.teller
    teller.wait(8.0)
    stones = [p for p in teller.board.points("X")] + [p for p in teller.board.points("O")]
    teller.take(sorted(stones, key=lambda p: (p.col, p.row)), step=0.3)
    teller.wait(15.0)
    return teller


def innocents() -> Iterator[Teller]:
    """Everything that looks like an incident and is none."""
    stories = (
        adjusted,
        pushed_on,
        long_hover,
        slow_capture,
        captured_first,
        by_the_other,
        nudged,
        resting_hand,
        into_the_lid,
        bowl_pushed,
        dimmed,
        hunting,
        sleeve_across,
        quick_exchange,
        behind_a_head,
        head_in_view,
        hesitation,
        hesitation_in_place,
        noticed,
        prisoner_back,
        ko_fight,
        snapback,
        big_capture,
        clocks,
        bulging,
        careless,
        handicap,
        thinking,
        pointing,
        resigns,
        cleared,
        review,
        seen_from_the_side,
    )
    yield from each(iter(stories), FIRST_SHOT)
