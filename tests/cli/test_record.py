"""What ``kifuwatch record`` tells a player and an arbiter, of a recording that is made up."""

from __future__ import annotations

import signal
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from kifuwatch import api
from kifuwatch.arbiter import AlertTable
from kifuwatch.cli.record import Stop, clock
from kifuwatch.core.ending import ending_signals
from kifuwatch.core.errors import OutputError
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.reconstruct import BoardFound, Incident, Move, PositionSeen
from kifuwatch.recorder import Happening, Progress, Recording
from tests.cli.conftest import Run

EMPTY = Layout.empty(9)
LYING = Layout.empty(9).replaced({Point.parse("E5"): "X", Point.parse("G7"): "O"})
BY_RULES = LYING.replaced({Point.parse("E5"): "."})
MOVED = Incident(75.0, 76.0, "moved-stone", (Point.parse("D4"), Point.parse("E4")), 2)


def move(number: int, at: str | None, inferred: bool = False) -> Move:
    colour = Colour.BLACK if number % 2 else Colour.WHITE
    return Move(float(number), number + 0.5, number, colour, Point.parse(at) if at else None, inferred=inferred)


def recording(*events: Happening, lying: Layout = LYING, rules_board: Layout = LYING, **state: Any) -> Recording:
    all_events = [BoardFound(0.0, 9), *events, PositionSeen(90.0, lying, rules_board)]
    return replace(Recording.of(all_events, 90.0), **state)


GAME = [move(1, "E5"), move(2, "G7"), move(3, None, inferred=True)]


@pytest.fixture
def told(call: Run, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Record with an outcome that is made up; the options that the recorder was given are kept."""

    class Told:
        options: dict[str, Any]

        def __call__(self, outcome: Recording | Exception, *arguments: str) -> Any:
            def record(source: str, **options: Any) -> Recording:
                self.options = {"source": source, **options}
                options["progress"](Progress(1, 10, 0.0, 0, 0, False))
                if isinstance(outcome, Exception):
                    raise outcome
                return outcome

            monkeypatch.setattr(api, "record", record)
            return call("record", "game.mp4", *arguments)

    return Told()


def test_the_last_position_and_the_moves(told: Any) -> None:
    ended = told(recording(*GAME))
    assert ended.status == 0
    assert "Last position, 2 stones, 1:30 after the start:" in ended.out
    assert "  5 . . . . X . . . . 5" in ended.out
    assert "Moves (3):" in ended.out
    assert "1.B E5     2.W G7     3.B pass?" in ended.out
    assert "? marks a move whose order among its neighbours was inferred." in ended.out
    assert "Nothing for the arbiter." in ended.out
    assert ended.err == ""


def test_the_last_move_stands_in_brackets(told: Any) -> None:
    assert "  7 . . + . . .(O). . 7" in told(recording(*GAME[:2])).out


def test_what_the_arbiter_should_know(told: Any) -> None:
    ended = told(recording(*GAME[:2], AlertTable.load().alert(MOVED)))
    assert "For the arbiter (1):" in ended.out
    assert "1:15  Move 2: D4 → E4: moved stone" in ended.out
    assert "[warning]" in ended.out


def test_the_board_that_the_rules_see_is_shown_where_it_differs(told: Any) -> None:
    assert "By the rules" in told(recording(rules_board=BY_RULES)).out
    assert "By the rules" not in told(recording()).out


def test_in_chinese(told: Any) -> None:
    ended = told(recording(*GAME, AlertTable.load().alert(MOVED)), "--lang", "zh")
    assert "最后局面，2 子" in ended.out
    assert "着法（共 3 手）" in ended.out
    assert "3.B 虚着?" in ended.out
    assert "移子" in ended.out
    assert "〔警示〕" in ended.out


def test_where_everything_lies(told: Any) -> None:
    ended = told(recording(), "--sgf", "a.sgf", "--events", "a.jsonl", "--pictures", "p")
    assert "Game record: a.sgf" in ended.out
    assert "Events: a.jsonl" in ended.out
    assert "Pictures: p" in ended.out
    assert "Journal" not in ended.out
    assert told.options["force"] is False


def test_a_journal_and_a_time_control(told: Any) -> None:
    ended = told(recording(), "--journal", "a.db", "--time", "2小时保留5分钟")
    assert "Journal: a.db" in ended.out
    assert (str(told.options["journal"]), told.options["info"].time) == ("a.db", "2小时保留5分钟")
    ended = told(recording(), "--time", "soon")
    assert (ended.status, "'soon' is no time control" in ended.sentence) == (2, True)


def test_quiet_says_nothing(told: Any) -> None:
    ended = told(recording(*GAME), "--quiet")
    assert (ended.status, ended.out, ended.err) == (0, "", "")


def test_players_and_rules_are_handed_on(told: Any) -> None:
    told(
        recording(), "--black", "Li Hua", "--komi", "6.5", "--handicap", "2", "--rules", "jp", "--size", "9", "--force"
    )
    info = told.options["info"]
    assert (info.black, info.white, info.komi, info.handicap, info.date) == ("Li Hua", "", 6.5, 2, "")
    assert (told.options["rules"], told.options["size"], told.options["force"]) == ("jp", 9, True)


def test_photographs_without_a_board_are_named(told: Any) -> None:
    ended = told(recording(*GAME, without_board=("9.png",), frames=6))
    assert "No board on 1 of 6 photographs, left out: 9.png" in ended.out
    assert "No board" not in told(recording(*GAME, frames=6)).out


def test_what_could_not_be_read_is_said(told: Any) -> None:
    ended = told(recording(*GAME, warning="p/2.jpg is cut off: its end is missing: left out"))
    assert (ended.status, ended.sentence) == (0, "kifuwatch: p/2.jpg is cut off: its end is missing: left out")


def test_what_is_merely_unknown_is_no_difference_to_the_rules(told: Any) -> None:
    corner = {Point.parse("A1"): "?"}
    assert "By the rules" not in told(recording(lying=LYING.replaced(corner))).out


def test_a_board_that_was_covered_all_the_time_is_said(told: Any) -> None:
    ended = told(recording(lying=Layout(9, "?" * 81), rules_board=EMPTY))
    assert ended.status == 0
    assert "The board was covered as long as it was filmed: nothing is known of it." in ended.out
    assert "By the rules" not in ended.out
    assert "Last position" not in ended.out


def test_a_live_game_is_played_today(call: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}

    def record(source: str, **options: Any) -> Recording:
        given.update(options)
        return recording()

    monkeypatch.setattr(api, "record", record)
    call("record", "rtsp://camera/live")
    assert given["info"].date == date.today().isoformat()


def test_an_interrupted_recording_is_told_and_has_its_status(told: Any) -> None:
    ended = told(recording(*GAME, interrupted=True))
    assert ended.status == 130
    assert "the record is whole up to here" in ended.out
    assert ended.sentence == "kifuwatch: interrupted"


def test_a_source_that_broke_off_is_told_and_has_its_status(told: Any) -> None:
    ended = told(recording(*GAME, lost="camera 0: the cable is out"))
    assert ended.status == 5
    assert "Moves (3):" in ended.out
    assert ended.sentence == "kifuwatch: camera 0: the cable is out"


def test_a_fault_is_one_sentence(told: Any) -> None:
    ended = told(OutputError("a.sgf exists already"))
    assert (ended.status, ended.out) == (6, "")
    assert ended.sentence == "kifuwatch: a.sgf exists already"


class TestStopping:
    def test_ctrl_c_asks_first_and_insists_then(self) -> None:
        stop = Stop()
        assert not stop.asked()
        stop.ask(signal.SIGINT, None)
        assert stop.asked()
        with pytest.raises(KeyboardInterrupt):
            stop.ask(signal.SIGINT, None)

    @pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system tells of no terminal that is closed")
    def test_a_closed_terminal_is_told_by_shell_and_system_and_still_ends_in_order(self) -> None:
        stop = Stop()
        for _ in range(3):
            stop.ask(signal.SIGHUP, None)
        assert stop.asked()

    @pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system tells of no terminal that is closed")
    def test_nohup_keeps_a_recording_going(self) -> None:
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        try:
            assert ending_signals() == (signal.SIGINT, signal.SIGTERM)
            signal.signal(signal.SIGHUP, signal.SIG_DFL)
            assert signal.SIGHUP in ending_signals()
        finally:
            signal.signal(signal.SIGHUP, before)

    def test_handlers_are_put_back(self, told: Any) -> None:
        before = signal.getsignal(signal.SIGINT)
        told(recording())
        assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(("seconds", "said"), [(0, "0:00"), (75.9, "1:15"), (3723, "1:02:03")])
def test_clocks(seconds: float, said: str) -> None:
    assert clock(seconds) == said
