"""Reading only what has changed says what reading everything would say."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray

from kifuwatch.calibration.closeup import CloseUpReader
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.tracker import Standing, stance
from kifuwatch.core.points import Layout, Point
from kifuwatch.core.times import FrameTime
from kifuwatch.datasets.render import render
from kifuwatch.vision.following import WHOLE, BoardFollower
from kifuwatch.vision.stones import READ_MARGIN, observe
from tests.material import photograph

Image = NDArray[np.uint8]
EMPTY = Layout.empty(13)
FIRST = EMPTY.replaced({Point.parse(p): "X" for p in ("D4", "K10", "C7")} | {Point.parse(p): "O" for p in ("K4", "G7")})
SECOND = FIRST.replaced({Point.parse("H9"): "O", Point.parse("C7"): "."})
POSE = photograph(EMPTY).pose


@cache
def picture(layout: Layout) -> Image:
    return render(photograph(layout)).image


class CountingReader(CloseUpReader):
    """Counts the cells that the network looks at."""

    def __init__(self) -> None:
        super().__init__()
        self.cells = 0

    def answers(self, picture: NDArray[np.uint8]) -> NDArray[np.float32]:
        maps = super().answers(picture)
        self.cells += maps.shape[0] * maps.shape[1]
        return maps


def at(seconds: float) -> FrameTime:
    return FrameTime.of_seconds(seconds)


@pytest.fixture
def network() -> CountingReader:
    return CountingReader()


@pytest.fixture
def follower(network: CountingReader) -> BoardFollower:
    """A follower that has read the first position, and nothing since."""
    begun = BoardFollower(network)
    begun.begin(picture(FIRST), POSE, at(0))
    network.cells = 0
    return begun


class TestReading:
    def test_where_nothing_changes_nothing_is_read(self, follower: BoardFollower, network: CountingReader) -> None:
        sight = follower.look(picture(FIRST), at(0.1))
        assert sight.observation.layout() == FIRST
        assert sight.observation.time == at(0.1)
        assert network.cells == 0

    def test_what_changed_is_read_as_in_the_whole(self, follower: BoardFollower, network: CountingReader) -> None:
        sight = follower.look(picture(SECOND), at(0.1))
        assert sight.observation.layout() == SECOND
        assert 0 < network.cells < 17 * 17
        whole = observe(CloseUpReader()(picture(SECOND), POSE, READ_MARGIN), POSE, at(0.1))
        assert sight.observation.probabilities == pytest.approx(whole.probabilities, abs=0.03)
        assert sight.observation.offsets == pytest.approx(whole.offsets, abs=0.03)

    def test_it_moves_once_and_is_read_again_when_it_has_come_to_rest(
        self, follower: BoardFollower, network: CountingReader
    ) -> None:
        moving = [follower.look(picture(SECOND), at(t)).observation.moving.any() for t in (0.1, 0.2)]
        assert moving == [True, False]
        network.cells = 0
        follower.look(picture(SECOND), at(0.35))
        rested, network.cells = network.cells, 0
        follower.look(picture(SECOND), at(0.45))
        assert rested > 0
        assert network.cells == 0

    def test_everything_is_read_every_few_seconds(self, follower: BoardFollower, network: CountingReader) -> None:
        follower.look(picture(FIRST), at(WHOLE + 0.1))
        assert network.cells == 17 * 17


class TestStance:
    def moved(self, right: float, down: float, turn: float = 0.0) -> BoardPose:
        """Where the board would be, had it been this far (pitches) to the left and above, turned by some degrees."""
        cos, sin = np.cos(np.radians(turn)), np.sin(np.radians(turn))
        move = np.array(
            [[cos, -sin, right + 6 - 6 * cos + 6 * sin], [sin, cos, down + 6 - 6 * sin - 6 * cos], [0, 0, 1]]
        )
        return BoardPose.from_homography(POSE.homography @ move, POSE.spec, POSE.image_size, focal=POSE.focal)

    @pytest.mark.parametrize(("right", "down", "turn"), [(0.1, -0.08, 0.0), (-0.15, 0.05, 0.4), (0.0, 0.2, 0.0)])
    def test_a_drift_is_followed(self, right: float, down: float, turn: float) -> None:
        pose = self.moved(right, down, turn)
        place = stance(pose, CloseUpReader()(picture(FIRST), pose, 2))
        assert place.standing is Standing.HERE
        before, after = (np.abs(each.corners - POSE.corners).max() / POSE.pitch for each in (pose, place.pose))
        assert after < 0.08 < before

    def test_what_is_where_it_was_stays_there(self) -> None:
        place = stance(POSE, CloseUpReader()(picture(FIRST), POSE, 2))
        assert place.standing is Standing.HERE
        assert place.pose is POSE

    def test_a_bare_table_is_no_board(self) -> None:
        table = np.random.default_rng(3).normal(110, 6, picture(FIRST).shape).clip(0, 255).astype(np.uint8)
        assert stance(POSE, CloseUpReader()(table, POSE, 2)).standing is Standing.GONE

    def test_of_a_board_that_is_hidden_nothing_is_known(self) -> None:
        closeup = CloseUpReader()(picture(FIRST), POSE, 2)
        closeup.stones[..., 3] = 50.0
        assert stance(POSE, closeup).standing is Standing.HIDDEN
