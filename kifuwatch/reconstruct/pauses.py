"""Times in which the board is not seen: nothing is invented in them, and that they were is part of the record."""

from __future__ import annotations

from dataclasses import dataclass

from kifuwatch.core.points import Point
from kifuwatch.reconstruct.blocked import BlockedView
from kifuwatch.reconstruct.events import Event, Gap
from kifuwatch.vision.observation import Observation


@dataclass
class Pauses:
    """Knows when looking was stopped from outside (a bumped camera, a lost board), or the view blocked for long."""

    blocked: BlockedView
    held_since: float | None = None
    reason: str = ""

    @property
    def held(self) -> bool:
        """Whether looking is stopped from outside."""
        return self.held_since is not None

    def hold(self, time: float, reason: str) -> None:
        """Stop looking at ``time``; a second call changes nothing."""
        if self.held_since is None:
            self.held_since, self.reason = time, reason

    def resume(self, time: float) -> list[Event]:
        """Look again from ``time`` on; the gap that this ends."""
        if self.held_since is None:
            return []
        gap = Gap(self.held_since, time, time, self.reason)
        self.held_since = None
        return [gap]

    def look(self, seen: Observation, events: list[Event]) -> tuple[Point, ...] | None:
        """Take in one view; the points that have just come to be known as blocked. A long block that ends is a gap."""
        before = self.blocked.began
        points = self.blocked.update(seen)
        if before < self.blocked.began:
            now = seen.time.seconds
            events.append(Gap(before, now, now, "a part of the board was hidden"))
        return points

    def end(self, time: float) -> list[Event]:
        """The source has ended: the gap that lasts until then."""
        if self.held:
            return self.resume(time)
        began = self.blocked.began
        return [Gap(began, time, time, "a part of the board was hidden")] if began < time else []
