"""A record checked as a whole: its moves, and its result where the count is beyond doubt."""

from __future__ import annotations

from dataclasses import dataclass

from kifuwatch.arbiter.code import Code
from kifuwatch.arbiter.inspection import Inspection, Irregularity, inspect
from kifuwatch.arbiter.recount import Mismatch, against_result, dead_by_marks
from kifuwatch.arbiter.result import Score, Terms, komi_of, score
from kifuwatch.core.points import Point
from kifuwatch.record.sgf_game import SgfGame
from kifuwatch.rules.count import count_board

COUNT_MISMATCH = "count-mismatch"


@dataclass(frozen=True)
class Checked:
    """What checking a record has found. ``score`` is None where its result was not counted, or the record does not
    say what is dead: then a person has to, see :func:`counted`."""

    game: SgfGame
    code: Code
    inspection: Inspection
    irregularities: tuple[Irregularity, ...]
    score: Score | None


def check(game: SgfGame, code: Code) -> Checked:
    """Check a record under a code: every irregularity of its moves, and its result against the marked territory."""
    inspection = inspect(game.steps, game.size, code, game.handicap, game.cut)
    found, irregularities = None, list(inspection.irregularities)
    if game.result.points is not None and (game.black_area or game.white_area):
        layout = inspection.game.position.layout
        found = counted(game, code, inspection, dead_by_marks(layout, game.black_area, game.white_area))
        mismatch = against_result(found, game.result.winner, game.result.points)
        if mismatch is not None:
            irregularities.append(_of(mismatch, code, inspection, found))
    return Checked(game, code, inspection, tuple(irregularities), found)


def counted(
    game: SgfGame, code: Code, inspection: Inspection, dead: frozenset[Point], terms: Terms | None = None
) -> Score:
    """The last position of a record counted. ``dead``: the stones taken off; raises UsageError where there is none.

    ``terms`` by default those of the record: its komi, or that of the code, its handicap, its captures.
    """
    if terms is None:
        terms = Terms(komi_of(code, game.handicap, game.komi), game.handicap, inspection.captures)
    return score(count_board(inspection.game.position.layout, dead), code, terms)


def _of(mismatch: Mismatch, code: Code, inspection: Inspection, found: Score) -> Irregularity:
    ruling = code.ruling(COUNT_MISMATCH)
    facts: dict[str, object] = {"counted": found.sgf, "difference": mismatch.difference}
    return Irregularity(
        inspection.moves, COUNT_MISMATCH, None, (), (), facts, True, ruling.article, ruling.en, ruling.zh
    )
