"""The desk's record as SGF (FF[4]): rulings stand in it the way players read them.

A void move is a side line, the pass that replaces it is on the main line; an illegal move that stands is marked
``KO[]``; stones that the arbiter has put down or taken off are a node of their own; warnings stand in the comments
and in ``GC`` of the root.
"""

from __future__ import annotations

from importlib.metadata import version

from sgfmill import sgf

from kifuwatch.arbiter.clock.clock import Press
from kifuwatch.arbiter.clock.time_control import SECOND, Kind, TimeControl
from kifuwatch.arbiter.desk_state import DeskState, Entry, LedgerEntry
from kifuwatch.core.points import Colour, Point
from kifuwatch.record.sgf import write_control

_EN = {Colour.BLACK: "Black", Colour.WHITE: "White"}
_ZH = {Colour.BLACK: "黑方", Colour.WHITE: "白方"}


def desk_to_sgf(state: DeskState) -> bytes:
    """The record as SGF in UTF-8: the line that stands first, what does not stand as side lines."""
    game = sgf.Sgf_game(state.size, encoding="UTF-8")
    root = game.get_root()
    _root(root, state)
    main, branch, place = root, None, -1  # the last node that stands, the one behind it that does not
    before: Entry | None = None
    for entry in state.entries:
        if entry.stands:
            place += 1
            main = main.new_child(0)
            branch = None
            _fill(main, entry, state.faults.get(place, ()))
            if entry.row in state.presses and state.control is not None:
                _time_left(main, state.presses[entry.row], state.control)
        else:
            again = before is not None and before.colour is entry.colour  # tried instead of it, not played behind it
            branch = (main if branch is None or again else branch).new_child()
            _fill(branch, entry, ("void",))
        before = entry
    content: bytes = game.serialise()
    return content


def _root(root: sgf.Tree_node, state: DeskState) -> None:
    root.set("AP", ("kifuwatch", version("kifuwatch")))
    root.set("RU", state.code.rules.sgf_name)
    root.set("KM", float(state.komi))
    if state.handicap >= 2:
        root.set("HA", state.handicap)
    names, ranks = state.players, state.ranks
    players = (("PB", names[0]), ("PW", names[1]), ("BR", ranks[0]), ("WR", ranks[1]))
    texts = (*players, ("EV", state.event), ("RO", state.round), ("DT", state.date))
    for name, text in texts:
        if text:
            root.set(name, " ".join(text.split()))
    if state.control is not None:
        write_control(root, state.control)
    if state.ending is not None:
        root.set("RE", state.ending.sgf)
    for name, cell in (("AB", "X"), ("AW", "O")):
        points = {_pair(point) for point, there in state.start.items() if there == cell}
        if points:
            root.set(name, points)
    moves = [entry for entry in state.entries if entry.stands and entry.is_move]
    first = moves[0].colour if moves else state.to_play
    if state.start or first is Colour.WHITE:
        root.set("PL", first.value.lower())
    lines = [*map(ledger_line, state.ledger), *([] if state.ending is None else [_ending_line(state)])]
    if lines:
        root.set("GC", "\n".join(lines))


def _time_left(node: sgf.Tree_node, press: Press, control: TimeControl) -> None:
    """What a clock left its player after a move: only a real clock tells, a camera does not."""
    left, name = press.left, press.colour.value
    node.set(f"{name}L", (left.period if left.in_overtime else left.main) / SECOND)
    if left.in_overtime:
        node.set(f"O{name}", left.moves if control.kind is Kind.CANADIAN else left.periods)


def ledger_line(entry: LedgerEntry) -> str:
    """A warning as it stands in the record."""
    article = f" (Art. {entry.article})" if entry.article else ""
    kind, zh = {"warning": ("warning", "警告一次"), "advice": ("advice", "劝告")}[entry.kind]
    back = "" if entry.taken_back is None else ", taken back 已撤销"
    return f"{_EN[entry.colour]}: {kind}{article}{back} {_ZH[entry.colour]}{zh}"


def _ending_line(state: DeskState) -> str:
    assert state.ending is not None
    return f"{state.ending.en} {state.ending.zh}"


def _fill(node: sgf.Tree_node, entry: Entry, faults: tuple[str, ...]) -> None:
    if entry.setup is not None:
        for name, cell in (("AB", "X"), ("AW", "O"), ("AE", ".")):
            points = {_pair(point) for point, there in entry.setup.items() if there == cell}
            if points:
                node.set(name, points)
        if entry.to_play is not None:
            node.set("PL", entry.to_play.value.lower())
    else:
        node.set_move(entry.colour.value.lower(), None if entry.point is None else _pair(entry.point))
        if faults:
            node.set_raw("KO", b"")
    words = [*entry.notes]
    if entry.t is not None and entry.is_move:
        minutes, seconds = divmod(entry.t, 60)
        words.insert(0, f"{int(minutes)}:{seconds:04.1f}" + ("; inferred order" if entry.inferred else ""))
    if not entry.stands:
        words.append(f"void: {entry.why}")
    elif faults:
        words.append("stands although: " + ", ".join(fault.replace("_", " ") for fault in faults))
    _comment(node, "\n".join(words))


def _comment(node: sgf.Tree_node, text: str) -> None:
    if text:
        node.set("C", text)


def _pair(point: Point) -> tuple[int, int]:
    """A point as sgfmill counts it: (row from below, column)."""
    return point.row, point.col
