"""What a page may send to be written into the journal, checked before it gets there."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from kifuwatch.arbiter.clock.clock import DOINGS
from kifuwatch.arbiter.rulings import VERBS
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Point
from kifuwatch.rules import CODE_NAMES

POINTS = 400
NEEDS = {
    **dict.fromkeys(("uphold", "reject", "lapse", "reopen"), "alert"),
    **dict.fromkeys(("restore", "void", "void-pass", "was-pass", "set-move", "insert", "delete"), "number"),
    **dict.fromkeys(("warn", "unwarn", "pass", "resign", "loss", "propose-end"), "color"),
    **dict.fromkeys(("seal", "point"), "at"),
    "undo": "row",
    "note": "note",
    "report": "code",
}
"""The field without which a ruling says nothing."""
REPORT = "report"
"""What a person at the board has seen: an alert is made of it."""
ONE_POINT = frozenset({"seal", "point", "set-move", "insert"})
Number = Annotated[int, Field(ge=0, le=1_000_000)]
At = Annotated[str, Field(max_length=8)]


class RulingIn(BaseModel):
    """A ruling as a page sends it; see :mod:`kifuwatch.arbiter.rulings`."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)
    do: Annotated[str, Field(max_length=20)]
    alert: Number | None = None
    number: Number | None = None
    row: Number | None = None
    code: Annotated[str, Field(max_length=40)] | None = None
    color: Literal["B", "W"] | None = None
    at: Annotated[list[At], Field(max_length=POINTS)] | None = None
    cell: Literal["X", "O", "."] | None = None
    instead: list[Annotated[str, Field(max_length=24)]] | None = Field(None, max_length=8, alias="as")
    note: Annotated[str, Field(max_length=500)] | None = None

    def to_row(self) -> dict[str, Any]:
        """The row of the journal. Raises UsageError with one sentence when a field is missing or cannot be read."""
        if self.do not in VERBS and self.do != REPORT:
            raise UsageError(f"{self.do!r} is no ruling: there are {', '.join(sorted(VERBS))}")
        row = {key: value for key, value in self.model_dump(by_alias=True).items() if value is not None}
        needed = NEEDS.get(self.do)
        if needed is not None and needed not in row:
            raise UsageError(f"{self.do} needs {needed!r}, and it is not given")
        if self.do in ONE_POINT and len(self.at or []) != 1:
            raise UsageError(f"{self.do} needs one point in 'at'")
        if self.do == "point" and self.cell is None:
            raise UsageError("point needs 'cell': X, O or .")
        if self.at is not None:
            row["at"] = [_point(text) for text in self.at]
        return row


def _point(text: str) -> str:
    if text.strip().lower() == "pass":
        return "pass"
    try:
        return str(Point.parse(text))
    except ValueError as error:
        raise UsageError(str(error)) from error


class CorrectionIn(BaseModel):
    """A correction as a page sends it. ``choose``: another reading of a move, set as ``set-move`` does."""

    model_config = ConfigDict(extra="forbid")
    do: Literal["set-move", "insert", "delete", "pass", "choose"]
    move: Number
    at: At | None = None
    color: Literal["B", "W"] | None = None
    note: Annotated[str, Field(max_length=500)] | None = None

    def to_row(self) -> dict[str, Any]:
        """The row of the journal. Raises UsageError with one sentence."""
        do = {"pass": "insert", "choose": "set-move"}.get(self.do, self.do)
        at = "pass" if self.do == "pass" else self.at
        if do != "delete" and at is None:
            raise UsageError(f"{self.do} needs a point in 'at'")
        note = self.note or ("another reading of the camera's" if self.do == "choose" else None)
        given = {"do": do, "number": self.move, "color": self.color, "note": note}
        return RulingIn.model_validate(given | {"at": None if do == "delete" else [str(at)]}).to_row()


class SetupIn(BaseModel):
    """What is needed to look through a camera."""

    model_config = ConfigDict(extra="ignore")
    source: Annotated[str, Field(min_length=1, max_length=500)]
    size: Literal[9, 13, 19] | None = None
    corners: Annotated[list[tuple[float, float]], Field(min_length=4, max_length=4)] | None = None
    which: Annotated[str, Field(max_length=40)] | None = None


Short = Annotated[str, Field(max_length=200)]
Corner = tuple[float, float]


class StartIn(BaseModel):
    """A game as it is set up; see :class:`kifuwatch.live.setup.GameSetup`. Without ``source``: of the camera that is
    looked through. ``rules`` are those that have a name: an event's own file is chosen on the command line."""

    model_config = ConfigDict(extra="ignore")
    source: Annotated[str, Field(max_length=500)] | None = None
    size: Literal[9, 13, 19] | None = None
    corners: Annotated[list[Corner], Field(min_length=4, max_length=4)] | None = None
    rules: Literal[CODE_NAMES] | None = None  # type: ignore[valid-type]
    black: Short = ""
    white: Short = ""
    black_rank: Short = ""
    white_rank: Short = ""
    event: Short = ""
    round: Short = ""
    date: Short = ""
    komi: Annotated[float, Field(ge=-400, le=400, allow_inf_nan=False)] | None = None
    handicap: Annotated[int, Field(ge=0, le=25)] = 0
    corner_stones: bool = False
    time: Short = ""
    continue_from: Annotated[str, Field(max_length=8 * 1024 * 1024)] | None = None


class ImportIn(BaseModel):
    """A game record to go on from."""

    sgf: Annotated[str, Field(max_length=8 * 1024 * 1024)]


Ms = Annotated[int, Field(ge=-86_400_000, le=864_000_000)]
Few = Annotated[int, Field(ge=0, le=999)]


class ClockIn(BaseModel):
    """What a clock says; the fields are described in :mod:`kifuwatch.arbiter.clock.clock`. Without ``t``: of now."""

    model_config = ConfigDict(extra="forbid")
    do: Literal[DOINGS] = "reading"  # type: ignore[valid-type]
    t: Annotated[float, Field(ge=0, le=864_000)] | None = None
    color: Literal["B", "W"] | None = None
    black_ms: Ms | None = None
    white_ms: Ms | None = None
    true_ms: Ms | None = None
    black_periods: Few | None = None
    white_periods: Few | None = None
    black_moves: Few | None = None
    white_moves: Few | None = None
    uncertainty_ms: Annotated[int, Field(ge=0, le=60_000)] | None = None
    running: Literal["B", "W"] | None = None
    absent: Annotated[list[Literal["B", "W"]], Field(max_length=2)] | None = None
    control: Annotated[str, Field(max_length=60)] | None = None
    same_house: bool | None = None
    permitted: bool | None = None
    lost: bool | None = None

    def to_row(self) -> dict[str, Any]:
        """The row of the journal: what was given, ``running: null`` too."""
        return {"type": "clock", "do": self.do, **self.model_dump(exclude_unset=True)}
