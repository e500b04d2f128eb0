"""How soon pages hear of a move: many viewers of one server, from the row in the journal to each of them.

    python benchmarks/live.py [--viewers 500] [--moves 60] [--before 240] [--every 1.0] [--stuck 3] [--whole]

The server runs in a process of its own with a game of ``--before`` moves; a recorder in it puts a move into the journal
every so many seconds. The viewers are connections of a second process; ``--stuck`` of them never read. Printed is the
time from the journal's acknowledgement of a row until the event has wholly arrived, over all viewers and moves.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import re
import socket
import tempfile
import threading
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

REVISION = re.compile(rb'"revision":(\d+)')
COLUMNS = "ABCDEFGHJKLMNOPQRST"


@dataclass
class Viewer:
    """One page: when it heard of which revision."""

    heard: dict[int, float] = field(default_factory=dict)


def points(count: int) -> list[str]:
    """So many different points: nothing is ever taken where every second line stays free of one colour."""
    found = [f"{COLUMNS[col]}{row}" for row in range(1, 20) for col in range(19)]
    return found[:count]


def serve(port: int, orders: Connection, before: int, moves: int, every: float) -> None:
    """The server: tells when it can be reached, plays when told to, and gives the moments of the rows."""
    from kifuwatch.live.app import create_app
    from kifuwatch.live.config import LiveConfig
    from kifuwatch.live.hall import Hall
    from kifuwatch.live.hub import Hub
    from kifuwatch.live.server import Server, bind, uvicorn_settings
    from tests.live.material import Clock, Table, TestHall

    folder = Path(tempfile.mkdtemp(prefix="kifuwatch-bench-"))
    hall = TestHall(folder, Clock(time.time()))
    table: Table = hall.open("1")
    table.begin(black="Li Hua", white="Wang Fang", event="Benchmark")
    line = points(before + moves)
    table.play(*line[:before])
    config = LiveConfig(folder, "a-token-for-measuring", port=port)
    hub = Hub(config, cast(Hall, hall))
    app = create_app(config, cast(Hall, hall), hub)
    server = Server(uvicorn_settings(app, lambda: orders.send("ready")), hub)
    written: dict[int, float] = {}

    def record() -> None:
        orders.recv()
        for at in line[before:]:
            written[table.play_one(at)] = time.monotonic()
            table.tell()
            time.sleep(every)
        time.sleep(2)
        orders.send(written)
        orders.send(app.state.metrics.text().decode())
        server.end()

    threading.Thread(target=record, daemon=True).start()
    server.run([bind(config)])


async def watch(port: int, viewer: Viewer, changes: bool) -> None:
    """One viewer, as a browser's EventSource: reads events until the server ends them."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    query = b"boards=1&changes=1" if changes else b"boards=1"
    writer.write(b"GET /api/events?%b HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n" % query)
    rest = b""
    while True:
        data = await reader.read(1 << 18)
        if not data:
            return
        now = time.monotonic()
        *events, rest = (rest + data).split(b"\n\n")
        for event in events:
            if (b"event: state" in event or b"event: change" in event) and (found := REVISION.findall(event)):
                viewer.heard.setdefault(int(found[-1]), now)


async def watch_all(port: int, viewers: int, stuck: int, changes: bool, orders: Connection) -> list[Viewer]:
    """All viewers, and some connections that never read."""
    pages = [Viewer() for _ in range(viewers)]
    tasks = [asyncio.create_task(watch(port, page, changes)) for page in pages]
    blocked = [socket.create_connection(("127.0.0.1", port)) for _ in range(stuck)]
    for connection in blocked:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(b"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    while sum(bool(page.heard) for page in pages) < viewers:
        await asyncio.sleep(0.1)
    orders.send("play")
    await asyncio.gather(*tasks, return_exceptions=True)
    return pages


def view(port: int, viewers: int, stuck: int, changes: bool, orders: Connection) -> None:
    """The process of the viewers."""
    pages = asyncio.run(watch_all(port, viewers, stuck, changes, orders))
    orders.send([page.heard for page in pages])


def share(values: list[float], part: float) -> float:
    """The value below which a part of all lies."""
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """One run."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    to_server, at_server = multiprocessing.Pipe()
    to_viewers, at_viewers = multiprocessing.Pipe()
    settings = (port, at_server, arguments.before, arguments.moves, arguments.every)
    server = multiprocessing.Process(target=serve, args=settings)
    server.start()
    assert to_server.recv() == "ready"
    watching = (port, arguments.viewers, arguments.stuck, not arguments.whole, at_viewers)
    viewers = multiprocessing.Process(target=view, args=watching)
    viewers.start()
    assert to_viewers.recv() == "play"
    to_server.send("play")
    written, metrics = to_server.recv(), to_server.recv()
    heard = to_viewers.recv()
    for process in (server, viewers):
        process.join()
    waits = [page[revision] - when for page in heard for revision, when in written.items() if revision in page]
    missed = sum(revision not in page for page in heard for revision in written)
    dropped = re.findall(r'kifuwatch_clients_dropped_total\{feed="public"\} (\S+)', metrics)
    return {
        "viewers": arguments.viewers,
        "stuck": arguments.stuck,
        "whole_states": arguments.whole,
        "moves": len(written),
        "moves_before": arguments.before,
        "events": len(waits),
        "merged_or_missed": missed,
        "dropped": float(dropped[0]),
        "ms": {f"p{int(100 * part)}": round(1000 * share(waits, part), 1) for part in (0.5, 0.95, 0.99)},
        "ms_max": round(1000 * max(waits), 1),
    }


def main() -> None:
    """Measure and print one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--viewers", type=int, default=500)
    parser.add_argument("--stuck", type=int, default=3)
    parser.add_argument("--moves", type=int, default=60)
    parser.add_argument("--before", type=int, default=240)
    parser.add_argument("--every", type=float, default=1.0)
    parser.add_argument("--whole", action="store_true", help="whole states, not only what has changed")
    print(json.dumps(measure(parser.parse_args())))


if __name__ == "__main__":
    main()
