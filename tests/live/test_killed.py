"""Fifty recorders killed in the middle of their work, one after the other: one game, and nothing of it is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
KILLS = 50


@pytest.fixture
def home() -> Iterator[Path]:
    """In memory where there is such a place: a journal waits for the disk after each row."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() and os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork to start recorders fast with")
def test_a_recorder_killed_fifty_times_loses_nothing_and_tells_nothing_twice(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.live.killed", str(home), str(KILLS), "1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["lost"] == [], "rows that were acknowledged are not in the journal"
    assert found["changed"] == 0, "rows that were there have become others"
    assert found["acknowledged"] > KILLS
    assert found["twice"] == 0
    assert found["right"], "the moves are not those that were played, in order, each with its number"
    assert found["retracted"] == 0
    assert found["alerts"] == []
    # The last one, which was let live, told a gap as well; those killed before they saw the board could not.
    assert KILLS * 0.8 <= found["gaps"] <= KILLS
    assert found["status"] == 0
    assert found["state"] == "ended"
