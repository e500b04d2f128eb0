"""The pages in a real browser: Debian's Chromium, driven by Playwright, over a server whose games the test plays."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.live.pages_browser import Open, begun, browser, expect, needs_browser, open_page, site
from tests.live.pages_site import PagesSite, free_port

__all__ = ["browser", "open_page", "site"]
pytestmark = needs_browser

STATIC = Path(__file__).resolve().parents[2] / "kifuwatch" / "live" / "static"
CHECKS = (Path(__file__).parent / "page_checks.js").read_text(encoding="utf-8").split("\n", 1)[1].rstrip().rstrip(";")
PAGES = {
    "hall": "/",
    "board": "/board/1",
    "setup": "/setup/new",
    "desk": "/desk/1",
    "review": "/review/1",
    "overlay": "/overlay/1?names=1&coords=1",
    "embed": "/embed/1",
    "login": "/login",
}
EVIL = "<img src=x onerror=\"document.title='caught'\"><b>Li</b>"


# All pages


@pytest.mark.parametrize("name", PAGES)
def test_a_page_loads_without_a_complaint_and_stands_a_first_audit(name: str, open_page: Open) -> None:
    page = open_page(PAGES[name], arbiter=name not in ("login", "overlay", "embed"))
    ready(page, name)
    assert page.evaluate(CHECKS) == []


@pytest.mark.parametrize("name", PAGES)
def test_on_a_phone_in_chinese_and_dark_nothing_sticks_out(name: str, open_page: Open) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True, "device_scale_factor": 2}
    page = open_page(
        PAGES[name], arbiter=name not in ("login", "overlay"), locale="zh-CN", color_scheme="dark", **phone
    )
    ready(page, name)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(CHECKS) == []
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
    if name not in ("overlay", "embed"):
        body = page.locator("main").inner_text()
        assert re.search("[一-鿿]", body), "nothing on the page is Chinese"


def ready(page: Any, name: str) -> None:
    """Wait until a page shows what it is for."""
    shown = {
        "hall": ".tile[aria-label*='Li Hua']",
        "setup": "#quality .verdict",
        "login": "#token",
        "desk": ".alert .prescribed button",
        "review": "#edit button",
    }
    page.locator(shown.get(name, "go-board .stone")).first.wait_for()


# Following


def test_a_move_appears_on_every_page_and_is_spoken(site: PagesSite, open_page: Open) -> None:
    table = begun(site, "moves")
    table.play("Q16")
    pages = [open_page(f"/{name}/moves") for name in ("board", "overlay", "embed")]
    for page in pages:
        expect(page.locator("go-board .stone")).to_have_count(1)
    table.play("D4", "Q3")
    for page in pages:
        expect(page.locator("go-board .stone")).to_have_count(3)
    board = pages[0]
    expect(board.locator("#moves li")).to_have_count(3)
    expect(board.locator("#moves [aria-current]")).to_contain_text("Q3")
    expect(board.locator("#spoken")).to_have_text("Black 3: Q3")
    expect(board.locator("#turn")).to_have_text("White to play, move 4")
    expect(board.locator("#players .player.turn .name")).to_have_text("White")
    table.row(type="retract", t=40.0, seen=40.0, number=2, reason="the stone lay on another point")
    for page in pages:
        expect(page.locator("go-board .stone")).to_have_count(1)
    expect(board.locator("#spoken")).to_have_text("Taken back to move 1")
    expect(board.locator("#moves li")).to_have_count(1)


def test_a_board_on_which_nothing_is_known_shows_no_empty_bars(open_page: Open) -> None:
    page = open_page("/board/nosuch")
    expect(page.get_by_text("No game is recorded here yet.")).to_be_visible()
    expect(page.locator("#status")).to_be_hidden()
    expect(page.locator("#players")).to_be_hidden()
    assert [each for each in open_page.complaints if "404" not in each] == []  # type: ignore[attr-defined]
    open_page.complaints.clear()  # type: ignore[attr-defined]


def test_keys_go_through_the_game(open_page: Open) -> None:
    page = open_page("/board/1")
    expect(page.locator("go-board .stone")).to_have_count(12)
    for key, left in (("ArrowLeft", 11), ("PageUp", 1), ("Home", 0), ("ArrowRight", 1), ("End", 12)):
        page.keyboard.press(key)
        expect(page.locator("go-board .stone")).to_have_count(left)
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", "Black 11: C6")
    page.get_by_role("button", name="Back to live").click()
    expect(page.locator("go-board .stone")).to_have_count(12)


def test_numbers_coordinates_and_turns_are_kept(open_page: Open) -> None:
    page = open_page("/board/1")
    expect(page.locator("go-board .coordinate")).to_have_count(76)
    first = page.locator("go-board .coordinate").first
    assert first.text_content() == "A"
    page.get_by_role("button", name="Move numbers").click()
    expect(page.locator("go-board .number")).to_have_count(12)
    page.get_by_role("button", name="Turn the board").click()
    assert first.text_content() == "1", "a quarter turn puts the rows where the columns were"
    page.get_by_role("button", name="Coordinates").click()
    page.reload()
    expect(page.locator("go-board .number")).to_have_count(12)
    expect(page.locator("go-board")).to_have_attribute("rot", "1")
    assert page.locator("go-board .coordinate").count() == 0


def test_captured_stones_come_off_and_are_counted(site: PagesSite, open_page: Open) -> None:
    table = begun(site, "capture", black="Li")
    table.play("A2", "A1", "K10", "K11", "B1")  # B1 takes A1
    page = open_page("/board/capture")
    expect(page.locator("go-board .stone")).to_have_count(4)
    expect(page.locator(".player").first.locator("dd").first).to_have_text("1")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("go-board .stone")).to_have_count(4)
    expect(page.locator(".player").first.locator("dd").first).to_have_text("0")


def test_the_state_is_told_in_words(site: PagesSite, open_page: Open) -> None:
    table = begun(site, "words")
    page = open_page("/board/words")
    expect(page.locator("#status")).to_have_text("Recording")
    table.note, table.age = "no-picture", 12.0
    table.tell()
    expect(page.locator("#status")).to_contain_text(re.compile("No picture since 1[2-4] s"))
    table.note, table.age = "hand", 0.1
    table.tell()
    expect(page.locator("#status")).to_have_text("Recording; a hand is over the board")


def test_a_lost_connection_is_told_and_what_was_missed_comes_after(
    tmp_path: Path, browser: Any, open_page: Open
) -> None:
    other = PagesSite(tmp_path, port := free_port())
    begun(other, "1").play("Q16")
    page = open_page("/board/1", address=other.address)
    expect(page.locator("go-board .stone")).to_have_count(1)
    other.stop()
    expect(page.locator(".connection")).to_contain_text("Connection lost", timeout=9000)
    other.hall.open("1").play("D4")
    again = PagesSite(tmp_path, port, other.hall)
    expect(page.locator("go-board .stone")).to_have_count(2, timeout=9000)
    expect(page.locator(".connection")).to_be_hidden()
    page.close()
    again.stop()
    complaints = open_page.complaints  # type: ignore[attr-defined]
    assert all("ERR_" in each for each in complaints), complaints
    complaints.clear()


# The hall


def test_the_hall_shows_alerts_to_the_arbiter_alone(open_page: Open) -> None:
    public, arbiter = open_page("/"), open_page("/", arbiter=True)
    tile = "a.tile[aria-label*='Li Hua']"
    expect(arbiter.locator(f"{tile} .badge")).to_have_text(re.compile("[1-9]"))
    assert arbiter.locator(tile).get_attribute("href") == "/desk/1"
    expect(public.locator(tile)).to_be_visible()
    assert public.locator(f"{tile} .badge").is_hidden()
    assert public.locator(tile).get_attribute("href") == "/board/1"
    assert public.get_by_role("link", name="Set up a board").is_hidden()
    expect(arbiter.get_by_role("link", name="Set up a board")).to_have_attribute("href", "/setup/2")


def test_the_hall_is_in_the_order_of_tables_and_greys_what_is_stale(site: PagesSite, open_page: Open) -> None:
    for board in ("t10", "t9"):
        begun(site, board, black=board)
    stale = site.hall.open("t9")
    stale.note, stale.age = "no-picture", 40.0
    stale.tell()
    page = open_page("/")
    page.locator("a.tile[href='/board/t10']").wait_for()
    order = [link.get_attribute("href") for link in page.locator("a.tile").all()]
    assert order.index("/board/t9") < order.index("/board/t10")
    expect(page.locator("a.tile[href='/board/t9']")).to_have_class(re.compile("stale"))
    expect(page.locator("a.tile[href='/board/t9'] .seen")).to_contain_text("Seen 4")
    painted = "c => new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size"
    assert page.locator("a.tile canvas").first.evaluate(painted) > 3


# Safety


@pytest.mark.parametrize("path", ["/", "/board/evil", "/overlay/evil?names=1", "/embed/evil", "/desk/evil"])
def test_markup_in_a_name_is_shown_as_it_is_written(path: str, site: PagesSite, open_page: Open) -> None:
    if site.hall.station("evil") is None:
        begun(site, "evil", black=EVIL, white="'; --", event=EVIL).play("Q16")
    page = open_page(path, arbiter=path.startswith("/desk"))
    expect(page.get_by_text("<b>Li</b>").first).to_be_visible()
    assert page.locator("img[src='x']").count() == 0
    assert page.title() != "caught"


def test_nothing_is_loaded_from_elsewhere_and_nothing_is_inline() -> None:
    for path in STATIC.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert re.findall(r"<script(?![^>]*src=)|<style|\sstyle=|\son\w+=", text) == [], path.name
        assert re.findall(r'(?:src|href)="(?!/|#)', text) == [], path.name
    for path in [*STATIC.glob("*.js"), *STATIC.glob("*.css")]:
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "innerHTML" not in text, path.name
        assert not re.search(r"https?://|@import", text), path.name
        assert len(text.splitlines()) <= 500, path.name


def test_both_languages_say_the_same_things() -> None:
    words = {name: json.loads((STATIC / "i18n" / f"{name}.json").read_text(encoding="utf-8")) for name in ("en", "zh")}
    assert {key for key in words["en"] if not key.endswith(".one")} == set(words["zh"])
    for key, text in words["zh"].items():
        assert set(re.findall(r"\{\w+\}", text)) <= set(re.findall(r"\{\w+\}", words["en"][key])), key
    used = {
        key
        for path in (*STATIC.glob("*.js"), *STATIC.glob("*.html"))
        for key in re.findall(r"""(?:\bt\(|data-t[a-z-]*=)["']([a-z0-9.-]+)["']""", path.read_text(encoding="utf-8"))
    }
    assert used - set(words["en"]) == set()


# Language, theme, broadcast


def test_language_and_theme_are_switched_and_kept(open_page: Open) -> None:
    page = open_page("/board/1")
    expect(page.locator("#turn")).to_have_text("Black to play, move 13")
    page.get_by_role("button", name="中文").click()
    expect(page.locator("#turn")).to_have_text("轮到黑方，第13手")
    expect(page.locator("h2").first).to_have_text("着法")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="深色").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    page.goto(page.url.replace("/board/1", "/"))
    expect(page.locator("h1")).to_have_text("全部棋盘")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_reduced_motion_is_respected(site: PagesSite, open_page: Open) -> None:
    table = begun(site, "calm")
    page = open_page("/board/calm", reduced_motion="reduce")
    table.play("Q16")
    expect(page.locator("go-board .stone")).to_have_count(1)
    assert page.evaluate("document.getAnimations().length") == 0


def test_the_overlay_is_transparent_and_has_no_controls(open_page: Open) -> None:
    page = open_page("/overlay/1?size=300&theme=clear", viewport={"width": 500, "height": 400})
    page.locator("go-board .stone").first.wait_for()
    picture = cv2.imdecode(np.frombuffer(page.screenshot(omit_background=True), np.uint8), cv2.IMREAD_UNCHANGED)
    assert picture is not None
    assert picture[:, 320:, 3].max() == 0, "beside the board nothing is painted"
    assert picture[6, 6, 3] == 0, "the clear theme paints no wood"
    assert (picture[:300, :300, 3] == 255).mean() > 0.01, "stones are there"
    assert page.locator("button, input, a").count() == 0
    assert page.locator("go-board").bounding_box()["width"] == 300


def test_the_overlay_turns_and_shows_names_when_asked(open_page: Open) -> None:
    page = open_page("/overlay/1?rot=180&names=1&numbers=2")
    expect(page.locator(".strip .name").first).to_have_text("Wang Fang")
    expect(page.locator("go-board")).to_have_attribute("rot", "2")
    assert sorted(page.locator("go-board .number").all_text_contents()) == ["11", "12"]
