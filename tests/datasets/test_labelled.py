"""Labelled data in its formats, and the sentence for each way of not being in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kifuwatch.core.errors import FileFormatError, InputError
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.datasets.labelled import (
    ExpectedAlert,
    Move,
    find_labelled,
    read_photos,
    read_scenario,
    read_sequence,
)

SHARED = Path(__file__).resolve().parents[3] / "shared"
BOARD = ["X........", *["........."] * 7, "........O"]


def photo(**changes: object) -> dict[str, Any]:
    """One line of a manifest."""
    line: dict[str, Any] = {
        "id": "a/1",
        "file": "a.jpg",
        "source": "here",
        "board_size": 9,
        "board": BOARD,
        "corners": [[10, 10], [90.5, 10], [90, 90], [10, 90]],
        "confidence": "high",
        "tags": ["dark"],
        "sequence": None,
    }
    return {**line, **changes}


def write_manifest(folder: Path, *lines: object) -> Path:
    path = folder / "manifest.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n", encoding="utf-8")
    return path


def scenario(**changes: object) -> dict[str, Any]:
    """A scenario of three moves."""
    script: dict[str, Any] = {
        "id": "ko-too-early",
        "size": 9,
        "setup": {"B": ["D4"], "W": []},
        "events": [{"t": 1.0, "do": "place", "color": "B", "at": "E5"}, {"t": 4, "do": "remove", "at": ["C3", "C4"]}],
        "expect": {
            "moves": [["B", "E5"], ["W", "pass"]],
            "final": "\n".join(BOARD),
            "alerts": [
                {"code": "moved-stone", "t": 7.0, "at": ["D4", "E4"]},
                {"code": "view-blocked", "t": 9, "at": []},
            ],
        },
    }
    return {**script, **changes}


def write_scenario(folder: Path, script: object) -> Path:
    path = folder / "ko.scenario.json"
    path.write_text(json.dumps(script), encoding="utf-8")
    return path


class TestPhotos:
    def test_a_line_becomes_a_photograph(self, tmp_path: Path) -> None:
        (read,) = read_photos(write_manifest(tmp_path, photo()))
        assert read.file == tmp_path / "a.jpg"
        assert read.source == "here"
        assert read.layout == Layout.from_rows(BOARD)
        assert read.corners == ((10.0, 10.0), (90.5, 10.0), (90.0, 90.0), (10.0, 90.0))
        assert read.tags == ("dark",)

    @pytest.mark.parametrize(
        ("changes", "sentence"),
        [
            ({"board": None}, "'board' must be lines of board text"),
            ({"board": ["X.", "."]}, "board text must be square"),
            ({"board": ["Z."] * 2}, "needs 2x2 cells"),
            ({"board_size": 13}, "board_size and the lines of the board disagree"),
            ({"board_size": "9"}, "'board_size' must be a whole number, not '9'"),
            ({"corners": [[1, 2]]}, "'corners' must be four positions, not 1"),
            ({"corners": [[1, "x"]] * 4}, "'1' must be a number"),
            ({"source": 7}, "'source' must be text, not 7"),
        ],
    )
    def test_what_is_wrong_is_said_with_file_and_line(
        self, tmp_path: Path, changes: dict[str, object], sentence: str
    ) -> None:
        path = write_manifest(tmp_path, photo(), photo(**changes))
        with pytest.raises(FileFormatError) as fault:
            read_photos(path)
        assert str(fault.value).startswith(f"{path}, line 2")
        assert sentence in str(fault.value)

    def test_a_missing_field_is_named(self, tmp_path: Path) -> None:
        line = photo()
        del line["id"]
        with pytest.raises(FileFormatError, match="the field 'id' is missing"):
            read_photos(write_manifest(tmp_path, line))

    @pytest.mark.parametrize("text", ["{", "[1]", '"x"'])
    def test_what_is_no_object_is_refused(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "manifest.jsonl"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(FileFormatError, match="line 1"):
            read_photos(path)


class TestSequences:
    def write(self, folder: Path, frames: list[dict[str, Any]]) -> Path:
        write_manifest(folder, photo(id="first"))
        path = folder / "sequences" / "game.json"
        path.parent.mkdir()
        record = {"name": "game", "board_size": 9, "source": "here", "frames": frames}
        path.write_text(json.dumps(record), encoding="utf-8")
        return path

    def test_each_frame_has_the_board_after_its_changes(self, tmp_path: Path) -> None:
        change = {"at": "E5", "was": ".", "now": "X"}
        frames: list[dict[str, Any]] = [
            {"id": "first", "file": "a.jpg", "changes": None},
            {"id": "second", "file": "b.jpg", "changes": [change, {"at": "A9", "was": "X", "now": "."}]},
        ]
        sequence = read_sequence(self.write(tmp_path, frames))
        first, second = sequence.frames
        assert first.layout == Layout.from_rows(BOARD)
        assert second.file == tmp_path / "b.jpg"
        assert second.layout[Point.parse("E5")] == "X"
        assert second.layout[Point.parse("A9")] == "."
        assert sequence.size == 9

    def test_a_change_that_does_not_fit_is_refused(self, tmp_path: Path) -> None:
        frames: list[dict[str, Any]] = [
            {"id": "first", "file": "a.jpg", "changes": None},
            {"id": "second", "file": "b.jpg", "changes": [{"at": "A9", "was": ".", "now": "O"}]},
        ]
        with pytest.raises(FileFormatError, match=r"frames number 2: A9 was 'X', not '\.'"):
            read_sequence(self.write(tmp_path, frames))

    def test_an_empty_sequence_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(FileFormatError, match="at least one frame"):
            read_sequence(self.write(tmp_path, []))


class TestScenarios:
    def test_a_script_becomes_a_scenario(self, tmp_path: Path) -> None:
        read = read_scenario(write_scenario(tmp_path, scenario()))
        assert read.video == tmp_path / "ko.mp4"
        assert read.moves == (Move(Colour.BLACK, Point.parse("E5")), Move(Colour.WHITE, None))
        assert read.setup[Colour.BLACK] == {Point.parse("D4")}
        assert read.start[Point.parse("D4")] == "X"
        assert read.final == Layout.from_rows(BOARD)
        moved, blocked = read.alerts
        assert moved == ExpectedAlert("moved-stone", 7.0, frozenset({Point.parse("D4"), Point.parse("E4")}))
        assert blocked.at == frozenset()
        assert read.events[0].fields["at"] == "E5"
        assert read.seconds == 4.0

    def test_a_setup_among_the_expectations_counts_too(self, tmp_path: Path) -> None:
        script = scenario(setup=None)
        script["expect"]["setup"] = {"W": ["C3"]}
        assert read_scenario(write_scenario(tmp_path, script)).setup[Colour.WHITE] == {Point.parse("C3")}

    @pytest.mark.parametrize(
        ("expect", "sentence"),
        [
            ({"moves": [["B", "I5"]]}, "'I5' is not a point"),
            ({"moves": [["X", "E5"]]}, "'0' must be B or W, not 'X'"),
            ({"moves": [["B"]]}, "the field '1' is missing"),
            ({"moves": "B E5"}, "'moves' must be a list"),
            ({"moves": [], "alerts": [{"t": 3}]}, "the field 'code' is missing"),
        ],
    )
    def test_what_is_wrong_is_said(self, tmp_path: Path, expect: dict[str, object], sentence: str) -> None:
        with pytest.raises(FileFormatError) as fault:
            read_scenario(write_scenario(tmp_path, scenario(expect=expect)))
        assert sentence in str(fault.value)


class TestFinding:
    def test_a_folder_counts_whole(self, tmp_path: Path) -> None:
        write_manifest(tmp_path, photo(), photo(id="a/2"))
        (tmp_path / "clips").mkdir()
        write_scenario(tmp_path / "clips", scenario())
        found = find_labelled([tmp_path])
        assert (len(found.photos), len(found.sequences), len(found.scenarios)) == (2, 0, 1)

    def test_the_folder_of_sequences_itself_counts(self, tmp_path: Path) -> None:
        path = TestSequences().write(tmp_path, [{"id": "first", "file": "a.jpg", "changes": None}])
        assert len(find_labelled([path.parent]).sequences) == 1
        assert len(find_labelled([tmp_path]).sequences) == 1

    def test_nothing_labelled_is_a_fault(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="no labelled data"):
            find_labelled([tmp_path])

    def test_a_missing_path_is_a_fault(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="there is no such file or folder"):
            find_labelled([tmp_path / "nothing"])

    @pytest.mark.skipif(not SHARED.is_dir(), reason="the labelled data is not beside this checkout")
    def test_all_labelled_data_is_in_its_format(self) -> None:
        found = find_labelled([SHARED / "real", SHARED / "stills", SHARED / "clips"])
        assert len(found.photos) == 199
        assert {sequence.name: len(sequence.frames) for sequence in found.sequences} == {
            "gomrade": 12,
            "tengen_13": 28,
            "tengen_9": 15,
        }
        assert all(scenario.video.is_file() for scenario in found.scenarios)
        assert all(photo.file.is_file() for photo in found.photos)
