"""Who may do what, and what must never get through."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import httpx
import pytest

from kifuwatch.core.errors import UsageError
from kifuwatch.live.auth import COOKIE, LASTS, TRIES, Gate, find_token
from kifuwatch.live.setup import check_board
from kifuwatch.record.sgf_game import game_of_bytes
from tests.live.material import TOKEN, Clock, Site, site

Story = Callable[[Site], Coroutine[Any, Any, None]]
SECRET_GET = [
    "/api/cameras",
    "/api/boards/1/setup",
    "/api/boards/1/desk",
    "/api/boards/1/picture.jpg",
    "/api/boards/1/overlay",
    "/api/boards/1/quality",
    "/api/boards/1/restore",
    "/api/boards/1/moves/1/frame.jpg",
    "/api/boards/1/alerts/1/before.jpg",
    "/api/boards/1/alerts/1/clip",
    "/api/boards/1/archive.zip",
    "/api/boards/1/sheet.html",
    "/api/boards/1/sgf?desk=1",
    "/api/boards/1/diagram.svg?desk=1",
    "/api/events?desk=1",
]
SECRET_POST = ["setup", "start", "stop", "pause", "resume", "rule", "correct", "import", "clock"]
OUTSIDE = [
    "/static/../app.py",
    "/static/%2e%2e/app.py",
    "/static/..%2fapp.py",
    "/static/%2e%2e%2fapp.py",
    "/static/....//app.py",
    "/static/..\\app.py",
    "/static/%5c..%5capp.py",
    "/static//etc/passwd",
    "/static/%2fetc%2fpasswd",
    "/static/i18n/../../app.py",
    "/static/%00",
    "/static/",
    "/board/..%2f..%2ftoken",
    "/api/boards/../token",
    "/api/boards/..%2ftoken/sgf",
    "/api/boards/%2e%2e/sgf",
    "/api/boards/1%00/sgf",
    "/api/boards/1/alerts/1/..%2f..%2fjournal.jpg",
    "/t/..%2f..%2ftoken/tournament.json",
    "/t/x/round-1/..%2f..%2ftoken",
]
SCRIPTS = ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", '"><svg onload=alert(1)>', "]);B[aa"]


def told(tmp_path: Path, story: Story, **more: Any) -> None:
    """Go through a story on a server with a game of three moves."""
    tmp_path.mkdir(exist_ok=True)

    async def run() -> None:
        async with site(tmp_path, **more) as server:
            table = server.hall.open("1")
            table.begin(black="Li", white="Wang", event="Cup", round="1")
            table.play("Q16", "D4", "Q3")
            await server.settle()
            await story(server)

    asyncio.run(run())


def test_what_is_the_arbiters_is_for_nobody_else(tmp_path: Path) -> None:
    async def story(server: Site) -> None:
        for address in SECRET_GET:
            answer = await server.client.get(address)
            assert answer.status_code == 401, address
            assert answer.json()["error"] == "log in first"
        for what in SECRET_POST:
            answer = await server.client.post(f"/api/boards/1/{what}", json={}, headers={"X-Kifuwatch": "1"})
            assert answer.status_code == 401, what
        assert (await server.get("/api/session")) == {"arbiter": False}
        assert (await server.get("/api/boards/1"))["revision"] == 5

    told(tmp_path, story)


def test_the_public_is_told_of_no_alert_warning_or_sealed_move(tmp_path: Path) -> None:
    async def story(server: Site) -> None:
        table = server.hall.open("1")
        table.alert("takeback", ["D4"], color="W")
        table.row(type="ruling", do="warn", color="W", note="it was his third cigarette")
        table.row(type="ruling", do="pause")
        table.row(type="ruling", do="seal", at=["K10"])
        await server.settle()
        for address in ("/api/boards", "/api/boards/1", "/api/boards/1/sgf", "/t/Cup/round-1/board-1.json"):
            text = (await server.client.get(address)).text
            assert not {word for word in ("takeback", "cigarette", "K10", "warn", "test:") if word in text}, address
        assert "cigarette" in (await server.arbiter.get("/api/boards/1/desk")).text

    told(tmp_path, story)


def test_a_wrong_token_is_refused_and_guessing_is_slow(tmp_path: Path) -> None:
    async def story(server: Site) -> None:
        headers = {"X-Kifuwatch": "1"}
        for _ in range(TRIES):
            answer = await server.client.post("/api/login", json={"token": "let-me-in-please"}, headers=headers)
            assert answer.status_code == 401
        answer = await server.client.post("/api/login", json={"token": TOKEN}, headers=headers)
        assert answer.status_code == 429
        assert answer.headers["retry-after"] == "60"

    told(tmp_path, story)


def test_the_cookie_is_kept_from_scripts_and_other_pages(tmp_path: Path) -> None:
    async def story(server: Site) -> None:
        answer = await server.client.post("/api/login", json={"token": TOKEN}, headers={"X-Kifuwatch": "1"})
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert TOKEN not in answer.headers["set-cookie"]
        assert (await server.get("/api/session")) == {"arbiter": True}
        await server.client.post("/api/logout", headers={"X-Kifuwatch": "1"})
        assert (await server.get("/api/session")) == {"arbiter": False}
        for forged in ("1.2", "9999999999." + "0" * 64, "٣." + "0" * 64, "", "." * 50):
            server.client.cookies.clear()
            answer = await server.client.get("/api/session", headers={b"Cookie": f"{COOKIE}={forged}".encode()})
            assert answer.json() == {"arbiter": False}

    told(tmp_path, story)


def test_a_login_ends_after_a_month() -> None:
    clock = Clock()
    gate = Gate(TOKEN, frozenset(), clock, clock)
    cookie = gate.cookie()
    clock.now += LASTS - 2
    assert gate.knows(cookie)
    clock.now += 4
    assert not gate.knows(cookie)
    assert not Gate("another-token-altogether", frozenset(), clock, clock).knows(gate.cookie())


@pytest.mark.parametrize(
    "headers",
    [{}, {"X-Kifuwatch": "1", "Origin": "http://evil.example"}, {"X-Kifuwatch": "1", "Origin": "null"}],
    ids=["a form", "another page", "a page without a name"],
)
def test_other_pages_cannot_rule_in_the_arbiters_name(tmp_path: Path, headers: dict[str, str]) -> None:
    async def story(server: Site) -> None:
        server.arbiter.headers.pop("X-Kifuwatch")
        answer = await server.arbiter.post("/api/boards/1/rule", json={"do": "resign", "color": "B"}, headers=headers)
        assert answer.status_code == 403
        assert (await server.get("/api/boards/1"))["phase"] == "playing"

    told(tmp_path, story)


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8361", 200),
        ("localhost:8361", 200),
        ("[::1]:8361", 200),
        ("192.168.1.5", 200),
        ("club.example", 200),
        ("evil.example:8361", 421),
        ("127.0.0.1.evil.example", 421),
        ("", 421),
    ],
)
def test_under_another_name_nothing_is_answered(tmp_path: Path, host: str, status: int) -> None:
    async def story(server: Site) -> None:
        assert (await server.client.get("/api/boards", headers={"Host": host})).status_code == status

    told(tmp_path, story, names=frozenset({"club.example"}))


@pytest.mark.parametrize("address", OUTSIDE)
def test_no_path_leads_out_of_the_folder_of_pages(tmp_path: Path, address: str) -> None:
    async def story(server: Site) -> None:
        (tmp_path / "token").write_text(TOKEN)
        request = server.arbiter.build_request("GET", "http://127.0.0.1:8361/")
        request.url = httpx.URL(request.url, raw_path=address.encode())
        answer = await server.arbiter.send(request)
        assert answer.status_code in {404, 422}
        assert TOKEN not in answer.text
        assert "import" not in answer.text

    told(tmp_path, story)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_players_name_is_never_more_than_a_name(tmp_path: Path, name: str) -> None:
    async def story(server: Site) -> None:
        table = server.hall.open("1")
        table.begin(black=name, white="Wang", event=name)
        table.play("Q16")
        await server.settle()
        state = await server.client.get("/api/boards/1")
        assert state.json()["players"]["black"]["name"] == name
        assert state.headers["content-type"] == "application/json"
        assert state.headers["x-content-type-options"] == "nosniff"
        record = game_of_bytes((await server.client.get("/api/boards/1/sgf")).content)
        assert record.players[0] == name
        assert len(record.steps) == 1
        for address in ("/api/boards/1/diagram.svg", "/api/boards/1/sheet.html"):
            drawn = await server.arbiter.get(address)
            assert "<img src=x" not in drawn.text
            assert "<script" not in drawn.text
            assert "<svg onload" not in drawn.text
            assert "script-src" not in drawn.headers["content-security-policy"], "no script at all may run"

    told(tmp_path, story)


def test_pages_may_run_only_their_own_scripts_and_be_shown_only_where_they_should(tmp_path: Path) -> None:
    async def story(server: Site) -> None:
        for page in ("/", "/board/1", "/desk/1", "/setup/1", "/review/1", "/login"):
            answer = await server.client.get(page)
            policy = answer.headers["content-security-policy"]
            assert answer.status_code == 200, page
            assert "script-src 'self';" in policy
            assert "unsafe" not in policy
            assert "frame-ancestors 'self'" in policy
            assert "<script>" not in answer.text, "a script in the page itself would not run"
        for page in ("/overlay/1", "/embed/1"):
            answer = await server.client.get(page)
            assert "frame-ancestors *" in answer.headers["content-security-policy"]
            assert "x-frame-options" not in answer.headers

    told(tmp_path, story)


@pytest.mark.parametrize(
    "source",
    [
        "file:///etc/passwd",
        "/etc/passwd",
        "game.mp4",
        "concat:/etc/passwd",
        "gopher://127.0.0.1:25/",
        "ftp://camera/live",
        "data:image/png;base64,AAAA",
        "subfile,,start,0,end,0,,:/etc/passwd",
        "pipe:0",
        "rtsp",
        "http://",
        "javascript:alert(1)",
        "http://camera/\nX: y",
    ],
)
def test_a_page_can_open_cameras_and_nothing_else(tmp_path: Path, source: str) -> None:
    async def story(server: Site) -> None:
        for what in ("setup", "start"):
            answer = await server.arbiter.post(f"/api/boards/9/{what}", json={"source": source})
            assert answer.status_code == 422, what
            assert "\n" not in answer.json()["error"]
        assert server.hall.station("9") is None or server.hall.open("9").asked == []

    told(tmp_path, story)


@pytest.mark.parametrize("rules", ["/etc/passwd", "EVENT.toml", "../x.toml", 5, ["cn2002"], {"a": 1}])
def test_a_page_chooses_among_the_codes_of_rules_and_opens_no_file(tmp_path: Path, rules: Any) -> None:
    async def story(server: Site) -> None:
        answer = await server.arbiter.post("/api/boards/9/start", json={"source": "test:", "rules": rules})
        assert answer.status_code == 422
        assert "\n" not in answer.json()["error"]
        assert server.hall.station("9") is None

    told(tmp_path, story)


def test_other_sites_may_read_what_everybody_sees_and_only_of_a_server_that_is_open(tmp_path: Path) -> None:
    async def story(server: Site) -> None:
        for address in ("/api/boards/1", "/api/boards/1/sgf", "/t/index.json"):
            allowed = (await server.client.get(address)).headers.get("access-control-allow-origin")
            assert allowed == ("*" if server.app.state.config.host == "0.0.0.0" else None), address
        for address in ("/desk/1", "/api/session", "/api/cameras"):
            answer = await server.arbiter.get(address)
            assert "access-control-allow-origin" not in answer.headers
        assert "access-control-allow-credentials" not in answer.headers

    told(tmp_path, story, host="0.0.0.0")
    told(tmp_path / "local", story)


def test_a_body_without_end_is_refused(tmp_path: Path) -> None:
    async def story(server: Site) -> None:
        answer = await server.arbiter.post("/api/boards/1/import", content=b"{" + b" " * (10 * 1024 * 1024))
        assert answer.status_code == 413

    told(tmp_path, story)


def test_no_secret_gets_into_a_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def story(server: Site) -> None:
        table = server.hall.open("1")
        table.source = "rtsp://admin:hunter2@camera/live"
        await server.settle()
        await server.client.post("/api/login", json={"token": "a-wrong-token-here"}, headers={"X-Kifuwatch": "1"})
        await server.arbiter.post("/api/boards/1/rule", json={"do": "uphold"})
        for address in ("/api/boards", "/api/boards/1", "/health", "/metrics"):
            assert "hunter2" not in (await server.client.get(address)).text
        assert "rtsp://admin" in (await server.arbiter.get("/api/boards/1/setup")).text

    with caplog.at_level(logging.DEBUG):
        told(tmp_path, story)
    for secret in (TOKEN, "hunter2", "a-wrong-token-here"):
        assert secret not in caplog.text
    assert TOKEN not in repr(Gate(TOKEN, frozenset(), Clock(), Clock()))


def test_the_token_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    token = find_token(tmp_path / "home", None, {})
    assert find_token(tmp_path / "home", None, {}) == token
    assert (tmp_path / "home" / "token").stat().st_mode & 0o077 == 0
    assert find_token(tmp_path, None, {"KIFUWATCH_TOKEN": "from-the-environment"}) == "from-the-environment"
    (tmp_path / "own").write_text("short\n")
    with pytest.raises(UsageError, match="too weak"):
        find_token(tmp_path, tmp_path / "own", {})


@pytest.mark.parametrize("board", ["", "..", "a/b", "-x", "x" * 33, "a b", "a\n", "棋", "%2e"])
def test_names_of_boards_are_plain(board: str) -> None:
    with pytest.raises(UsageError):
        check_board(board)
