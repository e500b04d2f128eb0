"""Bad input through the real command line: one sentence, the right status, nothing half written."""

from __future__ import annotations

import json
import os
import re
import struct
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from kifuwatch.vision.images import save_image
from tests.cli.conftest import Run

NO_BOARD, UNREADABLE, NO_FRAMES, UNWRITABLE = 3, 4, 5, 6
SMALL = 400  # megabytes that a command may hold which only has to refuse something


@pytest.fixture
def grey(tmp_path: Path) -> Path:
    """A picture without a board: a wall in soft light."""
    path = tmp_path / "wall.jpg"
    light = np.linspace(90, 170, 640)[None, :, None] + np.linspace(0, 20, 480)[:, None, None]
    save_image(path, np.repeat(light, 3, axis=2).astype(np.uint8))
    return path


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def huge_png(path: Path) -> Path:
    """20,000 x 20,000 pixels of black: a file of a megabyte that would fill 1.2 gigabytes."""
    total, block = 20_000 * (1 + 3 * 20_000), 1 << 24
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    one = deflate.compress(bytes(block)) + deflate.flush(zlib.Z_FULL_FLUSH)  # complete in itself, so it can be repeated
    rest = deflate.compress(bytes(total % block)) + deflate.flush()
    adler = struct.pack(">I", (total % 65521) << 16 | 1)  # of nothing but zeros
    data = b"\x78\xda" + one * (total // block) + rest + adler
    header = struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b""))
    return path


def files_in(folder: Path) -> dict[str, bytes]:
    """Every file of a folder with what it holds, to see that nothing was written."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def nothing_written(tmp_path: Path) -> Iterator[list[Path]]:
    """After the test the folder holds what it held when the list was last filled, see :func:`hold`."""
    before: list[dict[str, bytes]] = []

    class Held(list[Path]):
        def append(self, folder: Path) -> None:
            before.append(files_in(folder))
            super().append(folder)

    held = Held()
    yield held
    for folder, files in zip(held, before, strict=True):
        assert files_in(folder) == files


class TestPhotographs:
    def test_no_board_in_the_picture(
        self, command: Run, grey: Path, tmp_path: Path, nothing_written: list[Path]
    ) -> None:
        nothing_written.append(tmp_path)
        ended = command("read", grey, "--picture", "out.png")
        assert (ended.status, ended.out) == (NO_BOARD, "")
        assert "board" in ended.sentence

    @pytest.mark.parametrize(
        ("name", "content", "words"),
        [
            ("empty.jpg", b"", "empty"),
            ("text.jpg", b"This is a game of Go.\n" * 20, "not a JPEG, PNG or WebP picture"),
            ("short.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "cut off"),
        ],
        ids=["empty file", "text named .jpg", "nothing but a header"],
    )
    def test_what_is_no_picture(self, command: Run, tmp_path: Path, name: str, content: bytes, words: str) -> None:
        path = tmp_path / name
        path.write_bytes(content)
        ended = command("read", path, "--json")
        assert (ended.status, ended.out) == (UNREADABLE, "")
        assert str(path) in ended.sentence
        assert words in ended.sentence

    def test_a_file_that_is_not_there(self, command: Run) -> None:
        ended = command("read", "nothing.jpg")
        assert ended.status == UNREADABLE
        assert "nothing.jpg" in ended.sentence

    @pytest.mark.parametrize("share", [0.3, 0.7, 0.98])
    def test_a_file_that_is_cut_off(self, command: Run, grey: Path, tmp_path: Path, share: float) -> None:
        whole = grey.read_bytes()
        path = tmp_path / "cut.jpg"
        path.write_bytes(whole[: int(len(whole) * share)])
        ended = command("read", path)
        assert ended.status == UNREADABLE
        assert "cut off" in ended.sentence

    def test_a_picture_too_large_is_refused_before_memory_is_taken(self, command: Run, tmp_path: Path) -> None:
        path = huge_png(tmp_path / "huge.png")
        ended = command("read", path)
        assert ended.status == UNREADABLE
        assert "20000 x 20000" in ended.sentence.replace("×", "x").replace(",", "")

    def test_refusing_takes_no_memory(self, tmp_path: Path) -> None:
        path = huge_png(tmp_path / "huge.png")
        script = (
            "import re, sys; from pathlib import Path; from kifuwatch.cli.main import main; "
            "status = main(['read', sys.argv[1]]); "
            # The peak of this process alone: what getrusage says includes that of the process it was forked from.
            "peak = re.search(r'VmHWM:\\s*(\\d+)', Path('/proc/self/status').read_text()); "
            "print(status, int(peak[1]) // 1024)"
        )
        done = subprocess.run(
            [sys.executable, "-c", script, str(path)], capture_output=True, text=True, timeout=120, check=True
        )
        status, megabytes = map(int, done.stdout.split())
        assert status == UNREADABLE
        assert megabytes < SMALL

    def test_corners_that_make_no_board(self, command: Run, grey: Path) -> None:
        ended = command("read", grey, "--corners", "1,1", "1,1", "1,1", "1,1")
        assert ended.status == 2
        assert "corners" in ended.sentence

    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            (["--size", "abc"], "--size: abc is not a size of board that is read: choose 9, 13 or 19"),
            (["--size", "10"], "--size: 10 is not a size of board that is read: choose 9, 13 or 19"),
            (["--corners", "1,1", "2,2"], "--corners needs four x,y pairs, and 2 are given"),
            (["--corners", "1,1", "2,2", "9,9", "--size", "9"], "--corners needs four x,y pairs, and 3 are given"),
            (["--corners", "1,1", "2,2", "3,x", "4,4"], "--corners: '3,x' is not a position: write x,y in pixels"),
        ],
    )
    def test_what_is_said_of_a_board_is_checked_first(self, call: Run, words: list[str], sentence: str) -> None:
        ended = call("read", "nothing.jpg", *words)
        assert ended.status == 2
        assert ended.sentence.startswith(f"kifuwatch: {sentence}")

    def test_a_picture_that_cannot_be_written(self, command: Run, grey: Path) -> None:
        ended = command("read", grey, "--picture", "nowhere/out.png")
        assert ended.status == UNWRITABLE
        assert "nowhere" in ended.sentence

    def test_the_photograph_itself_is_not_drawn_over(
        self, command: Run, grey: Path, nothing_written: list[Path]
    ) -> None:
        nothing_written.append(grey.parent)
        assert command("read", grey, "--picture", grey).status == 2


class TestSources:
    @pytest.mark.parametrize(
        ("name", "content"),
        [("empty.mp4", b""), ("text.mp4", b"no film\n" * 50), ("head.mp4", b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom")],
        ids=["empty file", "text", "a head without frames"],
    )
    def test_a_video_without_frames(
        self, command: Run, tmp_path: Path, nothing_written: list[Path], name: str, content: bytes
    ) -> None:
        (tmp_path / name).write_bytes(content)
        nothing_written.append(tmp_path)
        ended = command("record", name, "--sgf", "game.sgf", "--events", "game.jsonl", "--pictures", "pictures")
        assert (ended.status, ended.out) == (NO_FRAMES, "")
        assert name in ended.sentence

    @pytest.mark.parametrize("source", ["97", "/dev/video97"])
    def test_a_camera_that_is_not_there(
        self, command: Run, tmp_path: Path, nothing_written: list[Path], source: str
    ) -> None:
        nothing_written.append(tmp_path)
        ended = command("record", source, "--sgf", "game.sgf")
        assert ended.status == NO_FRAMES
        assert "97" in ended.sentence

    def test_an_address_that_does_not_answer(self, command: Run) -> None:
        ended = command("record", "http://127.0.0.1:9/live", "--sgf", "game.sgf")
        assert ended.status == NO_FRAMES
        assert "127.0.0.1" in ended.sentence

    def test_a_folder_without_pictures(self, command: Run, tmp_path: Path) -> None:
        (tmp_path / "photos").mkdir()
        assert command("record", "photos").status == NO_FRAMES

    def test_a_folder_of_pictures_without_a_board(
        self, command: Run, grey: Path, tmp_path: Path, nothing_written: list[Path]
    ) -> None:
        folder = tmp_path / "photos"
        folder.mkdir()
        grey.rename(folder / "1.jpg")
        nothing_written.append(tmp_path)
        ended = command("record", "photos", "--sgf", "game.sgf", "--events", "game.jsonl", "--pictures", "pictures")
        assert ended.status == NO_BOARD
        assert not (tmp_path / "pictures").exists()
        assert "no board was found" in ended.sentence

    def test_calibrating_on_nothing(
        self, command: Run, grey: Path, tmp_path: Path, nothing_written: list[Path]
    ) -> None:
        nothing_written.append(tmp_path)
        assert command("calibrate", grey).status == NO_BOARD
        assert command("calibrate", "nothing.mp4").status == NO_FRAMES

    def test_a_profile_that_is_none(self, command: Run, grey: Path, tmp_path: Path) -> None:
        folder = tmp_path / "photos"
        folder.mkdir()
        grey.rename(folder / "1.jpg")
        (tmp_path / "profile.json").write_text('{"size": 19}')
        ended = command("record", "photos", "--profile", "profile.json")
        assert ended.status == UNREADABLE
        assert "profile.json" in ended.sentence


class TestRequests:
    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            (["--fps", "-3"], "--fps must be above 0, and is -3"),
            (["--fps", "nan"], "--fps must be above 0, and is nan"),
            (["--komi", "nan"], "a komi of nan cannot be"),
            (["--komi", "inf"], "a komi of inf cannot be"),
            (["--komi", "-400.5"], "a komi of -400.5 cannot be"),
        ],
    )
    def test_numbers_that_cannot_be(self, call: Run, words: list[str], sentence: str) -> None:
        ended = call("record", "nothing.mp4", *words)
        assert ended.status == 2
        assert ended.sentence.startswith(f"kifuwatch: {sentence}")

    @pytest.mark.parametrize("pair", [("--sgf", "--events"), ("--sgf", "--pictures"), ("--events", "--pictures")])
    def test_one_file_cannot_hold_two_things(
        self, call: Run, tmp_path: Path, nothing_written: list[Path], pair: tuple[str, str]
    ) -> None:
        nothing_written.append(tmp_path)
        ended = call("record", "nothing.mp4", pair[0], tmp_path / "a", pair[1], tmp_path / "." / "a")
        assert ended.status == 2
        assert "give each a name of its own" in ended.sentence

    def test_a_scenario_that_is_not_there_is_one_sentence(self, call: Run, tmp_path: Path) -> None:
        ended = call("simulate", tmp_path / "nothing.json", tmp_path / "a.mp4")
        assert ended.status == UNREADABLE
        assert "nothing.json" in ended.sentence


class TestOutputs:
    @pytest.mark.parametrize("option", ["--sgf", "--events"])
    def test_an_existing_record_is_never_overwritten_without_force(
        self, command: Run, tmp_path: Path, nothing_written: list[Path], option: str
    ) -> None:
        (tmp_path / "game.mp4").write_bytes(b"")
        (tmp_path / "old").write_text("(;GM[1]FF[4];B[pd])")
        nothing_written.append(tmp_path)
        ended = command("record", "game.mp4", option, "old")
        assert ended.status == UNWRITABLE
        assert "old" in ended.sentence
        assert "--force" in ended.sentence

    @pytest.mark.parametrize(
        ("option", "path"),
        [("--sgf", "nowhere/game"), ("--sgf", "folder"), ("--sgf", "file/game"), ("--events", "folder")],
    )
    def test_an_output_that_cannot_be_written(self, command: Run, tmp_path: Path, option: str, path: str) -> None:
        (tmp_path / "folder").mkdir()
        (tmp_path / "file").write_text("")
        ended = command("record", "game.mp4", option, path)
        assert ended.status == UNWRITABLE
        assert path in ended.sentence

    @pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
    def test_a_folder_that_may_not_be_written(self, command: Run, tmp_path: Path) -> None:
        locked = tmp_path / "locked"
        locked.mkdir(mode=0o500)
        assert command("record", "game.mp4", "--sgf", "locked/game.sgf").status == UNWRITABLE

    def test_a_system_that_takes_nothing(self, command: Run) -> None:
        """/proc refuses new files whoever asks."""
        if not Path("/proc/self").is_dir():
            pytest.skip("this system has no /proc")
        assert command("record", "game.mp4", "--sgf", "/proc/game.sgf").status == UNWRITABLE

    def test_pictures_need_a_folder(self, command: Run, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        ended = command("record", "game.mp4", "--pictures", "file")
        assert ended.status == UNWRITABLE


class TestLabelledData:
    def test_a_manifest_that_is_none(self, command: Run, tmp_path: Path) -> None:
        (tmp_path / "manifest.jsonl").write_text('{"id": 3}\n')
        ended = command("evaluate", "manifest.jsonl")
        assert ended.status == UNREADABLE
        assert "line 1" in ended.sentence

    def test_nothing_to_evaluate(self, command: Run, tmp_path: Path) -> None:
        assert command("evaluate", tmp_path).status == UNREADABLE

    @pytest.mark.parametrize(
        "words",
        [
            ("evaluate", "few", "--results", "hall.jpg"),
            ("evaluate", "hall.jpg"),
            ("evaluate", "hall.scenario.json"),
            ("evaluate", "sequences/hall.json"),
            ("simulate", "hall.jpg", "clip.mp4"),
        ],
        ids=" ".join,
    )
    def test_what_is_no_text_is_said_without_words_of_a_machine(
        self, call: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
    ) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "few").mkdir()
        (tmp_path / "sequences").mkdir()
        board = {"board_size": 9, "board": ["." * 9] * 9, "corners": [[1, 1], [9, 1], [9, 9], [1, 9]]}
        photo = {"id": "a/1", "file": "a.jpg", "source": "club", **board}
        (tmp_path / "few" / "manifest.jsonl").write_text(json.dumps(photo))
        for name in ("hall.jpg", "hall.scenario.json", "sequences/hall.json"):
            (tmp_path / name).write_bytes(b"\xff\xd8\xff\xe0 a photograph")
        ended = call(*words)
        assert ended.status == UNREADABLE
        assert re.fullmatch(r"kifuwatch: \S*hall\S*: this is no text in UTF-8", ended.sentence)

    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            (("simulate", "nope.json", "clip.mp4"), "cannot read nope.json: no such file or directory"),
            (
                ("simulate", "clip.scenario.json", "clip.mp4"),
                "cannot read clip.scenario.json: no such file or directory",
            ),
            (("simulate", ".", "clip.mp4"), "cannot read .: is a directory"),
        ],
        ids=["missing", "missing where the truth will be", "a folder"],
    )
    def test_what_is_not_there(self, command: Run, words: tuple[str, ...], sentence: str) -> None:
        ended = command(*words)
        assert (ended.status, ended.sentence) == (UNREADABLE, f"kifuwatch: {sentence}")
