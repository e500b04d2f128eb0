"""The feed: nobody is told anything twice, too early, or at the cost of others."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kifuwatch.core.errors import InputError
from kifuwatch.live import feed as feed_module
from kifuwatch.live.config import Delay
from kifuwatch.live.feed import Client, Feed
from kifuwatch.live.state import change_of
from kifuwatch.live.stream import EventStream
from tests.live.material import OPENING, Site, site


def frames(text: bytes) -> list[tuple[str, str, Any]]:
    """What a browser makes of a stream: (event, id, data)."""
    found = []
    for part in text.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in part.split("\n") if ": " in line and not line.startswith(":"))
        if "data" in fields:
            found.append((fields["event"], fields["id"], json.loads(fields["data"])))
    return found


def taken(client: Client) -> list[tuple[str, str, Any]]:
    """What waits for a client."""
    return frames(asyncio.run(client.next()))


def test_a_client_is_told_what_stands_and_then_what_changes() -> None:
    feed = Feed("run", 10)
    feed.publish("1", "state", b'{"n":1}')
    feed.publish("2", "state", b'{"n":1}')
    client = feed.join(None)
    assert [(event, data) for event, _, data in taken(client)] == [("state", {"n": 1})] * 2
    feed.publish("1", "state", b'{"n":2}')
    assert taken(client) == [("state", "run-3", {"n": 2})]


def test_who_comes_back_is_told_only_of_boards_that_have_changed_since() -> None:
    feed = Feed("run", 10)
    for board in "123":
        feed.publish(board, "state", b"{}")
    feed.publish("2", "state", b'{"again":true}')
    assert [name for _, name, _ in taken(feed.join(None, "run-3"))] == ["run-4"]
    assert [name for _, name, _ in taken(feed.join(None, "run-2"))] == ["run-3", "run-4"]
    assert feed.join("1", "run-2").waiting == 0


@pytest.mark.parametrize("since", [None, "", "another-4", "run-x", "run-", "-4", "run-٣", "4"])
def test_an_id_that_means_nothing_here_is_answered_with_everything(since: str | None) -> None:
    feed = Feed("run", 10)
    feed.publish("1", "state", b"{}")
    client = feed.join(None, since)
    assert client.waiting == 1


def test_what_waits_for_a_slow_client_never_grows() -> None:
    feed = Feed("run", 10)
    slow = feed.join(None)
    for number in range(1000):
        feed.publish("1", "state", b'{"n":%d}' % number)
        feed.publish("2", "status", b'{"n":%d}' % number)
    assert slow.waiting == 2
    assert [data["n"] for _, _, data in taken(slow)] == [999, 999]


def test_who_has_kept_up_is_told_only_what_has_changed() -> None:
    feed = Feed("run", 10)
    feed.publish("1", "state", b'"whole 1"')
    both = [feed.join(None, changes=True), feed.join(None, changes=False)]
    assert [taken(client) for client in both] == [[("state", "run-1", "whole 1")]] * 2
    feed.publish("1", "state", b'"whole 2"', b'"new in 2"')
    assert taken(both[0]) == [("change", "run-2", "new in 2")]
    assert taken(both[1]) == [("state", "run-2", "whole 2")]
    feed.publish("1", "state", b'"whole 3"', b'"new in 3"')
    feed.publish("1", "state", b'"whole 4"', b'"new in 4"')
    assert taken(both[0]) == [("state", "run-4", "whole 4")], "it has missed the third"
    assert taken(feed.join(None, "run-3", changes=True)) == [("state", "run-4", "whole 4")]


@given(st.lists(st.lists(st.sampled_from("abc"), max_size=6), min_size=2, max_size=6))
def test_what_has_changed_makes_the_new_state_of_the_old(lines: list[list[str]]) -> None:
    states = [{"game_id": "g", "moves": [{"at": at} for at in line], "revision": n} for n, line in enumerate(lines)]
    kept = states[0]
    for state in states[1:]:
        change = change_of(kept, state)
        assert change is not None
        moves = kept["moves"][: change.pop("moves_from")] + change.pop("moves")  # type: ignore[index]
        kept = {**change, "moves": moves}
        assert kept == state
    assert change_of(states[0], {**states[1], "game_id": "another"}) is None


def test_who_comes_when_all_is_ending_is_sent_away() -> None:
    feed = Feed("run", 10)
    before = feed.join(None)
    feed.close()
    assert (before.closed, feed.join(None).closed) == (True, True)


def test_a_client_hears_a_ping_while_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed_module, "PING_SECONDS", 0.01)
    assert asyncio.run(Feed("run", 10).join(None).next()) == b": ping\n\n"


async def stream(feed: Feed, send: Any, boards: frozenset[str] | None = None, patience: float = 5.0) -> None:
    """One page that listens until it is cancelled or dropped."""

    async def receive() -> dict[str, str]:
        await asyncio.sleep(3600)
        return {}

    await EventStream(feed, boards, None, patience)({"type": "http"}, receive, send)


def test_a_client_that_takes_nothing_is_dropped_and_holds_up_nobody() -> None:
    async def story() -> None:
        feed = Feed("run", 10)
        got: list[bytes] = []

        async def quick(message: Any) -> None:
            got.append(message.get("body", b""))

        async def stuck(message: Any) -> None:
            await asyncio.sleep(3600)

        pages = [asyncio.create_task(stream(feed, send, patience=0.1)) for send in (quick, stuck)]
        await asyncio.sleep(0)
        for number in range(20):
            feed.publish("1", "state", b'{"n":%d}' % number)
            await asyncio.sleep(0.02)
        assert feed.clients == 1
        assert feed.dropped == 1
        assert len(frames(b"".join(got))) == 20
        feed.close()
        await asyncio.wait_for(asyncio.gather(*pages), 2)

    asyncio.run(story())


def test_a_page_hears_of_a_move_and_of_the_state_of_the_camera(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            table = server.hall.open("1")
            table.begin()
            await server.settle()
            got: list[bytes] = []

            async def send(message: Any) -> None:
                got.append(message.get("body", b""))

            page = asyncio.create_task(stream(server.hub.public, send))
            await asyncio.sleep(0.01)
            got.clear()
            table.play("Q16")
            await server.settle()
            table.note = "hand"
            await server.settle()
            await asyncio.sleep(0.01)
            events = frames(b"".join(got))
            assert [event for event, _, _ in events] == ["state", "status"]
            assert events[0][2]["moves"][0]["at"] == "Q16"
            station = events[1][2]["station"]
            assert (station["state"], station["note"], station["at"]) == ("recording", "hand", server.clock.now)
            page.cancel()

    asyncio.run(story())


def test_rulings_on_the_command_line_are_told_too(tmp_path: Path) -> None:
    """Somebody else writes into the journal: it is looked at every second, whoever wrote."""

    async def story() -> None:
        async with site(tmp_path) as server:
            table = server.hall.open("1")
            table.begin()
            table._callbacks.clear()
            table.play("Q16")
            table.row(type="ruling", do="resign", color="W")
            await server.hub.look({"1"}, marked=False)
            assert (await server.get("/api/boards/1"))["result"]["sgf"] == "B+R"

    asyncio.run(story())


def moves_shown(server: Site) -> int:
    """How many moves the public sees, by the state and by what has been sent."""
    told = server.hub.told("1")
    assert told is not None
    (sent,) = [data for event, _, data in frames_of_last(server) if event == "state"]
    assert sent["moves"] == told.public["moves"]
    return len(sent["moves"])


def frames_of_last(server: Site) -> list[tuple[str, str, Any]]:
    client = server.hub.public.join(None)
    waiting = b"".join(event.frame for event in client.take())
    server.hub.public.leave(client)
    return frames(waiting)


@settings(max_examples=12, deadline=None)
@given(
    seconds=st.integers(0, 60),
    held=st.integers(0, 6),
    pauses=st.lists(st.integers(0, 40), min_size=1, max_size=12),
)
def test_the_public_is_never_ahead_of_the_delay_and_never_further_behind(
    tmp_path_factory: pytest.TempPathFactory, seconds: int, held: int, pauses: list[int]
) -> None:
    """Moves after pauses of any length: what is shown is what had been played ``seconds`` ago, less ``held`` moves."""

    async def story() -> None:
        async with site(tmp_path_factory.mktemp("delay"), Delay(seconds, held)) as server:
            table = server.hall.open("1")
            table.begin()
            await server.settle()
            server.clock.now += seconds
            await server.settle()
            played: list[float] = []
            for at, pause in zip(OPENING, pauses, strict=False):
                server.clock.now += pause
                await server.settle()
                known = sum(when + seconds <= server.clock.now for when in played)
                assert moves_shown(server) == max(0, known - held)
                table.play(at)
                played.append(server.clock.now)
                await server.settle()
            server.clock.now += seconds
            await server.settle()
            assert moves_shown(server) == max(0, len(played) - held)
            table.row(type="ruling", do="resign", color="W")
            await server.settle()
            server.clock.now += seconds
            await server.settle()
            assert moves_shown(server) == len(played), "when the game is over nothing is held back"

    asyncio.run(story())


def test_a_delay_leaks_neither_by_sgf_diagram_result_nor_by_events(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path, Delay(600, 0)) as server:
            table = server.hall.open("1")
            table.begin(event="Cup")
            table.play(*OPENING[:4])
            await server.settle()
            server.clock.now += 600
            await server.settle()
            before = server.hub.public.told
            table.play(*OPENING[4:6])
            table.row(type="ruling", do="resign", color="W")
            await server.settle()
            assert server.hub.public.told == before, "not even that something has happened"
            state = await server.get("/api/boards/1")
            assert (len(state["moves"]), state["phase"], state["result"]) == (4, "playing", None)
            assert state["delay"] == {"seconds": 600, "moves": 0}
            sgf = (await server.client.get("/api/boards/1/sgf")).text
            assert "RE[" not in sgf
            assert "[qo]" not in sgf
            assert (await server.client.get("/api/boards/1/diagram.svg?move=5")).status_code == 404
            assert (await server.get("/t/cup/round-1/index.json"))["pairings"][0]["moves"] == 4
            desk = (await server.arbiter.get("/api/boards/1/desk")).json()
            assert len(desk["moves"]) == 6
            server.clock.now += 600
            await server.settle()
            assert (await server.get("/api/boards/1"))["result"]["sgf"] == "B+R"

    asyncio.run(story())


def test_a_wall_clock_that_is_put_right_does_not_open_the_delay(tmp_path: Path) -> None:
    """The delay is counted by a clock that only runs forward; an hour's jump of the other one changes nothing."""

    async def story() -> None:
        async with site(tmp_path, Delay(60, 0)) as server:
            table = server.hall.open("1")
            table.begin()
            await server.settle()
            server.clock.now += 60
            table.play("Q16")
            await server.settle()
            server.hub._wall = server.hub._worker._wall = lambda: server.clock.now + 3600.0
            table.play("D4")
            await server.settle()
            server.clock.now += 59
            await server.settle()
            assert moves_shown(server) == 0
            server.clock.now += 1
            await server.settle()
            assert moves_shown(server) == 2

    asyncio.run(story())


def test_a_board_with_which_something_is_wrong_holds_up_no_other(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            broken, fine = server.hall.open("1"), server.hall.open("2")
            for table in (broken, fine):
                table.begin()
            await server.settle()
            path = broken.journal_path()
            assert path is not None
            broken.journal_path = lambda: 1 / 0  # type: ignore[method-assign, assignment, return-value]
            fine.play("Q16")
            await server.settle()
            assert len((await server.get("/api/boards/2"))["moves"]) == 1
            broken.journal_path = lambda: path  # type: ignore[method-assign]
            broken.play("D4")
            await server.settle()
            assert len((await server.get("/api/boards/1"))["moves"]) == 1

    asyncio.run(story())


def test_a_journal_that_is_gone_is_told_of_once_and_what_was_known_stays(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            table = server.hall.open("1")
            table.begin()
            table.play("Q16")
            await server.settle()

            def gone() -> Path:
                raise InputError("there is no game '1'")

            table.journal_path = gone  # type: ignore[method-assign]
            for _ in range(3):
                await server.settle()
            assert len((await server.get("/api/boards/1"))["moves"]) == 1

    asyncio.run(story())
    assert [record.message for record in caplog.records].count("the journal cannot be read") == 1


def test_a_row_that_cannot_be_read_is_left_out_and_the_arbiter_told(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            table = server.hall.open("1")
            table.begin()
            table.play("Q16")
            table.row(type="move", number="many", color="green", at="nowhere")
            table.row(type="ruling", do="uphold", alert=99)
            table.play("D4")
            await server.settle()
            assert [move["at"] for move in (await server.get("/api/boards/1"))["moves"]] == ["Q16", "D4"]
            fault = (await server.arbiter.get("/api/boards/1/desk")).json()["fault"]
            assert "of the journal is left out" in fault

    asyncio.run(story())


def test_more_pages_than_there_is_room_for_are_told_so(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path, most_clients=1) as server:
            server.hub.public.join(None)
            answer = await server.client.get("/api/events")
            assert answer.status_code == 503
            assert "try again later" in answer.json()["error"]

    asyncio.run(story())
