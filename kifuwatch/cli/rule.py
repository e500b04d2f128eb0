"""``kifuwatch journal`` and ``kifuwatch rule``: the arbiter's desk on the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kifuwatch.cli.clock import show_clock
from kifuwatch.cli.diagram import diagram
from kifuwatch.cli.session import (
    DebugOption,
    ForceOption,
    JsonOption,
    LangOption,
    Session,
    TimeOption,
    check_outputs,
    session_of,
)
from kifuwatch.cli.texts import Language
from kifuwatch.core.errors import FileFormatError, InputError, OutputError, UsageError
from kifuwatch.core.outputs import check_apart
from kifuwatch.core.points import Colour, Point

if TYPE_CHECKING:
    from kifuwatch.arbiter.desk_state import AlertState, DeskState
    from kifuwatch.record.desk_journal import DeskJournal

JOURNAL_EXAMPLES = """[bold]Examples[/bold]

  kifuwatch journal game.db --from game.jsonl --rules cn2002 --black "Li Hua" --white "Wang Fang"
  kifuwatch journal game.db                      # how things stand
  kifuwatch journal game.db --sgf game.sgf       # the record with its rulings
  kifuwatch journal game.db --from game.jsonl --time "2h kept 5" --clock clock.jsonl   # played with a clock
  kifuwatch journal game.db --clock clock.jsonl  # presses and readings of a clock, and what follows from them
"""
RULE_EXAMPLES = """[bold]Examples[/bold]

  kifuwatch rule game.db uphold 3                # as the code prescribes
  kifuwatch rule game.db uphold 3 --as draw      # otherwise
  kifuwatch rule game.db reject 2
  kifuwatch rule game.db restore 49              # nothing after move 49 stands
  kifuwatch rule game.db warn B --note "talking"
  kifuwatch rule game.db point Q16 white         # also: black, empty
  kifuwatch rule game.db propose-end B           # then: agree-end or refuse-end
  kifuwatch rule game.db dead C3,D4              # or: none
  kifuwatch rule game.db confirm
  kifuwatch rule game.db report late --color W --minutes 12   # what people at the board have seen: an alert
  kifuwatch rule game.db set-move 31 Q16         # the record is put right; also: insert 31 Q16 W, delete 31
  kifuwatch rule game.db undo 57                 # the ruling in row 57
"""
WITH_ALERT = ("uphold", "reject", "lapse", "reopen")
WITH_NUMBER = ("restore", "void", "void-pass", "was-pass", "delete")
CORRECTIONS = ("set-move", "insert")
WITH_COLOUR = ("warn", "unwarn", "pass", "resign", "loss", "propose-end")
ENDINGS = ("draw", "no-result", "extra-game", "replay", "both-lose")
ALONE = ("pause", "refuse-end", "agree-end", "confirm", "swap")
OF_MAKING = ("rules", "black", "white", "event", "komi", "handicap", "time")
"""Options of ``journal`` that say what game it is."""
COLOURS = {"b": "B", "black": "B", "黑": "B", "w": "W", "white": "W", "白": "W"}
CELLS = {**COLOURS, "empty": "empty", "e": "empty", "空": "empty"}
MOODS = {
    "open": "desk.open",
    "upheld": "desk.upheld",
    "rejected": "desk.rejected",
    "lapsed": "desk.lapsed",
    "auto-closed": "desk.auto_closed",
}
PHASES = {
    "playing": "desk.playing",
    "paused": "desk.paused",
    "end-proposed": "desk.end_proposed",
    "counting": "desk.counting",
    "over": "desk.over",
}


def add_to(app: typer.Typer) -> None:
    """Add these commands."""
    app.command("journal", epilog=JOURNAL_EXAMPLES)(journal)
    app.command("rule", epilog=RULE_EXAMPLES)(rule)


JournalArgument = Annotated[Path, typer.Argument(help="The journal of a game.", metavar="GAME.db")]


def journal(
    context: typer.Context,
    game: JournalArgument,
    source: Annotated[
        Path | None, typer.Option("--from", help="Make the journal from events that record has kept (GAME.jsonl).")
    ] = None,
    sgf: Annotated[Path | None, typer.Option("--sgf", help="Write the record with its rulings.")] = None,
    rules: Annotated[
        str, typer.Option("--rules", help="cn2002, cn1988, jp, kr, aga, ing, nz, tt, ancient, or EVENT.toml.")
    ] = "cn2002",
    black: Annotated[str, typer.Option("--black", help="Who plays black.")] = "",
    white: Annotated[str, typer.Option("--white", help="Who plays white.")] = "",
    event: Annotated[str, typer.Option("--event", help="The event in which the game is played.")] = "",
    komi: Annotated[float | None, typer.Option("--komi", help="In points; by default that of the rules.")] = None,
    handicap: Annotated[int, typer.Option("--handicap", help="Handicap stones.", min=0, max=25)] = 0,
    time: TimeOption = "",
    clock: Annotated[
        Path | None,
        typer.Option("--clock", help="Add the rows of a clock (clock.jsonl): presses, readings, who is late."),
    ] = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> None:
    """Show how a game stands on the arbiter's desk, make its journal, write its record.

    A journal is only ever added to. Record, alerts, warnings and result follow from it.
    """
    from kifuwatch.record.clock_journal import not_yet_in, read_clock
    from kifuwatch.record.desk_journal import DeskJournal
    from kifuwatch.record.desk_sgf import desk_to_sgf
    from kifuwatch.record.files import write_whole
    from kifuwatch.record.journal import Journal
    from kifuwatch.rules.codefile import event_file

    session = session_of(context)
    check_apart({"the journal": game, "--sgf": sgf}, [source, clock, event_file(rules)])
    check_outputs({"--sgf": sgf}, force)
    if source is None:
        _check_only_shown(context)
    else:
        info: dict[str, object] = {
            "black": black,
            "white": white,
            "event": event,
            "komi": komi,
            "handicap": handicap or None,
            "time": time,
        }
        _make(game, source, rules, info, session.warn)
    rows = [] if clock is None else read_clock(clock)
    with Journal.open(game) as opened:
        desk = DeskJournal(opened)
        for row in not_yet_in(opened.rows(), rows):
            desk.clock(row)
        if rows:
            desk.raise_due()
        state = desk.state()
    if rows and state.control is None:
        session.warn(session.text("clock.no_control"))
    if sgf is not None:
        write_whole(sgf, desk_to_sgf(state))
    if as_json:
        session.show_json(to_json(state))
    else:
        show(session, state)
        if sgf is not None:
            session.show(session.text("desk.sgf", path=sgf))


def _check_only_shown(context: typer.Context) -> None:
    """What game it is stands at the head of its journal, once for all. Raises UsageError for options that would say it
    of a journal that is not being made."""
    sources = {name: context.get_parameter_source(name) for name in OF_MAKING}
    given = [f"--{name}" for name, where in sources.items() if where is not None and where.name == "COMMANDLINE"]
    if given:
        belong = "belongs" if len(given) == 1 else "belong"
        raise UsageError(
            f"{' and '.join(given)} {belong} to making a journal, with --from: one that exists stays as it is"
        )


def rule(
    context: typer.Context,
    game: JournalArgument,
    verb: Annotated[str, typer.Argument(help="What is ruled: uphold, reject, restore, warn ...", metavar="RULING")],
    words: Annotated[
        list[str] | None, typer.Argument(help="An alert, a move, a colour, a point: see the examples.")
    ] = None,
    instead: Annotated[
        str | None, typer.Option("--as", metavar="ACTIONS", help="With uphold: another ruling, like void+pass.")
    ] = None,
    color: Annotated[str | None, typer.Option("--color", metavar="B|W", help="Whose doing it is.")] = None,
    at: Annotated[str | None, typer.Option("--at", metavar="Q16", help="The point where a stone is put.")] = None,
    note: Annotated[str | None, typer.Option("--note", help="A reason, kept with the ruling.")] = None,
    minutes: Annotated[
        float | None, typer.Option("--minutes", min=0, help="With report late: so many minutes late.")
    ] = None,
    as_json: JsonOption = False,
    lang: LangOption = None,
    debug: DebugOption = False,
) -> None:
    """Rule on a game: the ruling is added to its journal, and changes record, warnings and what is expected next.

    A ruling that cannot be changes nothing. Each can be undone by another: undo ROW.
    """
    from kifuwatch.record.desk_journal import DeskJournal
    from kifuwatch.record.journal import Journal

    session = session_of(context)
    row = ruling_row(verb, words or [])
    if instead is not None:
        row["as"] = instead.split("+")
    if color is not None:
        row["color"] = _colour(color)
    if at is not None:
        row["at"] = [str(_point(at))]
    if note is not None:
        row["note"] = note
    if minutes is not None:
        row["minutes"] = minutes
    with Journal.open(game) as opened:
        state = DeskJournal(opened).rule(row)
    if as_json:
        session.show_json(to_json(state))
    else:
        show(session, state)


def ruling_row(verb: str, words: list[str]) -> dict[str, Any]:
    """``uphold 3`` as a row of the journal. Raises UsageError with one sentence."""
    row: dict[str, Any] = {"do": verb}
    if verb in WITH_ALERT:
        row["alert"] = _number(verb, words, "alert")
    elif verb in WITH_NUMBER:
        row["number"] = _number(verb, words, "move")
    elif verb in WITH_COLOUR:
        row["color"] = _colour(_one(verb, words, "a colour (B or W)"))
    elif verb in ENDINGS:
        row |= {"alert": _number(verb, words, "alert")} if words else {}
    elif verb == "undo":
        row["row"] = _number(verb, words, "row")
    elif verb == "resume":
        row |= {"color": _colour(words[0])} if words else {}
    elif verb == "seal":
        row["at"] = [str(_point(_one(verb, words, "a point")))]
    elif verb == "note":
        row["note"] = _one(verb, words, "a text")
    elif verb == "dead":
        row["at"] = _dead(words)
    elif verb == "point":
        if len(words) != 2 or words[1].lower() not in CELLS:
            raise UsageError("point needs a point and what lies there: point Q16 black, white or empty")
        row["at"] = [str(_point(words[0]))]
        row["cell"] = {"B": "X", "W": "O", "empty": "."}[CELLS[words[1].lower()]]
    elif verb in CORRECTIONS:
        row |= _correction(verb, words)
    elif verb == "report":
        row["code"] = _one(verb, words, "the code of an alert")
    elif verb in ALONE and words:
        raise UsageError(f"{verb} needs nothing more, and {words[0]!r} is given")
    return row


def _correction(verb: str, words: list[str]) -> dict[str, Any]:
    """``31 Q16 W`` or ``31 pass``: a number, a point and, where it is not plain, a colour."""
    if len(words) not in (2, 3) or not words[0].isdecimal():
        raise UsageError(f"{verb} needs the number of a move, a point (or pass) and perhaps a colour: {verb} 31 Q16 W")
    at = "pass" if words[1].lower() == "pass" else str(_point(words[1]))
    return {"number": int(words[0]), "at": [at], **({"color": _colour(words[2])} if len(words) == 3 else {})}


def _one(verb: str, words: list[str], what: str) -> str:
    if len(words) != 1:
        raise UsageError(f"{verb} needs {what}, and {len(words) or 'nothing'} {'are' if words else 'is'} given")
    return words[0]


def _number(verb: str, words: list[str], what: str) -> int:
    text = _one(verb, words, f"the number of {'an' if what == 'alert' else 'a'} {what}")
    if not text.isdecimal():
        raise UsageError(f"{verb} needs the number of {'an' if what == 'alert' else 'a'} {what}, and {text!r} is none")
    return int(text)


def _colour(text: str) -> str:
    found = COLOURS.get(text.strip().lower())
    if found is None:
        raise UsageError(f"{text!r} is no colour: write B or W")
    return found


def _point(text: str) -> Point:
    try:
        return Point.parse(text)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _dead(words: list[str]) -> list[str]:
    named = [word for text in words for word in re.split(r"[,;\s]+", text) if word]
    if not named:
        raise UsageError("dead needs one stone of each dead chain, or none")
    return [] if [word.lower() for word in named] == ["none"] else [str(_point(word)) for word in named]


def _make(path: Path, source: Path, rules: str, info: dict[str, object], warn: Callable[[str], None]) -> None:
    """Make a journal of recorded events."""
    from kifuwatch.arbiter.code import load_code
    from kifuwatch.record import GameInfo
    from kifuwatch.record.desk_journal import DeskJournal
    from kifuwatch.record.journal import Journal

    rows = read_events(source, warn)
    sizes = [row["size"] for row in rows if row.get("type") == "board-found"]
    if not sizes:
        raise FileFormatError(f"{source}: no board was found in these events")
    if path.exists():
        raise OutputError(f"{path} exists already: a journal is never overwritten")
    load_code(rules)  # what cannot be is told before there is a file
    komi = info.get("komi")
    GameInfo(komi=komi if isinstance(komi, float) else None, time=str(info.get("time") or ""))
    made = Journal.create(path)
    try:
        with made, made.alone():
            desk: DeskJournal = DeskJournal(made)
            desk.begin(int(sizes[0]), rules, **info)
            for row in rows:
                desk.add(row)
    except BaseException:  # what holds half of the game would pass for all of it, and be in the way
        for part in ("", "-wal", "-shm"):
            Path(f"{path}{part}").unlink(missing_ok=True)
        raise


def read_events(source: Path, warn: Callable[[str], None]) -> list[dict[str, Any]]:
    """The lines of GAME.jsonl; a last one that a crash cut off is left out, and ``warn`` is told so. Raises InputError,
    FileFormatError."""
    try:
        text = source.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot read {source}: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{source}: this is no text in UTF-8") from error
    rows: list[dict[str, Any]] = []
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            row["type"].upper()
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if rows and number == len(lines) and not text.endswith("\n"):
                warn(f"{source}, line {number} is cut off: left out")
                break
            raise FileFormatError(f"{source}, line {number}: this is no event") from error
        rows.append(row)
    return rows


def to_json(state: DeskState) -> dict[str, object]:
    """How a game stands, for programs."""
    record: dict[str, object] = {
        "revision": state.revision,
        "size": state.size,
        "rules": state.code.name,
        "komi": state.komi,
        "handicap": state.handicap,
        "black": state.players[0],
        "white": state.players[1],
        "phase": state.phase.value,
        "to_play": state.to_play.value,
        "moves": [
            {"number": number, "color": entry.colour.value, "at": str(entry.point) if entry.point else "pass"}
            for number, entry in enumerate(state.moves, 1)
        ],
        "board": state.board.rows,
        "captured": {colour.value: count for colour, count in state.captures.items()},
        "to_put_right": {str(point): cell for point, cell in state.pending.items()},
        "sealed": str(state.sealed) if state.sealed else None,
        "alerts": [_alert_json(state, each) for each in state.alerts],
        "warnings": {colour.value: state.warnings(colour) for colour in Colour},
        "ledger": [each.to_json() for each in state.ledger],
    }
    if state.clock is not None:
        from kifuwatch.record.clock_journal import clock_json

        record["clock"] = clock_json(state.clock)
    if state.score is not None:
        score = state.score
        record["count"] = {"RE": score.sgf, "text": {"en": score.text_en, "zh": score.text_zh}, "parts": score.parts}
    if state.ending is not None:
        record["result"] = {"RE": state.ending.sgf, "text": {"en": state.ending.en, "zh": state.ending.zh}}
    return record


def _alert_json(state: DeskState, each: AlertState) -> dict[str, object]:
    from kifuwatch.arbiter.rulings_clock import ruling_for

    ruling = ruling_for(state.code, each)
    return {
        "number": each.number,
        "code": each.code,
        "level": each.level,
        "at": [str(point) for point in each.at],
        "t": each.t,
        "color": each.offender.value if each.offender else None,
        "state": each.mood.value,
        "closed_by": each.closed_by,
        "why": each.why,
        "article": ruling.article,
        "prescribed": list(ruling.prescribed),
        "others": ["+".join(choice) for choice in ruling.others],
        "claim": each.told.get("claim", {"until": ruling.claim}),
        "text": {"en": each.text_en, "zh": each.text_zh},
    } | {name: each.told[name] for name in ("hypotheses", "boards", "evidence") if name in each.told}


def may_be(session: Session, hypotheses: Iterable[tuple[str, float | None]]) -> str:
    """What may lie behind an alert, in one line; likelihoods where they are known."""
    from kifuwatch.arbiter.alerts import likelihood_text

    chinese = session.texts.language is Language.ZH
    left, right, between = ("（", "）", "；") if chinese else (" (", ")", "; ")
    words = [
        name + (f"{left}{likelihood_text(value)}{right}" if value is not None else "") for name, value in hypotheses
    ]
    return session.text("desk.may_be", what=between.join(words))


def claimed(session: Session, window: str, article: str) -> str:
    """Until when, and by whom, something can be claimed, in one line."""
    from kifuwatch.arbiter.alerts import clause_zh

    named = clause_zh(article) if session.texts.language is Language.ZH else article
    law = session.text("desk.claim_article", article=named) if article else ""
    return session.text("desk.claim", window=window, law=law)


def show(session: Session, state: DeskState) -> None:
    """Tell how a game stands."""
    chinese = session.texts.language is Language.ZH
    last = state.moves[-1].point if state.moves else None
    session.show(diagram(state.board, last), "")
    title = state.code.title_zh if chinese else state.code.title_en
    session.show(session.text("desk.summary", moves=len(state.moves), rules=title, revision=state.revision))
    who = session.text("desk.black") if state.to_play is Colour.BLACK else session.text("desk.white")
    session.show(session.text(PHASES[state.phase.value], who=who))
    show_clock(session, state)
    if state.pending:
        names = {"X": session.text("desk.black"), "O": session.text("desk.white"), ".": session.text("desk.empty")}
        points = ", ".join(f"{point} {names[cell]}" for point, cell in sorted(state.pending.items()))
        session.show(session.text("desk.pending", points=points))
    for each in state.alerts:
        mood = session.text(MOODS[each.mood.value])
        text = each.text_zh if chinese else each.text_en
        session.show(session.text("desk.alert", number=each.number, mood=mood, text=text))
        told = each.told.get("hypotheses", ())
        if told and each.mood.value == "open":
            named = [(chosen["zh" if chinese else "en"], chosen["likelihood"]) for chosen in told]
            session.show("     " + may_be(session, named))
        claim = each.told.get("claim")
        if isinstance(claim, Mapping) and claim.get("en") and each.mood.value == "open":
            article = str(claim.get("article", ""))
            session.show("     " + claimed(session, claim["zh" if chinese else "en"], article))
    for colour in Colour:
        name = session.text("desk.black") if colour is Colour.BLACK else session.text("desk.white")
        if state.warnings(colour):
            session.show(session.text("desk.warnings", who=name, count=state.warnings(colour)))
    if state.score is not None and state.ending is None:
        text = state.score.text_zh if chinese else state.score.text_en
        session.show(session.text("desk.count", text=text, sgf=state.score.sgf))
    if state.ending is not None:
        text = state.ending.zh if chinese else state.ending.en
        session.show(session.text("desk.result", text=text, sgf=state.ending.sgf))
