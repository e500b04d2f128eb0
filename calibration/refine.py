"""Refine a pose: least squares over all grid points, on the homography and the lens together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.calibration.spec import BoardSpec

Array = NDArray[np.float64]

LENS_SD = 0.08  # radial distortion of ordinary cameras, at a focal length from the centre
RATIOS = (1.065, 1.0, 1 / 1.065)  # as the codes say, square, and the same board looked at from its side


def refit(
    pose: BoardPose, lattice: Array, pixels: Array, weights: Array, lens: bool = True
) -> tuple[BoardPose, float]:
    """The pose that best takes lattice coordinates (n, 2) to pixels (n, 2), and the error that is left (rms, in pitches).

    ``weights`` (n,) say how far each is to be trusted; outliers count less (Huber, 0.1 pitch). With ``lens`` the radial
    distortion ``k1`` is fitted too, held near none.
    """
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
        prior = 0.02 * parameters[8] / LENS_SD * np.sqrt(len(lattice) / 361)
        return np.append(error, prior if lens else 50 * (parameters[8] - pose.k1))

    begin = np.append(np.zeros(8), pose.k1)
    solution = least_squares(residuals, begin, method="trf", loss="huber", f_scale=0.1, max_nfev=12, x_scale="jac")
    matrix = np.append(start.ravel()[:8] + solution.x[:8] * scale, 1.0).reshape(3, 3)
    fitted = with_likely_ratio(matrix, pose.spec, pose.image_size, float(np.clip(solution.x[8], -0.5, 0.5)))
    error = np.linalg.norm(fitted.project(lattice) - pixels, axis=1) / pitch
    return fitted, float(np.sqrt(np.average(error**2, weights=weights)))


def with_likely_ratio(homography: Array, spec: BoardSpec, image_size: tuple[int, int], k1: float = 0.0) -> BoardPose:
    """The pose of a homography, with the pitch ratio among RATIOS that needs the least unusual lens."""
    poses = [
        BoardPose.from_homography(homography, _stretched(spec, ratio), image_size, k1) for ratio in RATIOS
    ]
    costs = [abs(np.log(pose.focal / max(image_size) / 0.85)) + 0.05 * index for index, pose in enumerate(poses)]
    return poses[int(np.argmin(costs))]


def _stretched(spec: BoardSpec, ratio: float) -> BoardSpec:
    middle = np.sqrt(spec.across * spec.along)
    return BoardSpec(
        spec.size, float(middle / np.sqrt(ratio)), float(middle * np.sqrt(ratio)), spec.stone_diameter,
        spec.stone_thickness, spec.margin, spec.name,
    )
