"""Lattice and window: from scattered points to which lines are the board's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kifuwatch.calibration.lattice import Lattice, Peaks, find_lattices, project, unsheared
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.refine import refit
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.calibration.window import certainty, rank_windows

from .cameras import Pinhole

Array = NDArray[np.float64]


def grid(size: int) -> Array:
    return np.array([[u, v] for v in range(size) for u in range(size)], dtype=float)


def peaks_of(camera: Pinhole, keep: float, noise: float, clutter: int, seed: int) -> Peaks:
    """What a network would mark: some of the points, not quite in place, and some things that are none."""
    rng = np.random.default_rng(seed)
    seen = camera.see(grid(camera.spec.size))
    kept = rng.random(len(seen)) < keep
    pitch = camera.pose().pitch
    extra = rng.uniform(0, camera.image_size, (clutter, 2))
    pixels = np.vstack([seen[kept] + rng.normal(0, noise * pitch, (kept.sum(), 2)), extra])
    scores = np.concatenate([rng.uniform(0.4, 1, kept.sum()), rng.uniform(0.25, 0.5, clutter)])
    return Peaks(pixels, scores, np.full(len(pixels), pitch) * rng.uniform(0.85, 1.15, len(pixels)))


@settings(max_examples=40, deadline=None)
@given(st.sampled_from([9, 13, 19]), st.floats(35, 90), st.floats(0, 360), st.floats(0.7, 1), st.integers(0, 10_000))
def test_a_lattice_is_found_through_gaps_noise_and_clutter(
    size: int, elevation: float, azimuth: float, keep: float, seed: int
) -> None:
    camera = Pinhole(BoardSpec(size), elevation, azimuth, distance=50.0 * size)
    lattices = find_lattices(peaks_of(camera, keep, 0.04, 15, seed))
    assert lattices
    best = lattices[0]
    truth = camera.see(grid(size))
    # Its crossings are the board's crossings, up to where the counting begins.
    gaps = np.linalg.norm(project(best.homography, best.coordinates.astype(float))[:, None] - truth[None], axis=2).min(
        axis=1
    )
    on_board = np.linalg.norm(best.pixels[:, None] - truth[None], axis=2).min(axis=1) < 0.25 * camera.pose().pitch
    assert on_board.mean() > 0.8
    assert np.median(gaps) < 0.1 * camera.pose().pitch


def test_a_faint_board_is_found_on_a_table_cloth_whose_checks_stand_out() -> None:
    """The strongest marks are not where to begin: those of a grid have neighbours at their own pitch."""
    camera = Pinhole(BoardSpec(19), 80, 10, distance=1500)
    pixels, pitch = camera.see(grid(19)), camera.pose().pitch
    rng = np.random.default_rng(4)
    cloth = rng.uniform((0, 0), camera.image_size, (400, 2))
    cloth = cloth[np.linalg.norm(cloth[:, None] - pixels[None], axis=2).min(axis=1) > 2 * pitch][:90]
    assert len(cloth) == 90
    peaks = Peaks(
        np.vstack([pixels + rng.normal(0, 0.05 * pitch, pixels.shape), cloth]),
        np.concatenate([rng.uniform(0.3, 0.5, 361), rng.uniform(0.6, 0.9, 90)]),
        np.concatenate([np.full(361, pitch), rng.uniform(2, 4, 90) * pitch]),
    )
    best = find_lattices(peaks)[0]
    assert len(best.indices) > 340
    assert (best.indices < 361).mean() > 0.95


def strain(homography: Array) -> float:
    return BoardPose.from_homography(homography, BoardSpec(9), (1280, 720)).strain


@pytest.mark.parametrize("elevation", [35, 60, 85])
@pytest.mark.parametrize(
    "shear", [((1, 1), (0, 1)), ((1, -1), (0, 1)), ((1, 0), (1, 1)), ((1, 0), (-2, 1)), ((2, 1), (1, 1))]
)
def test_a_lattice_that_grew_along_diagonals_is_put_right(
    elevation: float, shear: tuple[tuple[int, int], tuple[int, int]]
) -> None:
    camera = Pinhole(BoardSpec(9), elevation, 20)
    pixels, right = camera.see(grid(9)), camera.pose().homography
    change = np.eye(3)
    change[:2, :2] = shear
    coordinates = np.round(grid(9) @ np.linalg.inv(change)[:2, :2].T).astype(np.int64)
    grown = Lattice(coordinates, np.arange(81), pixels, right @ change)
    assert strain(grown.homography) > 0.3
    best = unsheared(grown, strain, 0.3)
    assert strain(best.homography) == pytest.approx(strain(right), abs=0.02)
    assert project(best.homography, best.coordinates.astype(float)) == pytest.approx(pixels)


def test_a_lattice_along_the_lines_is_left_as_it_is() -> None:
    camera = Pinhole(BoardSpec(9), 50, 20)
    lattice = Lattice(grid(9).astype(np.int64), np.arange(81), camera.see(grid(9)), camera.pose().homography)
    assert unsheared(lattice, strain, 0.3) is lattice


def test_no_lattice_in_scattered_points() -> None:
    rng = np.random.default_rng(3)
    pixels = rng.uniform(0, 600, (60, 2))
    assert not find_lattices(Peaks(pixels, np.full(60, 0.5), np.full(60, 30.0)))
    assert not find_lattices(Peaks(pixels[:5], np.full(5, 0.5), np.full(5, 30.0)))


def field(size: int, rows: int, cols: int, v: int, u: int, inside: float = 0.95, outside: float = 0.05) -> Array:
    points = np.full((rows, cols), outside)
    points[max(v, 0) : v + size, max(u, 0) : u + size] = inside
    return points


@pytest.mark.parametrize("size", [9, 13, 19])
def test_the_window_is_the_board_wherever_it_lies(size: int) -> None:
    points = field(size, size + 7, size + 6, 4, 2)
    best = rank_windows(points, np.ones_like(points, dtype=bool), (9, 13, 19))[0]
    assert (best.size, best.u, best.v) == (size, 2, 4)


def test_outer_lines_all_under_stones_still_count() -> None:
    # Stones hide the crossings of the outer lines; the network is only half sure of them.
    points = field(19, 25, 25, 3, 3)
    ring = field(19, 25, 25, 3, 3, 1, 0) - field(17, 25, 25, 4, 4, 1, 0)
    points[ring > 0] = 0.55
    windows = rank_windows(points, np.ones_like(points, dtype=bool), (9, 13, 19))
    assert (windows[0].size, windows[0].u, windows[0].v) == (19, 3, 3)


def test_a_printed_border_is_not_a_line() -> None:
    points = field(13, 19, 19, 3, 3)
    points[2, 2:17] = points[16, 2:17] = 0.3
    best = rank_windows(points, np.ones_like(points, dtype=bool), (9, 13, 19))[0]
    assert (best.size, best.u, best.v) == (13, 3, 3)


def test_a_board_cropped_by_a_line_is_completed_beyond_the_picture() -> None:
    points = field(19, 25, 25, 3, 3)
    seen = np.ones_like(points, dtype=bool)
    seen[:, 21:] = False  # the picture ends before the last column
    points[:, 21:] = 0
    best = rank_windows(points, seen, (19,))[0]
    assert (best.size, best.u, best.v) == (19, 3, 3)


def test_certainty_falls_when_a_line_is_in_doubt() -> None:
    sure = field(9, 15, 15, 3, 3)
    doubtful = sure.copy()
    doubtful[3:12, 2] = 0.5  # is there a tenth line?
    doubtful[3:12, 11] = 0.5
    seen = np.ones_like(sure, dtype=bool)
    assert certainty(rank_windows(sure, seen, (9, 13, 19))) > 0.99
    assert certainty(rank_windows(doubtful, seen, (9, 13, 19))) < 0.8


def test_refit_recovers_pose_and_lens() -> None:
    camera = Pinhole(BoardSpec.preset("jp"), 50, 15)
    from dataclasses import replace

    truth = replace(camera.pose(), k1=-0.12)
    points = grid(19)
    rng = np.random.default_rng(1)
    pixels = truth.project(points) + rng.normal(0, 0.3, (361, 2))
    pixels[::40] += 15  # a few are plainly wrong
    start = camera.pose()
    fitted, error = refit(start, points, pixels, np.ones(361))
    assert np.abs(fitted.project(points) - truth.project(points)).max() < 0.05 * truth.pitch
    assert fitted.k1 == pytest.approx(-0.12, abs=0.04)
    assert error < 0.2
