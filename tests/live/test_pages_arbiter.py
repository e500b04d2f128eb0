"""The pages of who sets up, rules and corrects, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kifuwatch.live.hall import Hall
from kifuwatch.record.journal import Journal
from tests.live.material import TOKEN
from tests.live.pages_browser import Open, begun, browser, expect, needs_browser, open_page, site
from tests.live.pages_site import CORNERS, PagesSite, SeenTable, reading

__all__ = ["browser", "open_page", "site"]
pytestmark = needs_browser


# Setting up


def test_from_start_to_the_first_move_nothing_is_clicked_but_start(site: PagesSite, open_page: Open) -> None:
    page = open_page("/setup/club", arbiter=True)
    expect(page.locator("#status")).to_have_text("Being set up")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url("**/board/club")
    table = site.hall.open("club")
    asked, setup = table.asked[-1]
    assert (asked, setup.source, setup.rules, setup.komi) == ("start", "test:", "cn2002", None)
    table.play("Q16")
    expect(page.locator("go-board .stone")).to_have_count(1)


def test_the_test_camera_is_recorded_with_one_click(tmp_path: Path, open_page: Open) -> None:
    hall = Hall(tmp_path)
    real = PagesSite(tmp_path, real=hall)
    page = open_page(f"/setup/1?source=test:4x#token={TOKEN}", address=real.address)
    page.locator("#quality .verdict").wait_for(timeout=60_000)
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("#moves li").first).to_contain_text("E5", timeout=60_000)
    expect(page.locator("go-board .stone").first).to_be_visible()
    page.close()
    real.stop()
    hall.close()


def test_what_is_filled_in_is_what_the_game_begins_with(site: PagesSite, open_page: Open) -> None:
    page = open_page("/setup/filled", arbiter=True)
    expect(page.locator("#status")).to_have_text("Being set up")
    for label, text in (("Black", "Li Hua"), ("White", "王芳"), ("Event", "Cup"), ("Komi in points", "6,5")):
        page.get_by_label(label, exact=True).fill(text)
    page.get_by_label("Rules").select_option("jp")
    page.get_by_label("Handicap").select_option("4")
    page.get_by_label("White", exact=True).press("Enter")
    page.wait_for_url("**/board/filled")
    setup = site.hall.open("filled").asked[-1][1]
    assert (setup.black, setup.white, setup.event) == ("Li Hua", "王芳", "Cup")
    assert (setup.komi, setup.rules, setup.handicap) == (6.5, "jp", 4)


def test_a_recording_is_paused_and_ended_where_it_was_set_up(site: PagesSite, open_page: Open) -> None:
    table = begun(site, "going", black="Li Hua", event="Cup")
    page = open_page("/setup/going", arbiter=True)
    expect(page.get_by_label("Black", exact=True)).to_have_value("Li Hua")
    assert page.get_by_role("button", name="Start", exact=True).is_disabled()
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("#running")).to_contain_text("The recording is paused")
    assert table.state == "paused"
    page.get_by_role("button", name="End the recording").click()
    page.get_by_role("dialog").locator("button.grave").click()
    expect(page.locator("#status")).to_have_text("Ended")
    assert table.state == "ended"
    page.reload()
    expect(page.get_by_label("Event")).to_have_value("Cup")
    expect(page.get_by_label("Black", exact=True)).to_have_value("")


def test_one_of_several_boards_in_view_is_chosen(site: PagesSite, open_page: Open) -> None:
    page = open_page("/setup/two", arbiter=True)
    expect(page.locator(".over-grid")).to_have_count(1)
    page.get_by_label("Board meant").select_option("left")
    table = site.hall.open("two")
    wait_until(page, lambda: table.which == "left")
    expect(page.locator(".over-grid")).to_have_count(1)
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url("**/board/two")
    assert [list(corner) for corner in table.asked[-1][1].corners] == CORNERS, "its corners say which one"


def test_a_corner_is_dragged_by_mouse_and_by_key(site: PagesSite, open_page: Open) -> None:
    page = open_page("/setup/new", arbiter=True)
    table = site.hall.open("new")
    corner = page.get_by_role("button", name="Corner, top left")
    expect(page.locator(".over-grid")).to_have_count(1)
    box = page.locator(".big-camera svg").bounding_box()
    scale = 1280 / box["width"]
    x, y = box["x"] + CORNERS[0][0] / scale, box["y"] + CORNERS[0][1] / scale
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 30, y + 20, steps=3)
    assert page.locator(".glass").is_visible()
    page.mouse.up()
    wanted = [CORNERS[0][0] - 30 * scale, CORNERS[0][1] + 20 * scale]
    wait_until(page, lambda: table.corners and table.corners[0] == pytest.approx(wanted, abs=2))
    assert [list(each) for each in table.corners[1:]] == CORNERS[1:], "the others stay"
    before = table.corners[0][0]
    corner.focus()
    page.keyboard.press("ArrowRight")
    wait_until(page, lambda: table.corners[0][0] == pytest.approx(before + 1, abs=0.2))


def wait_until(page: Any, true: Callable[[], Any]) -> None:
    """Let the page go on until something holds, five seconds at most."""
    for _ in range(50):
        if true():
            return
        page.wait_for_timeout(100)
    assert true()


# The arbiter


def ruled(table: SeenTable) -> list[dict[str, Any]]:
    """The rulings in the journal of a table."""
    path = table.journal_path()
    assert path is not None
    with Journal.open(path) as journal:
        return [row for row in journal.rows() if row["type"] == "ruling"]


def test_an_alert_comes_by_itself_and_is_ruled_with_one_tap(site: PagesSite, open_page: Open) -> None:
    table = begun(site, "ko")
    table.play("Q16", "D4", "Q3")
    page = open_page("/desk/ko", arbiter=True)
    expect(page.get_by_text("Nothing needs a ruling.")).to_be_visible()
    bell = page.get_by_role("button", name="Sound when the arbiter is called")
    bell.click()
    expect(bell).to_have_attribute("aria-pressed", "true")
    table.alert("ko-violation", ["Q3"], color="B", camera=3)
    card = page.locator(".alert")
    expect(card.locator("h3")).to_have_text("Ko violation")
    expect(page.locator("#spoken")).to_contain_text("New alert. ko-violation at Q3")
    expect(card).to_contain_text("Claim: by the opponent, before the next stone")
    card.get_by_role("button", name="Move void + one turn forfeited + warning").click()
    expect(page.locator(".alert")).to_have_count(0)
    expect(page.locator("#ledger li").first).to_contain_text("Alert 1: Move void + one turn forfeited + warning")
    expect(page.locator("#ledger li").first).to_contain_text("Black: Warning (Art. 18.3)")
    assert [row["do"] for row in ruled(table)] == ["uphold"]
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator(".alert")).to_have_count(1)
    assert [row["do"] for row in ruled(table)] == ["uphold", "undo"]


def test_what_needs_no_ruling_is_noted(site: PagesSite, open_page: Open) -> None:
    table = begun(site, "noted")
    table.play("Q16")
    row = {"type": "alert", "t": 1.0, "seen": 1.5, "code": "camera-lost", "level": "warning", "at": [], "move": 1}
    table.row(**row, articles={}, evidence=["note: the plug was out"], text={"en": "lost", "zh": "中断"})
    page = open_page("/desk/noted", arbiter=True)
    expect(page.locator(".alert")).to_contain_text("“the plug was out”")
    buttons = page.locator(".alert .ruling button")
    expect(buttons).to_have_text(["Noted"])
    buttons.click()
    expect(page.locator(".closed-alert")).to_contain_text("Noted")
    assert [row["do"] for row in ruled(table)] == ["reject"]


def test_a_grave_ruling_is_asked_once_more(site: PagesSite, open_page: Open) -> None:
    table = begun(site, "grave")
    table.play("Q16")
    page = open_page("/desk/grave", arbiter=True)
    page.locator(".act", has_text="Resigns").get_by_role("button", name="Black").click()
    question = page.get_by_role("dialog")
    expect(question).to_contain_text("Rule this?")
    page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    assert ruled(table) == []
    page.locator(".act", has_text="Resigns").get_by_role("button", name="Black").click()
    question.locator("button.grave").click()
    expect(page.locator("#turn")).to_contain_text("White wins by resignation")


def test_the_time_is_called_out_when_somebody_switches_it_on(site: PagesSite, open_page: Open) -> None:
    table = begun(site, "clock", time="1m+3x30s")
    table.play("Q16")
    table.row(type="clock", do="reading", t=10.0, black_ms=60_000, white_ms=5_000, running=None)
    page = open_page("/desk/clock", arbiter=True)
    switch = page.get_by_role("button", name="Call out the time")
    expect(switch).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".player .time").last).to_have_text("0:05 ×3")
    spoken = page.evaluate(
        """async () => {
            const { CallOuts } = await import("/static/callouts.js");
            const said = [];
            const calls = new CallOuts(document.createElement("div"), (words) => said.push(words));
            const call = (t, en) => ({ t, color: "W", last: false, text: { en, zh: en } });
            const clock = { t: 10, paused: false, calls: [call(9.9, "late"), call(10.2, "30 seconds")] };
            calls.take(clock);
            calls.switch();
            await new Promise((later) => setTimeout(later, 500));
            calls.take({ ...clock, paused: true });
            await new Promise((later) => setTimeout(later, 400));
            return said;
        }"""
    )
    assert spoken == ["30 seconds"]


def test_pictures_of_an_alert_are_enlarged(open_page: Open) -> None:
    page = open_page("/desk/1", arbiter=True)
    page.get_by_role("button", name="During").click()
    shown = page.locator("dialog.large img")
    expect(shown).to_be_visible()
    assert shown.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1280


def test_dead_chains_are_tapped_and_the_result_confirmed(site: PagesSite, open_page: Open) -> None:
    table = begun(site, "count")
    table.begin(9, black="Li")
    site.settle("count")
    table.play("E9", "F9", "E8", "F8", "E7", "F7", "E6", "F6", "E5", "F5", "E4", "F4", "E3", "F3", "E2", "F2", "E1")
    table.play("F1", "H5", "B5")
    page = open_page("/desk/count", arbiter=True)
    page.get_by_role("button", name="Both agree on the end").click()
    page.get_by_role("button", name="No stone is dead").click()
    board = page.locator("go-board")
    for col, row in ((7, 4), (1, 4)):  # H5, B5
        tap(board, col, row, 9)
    expect(page.locator("#board .mark")).to_have_count(2)
    expect(page.locator("#count .result")).to_contain_text("wins by")
    page.get_by_role("button", name="Confirm the result").click()
    expect(page.locator("#turn")).to_contain_text("wins by")


def tap(board: Any, col: int, row: int, size: int) -> None:
    """Tap a point of a board with coordinates that is not turned."""
    box = board.bounding_box()
    side = size - 1 + 2 * 1.35
    pitch = box["width"] / side
    board.click(position={"x": (1.35 + col) * pitch, "y": (1.35 + size - 1 - row) * pitch})


def test_the_restore_assistant_follows_the_board(site: PagesSite, open_page: Open) -> None:
    table = begun(site, "restore")
    table.play("Q16", "D4")
    page = open_page("/desk/restore", arbiter=True)
    page.get_by_role("button", name="Restore assistant").first.click()
    dialog = page.locator("dialog.restore")
    expect(dialog.get_by_text("2 points still differ")).to_be_visible()
    expect(dialog.locator(".differs li")).to_have_count(2)
    rows = ["." * 19] * 19
    rows[3], rows[15] = "." * 15 + "X...", "...O" + "." * 15
    table.reading = reading(rows)
    expect(dialog.get_by_text("The board is right.")).to_be_visible()


def test_a_move_is_set_right_inserted_and_taken_out(site: PagesSite, open_page: Open) -> None:
    table = begun(site, "wrong")
    table.play("Q16", "D4", "Q3")
    page = open_page("/review/wrong", arbiter=True)
    expect(page.locator("#edit-title")).to_have_text("Black 3: Q3")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#edit-title")).to_have_text("Black 1: Q16")
    expect(page.locator("#frame")).to_have_attribute("alt", "Camera picture at move 1")
    page.get_by_role("button", name="Another point").click()
    for key in ("ArrowRight", "ArrowUp", "Enter"):  # from the middle, K10, to L11
        page.keyboard.press(key)
    expect(page.locator("#edit-title")).to_have_text("Black 1: L11")
    page.get_by_role("button", name="Insert a pass after it").click()
    expect(page.locator("#moves li")).to_have_count(4)
    page.get_by_role("button", name="Take it out").click()
    page.get_by_role("dialog").locator("button.grave").click()
    expect(page.locator("#moves li")).to_have_count(3)
    assert [row["do"] for row in ruled(table)] == ["set-move", "insert", "delete"]


def test_review_opens_with_the_newest_move_in_sight(site: PagesSite, open_page: Open) -> None:
    table = begun(site, "long")
    table.play(*(f"{column}{row}" for row in (1, 3, 5) for column in "ABCDEFGHJKLMNOPQRST"))
    site.settle("long")
    page = open_page("/review/long", arbiter=True)
    expect(page.locator("#moves li").last).to_be_in_viewport()


def test_who_is_not_signed_in_is_sent_to_the_door_and_back(site: PagesSite, open_page: Open) -> None:
    page = open_page("/desk/1")
    page.wait_for_url("**/login?next=%2Fdesk%2F1")
    page.wait_for_load_state("networkidle")  # the button does something once the page's script is there
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_have_text("That is not the token of this server.")
    page.get_by_label("Token").fill(TOKEN)
    page.keyboard.press("Enter")
    page.wait_for_url("**/desk/1")
    expect(page.locator(".alert").first).to_be_visible()
    open_page.complaints.clear()  # type: ignore[attr-defined]  # what the server refused is told in the console too


@pytest.mark.parametrize(
    ("locale", "sentence"),
    [("zh-CN", "没有提示 99：本局共 1 条"), ("en-GB", "there is no alert 99: the game has 1")],
)
def test_a_refusal_is_told_in_the_language_of_the_page(locale: str, sentence: str, open_page: Open) -> None:
    page = open_page("/desk/1", arbiter=True, locale=locale)
    page.locator(".alert").first.wait_for()
    page.evaluate("""async () => {
        const [{ attempt }, { post }] = await Promise.all([import("/static/frame.js"), import("/static/net.js")]);
        await attempt(() => post("/api/boards/1/rule", { do: "reject", alert: 99 }));
    }""")
    expect(page.locator(".toast")).to_contain_text(sentence)
    open_page.complaints.clear()  # type: ignore[attr-defined]  # what the server refused is told in the console too


def test_what_is_wrong_with_a_camera_is_told_in_the_language_of_the_page(site: PagesSite, open_page: Open) -> None:
    table = site.hall.open("broken")
    table.age, table.error = None, "camera 0 gives no frames: it cannot be opened, another program may hold it"
    page = open_page("/setup/broken", arbiter=True, locale="zh-CN")
    expect(page.locator("#start-note")).to_have_text("camera 0 没有画面：无法打开，可能正被别的程序使用")
    page.get_by_role("button", name="English").click()
    expect(page.locator("#start-note")).to_have_text(table.error)


def test_the_token_in_the_address_signs_in_and_is_gone(site: PagesSite, open_page: Open) -> None:
    page = open_page(f"/setup/new#token={TOKEN}")
    page.get_by_role("link", name="Desk").wait_for()
    assert "token" not in page.url
