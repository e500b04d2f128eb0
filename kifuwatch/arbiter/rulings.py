"""Rulings, and what else people tell the desk: each is a row of the journal, and changes record, ledger and turn.

A row is ``{"type": "ruling", "do": VERB, ...}`` with the fields that its verb needs: ``alert`` a number of the desk,
``number`` a move of the record, ``color``, ``at`` points, ``cell``, ``as`` the actions of a ruling, ``row`` of the
journal, ``note``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from kifuwatch.arbiter import corrections
from kifuwatch.arbiter.code import ACTIONS, FINAL_ACTIONS
from kifuwatch.arbiter.desk import Desk, Row
from kifuwatch.arbiter.desk_state import AlertMood, AlertState, Ending, Entry, LedgerEntry, Phase, count_warnings
from kifuwatch.arbiter.line import changed, stone
from kifuwatch.arbiter.rulings_clock import check_going_on, go_on, ruling_for, take_off
from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import EMPTY, Colour, Point
from kifuwatch.rules.count import whole_chains

_EN = {Colour.BLACK: "Black", Colour.WHITE: "White"}
_ZH = {Colour.BLACK: "黑", Colour.WHITE: "白"}
ENDINGS: Mapping[str, tuple[str, str, str]] = {
    "draw": ("0", "a draw", "和棋"),
    "no-result": ("Void", "no result", "无胜负"),
    "extra-game": ("Void", "no result, an extra game is played", "加赛"),
    "replay": ("Void", "the game is replayed", "重赛"),
    "both-lose": ("Void", "both lose", "双方均负"),
}


def apply(desk: Desk, row: Row) -> None:
    """Carry out one ruling. Raises UsageError with one sentence when it cannot be, and then nothing has changed."""
    verb = row["do"]
    if verb not in VERBS:
        raise UsageError(f"{verb!r} is no ruling: there are {', '.join(sorted(VERBS))}")
    if desk.phase is Phase.OVER and verb not in _AFTER_THE_END:
        raise UsageError("the game is over: undo its result first")
    VERBS[verb](desk, row)


# Alerts


def _uphold(desk: Desk, row: Row) -> None:
    alert = _open_alert(desk, row)
    ruling = ruling_for(desk.code, alert)
    actions = tuple(row.get("as") or ruling.prescribed)
    if not actions:
        offered = ", ".join("+".join(choice) for choice in ruling.others)
        say = f"say what is ruled ({offered})" if offered else "reject it once it has been looked at"
        raise UsageError(f"{desk.code.short_en} prescribes nothing for {alert.code}: {say}")
    for action in actions:
        if action not in ACTIONS:
            raise UsageError(f"{action!r} is no ruling: there are {', '.join(ACTIONS)}")
    _check_actions(desk, row, alert, actions)
    for action in actions:
        _act(desk, row, alert, action, "pass" in actions)
    desk.close(alert, AlertMood.UPHELD, int(row["id"]), "+".join(actions))


def _reject(desk: Desk, row: Row) -> None:
    desk.close(_open_alert(desk, row), AlertMood.REJECTED, int(row["id"]))


def _lapse(desk: Desk, row: Row) -> None:
    desk.close(_open_alert(desk, row), AlertMood.LAPSED, int(row["id"]))


def _reopen(desk: Desk, row: Row) -> None:
    alert = _alert(desk, row)
    if alert.mood is AlertMood.OPEN:
        raise UsageError(f"alert {alert.number} is open already")
    if alert.mood is AlertMood.UPHELD:
        raise UsageError(f"alert {alert.number} was upheld: undo that ruling (row {alert.closed_by}) instead")
    desk.close(alert, AlertMood.OPEN, None)


def _alert(desk: Desk, row: Row) -> AlertState:
    number = int(row["alert"])
    if not 1 <= number <= len(desk.alerts):
        raise UsageError(f"there is no alert {number}: the game has {len(desk.alerts)}")
    return desk.alerts[number - 1]


def _open_alert(desk: Desk, row: Row) -> AlertState:
    alert = _alert(desk, row)
    if alert.mood is not AlertMood.OPEN:
        by = f" (row {alert.closed_by})" if alert.closed_by else f" ({alert.why})" if alert.why else ""
        raise UsageError(f"alert {alert.number} is closed: {alert.mood.value}{by}")
    return alert


def _check_actions(desk: Desk, row: Row, alert: AlertState, actions: tuple[str, ...]) -> None:
    """Make sure that every action can be done, before the first one is."""
    needs_move = {"void", "was-pass"} & set(actions)
    if needs_move and (alert.target is None or not alert.target.stands):
        raise UsageError(f"alert {alert.number} is about no move that stands, so none can be made void")
    if {"warning", "advice", "loss", "pass", "clock"} & set(actions):
        _offender(row, alert)
    check_going_on(desk, alert, actions)
    if {"reasonable-point", "point"} & set(actions) and len(row.get("at", [])) != 1:
        raise UsageError("say on which point the stone is put: one point with --at")


def _act(desk: Desk, row: Row, alert: AlertState, action: str, with_pass: bool) -> None:
    here, target = int(row["id"]), alert.target
    if action == "void" and target is not None:
        _make_void(desk, target, alert.text_en)
    elif action == "pass":
        passed = Entry(here, _offender(row, alert), ruled=True, notes=["one turn forfeited 弃权一次"])
        desk.line.insert(passed, target)
        if alert.code == "over-time":
            go_on(desk, here, alert, passed.colour)
    elif action in {"warning", "advice"}:
        article = ruling_for(desk.code, alert).article
        desk.ledger.append(LedgerEntry(here, _offender(row, alert), action, alert.number, article))
    elif action == "put-back":
        _put_back(desk, here, alert)
    elif action == "take-off":
        desk.pending |= dict.fromkeys(alert.at, EMPTY)
    elif action == "restore":
        desk.pending |= _as_it_should_be(desk)
    elif action in {"reasonable-point", "point"}:
        _put_on(desk, here, alert, Point.parse(row["at"][0]))
    elif action == "keep":
        _keep(desk, here, alert)
    elif action == "was-pass" and target is not None:
        desk.line.insert_before(_pass(here, target.colour.opponent, "this was a pass"), target)
    elif action == "swap":
        _swap(desk, row)
    elif action == "clock":
        take_off(desk, here, alert, _offender(row, alert))
    elif action == "end":
        desk.phase = Phase.COUNTING
    elif action in FINAL_ACTIONS:
        winner = _offender(row, alert).opponent if action == "loss" else None
        _finish(desk, here, action, winner, {"over-time": "T"}.get(alert.code, "F"))


def _offender(row: Row, alert: AlertState) -> Colour:
    if row.get("color"):
        return Colour(row["color"])
    if alert.offender is None:
        raise UsageError(f"the record does not tell whose doing alert {alert.number} is: say it with --color B or W")
    return alert.offender


def _make_void(desk: Desk, target: Entry, why: str) -> None:
    before = desk.layout()
    desk.line.void(target, why)
    desk.pending |= changed(before, desk.layout())


def _put_back(desk: Desk, here: int, alert: AlertState) -> None:
    """Stones go back to their points. A stone taken back is played where it was first."""
    if alert.code != "takeback" or not alert.at:
        board = desk.layout()
        desk.pending |= {point: board[point] for point in alert.at}
        return
    first = alert.at[0]
    before = desk.layout()
    if alert.target is not None and alert.target.stands and len(alert.at) > 1:
        desk.line.void(alert.target, alert.text_en)
    colour = alert.offender or desk.next_colour()
    desk.line.insert(Entry(here, colour, first, ruled=True, notes=["put back 放回原处"]), alert.target)
    desk.pending |= changed(before, desk.layout())


def _as_it_should_be(desk: Desk) -> dict[Point, str]:
    board = desk.layout()
    if desk.seen is None or desk.seen.size != board.size:
        return {}
    return changed(desk.seen, board)


def _put_on(desk: Desk, here: int, alert: AlertState, to: Point) -> None:
    """A stone is put on another point than before: stones set up in a node of their own."""
    board = desk.layout()
    if stone(board, to) is not None:
        raise UsageError(f"a stone stands on {to} already")
    old = next((point for point in alert.at if stone(board, point)), None)
    colour = stone(board, old) if old else _named_colour(alert)
    if colour is None:
        raise UsageError(f"alert {alert.number} names no stone that could be put on {to}")
    cells = {old: EMPTY} if old else {}
    _set_up(desk, here, cells | {to: colour.cell}, f"{old or ''} to {to}".strip())


def _named_colour(alert: AlertState) -> Colour | None:
    named = alert.facts.get("colour", "")
    return Colour(named) if named in {"B", "W"} else None


def _keep(desk: Desk, here: int, alert: AlertState) -> None:
    """What lies there stands: where that is another board than the rules have, stones are set up."""
    board, cells = desk.layout(), dict[Point, str]()
    if alert.code == "moved-stone":
        for old, new in zip(alert.at[::2], alert.at[1::2], strict=False):
            cells |= {old: EMPTY, new: board[old]}
    elif alert.code in {"wrong-capture", "stone-vanished"}:
        cells = dict.fromkeys(alert.at, EMPTY)
    elif alert.code == "stone-appeared":
        colour = _named_colour(alert)
        cells = {point: colour.cell for point in alert.at if colour}
    cells = {point: cell for point, cell in cells.items() if board[point] != cell}
    if cells:
        _set_up(desk, here, cells, f"accepted: {alert.text_en}")


def _set_up(desk: Desk, here: int, cells: dict[Point, str], note: str) -> None:
    colour = desk.next_colour()
    desk.line.insert(Entry(here, colour, setup=cells, to_play=colour, ruled=True, notes=[note]), None)
    desk.pending |= cells


def _pass(here: int, colour: Colour, note: str = "") -> Entry:
    return Entry(here, colour, ruled=True, notes=[note] if note else [])


# The record


def _restore(desk: Desk, row: Row) -> None:
    before = desk.layout()
    desk.line.cut(int(row["number"]), row.get("note") or f"restored to move {row['number']}")
    desk.pending |= changed(before, desk.layout())
    desk.phase = Phase.PLAYING


def _void(desk: Desk, row: Row) -> None:
    entry = desk.line.numbered(int(row["number"]))
    _make_void(desk, entry, row.get("note") or "void 着手无效")
    if row["do"] == "void-pass":
        desk.line.insert(_pass(int(row["id"]), entry.colour, "one turn forfeited 弃权一次"), entry)


def _was_pass(desk: Desk, row: Row) -> None:
    entry = desk.line.numbered(int(row["number"]))
    moves = desk.line.moves()
    place = moves.index(entry)
    if place == 0 or moves[place - 1].colour is not entry.colour:
        raise UsageError(f"before move {row['number']} the other colour has moved, so nobody passed")
    desk.line.insert_before(_pass(int(row["id"]), entry.colour.opponent, "this was a pass"), entry)


def _point(desk: Desk, row: Row) -> None:
    point, cell = Point.parse(row["at"][0]), row["cell"]
    board = desk.layout()
    if not (0 <= point.col < board.size and 0 <= point.row < board.size):
        raise UsageError(f"the point {point} is not on this board of {board.size} lines")
    if board[point] == cell:
        raise UsageError(f"on {point} is already what it should be corrected to")
    _set_up(desk, int(row["id"]), {point: cell}, f"corrected by the arbiter: {point}")


def _passes(desk: Desk, row: Row) -> None:
    colour = _turn(desk, row)
    last = desk.line.last()
    desk.line.insert(_pass(int(row["id"]), colour), None)
    if last is not None and last.is_move and last.point is None and last.colour is not colour:
        desk.phase = Phase.COUNTING  # two passes in a row


def _turn(desk: Desk, row: Row) -> Colour:
    colour = Colour(row["color"])
    if colour is not desk.next_colour():
        raise UsageError(f"it is not {_EN[colour]}'s turn")
    return colour


def _swap(desk: Desk, row: Row) -> None:
    number = len(desk.line.moves())
    if desk.code.ruling("colours-swapped").claim == "move-10" and number > 10:
        raise UsageError(f"colours are corrected up to move 10 only, and {number} have been played")
    for black, white in (("black", "white"), ("black_rank", "white_rank")):
        desk.info[black], desk.info[white] = desk.info.get(white, ""), desk.info.get(black, "")


# Warnings


def _warn(desk: Desk, row: Row) -> None:
    article = str(row.get("article", "")) or desk.code.articles.get("warnings.fine", "")
    desk.ledger.append(LedgerEntry(int(row["id"]), Colour(row["color"]), "warning", None, article))


def _unwarn(desk: Desk, row: Row) -> None:
    colour = Colour(row["color"])
    for place in reversed(range(len(desk.ledger))):
        each = desk.ledger[place]
        if each.colour is colour and each.kind == "warning" and each.taken_back is None:
            desk.ledger[place] = replace(each, taken_back=int(row["id"]))
            return
    raise UsageError(f"{_EN[colour]} has no warning that could be taken back")


# The end


def _resign(desk: Desk, row: Row) -> None:
    _finish(desk, int(row["id"]), "loss", Colour(row["color"]).opponent, "R")


def _finish(desk: Desk, here: int, how: str, winner: Colour | None, letter: str = "F") -> None:
    if winner is not None:
        en = {"R": "by resignation", "T": "on time", "F": "by ruling"}[letter]
        zh = {"R": "中盘胜", "T": "胜（对方超时）", "F": "胜（裁定）"}[letter]
        desk.ending = Ending(f"{winner.value}+{letter}", f"{_EN[winner]} wins {en}", f"{_ZH[winner]}{zh}", here, winner)
    else:
        sgf, en, zh = ENDINGS[how]
        desk.ending = Ending(sgf, en, zh, here)
    desk.phase = Phase.OVER


def _final(desk: Desk, row: Row) -> None:
    _finish(desk, int(row["id"]), row["do"], None)
    _close_all(desk, row)


def _loss(desk: Desk, row: Row) -> None:
    _finish(desk, int(row["id"]), "loss", Colour(row["color"]).opponent, "F")


def _close_all(desk: Desk, row: Row) -> None:
    if "alert" in row:
        alert = _alert(desk, row)
        if alert.mood is AlertMood.OPEN:
            desk.close(alert, AlertMood.UPHELD, int(row["id"]), row["do"])


def _pause(desk: Desk, row: Row) -> None:
    _only_in(desk, Phase.PLAYING, "paused")
    desk.phase = Phase.PAUSED


def _resume(desk: Desk, row: Row) -> None:
    if desk.phase not in {Phase.PAUSED, Phase.COUNTING, Phase.END_PROPOSED}:
        raise UsageError("the game is going on: there is nothing to resume")
    desk.phase, desk.dead = Phase.PLAYING, None
    first = Colour(row["color"]) if row.get("color") else None
    if first is not None and first is not desk.next_colour():
        # After a dispute on life and death the one who says "dead" plays first: the other's turn is a pass.
        desk.line.insert(_pass(int(row["id"]), first.opponent, f"{_EN[first]} says dead and plays first"), None)


def _seal(desk: Desk, row: Row) -> None:
    _only_in(desk, Phase.PAUSED, "sealed")
    point = Point.parse(row["at"][0])
    if not (0 <= point.col < desk.line.size and 0 <= point.row < desk.line.size):
        raise UsageError(f"the point {point} is not on this board of {desk.line.size} lines")
    desk.sealed = point


def _propose(desk: Desk, row: Row) -> None:
    _only_in(desk, Phase.PLAYING, "ended")
    desk.line.insert(_pass(int(row["id"]), _turn(desk, row), "proposes the end"), None)
    desk.phase = Phase.END_PROPOSED


def _refuse(desk: Desk, row: Row) -> None:
    _only_in(desk, Phase.END_PROPOSED, "refused an end that nobody proposed")
    desk.phase = Phase.PLAYING


def _agree(desk: Desk, row: Row) -> None:
    if desk.phase is not Phase.END_PROPOSED and desk.phase is not Phase.PLAYING:
        raise UsageError(f"the game is {desk.phase.value}: its end cannot be agreed on now")
    desk.phase = Phase.COUNTING


def _only_in(desk: Desk, phase: Phase, done: str) -> None:
    if desk.phase is not phase:
        raise UsageError(f"the game is {desk.phase.value}, so it cannot be {done}")


def _dead(desk: Desk, row: Row) -> None:
    if desk.phase is not Phase.COUNTING:
        raise UsageError("dead chains are named when both have agreed on the end")
    desk.dead = whole_chains(desk.layout(), [Point.parse(text) for text in row.get("at", [])])


def _confirm(desk: Desk, row: Row) -> None:
    found = desk.counted()
    if found is None:
        raise UsageError("there is no count to confirm: name the dead chains first (or none)")
    lost = _lost_by_warnings(desk)
    if lost is not None:
        raise UsageError(f"{_EN[lost]} has {desk.code.warnings.loss_at} warnings, and that loses the game: rule it")
    desk.ending = Ending(found.sgf, found.text_en, found.text_zh, int(row["id"]), found.winner)
    desk.phase = Phase.OVER


def _lost_by_warnings(desk: Desk) -> Colour | None:
    limit = desk.code.warnings.loss_at
    return next((c for c in Colour if limit and count_warnings(desk.ledger, c) >= limit), None)


def _note(desk: Desk, row: Row) -> None:
    last = desk.line.last()
    if last is not None and row.get("note"):
        last.notes.append(str(row["note"]))


def _undo(desk: Desk, row: Row) -> None:
    """Undoing has been seen to before the fold began."""


VERBS: Mapping[str, Callable[[Desk, Row], None]] = {
    "uphold": _uphold,
    "reject": _reject,
    "lapse": _lapse,
    "reopen": _reopen,
    "restore": _restore,
    "void": _void,
    "void-pass": _void,
    "was-pass": _was_pass,
    "point": _point,
    "pass": _passes,
    "swap": _swap,
    "warn": _warn,
    "unwarn": _unwarn,
    "resign": _resign,
    "loss": _loss,
    "draw": _final,
    "no-result": _final,
    "extra-game": _final,
    "replay": _final,
    "both-lose": _final,
    "pause": _pause,
    "resume": _resume,
    "seal": _seal,
    "propose-end": _propose,
    "refuse-end": _refuse,
    "agree-end": _agree,
    "dead": _dead,
    "confirm": _confirm,
    "note": _note,
    "set-move": corrections.set_move,
    "insert": corrections.insert,
    "delete": corrections.delete,
    "undo": _undo,
}
_AFTER_THE_END = frozenset({"undo", "note", "reject", "lapse", "set-move", "insert", "delete"})


def warned_out(desk_alerts: tuple[AlertState, ...], warnings: Mapping[Colour, int], limit: int) -> list[Colour]:
    """The players who have as many warnings as lose the game, and of whom no alert says so yet."""
    told = {alert.offender for alert in desk_alerts if alert.code == "second-warning"}
    return [colour for colour, count in warnings.items() if limit and count >= limit and colour not in told]
