"""Clips of scenarios: hands bring and take every stone, at the times that the script says, the same way every time."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.errors import FileFormatError, OutputError
from kifuwatch.core.points import BLACK, EMPTY, WHITE, Point
from kifuwatch.core.times import FrameTime
from kifuwatch.datasets import make_demo
from kifuwatch.datasets.clip_frames import ClipFrame, Studio, clip_frames
from kifuwatch.datasets.clip_look import clip_look
from kifuwatch.datasets.clip_script import ClipScript, parse_script
from kifuwatch.datasets.labelled import read_scenario
from kifuwatch.datasets.simulate import simulate

SMALL: dict[str, Any] = {"size": 9, "fps": 10, "width": 320, "height": 240}


def script_of(*events: Mapping[str, object], **more: object) -> ClipScript:
    """A script of these events on a small picture."""
    return parse_script({**SMALL, "events": list(events), **more})


def studio_of(script: ClipScript, seed: int = 1) -> Studio:
    return Studio(script, seed, clip_look(script.size, (script.width, script.height), seed))


def at(studio: Studio, seconds: float) -> ClipFrame:
    return studio.frame(FrameTime.of_seconds(seconds))


def index(frame: ClipFrame, point: str) -> tuple[int, int]:
    return frame.layout.size - 1 - Point.parse(point).row, Point.parse(point).col


def covered(frame: ClipFrame, point: str) -> float:
    return float(frame.covered[index(frame, point)])


def brightness(frame: ClipFrame, point: str) -> float:
    """Median grey level on top of a stone that lies, or would lie, on a point."""
    line, col = index(frame, point)
    x, y = np.round(frame.pose.project([[col, line]], 5.0)[0]).astype(int)
    return float(np.median(frame.image[y - 2 : y + 3, x - 2 : x + 3].astype(float).mean(axis=2)))


PLACE = {"t": 1.0, "do": "place", "color": "B", "at": "E5", "offset": [0, 0]}


@cache
def placed() -> Studio:
    return studio_of(script_of(PLACE, setup={"W": ["C3"]}))


class TestPlace:
    def test_the_stone_comes_at_its_time_and_stays(self) -> None:
        studio = placed()
        assert at(studio, 0.99).layout[Point.parse("E5")] == EMPTY
        assert at(studio, 1.0).layout[Point.parse("E5")] == BLACK
        before, after = at(studio, 0.2), at(studio, 2.0)
        assert brightness(after, "E5") < 0.6 * brightness(before, "E5")
        assert brightness(after, "C3") == pytest.approx(brightness(before, "C3"), abs=8)

    def test_it_appears_under_the_hand(self) -> None:
        assert covered(at(placed(), 0.95), "E5") > 0.3
        assert covered(at(placed(), 1.05), "E5") > 0.3

    def test_the_hand_is_gone_before_and_after(self) -> None:
        studio = placed()
        seen = [t for t in np.arange(0, 2.5, 0.05) if at(studio, float(t)).cover.max() > 0.2]
        assert 0.6 <= min(seen) < 0.9
        assert 1.2 < max(seen) <= 1.7
        assert 0.5 < max(seen) - min(seen) < 1.0

    def test_it_comes_from_the_side_of_its_player(self) -> None:
        """Black's hand reaches up from the bottom of the picture, White's down from its top."""
        black = at(placed(), 1.05).cover
        white = at(studio_of(script_of({**PLACE, "color": "W"})), 1.05).cover
        assert black[-1].max() > 0.9 > black[0].max()
        assert white[0].max() > 0.9 > white[-1].max()

    def test_it_moves_without_jumps(self) -> None:
        """From frame to frame at 50 a second, the fingertip never goes farther than a few millimetres."""
        path = next(p for p in placed()._paths if p.legs)
        begin, end = path.legs[0].begin, path.legs[-1].end
        steps = [path.at(float(t)) for t in np.arange(begin + 0.001, end - 0.001, 0.005)]
        places = np.array([[s.x, s.y, s.z] for s in steps if s is not None])
        assert len(places) == len(steps)
        way = np.linalg.norm(np.diff(places, axis=0), axis=1)
        assert way.max() < 12
        assert np.abs(np.diff(way)).max() < 2

    def test_the_hand_carries_the_stone(self) -> None:
        """With and without a stone in the fingers, the picture ahead of them differs."""
        path = next(p for p in placed()._paths if p.legs)
        (first, *_), last = path.legs, path.legs[-1]
        assert (first.carries, last.carries) == (BLACK, EMPTY)


TAKE = {"t": 1.0, "do": "remove", "at": ["C3", "D3", "E3"], "over": 1.0}


class TestRemove:
    def test_stones_go_one_by_one_under_the_hand(self) -> None:
        studio = studio_of(script_of(TAKE, setup={"W": ["C3", "D3", "E3"]}))
        for point, when in (("C3", 1.0), ("D3", 1.5), ("E3", 2.0)):
            assert at(studio, when - 0.01).layout[Point.parse(point)] == WHITE
            gone = at(studio, when)
            assert gone.layout[Point.parse(point)] == EMPTY
            assert covered(gone, point) > 0.3

    def test_the_player_who_captures_takes_them(self) -> None:
        script = script_of(TAKE, setup={"W": ["C3", "D3", "E3"]})
        assert {reach.player.value for reach in script.reaches} == {"B"}
        assert [reach.takes for reach in script.reaches] == [WHITE] * 3

    def test_the_board_is_as_if_the_stone_had_never_been(self) -> None:
        """What is rendered only where stones changed equals what is rendered whole, to within the sensor's noise."""
        script = script_of(PLACE, {"t": 3.0, "do": "remove", "at": "E5"}, setup={"W": ["C3", "F5"]})
        studio = studio_of(script)
        at(studio, 2.0)
        later = at(studio, 5.0).image.astype(int)
        fresh = at(studio_of(script), 5.0).image.astype(int)
        assert np.abs(later - fresh).max() <= 1


class TestOtherEvents:
    def test_slide(self) -> None:
        script = script_of({"t": 1.0, "do": "slide", "from": "D4", "to": "E4"}, setup={"B": ["D4"]})
        studio = studio_of(script)
        before, after = at(studio, 0.2), at(studio, 2.5)
        assert (before.layout[Point.parse("D4")], before.layout[Point.parse("E4")]) == (BLACK, EMPTY)
        assert (after.layout[Point.parse("D4")], after.layout[Point.parse("E4")]) == (EMPTY, BLACK)
        assert brightness(after, "E4") < 0.6 * brightness(after, "D4")
        assert covered(at(studio, 1.2), "E4") + covered(at(studio, 1.2), "D4") > 0.3

    def test_nudge(self) -> None:
        script = script_of({"t": 1.0, "do": "nudge", "at": "D4", "offset": [0.3, 0.2]}, setup={"B": ["D4"]})
        changes = [c for c in script.changes if c.seconds > 0]
        assert changes[-1].offset == (0.3, 0.2)
        assert {c.cell for c in changes} == {BLACK}
        assert not np.array_equal(at(studio_of(script), 0.1).image, at(studio_of(script), 3.0).image)

    def test_hover_changes_nothing(self) -> None:
        studio = studio_of(script_of({"t": 1.0, "do": "hover", "near": "E5", "for": 1.5}))
        assert at(studio, 1.8).covered.max() > 0.5
        assert at(studio, 1.8).layout == at(studio, 4.0).layout
        assert at(studio, 3.8).cover.max() == 0

    def test_drop_and_vanish(self) -> None:
        script = script_of(
            {"t": 1.0, "do": "drop", "color": "B", "at": "G7", "by": "W"},
            {"t": 3.0, "do": "vanish", "at": "D4"},
            setup={"B": ["D4"]},
        )
        assert script.layout_at(1.0)[Point.parse("G7")] == BLACK
        assert script.layout_at(3.0)[Point.parse("D4")] == EMPTY
        assert {reach.player.value for reach in script.reaches} == {"W"}
        dropping = at(studio_of(script), 1.05)
        assert max(covered(dropping, near) for near in ("G7", "G8", "F7", "F8")) > 0.3

    @pytest.mark.parametrize(("name", "length"), [("cover", "for"), ("block", "dur")])
    @pytest.mark.parametrize("share", [0.3, 0.7])
    def test_cover(self, name: str, length: str, share: float) -> None:
        studio = studio_of(script_of({"t": 1.0, "do": name, "share": share, length: 4.0}))
        assert at(studio, 0.9).covered.max() == 0
        assert share - 0.1 < float((at(studio, 3.0).covered > 0.5).mean()) < share + 0.2
        assert at(studio, 5.1).covered.max() == 0

    def test_light(self) -> None:
        studio = studio_of(script_of({"t": 1.0, "do": "light", "gain": 0.5}))
        bright, dim = at(studio, 0.5).image.mean(), at(studio, 2.5).image.mean()
        assert dim < 0.85 * bright

    @pytest.mark.parametrize("what", ["bump-camera", "shift-board"])
    def test_the_board_moves_in_the_picture_and_the_truth_with_it(self, what: str) -> None:
        studio = studio_of(script_of({"t": 1.0, "do": what}, setup={"B": ["E5"]}))
        before, after = at(studio, 0.5), at(studio, 2.5)
        assert np.abs(after.pose.corners - before.pose.corners).max() > 2
        for frame in (before, after):
            assert brightness(frame, "E5") < 0.6 * brightness(frame, "C7")
            assert np.all(frame.pose.corners > 0)
            assert np.all(frame.pose.corners < [319, 239])

    def test_a_camera_is_moved_just_so(self) -> None:
        """A twentieth of the picture to the right, upside down, and half as large again."""
        event = {"t": 1.0, "do": "bump-camera", "shift": [0.05, 0.0], "turn": 180, "zoom": 1.5}
        studio = studio_of(script_of(event))
        before, after = at(studio, 0.5).pose.corners, at(studio, 2.5).pose.corners
        middle, right = np.array([159.5, 119.5]), np.array([16.0, 0.0])
        assert after == pytest.approx(middle + right - 1.5 * (before - middle), abs=0.01)

    def test_a_pushed_board_leaves_the_bowls_where_they_were(self) -> None:
        studio = studio_of(script_of({"t": 1.0, "do": "shift-board"}))
        _, table = studio.view.poses_at(3.0)
        assert np.allclose(table.corners, studio.view.poses_at(0.0)[1].corners)


class TestTruth:
    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_points_are_covered_where_the_hand_is(self, seed: int) -> None:
        frame = at(studio_of(script_of(PLACE), seed), 1.05)
        line, col = np.mgrid[0:9, 0:9]
        x, y = np.round(frame.pose.project(np.column_stack([col.ravel(), line.ravel()]), 3.0)).astype(int).T
        under = frame.cover[y, x].reshape(9, 9)
        assert np.all(frame.covered[under > 0.9] > 0.3)
        assert np.all(under[frame.covered > 0.95] > 0.5)
        assert (under > 0.9).any()

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("size", [9, 13, 19])
    def test_the_board_is_whole_in_the_picture(self, size: int, seed: int) -> None:
        pose = clip_look(size, (320, 240), seed).scene.pose
        assert np.all(pose.corners > pose.pitch * 0.2)
        assert np.all(pose.corners < np.array([319, 239]) - pose.pitch * 0.2)

    @pytest.mark.parametrize(("fps", "count"), [(10, 20), (8, 16), (29.97, 60)])
    def test_frames_have_exact_times(self, fps: float, count: int) -> None:
        script = script_of(fps=fps, dur=2.0)
        times = [frame.time for frame in clip_frames(script, 1)]
        assert times == [FrameTime.of_seconds(i / fps) for i in range(count)]

    def test_the_same_seed_gives_the_same_frames(self) -> None:
        script = script_of(PLACE, dur=1.2)
        first, again, other = (
            [hashlib.sha256(frame.image.tobytes()).hexdigest() for frame in clip_frames(script, seed)]
            for seed in (4, 4, 5)
        )
        assert first == again
        assert set(first).isdisjoint(other)


class TestFile:
    def test_the_clip_and_its_truth(self, tmp_path: Path) -> None:
        source, clip = tmp_path / "a.scenario.json", tmp_path / "b.mp4"
        expect = {"moves": [["B", "E5"]], "alerts": []}
        events = [PLACE, {"t": 2.0, "do": "bump-camera"}]
        source.write_text(json.dumps({**SMALL, "id": "a", "events": events, "expect": expect, "dur": 2.8}))
        heard: list[tuple[int, int]] = []
        truth_file = simulate(source, clip, 1, progress=lambda done, of: heard.append((done, of)))
        assert heard[-1] == (28, 28)
        video = cv2.VideoCapture(str(clip))
        frames = []
        while (got := video.read())[0]:
            frames.append(got[1])
        assert (len(frames), frames[0].shape, video.get(cv2.CAP_PROP_FPS)) == (28, (240, 320, 3), 10)
        truth = json.loads(truth_file.read_text())
        assert truth_file == tmp_path / "b.scenario.json"
        assert [state["t"] for state in truth["physical_states"]] == [0, 1.0]
        (start, bumped) = truth["corners_over_time"]
        assert set(start["corners"]) == {"A1", "J1", "J9", "A9"}
        assert start["corners"] != bumped["corners"]
        x, y = np.round(BoardPose.from_json(bumped["pose"]).project([[4, 4]], 5.0)[0]).astype(int)
        wood = BoardPose.from_json(bumped["pose"]).project([[2.5, 2.5]])[0].round().astype(int)
        assert frames[-1][y, x].mean() < 0.6 * frames[-1][wood[1], wood[0]].mean()
        scenario = read_scenario(truth_file)
        assert (scenario.video, scenario.seconds, len(scenario.moves)) == (clip, 2.8, 1)

    def test_where_no_clip_can_be(self, tmp_path: Path) -> None:
        source = tmp_path / "a.scenario.json"
        source.write_text(json.dumps({**SMALL, "events": [], "dur": 0.2}))
        for out in (tmp_path / "none" / "b.mp4", tmp_path / "b.txt"):
            with pytest.raises(OutputError):
                simulate(source, out)
        assert sorted(p.name for p in tmp_path.iterdir()) == ["a.scenario.json"]


MISTAKES = {
    "occupied": {"events": [PLACE], "setup": {"W": ["E5"]}},
    "nothing there": {"events": [{"t": 1, "do": "remove", "at": ["D4"]}]},
    "nothing to slide": {"events": [{"t": 1, "do": "slide", "from": "D4", "to": "D5"}]},
    "slide onto a stone": {"events": [{"t": 1, "do": "slide", "from": "D4", "to": "D5"}], "setup": {"B": ["D4", "D5"]}},
    "off the board": {"events": [{"t": 1, "do": "place", "color": "B", "at": "K10"}]},
    "no point": {"events": [{"t": 1, "do": "place", "color": "B", "at": "I5"}]},
    "no colour": {"events": [{"t": 1, "do": "place", "at": "E5"}]},
    "unknown": {"events": [{"t": 1, "do": "juggle"}]},
    "no time": {"events": [{"do": "place", "color": "B", "at": "E5"}]},
    "before the start": {"events": [{**PLACE, "t": -1}]},
    "not a number": {"events": [{**PLACE, "t": float("nan")}]},
    "far off its point": {"events": [{**PLACE, "offset": [3, 0]}]},
    "half an offset": {"events": [{**PLACE, "offset": [0.1]}]},
    "no share": {"events": [{"t": 1, "do": "cover", "share": 0}]},
    "no gain": {"events": [{"t": 1, "do": "light"}]},
    "pitch dark": {"events": [{"t": 1, "do": "light", "gain": 0}]},
    "no events": {},
    "a huge board": {"events": [], "size": 25},
    "an odd picture": {"events": [], "width": 321},
    "no speed": {"events": [], "fps": 0},
    "a year": {"events": [], "dur": 3e7},
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistaken_scenario_is_refused_in_one_sentence(mistake: Mapping[str, object]) -> None:
    with pytest.raises(FileFormatError) as refused:
        parse_script({**SMALL, **mistake}, "ko.scenario.json")
    sentence = str(refused.value)
    assert sentence.startswith("ko.scenario.json")
    assert "\n" not in sentence


class TestDemo:
    def test_the_committed_scenario_is_what_the_script_says(self) -> None:
        committed = json.loads((Path(__file__).parents[2] / "kifuwatch/demo/demo.scenario.json").read_text())
        assert {key: committed[key] for key in make_demo.scenario()} == make_demo.scenario()

    def test_its_last_board_is_the_expected_one(self) -> None:
        script = parse_script(make_demo.scenario())
        expect: Any = make_demo.scenario()["expect"]
        assert script.layout_at(script.seconds).rows == expect["final"]
        assert expect["final"] != expect["final_by_moves"]

    def test_the_committed_film_is_what_the_script_gives(self) -> None:
        """A few frames of it, up to what the encoder loses."""
        script = parse_script(make_demo.scenario(), seed=make_demo.SEED)
        studio = Studio(script, make_demo.SEED, make_demo.look())
        video = cv2.VideoCapture(str(Path(__file__).parents[2] / "kifuwatch/demo/demo.mp4"))
        for number in range(22):
            _, film = video.read()
            if number in (0, 14, 16, 21):
                frame = studio.frame(FrameTime.of_seconds(number / script.fps)).image
                assert np.abs(frame.astype(int) - film).mean() < 5
