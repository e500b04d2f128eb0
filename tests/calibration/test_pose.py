"""BoardPose: points to pixels and back, height, lens, turns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import PRESETS, BoardSpec
from kifuwatch.core.errors import FileFormatError, UsageError
from kifuwatch.core.points import Layout

from .cameras import Pinhole

GRID = np.array([[u, v] for v in range(19) for u in range(19)], dtype=float)


@pytest.mark.parametrize("elevation", [25, 35, 50, 65, 80])
@pytest.mark.parametrize("azimuth", [0, 30, 90, 200])
def test_four_corners_give_the_whole_camera(elevation: float, azimuth: float) -> None:
    camera = Pinhole(BoardSpec.preset("jp"), elevation, azimuth)
    pose = camera.pose()
    assert pose.elevation == pytest.approx(elevation, abs=1.5)
    np.testing.assert_allclose(pose.project(GRID), camera.see(GRID), atol=0.01)
    if elevation < 70:  # from straight above nothing tells the focal length
        assert pose.focal == pytest.approx(camera.focal, rel=0.06)
    top = camera.see(GRID, 9.0) - camera.see(GRID)
    np.testing.assert_allclose(pose.project(GRID, 9.0) - pose.project(GRID), top, atol=0.08 * np.abs(top).max() + 0.05)


def test_a_stone_leans_away_from_a_low_camera_by_up_to_half_a_pitch() -> None:
    pose = Pinhole(BoardSpec.preset("cn2002"), 30).pose()
    seen = pose.locate(pose.project([[9.0, 9.0]], 9.0))[0]
    assert 0.4 < 9.0 - seen[1] < 0.75
    assert abs(seen[0] - 9.0) < 0.01


@settings(max_examples=60, deadline=None)
@given(
    st.floats(22, 90), st.floats(0, 360), st.floats(-0.25, 0.1), st.floats(0, 18), st.floats(0, 18), st.floats(0, 10)
)
def test_pixels_and_back(elevation: float, azimuth: float, k1: float, u: float, v: float, height: float) -> None:
    pose = replace(Pinhole(BoardSpec(19), elevation, azimuth).pose(), k1=k1)
    there = pose.project([[u, v]], height)
    np.testing.assert_allclose(pose.locate(there, height), [[u, v]], atol=1e-3)


def test_turning_the_text_moves_the_corners_and_nothing_else() -> None:
    pose = Pinhole(BoardSpec.preset("kr"), 45, 20).pose()
    turned = pose.turned(1)
    # Turned clockwise, what was the lower-left corner of the text is its top-left one.
    np.testing.assert_allclose(turned.corners, np.roll(pose.corners, 1, axis=0), atol=1e-6)
    assert (turned.spec.across, turned.spec.along) == (pose.spec.along, pose.spec.across)
    back = turned.turned(3)
    np.testing.assert_allclose(back.projection, pose.projection, rtol=1e-9, atol=1e-9)


def test_a_turned_pose_reads_what_a_turned_layout_says() -> None:
    layout = Layout.from_rows(["X..", "...", ".O."])
    pose = Pinhole(BoardSpec(3), 50, distance=300).pose()
    for quarters in range(4):
        turned, text = pose.turned(quarters), layout.turned(quarters)
        for cell in "XO":
            (was,), (now,) = layout.points(cell), text.points(cell)
            np.testing.assert_allclose(
                pose.project([[was.col, 2 - was.row]]), turned.project([[now.col, 2 - now.row]]), atol=1e-6
            )


def test_resizing_the_picture() -> None:
    pose = Pinhole(BoardSpec(19), 45).pose()
    half = pose.scaled(0.5, (640, 360))
    # The middle of the pixel block 10..11 is the middle of pixel 5.
    np.testing.assert_allclose(half.project(GRID), (pose.project(GRID) + 0.5) / 2 - 0.5, atol=1e-9)
    assert half.elevation == pytest.approx(pose.elevation)


@pytest.mark.parametrize(
    ("corners", "sentence"),
    [
        ([[0, 0], [100, 0], [100, 100]], "four corners"),
        ([[0, 0], [0, 100], [100, 100], [100, 0]], "clockwise"),
        ([[0, 0], [50, 0], [100, 0], [0, 100]], "clockwise"),
        ([[0, 0], [100, 100], [100, 0], [0, 100]], "clockwise"),
        ([[0, 0], [float("nan"), 0], [100, 100], [0, 100]], "four corners"),
    ],
)
def test_corners_that_make_no_board(corners: list[list[float]], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        BoardPose.from_corners(corners, BoardSpec(19), (640, 480))


def test_as_json_and_back() -> None:
    pose = replace(Pinhole(BoardSpec.preset("square", 13), 40).pose(), k1=-0.1, k2=0.01)
    again = BoardPose.from_json(pose.to_json())
    assert again.spec == pose.spec
    np.testing.assert_array_equal(again.project(GRID[:50], 4.0), pose.project(GRID[:50], 4.0))
    for spoiled in ({}, pose.to_json() | {"focal": -1}, pose.to_json() | {"projection": [[1, 2], [3, 4]]}):
        with pytest.raises(FileFormatError):
            BoardPose.from_json(spoiled)


def test_presets_are_slightly_rectangular_as_the_codes_say() -> None:
    for name in ("cn1988", "cn2002", "jp", "kr"):
        assert 1.02 <= BoardSpec.preset(name).ratio <= 1.11
    assert PRESETS["square"].ratio == 1
    with pytest.raises(UsageError, match="'round'"):
        BoardSpec.preset("round")
    with pytest.raises(UsageError, match="26 lines"):
        BoardSpec(26)
