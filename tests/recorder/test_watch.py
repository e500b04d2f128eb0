"""Following a board through films and folders, with a finder and a reader that do as they are told."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.errors import NoBoardError
from kifuwatch.core.points import Layout, Point
from kifuwatch.core.times import FrameTime
from kifuwatch.vision.observation import CELLS, Observation
from kifuwatch.vision.sources import Frame
from kifuwatch.watch import (
    FixedWatch,
    FolderWatch,
    Found,
    Image,
    LateWatch,
    differences,
    known_after,
    place_of,
    turned_observation,
)

Corners = tuple[tuple[float, float], ...]
HERE: Corners = ((100.0, 100.0), (500.0, 100.0), (500.0, 500.0), (100.0, 500.0))
THERE: Corners = ((300.0, 120.0), (700.0, 110.0), (720.0, 520.0), (310.0, 500.0))
OPENING = Layout.from_rows(["X....", ".....", "..O..", ".....", "....."])
LATER = Layout.from_rows(["X....", ".....", "..O..", ".....", "....X"])
OTHER_GAME = Layout.from_rows(["OOOOO", "XXXXX", "OOOOO", "XXXXX", "OOOOO"])


def pose_at(corners: Corners, size: int = 5, turn: int = 0) -> BoardPose:
    return BoardPose.from_corners(corners, BoardSpec(size), (1000, 700)).turned(turn)


def observation(layout: Layout, time: float = 0.0) -> Observation:
    """A clear look at a board; ``?`` is covered."""
    size = layout.size
    cells = np.array(list(layout.cells)).reshape(size, size)
    probabilities = np.stack([cells == cell for cell in CELLS], axis=-1).astype(np.float32)
    covered = cells == "?"
    probabilities[covered] = 1 / 3
    blank = np.zeros((size, size), np.bool_)
    offsets = np.zeros((size, size, 2), np.float32)
    return Observation(FrameTime.of_seconds(time), probabilities, covered, offsets, blank)


@dataclass(frozen=True)
class FakeFound:
    pose: BoardPose
    confidence: float
    others: tuple[Found, ...] = ()


@dataclass
class FakeFinder:
    """Finds what the list says, picture after picture; None is no board. Counts how often it is asked."""

    poses: list[BoardPose | None]
    confidences: list[float] = field(default_factory=lambda: [0.95])
    asked: list[int | None] = field(default_factory=list)
    still_there: bool = True

    def check(self, image: Image, pose: BoardPose) -> FakeFound:
        if not self.still_there:
            raise NoBoardError("the board is no longer where it was")
        return FakeFound(pose, 0.95)

    def find(self, image: Image, size: int | None = None) -> FakeFound:
        pose = self.poses[min(len(self.asked), len(self.poses) - 1)]
        self.asked.append(size)
        if pose is None:
            raise NoBoardError("a hand is in the way")
        return FakeFound(pose, self.confidences[min(len(self.asked), len(self.confidences)) - 1])


@dataclass
class FakeReader:
    """Sees the board that lies at HERE or THERE; the text is turned as the pose is."""

    boards: dict[Corners, Layout]

    def read(self, image: Image, pose: BoardPose, time: FrameTime) -> Observation:
        for corners, layout in self.boards.items():
            for turn in range(4):
                if np.allclose(pose.corners, np.roll(np.array(corners), turn, axis=0), atol=2):
                    return observation(layout.turned(turn), time.seconds)
        return observation(OTHER_GAME, time.seconds)


def frame(seconds: float) -> Frame:
    return Frame(round(seconds * 10), FrameTime.of_seconds(seconds), np.zeros((700, 1000, 3), np.uint8))


def lit(seconds: float) -> Frame:
    """A frame that shows something."""
    image = np.random.default_rng(1).integers(0, 255, (700, 1000, 3), dtype=np.uint8)
    return Frame(round(seconds * 10), FrameTime.of_seconds(seconds), image)


class TestFixed:
    def test_each_picture_is_read_where_the_board_is_said_to_be(self) -> None:
        watch = FixedWatch(FakeReader({HERE: OPENING}), pose_at(HERE))
        views = [watch.look(frame(t)) for t in (0.0, 1.0)]
        assert [view.observation.layout() for view in views if view] == [OPENING] * 2


class TestLate:
    def test_it_begins_with_the_first_picture_whose_lines_can_be_counted(self) -> None:
        counts: list[int | None] = [None, None, 5]
        asked = []

        def count(image: Image) -> int | None:
            asked.append(image.shape)
            return counts[len(asked) - 1]

        def make(lines: int) -> FixedWatch:
            return FixedWatch(FakeReader({HERE: OPENING}), pose_at(HERE, lines))

        watch = LateWatch(count, make)
        assert watch.look(frame(0.0)) is None, "a black picture is not asked"
        assert (watch.pause, watch.notices(), watch.looks_a_second) == (None, [], None)
        views = [watch.look(lit(t)) for t in (1.0, 2.0, 3.0, 4.0)]
        assert "--size" in LateWatch(count, make).reason
        assert [view is None for view in views] == [True, True, False, False]
        assert [view.observation.layout() for view in views if view] == [OPENING] * 2
        assert len(asked) == 3
        assert (watch.pause, watch.notices(), watch.looks_a_second) == (None, [], None)


@dataclass
class OnlyOf:
    """Finds its board where it is looked for with its own number of lines, or with none."""

    pose: BoardPose

    def check(self, image: Image, pose: BoardPose) -> FakeFound:
        raise NoBoardError("no such lines here")

    def find(self, image: Image, size: int | None = None) -> FakeFound:
        if size not in {None, self.pose.size}:
            raise NoBoardError("no such board")
        return FakeFound(self.pose, 0.95)


class TestPlace:
    IMAGE = frame(0.0).image

    def test_a_board_of_other_lines_than_was_said_is_put_right_where_it_lies_at_the_given_corners(self) -> None:
        board = pose_at(HERE, 9)
        assert place_of(OnlyOf(board), self.IMAGE, pose_at(HERE, 19), 19) == (board, "has 19 lines")

    def test_one_elsewhere_is_another_board(self) -> None:
        given = pose_at(HERE, 19)
        assert place_of(OnlyOf(pose_at(THERE, 9)), self.IMAGE, given, 19) == (given, "")

    def test_where_nothing_is_found_what_was_given_holds(self) -> None:
        given = pose_at(HERE)
        assert place_of(FakeFinder([None], still_there=False), self.IMAGE, given, None) == (given, "")


class TestFolder:
    def look_at(self, poses: list[BoardPose | None], boards: list[dict[Corners, Layout]]) -> list[Layout | None]:
        reader = FakeReader({})
        watch = FolderWatch(FakeFinder(poses), reader)
        seen = []
        for number, lying in enumerate(boards):
            reader.boards = lying
            view = watch.look(frame(number))
            seen.append(None if view is None else view.observation.layout())
        return seen

    @pytest.mark.parametrize("turn", [1, 2, 3])
    def test_a_board_found_turned_is_turned_back(self, turn: int) -> None:
        poses: list[BoardPose | None] = [pose_at(HERE), pose_at(HERE, turn=turn)]
        assert self.look_at(poses, [{HERE: OPENING}, {HERE: LATER}]) == [OPENING, LATER]

    def test_a_camera_that_was_moved_round_the_table(self) -> None:
        poses: list[BoardPose | None] = [pose_at(HERE), pose_at(THERE)]
        assert self.look_at(poses, [{HERE: OPENING}, {THERE: LATER.turned(1)}]) == [OPENING, LATER]

    def test_an_empty_board_stays_as_it_was_held(self) -> None:
        """All four turns of an empty board agree; the one nearest to the last picture is meant."""
        empty = Layout.empty(5)
        first = Layout.from_rows([".....", ".....", ".....", ".....", "....X"])
        poses: list[BoardPose | None] = [pose_at(HERE), pose_at(HERE, turn=2)]
        assert self.look_at(poses, [{HERE: empty}, {HERE: first}]) == [empty, first]

    def test_where_the_board_is_found_wrongly_its_old_place_is_believed(self) -> None:
        poses: list[BoardPose | None] = [pose_at(HERE), pose_at(THERE)]
        assert self.look_at(poses, [{HERE: OPENING}, {HERE: LATER}]) == [OPENING, LATER]

    def test_where_no_board_is_found_its_old_place_is_tried(self) -> None:
        assert self.look_at([pose_at(HERE), None], [{HERE: OPENING}, {HERE: LATER}]) == [OPENING, LATER]

    def test_a_picture_of_something_else_is_left_out(self) -> None:
        assert self.look_at([pose_at(HERE), None], [{HERE: OPENING}, {}]) == [OPENING, None]

    def test_the_old_place_says_nothing_of_a_picture_of_other_pixels(self) -> None:
        """A foreign picture among the photographs: what is read at the old place in it is not the board."""
        watch = FolderWatch(FakeFinder([pose_at(HERE), None]), FakeReader({HERE: OPENING}))
        foreign = Frame(1, FrameTime.of_seconds(1), np.zeros((900, 900, 3), np.uint8))
        assert watch.look(frame(0)) is not None
        assert watch.look(foreign) is None
        assert watch.look(frame(2)) is not None

    def test_the_old_place_is_believed_only_where_a_board_is_seen(self) -> None:
        finder, reader = FakeFinder([pose_at(HERE), None]), FakeReader({HERE: OPENING})
        watch = FolderWatch(finder, reader)
        assert watch.look(frame(0)) is not None
        finder.still_there, reader.boards = False, {HERE: LATER}
        assert watch.look(frame(1)) is None

    def test_no_board_at_all(self) -> None:
        assert self.look_at([None], [{}]) == [None]

    def test_a_covered_corner_does_not_turn_the_board(self) -> None:
        hidden = Layout.from_rows(["?....", ".....", "..O..", ".....", "....."])
        poses: list[BoardPose | None] = [pose_at(HERE), pose_at(HERE, turn=1), pose_at(HERE, turn=3)]
        boards: list[dict[Corners, Layout]] = [{HERE: OPENING}, {HERE: hidden}, {HERE: LATER}]
        assert self.look_at(poses, boards) == [OPENING, hidden, LATER]


class TestParts:
    def test_hidden_points_stay_as_they_were(self) -> None:
        known = Layout.from_rows(["X.", ".O"])
        assert known_after(known, Layout.from_rows(["?X", ".?"])) == Layout.from_rows(["XX", ".O"])
        assert known_after(None, known) == known

    def test_hidden_points_do_not_differ(self) -> None:
        assert differences(Layout.from_rows(["X.", ".O"]), Layout.from_rows(["?X", ".?"])) == 1

    @given(st.text(alphabet=".XO?", min_size=9, max_size=9), st.integers(0, 7))
    def test_a_reading_turns_as_its_board_text(self, cells: str, quarters: int) -> None:
        layout = Layout(3, cells)
        assert turned_observation(observation(layout), quarters).layout() == layout.turned(quarters)

    def test_offsets_turn_with_the_board(self) -> None:
        """A stone that stands too far to the right stands too far down when the board is turned clockwise."""
        seen = observation(Layout.from_rows(["X..", "...", "..."]))
        seen.offsets[0, 0] = (0.2, 0.1)
        turned = turned_observation(seen, 1)
        assert turned.layout()[Point.parse("C3")] == "X"
        assert turned.offsets[0, 2] == pytest.approx((0.1, -0.2))
        assert turned_observation(turned, 3).offsets == pytest.approx(seen.offsets)
