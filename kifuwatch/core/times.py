"""Time as a value: when a frame was taken, exact, counted from the start of its source."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class FrameTime:
    """Whole microseconds since the start of the source. Frames of variable rate keep their own times."""

    microseconds: int

    @classmethod
    def of_seconds(cls, seconds: float) -> FrameTime:
        """The nearest microsecond."""
        return cls(round(seconds * 1_000_000))

    @property
    def seconds(self) -> float:
        """Seconds since the start of the source."""
        return self.microseconds / 1_000_000

    def __sub__(self, other: FrameTime) -> float:
        """Seconds from ``other`` to this."""
        return (self.microseconds - other.microseconds) / 1_000_000

    def __str__(self) -> str:
        minutes, seconds = divmod(self.seconds, 60)
        return f"{int(minutes)}:{seconds:06.3f}"
