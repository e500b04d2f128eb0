"""From readings of the board over time to the most probable legal story."""

from kifuwatch.reconstruct.events import (
    INFO,
    WARNING,
    BoardFound,
    Boards,
    Cleared,
    Event,
    Gap,
    Incident,
    Lifted,
    Move,
    PositionSeen,
    Retract,
    Setup,
)
from kifuwatch.reconstruct.reconstructor import Reconstructor
from kifuwatch.reconstruct.settle import SettleTiming
from kifuwatch.reconstruct.situation import Patience

__all__ = [
    "INFO",
    "WARNING",
    "BoardFound",
    "Boards",
    "Cleared",
    "Event",
    "Gap",
    "Incident",
    "Lifted",
    "Move",
    "Patience",
    "PositionSeen",
    "Reconstructor",
    "Retract",
    "SettleTiming",
    "Setup",
]
