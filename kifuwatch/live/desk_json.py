"""What the arbiter is told of a game, as JSON: everything, undelayed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kifuwatch.arbiter.alerts import CLAIM_EN, CLAIM_ZH, AlertTable
from kifuwatch.arbiter.dead import Proposal
from kifuwatch.arbiter.desk import undone_rows
from kifuwatch.arbiter.desk_state import AlertState, DeskState, Entry
from kifuwatch.arbiter.rulings_clock import ruling_for
from kifuwatch.core.points import Colour, Point
from kifuwatch.live.state import Json, names, public_state
from kifuwatch.live.story import Row, Story, Teller

Evidence = Callable[[Mapping[str, Any]], list[Path]]
"""The files of an alert, by its row in the journal."""
Frame = Callable[[int], Path | None]
"""The picture of a move, by its number in the recorder's own count."""
PICTURES = ("before", "during", "after")
CLIPS = frozenset({".mkv", ".mp4"})


@dataclass(frozen=True)
class Sources:
    """Where else the desk looks: the table of alerts, the files of evidence, proposals of what is dead, and what time
    it is (seconds as ``t`` in the rows; None: not known)."""

    table: AlertTable
    evidence: Evidence
    frame: Frame
    proposal: Proposal | None = None
    now: float | None = None


def desk_state(board: str, game_id: str | None, story: Story, teller: Teller, sources: Sources) -> Json:
    """A game for the arbiter: the public form and alerts, ledger, rulings, side lines, the count, what has to be put
    right."""
    state = story.state
    told = public_state(board, game_id, story, now=sources.now)
    moves = state.moves
    for move in told["moves"]:
        if "at" in move:
            _add_camera(move, moves[move["n"] - 1], sources.frame)
    return told | {
        "alerts": [_alert(board, state, each, teller.row(each.row) or {}, sources) for each in state.alerts],
        "ledger": [each.to_json() for each in state.ledger],
        "warnings": {colour.value: state.warnings(colour) for colour in Colour},
        "rulings": rulings(teller.rows),
        "line": [_entry(each) for each in state.entries],
        "pending": [{"at": str(point), "cell": cell} for point, cell in sorted(state.pending.items())],
        "sealed": str(state.sealed) if state.sealed else None,
        "dead": None if state.dead is None else names(sorted(state.dead)),
        "score": _score(state),
        "territory": _territory(state),
        "dead_proposal": _proposal(sources.proposal),
        "seen": None if state.seen is None else state.seen.rows,
        "fault": story.fault,
    }


def _add_camera(move: Json, entry: Entry, frame: Frame) -> None:
    """What only the arbiter needs of a move: where it comes from, and whether there is a picture of it."""
    move["frame"] = entry.camera is not None and frame(entry.camera) is not None
    move |= {"row": entry.row, "camera": entry.camera, "ruled": entry.ruled, "notes": list(entry.notes)}


def _alert(board: str, state: DeskState, each: AlertState, row: Row, sources: Sources) -> Json:
    ruling = ruling_for(state.code, each)
    kind = sources.table.kinds.get(each.code)
    files = sources.evidence(row)
    claim = row["claim"] if isinstance(row.get("claim"), dict) else {}
    return {
        "number": each.number,
        "row": each.row,
        "code": each.code,
        "name": {"en": kind.en if kind else each.code, "zh": kind.zh if kind else each.code},
        "level": each.level,
        "mood": each.mood.value,
        "why": each.why,
        "closed_by": each.closed_by,
        "at": names(each.at),
        "color": each.offender.value if each.offender else None,
        "text": {"en": each.text_en, "zh": each.text_zh},
        "ruling": {"en": ruling.en, "zh": ruling.zh},
        "articles": row.get("articles", {}),
        "article": ruling.article,
        "prescribed": list(ruling.prescribed),
        "others": [list(choice) for choice in ruling.others],
        "claim": {"en": CLAIM_EN[ruling.claim], "zh": CLAIM_ZH[ruling.claim], **claim},
        "boards": row.get("boards"),
        "lapses": ruling.claim,
        "t": each.t,
        "move": row.get("move", each.moves_at),
        "evidence": list(row.get("evidence", [])),
        "likelihoods": _likelihoods(row),
        "pictures": _pictures(board, each.number, files),
        "clip": f"/api/boards/{board}/alerts/{each.number}/clip" if clip_of(files) else None,
    }


def _likelihoods(row: Row) -> Any:
    """The other explanations of what was seen; with how probable each is, where the recorder says so."""
    return row.get("hypotheses") or [{"name": text, "likelihood": None} for text in row.get("alternatives", [])]


def _pictures(board: str, number: int, files: list[Path]) -> list[str]:
    return [
        f"/api/boards/{board}/alerts/{number}/{which}.jpg" for which in PICTURES if picture_of(files, which) is not None
    ]


def picture_of(files: list[Path], which: str) -> Path | None:
    """The picture ``before``, ``during`` or ``after`` among the files of an alert."""
    return next((path for path in files if which in path.stem and path.suffix in {".jpg", ".jpeg"}), None)


def clip_of(files: list[Path]) -> Path | None:
    """The short film among the files of an alert."""
    return next((path for path in files if path.suffix in CLIPS), None)


def rulings(rows: list[Row]) -> list[Json]:
    """All rulings, oldest first, each with whether it is undone."""
    gone = undone_rows(rows)
    hidden = {"type", "id", "at_time", "do"}
    return [
        {
            "row": int(row["id"]),
            "do": row["do"],
            "at_time": row.get("at_time"),
            "undone": int(row["id"]) in gone,
            "what": {key: value for key, value in row.items() if key not in hidden},
        }
        for row in rows
        if row.get("type") == "ruling"
    ]


def _entry(each: Entry) -> Json:
    at = None if each.setup is not None else str(each.point) if each.point else "pass"
    setup = None if each.setup is None else {str(point): cell for point, cell in sorted(each.setup.items())}
    return {
        "row": each.row,
        "color": each.colour.value,
        "at": at,
        "setup": setup,
        "stands": each.stands,
        "why": each.why,
        "ruled": each.ruled,
        "notes": list(each.notes),
    }


def _score(state: DeskState) -> Json | None:
    score = state.score
    if score is None:
        return None
    return {
        "sgf": score.sgf,
        "en": score.text_en,
        "zh": score.text_zh,
        "area": {colour.value: area for colour, area in score.area.items()},
        "territory": {colour.value: points for colour, points in score.territory.items()},
        "parts": dict(score.parts),
    }


def _proposal(proposal: Proposal | None) -> Json | None:
    if proposal is None:
        return None
    unsure = [{"at": names(chain.points), "share": chain.sure} for chain in proposal.doubtful]
    return {"dead": names(sorted(proposal.points)), "unsure": unsure}


def _territory(state: DeskState) -> list[str] | None:
    """The counted board as text: ``x`` and ``o`` for enclosed points and dead stones on them, stones as they stand."""
    if state.score is None:
        return None
    count = state.score.count
    cells = list(state.board.cells)
    dead: Mapping[Colour, frozenset[Point]] = {colour: frozenset(count.dead[colour]) for colour in Colour}
    for colour, mark in ((Colour.BLACK, "x"), (Colour.WHITE, "o")):
        for point in {*count.enclosed[colour], *dead[colour.opponent]}:
            cells[state.board.index(point)] = mark
    text = "".join(cells)
    return [text[i : i + state.size] for i in range(0, len(text), state.size)]
