"""The command line as it is: in a process of its own, or called and listened to."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from kifuwatch.cli.main import main


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it said."""

    status: int
    out: str
    err: str

    @property
    def sentence(self) -> str:
        """The one line on standard error."""
        lines = self.err.splitlines()
        assert len(lines) == 1, f"one sentence was expected on standard error, not {self.err!r}"
        assert "Traceback" not in self.out + self.err
        return lines[0]


Run = Callable[..., Ended]


@pytest.fixture
def command(tmp_path: Path) -> Run:
    """``kifuwatch`` in a process of its own, in a folder of its own."""

    def run(*arguments: object, cwd: Path = tmp_path, timeout: float = 120) -> Ended:
        done = subprocess.run(
            [sys.executable, "-m", "kifuwatch", *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, "KIFUWATCH_LANG": "en"},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """``kifuwatch`` called within the test, with parts of it replaced."""
    monkeypatch.setenv("KIFUWATCH_LANG", "en")

    def run(*arguments: object) -> Ended:
        status = main([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return Ended(status, said.out, said.err)

    return run
