"""The figures of ``evaluate`` on made-up readings and records whose faults are known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kifuwatch.core.errors import FileFormatError, NoBoardError
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.datasets.evaluate_games import (
    GameFigures,
    first_fault,
    judge_clip,
    judge_sequence,
    placing_times,
    same_board,
    turn_of,
    without_record,
)
from kifuwatch.datasets.evaluate_photos import (
    Image,
    PhotoFigures,
    PhotoReading,
    PhotoResult,
    evaluate_photos,
    judge_photo,
)
from kifuwatch.datasets.figures import CpuCost, by_group, cost_ratio, percentile, share
from kifuwatch.datasets.labelled import (
    Change,
    ExpectedAlert,
    LabelledFrame,
    LabelledPhoto,
    LabelledSequence,
    Move,
    Scenario,
    ScenarioEvent,
)
from kifuwatch.datasets.matching import match_moves, turned_point
from kifuwatch.datasets.report import read_report

SQUARE = ((100.0, 100.0), (900.0, 100.0), (900.0, 900.0), (100.0, 900.0))
ROWS = ["X........", *["........."] * 7, "......?.O"]
FREE = CpuCost(1.0, 0.25)
P = Point.parse


def photo(name: str = "1", source: str = "club") -> LabelledPhoto:
    return LabelledPhoto(name, Path(f"{name}.jpg"), source, Layout.from_rows(ROWS), SQUARE, "high", ())


def reading(
    changes: dict[str, str], uncertain: str = "", corners: tuple[tuple[float, float], ...] = SQUARE
) -> PhotoReading:
    """The true board with some points read otherwise."""
    true = Layout.from_rows(ROWS).replaced({P("G1"): "X"})
    layout = true.replaced({P(at): cell for at, cell in changes.items()})
    return PhotoReading(9, layout, corners, frozenset(map(P, uncertain.split())))


class TestPhotos:
    def test_a_right_reading(self) -> None:
        result = judge_photo(photo(), reading({}), FREE)
        assert (result.found, result.read, result.errors, result.confidently_wrong) == (True, True, 0, False)
        assert result.points == 80

    def test_a_turned_reading_is_right_too(self) -> None:
        right = reading({})
        turned = replace(right, layout=right.layout.turned(1), corners=[SQUARE[(i - 1) % 4] for i in range(4)])
        assert judge_photo(photo(), turned, FREE).read

    def test_errors_are_counted_and_named(self) -> None:
        result = judge_photo(photo(), reading({"A9": "O", "E5": "X"}), FREE)
        assert (result.found, result.read, result.errors, result.confidently_wrong) == (True, False, 2, True)
        assert "A9:X>O" in result.why

    def test_an_error_at_an_uncertain_point_is_an_error_but_not_a_confident_one(self) -> None:
        result = judge_photo(photo(), reading({"A9": "O", "E5": "?"}, uncertain="A9"), FREE)
        assert (result.errors, result.confidently_wrong) == (2, False)

    def test_no_board(self) -> None:
        result = judge_photo(photo(), NoBoardError("there is none"), FREE)
        assert (result.found, result.read, result.errors, result.confidently_wrong) == (False, False, None, False)
        assert result.why == "there is none"

    def test_a_board_of_the_wrong_size_is_worse_than_none(self) -> None:
        small = PhotoReading(7, Layout.empty(7), SQUARE)
        result = judge_photo(photo(), small, FREE)
        assert (result.found, result.wrong_size, result.confidently_wrong) == (False, True, True)

    def test_a_board_in_the_wrong_place_is_worse_than_none(self) -> None:
        beside = tuple((x + 100, y) for x, y in SQUARE)
        result = judge_photo(photo(), reading({}, corners=beside), FREE)
        assert (result.found, result.wrong_size, result.confidently_wrong) == (False, False, True)

    def test_figures_add_up_by_source(self) -> None:
        results = [
            judge_photo(photo("1", "club"), reading({}), FREE),
            judge_photo(photo("2", "club"), reading({"A9": "O"}), FREE),
            judge_photo(photo("3", "home"), NoBoardError("no"), CpuCost(3.0, 0.5)),
        ]
        groups, total = by_group(results, lambda each: each.source, PhotoFigures.of)
        assert set(groups) == {"club", "home"}
        club, home = groups["club"].to_json(), groups["home"].to_json()
        assert (club["found_share"], club["read_share"], club["errors_a_point"]) == (1.0, 0.5, 0.00625)
        assert (home["found"], home["read"], home["errors_a_point"]) == (0, 0, None)
        assert (total.boards, total.found, total.read, total.errors, total.points) == (3, 2, 1, 1, 160)
        assert total.to_json()["cpu_seconds_longest"] == 3.0

    def test_evaluation_runs_the_reader_on_each_photograph(self) -> None:
        seen: list[str] = []

        def load(each: LabelledPhoto) -> Image:
            seen.append(each.id)
            return np.zeros((4, 4, 3), np.uint8)

        def read(image: Image, photo: LabelledPhoto) -> PhotoReading:
            if photo.id == "2":
                raise NoBoardError("none here")
            return reading({})

        results = list(evaluate_photos([photo("1"), photo("2")], load, read))
        assert seen == ["1", "2"]
        assert [result.read for result in results] == [True, False]
        assert all(isinstance(result, PhotoResult) for result in results)


def scenario() -> Scenario:
    """Three moves on nine lines, a slid stone, one alert expected."""
    place = [(1.0, "B", "C3"), (3.0, "W", "G7"), (5.0, "B", "C7")]
    events = [ScenarioEvent(t, "place", {"color": c, "at": at}) for t, c, at in place]
    moves = tuple(Move(Colour(c), P(at)) for _, c, at in place)
    final = Layout.empty(9).replaced({P("C3"): "X", P("G7"): "O", P("C7"): "X"})
    alert = ExpectedAlert("off-point", 3.0, frozenset({P("G7")}))
    return Scenario("inc-1", 9, "cn2002", 20.0, tuple(events), {}, moves, final, (alert,), Path("x.mp4"))


def record(turn: int = 0, drop: Callable[[dict[str, object]], bool] = lambda event: False) -> list[dict[str, object]]:
    """What a perfect recorder says of that clip when it sees the board from another side, 0.8 s after each stone."""

    def at(text: str) -> str:
        return str(turned_point(P(text), 9, turn))

    final = scenario().final
    assert final is not None
    events: list[dict[str, object]] = [{"type": "board-found", "t": 0.0, "size": 9, "corners": []}]
    for number, (t, colour, where) in enumerate([(1.0, "B", "C3"), (3.0, "W", "G7"), (5.0, "B", "C7")], 1):
        events.append({"type": "move", "t": t, "seen": t + 0.8, "number": number, "color": colour, "at": at(where)})
    events.insert(
        3, {"type": "alert", "t": 3.0, "seen": 4.0, "code": "off-point", "level": "warning", "at": [at("G7")]}
    )
    events.append({"type": "position", "t": 20.0, "board": final.turned(turn).rows})
    return [event for event in events if not drop(event)]


class TestClips:
    @pytest.mark.parametrize("turn", [0, 1, 2, 3])
    def test_a_perfect_record_from_any_side(self, turn: int) -> None:
        result = judge_clip(scenario(), record(turn))
        assert (result.exact, result.right, result.final_right) == (True, 3, True)
        assert (result.alerts_met, result.missed, result.false_alerts, result.first_fault) == (1, (), (), "")
        assert [round(delay, 6) for delay in result.delays] == [0.8, 0.8, 0.8]

    def test_a_missing_alert_is_missed(self) -> None:
        result = judge_clip(scenario(), record(drop=lambda event: event["type"] == "alert"))
        assert (result.alerts_met, result.missed) == (0, ("off-point at 3 s",))

    def test_an_alert_that_nothing_expects_is_false(self) -> None:
        extra: dict[str, object] = {"type": "alert", "t": 9.0, "seen": 9.0, "code": "takeback", "at": ["A1"]}
        result = judge_clip(scenario(), [*record(), extra])
        assert [alert.code for alert in result.false_alerts] == ["takeback"]

    def test_a_wrong_last_board_is_noticed(self) -> None:
        events = record()
        events[-1] = {**events[-1], "board": Layout.empty(9).rows}
        assert judge_clip(scenario(), events).final_right is False

    def test_a_record_without_a_last_board_is_not_right(self) -> None:
        assert judge_clip(scenario(), record()[:-1]).final_right is False

    def test_an_extra_move_spoils_the_game(self) -> None:
        extra: dict[str, object] = {"type": "move", "t": 9, "seen": 9, "number": 4, "color": "W", "at": "J9"}
        result = judge_clip(scenario(), [*record(), extra])
        assert not result.exact
        assert GameFigures.of([result]).extra == 1
        assert result.first_fault == "move 4: none expected (before turning by 0), W J9 reported"

    def test_figures_of_two_games(self) -> None:
        good = judge_clip(scenario(), record()).spent(CpuCost(6.0, 2.0), 4.0)
        none = without_record("inc-2", "inc", 7, 1, 20.0, "no board was found")
        figures = GameFigures.of([good, none]).to_json()
        assert figures["games_without_a_wrong_move"] == 1
        assert (figures["moves_right"], figures["moves_expected"]) == (3, 10)
        assert (figures["alerts_met"], figures["alerts_missed"]) == (1, 1)
        assert figures["cpu_over_decoding"] == 3.0
        assert figures["speed"] == 10.0

    def test_stones_that_no_script_places_have_no_delay(self) -> None:
        script = scenario()
        passed = replace(script, moves=(*script.moves, Move(Colour.WHITE, None)))
        assert placing_times(passed) == [1.0, 3.0, 5.0, None]

    def test_a_stone_placed_twice_counts_at_its_turn(self) -> None:
        again = [ScenarioEvent(t, "place", {"color": "B", "at": "C3"}) for t in (1.0, 8.0)]
        script = replace(scenario(), events=tuple(again), moves=(Move(Colour.BLACK, P("C3")),) * 2)
        assert placing_times(script) == [1.0, 8.0]


class TestSequences:
    def sequence(self) -> LabelledSequence:
        boards = [Layout.empty(9)]
        steps: list[list[tuple[str, str]]] = [[("C3", "X")], [("G7", "O"), ("E5", "X"), ("G3", "O")]]
        frames = [LabelledFrame(Path("0.jpg"), boards[0], ())]
        for number, step in enumerate(steps, 1):
            boards.append(boards[-1].replaced({P(at): cell for at, cell in step}))
            changes = tuple(Change(P(at), ".", cell) for at, cell in step)
            frames.append(LabelledFrame(Path(f"{number}.jpg"), boards[-1], changes))
        return LabelledSequence("game", "club", tuple(frames))

    def events(self, script: str) -> list[dict[str, object]]:
        lines: list[dict[str, object]] = [{"type": "board-found", "t": 0, "size": 9, "corners": []}]
        for number, words in enumerate(script.split(", "), 1):
            colour, at = words.split()
            lines.append({"type": "move", "t": number, "seen": number, "number": number, "color": colour, "at": at})
        return [*lines, {"type": "position", "t": 2, "board": self.sequence().frames[-1].layout.rows}]

    def test_the_order_within_a_step_is_free(self) -> None:
        result = judge_sequence(self.sequence(), self.events("B C3, W G3, B E5, W G7"))
        assert (result.exact, result.final_right) == (True, True)

    def test_a_move_in_the_wrong_step_is_wrong(self) -> None:
        assert not judge_sequence(self.sequence(), self.events("W G3, B C3, B E5, W G7")).exact


class TestReports:
    def test_what_is_taken_back_does_not_stand(self) -> None:
        take_back: dict[str, object] = {"type": "retract", "t": 6.0, "seen": 6.0, "number": 2, "reason": "seen better"}
        instead: dict[str, object] = {"type": "move", "t": 6.0, "seen": 6.1, "number": 2, "color": "W", "at": "G6"}
        report = read_report([*record(), take_back, instead])
        assert report.line == [Move(Colour.BLACK, P("C3")), Move(Colour.WHITE, P("G6"))]

    def test_move_numbers_must_follow_each_other(self) -> None:
        with pytest.raises(FileFormatError, match="move 3 follows move 1"):
            read_report(record(drop=lambda event: event.get("number") == 2))

    def test_the_setup_is_read(self) -> None:
        setup: dict[str, object] = {"type": "setup", "t": 0.4, "B": ["D4"], "W": ["Q16"]}
        report = read_report([{"type": "board-found", "t": 0, "size": 19, "corners": []}, setup])
        assert report.start == Layout.empty(19).replaced({P("D4"): "X", P("Q16"): "O"})


class TestFigures:
    def test_shares_of_nothing_are_none(self) -> None:
        assert share(0, 0) is None
        assert cost_ratio([]) is None
        assert percentile([], 95) is None

    def test_percentiles(self) -> None:
        assert percentile([1.0, 2.0, 3.0], 50) == 2.0
        assert percentile([float(n) for n in range(101)], 95) == 95.0

    def test_boards(self) -> None:
        true = Layout.from_rows(["X..", "...", "..?"])
        assert same_board(true, Layout.from_rows(["X..", "...", "..O"]))
        assert not same_board(true, Layout.from_rows(["X..", "..O", "..."]))
        assert not same_board(true, None)
        assert turn_of(true, true.turned(3)) == 3
        assert turn_of(true, None) is None

    def test_the_first_fault_is_where_the_record_leaves_the_game(self) -> None:
        moves = [Move(Colour.BLACK, P("C3")), Move(Colour.WHITE, P("G7"))]
        wrong = [moves[0], Move(Colour.WHITE, P("G6"))]
        assert first_fault(moves, wrong, match_moves(moves, wrong, 9)).startswith("move 2: W G7 expected")
        assert first_fault(moves, moves, match_moves(moves, moves, 9)) == ""
