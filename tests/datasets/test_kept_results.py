"""An evaluation that was broken off goes on: results are kept in a file and known again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from kifuwatch.core.errors import FileFormatError, OutputError
from kifuwatch.core.points import Layout, Point
from kifuwatch.datasets import kept_results
from kifuwatch.datasets.evaluate import Evaluation, Evaluator
from kifuwatch.datasets.evaluate_games import GameResult
from kifuwatch.datasets.figures import CpuCost
from kifuwatch.datasets.kept_results import KeptResults
from kifuwatch.datasets.labelled import LabelledData, Scenario, read_scenario
from kifuwatch.datasets.matching import ReportedAlert
from kifuwatch.vision.sources import FrameSource

ALERT = ReportedAlert("takeback", "warning", 3.0, 3.5, frozenset({Point.parse("C3"), Point.parse("D4")}))
RESULT = GameResult(
    id="ko",
    group="incidents",
    expected=4,
    reported=5,
    right=3,
    final_right=None,
    alerts_expected=1,
    alerts_met=0,
    false_alerts=(ALERT,),
    delays=(0.5, 1.25),
    seconds=60.0,
    wall=20.0,
    cost=CpuCost(12.0, 4.0),
    missed=("late at 3 s",),
    first_fault="move 4: none",
    conditions={"light": "lamp"},
)


def scenario_at(path: Path, **more: object) -> Scenario:
    """A short scenario without a video: nothing happens on a board of nine lines."""
    empty = Layout.empty(9).rows
    record: dict[str, object] = {
        "id": path.name.removesuffix(".scenario.json"),
        "group": "games",
        "conditions": {"light": "lamp"},
        "size": 9,
        "width": 160,
        "height": 128,
        "fps": 2,
        "dur": 1.0,
        "events": [],
        "expect": {"moves": [], "final": empty, "alerts": []},
        **more,
    }
    path.write_text(json.dumps(record))
    return read_scenario(path)


class Recorder:
    """Records nothing, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, source: str | FrameSource, rules: str) -> list[Mapping[str, object]]:
        assert isinstance(source, FrameSource)
        self.asked.append(source.name)
        return [
            {"type": "board-found", "t": 0.0, "size": 9, "corners": []},
            {"type": "position", "t": 1.0, "board": Layout.empty(9).rows},
        ]


class TestFile:
    def test_a_result_comes_back_as_it_was(self, tmp_path: Path) -> None:
        scenario = scenario_at(tmp_path / "ko.scenario.json")
        KeptResults(tmp_path / "r.jsonl").keep(scenario, RESULT)
        assert KeptResults(tmp_path / "r.jsonl").of(scenario) == RESULT

    def test_another_scenario_is_not_known(self, tmp_path: Path) -> None:
        scenario = scenario_at(tmp_path / "ko.scenario.json")
        KeptResults(tmp_path / "r.jsonl").keep(scenario, RESULT)
        changed = scenario_at(tmp_path / "ko.scenario.json", fps=3)
        assert KeptResults(tmp_path / "r.jsonl").of(changed) is None

    def test_after_a_change_of_the_product_nothing_is_known(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        scenario = scenario_at(tmp_path / "ko.scenario.json")
        KeptResults(tmp_path / "r.jsonl").keep(scenario, RESULT)
        monkeypatch.setattr(kept_results, "fingerprint", lambda: "another")
        assert KeptResults(tmp_path / "r.jsonl").of(scenario) is None

    def test_a_line_that_was_cut_off_is_passed_over(self, tmp_path: Path) -> None:
        scenario = scenario_at(tmp_path / "ko.scenario.json")
        file = tmp_path / "r.jsonl"
        KeptResults(file).keep(scenario, RESULT)
        file.write_text(file.read_text() + '{"key": "ko-12", "res')
        assert KeptResults(file).of(scenario) == RESULT

    @pytest.mark.parametrize("line", ['{"key": "ko-1"}', '{"key": "ko-1", "result": {"id": "ko"}}', "[]\n{}"])
    def test_another_file_is_refused_in_one_sentence(self, tmp_path: Path, line: str) -> None:
        (tmp_path / "r.jsonl").write_text(line + "\n")
        with pytest.raises(FileFormatError, match=r"r\.jsonl, line \d") as refused:
            KeptResults(tmp_path / "r.jsonl")
        assert "__init__" not in str(refused.value)

    def test_where_nothing_can_be_kept(self, tmp_path: Path) -> None:
        scenario = scenario_at(tmp_path / "ko.scenario.json")
        with pytest.raises(OutputError, match="cannot be written"):
            KeptResults(tmp_path / "none" / "r.jsonl").keep(scenario, RESULT)


class TestGoingOn:
    def test_what_is_known_is_not_recorded_again(self, tmp_path: Path) -> None:
        file = tmp_path / "r.jsonl"
        first, second = (scenario_at(tmp_path / f"{name}.scenario.json") for name in ("a", "b"))
        recorder, heard = Recorder(), list[str]()
        Evaluator(recorder, kept=KeptResults(file)).run(LabelledData(scenarios=(first,)))
        evaluator = Evaluator(recorder, progress=heard.append, kept=KeptResults(file))
        result = evaluator.run(LabelledData(scenarios=(first, second)))
        assert [Path(name).name[0] for name in recorder.asked] == ["a", "b"]
        assert [clip.id for clip in result.clips] == ["a", "b"]
        assert [clip.final_right for clip in result.clips] == [True, True]
        assert sorted(heard) == ["a", "b"]

    def test_a_scenario_without_a_video_costs_only_what_recording_costs(self, tmp_path: Path) -> None:
        scenario = scenario_at(tmp_path / "a.scenario.json")
        (clip,) = Evaluator(Recorder()).run(LabelledData(scenarios=(scenario,))).clips
        assert clip.cost.decoding == 0
        assert clip.cost.pipeline < 0.5

    def test_figures_by_condition(self, tmp_path: Path) -> None:
        scenario = scenario_at(tmp_path / "a.scenario.json")
        clips = Evaluator(Recorder()).run(LabelledData(scenarios=(scenario,))).clips
        result = Evaluation(clips=clips)
        groups, total = result.figures_by("light")
        assert (list(groups), total.games, result.conditions) == (["lamp"], 1, ("light",))
        report = result.to_json()["clips_by_condition"]
        assert isinstance(report, dict)
        assert report["light"]["lamp"]["games"] == 1
