"""A recorder that is killed again and again: ``python -m tests.live.killed HOME KILLS SEED``.

Each recorder is a fork of this process, so that fifty of them start fast; it records a made-up game through the real
journal, and says what it has stored. When it has been killed, the next one goes on. In the end one is let live.
Prints one JSON object.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import signal
import sys
import time
from mmap import mmap
from pathlib import Path
from struct import pack_into, unpack_from
from typing import Any

from kifuwatch.live.games import GameStore, state_of
from kifuwatch.live.orders import Orders
from kifuwatch.live.plan import Clocks, GamePlan
from kifuwatch.live.report import Report
from kifuwatch.live.setup import GameSetup
from kifuwatch.live.shift import Shift
from kifuwatch.live.wire import Mailbox, read_messages
from kifuwatch.record.journal import Journal
from tests.live.made_up import Script, ScriptSource, ScriptWatch, chequered

MISSED = 0.3
"""Seconds of the game between a recorder's last look and the first of the next."""


class World:
    """What time it is in the made-up game, for all processes."""

    def __init__(self) -> None:
        self._memory = mmap(-1, 8)

    def now(self) -> float:
        return float(unpack_from("d", self._memory)[0])

    def tell(self, t: float) -> None:
        pack_into("d", self._memory, 0, t)


def record(script: Script, first: dict[str, Any], world: World, out: int, pause: float) -> None:
    report = Report(Mailbox(os.fdopen(out, "wb")))
    clocks = Clocks(lambda: world.now() + MISSED if world.now() else 0.0, time.time, "this boot")

    def opened(name: str, start: float, waits: bool) -> ScriptSource:
        return ScriptSource(script, start, world.tell, lambda: time.sleep(pause))

    def watched(plan: GamePlan, size: object, pose: object) -> ScriptWatch:
        return ScriptWatch(script, plan)

    status = Shift(first, Orders(), report, opened, clocks, watched).run()
    report.tell()
    report.send("end", {"status": status})
    time.sleep(0.2)


def main(home: Path, kills: int, seed: int) -> None:
    script, world, chance = Script(13, chequered(13, 52)), World(), random.Random(seed)
    store = GameStore(home)
    game_id = store.create(GameSetup("test:", size=13))
    first = {"source": "test:", "task": "record", "home": str(home), "game_id": game_id}
    told: list[int] = []
    lost: list[int] = []
    changed = 0
    before: list[dict[str, Any]] = []
    for number in range(kills + 1):
        last = number == kills
        out, status = one(script, first, world, 1e9 if last else MISSED + chance.uniform(0.0, 3.2), 0.0002)
        told += out
        rows = rows_of(store, game_id)
        lost += [row for row in out if row > len(rows)]
        changed += rows[: len(before)] != before
        before = rows
    moves = [(row["number"], row["color"], row["at"]) for row in before if row["type"] == "move"]
    played = [(i + 1, "BW"[i % 2], str(point)) for i, point in enumerate(script.points)]
    found = {
        "status": status,
        "state": state_of(before),
        "acknowledged": len(told),
        "lost": lost,
        "changed": changed,
        "right": moves == played,
        "moves": len(moves),
        "twice": len(moves) - len({at for _, _, at in moves}),
        "retracted": sum(row["type"] == "retract" for row in before),
        "gaps": sum(row["type"] == "gap" for row in before),
        "inferred": sum(bool(row.get("inferred")) for row in before),
        "alerts": [row["code"] for row in before if row["type"] == "alert"],
    }
    print(json.dumps(found))


def one(script: Script, first: dict[str, Any], world: World, lives: float, pause: float) -> tuple[list[int], int]:
    """One recorder, killed when it has seen so many seconds of the game; the rows it has acknowledged, and how it
    ended."""
    inside, outside = os.pipe()
    pid, began = os.fork(), world.now()
    if pid == 0:
        os.close(inside)
        try:
            record(script, first, world, outside, pause)
        finally:
            os._exit(0)
    os.close(outside)
    os.set_blocking(inside, False)
    said = bytearray()
    while os.waitpid(pid, os.WNOHANG)[0] == 0:
        if world.now() - began >= lives:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            break
        hear(inside, said)
        time.sleep(0.001)
    hear(inside, said)
    os.close(inside)
    messages = list(read_messages(io.BytesIO(said)))
    told = {int(message.body["row"]) for message in messages if message.kind == "beat"}
    ends = [int(message.body["status"]) for message in messages if message.kind == "end"]
    return sorted(told - {0}), ends[-1] if ends else -1


def hear(pipe: int, said: bytearray) -> None:
    with contextlib.suppress(BlockingIOError):
        while piece := os.read(pipe, 1 << 16):
            said += piece


def rows_of(store: GameStore, game_id: str) -> list[dict[str, Any]]:
    with Journal.open(store.journal(game_id)) as journal:
        return journal.rows()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
