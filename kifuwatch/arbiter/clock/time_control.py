"""Time controls, as an organiser writes them, as SGF keeps them (``TM``, ``OT``), and in words.

Chinese codes count the minutes of byo-yomi within the limit: of two hours with five minutes kept, byo-yomi begins
after 1:55 (cn1988 12.2, cn2002 12.3).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from kifuwatch.core.errors import UsageError

SECOND, MINUTE, HOUR = 1000, 60_000, 3_600_000
MOST = 100 * HOUR


class Kind(StrEnum):
    """The kinds of time control."""

    ABSOLUTE = "absolute"
    KEPT = "kept"
    BYO_YOMI = "byo-yomi"
    CANADIAN = "canadian"
    FISCHER = "fischer"


@dataclass(frozen=True)
class TimeControl:
    """What each player has. All times in milliseconds.

    ``main`` is the time before anything else begins. ``periods`` of ``period`` each follow: with ``KEPT`` the minutes
    kept within the limit, with ``BYO_YOMI`` those beside it; a period is used up when it has passed whole.
    ``CANADIAN``: ``moves`` have to be played within each ``period``; ``carry``: what is left of one is added to the
    next (cn2002 12.5). ``FISCHER``: ``increment`` is added after each move. Raises UsageError for what is none.
    """

    kind: Kind
    main: int = 0
    periods: int = 0
    period: int = 0
    moves: int = 0
    increment: int = 0
    carry: bool = False

    def __post_init__(self) -> None:
        numbers = (self.main, self.periods, self.period, self.moves, self.increment)
        if (
            min(numbers) < 0
            or max(self.main, self.period, self.increment) > MOST
            or max(self.periods, self.moves) > 999
        ):
            raise UsageError(f"no game is played with {self.main / HOUR:g} hours and so on: these are no times for one")
        if self.main == 0 and self.period == 0 and self.increment == 0:
            raise UsageError("a time control needs some time")
        if self.kind in {Kind.KEPT, Kind.BYO_YOMI} and not (self.periods and self.period):
            raise UsageError("byo-yomi needs a number of periods and how long each is, like 3x30s")
        if self.kind is Kind.CANADIAN and not (self.moves and self.period):
            raise UsageError("so many moves a period need both numbers, like 25/10m")

    @property
    def limit(self) -> int:
        """The limit that a code speaks of: kept minutes are within it."""
        return self.main + (self.periods * self.period if self.kind is Kind.KEPT else 0)

    def __str__(self) -> str:
        """As :func:`parse_control` reads it: ``2h kept 5``, ``1h+3x30s``, ``30m+25/10m``, ``1h+20s``, ``90m``."""
        main = _written(self.main)
        if self.kind is Kind.KEPT:
            each = "" if self.period == MINUTE else f"x{_written(self.period)}"
            return f"{_written(self.limit)} kept {self.periods}{each}"
        if self.kind is Kind.BYO_YOMI:
            return f"{main}+{self.periods}x{_written(self.period)}"
        if self.kind is Kind.CANADIAN:
            return f"{main}+{self.moves}/{_written(self.period)}{' carry' if self.carry else ''}"
        return f"{main}+{_written(self.increment)}" if self.kind is Kind.FISCHER else main

    @property
    def en(self) -> str:
        """In words."""
        main, period = _spoken(self.limit, "h", " min", " s", " "), _spoken(self.period, "h", " min", " s", " ")
        if self.kind is Kind.KEPT:
            return f"{main}, the last {self.periods} × {period} of it byo-yomi"
        if self.kind is Kind.BYO_YOMI:
            return f"{main} and {self.periods} × {period} byo-yomi"
        if self.kind is Kind.CANADIAN:
            left_over = ", what is left is carried over" if self.carry else ""
            return f"{main}, then {self.moves} moves every {period}{left_over}"
        if self.kind is Kind.FISCHER:
            return f"{main} and {_spoken(self.increment, 'h', ' min', ' s', ' ')} more after each move"
        return f"{main} for the whole game"

    @property
    def zh(self) -> str:
        """In Chinese."""
        main, period = _spoken(self.limit, "小时", "分钟", "秒", ""), _spoken(self.period, "小时", "分钟", "秒", "")
        if self.kind is Kind.KEPT:
            return f"每方{main}，保留{self.periods}次{period}读秒"
        if self.kind is Kind.BYO_YOMI:
            return f"每方{main}，{self.periods}次{period}读秒"
        if self.kind is Kind.CANADIAN:
            return f"每方{main}，此后每{period}{self.moves}手{'，节余可延至下一节' if self.carry else ''}"
        if self.kind is Kind.FISCHER:
            return f"每方{main}，每手加{_spoken(self.increment, '小时', '分钟', '秒', '')}"
        return f"包干每方{main}"

    def to_sgf(self) -> tuple[str, str]:
        """``TM`` and ``OT``; an empty text where there is nothing to write. ``TM`` is the limit, in seconds."""
        period = f"{self.period / SECOND:.10g}"
        over = {
            Kind.KEPT: f"{self.periods}x{period} kept within the limit (保留{self.periods}次)",
            Kind.BYO_YOMI: f"{self.periods}x{period} byo-yomi",
            Kind.CANADIAN: f"{self.moves}/{period} Canadian{' carry' if self.carry else ''}",
            Kind.FISCHER: f"{self.increment / SECOND:.10g} fischer",
            Kind.ABSOLUTE: "",
        }[self.kind]
        return f"{self.limit / SECOND:.10g}", over


_UNITS = {
    "小时": "h",
    "时": "h",
    "分钟": "m",
    "分": "m",
    "秒": "s",
    "minutes": "m",
    "min": "m",
    "hours": "h",
    "sec": "s",
}
_NOISE = re.compile(
    r"byo-?yomi|读秒|包干|每方|main|canadian|fischer|absolute|periods?(?:\s+of)?|per\s+move|/move|[\s()（）,，;；]"
)
_TIME = r"(?:\d+(?:\.\d+)?[hms])+|\d+:\d\d(?::\d\d)?"
_PART = re.compile(r"(\d+(?:\.\d+)?)([hms])")
_SHAPE = re.compile(
    rf"(?P<main>{_TIME})?(?:\+?(?:"
    rf"(?:kept|保留)(?P<kept>\d+)(?:m|次|x)?(?P<kept_period>{_TIME})?"
    rf"|(?P<periods>\d+)(?:x|×|\*|次)(?P<period>{_TIME})"
    rf"|(?P<moves>\d+)/(?P<each>{_TIME})(?P<carry>carry|节余)?"
    rf"|每(?P<zh_each>{_TIME})(?P<zh_moves>\d+)[手步](?P<zh_carry>节余.*)?"
    rf"|(?:每[手步])?加?(?P<increment>{_TIME})"
    r"))?"
)


def parse_control(text: str) -> TimeControl:
    """A time control as an organiser writes it, in English or Chinese. Raises UsageError with one sentence.

    ``90m`` or ``包干1小时``; ``2h kept 5`` or ``2小时保留5分钟读秒``; ``1h+3x30s`` or ``1小时+3次30秒``;
    ``30m+25/10m`` (``carry``: what is left goes to the next period) or ``30分 每10分钟25手``; ``1h+20s`` or
    ``1小时 每手加20秒``.
    """
    short = _NOISE.sub("", text.lower())
    for word, unit in _UNITS.items():
        short = short.replace(word, unit)
    found = _SHAPE.fullmatch(short)
    if found is None or not short:
        raise UsageError(f"{text.strip()!r} is no time control: write 90m, 2h kept 5, 1h+3x30s, 30m+25/10m or 1h+20s")
    return _control(found)


def _control(found: re.Match[str]) -> TimeControl:
    main = _duration(found["main"])
    if found["kept"]:
        count, period = int(found["kept"]), _duration(found["kept_period"]) or MINUTE
        if count * period > main:
            raise UsageError(f"{count} periods of {_written(period)} cannot be kept within {_written(main)}")
        return TimeControl(Kind.KEPT, main - count * period, count, period)
    if found["periods"]:
        return TimeControl(Kind.BYO_YOMI, main, int(found["periods"]), _duration(found["period"]))
    if found["moves"]:
        period, carry = _duration(found["each"]), bool(found["carry"])
        return TimeControl(Kind.CANADIAN, main, period=period, moves=int(found["moves"]), carry=carry)
    if found["zh_moves"]:
        period, carry = _duration(found["zh_each"]), bool(found["zh_carry"])
        return TimeControl(Kind.CANADIAN, main, period=period, moves=int(found["zh_moves"]), carry=carry)
    if found["increment"]:
        return TimeControl(Kind.FISCHER, main, increment=_duration(found["increment"]))
    return TimeControl(Kind.ABSOLUTE, main)


def control_of_sgf(limit: str | None, over: str | None) -> tuple[TimeControl | None, str]:
    """What ``TM`` and ``OT`` of a file say, and one sentence on what in them could not be read (or "").

    ``OT`` is free text in SGF; what CGoban, Fox and this program write is understood.
    """
    limit, over = (limit or "").strip(), (over or "").strip()
    if limit in {"", "-", "0"} and not over:
        return None, ""
    main = _seconds(limit)
    try:
        if main is None:
            return parse_control(f"{limit} {over}"), ""
        return _with_overtime(main, over), ""
    except UsageError:
        return None, f"the time control TM[{limit[:20]}] OT[{over[:30]}] is not understood"


def _seconds(text: str) -> int | None:
    try:
        return round(float(text) * SECOND) if text else 0
    except (ValueError, OverflowError):
        return None


_SGF_PERIODS = re.compile(r"(\d+)\s*[x×*]\s*(\d+(?:\.\d+)?)(?!\d|:|\s*[hm])")
_SGF_MOVES = re.compile(r"(\d+)\s*/\s*(\d+(?:\.\d+)?)\s*(?:canadian)?\s*(carry)?", re.IGNORECASE)
_SGF_FISCHER = re.compile(r"(?:(\d+(?:\.\d+)?)\s*(?:s\w*\s*)?fischer|fischer\s*(\d+(?:\.\d+)?))", re.IGNORECASE)


def _with_overtime(main: int, over: str) -> TimeControl:
    if not over:
        return TimeControl(Kind.ABSOLUTE, main)
    if found := _SGF_FISCHER.fullmatch(over):
        return TimeControl(Kind.FISCHER, main, increment=round(float(found[1] or found[2]) * SECOND))
    if found := _SGF_MOVES.fullmatch(over):
        period = round(float(found[2]) * SECOND)
        return TimeControl(Kind.CANADIAN, main, period=period, moves=int(found[1]), carry=bool(found[3]))
    if (found := _SGF_PERIODS.match(over)) and re.search(r"byo|yomi|kept|保留|读秒|^[\dx. ]+$", over, re.IGNORECASE):
        count, period = int(found[1]), round(float(found[2]) * SECOND)
        if re.search(r"kept|保留", over):
            return TimeControl(Kind.KEPT, max(0, main - count * period), count, period)
        return TimeControl(Kind.BYO_YOMI, main, count, period)
    return parse_control(f"{_written(main)}+{over}" if main else over)


def _duration(text: str | None) -> int:
    """``1h30m`` or ``1:30:00`` or ``40:00`` in milliseconds; 0 for nothing."""
    if not text:
        return 0
    if ":" in text:
        parts = [int(part) for part in text.split(":")]
        hours, minutes, seconds = parts if len(parts) == 3 else [0, *parts]
        return hours * HOUR + minutes * MINUTE + seconds * SECOND
    unit = {"h": HOUR, "m": MINUTE, "s": SECOND}
    return sum(round(float(number) * unit[name]) for number, name in _PART.findall(text))


def _written(time: int) -> str:
    """Milliseconds as ``1h30m``; ``0m`` for none."""
    hours, rest = divmod(time, HOUR)
    minutes, rest = divmod(rest, MINUTE)
    parts = [f"{hours}h" if hours else "", f"{minutes}m" if minutes else "", f"{rest / SECOND:.10g}s" if rest else ""]
    return "".join(parts) or "0m"


def _spoken(time: int, hour: str, minute: str, second: str, joint: str) -> str:
    hours, rest = divmod(time, HOUR)
    minutes, rest = divmod(rest, MINUTE)
    parts = ((f"{hours}", hour), (f"{minutes}", minute), (f"{rest / SECOND:.10g}", second))
    return joint.join(number + unit for number, unit in parts if number != "0") or f"0{minute}"
