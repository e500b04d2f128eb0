"""``calibrate``: the verdict on a view, in words and as numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.quality import LIMITS, Finding, Verdict
from kifuwatch.cli.session import Session
from kifuwatch.cli.texts import Language
from kifuwatch.cli.view import advice, places
from kifuwatch.core.points import Layout, Point
from kifuwatch.datasets.render import render
from kifuwatch.vision.images import load_image, save_image
from tests.cli.conftest import Run
from tests.material import photograph


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A board of 9 lines on which a lamp mirrors in the middle."""
    scene = photograph(Layout.from_rows(["." * 9] * 2 + ["..X...O.."] + ["." * 9] * 6))
    lamp = (4 * scene.pose.spec.across, 4 * scene.pose.spec.along, 26.0, 1.0, 1.0)
    path = tmp_path_factory.mktemp("view") / "photo.png"
    save_image(path, render(replace(scene, glare=(lamp,))).image)
    return path


def test_the_view_is_judged_and_what_to_change_is_said(call: Run, photo: Path, tmp_path: Path) -> None:
    grid, profile = tmp_path / "grid.png", tmp_path / "profile.json"
    done = call("calibrate", photo, "--picture", grid, "--profile", profile)
    assert done.status == 0
    assert "The view is usable" in done.out
    assert "A lamp or window mirrors at" in done.out
    assert "move the lamp" in done.out
    assert load_image(grid).shape == load_image(photo).shape
    assert profile.exists()


def test_the_numbers_as_json(call: Run, photo: Path, tmp_path: Path) -> None:
    done = call("calibrate", photo, "--json", "--picture", tmp_path / "g.png", "--profile", tmp_path / "p.json")
    said = json.loads(done.out)
    assert (said["size"], said["view"]["verdict"]) == (9, "usable")
    assert "E5" in said["view"]["glare"]
    assert [board["taken"] for board in said["boards"]] == [True]
    assert BoardPose.from_json(json.loads((tmp_path / "p.json").read_text())["pose"]).size == 9


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("name", list(LIMITS))
def test_there_is_advice_for_every_fault(name: str, language: Language) -> None:
    points = (Point.parse("K10"), Point.parse("L11"))
    sentence = advice(Session.open(language), Finding(name, Verdict.POOR, 0.5, points))
    assert "{" not in sentence
    assert ("K10–L11" in sentence) == (name in {"glare", "shadow", "covered", "unsure"})


def test_of_many_places_the_largest_are_named() -> None:
    points = [Point.parse(word) for word in ["A1", "C3", "E5", "G7", "J9", "J8"]]
    assert places(points) == "J8–J9, A1, C3, E5 …"


@pytest.mark.parametrize(("light", "poor"), [(1.0, False), (0.025, True)], ids=["good light", "dusk"])
def test_a_recording_begins_with_a_word_on_a_poor_view(call: Run, tmp_path: Path, light: float, poor: bool) -> None:
    scene = photograph(Layout.from_rows(["." * 9] * 4 + ["..X...O.."] + ["." * 9] * 4))
    folder = tmp_path / "game"
    folder.mkdir()
    effects = replace(scene.effects, exposure=light)
    save_image(folder / "1.png", render(replace(scene, effects=effects)).image)
    ended = call("record", folder)
    assert ended.status == 0
    assert ("the view is poor, so moves may be misread. The board is dark" in ended.err) is poor
    assert ended.err == "" or poor


def test_who_has_no_standard_error_is_not_warned(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session.open(Language.EN)
    monkeypatch.setattr("sys.stderr", None)
    session.warn("the view is poor")
