"""A page of HTML printed to PDF by a browser that is on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from kifuwatch.core.errors import OutputError
from kifuwatch.record.files import write_whole

BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "microsoft-edge",
)
PATIENCE = 120.0
"""Seconds that a browser may take."""


def find_browser(which: Callable[[str], str | None] = shutil.which) -> str:
    """A browser that can print. Raises OutputError where there is none."""
    found = next((path for name in BROWSERS if (path := which(name))), None)
    if found is None:
        raise OutputError(
            "a PDF needs Chromium, Chrome or Edge on this machine, and there is none: write --out FILE.html and print "
            "that with any browser"
        )
    return found


def print_pdf(html: str, target: Path, browser: str) -> None:
    """Print a page to a file. Raises OutputError when the browser does not, or the file cannot be written."""
    with TemporaryDirectory(prefix="kifuwatch-") as folder:
        page, made = Path(folder) / "sheet.html", Path(folder) / "sheet.pdf"
        page.write_text(html, encoding="utf-8")
        command = [
            browser,
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer",
            f"--print-to-pdf={made}",
            page.as_uri(),
        ]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.insert(1, "--no-sandbox")  # a browser refuses to run as root without it
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise OutputError(f"{browser} does not print: {error}") from error
        if not made.is_file() or not made.read_bytes().startswith(b"%PDF"):
            said = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
            raise OutputError(f"{browser} has printed nothing ({said[:200]})")
        write_whole(target, made.read_bytes())
