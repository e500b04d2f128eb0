"""What a board measures: lines, pitches, stones, margin.

A Go board is slightly rectangular: seen by the players, lines are further apart along the board (player to
player) than across. The two Chinese codes allow pitch ratios of 1.02-1.11, in the mean 1.065.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kifuwatch.core.errors import UsageError

SIZES = (9, 13, 19)
PITCH_RATIO_MEAN, PITCH_RATIO_SD = 1.065, 0.03


@dataclass(frozen=True)
class BoardSpec:
    """Measures of a board and its stones, in millimetres.

    ``across`` is the distance between neighbouring columns (left-right in the board text), ``along`` between
    neighbouring rows; ``margin`` is the wood outside the outermost lines.
    """

    size: int = 19
    across: float = 22.5
    along: float = 24.0
    stone_diameter: float = 22.5
    stone_thickness: float = 9.0
    margin: float = 20.0
    name: str = "standard"

    def __post_init__(self) -> None:
        if not 2 <= self.size <= 25:
            raise UsageError(f"a board of {self.size} lines is outside 2-25")
        lengths = (self.across, self.along, self.stone_diameter, self.stone_thickness)
        if not all(0 < length < 1000 for length in lengths) or not 0 <= self.margin < 1000:
            raise UsageError("board measures must be lengths in millimetres, above 0 and below 1000")

    @property
    def ratio(self) -> float:
        """Pitch along over pitch across."""
        return self.along / self.across

    def with_size(self, size: int) -> BoardSpec:
        """The same make of board with another number of lines."""
        return replace(self, size=size)

    def turned(self, quarters: int) -> BoardSpec:
        """The measures when the board text is turned by this many quarter turns."""
        return replace(self, across=self.along, along=self.across) if quarters % 2 else self

    @classmethod
    def preset(cls, name: str, size: int = 19) -> BoardSpec:
        """A board by name: ``cn1988``, ``cn2002``, ``jp``, ``kr`` or ``square``. Raises UsageError otherwise."""
        try:
            return replace(PRESETS[name], size=size)
        except KeyError:
            raise UsageError(f"no board is called {name!r}: choose from {', '.join(PRESETS)}") from None


PRESETS = {
    # Chinese competition code, older text, Art. 33, and the 2002 text, Art. 1 and 32: middle of the ranges.
    "cn1988": BoardSpec(19, 23.0, 24.5, 22.5, 9.0, 20.0, "cn1988"),
    "cn2002": BoardSpec(19, 23.5, 25.0, 23.0, 9.0, 25.0, "cn2002"),
    # The customary Japanese board: 1 shaku 4 sun by 1 shaku 5 sun, pitches of 22.0 and 23.7 mm.
    "jp": BoardSpec(19, 22.0, 23.7, 22.2, 9.0, 14.0, "jp"),
    # Korean Baduk Association: a board of 42.5 x 45.5 cm.
    "kr": BoardSpec(19, 22.0, 23.6, 22.0, 9.0, 14.5, "kr"),
    # Teaching, magnetic and roll-up boards are often square.
    "square": BoardSpec(19, 22.0, 22.0, 21.5, 7.0, 15.0, "square"),
}
