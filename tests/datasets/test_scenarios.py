"""The library of scenarios: every script can happen, follows the rules, and is told the same way every time."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kifuwatch
from kifuwatch.core.points import BLACK, EMPTY, Colour, Layout, Point
from kifuwatch.core.times import FrameTime
from kifuwatch.datasets.clip_frames import Studio
from kifuwatch.datasets.clip_look import clip_look
from kifuwatch.datasets.clip_script import parse_script
from kifuwatch.datasets.clip_source import ScenarioSource
from kifuwatch.datasets.evaluate_games import judge_clip
from kifuwatch.datasets.labelled import Scenario, read_scenario
from kifuwatch.datasets.make_scenarios import write_library
from kifuwatch.datasets.scenarios.games import game_scenario
from kifuwatch.datasets.scenarios.incidents import takeback
from kifuwatch.datasets.scenarios.players import played_games, scripted_game
from kifuwatch.datasets.scenarios.story import possible
from kifuwatch.datasets.scenarios.teller import Shot, Teller
from kifuwatch.rules import Fault, Game

CODES = {
    "two-moves",
    "takeback",
    "dropped-stone",
    "moved-stone",
    "scattered-board",
    "wrong-capture",
    "missed-capture",
    "ko-violation",
    "forbidden-point",
    "repetition",
    "off-point",
    "stone-appeared",
    "stone-vanished",
    "setup",
    "board-moved",
    "view-blocked",
    "light-changed",
    "board-lost",
}
P = Point.parse


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """All scenarios as files, by name."""
    out = tmp_path_factory.mktemp("library")
    return {file.name.removesuffix(".scenario.json"): file for file in write_library(out)}


@cache
def read(file: Path) -> Scenario:
    return read_scenario(file)


class TestLibrary:
    def test_it_holds_what_it_should(self, library: dict[str, Path]) -> None:
        groups = {name: read(file).group for name, file in library.items()}
        counts = {group: sum(g == group for g in groups.values()) for group in set(groups.values())}
        games = [read(file) for name, file in library.items() if groups[name] == "games"]
        assert len(library) >= 60
        assert counts["games"] >= 20
        assert counts["innocent"] >= counts["incidents"] >= 25
        assert sum(len(game.moves) for game in games) >= 3000
        assert sum(s.seconds for s in map(read, library.values()) if not s.alerts) >= 3 * 3600
        assert {game.size for game in games} == {9, 13, 19}

    def test_every_incident_that_a_camera_sees_comes_up(self, library: dict[str, Path]) -> None:
        expected = {alert.code for file in library.values() for alert in read(file).alerts}
        assert expected == CODES

    def test_clean_groups_expect_nothing(self, library: dict[str, Path]) -> None:
        for file in library.values():
            scenario = read(file)
            assert bool(scenario.alerts) == (scenario.group in {"incidents", "combined"}), scenario.id

    def test_cameras_and_lights_vary(self, library: dict[str, Path]) -> None:
        games = [read(file) for file in library.values() if read(file).group == "games"]
        for condition, least in (("elevation", 4), ("light", 4), ("pitch", 3), ("side", 3), ("stones", 4)):
            assert len({game.conditions[condition] for game in games}) >= least, condition

    def test_each_is_the_same_every_time(self) -> None:
        assert possible(takeback, 100).scenario() == possible(takeback, 100).scenario()
        game = played_games()[0]
        assert game_scenario(game, 0).scenario() == game_scenario(game, 0).scenario()

    def test_the_final_board_is_what_the_hands_leave(self, library: dict[str, Path]) -> None:
        """The film ends with the board that the scenario expects, whatever happened on the way."""
        for file in library.values():
            record = read_json_file(file)
            script = parse_script(record, file.name)
            assert script.layout_at(script.seconds) == read(file).final, file.name

    def test_moves_and_events_agree(self, library: dict[str, Path]) -> None:
        """Each move is a stone that a hand puts, or pushes, to its point, and each has a time from which it is seen."""
        for file in library.values():
            scenario = read(file)
            arrivals = {
                (event.fields.get("color"), event.fields.get("at") or event.fields.get("to"))
                for event in scenario.events
                if event.do in {"place", "slide"}
            }
            for move in scenario.moves:
                assert {(move.colour.value, str(move.at)), (None, str(move.at))} & arrivals, (scenario.id, move)
            assert len(scenario.visible) == len(scenario.moves)
            assert sorted(t for t in scenario.visible if t is not None) == list(scenario.visible)

    def test_clean_games_are_legal_and_take_what_they_capture(self, library: dict[str, Path]) -> None:
        for file in library.values():
            scenario = read(file)
            if scenario.group != "games":
                continue
            game = Game.of(scenario.start, scenario.moves[0].colour)
            for number, move in enumerate(scenario.moves, 1):
                play = game.look(move.colour, move.at)
                assert play.faults == Fault.NONE, f"{scenario.id}, move {number}"
                game = game.play(move.colour, move.at)
            assert game.position.layout == scenario.final, scenario.id

    def test_expected_moves_lead_to_the_board_that_the_rules_see(self, library: dict[str, Path]) -> None:
        for file in library.values():
            scenario, record = read(file), read_json_file(file)
            expect = record["expect"]
            assert isinstance(expect, dict)
            if "handicap" in scenario.id or not scenario.moves:
                continue
            game = Game.of(scenario.start, scenario.moves[0].colour)
            for move in scenario.moves:
                game = game.play(move.colour, move.at)
            assert game.position.layout.rows == expect["final_by_moves"], scenario.id


def read_json_file(file: Path) -> dict[str, object]:
    record = json.loads(file.read_text(encoding="utf-8"))
    assert isinstance(record, dict)
    return record


class TestPlayers:
    def test_the_played_games_are_legal(self) -> None:
        games = played_games()
        assert len(games) == 20
        for game in games:
            line = Game.of(game.start, game.to_play)
            for point in game.stones():
                assert line.is_legal(line.position.to_play, point), game.name
                line = line.play(line.position.to_play, point)

    @settings(max_examples=6, deadline=None)
    @given(seed=st.integers(0, 1000), ko_lover=st.booleans())
    def test_the_scripted_player_keeps_to_the_rules(self, seed: int, ko_lover: bool) -> None:
        game = scripted_game("any", 9, seed, 50, ko_lover)
        line = Game.of(game.start, game.to_play)
        for point in game.stones():
            assert line.look(line.position.to_play, point).faults == Fault.NONE
            line = line.play(line.position.to_play, point)

    @given(quarters=st.integers(0, 3), mirrored=st.booleans())
    def test_a_turned_game_is_the_same_game(self, quarters: int, mirrored: bool) -> None:
        game = played_games()[0]
        turned = game.turned(quarters, mirrored)
        last, same = game.after(12).position.layout, turned.after(12).position.layout
        assert last.cells.count(BLACK) == same.cells.count(BLACK)
        if not mirrored:
            assert last.turned(quarters) == same


SMALL = Shot({"seed": 4, "elevation": 68, "light": "window", "jpeg": 90}, 480, 360, 8.0)


def small_game() -> Teller:
    """Black takes a stone, White answers; a hand hovers meanwhile."""
    rows = ["........."] * 5 + [".........", "..O......", ".OXO.....", "........."]
    start = Game.of(Layout.from_rows(rows), Colour.WHITE)
    teller = Teller("tiny", "a stone is taken", "games", start, 3, SMALL, pace=1.8)
    teller.play(P("C1"))
    teller.play(P("F5"), stay=0.4)
    teller.do("hover", near="G7", by="W", **{"for": 0.8})
    teller.wait(2.0)
    teller.play(P("D6"))
    return teller


class TestRecorded:
    def test_a_scenario_is_recorded_while_it_is_filmed(self) -> None:
        record = small_game().scenario(rest=1.5)
        script = parse_script(record)
        source = ScenarioSource(script, "tiny")
        with source:
            recording = kifuwatch.record(source)
        assert 0 < source.drawing < 60
        assert [(m.colour.value, str(m.at)) for m in recording.moves] == [("W", "C1"), ("B", "F5"), ("W", "D6")]
        assert [str(p) for p in recording.moves[0].captures] == ["C2"]
        assert [alert.code for alert in recording.alerts if alert.level != "info"] == []
        assert recording.position == script.layout_at(99)

    def test_the_judge_takes_the_time_from_the_hand_that_leaves(self, tmp_path: Path) -> None:
        record = small_game().scenario()
        file = tmp_path / "tiny.scenario.json"
        file.write_text(json.dumps(record))
        scenario = read_scenario(file)
        expect = record["expect"]
        assert isinstance(expect, dict)
        events: list[dict[str, object]] = [{"type": "board-found", "t": 0.0, "size": 9, "corners": []}]
        for number, (move, seen) in enumerate(zip(scenario.moves, scenario.visible, strict=True), 1):
            said = {"number": number, "color": move.colour.value, "at": str(move.at)}
            events.append({"type": "move", "t": seen, "seen": (seen or 0.0) + 0.5, **said, "captures": []})
        events.append({"type": "position", "t": 9.0, "board": expect["final"]})
        result = judge_clip(scenario, events)
        assert (result.exact, result.final_right, result.group) == (True, True, "games")
        assert np.allclose(result.delays, 0.5)


class TestWhatElseHappens:
    def studio(self, *events: dict[str, object], **more: object) -> Studio:
        script = parse_script({"size": 9, "width": 320, "height": 240, "events": list(events), **more})
        return Studio(script, 1, clip_look(9, (320, 240), 1))

    def test_a_sweep_takes_stones_along(self) -> None:
        stones = [{"at": "C3", "to": "C4"}, {"at": "E5", "to": None}, {"at": "G7", "offset": [0.2, 0.1]}]
        sweep = {"t": 1.0, "do": "sweep", "from": "A1", "to": "J9", "over": 1.0, "by": "B", "stones": stones}
        script = parse_script({"size": 9, "events": [sweep], "setup": {"B": ["C3", "E5", "G7"]}})
        before, after = script.layout_at(0.9), script.layout_at(3.0)
        assert [str(p) for p in before.points(BLACK)] == ["G7", "E5", "C3"]
        assert [str(p) for p in after.points(BLACK)] == ["G7", "C4"]
        times = {str(c.point): c.seconds for c in script.changes if c.seconds > 0 and c.cell == EMPTY}
        assert times["C3"] < times["E5"]

    def test_prisoners_lie_beside_the_board_and_are_no_stones_on_it(self) -> None:
        studio = self.studio({"t": 1.0, "do": "aside", "color": "W", "count": 3})
        before, after = (studio.frame(FrameTime.of_seconds(t)) for t in (0.2, 3.0))
        assert before.layout == after.layout == Layout.empty(9)
        changed = np.abs(after.image.astype(int) - before.image).max(axis=2) > 60
        x0, y0 = np.floor(after.pose.corners.min(axis=0)).astype(int)
        x1, y1 = np.ceil(after.pose.corners.max(axis=0)).astype(int)
        assert changed.any()
        assert not changed[y0:y1, x0:x1].any()

    def test_the_camera_turns_away_and_comes_back(self) -> None:
        studio = self.studio({"t": 1.0, "do": "turn-camera", "for": 4.0})
        start, away, back = (studio.frame(FrameTime.of_seconds(t)).pose.corners for t in (0.5, 3.0, 7.0))
        assert np.all((away[:, 0] < 0) | (away[:, 0] > 320))
        assert np.allclose(start, back, atol=1e-6)

    def test_a_bowl_is_pushed_and_the_board_stays(self) -> None:
        studio = self.studio({"t": 1.0, "do": "push-bowl"})
        before, after = (studio.frame(FrameTime.of_seconds(t)) for t in (0.5, 2.5))
        assert np.array_equal(before.pose.corners, after.pose.corners)
        assert (np.abs(after.image.astype(int) - before.image).max(axis=2) > 60).sum() > 20
