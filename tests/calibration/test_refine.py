"""Refining a pose: one fit takes it to where its points are seen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.refine import refit
from kifuwatch.calibration.spec import BoardSpec

CORNERS = [[412.0, 96.0], [884.0, 121.0], [1010.0, 640.0], [228.0, 598.0]]


def pose(size: int) -> BoardPose:
    return BoardPose.from_corners(CORNERS, BoardSpec(size), (1280, 720))


@pytest.mark.parametrize("size", [9, 13, 19])
@given(right=st.floats(-0.4, 0.4), down=st.floats(-0.4, 0.4))
def test_points_seen_a_little_aside_are_met_at_once(size: int, right: float, down: float) -> None:
    start = pose(size)
    lattice = np.array([[u, v] for v in range(size) for u in range(size)], dtype=float)
    seen = start.project(lattice) + np.array([right, down]) * start.pitch
    fitted, error = refit(start, lattice, seen, np.ones(len(lattice)))
    assert error < 0.02
    assert np.abs(fitted.project(lattice) - seen).max() < 0.1 * start.pitch


def test_a_few_points_seen_wrongly_do_not_pull() -> None:
    start = pose(19)
    lattice = np.array([[u, v] for v in range(19) for u in range(19)], dtype=float)
    seen = start.project(lattice)
    seen[::15] += 0.5 * start.pitch
    fitted, _ = refit(start, lattice, seen, np.ones(len(lattice)))
    assert np.abs(fitted.project(lattice) - start.project(lattice)).max() < 0.1 * start.pitch
