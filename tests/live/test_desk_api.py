"""The arbiter's desk over HTTP: rulings, corrections, putting a board right, files."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from tests.live.material import OPENING, Site, site


async def desk(server: Site, what: str = "desk") -> Any:
    answer = await server.arbiter.get(f"/api/boards/1/{what}")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def post(server: Site, what: str, **given: Any) -> Any:
    answer = await server.arbiter.post(f"/api/boards/1/{what}", json=given)
    assert answer.status_code == 200, answer.text
    return answer.json()


def line(state: Any) -> list[str]:
    return [f"{move['color']} {move['at']}" for move in state["moves"] if "at" in move]


def test_an_alert_is_ruled_and_the_ruling_undone(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            table = server.hall.open("1")
            table.begin(black="Li", white="Wang")
            table.play("Q16", "D4", "Q3")
            table.row(type="move", t=40.0, number=4, color="B", at="R5", captures=[], inferred=False)
            row = table.alert("two-moves", ["Q3", "R5"], color="B")
            folder = tmp_path / f"evidence-{row}"
            folder.mkdir()
            for name in ("before.jpg", "during.jpg", "clip.mp4"):
                (folder / name).write_bytes(name.encode())
            await server.settle()
            (alert,) = (await desk(server))["alerts"]
            assert (alert["number"], alert["mood"], alert["color"]) == (1, "open", "B")
            assert alert["prescribed"]
            assert alert["name"]["zh"]
            assert alert["pictures"] == [f"/api/boards/1/alerts/1/{which}.jpg" for which in ("before", "during")]
            assert (await server.arbiter.get(alert["pictures"][0])).content == b"before.jpg"
            assert (await server.arbiter.get(alert["clip"] + "?download=1")).content == b"clip.mp4"
            assert (await server.arbiter.get("/api/boards/1/alerts/1/after.jpg")).status_code == 404
            (row_of_hall,) = (await server.arbiter.get("/api/boards")).json()
            assert row_of_hall["alerts"] == 1

            ruled = await post(server, "rule", do="uphold", alert=1, color="B")
            assert ruled["alerts"][0]["mood"] == "upheld"
            assert line(ruled)[3:] == ["B pass"] or "B R5" not in line(ruled)
            assert ruled["warnings"]["B"] == 1
            assert any(not entry["stands"] for entry in ruled["line"])
            again = await server.arbiter.post("/api/boards/1/rule", json={"do": "uphold", "alert": 1})
            assert again.status_code == 422
            assert "alert 1 is closed" in again.json()["error"]
            assert "提示 1 已了结：成立" in again.json()["error_zh"]

            undone = await post(server, "rule", do="undo", row=ruled["rulings"][-1]["row"])
            assert undone["alerts"][0]["mood"] == "open"
            assert [each["undone"] for each in undone["rulings"]] == [True, False]
            assert line(undone) == ["B Q16", "W D4", "B Q3", "B R5"]

    asyncio.run(story())


def test_corrections_change_what_the_public_sees(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            table = server.hall.open("1")
            table.begin()
            table.play("Q16", "D4", "Q3")
            await server.settle()
            before = (await server.get("/api/boards/1"))["revision"]
            told = await post(server, "correct", do="set-move", move=2, at="D3")
            assert line(told) == ["B Q16", "W D3", "B Q3"]
            await post(server, "correct", do="insert", move=4, at="C5")
            await post(server, "correct", do="pass", move=5)
            await post(server, "correct", do="choose", move=3, at="Q4")
            told = await post(server, "correct", do="delete", move=5)
            assert line(told) == ["B Q16", "W D3", "B Q4", "W C5"]
            game = await server.get("/api/boards/1")
            assert line(game) == line(told)
            assert game["revision"] == before + 5
            table.play("R5")
            await server.settle()
            assert line(await server.get("/api/boards/1"))[-1] == "W R5", "the recorder counts on as it did"

    asyncio.run(story())


@pytest.mark.parametrize(
    ("what", "given", "sentence"),
    [
        ("rule", {"do": "uphold"}, "uphold needs 'alert'"),
        ("rule", {"do": "hang"}, "'hang' is no ruling"),
        ("rule", {"do": "restore", "number": 9}, "the record has 3 moves"),
        ("rule", {"do": "point", "at": ["Z99"], "cell": "X"}, "is not a point"),
        ("rule", {"do": "point", "at": ["Q16"]}, "point needs 'cell'"),
        ("rule", {"do": "warn", "color": "green"}, "color"),
        ("rule", {"do": "warn", "color": "B", "more": 1}, "more"),
        ("correct", {"do": "set-move", "move": 2, "at": "Q16"}, "a stone would stand on Q16"),
        ("correct", {"do": "set-move", "move": 2}, "needs a point"),
        ("clock", {"black_ms": "soon", "white_ms": 1}, "black_ms"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_changes_nothing(
    tmp_path: Path, what: str, given: dict[str, Any], sentence: str
) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            table = server.hall.open("1")
            table.begin()
            table.play("Q16", "D4", "Q3")
            await server.settle()
            before = await desk(server)
            answer = await server.arbiter.post(f"/api/boards/1/{what}", json=given)
            assert answer.status_code == 422
            assert sentence in answer.json()["error"]
            assert "\n" not in answer.json()["error"]
            assert (await desk(server))["revision"] == before["revision"]

    asyncio.run(story())


def test_a_game_is_ended_counted_and_confirmed(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            table = server.hall.open("1")
            table.begin(size=9, rules="cn2002")
            table.play("D9", "F9", "D8", "F8", "D7", "F7", "D6", "F6", "D5", "F5", "D4", "F4", "D3", "F3", "D2", "F2")
            table.play("D1", "F1", "G5", "G4")
            await server.settle()
            await post(server, "rule", **{"do": "agree-end"})
            counted = await post(server, "rule", do="dead", at=["G5"])
            assert counted["dead"] == ["G5"]
            assert counted["score"]["area"]["B"] == 40.5
            assert counted["territory"][4] == "xxxX.Oxoo".replace("x", "x") or counted["territory"][4][6] == "o"
            over = await post(server, "rule", do="confirm")
            assert (over["phase"], over["result"]["sgf"]) == ("over", counted["score"]["sgf"])
            public = await server.get("/api/boards/1")
            assert public["result"]["zh"]

    asyncio.run(story())


def test_a_board_is_put_right_point_by_point(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            table = server.hall.open("1")
            table.begin(size=9)
            table.play("E5", "C3", "G7")
            await server.settle()
            lies = [list("." * 9) for _ in range(9)]
            lies[4][4], lies[6][3], lies[2][6] = "X", "O", "?"
            table.overlay = lambda: {"board": ["".join(row) for row in lies]}  # type: ignore[method-assign]
            told = await desk(server, "restore?move=2")
            assert told["differs"] == [
                {"at": "C3", "is": ".", "should": "O"},
                {"at": "D3", "is": "O", "should": "."},
            ]
            lies[4] = list("????" + "?" * 5)
            server.clock.now += 1
            told = await desk(server, "restore?move=2")
            assert [each["at"] for each in told["differs"]] == ["C3", "D3"], "a hand over other points changes nothing"
            lies[6][2:4] = ["O", "."]
            lies[4] = list("....X....")
            lies[2][6] = "."
            for _ in range(3):
                server.clock.now += 1
                told = await desk(server, "restore?move=2")
            assert (told["differs"], told["right"]) == ([], True)
            assert (await server.arbiter.get("/api/boards/1/restore?move=7")).status_code == 422

    asyncio.run(story())


def test_files_of_a_game(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            table = server.hall.open("1")
            table.begin(black="Li", white="Wang")
            table.play(*OPENING)
            table.row(type="ruling", do="warn", color="B", note="talking")
            (tmp_path / "move-2.jpg").write_bytes(b"the second")
            await server.settle()
            first = await server.client.get("/api/boards/1/sgf")
            assert first.headers["content-type"].startswith("application/x-go-sgf")
            assert len(re.findall(r"\b[BW]\[", first.text)) == 20
            assert "warning" not in first.text
            assert "warning" in (await server.arbiter.get("/api/boards/1/sgf?desk=1")).text
            assert (await server.client.get("/api/boards/1/sgf?desk=1")).status_code == 401
            for header in (
                {"If-None-Match": first.headers["etag"]},
                {"If-Modified-Since": first.headers["last-modified"]},
            ):
                assert (await server.client.get("/api/boards/1/sgf", headers=header)).status_code == 304
            table.play("C3")
            server.clock.now += 5
            await server.settle()
            assert (await server.client.get("/api/boards/1/sgf", headers=header)).status_code == 200
            drawn = await server.client.get("/api/boards/1/diagram.svg?move=3&numbers=3")
            assert drawn.text.count("<circle") == 3 + 9
            assert (await server.client.get("/api/boards/1/diagram.svg?move=99")).status_code == 404
            png = (await server.client.get("/api/boards/1/diagram.png?width=400&move=1")).content
            image = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
            assert image is not None
            assert image.shape == (400, 400, 3)
            pitch = 400 / 21.5
            at_q16 = image[round((1.75 + 3) * pitch + 6), round((1.75 + 15) * pitch)]
            assert at_q16.max() < 60, "a black stone on Q16"
            assert (await server.arbiter.get("/api/boards/1/moves/2/frame.jpg")).content == b"the second"
            assert (await server.arbiter.get("/api/boards/1/moves/3/frame.jpg")).status_code == 404
            assert (await server.client.get("/api/boards/1/moves/2/frame.jpg")).status_code == 401

    asyncio.run(story())


def test_a_clock_is_told_and_calls_the_arbiter(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            table = server.hall.open("1")
            table.begin(time="10m+3x30s")
            table.play("Q16", "D4")
            await server.settle()
            assert (await server.get("/api/boards/1"))["clock"] is None
            await post(server, "clock", do="start", t=0.0, color="B")
            told = await post(server, "clock", black_ms=400_000, white_ms=500_000, running="B", t=20.5)
            assert (told["clock"]["running"], told["clock"]["white_ms"]) == ("B", 500_000)
            public = (await server.get("/api/boards/1"))["clock"]
            assert public["black_ms"] <= 400_000
            assert public["control"]["zh"]
            late = await post(server, "clock", do="reading", black_ms=0, white_ms=500_000, black_periods=0, t=900.0)
            assert "over-time" in [alert["code"] for alert in late["alerts"]]
            bad = await server.arbiter.post("/api/boards/1/clock", json={"control": "as long as it takes"})
            assert bad.status_code == 422

    asyncio.run(story())


def test_a_running_clock_calls_the_arbiter_by_itself(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            table = server.hall.open("1")
            table.begin(time="1m")
            table.play("Q16")
            await server.settle()
            await post(server, "clock", do="start", t=0.0, color="B")
            await post(server, "clock", do="press", t=10.0, color="B")
            assert (await desk(server))["alerts"] == []
            server.clock.now += 120
            for _ in range(100):
                await asyncio.sleep(0.05)
                if alerts := (await desk(server))["alerts"]:
                    break
            assert [(alert["code"], alert["color"]) for alert in alerts] == [("over-time", "W")]

    asyncio.run(story())


def test_a_clock_is_started_before_the_first_move(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            server.hall.open("1").begin(time="10m+3x30s")
            await server.settle()
            told = await post(server, "clock", do="start", color="B")
            assert (told["clock"]["running"], told["clock"]["black_ms"]) == ("B", 600_000)

    asyncio.run(story())


def test_what_people_saw_becomes_an_alert(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            table = server.hall.open("1")
            table.begin()
            table.play("Q16", "D4")
            await server.settle()
            told = await post(server, "rule", do="report", code="takeback", color="W", at=["D4"], note="table 3")
            assert told["alerts"][0]["code"] == "takeback"

    asyncio.run(story())


def test_dead_chains_are_proposed_while_a_game_is_counted(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            table = server.hall.open("1")
            table.begin(size=9)
            table.play(*[f"{col}{row}" for row in range(1, 10) for col in "CG"], "J5", "A5")
            await server.settle()
            await post(server, "rule", do="agree-end")
            for _ in range(200):
                await server.settle()
                proposal = (await desk(server))["dead_proposal"]
                if proposal is not None:
                    break
                await asyncio.sleep(0.05)
            assert set(proposal["dead"]) >= {"A5", "J5"}

    asyncio.run(story())


def test_a_camera_is_set_up_and_a_game_begun(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            new = await server.arbiter.post("/api/boards/7/setup", json={"source": "test:"})
            assert new.json()["station"]["state"] == "setup"
            begun = await server.arbiter.post("/api/boards/7/start", json={"black": "Li", "komi": 6.5, "rules": "jp"})
            assert begun.json()["station"]["state"] == "recording"
            assert begun.json()["setup"]["black"] == "Li"
            assert (await server.get("/api/boards/7"))["rules"] == "jp"
            assert [row["board"] for row in await server.get("/api/boards")] == ["1", "7"]
            for what, state in (("pause", "paused"), ("resume", "recording"), ("stop", "ended")):
                answer = await server.arbiter.post(f"/api/boards/7/{what}")
                assert answer.json()["station"]["state"] == state

    asyncio.run(story())


def test_a_record_to_go_on_from_is_looked_at(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            sgf = "(;GM[1]SZ[9]KM[7]PB[Li]AB[cc];W[ee];B[gg])"
            found = await post(server, "import", sgf=sgf)
            assert (found["size"], found["moves"], found["black"], found["to_play"]) == (9, 2, "Li", "W")
            assert found["position"][4] == "....O...."
            endless = "(;SZ[9]" + ";B[aa];W[bb]" * 1001 + ")"
            refused = await server.arbiter.post("/api/boards/1/import", json={"sgf": endless})
            assert (refused.status_code, "more than 2000 moves" in refused.json()["error"]) == (422, True)
            bad = await server.arbiter.post("/api/boards/1/import", json={"sgf": "dear diary"})
            assert bad.status_code == 422
            assert "no game" in bad.json()["error"] or "this record" in bad.json()["error"]

    asyncio.run(story())
