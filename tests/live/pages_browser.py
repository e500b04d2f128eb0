"""A browser for the tests of the pages: Debian's Chromium, driven by Playwright. One server, one browser a module."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.live.material import OPENING, TOKEN
from tests.live.pages_site import PagesSite, SeenTable, camera_picture

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
expect = sync_api.expect
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to look at the pages with")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PagesSite]:
    """A server with one game on board 1, an alert in it, and a camera that sees an empty board."""
    folder = tmp_path_factory.mktemp("pages")
    running = PagesSite(folder)
    table = begun(running, "1", black="Li Hua", white="Wang Fang", event="Club cup", round="2", black_rank="5d")
    table.play(*OPENING[:12])
    for number in range(1, 20):
        (folder / f"move-{number}.jpg").write_bytes(camera_picture())
    row = table.row(type="gap", t=1.0, until=2.0, reason="a pause") + 1
    (folder / f"evidence-{row}").mkdir()
    for which in ("before", "during", "after"):
        (folder / f"evidence-{row}" / f"{which}.jpg").write_bytes(camera_picture())
    assert table.alert("moved-stone", ["D4", "D5"]) == row
    new = running.hall.open("new")
    new.view = {
        "view": {"verdict": "usable", "findings": [{"name": "low", "verdict": "usable"}]},
        "sentences": {"en": ["The view is usable:", "raise the camera."], "zh": ["视野可用：", "请升高摄像机。"]},
    }
    yield running
    running.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for all tests."""
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


Open = Callable[..., Any]
BAD = ("error", "warning")


def complaint(said: Any) -> str:
    """What a page says in the console, and of what."""
    return f"{said.text} {said.location.get('url', '')}"


@pytest.fixture
def open_page(site: PagesSite, browser: Any) -> Iterator[Open]:
    """Opens pages; whatever they complain about in the console fails the test."""
    contexts, complaints = [], []

    def opened(path: str, arbiter: bool = False, address: str | None = None, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1440, "height": 900}, "locale": "en-US", **options})
        context.set_default_timeout(5000)
        contexts.append(context)
        if arbiter:
            login = {"token": TOKEN}
            context.request.post(f"{site.address}/api/login", data=login, headers={"X-Kifuwatch": "1"})
        page = context.new_page()
        page.on("console", lambda said: complaints.append(complaint(said)) if said.type in BAD else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto((address or site.address) + path)
        return page

    opened.complaints = complaints  # type: ignore[attr-defined]
    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def begun(site: PagesSite, board: str, **info: Any) -> SeenTable:
    """A game that has begun."""
    table = site.hall.open(board)
    table.begin(**info)
    site.settle(board)
    return table
