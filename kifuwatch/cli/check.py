"""``kifuwatch check``: what is irregular in a game record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kifuwatch.cli.session import DebugOption, JsonOption, LangOption, Session, session_of
from kifuwatch.cli.texts import Language
from kifuwatch.core.errors import InputError, KifuwatchError

if TYPE_CHECKING:
    from kifuwatch.arbiter.code import Code
    from kifuwatch.arbiter.inspection import Inspection, Irregularity
    from kifuwatch.record.checking import Checked
    from kifuwatch.record.sgf_game import SgfGame

EXAMPLES = """[bold]Examples[/bold]

  kifuwatch check game.sgf
  kifuwatch check game.sgf --rules cn2002 --json
  kifuwatch check games/ --strict
"""
IRREGULAR = 7
OF_THE_BOARD = frozenset({"off-board", "occupied", "setup"})
"""Irregularities by which the board may not be the one that the record means."""
SENTENCES = {
    "off-board": "check.off_board",
    "two-moves": "check.two_moves",
    "occupied": "check.occupied",
    "forbidden-point": "check.suicide",
    "ko-violation": "check.ko",
    "repetition": "check.repetition",
    "count-mismatch": "check.count",
}
SETUPS = {
    "off_board": "check.setup_off_board",
    "twice": "check.setup_twice",
    "without_liberties": "check.setup_liberties",
    "handicap": "check.setup_handicap",
    "said_to_play": "check.setup_turn",
    "first": "check.setup_first",
}

RulesOption = Annotated[
    str | None,
    typer.Option(
        "--rules",
        help="cn2002, cn1988, jp, kr, aga, ing, nz, tt, ancient, or EVENT.toml; by default those the record names.",
        show_default=False,
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("check", epilog=EXAMPLES)(check)


def check(
    context: typer.Context,
    games: Annotated[list[Path], typer.Argument(help="Game records, or folders of them.", metavar="GAME.sgf...")],
    rules: RulesOption = None,
    as_json: JsonOption = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="End with status 7 when something irregular was found.")
    ] = False,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> int:
    """Go through game records move by move and list everything irregular.

    Occupied points, ko, repetition with its cycle, suicide, the same colour twice, faults of the start, and a result
    that the marked territory contradicts. With several records --json prints one object a line.
    """
    session = session_of(context)
    files = list(_files(games))
    codes: dict[str, Any] = {}
    irregular, broken = False, 0
    for file in files:
        try:
            found = _check(file, rules, codes)
        except KifuwatchError as error:
            if len(files) == 1 or not isinstance(error, InputError):
                raise
            broken = error.exit_status
            session.warn(str(error))
            continue
        irregular = irregular or bool(found.irregularities)
        if as_json:
            session.show_json(to_json(found))
        else:
            _show(session, found, many=len(files) > 1)
    return broken or (IRREGULAR if strict and irregular else 0)


def _files(given: Sequence[Path]) -> Iterator[Path]:
    """The files, and those in the folders. Raises InputError for a folder without any."""
    for path in given:
        if not path.is_dir():
            yield path
            continue
        found = sorted(each for each in path.rglob("*") if each.suffix.lower() == ".sgf" and each.is_file())
        if not found:
            raise InputError(f"there is no game record (*.sgf) in {path}")
        yield from found


def _check(file: Path, rules: str | None, codes: dict[str, Any]) -> Checked:
    from kifuwatch.arbiter.code import load_code
    from kifuwatch.record.checking import check as check_record
    from kifuwatch.record.sgf_game import read_game
    from kifuwatch.rules import DEFAULT_RULES

    if rules and rules not in codes:  # a fault of the rules is told before any of the records
        codes[rules] = load_code(rules)
    game = read_game(file)
    name = rules or game.rules or DEFAULT_RULES
    if name not in codes:
        codes[name] = load_code(name)
    return check_record(game, codes[name])


def to_json(found: Checked) -> dict[str, object]:
    """What was found in one record, for programs."""
    game, inspection = found.game, found.inspection
    result: dict[str, object] = {"text": game.result.text}
    if game.result.points is not None:
        result |= {"winner": game.result.winner.value if game.result.winner else None, "points": game.result.points}
    record: dict[str, object] = {
        "file": game.where,
        "rules": found.code.name,
        "size": game.size,
        "moves": inspection.moves,
        "passes": inspection.passes,
        "captured": {colour.value: count for colour, count in inspection.captures.items()},
        "handicap": game.handicap,
        "komi": game.komi,
        "in_zi": game.in_zi,
        "result": result,
        "counts": inspection.counts,
        "irregularities": [_entry(each) for each in found.irregularities],
        "problems": list(game.problems),
        "board": inspection.game.position.layout.rows,
    }
    return record | ({"counted": found.score.sgf} if found.score else {})


def _entry(each: Irregularity) -> dict[str, object]:
    return {
        "move": each.move,
        "code": each.code,
        "color": each.colour.value if each.colour else None,
        "at": [str(point) for point in each.at],
        "kinds": list(each.kinds),
        "facts": each.facts,
        "forbidden": each.forbidden,
        "article": each.article,
        "ruling": {"en": each.ruling_en, "zh": each.ruling_zh},
    }


def _show(session: Session, found: Checked, many: bool) -> None:
    game, inspection = found.game, found.inspection
    if many:
        session.show(f"{game.where}:")
    chinese = session.texts.language is Language.ZH
    title = found.code.title_zh if chinese else found.code.title_en
    session.show(session.text("check.summary", moves=inspection.moves, size=game.size, rules=title))
    if game.in_zi and game.komi is not None:
        session.show(session.text("check.in_zi", zi=f"{game.komi / 2:g}", points=f"{game.komi:g}"))
    for problem in game.problems:
        session.show(session.text("check.problem", problem=session.told(problem)))
    for each in found.irregularities:
        session.show("  " + sentence(session, found, each))
    if not found.irregularities:
        session.show(session.text("check.nothing"))
    if many:
        session.show("")


def sentence(session: Session, found: Checked, each: Irregularity) -> str:
    """One irregularity in words, with its article and what the code rules."""
    facts = {name: _shown(value) for name, value in each.facts.items()}
    if each.code == "setup":
        names = {"B": session.text("check.black"), "W": session.text("check.white")}
        facts = {name: names.get(value, value) for name, value in facts.items()}
        other = "" if each.colour is None else names[each.colour.opponent.value]
        what = session.text(SETUPS[next(iter(each.facts))], **{"other": other, **facts})
    else:
        said = {"said": found.game.result.text} | ({"captured": "", "points": ""} | facts)
        what = session.text(SENTENCES[each.code], **said)
    colour = {"B": session.text("check.black"), "W": session.text("check.white")}
    who = colour[each.colour.value] if each.colour and each.code != "count-mismatch" else ""
    where = " ".join(str(point) for point in each.at)
    if each.move:
        place = session.text("check.move", number=each.move, who=who, at=where)
        what = session.text("check.line", place=" ".join(place.split()), what=what)
    ruling = each.ruling_zh if session.texts.language is Language.ZH else each.ruling_en
    if not each.forbidden and not ruling:
        return session.text("check.allowed", line=what)
    if each.article:
        what = session.text("check.article", line=what, law=law_of(session, found.code, each.article))
    return session.text("check.ruling", line=what, ruling=ruling) if ruling else what


def warn_of_faults(session: Session, game: SgfGame, code: Code, inspection: Inspection) -> None:
    """What may make the board another than the record means, on standard error: what was wrong with the file, and
    stones that are off the board, on another stone, or not those that the start names."""
    from kifuwatch.arbiter.code import TURN_FACTS
    from kifuwatch.record.checking import Checked

    for problem in game.problems:
        session.warn(session.text("check.problem", problem=session.told(problem)))
    found = Checked(game, code, inspection, inspection.irregularities, None)
    for each in inspection.irregularities:
        if each.code in OF_THE_BOARD and TURN_FACTS.isdisjoint(each.facts):
            session.warn(sentence(session, found, each))


def law_of(session: Session, code: Code, article: str) -> str:
    """An article, in the language of the session: ``cn2002 Art. 18.3``."""
    from kifuwatch.arbiter.alerts import article_zh

    return article_zh(code, article) if session.texts.language is Language.ZH else f"{code.short_en} Art. {article}"


def _shown(value: object) -> str:
    if isinstance(value, list):
        return " ".join(str(each) for each in value)
    return f"{value:g}" if isinstance(value, float) else str(value)
