"""Processes that help a command end with it, even where it is killed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = """
import os, time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from kifuwatch.core.ending import end_with_parent

if __name__ == "__main__":
    with ProcessPoolExecutor(1, get_context("spawn"), end_with_parent) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there no process is asked after without ending it")
def test_a_pool_ends_when_its_program_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "pool.py"
    script.write_text(SCRIPT)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        helper = int(program.stdout.readline())
        program.kill()
        program.wait(10)
    until = time.monotonic() + 20
    while _lives(helper):
        assert time.monotonic() < until, "the helper is still there"
        time.sleep(0.05)


def _lives(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{number}/stat")
    return not stat.exists() or stat.read_text().rsplit(")", 1)[1].split()[0] != "Z"
