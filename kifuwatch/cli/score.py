"""``kifuwatch score``: the result of a game, counted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kifuwatch.cli.check import RulesOption, law_of, warn_of_faults
from kifuwatch.cli.diagram import diagram
from kifuwatch.cli.restore import DiagramOption
from kifuwatch.cli.session import DebugOption, ForceOption, JsonOption, LangOption, Session, check_outputs, session_of
from kifuwatch.cli.texts import Language
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import Colour, Layout, Point

if TYPE_CHECKING:
    from kifuwatch.arbiter.dead import DeadChain, Proposal
    from kifuwatch.arbiter.recount import Mismatch
    from kifuwatch.arbiter.result import Score

EXAMPLES = """[bold]Examples[/bold]

  kifuwatch score game.sgf                                    # dead chains are proposed
  kifuwatch score game.sgf --dead A1,B2 --rules cn2002        # the players agree on these
  kifuwatch score game.sgf --dead none --warnings 1,0 --json
  kifuwatch score game.sgf --dead A1 --counted 184.5          # the arbiter counted so many zi for Black
  kifuwatch score game.sgf --engine "gnugo --mode gtp"
  kifuwatch score game.sgf --dead A1 --diagram count.svg      # what was counted, to print
"""
COUNTED = re.compile(r"([BW]?)\s*(\d+(?:\.5|\.0|\.)?)")
SOURCES = {
    "given": "score.given",
    "file": "score.file",
    "engine": "score.by_engine",
    "proposed": "score.proposed",
}


@dataclass(frozen=True)
class Found:
    """A count and where its dead stones come from: ``given``, ``file``, ``engine`` or ``proposed``; ``problems`` of the
    file that was counted."""

    file: Path
    score: Score
    source: str
    proposal: Proposal | None
    layout: Layout
    said: str
    mismatches: tuple[tuple[str, Mismatch], ...]
    problems: tuple[str, ...] = ()

    @property
    def confirmed(self) -> bool:
        """Whether people have said what is dead."""
        return self.source in {"given", "file"}


def add_to(app: typer.Typer) -> None:
    """Add this command."""
    app.command("score", epilog=EXAMPLES)(score)


def score(
    context: typer.Context,
    game: Annotated[Path, typer.Argument(help="A game record.", metavar="GAME.sgf")],
    dead: Annotated[
        list[str] | None,
        typer.Option("--dead", metavar="A1,B2", help="One stone of each dead chain, or none; else they are proposed."),
    ] = None,
    rules: RulesOption = None,
    komi: Annotated[float | None, typer.Option("--komi", help="In points; by default that of the record.")] = None,
    handicap: Annotated[int | None, typer.Option("--handicap", min=0, max=25, help="Handicap stones.")] = None,
    warnings: Annotated[
        str, typer.Option("--warnings", metavar="B,W", help="How many warnings Black and White have.")
    ] = "0,0",
    groups: Annotated[
        str | None, typer.Option("--groups", metavar="B,W", help="Live groups, where there is a group tax.")
    ] = None,
    seki: Annotated[
        list[str] | None,
        typer.Option("--seki", metavar="A1,B2", help="One stone of each chain in seki, where territory is counted."),
    ] = None,
    counted: Annotated[
        str | None,
        typer.Option("--counted", metavar="ZI", help="What the arbiter counted: 184.5 for Black, W177 for White."),
    ] = None,
    engine: Annotated[
        str | None, typer.Option("--engine", metavar="COMMAND", help="A GTP engine that proposes the dead chains.")
    ] = None,
    drawing: DiagramOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> None:
    """Count the last position of a record and say the result by the rules.

    Dead chains that nobody has named are proposed, and it is said that they are: a person has to confirm them.
    """
    from kifuwatch.arbiter.code import load_code
    from kifuwatch.arbiter.inspection import inspect
    from kifuwatch.arbiter.result import Terms, komi_of
    from kifuwatch.record.sgf_game import read_game
    from kifuwatch.rules import DEFAULT_RULES
    from kifuwatch.rules.codefile import event_file
    from kifuwatch.rules.count import whole_chains

    session = session_of(context)
    check_outputs({"--diagram": drawing}, force, [game, event_file(rules)])
    given_warnings, given_groups = _two(warnings, "--warnings"), _two(groups, "--groups") if groups else {}
    record = read_game(game)
    code = load_code(rules or record.rules or DEFAULT_RULES)
    inspection = inspect(record.steps, record.size, code, record.handicap, record.cut)
    stones = record.handicap if handicap is None else handicap
    layout = inspection.game.position.layout
    terms = Terms(
        komi_of(code, stones, record.komi if komi is None else komi),
        stones,
        inspection.captures,
        given_warnings,
        given_groups,
        whole_chains(layout, parse_points(seki, "--seki")),
    )
    marked = (record.black_area, record.white_area)
    source, points, proposal = _dead(layout, dead, marked, engine)
    from kifuwatch.arbiter.recount import against_area, against_result
    from kifuwatch.record.checking import counted as count_record

    result = count_record(record, code, inspection, points, terms)
    mismatches = []
    if record.result.points is not None:
        mismatches.append(("record", against_result(result, record.result.winner, record.result.points)))
    if counted is not None:
        mismatches.append(("arbiter", against_area(result, *_counted(counted, layout.size))))
    differing = tuple((name, each) for name, each in mismatches if each is not None)
    found = Found(game, result, source, proposal, layout, record.result.text, differing, record.problems)
    warn_of_faults(session, record, code, inspection)
    if drawing is not None:
        _draw(session, drawing, found)
    if as_json:
        session.show_json(to_json(found))
    else:
        _show(session, found)


def _draw(session: Session, file: Path, found: Found) -> None:
    """The diagram to print: dead stones pale, the points of each side marked."""
    from kifuwatch.record.board_svg import count_picture, write_diagram

    result = found.score
    chinese = session.texts.language is Language.ZH
    text = session.text("score.result", text=result.text_zh if chinese else result.text_en, sgf=result.sgf, law="")
    captions = (text,) if found.confirmed else (text, session.text(SOURCES[found.source]))
    write_diagram(file, count_picture(result.count, text, captions))


def parse_points(given: Sequence[str] | None, option: str) -> tuple[Point, ...]:
    """``["A1,B2", "C3"]`` as points. Raises UsageError with one sentence."""
    words = [word for text in given or () for word in re.split(r"[,;\s]+", text) if word]
    try:
        return tuple(Point.parse(word) for word in words)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from error


def _dead(
    layout: Layout, given: Sequence[str] | None, marked: tuple[tuple[Point, ...], ...], engine: str | None
) -> tuple[str, frozenset[Point], Proposal | None]:
    """Where the dead stones come from, which they are, and the proposal if it is one."""
    from kifuwatch.arbiter.dead import proposal_of, propose_dead
    from kifuwatch.arbiter.gtp import ask_dead
    from kifuwatch.arbiter.recount import dead_by_marks
    from kifuwatch.rules.count import whole_chains

    if given:
        none = [word.strip().lower() for word in given] == ["none"]
        return "given", frozenset() if none else whole_chains(layout, parse_points(given, "--dead")), None
    if engine is not None:
        proposal = proposal_of(layout, ask_dead(engine, layout))
        return "engine", proposal.points, proposal
    if any(marked):
        return "file", dead_by_marks(layout, *marked), None
    proposal = propose_dead(layout)
    return "proposed", proposal.points, proposal


def _two(text: str, option: str) -> dict[Colour, int]:
    """``"1,0"``: a number for Black and one for White."""
    words = text.split(",")
    if len(words) != 2 or not all(word.strip().isdecimal() for word in words):
        raise UsageError(f"{option}: {text!r} must be two numbers, Black's and White's, like 1,0")
    return {Colour.BLACK: int(words[0]), Colour.WHITE: int(words[1])}


def _counted(text: str, size: int) -> tuple[Colour, float]:
    found = COUNTED.fullmatch(text.strip().upper())
    if found is None or float(found.group(2)) > size * size:
        raise UsageError(f"--counted: {text!r} is no number of zi on this board: write 184.5 (Black) or W177")
    return Colour(found.group(1) or "B"), float(found.group(2))


def to_json(found: Found) -> dict[str, object]:
    """A count, for programs."""
    result, proposal = found.score, found.proposal
    record: dict[str, object] = {
        "file": str(found.file),
        "rules": result.code.name,
        "dead": sorted(str(point) for points in result.count.dead.values() for point in points),
        "dead_from": found.source,
        "confirmed": found.confirmed,
        "count": result.code.counting.count,
        "area": {colour.value: result.area[colour] for colour in Colour},
        "territory": {colour.value: result.territory[colour] for colour in Colour},
        "shared": [str(point) for point in result.count.shared],
        "parts": dict(result.parts),
        "margin": result.margin,
        "RE": result.sgf,
        "text": {"en": result.text_en, "zh": result.text_zh},
        "said": found.said,
        "problems": list(found.problems),
        "mismatches": [
            {"with": name, "code": "count-mismatch", "said": each.said, "difference": each.difference}
            for name, each in found.mismatches
        ],
    }
    if proposal is not None:
        record["proposed"] = [_chain_json(each) for each in proposal.dead]
        record["doubtful"] = [_chain_json(each) for each in proposal.doubtful]
    return record


def _chain_json(chain: DeadChain) -> dict[str, object]:
    at = [str(point) for point in chain.points]
    return {"color": chain.colour.value, "at": at, "dead": chain.sure, "why": chain.why}


def _show(session: Session, found: Found) -> None:
    result = found.score
    chinese = session.texts.language is Language.ZH
    session.show(diagram(result.count.layout), "")
    session.show(session.text("score.rules", rules=result.code.title_zh if chinese else result.code.title_en))
    _show_dead(session, found)
    if result.code.counting.count == "area":
        area = {colour.name.lower(): f"{result.area[colour]:g}" for colour in Colour}
        session.show(session.text("score.area", **area, shared=len(result.count.shared)))
    else:
        territory = {colour.name.lower(): result.territory[colour] for colour in Colour}
        session.show(session.text("score.territory", **territory))
    names = {
        "komi": "score.komi",
        "handicap": "score.handicap",
        "fines": "score.fines",
        "group_tax": "score.group_tax",
    }
    for name, key in names.items():
        if result.parts.get(name):
            session.show(session.text(key, gets=_gets(session, result, result.parts[name])))
    note = result.code.counting.notes_zh if chinese else result.code.counting.notes_en
    if note and (result.parts.get("handicap") or result.parts.get("group_tax")):
        session.show(note)
    article = result.code.articles.get("result.count", "")
    law = session.text("score.law", law=law_of(session, result.code, article)) if article else ""
    session.show(
        session.text("score.result", text=result.text_zh if chinese else result.text_en, sgf=result.sgf, law=law)
    )
    for name, each in found.mismatches:
        key = "score.mismatch_record" if name == "record" else "score.mismatch_arbiter"
        session.show(session.text(key, said=found.said, difference=f"{each.difference:g}"))


def _gets(session: Session, result: Score, points: float) -> str:
    """Who gets what, in the unit of the code; ``points`` for Black. A sign before komi would read as one the other way
    round."""
    from kifuwatch.arbiter.result import in_quarters

    who = session.text("check.black") if points > 0 else session.text("check.white")
    amount = session.text("score.points", points=f"{abs(points):g}")
    if result.code.counting.unit == "zi":
        joint = "又" if session.texts.language is Language.ZH else " "
        amount = session.text("score.zi", zi=in_quarters(abs(points) / 2, joint), points=amount)
    return session.text("score.gets", who=who, amount=amount)


def _show_dead(session: Session, found: Found) -> None:
    dead = found.score.count.dead
    names = [str(point) for colour in Colour for point in dead[colour]]
    if names:
        session.show(session.text("score.dead", points=" ".join(names)))
    else:
        session.show(session.text("score.none_dead"))
    session.show(session.text(SOURCES[found.source]))
    if found.proposal is not None:
        for chain in found.proposal.doubtful:
            at = " ".join(str(point) for point in chain.points[:6]) + (" …" if len(chain.points) > 6 else "")
            session.show(session.text("score.doubtful", at=at, share=f"{chain.sure:.0%}"))
