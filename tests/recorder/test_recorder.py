"""The loop of recording, with parts that do as they are told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pytest

from kifuwatch.arbiter import Alert, AlertTable
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.errors import NoBoardError, OutputError, SourceError
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.core.times import FrameTime
from kifuwatch.reconstruct.events import BoardFound, Event, Incident, Move, PositionSeen, Retract
from kifuwatch.recorder import Happening, Progress, Recorder, Recording, SoFar
from kifuwatch.vision.observation import Observation
from kifuwatch.vision.sources import Frame, FrameSource
from kifuwatch.vision.sources.base import Rate
from kifuwatch.watch import Notice, Pause, View, Watch

EMPTY = Layout.empty(9)
CORNERS = ((100.0, 100.0), (500.0, 100.0), (500.0, 500.0), (100.0, 500.0))
POSE = BoardPose.from_corners(CORNERS, BoardSpec(9), (640, 600))
BLANK = Observation(
    FrameTime(0),
    np.full((9, 9, 3), 1 / 3, np.float32),
    np.zeros((9, 9), np.bool_),
    np.zeros((9, 9, 2), np.float32),
    np.zeros((9, 9), np.bool_),
)


class Film(FrameSource):
    """Ten frames a second; may break off, or be stopped from outside, before a frame."""

    def __init__(self, frames: int, fault: BaseException | None = None) -> None:
        super().__init__("film.mp4")
        self.frame_count = frames
        self.fault = fault

    @property
    def size(self) -> tuple[int, int]:
        return 640, 600

    def frames(self, at_most_fps: Rate = None) -> Iterator[Frame]:
        for index in range(self.frame_count or 0):
            yield Frame(index, FrameTime.of_seconds(index / 10), np.zeros((600, 640, 3), np.uint8))
        if self.fault is not None:
            raise self.fault

    def _release(self) -> None: ...


@dataclass
class FakeWatch:
    """Sees the board from a frame on."""

    first: int = 0
    reason: str = "a hand is in the way"
    looks_a_second: float | None = None
    pause: Pause | None = None

    def notices(self) -> list[Notice]:
        return []

    def look(self, frame: Frame) -> View | None:
        return View(frame, POSE, BLANK) if frame.index >= self.first else None


@dataclass
class PatchyWatch(FakeWatch):
    """Sees the board on all frames but some."""

    unseen: frozenset[int] = frozenset()
    reason: str = "there is a chessboard"

    def look(self, frame: Frame) -> View | None:
        return None if frame.index in self.unseen else View(frame, POSE, BLANK)


def without(*unseen: int) -> PatchyWatch:
    return PatchyWatch(unseen=frozenset(unseen))


@dataclass
class BumpedWatch(FakeWatch):
    """Does not know where the board is on some frames, and says so when it knows again."""

    lost: range = range(0)
    told: bool = False

    def look(self, frame: Frame) -> View | None:
        held = frame.index in self.lost
        self.over = frame.index >= self.lost.stop
        self.pause = Pause(self.lost.start / 10, "the camera was moved") if held else None
        return None if held else View(frame, POSE, BLANK)

    def notices(self) -> list[Notice]:
        told, self.told = self.told, self.over
        notice = Notice(0.2, 0.4, "board-moved", False, {"from": "0.2", "to": "0.4"})
        return [notice] if self.over and not told else []


class Photographs(Film):
    """A folder of photographs."""

    settled = True


def move(number: int, at: str, t: float = 0.0) -> Move:
    colour = Colour.BLACK if number % 2 else Colour.WHITE
    return Move(t, t + 0.1, number, colour, Point.parse(at))


@dataclass
class FakeStory:
    """Tells what the script says, reading after reading."""

    script: list[list[Event]]
    told: int = 0
    held: tuple[float, str] | None = None

    def see(self, observation: Observation) -> Sequence[Event]:
        self.told += 1
        return self.script[self.told - 1] if self.told <= len(self.script) else []

    def hold(self, time: float, reason: str) -> None:
        self.held = (time, reason)

    def resume(self, time: float) -> Sequence[Event]:
        assert self.held is not None
        return [Incident(self.held[0], time, "view-blocked", (), 1, "info", facts={"reason": self.held[1]})]

    def finish(self, time: float) -> Sequence[Event]:
        return [PositionSeen(time, EMPTY, EMPTY)]


@dataclass
class FakeKeeper:
    kept: list[Happening] = field(default_factory=list)
    closed: int = 0
    fault: Exception | None = None

    def keep(self, happening: Happening, view: View) -> None:
        if self.fault is not None:
            raise self.fault
        self.kept.append(happening)

    def close(self) -> None:
        self.closed += 1


def recorder(
    script: list[list[Event]],
    keeper: FakeKeeper,
    watch: Watch | None = None,
    progress: Callable[[Progress], None] = lambda progress: None,
    stop: Callable[[], bool] = lambda: False,
) -> Recorder:
    watch = watch or FakeWatch()
    return Recorder(watch, lambda size: FakeStory(script), AlertTable.load().alert, [keeper], progress, stop)


GAME: list[list[Event]] = [[move(1, "E5", 0.0)], [], [move(2, "C3", 0.2)]]


class TestRecording:
    def test_what_becomes_known_is_kept_in_order(self) -> None:
        keeper = FakeKeeper()
        recording = recorder(GAME, keeper).run(Film(5))
        assert [type(event) for event in keeper.kept] == [BoardFound, Move, Move, PositionSeen]
        assert keeper.kept == list(recording.events)
        assert [str(each.at) for each in recording.moves] == ["E5", "C3"]
        assert (recording.size, recording.seconds, recording.position) == (9, 0.4, EMPTY)
        assert keeper.closed == 1

    def test_incidents_become_alerts(self) -> None:
        incident = Incident(0.1, 0.2, "moved-stone", (Point.parse("D4"), Point.parse("E4")), 1)
        keeper = FakeKeeper()
        recording = recorder([[incident]], keeper).run(Film(2))
        (alert,) = recording.alerts
        assert isinstance(keeper.kept[1], Alert)
        assert (alert.code, alert.move, alert.articles["cn2002"]) == ("moved-stone", 1, "17.5")

    def test_moves_that_were_taken_back_do_not_stand(self) -> None:
        script: list[list[Event]] = [*GAME, [Retract(0.3, 0.3, 2, "seen better"), move(2, "C4", 0.2)]]
        recording = recorder(script, FakeKeeper()).run(Film(5))
        assert [str(each.at) for each in recording.moves] == ["E5", "C4"]
        assert len(recording.events) == 6

    def test_who_looks_on_sees_every_look_before_what_became_known_by_it(self) -> None:
        class Onlooking(FakeKeeper):
            def look(self, view: View) -> None:
                said.append(f"look {view.frame.index}")

            def keep(self, happening: Happening, view: View) -> None:
                said.append(type(happening).__name__)

        said: list[str] = []
        recorder(GAME, Onlooking(), without(3)).run(Film(5))
        assert said == [
            *("look 0", "BoardFound", "Move", "look 1", "look 2", "Move", "look 4", "PositionSeen"),
        ]

    def test_progress_says_how_far_it_is(self) -> None:
        said: list[Progress] = []
        script: list[list[Event]] = [*GAME, [Retract(0.3, 0.3, 2, "seen better")]]
        recorder(script, FakeKeeper(), FakeWatch(first=1), said.append).run(Film(5))
        assert [each.frames for each in said] == [1, 2, 3, 4, 5]
        assert [each.moves for each in said] == [0, 1, 1, 2, 1]
        assert [each.board_found for each in said] == [False, True, True, True, True]


class TestPhotographsWithoutABoard:
    def test_one_is_a_notice_and_is_named(self) -> None:
        recording = recorder(GAME, FakeKeeper(), without(2)).run(Photographs(6))
        assert [(alert.code, alert.level, alert.t) for alert in recording.alerts] == [("board-lost", "info", 0.2)]
        assert (recording.without_board, recording.frames) == (("2",), 6)

    def test_several_in_a_row_are_a_warning(self) -> None:
        recording = recorder(GAME, FakeKeeper(), without(1, 2, 3, 4, 6)).run(Photographs(8))
        assert [(alert.level, alert.t, alert.seen) for alert in recording.alerts] == [
            ("info", 0.1, 0.1),
            ("warning", 0.1, pytest.approx(0.3)),
            ("info", 0.6, 0.6),
        ]

    def test_those_before_the_first_board_are_told_when_it_is_found(self) -> None:
        keeper = FakeKeeper()
        recorder(GAME, keeper, without(0)).run(Photographs(3))
        assert [type(event) for event in keeper.kept][:2] == [BoardFound, Alert]

    def test_a_film_may_start_before_the_board_is_seen(self) -> None:
        recording = recorder(GAME, FakeKeeper(), without(0, 1, 2)).run(Film(5))
        assert (recording.alerts, recording.without_board) == ((), ())


class TestABoardThatIsMoved:
    def test_the_story_waits_and_the_gap_is_told_before_it_goes_on(self) -> None:
        keeper = FakeKeeper()
        script: list[list[Event]] = [[move(1, "E5")], [], [move(2, "C3", 0.4)]]
        recorder(script, keeper, BumpedWatch(lost=range(2, 4))).run(Film(5))
        assert [type(event) for event in keeper.kept] == [BoardFound, Move, Alert, Alert, Move, PositionSeen]
        gap = keeper.kept[2]
        assert isinstance(gap, Alert)
        assert (gap.t, gap.seen, gap.evidence) == (0.2, 0.4, ("reason: the camera was moved",))

    def test_what_the_watch_noticed_is_the_arbiters_to_know(self) -> None:
        (_, alert) = recorder([], FakeKeeper(), BumpedWatch(lost=range(2, 4))).run(Film(5)).alerts
        assert (alert.code, alert.level, alert.evidence) == ("board-moved", "info", ("from: 0.2", "to: 0.4"))

    def test_a_watch_that_sees_nothing_move_looks_less_often(self) -> None:
        rates: list[float | None] = []

        class Calm(Film):
            def frames(self, at_most_fps: Rate = None) -> Iterator[Frame]:
                for frame in super().frames():
                    rates.append(at_most_fps() if callable(at_most_fps) else at_most_fps)
                    yield frame

        watch = FakeWatch(looks_a_second=5.0)
        Recorder(watch, lambda size: FakeStory([]), AlertTable.load().alert).run(Calm(2), 10.0)
        watch.looks_a_second = 30.0
        Recorder(watch, lambda size: FakeStory([]), AlertTable.load().alert).run(Calm(1), 10.0)
        assert rates == [5.0, 5.0, 10.0]


class TestWhatCouldNotBeRead:
    def test_pictures_that_were_not_decoded_are_counted(self) -> None:
        film = Film(3)
        film.decode_failures = 2
        assert recorder(GAME, FakeKeeper()).run(film).warning == "film.mp4: 2 pictures could not be decoded: left out"

    def test_what_the_source_says_itself_goes_first(self) -> None:
        film = Film(3)
        film.decode_failures, film.warning = 2, "film.mp4 is cut off: its end is missing"
        assert recorder(GAME, FakeKeeper()).run(film).warning == "film.mp4 is cut off: its end is missing"

    def test_a_whole_film_has_no_warning(self) -> None:
        assert recorder(GAME, FakeKeeper()).run(Film(3)).warning == ""


class TestEndings:
    def test_no_frame_with_a_board(self) -> None:
        keeper = FakeKeeper()
        with pytest.raises(NoBoardError, match=r"film\.mp4: no board was found on any frame \(a hand is in the way\)"):
            recorder(GAME, keeper, FakeWatch(first=99)).run(Film(5))
        assert keeper.kept == []

    def test_a_source_that_fails_before_any_board_is_a_fault(self) -> None:
        with pytest.raises(SourceError, match="cable"):
            recorder(GAME, FakeKeeper(), FakeWatch(first=99)).run(Film(5, SourceError("the cable is out")))

    def test_a_source_that_breaks_off_leaves_a_whole_record_and_an_alert(self) -> None:
        keeper = FakeKeeper()
        recording = recorder(GAME, keeper).run(Film(5, SourceError("the cable is out")))
        assert recording.lost == "the cable is out"
        assert [alert.code for alert in recording.alerts] == ["camera-lost"]
        assert isinstance(keeper.kept[-1], PositionSeen)
        assert keeper.closed == 1

    def test_an_interrupted_recording_is_whole(self) -> None:
        keeper = FakeKeeper()
        recording = recorder(GAME, keeper).run(Film(5, KeyboardInterrupt()))
        assert recording.interrupted
        assert isinstance(keeper.kept[-1], PositionSeen)

    def test_a_recording_can_be_stopped_between_two_frames(self) -> None:
        keeper = FakeKeeper()
        recording = recorder(GAME, keeper, stop=lambda: len(keeper.kept) == 2).run(Film(5))
        assert recording.interrupted
        assert len(recording.moves) == 1

    def test_an_interruption_before_any_board_leaves_nothing(self) -> None:
        keeper = FakeKeeper()
        with pytest.raises(KeyboardInterrupt):
            recorder(GAME, keeper, FakeWatch(first=99)).run(Film(5, KeyboardInterrupt()))
        assert keeper.kept == []
        assert keeper.closed == 1

    def test_a_full_disk_ends_the_recording(self) -> None:
        keeper = FakeKeeper(fault=OutputError("the disk is full"))
        with pytest.raises(OutputError, match="the disk is full"):
            recorder(GAME, keeper).run(Film(5))
        assert keeper.closed == 1


class TestGoingOn:
    """A recording that goes on where another one ended."""

    BEFORE = (BoardFound(0.0, 9, CORNERS), move(1, "D4"), move(2, "F6"))

    def test_what_was_told_is_not_told_again(self) -> None:
        keeper, told = FakeKeeper(), list[Progress]()
        story = FakeStory([[move(3, "C3", 2.0)]])
        recorder = Recorder(FakeWatch(), no_story, no_alert, [keeper], told.append, so_far=SoFar(story, self.BEFORE))
        recording = recorder.run(Film(2))
        assert keeper.kept == [move(3, "C3", 2.0), PositionSeen(0.1, EMPTY, EMPTY)]
        assert [each.number for each in recording.moves] == [1, 2, 3]
        assert [(each.moves, each.board_found) for each in told] == [(3, True), (3, True)]

    def test_what_becomes_known_before_the_board_is_seen_waits(self) -> None:
        keeper = FakeKeeper()
        watch = BumpedWatch(lost=range(0, 2))
        story = FakeStory([[move(3, "C3", 2.0)]])
        recorder = Recorder(watch, no_story, AlertTable.load().alert, [keeper], so_far=SoFar(story, self.BEFORE))
        recorder.run(Film(4))
        kinds = [getattr(each, "code", type(each).__name__) for each in keeper.kept]
        assert kinds == ["view-blocked", "board-moved", "Move", "PositionSeen"]

    def test_one_that_never_saw_the_board_again_is_no_recording(self) -> None:
        recorder = Recorder(FakeWatch(first=99), no_story, no_alert, so_far=SoFar(FakeStory([]), self.BEFORE))
        with pytest.raises(NoBoardError):
            recorder.run(Film(2))

    def test_what_becomes_known_at_one_moment_is_kept_together(self) -> None:
        class Together(FakeKeeper):
            def keep_all(self, happenings: Sequence[Happening], view: View) -> None:
                self.groups.append(len(happenings))

            groups: ClassVar[list[int]] = []

        keeper = Together()
        story = FakeStory([[Retract(1.0, 1.0, 2, "another"), move(2, "C3", 1.0)]])
        Recorder(FakeWatch(), no_story, no_alert, [keeper], so_far=SoFar(story, self.BEFORE)).run(Film(1))
        assert keeper.groups == [2, 1]
        assert keeper.kept == []


def no_story(lines: int) -> FakeStory:
    raise AssertionError("the game goes on: no new one is to begin")


def no_alert(incident: Incident) -> Alert:
    raise AssertionError("nothing has happened")


def test_a_recording_needs_no_recorder() -> None:
    """Events that were kept can be folded again."""
    events: list[Happening] = [BoardFound(0.0, 9), move(1, "E5"), PositionSeen(1.0, EMPTY, EMPTY)]
    assert Recording.of(events, 1.0).moves == (move(1, "E5"),)
