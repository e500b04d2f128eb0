"""A game that goes on: after a crash, after an adjournment, and with stones that are put down before it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kifuwatch.core.errors import FileFormatError, UsageError
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.core.times import FrameTime
from kifuwatch.film import FilmWatch, KnownBoard
from kifuwatch.live.beginnings import (
    MOST_MOVES,
    AwaitedStart,
    adjourned,
    completed,
    not_as_known,
    stones_missing,
    told_before,
)
from kifuwatch.live.plan import Clocks, Origin
from kifuwatch.live.seen import LastSeen
from kifuwatch.live.setup import GameSetup
from kifuwatch.reconstruct import Event, Gap, Incident, Move, Reconstructor, Retract, Setup
from kifuwatch.reconstruct.resuming import KnownGame, expected
from kifuwatch.record.events_log import event_line
from kifuwatch.record.events_read import events_of
from tests.live.made_up import Script, chequered, plain
from tests.recorder.test_film import HERE, OPENING, THERE, Table, codes, frame, pose_at, seen

BEFORE = """
.........
.........
..X...O..
.........
.........
......X..
..O......
.........
.........
"""
EMPTY = Layout.empty(9)


def layout(text: str) -> Layout:
    return Layout.from_rows(text.split())


def looks(
    story: Reconstructor | AwaitedStart, board: Callable[[float], Layout], start: float, stop: float
) -> list[Event]:
    """What becomes known from a time to another, ten looks a second."""
    events: list[Event] = []
    for k in range(round(start * 10), round(stop * 10)):
        events += story.see(plain(board(k / 10), FrameTime.of_seconds(k / 10)))
    return events


def moves_of(events: Sequence[Event]) -> list[tuple[int, str, str]]:
    return [(e.number, e.colour.value, str(e.at)) for e in events if isinstance(e, Move)]


class TestAfterACrash:
    script = Script(9, chequered(9, 9))

    def recorded(self, until: float) -> tuple[Reconstructor, list[Event]]:
        story = Reconstructor(9)
        return story, looks(story, self.script.board, 0.0, until)

    @settings(max_examples=7, deadline=None)
    @given(killed=st.floats(0.5, 25.0), gone=st.floats(0.1, 2.4), noted=st.booleans())
    def test_the_same_moves_with_the_same_numbers_are_told_once(self, killed: float, gone: float, noted: bool) -> None:
        killed, gone = round(killed, 1), round(gone, 1)
        story, told = self.recorded(killed)
        rows = [event_line(event) for event in told if not isinstance(event, Incident)]
        found = {"type": "board-found", "t": 0.0, "size": 9, "corners": [[0, 0], [9, 0], [9, 9], [0, 9]]}
        known = KnownGame.of(events_of(json.loads(json.dumps([found, *rows]))), killed)
        assert known is not None
        if noted:
            known = LastSeen.of(story, killed, False).added_to(known)
        again = Reconstructor.resumed(known)
        again.hold(killed, "the source was interrupted")
        back = killed + gone
        later = again.resume(back) + looks(again, self.script.board, back, self.script.end)
        wanted = [(n, "BW"[(n - 1) % 2], str(point)) for n, point in enumerate(self.script.points, start=1)]
        assert later[0] == Gap(killed, back, back, "the source was interrupted")
        assert sorted(moves_of(told) + moves_of(later)) == sorted(wanted)
        assert not any(isinstance(event, Incident | Retract) for event in later)

    def test_captured_stones_that_still_lie_there_are_not_told_as_moves(self) -> None:
        atari, played = layout(BEFORE), Point.parse("D5")
        start = Layout.empty(9).replaced({Point.parse(p): "O" for p in ("E5",)})
        start = start.replaced({Point.parse(p): "X" for p in ("E6", "F5", "E4")})
        story = Reconstructor(9, to_play=Colour.BLACK)
        lies = start.replaced({played: "X"})
        told = looks(story, lambda t: start if t < 2 else lies, 0.0, 5.0)
        assert [event.captures for event in told if isinstance(event, Move)] == [(Point.parse("E5"),)]
        known = KnownGame(start, tuple(e for e in told if isinstance(e, Move)), Colour.BLACK, 5.0)
        known = LastSeen.of(story, 5.0, False).added_to(known)
        again = Reconstructor.resumed(known)
        again.hold(5.0, "it was interrupted")
        events = again.resume(7.0) + looks(again, lambda t: lies if t < 8 else atari_gone(lies), 7.0, 12.0)
        assert moves_of(events) == []
        assert not any(isinstance(event, Incident) for event in events)
        assert atari.size == 9

    def test_what_does_not_agree_with_the_journal_is_not_believed(self, tmp_path: Path) -> None:
        story, told = self.recorded(10.0)
        LastSeen.of(story, 10.0, False).save(tmp_path / "seen.json")
        noted = LastSeen.load(tmp_path / "seen.json")
        assert noted is not None
        moves = tuple(event for event in told if isinstance(event, Move))
        known = KnownGame(EMPTY, moves, None, 10.0)
        assert noted.added_to(known).visible == story.visible
        assert noted.added_to(replace(known, moves=moves[:-1])).visible is None
        for junk in ("", "{", "[]", '{"time": 1}'):
            (tmp_path / "seen.json").write_text(junk)
            assert LastSeen.load(tmp_path / "seen.json") is None


def atari_gone(lies: Layout) -> Layout:
    return lies.replaced({Point.parse("E5"): "."})


class TestWhereTheBoardIs:
    """The watch of a game that goes on looks for the board, and turns it as it was known."""

    def resumed(self, table: Table, known: Layout = OPENING) -> FilmWatch:
        return FilmWatch(table, table, pose=pose_at(HERE), known=KnownBoard(10.0, known))

    def test_where_it_was(self) -> None:
        watch = self.resumed(Table())
        assert watch.pause is not None
        assert watch.pause.since == 10.0
        assert seen(watch, 11, 13)[-1] == OPENING
        assert watch.pause is None
        assert codes(watch) == []

    @pytest.mark.parametrize("turn", range(4))
    def test_after_the_camera_was_moved_meanwhile(self, turn: int) -> None:
        table = Table()
        table.corners, table.layout = THERE, OPENING.turned(turn)
        watch = self.resumed(table)
        assert seen(watch, 15, 17)[-1] == OPENING
        assert codes(watch) == [("camera-lost", True), ("board-moved", False)]

    def test_after_more_was_played_than_a_look_believes(self) -> None:
        table = Table()
        table.layout = OPENING.replaced({point: "X" for point in OPENING.points(".")[:5]})
        watch = self.resumed(table)
        assert set(seen(watch, 11, 13.5)) == {None}, "it may be another board: a second look"
        assert seen(watch, 13.5, 16)[-1] == table.layout

    def test_in_a_longer_gap_more_may_have_been_played(self) -> None:
        table = Table()
        table.layout = OPENING.replaced({point: "X" for point in OPENING.points(".")[:5]})
        assert seen(self.resumed(table), 17, 18)[-1] == table.layout

    def test_pictures_of_another_size_are_no_other_board(self) -> None:
        """The camera was set to another resolution in the middle of the game."""
        table = Table()
        watch = FilmWatch(table, table)
        seen(watch, 0, 1)
        large = frame(1.0)
        small = replace(large, image=large.image[::2, ::2].copy())
        assert watch.look(small) is None
        assert watch.pause is not None
        assert watch.pause.reason == "the source was interrupted"
        assert seen(watch, 1.1, 4)[-1] == OPENING
        assert codes(watch) == []


HANDICAP = GameSetup("test:", handicap=2, size=9)


class TestStonesBeforeTheGame:
    def test_handicap_stones_are_no_moves(self) -> None:
        one = EMPTY.replaced({Point.parse("C3"): "X"})
        two = one.replaced({Point.parse("G7"): "X"})
        three = two.replaced({Point.parse("G3"): "O"})
        story = AwaitedStart(Reconstructor(9, to_play=Colour.WHITE), stones_missing(HANDICAP), "setup")

        def board(t: float) -> Layout:
            return EMPTY if t < 3 else one if t < 6 else two if t < 12 else three

        events = looks(story, board, 0.0, 16.0)
        setups = [event for event in events if isinstance(event, Setup)]
        assert [(s.black, s.to_play) for s in setups] == [((Point.parse("G7"), Point.parse("C3")), Colour.WHITE)]
        assert moves_of(events) == [(1, "W", "G3")]
        assert not any(isinstance(event, Incident) for event in events)

    def test_other_stones_than_agreed_on_are_asked_about_when_play_goes_on(self) -> None:
        one = EMPTY.replaced({Point.parse("C3"): "X"})
        two = one.replaced({Point.parse("G3"): "O"})
        story = AwaitedStart(Reconstructor(9, to_play=Colour.WHITE), stones_missing(HANDICAP), "setup")
        assert looks(story, lambda t: one, 0.0, 40.0) == []
        events = looks(story, lambda t: two, 40.0, 62.0)
        assert [event.code for event in events if isinstance(event, Incident)] == ["setup"]

    def test_four_corner_stones(self) -> None:
        setup = GameSetup("test:", corner_stones=True, size=9, rules="ancient")
        corners = {Point(2, 2): "X", Point(6, 6): "X", Point(2, 6): "O", Point(6, 2): "O"}
        missing = stones_missing(setup)
        assert missing(EMPTY) is None
        assert missing(EMPTY.replaced(corners)) == []
        wrong = {**corners, Point(6, 6): "O"}
        assert missing(EMPTY.replaced(wrong)) is None

    def test_a_hand_over_the_board_is_waited_out(self) -> None:
        two = EMPTY.replaced({Point.parse("C3"): "X", Point.parse("G7"): "X"})
        covered = Layout(9, "?" * 9 + two.cells[9:])
        story = AwaitedStart(Reconstructor(9, to_play=Colour.WHITE), stones_missing(HANDICAP), "setup")
        for k in range(50):
            seen_now = plain(two, FrameTime.of_seconds(k / 10))
            seen_now.covered[0, :] = True
            assert story.see(seen_now) == []
        assert story.waiting
        assert covered.cells.count("?") == 9


SGF = "(;GM[1]FF[4]SZ[9]KM[7.5]PB[A]PW[B];B[ee];W[gf];B[fg];W[gg])"


class TestAdjourned:
    known = adjourned(GameSetup("test:", continue_from=SGF))

    def test_its_moves_are_told_first_and_it_waits_for_its_board(self) -> None:
        assert self.known is not None
        should = expected(self.known)
        inner = Reconstructor.resumed(self.known)
        inner.hold(0.0, "the game was adjourned")
        story = AwaitedStart(inner, not_as_known(self.known), "resume-differs", told_before(self.known))
        half = should.replaced({Point.parse("G4"): "."})
        after = should.replaced({Point.parse("F5"): "X"})

        def board(t: float) -> Layout:
            return EMPTY if t < 3 else half if t < 6 else should if t < 10 else after

        events = looks(story, board, 0.0, 14.0)
        assert moves_of(events) == [
            (1, "B", "E5"), (2, "W", "G4"), (3, "B", "F3"), (4, "W", "G3"), (5, "B", "F5"),
        ]  # fmt: skip
        assert not any(isinstance(event, Incident) for event in events)

    def test_what_it_says_of_the_game_is_taken_over(self) -> None:
        setup = completed(GameSetup("test:", white="C", continue_from=SGF))
        assert (setup.size, setup.komi, setup.black, setup.white) == (9, 7.5, "A", "C")
        assert completed(GameSetup("test:")) == GameSetup("test:")

    def test_a_board_that_stays_different_is_asked_about(self) -> None:
        assert self.known is not None
        inner = Reconstructor.resumed(self.known)
        inner.hold(0.0, "the game was adjourned")
        story = AwaitedStart(inner, not_as_known(self.known), "resume-differs")
        wrong = expected(self.known).replaced({Point.parse("G4"): ".", Point.parse("G5"): "O"})
        events = looks(story, lambda t: wrong, 0.0, 22.0)
        asked = [event for event in events if isinstance(event, Incident)]
        assert asked[0].code == "resume-differs"
        assert {str(point) for point in asked[0].at} == {"G4", "G5"}

    @pytest.mark.parametrize(
        ("sgf", "size", "sentence"),
        [
            ("not a record", None, "the record to go on from"),
            (SGF, 19, "is of 9 lines, and the board of 19"),
            ("(;SZ[9];B[ee];AW[aa]W[gf])", None, "changes stones by hand behind move 1"),
            ("(;SZ[9]" + ";B[aa];W[ba]" * (MOST_MOVES // 2 + 1) + ")", None, "more moves than a game has"),
        ],
    )
    def test_what_cannot_be_gone_on_from_is_one_sentence(self, sgf: str, size: int | None, sentence: str) -> None:
        with pytest.raises((FileFormatError, UsageError), match=sentence):
            adjourned(GameSetup("test:", size=size, continue_from=sgf))

    @settings(max_examples=60, deadline=None)
    @given(st.text(alphabet="();BWABKMSZPL[]aegt19:\\ \n", max_size=120))
    def test_no_text_makes_it_fall_over(self, text: str) -> None:
        try:
            known = adjourned(GameSetup("test:", continue_from=text))
        except (FileFormatError, UsageError):
            return
        assert known is not None


class TestClock:
    """Durations are those of a clock that only runs forward; the one on the wall may be put right at any time."""

    @given(st.floats(-4e3, 4e3), st.floats(0.0, 1e5))
    def test_a_clock_on_the_wall_that_jumps_changes_nothing(self, jump: float, gone: float) -> None:
        clocks = Clocks(lambda: 50.0 + gone, lambda: 1e9 + gone + jump, "boot")
        assert Origin(50.0, 1e9, "boot").elapsed(clocks, 0.0) == pytest.approx(gone)

    @given(st.floats(-4e3, 4e3), st.floats(0.0, 1e5))
    def test_after_the_machine_was_off_time_never_goes_back(self, jump: float, last: float) -> None:
        clocks = Clocks(lambda: 3.0, lambda: 1e9 + jump, "another boot")
        assert Origin(50.0, 1e9, "boot").elapsed(clocks, last) == pytest.approx(max(jump, last), abs=1e-6)
