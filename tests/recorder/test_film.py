"""Following a board through a film: with parts that do as they are told, and with clips made here and now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest

import kifuwatch
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.errors import NoBoardError
from kifuwatch.core.points import Layout
from kifuwatch.core.times import FrameTime
from kifuwatch.datasets.clip_script import parse_script
from kifuwatch.datasets.clip_source import ScenarioSource
from kifuwatch.film import BUSY, CALM, FilmWatch
from kifuwatch.recorder import Recording
from kifuwatch.vision.changes import Change
from kifuwatch.vision.following import Sight
from kifuwatch.vision.observation import CELLS, Observation
from kifuwatch.vision.sources import Frame
from kifuwatch.watch import Found, Image

Corners = tuple[tuple[float, float], ...]
HERE: Corners = ((100.0, 100.0), (500.0, 100.0), (500.0, 500.0), (100.0, 500.0))
THERE: Corners = ((300.0, 120.0), (700.0, 110.0), (720.0, 520.0), (310.0, 500.0))
OPENING = Layout.from_rows(["X....", ".....", "..O..", ".....", "....O"])
STILL, ALL = np.zeros((5, 5), np.bool_), np.ones((5, 5), np.bool_)


def pose_at(corners: Corners, turn: int = 0) -> BoardPose:
    return BoardPose.from_corners(corners, BoardSpec(5), (1000, 700)).turned(turn)


@dataclass(frozen=True)
class FakeFound:
    pose: BoardPose
    confidence: float = 0.95
    others: tuple[Found, ...] = ()


@dataclass
class Table:
    """A board on a table, and who looks at it: finder and follower in one. ``corners`` None: no board is in view."""

    corners: Corners | None = HERE
    layout: Layout = OPENING
    moving: bool = False
    confidences: list[float] = field(default_factory=list)
    asked: list[int | None] = field(default_factory=list)
    followed: BoardPose | None = None

    def find(self, image: Image, size: int | None = None) -> FakeFound:
        self.asked.append(size)
        if self.corners is None:
            raise NoBoardError("a hand is in the way")
        return FakeFound(pose_at(self.corners), self.confidences.pop(0) if self.confidences else 0.95)

    def check(self, image: Image, pose: BoardPose) -> FakeFound:
        if self.corners is None or not self._turn_of(pose):
            raise NoBoardError("the board is no longer where it was")
        return FakeFound(pose)

    def begin(self, image: Image, pose: BoardPose, time: FrameTime) -> Sight:
        self.followed = pose
        return self.try_at(image, pose, time)

    def try_at(self, image: Image, pose: BoardPose, time: FrameTime) -> Sight:
        turn = self._turn_of(pose)
        seen = self.layout.turned(turn[0]) if turn else Layout(5, "XO" * 12 + ".")
        cells = np.array(list(seen.cells)).reshape(5, 5)
        chances = np.stack([cells == cell for cell in CELLS], axis=-1).astype(np.float32)
        observation = Observation(time, chances, STILL, np.zeros((5, 5, 2), np.float32), STILL)
        here = ALL if self.moving else STILL
        return Sight(observation, Change(here, here, 1.0, 120.0), float(self.moving), None, STILL)

    def look(self, image: Image, time: FrameTime) -> Sight:
        assert self.followed is not None
        return self.try_at(image, self.followed, time)

    def disown(self) -> None: ...

    def glance(self, image: Image) -> Change:
        assert self.followed is not None
        return Change(STILL if self._turn_of(self.followed) else ALL, ALL if self.moving else STILL, 1.0, 120.0)

    def _turn_of(self, pose: BoardPose) -> list[int]:
        corners = np.array(self.corners) if self.corners is not None else np.zeros((4, 2))
        return [t for t in range(4) if np.allclose(pose.corners, np.roll(corners, t, axis=0), atol=2)]


def frame(seconds: float, after_gap: bool = False, level: int = 120, elsewhere: bool = False) -> Frame:
    image = np.full((700, 1000, 3), level, np.uint8)
    if level > 0:
        image[(slice(None), slice(0, 350)) if elsewhere else slice(0, 350)] += 60  # it shows something
    return Frame(round(seconds * 10), FrameTime.of_seconds(seconds), image, after_gap)


def seen(watch: FilmWatch, start: float, stop: float, level: int = 120, elsewhere: bool = False) -> list[Layout | None]:
    """What the watch says from a time to another, ten times a second."""
    frames = [frame(k / 10, False, level, elsewhere) for k in range(round(start * 10), round(stop * 10))]
    views = [watch.look(each) for each in frames]
    return [None if view is None else view.observation.layout() for view in views]


def codes(watch: FilmWatch) -> list[tuple[str, bool]]:
    return [(notice.code, notice.serious) for notice in watch.notices()]


class TestFinding:
    def test_the_board_is_found_once_and_kept(self) -> None:
        table = Table()
        assert seen(FilmWatch(table, table, 5), 0, 0.5) == [OPENING] * 5
        assert table.asked == [5]

    def test_a_hand_at_the_start_is_waited_out(self) -> None:
        table = Table(corners=None)
        watch = FilmWatch(table, table)
        assert seen(watch, 0, 0.3) == [None] * 3
        assert watch.reason == "a hand is in the way"
        table.corners = HERE
        assert seen(watch, 0.3, 0.4) == [OPENING]

    def test_a_doubtful_board_waits_for_a_better_look(self) -> None:
        table = Table(confidences=[0.6, 0.95])
        assert seen(FilmWatch(table, table), 0, 0.2) == [None, OPENING]

    def test_a_film_that_ends_before_the_board_is_sure_says_so(self) -> None:
        table = Table(confidences=[0.6])
        watch = FilmWatch(table, table)
        assert seen(watch, 0, 0.1) == [None]
        assert "not clearly" in watch.reason

    def test_when_the_first_seconds_are_over_the_best_look_is_believed(self) -> None:
        table = Table(confidences=[0.6] * 40)
        looks = seen(FilmWatch(table, table), 0, 2.1)
        assert [look is not None for look in looks] == [False] * 20 + [True]

    def test_who_stands_before_the_board_for_long_is_not_looked_at_all_the_time(self) -> None:
        table = Table(corners=None)
        seen(FilmWatch(table, table), 0, 10)
        assert 25 <= len(table.asked) <= 30

    def test_a_given_pose_needs_no_search(self) -> None:
        table = Table()
        assert seen(FilmWatch(table, table, pose=pose_at(HERE)), 0, 0.1) == [OPENING]
        assert table.asked == []

    def test_a_given_pose_that_the_board_is_surely_not_at_is_put_right_and_told(self) -> None:
        table = Table(corners=THERE)
        watch = FilmWatch(table, table, pose=pose_at(HERE))
        assert seen(watch, 0, 0.1) == [OPENING]
        (notice,) = watch.notices()
        assert (notice.code, notice.serious) == ("board-moved", True)
        assert notice.facts["place_given"].startswith("off by 2.")

    def test_a_given_pose_keeps_its_turn_when_it_is_put_right(self) -> None:
        table = Table(corners=THERE)
        assert seen(FilmWatch(table, table, pose=pose_at(HERE, turn=1)), 0, 0.1) == [OPENING.turned(1)]

    @pytest.mark.parametrize("table", [Table(corners=None), Table(corners=THERE, confidences=[0.85])])
    def test_a_given_pose_is_believed_where_nothing_else_is_sure(self, table: Table) -> None:
        watch = FilmWatch(table, table, pose=pose_at(HERE))
        seen(watch, 0, 0.1)
        assert table.followed is not None
        assert np.allclose(table.followed.corners, HERE)
        assert watch.notices() == []

    def test_where_nothing_moves_fewer_looks_are_asked_for(self) -> None:
        table = Table()
        watch = FilmWatch(table, table)
        seen(watch, 0, 0.5)
        busy = watch.looks_a_second
        seen(watch, 0.5, 2.0)
        assert (busy, watch.looks_a_second) == (BUSY, CALM)


class TestMoving:
    def bumped(self, corners: Corners, layout: Layout = OPENING) -> tuple[FilmWatch, list[Layout | None]]:
        """A camera that is bumped after a second, and for half a second moves; what is seen from then on."""
        table = Table()
        watch = FilmWatch(table, table)
        seen(watch, 0, 1)
        table.moving, table.corners, table.layout = True, corners, layout
        shaken = seen(watch, 1, 1.5)
        assert shaken == [None] * 5
        assert watch.pause is not None
        assert watch.pause.since == 1.0
        table.moving = False
        return watch, seen(watch, 1.5, 2.5)

    def test_reading_stops_and_goes_on_where_the_board_is_then(self) -> None:
        watch, after = self.bumped(THERE)
        assert after[-1] == OPENING
        assert watch.pause is None
        (notice,) = watch.notices()
        assert (notice.code, notice.serious, notice.t) == ("board-moved", False, 1.0)
        assert float(notice.facts["to"]) == pytest.approx(1.75, abs=0.15)

    @pytest.mark.parametrize("turn", [1, 2, 3])
    def test_the_board_text_stays_as_it_was(self, turn: int) -> None:
        """The camera is turned: what was on the left is at the top, or below."""
        _, after = self.bumped(THERE, OPENING.turned(turn))
        assert after[-1] == OPENING

    def test_shaken_for_a_moment_and_back_in_its_place_is_nothing_to_tell(self) -> None:
        watch, after = self.bumped(HERE)
        assert after[-1] == OPENING
        assert watch.notices() == []

    def test_stones_that_do_not_agree_are_the_arbiters_business(self) -> None:
        table = Table()
        watch = FilmWatch(table, table)
        seen(watch, 0, 1)
        table.moving, table.corners = True, THERE
        seen(watch, 1, 1.5)
        table.moving, table.layout = False, Layout.from_rows([".....", "OXO..", ".....", "..XXO", "....."])
        assert seen(watch, 1.5, 3.5) == [None] * 20, "so many stones off: it is looked at again before it is believed"
        assert seen(watch, 3.5, 6)[-1] == table.layout
        assert codes(watch) == [("board-moved", True)]

    def test_a_board_that_does_not_come_back_is_lost_until_it_does(self) -> None:
        table = Table()
        watch = FilmWatch(table, table)
        seen(watch, 0, 1)
        table.moving, table.corners = True, None
        seen(watch, 1, 1.5)
        table.moving = False
        assert set(seen(watch, 1.5, 20, elsewhere=True)) == {None}
        assert codes(watch) == [("board-lost", True)]
        assert len(table.asked) < 20, "looking for it all the time would be dear"
        table.corners = HERE
        assert seen(watch, 20, 24)[-1] == OPENING
        assert codes(watch) == [("board-lost", False)]

    def test_who_stands_before_the_board_for_long_blocks_the_view(self) -> None:
        table = Table()
        watch = FilmWatch(table, table)
        seen(watch, 0, 1)
        table.moving, table.corners = True, None
        seen(watch, 1, 1.5)
        table.moving = False
        assert set(seen(watch, 1.5, 10.5)) == {None}
        assert codes(watch) == [], "the camera looks where it looked, and he may go soon"
        seen(watch, 10.5, 12)
        assert codes(watch) == [("view-blocked", True)]


class TestBlind:
    def test_no_camera(self) -> None:
        table = Table()
        watch = FilmWatch(table, table)
        seen(watch, 0, 1)
        assert set(seen(watch, 1, 6, level=0)) == {None}
        assert codes(watch) == [("camera-lost", True)]
        assert seen(watch, 6, 8)[-1] == OPENING
        (back,) = watch.notices()
        assert (back.code, back.serious, back.facts["from"]) == ("camera-lost", False, "1.0")

    def test_an_interruption_of_the_source(self) -> None:
        table = Table()
        watch = FilmWatch(table, table)
        seen(watch, 0, 1)
        assert watch.look(frame(9.0, after_gap=True)) is None
        (notice,) = watch.notices()
        assert (notice.code, notice.serious) == ("camera-lost", True)
        assert dict(notice.facts) == {"from": "0.9", "to": "9.0"}
        assert seen(watch, 9.1, 10)[-1] == OPENING

    def test_a_picture_that_was_damaged_for_a_moment_is_nothing_to_tell(self) -> None:
        table = Table()
        watch = FilmWatch(table, table)
        seen(watch, 0, 1)
        watch.look(frame(1.3, after_gap=True))
        assert seen(watch, 1.4, 2.4)[-1] == OPENING
        assert watch.notices() == []


SETUP = {"B": ["C3", "G7", "E5", "H2", "D8"], "W": ["G3", "C7", "F5", "B2"]}
BEFORE = {"t": 1.5, "do": "place", "color": "B", "at": "D4"}
AFTER = {"t": 5.5, "do": "place", "color": "W", "at": "F6"}


def recorded(*events: Mapping[str, object]) -> Recording:
    """What is recorded of a clip of eight seconds in which a move is made before, and one after, what happens."""
    script = {"size": 9, "fps": 8, "width": 480, "height": 360, "dur": 7.5, "setup": SETUP}
    happens = sorted([BEFORE, AFTER, *events], key=lambda event: float(str(event["t"])))
    return kifuwatch.record(ScenarioSource(parse_script({**script, "events": happens}, "clip", 3), "clip", 3))


class TestClips:
    """The whole way: nothing is invented, nothing lost, whatever befalls the view between the two moves."""

    @pytest.mark.parametrize(
        ("events", "told"),
        [
            ([{"t": 3.0, "do": "bump-camera", "shift": [-0.1, 0.03]}], {"board-moved"}),
            ([{"t": 3.0, "do": "bump-camera", "turn": 180, "over": 0.5}], {"board-moved"}),
            ([{"t": 3.0, "do": "bump-camera", "zoom": 1.1, "shift": [0.02, 0.0]}], {"board-moved"}),
            ([{"t": 3.0, "do": "shift-board"}], {"board-moved"}),
            ([{"t": 3.0, "do": "light", "gain": 0.1}, {"t": 4.5, "do": "light", "gain": 1}], {"light-changed"}),
            ([{"t": 2.6, "do": "cover", "share": 0.6, "for": 2.2}], set()),
        ],
        ids=["bumped", "upside down", "zoomed", "pushed board", "light", "head"],
    )
    def test_the_game_goes_on(self, events: list[Mapping[str, object]], told: set[str]) -> None:
        recording = recorded(*events)
        assert [(move.colour.value, str(move.at)) for move in recording.moves] == [("B", "D4"), ("W", "F6")]
        assert {(alert.code, alert.level) for alert in recording.alerts} == {(code, "info") for code in told}
        assert len(recording.position.points("X")) == 6
