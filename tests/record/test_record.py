"""The record: SGF whole after every move, GAME.jsonl line by line, and no file of somebody else's replaced."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sgfmill import sgf, sgf_moves

from kifuwatch.arbiter import AlertTable
from kifuwatch.core.errors import OutputError
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.reconstruct import BoardFound, Event, Incident, Move, PositionSeen, Retract, Setup
from kifuwatch.record import EventsLog, GameInfo, GameRecord, SgfFile, event_line, to_sgf, write_whole
from kifuwatch.rules import ruleset

B, W = Colour.BLACK, Colour.WHITE
CN = ruleset("cn2002")


def point(name: str) -> Point:
    return Point.parse(name)


def move(number: int, colour: Colour, at: str, **extra: object) -> Move:
    return Move(1.25 * number, 1.25 * number + 0.5, number, colour, None if at == "pass" else point(at), **extra)  # type: ignore[arg-type]


def record(*events: Event, size: int = 9) -> GameRecord:
    made = GameRecord(size)
    for event in events:
        made.add(event)
    return made


def read(content: bytes) -> tuple[sgf.Sgf_game, list[tuple[str, str]]]:
    """The game, and its moves as ``b E5``: sgfmill must be able to play them."""
    game = sgf.Sgf_game.from_bytes(content)
    _, plays = sgf_moves.get_setup_and_moves(game)
    return game, [(c, "pass" if m is None else str(Point(m[1], m[0]))) for c, m in plays]


def test_moves_passes_and_their_times() -> None:
    game, plays = read(
        to_sgf(record(move(1, B, "E5"), move(2, W, "pass"), move(3, B, "C3", inferred=True)), CN, GameInfo())
    )
    assert plays == [("b", "E5"), ("w", "pass"), ("b", "C3")]
    comments = [node.get("C") for node in game.get_main_sequence()[1:]]
    assert comments == ["0:01.2", "0:02.5", "0:03.8; inferred order"]


def test_the_root_says_what_is_known() -> None:
    info = GameInfo("柯洁", "Lee\nSedol", "City Cup [final]", "2026-11-30", handicap=2)
    setup = Setup(0.2, 0.4, (point("C3"), point("G7")), (), None)
    root = read(to_sgf(record(setup, move(1, W, "E5")), CN, info))[0].get_root()
    assert [root.get(p) for p in ("FF", "GM", "CA", "SZ", "RU", "KM", "HA")] == [4, 1, "UTF-8", 9, "Chinese", 7.5, 2]
    assert root.get("AP")[0] == "kifuwatch"
    assert [root.get(p) for p in ("PB", "PW", "EV", "DT")] == ["柯洁", "Lee Sedol", "City Cup [final]", "2026-11-30"]
    assert root.get("AB") == {(2, 2), (6, 6)}
    assert root.get("PL") == "w"


def test_an_empty_board_with_black_first_needs_no_pl() -> None:
    root = read(to_sgf(record(move(1, B, "E5")), CN, GameInfo(komi=0)))[0].get_root()
    assert not root.has_property("PL")
    assert not root.has_property("HA")
    assert root.get("KM") == 0


def test_an_illegal_move_that_stands_is_marked() -> None:
    game, _ = read(to_sgf(record(move(1, B, "E5", faults=("ko",))), CN, GameInfo()))
    node = game.get_main_sequence()[1]
    assert node.has_property("KO")
    assert "stands although: ko" in node.get("C")


def test_an_alert_stands_at_its_move() -> None:
    alert = AlertTable.load().alert(Incident(2.0, 2.5, "moved-stone", (point("D4"), point("E4")), 1), CN)
    made = record(move(1, B, "E5"), move(2, W, "C3"))
    made.add(alert)
    game, _ = read(to_sgf(made, CN, GameInfo()))
    comments = [node.get("C") for node in game.get_main_sequence()[1:]]
    assert "moved stone" in comments[0]
    assert "移子" in comments[0]
    assert "moved" not in comments[1]


def test_a_retract_rewrites_the_record() -> None:
    made = record(move(1, B, "E5"), move(2, W, "C3"), Retract(4.0, 4.0, 2, "taken back"), move(2, W, "G7"))
    assert read(to_sgf(made, CN, GameInfo()))[1] == [("b", "E5"), ("w", "G7")]


def test_a_move_out_of_sequence_is_refused() -> None:
    with pytest.raises(ValueError, match="move 3 cannot follow move 1"):
        record(move(1, B, "E5"), move(3, B, "C3"))


@given(st.lists(st.one_of(st.tuples(st.integers(0, 8), st.integers(0, 8)), st.integers(1, 30)), max_size=40))
def test_the_file_always_holds_the_moves_that_stand(steps: list[tuple[int, int] | int]) -> None:
    made = GameRecord(9)
    standing: list[tuple[str, str]] = []
    for step in steps:
        if isinstance(step, int):
            if 1 <= step <= len(standing):
                made.add(Retract(0.0, 0.0, step, ""))
                del standing[step - 1 :]
        else:
            colour = W if len(standing) % 2 else B
            at = Point(*step)
            made.add(Move(1.0, 1.0, len(standing) + 1, colour, at))
            standing.append((colour.value.lower(), str(at)))
    assert [(c, p) for c, p in read_raw(to_sgf(made, CN, GameInfo()))] == standing


def read_raw(content: bytes) -> list[tuple[str, str]]:
    nodes = sgf.Sgf_game.from_bytes(content).get_main_sequence()[1:]
    return [(c, str(Point(m[1], m[0]))) for c, m in (node.get_move() for node in nodes)]


def test_the_file_is_whole_after_every_move(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    file = SgfFile(path, 9, CN, GameInfo(black="A"))
    for k, at in enumerate(["E5", "C3", "G7"]):
        file.add(move(k + 1, [B, W][k % 2], at))
        assert len(read(path.read_bytes())[1]) == k + 1
    assert [p.name for p in tmp_path.iterdir()] == ["game.sgf"]


def test_a_write_that_fails_leaves_the_old_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "game.sgf"
    write_whole(path, b"(;old)")

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OutputError, match="no space left"):
        write_whole(path, b"(;new)")
    assert path.read_bytes() == b"(;old)"
    assert [p.name for p in tmp_path.iterdir()] == ["game.sgf"]


@pytest.mark.parametrize("kind", ["sgf", "events"])
def test_a_file_that_exists_is_never_replaced_unasked(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "game"
    path.write_text("somebody's game")

    def start(force: bool) -> object:
        return SgfFile(path, 9, CN, force=force) if kind == "sgf" else EventsLog(path, force)

    with pytest.raises(OutputError, match="exists already"):
        start(False)
    assert path.read_text() == "somebody's game"
    log = start(True)
    if isinstance(log, EventsLog):
        log.close()


@pytest.mark.parametrize("name", ["missing/game.sgf", "."])
def test_a_place_that_cannot_be_written_is_refused_before_the_game(tmp_path: Path, name: str) -> None:
    with pytest.raises(OutputError, match="cannot write"):
        SgfFile(tmp_path / name, 9, CN)
    with pytest.raises(OutputError, match="cannot write"):
        EventsLog(tmp_path / name)


def test_every_line_of_the_log_is_in_its_format(tmp_path: Path) -> None:
    layout = Layout.empty(9).replaced({point("E5"): "X"})
    alert = AlertTable.load().alert(
        Incident(3.1, 3.9, "moved-stone", (point("D4"), point("E4")), 1, facts={"stone_of_move": "7"}), CN
    )
    events: list[Event] = [
        BoardFound(0.0, 9, ((1.0, 2.0), (3.0, 2.0), (3.0, 4.0), (1.0, 4.0))),
        Setup(0.4, 0.5, (point("D4"),), (point("C3"),)),
        Move(1.3, 2.1, 1, B, point("E5"), (point("C3"),), False),
        Retract(6.9, 6.9, 1, "taken back"),
        Move(7.0, 7.5, 1, B, None),
        PositionSeen(33.0, layout, Layout.empty(9)),
    ]
    path = tmp_path / "game.jsonl"
    with EventsLog(path) as log:
        for event in events[:3]:
            log.write(event)
        log.write(alert)
        log.write(Incident(3.1, 3.9, "moved-stone", (), 1))
        assert len(path.read_text().splitlines()) == 4, "each line is there as soon as it is known"
        for event in events[3:]:
            log.write(event)
    check_lines([json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()], layout)


def check_lines(lines: list[dict[str, Any]], layout: Layout) -> None:
    assert [line["type"] for line in lines] == ["board-found", "setup", "move", "alert", "retract", "move", "position"]
    assert lines[0]["corners"] == [[1.0, 2.0], [3.0, 2.0], [3.0, 4.0], [1.0, 4.0]]
    assert (lines[1]["B"], lines[1]["W"]) == (["D4"], ["C3"])
    assert lines[2] == {
        "type": "move",
        "t": 1.3,
        "seen": 2.1,
        "number": 1,
        "color": "B",
        "at": "E5",
        "captures": ["C3"],
        "inferred": False,
    }
    assert {k: lines[3][k] for k in ("code", "level", "at", "move", "t", "seen")} == {
        "code": "moved-stone",
        "level": "warning",
        "at": ["D4", "E4"],
        "move": 1,
        "t": 3.1,
        "seen": 3.9,
    }
    assert lines[3]["articles"]["cn2002"] == "17.5"
    assert lines[3]["evidence"] == ["stone of move: 7"]
    assert lines[4] == {"type": "retract", "t": 6.9, "seen": 6.9, "number": 1, "reason": "taken back"}
    assert lines[5]["at"] == "pass"
    assert lines[6]["board"] == layout.rows
    assert lines[6]["rules_board"] == Layout.empty(9).rows


def test_the_rules_board_is_told_only_where_it_differs() -> None:
    assert "rules_board" not in event_line(PositionSeen(1.0, Layout.empty(9), Layout.empty(9)))
