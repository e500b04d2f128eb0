"""The clip that comes with kifuwatch, recorded by the command that shows it off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kifuwatch
from kifuwatch.cli.main import main
from kifuwatch.datasets.evaluate_games import judge_clip
from kifuwatch.datasets.labelled import read_scenario

DEMO = Path(kifuwatch.__file__).parent / "demo"


def test_the_demo_is_recorded_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KIFUWATCH_LANG", "en")
    out = tmp_path / "demo"
    assert main(["demo", "--out", str(out)]) == 0
    told = capsys.readouterr().out
    (scenario,) = DEMO.glob("*.scenario.json")
    events = [json.loads(line) for line in (out / "game.jsonl").read_text(encoding="utf-8").splitlines()]
    result = judge_clip(read_scenario(scenario), events)
    assert result.first_fault == ""
    assert result.final_right
    assert result.missed == ()
    assert result.false_alerts == ()
    assert f"Moves ({result.expected}):" in told
    assert str(out / "game.sgf") in told
    assert (out / "pictures" / "last.jpg").is_file()
    assert main(["demo", "--out", str(out)]) == 6, "the record of an earlier demo is not overwritten without --force"
