"""When captured stones are off the board: a clock may be pressed only then (cn2002 22.6, cn1988 23.4)."""

from __future__ import annotations

from kifuwatch.reconstruct import Cleared, Event, Move
from tests.reconstruct.script import FOUR_IN_ATARI, place, remove, watch
from tests.reconstruct.stage import Report


def cleared(report: Report) -> list[Cleared]:
    return [event for event in report.events if isinstance(event, Cleared)]


def kinds(events: list[Event]) -> list[type]:
    return [type(event) for event in events if isinstance(event, Move | Cleared)]


def test_four_stones_taken_off_one_by_one() -> None:
    report = watch(FOUR_IN_ATARI, place(2.0, "B F5"), remove(4.0, "E6", "D6", "E5", "D5"), duration=12.0)
    (told,) = cleared(report)
    assert kinds(report.events) == [Move, Cleared]
    assert (told.number, len(told.stones)) == (1, 4)
    assert 4.0 < told.t < 8.5
    assert told.t == max(stone.t for stone in told.stones)
    assert all(stone.not_before is not None and stone.not_before <= stone.t for stone in told.stones)


def test_stones_that_lie_there_still_are_not_cleared() -> None:
    assert cleared(watch(FOUR_IN_ATARI, place(2.0, "B F5"), duration=12.0)) == []
    assert cleared(watch(FOUR_IN_ATARI, place(2.0, "B F5"), remove(4.0, "E6", "D6"), duration=12.0)) == []


def test_a_move_that_captures_nothing_is_not_spoken_of() -> None:
    assert cleared(watch(FOUR_IN_ATARI, place(2.0, "B J9"), duration=8.0)) == []
