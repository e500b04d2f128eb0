"""Games as plain files, so that any host can serve them: what LiveChess does for chess, for Go.

``index.json`` (all events) · ``EVENT/tournament.json`` (which round is live) · ``EVENT/round-N/index.json`` (pairings
and results) · ``EVENT/round-N/board-M.json`` and ``.sgf`` · ``EVENT/round-N/all.sgf``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kifuwatch.live.state import Json

UNNAMED = "games"
LONGEST = 60
LIVE = frozenset({"playing", "paused", "end-proposed", "counting"})


@dataclass(frozen=True)
class Published:
    """One game as everybody may see it: its public state and its record."""

    state: Json
    sgf: bytes

    @property
    def event(self) -> str:
        """The name of its event in addresses: letters and digits of any script, and dashes."""
        return re.sub(r"[\W_]+", "-", str(self.state["event"])).strip("-").lower()[:LONGEST] or UNNAMED

    @property
    def round(self) -> int:
        """The number of its round; 1 where there is none."""
        found = re.search(r"[0-9]{1,4}", str(self.state["round"]))
        return max(1, int(found.group())) if found else 1

    @property
    def live(self) -> bool:
        """Whether it is going on."""
        return self.state["phase"] in LIVE and self.state["recorded"] != "ended"


def layout(games: Iterable[Published]) -> dict[str, bytes]:
    """All files by their path, of the games in whatever order. Of two games on one board in one round the later has
    the plain name. The same games give the same bytes."""
    events: dict[str, dict[int, list[Published]]] = {}
    for game in sorted(games, key=lambda each: (str(each.state["game_id"]), each.state["board"])):
        events.setdefault(game.event, {}).setdefault(game.round, []).append(game)
    files = {"index.json": _json({"events": [_event_line(name, rounds) for name, rounds in sorted(events.items())]})}
    for name, rounds in events.items():
        files[f"{name}/tournament.json"] = _json(_tournament(name, rounds))
        for number, played in rounds.items():
            files |= _round(f"{name}/round-{number}", number, played)
    return files


def _json(record: Any) -> bytes:
    return (json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n").encode("utf-8")


def _title(rounds: dict[int, list[Published]]) -> str:
    return next((str(game.state["event"]) for played in rounds.values() for game in played), "")


def _event_line(name: str, rounds: dict[int, list[Published]]) -> Json:
    live = any(game.live for played in rounds.values() for game in played)
    return {"event": name, "name": _title(rounds), "live": live, "tournament": f"{name}/tournament.json"}


def _tournament(name: str, rounds: dict[int, list[Published]]) -> Json:
    lines = [
        {
            "round": number,
            "live": any(game.live for game in played),
            "boards": len(played),
            "index": f"round-{number}/index.json",
        }
        for number, played in sorted(rounds.items())
    ]
    live = [line["round"] for line in lines if line["live"]]
    return {"id": name, "name": _title(rounds), "live_round": live[-1] if live else None, "rounds": lines}


def _round(folder: str, number: int, played: list[Published]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    pairings: list[Json] = []
    newest = {game.state["board"]: game.state["game_id"] for game in played}
    for game in played:
        board, own = game.state["board"], game.state["game_id"]
        stem = f"board-{board}" if newest[board] == own else f"board-{board}-{own}"
        files[f"{folder}/{stem}.json"] = _json(game.state | {"sgf": f"{stem}.sgf"})
        files[f"{folder}/{stem}.sgf"] = game.sgf
        pairings.append(_pairing(game, stem))
    pairings.sort(key=lambda line: _by_number(line["board"]))
    dates = sorted({str(game.state["date"]) for game in played if game.state["date"]})
    files[f"{folder}/index.json"] = _json({"round": number, "date": dates[0] if dates else "", "pairings": pairings})
    files[f"{folder}/all.sgf"] = b"".join(game.sgf for game in played)
    return files


def _pairing(game: Published, stem: str) -> Json:
    state = game.state
    result = state["result"]
    return {
        "board": state["board"],
        "black": state["players"]["black"],
        "white": state["players"]["white"],
        "result": result["sgf"] if result else None,
        "live": game.live,
        "moves": sum("at" in move for move in state["moves"]),
        "game": f"{stem}.json",
        "sgf": f"{stem}.sgf",
    }


def _by_number(board: str) -> tuple[int, str]:
    found = re.search(r"\d+", board)
    return (int(found.group()) if found else 0), board
