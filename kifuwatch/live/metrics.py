"""How the server is doing: for Prometheus, and as one line for whoever watches over it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prometheus_client import CollectorRegistry, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from kifuwatch.live.hub import Hub
from kifuwatch.live.state import Json

STALE_SECONDS = 15.0
"""A camera that is recorded and has given no picture for so long is not well."""
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 5.0)


class Metrics:
    """The figures of one server."""

    def __init__(self, hub: Hub) -> None:
        self._registry = CollectorRegistry()
        self._registry.register(_Boards(hub))
        latency = Histogram(
            "kifuwatch_feed_latency_seconds",
            "From the row in the journal to the feed.",
            buckets=BUCKETS,
            registry=self._registry,
        )
        hub.latency = latency.observe

    def text(self) -> bytes:
        """Everything in the text format of Prometheus."""
        return generate_latest(self._registry)


class _Boards(Collector):
    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    def collect(self) -> Iterator[Metric]:
        """All figures now."""
        feeds = {"public": self._hub.public, "brief": self._hub.briefs, "desk": self._hub.arbiter}
        clients = GaugeMetricFamily("kifuwatch_clients", "Pages that listen.", labels=["feed"])
        dropped = CounterMetricFamily("kifuwatch_clients_dropped", "Pages that took nothing.", labels=["feed"])
        events = CounterMetricFamily("kifuwatch_events", "Events told.", labels=["feed"])
        for name, feed in feeds.items():
            clients.add_metric([name], feed.clients)
            dropped.add_metric([name], feed.dropped)
            events.add_metric([name], feed.told)
        yield from (clients, dropped, events)
        yield GaugeMetricFamily("kifuwatch_boards", "Boards of this server.", value=len(self._hub.hall.stations()))
        yield from self._outlets()
        yield from self._stations()

    def _outlets(self) -> Iterator[Metric]:
        delivered = CounterMetricFamily("kifuwatch_delivered", "States passed on.", labels=["outlet"])
        failed = CounterMetricFamily("kifuwatch_deliveries_failed", "Tries that failed.", labels=["outlet"])
        waiting = GaugeMetricFamily("kifuwatch_deliveries_waiting", "Boards that wait.", labels=["outlet"])
        for number, outlet in enumerate(self._hub.outlets, 1):
            label = [f"{number}-{outlet.exporter.name}"]
            delivered.add_metric(label, outlet.delivered)
            failed.add_metric(label, outlet.failed)
            waiting.add_metric(label, outlet.waiting)
        yield from (delivered, failed, waiting)

    def _stations(self) -> Iterator[Metric]:
        moves = GaugeMetricFamily("kifuwatch_moves", "Moves of the game.", labels=["board"])
        alerts = GaugeMetricFamily("kifuwatch_alerts_open", "Alerts that wait.", labels=["board"])
        restarts = CounterMetricFamily("kifuwatch_restarts", "Restarts of the camera's process.", labels=["board"])
        age = GaugeMetricFamily("kifuwatch_picture_age_seconds", "Age of the last picture.", labels=["board"])
        recording = GaugeMetricFamily("kifuwatch_recording", "1 while a game is recorded.", labels=["board"])
        for station in self._hub.hall.stations():
            status, told = station.status(), self._hub.told(station.board)
            label = [station.board]
            restarts.add_metric(label, status.restarts)
            recording.add_metric(label, status.state == "recording")
            if status.last_picture_age is not None:
                age.add_metric(label, status.last_picture_age)
            if told is not None and told.desk is not None:
                moves.add_metric(label, sum("at" in move for move in told.desk["moves"]))
                alerts.add_metric(label, sum(each["mood"] == "open" for each in told.desk["alerts"]))
        yield from (moves, alerts, restarts, age, recording)


def health(hub: Hub) -> tuple[bool, Json]:
    """Whether all is well, and what is not: in words that give nothing away."""
    problems: list[dict[str, Any]] = []
    if not hub.alive:
        problems.append({"board": None, "problem": "the feed stands still"})
    for station in hub.hall.stations():
        status = station.status()
        if status.state == "failed":
            problems.append({"board": station.board, "problem": "the camera has failed"})
        elif status.state == "recording" and (status.last_picture_age or 0.0) > STALE_SECONDS:
            problems.append({"board": station.board, "problem": "no picture comes from the camera"})
        path = station.journal_path()
        if status.state in ("recording", "paused") and path is not None and not path.is_file():
            problems.append({"board": station.board, "problem": "the journal is gone"})
    told = {"status": "ok" if not problems else "degraded", "boards": len(hub.hall.stations()), "problems": problems}
    return not problems, told
