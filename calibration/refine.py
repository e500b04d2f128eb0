"""Refine a pose: least squares over all grid points, on the homography and the lens together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from kifuwatch.calibration.pose import FOCAL_PRIOR, BoardPose
from kifuwatch.calibration.spec import BoardSpec

Array = NDArray[np.float64]

LENS_SD = 0.08  # radial distortion of ordinary cameras, at a focal length from the centre
# Points are off by 0.05 pitch, but neighbours by the same: some 40 of 361 are independent, 0.05 * sqrt(361 / 40).
LENS_HOLD = 0.15
RATIOS = (1.065, 1.0, 1 / 1.065)  # as the codes say, square, and the same board looked at from its side


def refit(
    pose: BoardPose, lattice: Array, pixels: Array, weights: Array, specs: tuple[BoardSpec, ...] | None = None
) -> tuple[BoardPose, float]:
    """The pose that best takes lattice coordinates (n, 2) to pixels (n, 2), and the error that is left (rms, in
    pitches).

    ``weights`` (n,) say how far each is to be trusted; outliers count less (Huber, 0.1 pitch). The radial distortion
    ``k1`` is fitted too, held near none. ``specs``: the boards that this one may be; its own by default.
    """
    from scipy.optimize import least_squares  # only here, since it takes long to load

    pitch = pose.pitch
    start = pose.homography / pose.homography[2, 2]
    width, height = pose.image_size
    centre, focal = np.array([(width - 1) / 2, (height - 1) / 2]), pose.focal
    scale = np.abs(start.ravel()[:8]) + 1e-3 * np.abs(start).max()
    root = np.sqrt(weights / max(weights.max(), 1e-9))[:, None]

    def residuals(parameters: Array) -> Array:
        matrix = np.append(start.ravel()[:8] + parameters[:8] * scale, 1.0).reshape(3, 3)
        image = np.column_stack([lattice, np.ones(len(lattice))]) @ matrix.T
        straight = image[:, :2] / image[:, 2:]
        ray = (straight - centre) / focal
        r2 = np.minimum((ray**2).sum(axis=1, keepdims=True), 2.0)
        bent = ray * (1 + parameters[8] * r2) * focal + centre
        error = ((bent - pixels) * root / pitch).ravel()
        prior = LENS_HOLD * parameters[8] / LENS_SD * np.sqrt(len(lattice) / 361)
        return np.append(error, prior)

    begin = np.append(np.zeros(8), pose.k1)
    # Parameters are all of one size: with x_scale="jac" the first steps from nought are too short to get anywhere.
    solution = least_squares(residuals, begin, method="trf", loss="huber", f_scale=0.1, max_nfev=40)
    matrix = np.append(start.ravel()[:8] + solution.x[:8] * scale, 1.0).reshape(3, 3)
    k1 = float(np.clip(solution.x[8], -0.5, 0.5))
    fitted = with_likely_spec(matrix, pose.size, specs or (pose.spec,), pose.image_size, k1)
    error = np.linalg.norm(fitted.project(lattice) - pixels, axis=1) / pitch
    return fitted, float(np.sqrt(np.average(error**2, weights=weights)))


def likely_specs(spec: BoardSpec | None) -> tuple[BoardSpec, ...]:
    """The boards that one may be: of the given measures, seen from either side; or, with none given, of any usual
    ratio."""
    if spec is not None:
        return (spec,) if spec.ratio == 1 else (spec, spec.turned(1))
    return tuple(_stretched(BoardSpec(), ratio) for ratio in RATIOS)


def with_likely_spec(
    homography: Array, size: int, specs: tuple[BoardSpec, ...], image_size: tuple[int, int], k1: float = 0.0
) -> BoardPose:
    """The pose of a homography, as the one of ``specs`` that needs the least unusual lens. Raises UsageError."""
    poses = [BoardPose.from_homography(homography, spec.with_size(size), image_size, k1) for spec in specs]
    costs = [abs(np.log(pose.focal / max(image_size) / FOCAL_PRIOR)) + 0.05 * i for i, pose in enumerate(poses)]
    return poses[int(np.argmin(costs))]


def _stretched(spec: BoardSpec, ratio: float) -> BoardSpec:
    middle = np.sqrt(spec.across * spec.along)
    return replace(spec, across=float(middle / np.sqrt(ratio)), along=float(middle * np.sqrt(ratio)))
