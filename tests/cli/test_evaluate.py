"""The tables and the JSON of ``kifuwatch evaluate``, of results that are made up."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kifuwatch.core.errors import NoBoardError
from kifuwatch.core.points import Layout
from kifuwatch.datasets import evaluate as evaluation
from kifuwatch.datasets.evaluate import Evaluation, Evaluator, numbered_folder, peak_memory
from kifuwatch.datasets.evaluate_games import GameResult, without_record
from kifuwatch.datasets.evaluate_photos import PhotoReading, judge_photo
from kifuwatch.datasets.figures import CpuCost
from kifuwatch.datasets.labelled import LabelledData, LabelledFrame, LabelledPhoto, LabelledSequence
from kifuwatch.datasets.matching import ReportedAlert
from tests.cli.conftest import Run

BOARD = Layout.from_rows(["X........", *["........."] * 8])
SQUARE = ((100.0, 100.0), (900.0, 100.0), (900.0, 900.0), (100.0, 900.0))
FALSE = ReportedAlert("takeback", "warning", 3.0, 3.5, frozenset())


def photo(name: str, source: str) -> LabelledPhoto:
    return LabelledPhoto(name, Path(f"{name}.jpg"), source, BOARD, SQUARE, "high", ())


RESULTS = Evaluation(
    photos=(
        judge_photo(photo("a/1", "club"), PhotoReading(9, BOARD, SQUARE), CpuCost(0.5, 0.1)),
        judge_photo(photo("b/1", "home"), NoBoardError("too dark"), CpuCost(1.5, 0.1)),
    ),
    clips=(
        GameResult("clean-1", "clean", 4, 4, 4, True, 0, 0, (), (0.5, 1.5), 60.0, 20.0, CpuCost(12.0, 4.0)),
        GameResult(
            "inc-1", "inc", 4, 5, 3, False, 1, 0, (FALSE,), (2.5,), 60.0, 20.0, CpuCost(12.0, 4.0), "", ("late at 3 s",)
        ),
    ),
    sequences=(without_record("game", "club", 5, 0, 6.0, "no board was found"),),
    peak_megabytes=321.0,
)


@pytest.fixture
def evaluated(call: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """``evaluate`` on data whose results are made up."""
    line = {"id": "a/1", "file": "a.jpg", "source": "club", "board_size": 9, "board": BOARD.rows, "corners": SQUARE}
    (tmp_path / "manifest.jsonl").write_text(json.dumps(line))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(Evaluator, "run", lambda self, data: RESULTS)
    return lambda *arguments: call("evaluate", tmp_path, *arguments)


def row(out: str, name: str) -> list[str]:
    """The cells of the first row of a table that begins with a name; two blanks are between any two of them."""
    line = next(line for line in out.splitlines() if line.strip().startswith(name))
    return re.split(r"\s{2,}", line.strip())


def test_photographs_by_source_and_together(evaluated: Any) -> None:
    out = evaluated().out
    assert row(out, "club") == ["club", "1", "1 (100.0%)", "1 (100.0%)", "0.0000%", "0", "0", "0.50 / 0.50"]
    assert row(out, "home") == ["home", "1", "0 (0.0%)", "0 (0.0%)", "-", "0", "0", "1.50 / 1.50"]
    assert row(out, "all") == ["all", "2", "1 (50.0%)", "1 (50.0%)", "0.0000%", "0", "0", "1.00 / 1.50"]


def test_clips_by_kind(evaluated: Any) -> None:
    out = evaluated().out
    assert row(out, "clean") == ["clean", "1", "1", "4/4", "0", "1", "3.0", "0/0", "0 (0.0)", "1.0 / 1.45", "3.0"]
    assert row(out, "inc") == ["inc", "1", "0", "3/4", "2", "0", "3.0", "0/1", "1 (60.0)", "2.5 / 2.5", "3.0"]
    assert "Peak memory 321 MB." in out


def test_details_say_of_each_how_it_was_read(evaluated: Any) -> None:
    out = evaluated("--details").out
    assert "b/1: not found (too dark)" in out
    assert "missed: late at 3 s; false: takeback at 3 s" in out
    assert "game: no board was found" in out
    assert "a/1: read without error" in out


def test_json_holds_all_of_it(evaluated: Any) -> None:
    record = json.loads(evaluated("--json").out)
    assert record["photos"]["by_source"]["club"]["read_share"] == 1.0
    assert record["photos"]["total"]["found"] == 1
    assert record["clips"]["total"]["alerts_false_an_hour"] == 30.0
    assert record["clips"]["each"][1]["alerts_missed"] == ["late at 3 s"]
    assert record["sequences"]["each"][0]["fault"] == "no board was found"
    assert record["peak_megabytes"] == 321


def test_clips_by_a_condition_that_they_name(evaluated: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    clips = (replace(RESULTS.clips[0], conditions={"light": "lamp"}), RESULTS.clips[1])
    monkeypatch.setattr(Evaluator, "run", lambda self, data: replace(RESULTS, clips=clips))
    out = evaluated("--by", "light").out
    assert row(out, "lamp")[:4] == ["lamp", "1", "1", "4/4"]
    assert json.loads(evaluated("--json").out)["clips_by_condition"]["light"]["lamp"]["moves_right"] == 4


def test_a_condition_that_no_clip_names(evaluated: Any) -> None:
    ended = evaluated("--by", "weather")
    assert ended.status == 2
    assert "no clip says anything of 'weather'" in ended.err


def test_in_chinese(evaluated: Any) -> None:
    assert "全对" in evaluated("--lang", "zh").out


class TestEvaluator:
    def test_a_series_becomes_a_folder_in_its_order(self, tmp_path: Path) -> None:
        for name in ("b.jpg", "a.jpeg"):
            (tmp_path / name).write_text(name)
        with numbered_folder([tmp_path / "b.jpg", tmp_path / "a.jpeg"]) as folder:
            assert [path.read_text() for path in sorted(folder.iterdir())] == ["b.jpg", "a.jpeg"]
        assert not folder.exists()

    def test_a_series_of_which_no_record_comes_counts_as_all_wrong(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def record(source: object, rules: str) -> list[dict[str, object]]:
            raise NoBoardError("too dark")

        monkeypatch.setattr(evaluation, "decoding_cost", lambda address: 2.0)
        frames = tuple(LabelledFrame(Path("x.jpg"), BOARD, ()) for _ in range(2))
        data = LabelledData(sequences=(LabelledSequence("game", "club", frames),))
        (result,) = Evaluator(record).run(data).sequences
        assert (result.fault, result.exact, result.cost.decoding) == ("too dark", False, 2.0)

    def test_memory_is_measured(self) -> None:
        assert 10 < peak_memory() < 100_000
