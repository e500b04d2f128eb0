"""Laws that hold for every line of play, legal or not."""

from __future__ import annotations

from functools import reduce

from hypothesis import given, settings
from hypothesis import strategies as st

from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.rules import Fault, Game, Play

Move = tuple[Colour, Point | None]
law = settings(max_examples=150, deadline=None)  # a busy machine is no fault of the rules
SWAP = str.maketrans("XO", "OX")


@st.composite
def lines(draw: st.DrawFn) -> Game:
    """A line on a small board, where captures, kos and suicides come at every turn. Mostly by turns."""
    size = draw(st.integers(2, 5))
    at = st.builds(Point, st.integers(0, size - 1), st.integers(0, size - 1))
    step = st.tuples(at | at | at | st.none(), st.sampled_from([True] * 9 + [False]))
    game = Game.empty(size)
    for point, in_turn in draw(st.lists(step, max_size=40)):
        turn = game.position.to_play
        game = game.play(turn if in_turn else turn.opponent, point)
    return game


def stones(layout: Layout) -> int:
    return sum(cell != "." for cell in layout.cells)


def moves_of(game: Game) -> list[Move]:
    return [(play.colour, play.point) for play in game.plays]


def again(game: Game, moves: list[Move]) -> Game:
    return reduce(lambda line, move: line.play(*move), moves, game)


@law
@given(lines())
def test_no_chain_is_ever_left_without_liberties(game: Game) -> None:
    for colour in Colour:
        assert game.position.chains_without_liberties(colour) == ()


@law
@given(lines())
def test_stones_are_conserved(game: Game) -> None:
    for number, play in enumerate(game.plays, 1):
        before, after = game.position_at(number - 1).layout, play.position.layout
        gone = len(play.captured) + len(play.self_captured) + (play.replaced is not None)
        assert stones(after) == stones(before) + (play.point is not None) - gone
        assert all(before[point] == play.colour.opponent.cell for point in play.captured)
        assert all(after[point] == "." for point in play.captured | play.self_captured)


@law
@given(lines())
def test_only_the_stone_and_what_it_takes_changes(game: Game) -> None:
    for number, play in enumerate(game.plays, 1):
        touched = {point for point, _, _ in game.position_at(number - 1).layout.changes(play.position.layout)}
        assert touched <= play.captured | play.self_captured | {play.point}


@law
@given(lines(), st.integers(0, 40))
def test_play_then_undo_is_the_same(game: Game, count: int) -> None:
    count = min(count, len(game))
    shorter = game.undo(count)
    assert shorter.position == game.position_at(len(game) - count)
    assert again(shorter, moves_of(game)[len(game) - count :]) == game


@law
@given(lines())
def test_chains_divide_the_stones(game: Game) -> None:
    position = game.position
    for colour in Colour:
        chains = position.chains(colour)
        assert sorted(point for chain in chains for point in chain) == sorted(position.layout.points(colour.cell))
        for chain in chains:
            assert all(position.chain_at(point) == chain for point in chain)


@law
@given(lines())
def test_repetition_is_what_looking_back_at_every_board_finds(game: Game) -> None:
    for number, play in enumerate(game.plays, 1):
        earlier = [
            i
            for i in range(number)
            if (i == 0 or game.plays[i - 1].point is not None)
            and game.position_at(i).layout == play.position.layout
            and play.point is not None
        ]
        alike = [i for i in earlier if game.position_at(i).to_play is play.position.to_play]
        assert (play.positional.earlier if play.positional else None) == (earlier[-1] if earlier else None)
        assert (play.situational.earlier if play.situational else None) == (alike[-1] if alike else None)
        assert (Fault.POSITIONAL_REPEAT in play.faults) == bool(earlier)
        assert (Fault.SITUATIONAL_REPEAT in play.faults) == bool(alike)
        assert all(r is None or r.earlier + r.cycle == number for r in (play.positional, play.situational))


@law
@given(lines())
def test_a_simple_ko_brings_back_the_board_of_two_moves_ago(game: Game) -> None:
    """And nothing else does, but a suicide after a suicide, or after a pass, that leave the board as it was."""
    for number in range(2, len(game) + 1):
        before, play = game.plays[number - 2 : number]
        back = game.position_at(number - 2).layout == play.position.layout
        stones = before.point is not None and play.point is not None and not play.self_captured
        assert (Fault.KO in play.faults) == (back and stones)


def shape(play: Play) -> tuple[object, ...]:
    """What a mirror or a change of colours does not change in a play."""
    counts = len(play.captured), len(play.self_captured), play.replaced is None
    return (*counts, play.faults, play.positional, play.situational)


@law
@given(lines())
def test_the_rules_do_not_know_black_from_white(game: Game) -> None:
    start = Game.of(Layout(game.start.size, game.start.layout.cells), Colour.WHITE)
    swapped = again(start, [(colour.opponent, point) for colour, point in moves_of(game)])
    for play, other in zip(game.plays, swapped.plays, strict=True):
        assert shape(play) == shape(other)
        assert play.position.layout.cells.translate(SWAP) == other.position.layout.cells


@law
@given(lines(), st.integers(0, 3), st.booleans())
def test_the_rules_do_not_know_where_the_board_is_turned(game: Game, quarters: int, mirrored: bool) -> None:
    last = game.start.size - 1

    def turned(point: Point | None) -> Point | None:
        if point is None:
            return None
        col, row = (last - point.col if mirrored else point.col), point.row
        for _ in range(quarters):
            col, row = row, last - col
        return Point(col, row)

    other = again(Game.empty(game.start.size), [(colour, turned(point)) for colour, point in moves_of(game)])
    for play, mirror in zip(game.plays, other.plays, strict=True):
        assert shape(play) == shape(mirror)
        assert {turned(point) for point in play.captured} == mirror.captured
        assert turned(play.position.ko_point) == mirror.position.ko_point
