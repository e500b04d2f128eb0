"""How good a view is: each fault, made on purpose, is named; a good view is called good."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from kifuwatch.calibration.closeup import CloseUpReader
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.quality import Limit, Verdict, ViewQuality, measure_view, regions
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.points import Layout, Point
from kifuwatch.datasets.random_scenes import place_camera
from kifuwatch.datasets.render import render
from kifuwatch.datasets.scene import Hand, Scene
from tests.material import photograph

SPEC = BoardSpec(9)
LAYOUT = Layout.from_rows(
    [
        ".........",
        "..X...O..",
        ".........",
        ".........",
        "......XO.",
        "......XO.",
        "..O...X..",
        ".........",
        ".........",
    ]
)


def camera(elevation: float, image: tuple[int, int] = (640, 480), share: float = 0.75) -> BoardPose:
    span = np.array([SPEC.across, SPEC.along]) * (SPEC.size - 1)
    focal = image[0] * 1.1
    distance = focal * float(span[0]) / (share * image[1])
    return place_camera(SPEC, image, focal, (np.radians(elevation), 0.1, 0.0), distance, span / 2, (0.0, 0.0))


BASE = replace(photograph(LAYOUT), pose=camera(62))
LEFT_THIRD = np.array([[-60.0, -60.0], [70.0, -60.0], [70.0, 300.0], [-60.0, 300.0]])


def with_effects(**changes: Any) -> Scene:
    return replace(BASE, effects=replace(BASE.effects, **changes))


SCENES = {
    "good": BASE,
    "glare": replace(BASE, glare=((4 * SPEC.across, 4 * SPEC.along, 26.0, 1.0, 1.0),)),
    "low": replace(BASE, pose=camera(23)),
    "far": replace(BASE, pose=camera(62, (160, 120), 0.4)),
    "blur": with_effects(blur=6.5),
    "dark": with_effects(exposure=0.05),
    "noise": with_effects(noise=0.45),
    "shadow": replace(BASE, shadows=((LEFT_THIRD, 3.0, 0.9),)),
    "covered": replace(
        BASE, hands=(Hand((330.0, 260.0), (640.0, 470.0), 110.0, (0.3, 0.42, 0.65), (0.3, 0.1, 0.1), 300.0),)
    ),
}


@cache
def quality(name: str) -> ViewQuality:
    scene = SCENES[name]
    image = render(scene).image
    return measure_view(image, scene.pose, CloseUpReader()(image, scene.pose))


def test_a_good_view_is_called_good() -> None:
    view = quality("good")
    assert (view.verdict, view.findings) == (Verdict.GOOD, ())
    assert view.elevation == pytest.approx(62, abs=0.1)
    assert view.sure == 1


@pytest.mark.parametrize("fault", [name for name in SCENES if name != "good"])
def test_a_fault_is_named_and_the_view_is_no_longer_good(fault: str) -> None:
    view = quality(fault)
    assert fault in [finding.name for finding in view.findings]
    assert view.verdict is not Verdict.GOOD


def test_the_worst_comes_first_and_gives_the_verdict() -> None:
    assert quality("low").findings[0].name == "low"
    assert quality("low").verdict is Verdict.POOR
    assert quality("far").verdict is Verdict.POOR
    assert quality("glare").verdict is Verdict.USABLE


def test_a_lamp_that_mirrors_is_found_where_it_is() -> None:
    glare = quality("glare").glare
    assert Point.parse("E5") in glare
    assert all(abs(point.col - 4) <= 2 and abs(point.row - 4) <= 2 for point in glare)


def test_a_shadow_is_found_where_it_lies() -> None:
    shadow = quality("shadow").shadow
    bare = [Point(col, row) for col in range(3) for row in range(9) if LAYOUT[Point(col, row)] == "."]
    assert sum(point in shadow for point in bare) >= 0.8 * len(bare)
    assert all(point.col <= 3 for point in shadow)


def test_steps_are_those_of_the_pose() -> None:
    view, pose = quality("low"), SCENES["low"].pose
    near = np.linalg.norm(np.diff(pose.project([[4, 8], [5, 8]]), axis=0))
    far = np.linalg.norm(np.diff(pose.project([[4, 0], [4, 1]]), axis=0))
    assert view.step_most >= near > far >= view.step_least
    assert view.perspective > 1.5


def test_the_numbers_are_plain_values() -> None:
    record = quality("covered").to_json()
    assert record["verdict"] in ("good", "usable", "poor")
    assert "covered" in [finding["name"] for finding in record["findings"]]
    assert all(isinstance(point, str) for point in record["covered"])


@pytest.mark.parametrize(
    ("points", "boxes"),
    [
        ("", []),
        ("Q4", [("Q4", "Q4")]),
        ("K10 L10 L11 M12 A1", [("K10", "M12"), ("A1", "A1")]),
        ("T19 S18", [("S18", "T19")]),
    ],
)
def test_neighbouring_points_are_said_as_one_region(points: str, boxes: list[tuple[str, str]]) -> None:
    given = tuple(Point.parse(word) for word in points.split())
    assert [(str(low), str(high)) for low, high in regions(given)] == boxes


def test_limits_judge_in_both_directions() -> None:
    rising, falling = Limit(1, 5), Limit(12, 8, True)
    assert [rising.judge(v) for v in (0.5, 1, 5)] == [Verdict.GOOD, Verdict.USABLE, Verdict.POOR]
    assert [falling.judge(v) for v in (13, 12, 8)] == [Verdict.GOOD, Verdict.USABLE, Verdict.POOR]
