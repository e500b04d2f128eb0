"""A code of rules as the arbiter needs it: rulings with their articles, warnings, the count, time.

What the codes say is data: ``kifuwatch/rules/codes/*.toml``. Nothing here asks for a code by its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from kifuwatch.core.points import Colour
from kifuwatch.rules import DEFAULT_RULES, RuleSet, ruleset
from kifuwatch.rules.codefile import TableReader, read_code

ACTIONS = (
    "void",
    "pass",
    "warning",
    "advice",
    "put-back",
    "take-off",
    "restore",
    "reasonable-point",
    "point",
    "keep",
    "free",
    "was-pass",
    "swap",
    "clock",
    "recount",
    "end",
    "refuse",
    "draw",
    "no-result",
    "extra-game",
    "replay",
    "loss",
    "both-lose",
)
"""What a ruling can consist of."""
FINAL_ACTIONS = frozenset({"draw", "no-result", "extra-game", "replay", "loss", "both-lose"})
"""Those that end the game."""

CLAIMS = ("next-stone", "move-10", "end", "none")
"""Until when a violation can be claimed: until the opponent's next stone, until move 10, until the result is
confirmed; ``none``: it need not be claimed."""
TOGETHER = "+"
TURN_FACTS = frozenset({"first", "said_to_play"})
"""Facts of a start by which it is about who has begun."""
Choice = tuple[str, ...]


@dataclass(frozen=True)
class Ruling:
    """What a code says to one alert: the article, the prescribed ruling, and what may be ruled instead.

    ``prescribed`` is empty where the code leaves it to the arbiter. Every entry of ``others`` is a whole ruling.
    """

    article: str = ""
    claim: str = "end"
    claim_article: str = ""
    prescribed: Choice = ()
    others: tuple[Choice, ...] = ()
    en: str = ""
    zh: str = ""


@dataclass(frozen=True)
class Counting:
    """How a finished game is counted. ``komi``, ``handicap_komi`` (in games with handicap) and
    ``group_tax`` in points; ``ties``: who wins an even count."""

    count: str
    unit: str
    komi: float
    handicap_komi: float
    handicap: str
    group_tax: float
    ties: str
    pass_stones: bool
    white_last: bool
    notes_en: str
    notes_zh: str

    def compensation(self, stones: int) -> float:
        """Points that White gets for so many handicap stones; none for fewer than two."""
        if stones < 2:
            return 0.0
        return {"0": 0.0, "N": float(stones), "N-1": float(stones - 1)}[self.handicap]


@dataclass(frozen=True)
class Warnings:
    """What a warning costs: ``fine`` points in the count; so many lose the game (0: never)."""

    fine: float
    loss_at: int


@dataclass(frozen=True)
class TimeRules:
    """What a code says of time. Call-outs in seconds after the move began."""

    call_outs: tuple[int, ...]
    last_call_outs: tuple[int, ...]
    captures_timed: bool
    late_limit_minutes: float
    late_limit_same_house_minutes: float
    late_factor: float
    fault_minutes_an_hour: float


@dataclass(frozen=True)
class Code:
    """A whole code of rules. ``articles`` by what they are of, like ``result.count`` or ``warnings.fine``."""

    name: str
    title_en: str
    title_zh: str
    short_en: str
    short_zh: str
    source: str
    source_en: str
    source_zh: str
    rules: RuleSet
    counting: Counting
    warnings: Warnings
    time: TimeRules
    rulings: Mapping[str, Ruling]
    articles: Mapping[str, str]
    corner_stones: bool
    first: Colour

    def ruling(self, alert: str) -> Ruling:
        """What this code says to an alert code; an empty ruling where it is silent."""
        return self.rulings.get(alert, Ruling())

    def ruling_of(self, alert: str, facts: Mapping[str, object]) -> Ruling:
        """The same of one alert, where its facts tell what it is about: of a start at which the wrong player began the
        article is that of whose turn it is, not that of the empty board."""
        ruling = self.ruling(alert)
        if alert != "setup" or TURN_FACTS.isdisjoint(facts):
            return ruling
        return replace(ruling, article=self.articles.get("moves.order", ""))

    def cite(self, what: str) -> str:
        """``cn2002 Art. 24.1``, or an empty text where the code has no article for it."""
        article = self.articles.get(what, "")
        return f"{self.short_en} Art. {article}" if article else ""


def load_code(name: str = DEFAULT_RULES, alerts: tuple[str, ...] = ()) -> Code:
    """The code of a name, or of an event's file (``EVENT.toml``), every key of it checked.

    ``alerts``: the alert codes that rulings may be about, where that is to be checked. Raises what
    :func:`kifuwatch.rules.codefile.read_code` raises, and FileFormatError with file and key for what is mis-typed.
    """
    top = TableReader.top(read_code(name))
    head = top.part("code")
    code = Code(
        head.text("name"),
        head.text("title_en"),
        head.text("title_zh"),
        head.text("short_en") if not head.flag("event", False) else head.text("name"),
        head.text("short_zh") if not head.flag("event", False) else head.text("name"),
        head.choice("source", ("seen", "partly seen", "not seen")),
        head.text("source_en"),
        head.text("source_zh"),
        ruleset(name),
        _counting(top),
        _warnings(top),
        _time(top),
        {alert: _ruling(top.part("rulings"), alert) for alert in top.part("rulings").names()},
        {f"{part}.{key}": article for part in _CITED for key, article in _articles(top.part(part)).items()},
        top.part("start").flag("corner_stones", False),
        Colour(top.part("start").choice("first", ("B", "W"), "B")),
    )
    _check_moves(top)
    for each in ("short_en", "short_zh", "sgf"):
        head.text(each)
    head.finish()
    top.finish()
    for alert in code.rulings:
        if alerts and alert not in alerts:
            raise top.part("rulings").fault(alert, f"is no alert code; the codes are {', '.join(alerts)}")
    return code


_CITED = ("moves", "result", "warnings", "time")


def _articles(part: TableReader) -> dict[str, str]:
    table = part.part("articles")
    return {key: table.text(key) for key in table.names()}


def _counting(top: TableReader) -> Counting:
    part = top.part("result")
    counting = Counting(
        part.choice("count", ("area", "territory")),
        part.choice("unit", ("zi", "points")),
        part.number("komi", least=-400, most=400),
        part.number("handicap_komi", 0.0, least=-400, most=400),
        part.choice("handicap", ("0", "N", "N-1")),
        part.number("group_tax", 0.0, most=100),
        part.choice("ties", ("draw", "B", "W"), "draw"),
        part.flag("pass_stones", False),
        part.flag("white_last", False),
        part.text("notes_en", ""),
        part.text("notes_zh", ""),
    )
    part.part("articles")
    part.finish()
    return counting


def _warnings(top: TableReader) -> Warnings:
    part = top.part("warnings")
    loss_at = part.number("loss_at", most=99)
    if loss_at != int(loss_at):
        raise part.fault("loss_at", f"must be a whole number of warnings, and is {loss_at:g}")
    found = Warnings(part.number("fine", most=400), int(loss_at))
    part.part("articles")
    part.finish()
    return found


def _time(top: TableReader) -> TimeRules:
    part = top.part("time")
    found = TimeRules(
        part.numbers("call_outs"),
        part.numbers("last_call_outs"),
        part.flag("captures_timed", True),
        part.number("late_limit_minutes", 0.0, most=10_000),
        part.number("late_limit_same_house_minutes", 0.0, most=10_000),
        part.number("late_factor", 1.0, most=100),
        part.number("fault_minutes_an_hour", 0.0, most=60),
    )
    part.part("articles")
    part.finish()
    return found


def _check_moves(top: TableReader) -> None:
    """What else stands among the rules of moves; :func:`kifuwatch.rules.ruleset` has read its own."""
    part = top.part("moves")
    part.text("ko")
    part.flag("suicide")
    part.choice("touch", ("hand-off", "first-touch"), "hand-off")
    part.part("articles")
    part.finish()
    start = top.part("start")
    start.flag("corner_stones", False)
    start.text("first", "B")
    start.finish()


def _ruling(rulings: TableReader, alert: str) -> Ruling:
    part = rulings.part(alert)
    choices = part.choices("others", ACTIONS, TOGETHER)
    found = Ruling(
        part.text("article", ""),
        part.choice("claim", CLAIMS, "end"),
        part.text("claim_article", ""),
        part.words("prescribed", ACTIONS, ()),
        choices,
        part.text("en", ""),
        part.text("zh", ""),
    )
    part.finish()
    return found
