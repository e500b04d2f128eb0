"""What everybody sees of a game."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from tests.live.material import OPENING, site


def test_a_game_is_told_move_by_move(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            table = server.hall.open("1")
            table.begin(black="Li Hua", white="Wang Fang", black_rank="5d", event="Cup", round="2")
            table.play(*OPENING[:3])
            await server.settle()
            game = await server.get("/api/boards/1")
            assert game["players"] == {
                "black": {"name": "Li Hua", "rank": "5d"},
                "white": {"name": "Wang Fang", "rank": ""},
            }
            assert [move["at"] for move in game["moves"]] == ["Q16", "D4", "Q3"]
            assert [move["thinking"] for move in game["moves"]] == [None, 10.0, 10.0]
            assert (game["last"], game["to_play"], game["phase"]) == ("Q3", "W", "playing")
            assert game["position"][3][15] == "X"
            (row,) = await server.get("/api/boards")
            assert (row["moves"], row["black"], row["last"]) == (3, "Li Hua", "Q3")
            assert "alerts" not in row

    asyncio.run(story())


def test_names_ranks_event_and_round_stand_in_the_record_and_change_places_with_the_colours(tmp_path: Path) -> None:
    async def story() -> None:
        async with site(tmp_path) as server:
            table = server.hall.open("1")
            table.begin(black="Li Hua", white="Wang Fang", black_rank="5d", white_rank="4d", event="Cup", round="2")
            table.play(*OPENING[:3])
            await server.settle()
            sgf = (await server.client.get("/api/boards/1/sgf")).text.replace("\n", "")
            assert {"PB[Li Hua]", "BR[5d]", "PW[Wang Fang]", "WR[4d]", "EV[Cup]", "RO[2]"} <= set(parts(sgf))
            table.row(type="ruling", do="swap")
            await server.settle()
            players = (await server.get("/api/boards/1"))["players"]
            assert players["black"] == {"name": "Wang Fang", "rank": "4d"}
            sgf = (await server.client.get("/api/boards/1/sgf")).text.replace("\n", "")
            assert {"PB[Wang Fang]", "BR[4d]"} <= set(parts(sgf))

    asyncio.run(story())


def parts(sgf: str) -> list[str]:
    """The properties of the root."""
    return re.findall(r"[A-Z]{2}\[[^]]*\]", sgf.split(";")[1])
