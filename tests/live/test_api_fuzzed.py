"""Whatever is sent to the API, in whatever form: it answers, in one sentence where it refuses, and never breaks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, given, settings

from tests.live.material import OPENING, Site, site

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed")
EACH = 4
"""Requests tried for each operation."""
BOUNDED = settings(deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
ENDLESS = frozenset({"/api/events"})
LOGGED_IN = frozenset({"/api/login", "/api/logout"})
"""Left out of what is sent as the arbiter: he stays logged in."""


@pytest.fixture
def run() -> Iterator[Callable[[Any], Any]]:
    """Runs what is asynchronous, one after the other."""
    with asyncio.Runner() as runner:
        yield runner.run


@pytest.fixture
def server(tmp_path: Path, run: Callable[[Any], Any]) -> Iterator[Site]:
    """A server with one game and one alert."""
    opened = site(tmp_path)
    made = run(opened.__aenter__())
    table = made.hall.open("1")
    table.begin(black="Li", white="Wang")
    table.play(*OPENING)
    table.alert("takeback", ["Q10"], color="W")
    run(made.settle())
    yield made
    run(opened.__aexit__(None, None, None))


def sent(case: Any) -> dict[str, Any]:
    """A case of schemathesis as httpx sends it."""
    told = case.as_transport_kwargs(base_url="http://127.0.0.1:8361")
    request = {name: told.get(name) for name in ("method", "url", "params", "json", "data", "headers")}
    if isinstance(request["data"], bytes | str):
        request["content"] = request.pop("data")
    return {name: value for name, value in request.items() if value is not None}


def test_the_api_never_breaks_whatever_it_is_sent(server: Site, run: Callable[[Any], Any]) -> None:
    described = schemathesis.openapi.from_dict(server.app.openapi())
    operations = [each.ok() for each in described.get_all_operations()]
    tried: dict[str, set[int]] = {}
    for operation in operations:
        if operation.path not in ENDLESS | LOGGED_IN:
            tried[operation.label] = answers_of(operation, server, run)
    assert len(tried) > 25
    writing = [statuses for label, statuses in tried.items() if label.startswith("POST")]
    assert all(statuses for statuses in tried.values())
    assert any(200 in statuses for statuses in writing), "some of what was made up could be done"
    assert all(statuses - {401} for statuses in tried.values()), "what was tried got past the door"


def answers_of(operation: Any, server: Site, run: Callable[[Any], Any]) -> set[int]:
    """Send made-up requests of one operation; the statuses of the answers."""
    statuses: set[int] = set()

    @given(case=operation.as_strategy())
    @settings(BOUNDED, max_examples=EACH)
    def tried(case: Any) -> None:
        if "board" in (case.path_parameters or {}) and case.path_parameters["board"] != "9":
            case.path_parameters["board"] = "1"  # else hardly any request got further than "no such board"
        try:
            request = server.arbiter.build_request(**sent(case))
        except (httpx.InvalidURL, UnicodeError):
            return  # nothing that could be sent
        request.headers["X-Kifuwatch"] = "1"
        answer = run(server.arbiter.send(request))
        statuses.add(answer.status_code)
        assert answer.status_code < 500 or operation.path == "/health", f"{request.method} {request.url}: {answer.text}"
        if 400 <= answer.status_code < 500:
            error = answer.json()["error"]
            assert 0 < len(error) < 1000
            assert "\n" not in error
            assert "Traceback" not in error

    tried()
    return statuses


def test_a_body_that_is_no_request_is_one_sentence(server: Site, run: Callable[[Any], Any]) -> None:
    deep = json.dumps({"do": {"do": "do"}}).encode()
    headers = {"Content-Type": "application/json"}
    for body in (b"", b"{", b"null", b"[]", b'"x"', b"\xff\xfe", b"{" * 5000, b"[" * 5000, deep, b"NaN"):
        for what in ("rule", "correct", "clock", "setup", "start", "import"):
            answer = run(server.arbiter.post(f"/api/boards/9/{what}", content=body, headers=headers))
            assert answer.status_code in {400, 422}, (what, body[:20])
            assert "\n" not in answer.json()["error"]
