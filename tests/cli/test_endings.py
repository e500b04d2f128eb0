"""How a command may end: each way one sentence and its own status, never a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import kifuwatch
from kifuwatch import api
from kifuwatch.core.errors import KifuwatchError, NoBoardError
from tests.cli.conftest import Run

COMMANDS = ["read", "record", "calibrate", "evaluate", "demo"]


def test_the_version(call: Run) -> None:
    ended = call("--version")
    assert (ended.status, ended.out) == (0, f"kifuwatch {kifuwatch.__version__}\n")


def test_help_lists_every_command(call: Run) -> None:
    ended = call("--help")
    assert ended.status == 0
    assert all(name in ended.out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_examples(call: Run, name: str) -> None:
    ended = call(name, "--help")
    assert ended.status == 0
    assert "Examples" in ended.out
    assert f"kifuwatch {name}" in ended.out


def test_help_in_chinese(call: Run) -> None:
    assert "识别照片上的局面" in call("read", "--help", "--lang", "zh").out


@pytest.mark.parametrize(
    "arguments",
    [
        ("nothing",),
        ("read",),
        ("read", "x.jpg", "--nothing"),
        ("read", "x.jpg", "--size", "x"),
        ("read", "x.jpg", "--size", "10"),
        ("read", "x.jpg", "--corners", "1,2", "3,4", "5,6", "7"),
        ("read", "x.jpg", "--corners", "1,2", "3,4", "5,6", "7,nan"),
        ("read", "x.jpg", "--corners", "1,2"),
        ("read", "x.jpg", "--lang", "fr"),
        ("record", "x.mp4", "--rules", "chess"),
    ],
    ids=" ".join,
)
def test_a_wrong_request_has_status_2(call: Run, arguments: tuple[str, ...]) -> None:
    ended = call(*arguments)
    assert ended.status == 2
    assert ended.sentence.startswith("kifuwatch: ")


def boom(fault: BaseException) -> object:
    def read(*args: object, **options: object) -> object:
        raise fault

    return read


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    """A small grey picture."""
    import numpy as np

    from kifuwatch.vision.images import save_image

    path = tmp_path / "photo.png"
    save_image(path, np.full((40, 60, 3), 128, np.uint8))
    return path


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        (NoBoardError("there is no board"), 3, "there is no board"),
        (KifuwatchError("a sentence\nin two lines"), 1, "a sentence in two lines"),
        (ZeroDivisionError("by zero"), 1, "something unexpected went wrong (ZeroDivisionError: by zero)"),
        (MemoryError(), 1, "not enough memory"),
        (KeyboardInterrupt(), 130, "interrupted"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_each_fault_is_one_sentence_with_its_status(
    call: Run, monkeypatch: pytest.MonkeyPatch, picture: Path, fault: BaseException, status: int, words: str
) -> None:
    monkeypatch.setattr(api, "read", boom(fault))
    ended = call("read", picture)
    assert ended.status == status
    assert words in ended.sentence
    assert ended.out == ""


def test_debug_shows_where(call: Run, monkeypatch: pytest.MonkeyPatch, picture: Path) -> None:
    monkeypatch.setattr(api, "read", boom(ZeroDivisionError("by zero")))
    ended = call("read", picture, "--debug")
    assert ended.status == 1
    assert "Traceback" in ended.err
    assert "ZeroDivisionError" in ended.err.splitlines()[-1]


def test_a_fault_in_chinese(call: Run, monkeypatch: pytest.MonkeyPatch, picture: Path) -> None:
    monkeypatch.setattr(api, "read", boom(ZeroDivisionError("by zero")))
    assert "意外错误" in call("read", picture, "--lang", "zh").sentence


def test_a_reader_that_goes_away_is_no_fault() -> None:
    script = "from kifuwatch.cli.main import main; import sys; sys.exit(main(['record', '--help']))"
    done = subprocess.run(
        f'{sys.executable} -c "{script}" | true', shell=True, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr == ""


def test_the_command_line_starts_without_the_libraries_for_pictures() -> None:
    script = (
        "import sys; from kifuwatch.cli.main import build; build(); "
        "print(sorted({'cv2', 'numpy', 'sklearn', 'sgfmill', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
