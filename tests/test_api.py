"""From photographs to positions and records, with all parts as they are."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sgfmill import sgf

import kifuwatch
from kifuwatch import api
from kifuwatch.cli.main import main
from kifuwatch.core.errors import ImageError, NoBoardError, OutputError, UsageError
from kifuwatch.core.points import Layout, Point
from kifuwatch.datasets.matching import board_turn
from kifuwatch.vision.images import load_image, save_image
from tests.material import CORNERS, take, take_all

EMPTY = Layout.empty(9)
GAME = ["E5 X", "G7 O", "C3 X", "G3 O", "C7 X", "E7 O"]


def boards(moves: list[str]) -> list[Layout]:
    """The board after each move, the empty one first."""
    after = [EMPTY]
    for move in moves:
        at, cell = move.split()
        after.append(after[-1].replaced({Point.parse(at): cell}))
    return after


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return take(tmp_path_factory.mktemp("photo") / "photo.jpg", boards(GAME)[-1])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return take_all(tmp_path_factory.mktemp("game") / "photos", boards(GAME))


class TestReading:
    def test_a_photograph(self, photo: Path) -> None:
        reading = kifuwatch.read(photo)
        assert reading.layout == boards(GAME)[-1]
        assert board_turn(reading.corners.tolist(), reading.size, CORNERS, 9) == 0
        assert 0.5 < reading.confidence <= 1.0

    def test_an_array_is_read_like_its_file(self, photo: Path) -> None:
        assert kifuwatch.read(load_image(photo)).layout == kifuwatch.read(str(photo)).layout

    def test_corners_by_hand(self, photo: Path) -> None:
        turned = [CORNERS[(i - 1) % 4] for i in range(4)]
        assert kifuwatch.read(photo, size=9, corners=turned).layout == boards(GAME)[-1].turned(1)

    def test_a_wall_is_no_board(self) -> None:
        with pytest.raises(NoBoardError):
            kifuwatch.read(np.full((480, 640, 3), 128, np.uint8))

    def test_a_grey_picture(self, photo: Path) -> None:
        grey = load_image(photo)[..., 1]
        assert kifuwatch.read(grey).layout == boards(GAME)[-1]

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            (None, "not None"),
            (5, "not of type int"),
            (np.zeros((0, 0, 3), np.uint8), r"of shape \(0, 0, 3\)"),
            (np.zeros((0, 10), np.uint8), r"of shape \(0, 10\)"),
            (np.zeros((10, 10, 4), np.uint8), r"of shape \(10, 10, 4\)"),
            (np.zeros(10, np.uint8), r"of shape \(10,\)"),
            (np.zeros((10, 10, 3)), "of float64"),
        ],
    )
    def test_what_is_no_picture(self, given: Any, words: str) -> None:
        with pytest.raises(UsageError, match=r"array \(h, w, 3\) of uint8, BGR.*" + words):
            kifuwatch.read(given)

    def test_faults_are_those_of_the_tree(self, tmp_path: Path, photo: Path) -> None:
        with pytest.raises(kifuwatch.ImageError):
            kifuwatch.read(tmp_path / "nothing.jpg")
        with pytest.raises(kifuwatch.UsageError):
            kifuwatch.read(photo, corners=[(1, 1)] * 4)
        assert issubclass(ImageError, kifuwatch.KifuwatchError)

    def test_the_command_prints_what_the_function_reads(
        self, photo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        picture = tmp_path / "reading.png"
        assert main(["read", str(photo), "--json", "--picture", str(picture)]) == 0
        record = json.loads(capsys.readouterr().out)
        assert record["board"] == boards(GAME)[-1].rows
        assert record["size"] == 9
        assert np.array(record["corners"]).shape == (4, 2)
        assert load_image(picture).shape == load_image(photo).shape
        assert not np.array_equal(load_image(picture), load_image(photo))


class TestRecording:
    def test_a_folder_becomes_a_game(self, folder: Path, tmp_path: Path) -> None:
        kept = {"sgf": tmp_path / "game.sgf", "events": tmp_path / "game.jsonl", "pictures": tmp_path / "pictures"}
        recording = kifuwatch.record(folder, sgf=kept["sgf"], events=kept["events"], pictures=kept["pictures"])
        assert [f"{move.at} {move.colour.cell}" for move in recording.moves] == GAME
        assert recording.alerts == ()
        assert recording.position == boards(GAME)[-1]
        game = sgf.Sgf_game.from_bytes(kept["sgf"].read_bytes())
        assert len(game.get_main_sequence()) == len(GAME) + 1
        lines = [json.loads(line) for line in kept["events"].read_text(encoding="utf-8").splitlines()]
        assert [line["type"] for line in lines] == ["board-found", *["move"] * len(GAME), "position"]
        moves = {f"move-{number:03d}.jpg" for number in range(1, len(GAME) + 1)}
        assert {path.name for path in kept["pictures"].iterdir()} == {"board.jpg", "last.jpg"} | moves

    def test_a_camera_that_was_carried_round_the_table(self, tmp_path: Path) -> None:
        """From the fourth picture on the board is seen from its right side."""
        layouts = boards(GAME)
        place = take_all(tmp_path / "photos", [*layouts[:3], *(each.turned(1) for each in layouts[3:])])
        recording = kifuwatch.record(place)
        assert [f"{move.at} {move.colour.cell}" for move in recording.moves] == GAME

    @pytest.mark.parametrize("shape", [(600, 800), (512, 512)], ids=["of the same pixels", "of other pixels"])
    def test_a_foreign_picture_changes_nothing(
        self, tmp_path: Path, shape: tuple[int, int], capsys: pytest.CaptureFixture[str]
    ) -> None:
        place = take_all(tmp_path / "photos", boards(GAME)[:4])
        height, width = shape
        squares = np.indices(shape)[0] * 8 // height + np.indices(shape)[1] * 8 // width
        save_image(place / "05.png", np.repeat((40 + 180 * (squares % 2))[..., None], 3, axis=2).astype(np.uint8))
        (place / "06.jpg").write_bytes((place / "01.jpg").read_bytes()[:5000])
        recording = kifuwatch.record(place, size=9)
        assert recording.position == boards(GAME)[3]
        assert [(alert.code, alert.level) for alert in recording.alerts] == [("board-lost", "info")]
        assert main(["record", str(place), "--size", "9", "--lang", "en"]) == 0
        said = capsys.readouterr()
        assert "No board on 1 of 5 photographs, left out: 05.png" in said.out
        assert len(said.err.splitlines()) == 1
        assert str(place / "06.jpg") in said.err

    def test_an_existing_record_stays(self, folder: Path, tmp_path: Path) -> None:
        old = tmp_path / "game.sgf"
        old.write_text("(;GM[1])")
        with pytest.raises(OutputError, match="--force"):
            kifuwatch.record(folder, sgf=old)
        assert old.read_text() == "(;GM[1])"
        kifuwatch.record(folder, sgf=old, force=True)
        assert old.read_text().count(";") == len(GAME) + 1

    def test_unknown_rules(self, folder: Path) -> None:
        with pytest.raises(UsageError, match="chess"):
            kifuwatch.record(folder, rules="chess")

    def test_a_stopped_recording_is_whole(self, folder: Path) -> None:
        asked = iter([False, False, True])
        recording = kifuwatch.record(folder, stop=lambda: next(asked))
        assert recording.interrupted
        assert recording.position == boards(GAME)[2]


class TestCalibrating:
    def test_a_profile_replaces_the_search(self, photo: Path, folder: Path, tmp_path: Path) -> None:
        profile, picture = tmp_path / "profile.json", tmp_path / "grid.png"
        arguments = ["calibrate", str(photo), "--profile", str(profile), "--picture", str(picture)]
        assert main(arguments) == 0
        assert picture.is_file()
        recording = kifuwatch.record(folder, profile=profile)
        assert [f"{move.at} {move.colour.cell}" for move in recording.moves] == GAME
        assert main(arguments) == 6, "a profile is not overwritten without --force"

    def test_how_to_go_on_is_said_in_words_that_a_shell_takes(
        self, tmp_path: Path, photo: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """A folder of a game can be recorded, a single photograph cannot."""
        place = take_all(tmp_path / "Li's game", boards(GAME)[:1])
        profile = tmp_path / "table 3.json"
        words = ["--picture", str(tmp_path / "grid.png"), "--profile", str(profile), "--force", "--lang", "en"]
        words += ["--size", "9", "--corners", *(f"{x},{y}" for x, y in CORNERS)]
        assert main(["calibrate", str(place), *words]) == 0
        hint = capsys.readouterr().out.splitlines()[-1]
        assert shlex.split(hint.partition(": ")[2]) == ["kifuwatch", "record", str(place), "--profile", str(profile)]
        assert main(["calibrate", str(photo), *words]) == 0
        assert "kifuwatch record" not in capsys.readouterr().out

    def test_a_profile_of_another_shape_of_picture(self, folder: Path, tmp_path: Path) -> None:
        from kifuwatch.calibration.pose import BoardPose
        from kifuwatch.calibration.profile import save_profile
        from kifuwatch.calibration.spec import BoardSpec

        save_profile(tmp_path / "p.json", BoardPose.from_corners(CORNERS, BoardSpec(9), (800, 800)))
        with pytest.raises(UsageError, match="800x800"):
            kifuwatch.record(folder, profile=tmp_path / "p.json")

    def test_a_profile_serves_larger_pictures(self, folder: Path, tmp_path: Path) -> None:
        from kifuwatch.calibration.pose import BoardPose
        from kifuwatch.calibration.profile import save_profile
        from kifuwatch.calibration.spec import BoardSpec

        half = BoardPose.from_corners(CORNERS, BoardSpec(9), (800, 600)).scaled(0.5, (400, 300))
        save_profile(tmp_path / "p.json", half)
        recording = kifuwatch.record(folder, profile=tmp_path / "p.json")
        assert recording.position == boards(GAME)[-1]

    def test_corners_by_hand(self, folder: Path) -> None:
        found = api.calibrate(folder, size=9, corners=CORNERS)
        assert found.confidence is None
        assert np.allclose(found.pose.corners, CORNERS, atol=0.5)

    @pytest.mark.parametrize("size", [None, 9])
    def test_lines_between_corners_by_hand_are_counted(self, folder: Path, size: int | None) -> None:
        recording = kifuwatch.record(folder, size=size, corners=CORNERS)
        assert recording.size == 9
        assert [f"{move.at} {move.colour.cell}" for move in recording.moves] == GAME

    def test_pictures_before_lines_are_seen_do_not_count(self, tmp_path: Path) -> None:
        """Cameras often begin with a black picture."""
        series = take_all(tmp_path / "series", boards(GAME))
        save_image(series / "00.jpg", np.zeros((600, 800, 3), np.uint8))
        recording = kifuwatch.record(series, corners=CORNERS)
        assert recording.size == 9
        assert [f"{move.at} {move.colour.cell}" for move in recording.moves] == GAME
        (tmp_path / "dark").mkdir()
        save_image(tmp_path / "dark" / "1.jpg", np.zeros((600, 800, 3), np.uint8))
        with pytest.raises(NoBoardError, match="--size"):
            kifuwatch.record(tmp_path / "dark", corners=CORNERS)

    @pytest.mark.parametrize("size", [None, 9])
    def test_a_corner_far_outside_is_refused(self, folder: Path, size: int | None) -> None:
        with pytest.raises(UsageError, match="far outside"):
            kifuwatch.record(folder, size=size, corners=[(-6000, -6000), *CORNERS[1:]])

    def test_corners_that_make_no_board_are_refused_before_a_picture_is_read(self, folder: Path) -> None:
        with pytest.raises(UsageError, match="corners"):
            kifuwatch.record(folder, corners=[(1, 1)] * 4)


@pytest.mark.skipif(os.name == "nt", reason="signals are those of Unix")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"], ids=["Ctrl-C", "kill", "terminal closed"])
def test_ctrl_c_leaves_a_whole_record(tmp_path: Path, folder: Path, name: str) -> None:
    """A long recording is stopped as soon as its first moves are written."""
    photos = tmp_path / "photos"
    photos.mkdir()
    pictures = sorted(folder.iterdir())
    for place in range(3000):
        (photos / f"{place}.jpg").symlink_to(pictures[min(place, len(pictures) - 1)])
    sgf_file, events = tmp_path / "game.sgf", tmp_path / "game.jsonl"
    command = [
        sys.executable,
        "-m",
        "kifuwatch",
        "record",
        str(photos),
        "--sgf",
        str(sgf_file),
        "--events",
        str(events),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        until = time.monotonic() + 60
        while time.monotonic() < until and not (events.is_file() and events.read_text().count('"move"') >= 2):
            time.sleep(0.05)
        running.send_signal(signal.Signals[name])
        out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Traceback" not in out + err
    assert len(err.splitlines()) == 1
    lines = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
    assert lines[-1]["type"] == "position"
    moves = sum(line["type"] == "move" for line in lines)
    assert len(sgf.Sgf_game.from_bytes(sgf_file.read_bytes()).get_main_sequence()) == moves + 1
