"""Straightening: every point at the centre of its cell, whatever the camera and the lens."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kifuwatch.calibration.rectify import Rectifier, camera_side
from kifuwatch.calibration.spec import BoardSpec

from .cameras import Pinhole


@pytest.mark.parametrize(("elevation", "k1", "scale"), [(80, 0.0, 1), (40, 0.0, 1), (45, -0.15, 1), (60, 0.0, 3)])
def test_points_come_to_the_centres_of_their_cells(elevation: float, k1: float, scale: int) -> None:
    camera = Pinhole(
        BoardSpec(9), elevation, 20, distance=500, focal=900 * scale, image_size=(960 * scale, 720 * scale)
    )
    pose = replace(camera.pose(), k1=k1)
    image = np.zeros((720 * scale, 960 * scale, 3), np.uint8)
    for u, v in [(0, 0), (8, 0), (4, 4), (0, 8), (8, 8), (2, 6)]:
        x, y = pose.project([[u, v]])[0]
        cv2.circle(
            image, (round(x * 16), round(y * 16)), round(pose.pitch * 0.2 * 16), (255, 255, 255), -1, cv2.LINE_AA, 4
        )
        straight = Rectifier(pose, 16, 2)(image)[..., 0].astype(float)
        assert straight.shape == (13 * 16, 13 * 16)
        top, left = (v + 2) * 16, (u + 2) * 16
        cell = straight[top : top + 16, left : left + 16]
        gy, gx = np.mgrid[0:16, 0:16]
        assert (cell * gx).sum() / cell.sum() == pytest.approx(7.5, abs=0.35)
        assert (cell * gy).sum() / cell.sum() == pytest.approx(7.5, abs=0.35)
        image[:] = 0


def test_what_the_picture_does_not_show_is_black() -> None:
    camera = Pinhole(BoardSpec(19), 50, distance=500)  # so near that the board leaves the picture
    straight = Rectifier(camera.pose(), 16, 2)(np.full((720, 1280, 3), 200, np.uint8))
    assert (straight == 0).any()
    assert (straight == 200).any()


@pytest.mark.parametrize(("distance", "scale"), [(900, 1), (500, 1), (900, 3)])  # the second leaves the picture
@settings(max_examples=25, deadline=None)
@given(edges=st.tuples(*[st.integers(0, 12)] * 4))
def test_a_part_is_what_the_whole_shows_there(distance: float, scale: int, edges: tuple[int, int, int, int]) -> None:
    focal, size = 700 * scale, (640 * scale, 480 * scale)
    pose = Pinhole(BoardSpec(9), 40, 20, distance, focal, size).pose()
    image = np.random.default_rng(1).integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)
    rectifier = Rectifier(pose, 16, 2)
    left, right, top, bottom = *sorted(edges[:2]), *sorted(edges[2:])
    part = rectifier.part(image, (left, top, right + 1, bottom + 1))
    assert np.array_equal(part, rectifier(image)[top * 16 : (bottom + 1) * 16, left * 16 : (right + 1) * 16])


@pytest.mark.parametrize("azimuth", [0, 90, 180, 270])
def test_the_camera_is_brought_below(azimuth: float) -> None:
    pose = Pinhole(BoardSpec(19), 40, azimuth).pose()
    turned = pose.turned(camera_side(pose))
    lean = turned.locate(turned.project([[9, 9]], 10))[0] - 9
    assert lean[1] < -0.3
    assert abs(lean[0]) < 0.1
