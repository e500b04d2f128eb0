"""Train the finder network on rendered scenes: ``python -m kifuwatch.datasets.train_finder SCENES... OUT``.

Each sample is a rendered picture under a random zoom, turn and tilt, cut to a square. At a quarter of its size the
network says where grid points are (under stones too), which of them are corners of the grid, what is board, and how
large a pitch is.
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from kifuwatch.datasets.augment import degrade
from kifuwatch.datasets.make_scenes import load
from kifuwatch.datasets.networks import FinderNet
from kifuwatch.datasets.training import Task, run

SIDE, STRIDE, STORED_SIDE = 320, 4, 640


def prepare(scenes: Path, cache: Path, number: str) -> None:
    """Store one scene at no more than STORED_SIDE pixels with the pixels of its points."""
    scene = load(scenes / f"{number}.json")
    image = cv2.imread(str(scenes / f"{number}.jpg"))
    assert image is not None
    height, width = image.shape[:2]
    factor = min(1.0, STORED_SIDE / max(height, width))
    small = cv2.resize(image, (round(width * factor), round(height * factor)), interpolation=cv2.INTER_AREA)
    pose = scene.pose.scaled(factor, (small.shape[1], small.shape[0]))
    size = pose.size
    line, col = np.mgrid[0:size, 0:size]
    points = pose.project(np.column_stack([col.ravel(), line.ravel()])).reshape(size, size, 2)
    np.savez(cache / f"{number}.npz", picture=small, points=points.astype(np.float32), covered=scene.covered)


def sample(path: Path, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """One sample: picture (3, SIDE, SIDE) in 0..1 and targets (7, n, n): point, board, corner, offset x y, log pitch,
    use of offsets."""
    data = np.load(path)
    picture, points = data["picture"], data["points"]
    warp = _view(picture.shape, points, rng)
    border = int(rng.choice([cv2.BORDER_CONSTANT, cv2.BORDER_REPLICATE]))
    flags = cv2.INTER_AREA if abs(np.linalg.det(warp[:2, :2])) < 0.5 else cv2.INTER_LINEAR
    beyond = rng.integers(0, 255, 3).tolist()
    warped = cv2.warpPerspective(picture, warp, (SIDE, SIDE), flags=flags, borderMode=border, borderValue=beyond)
    image = np.asarray(warped, dtype=np.uint8)
    if rng.random() < 0.12:
        image = _tight(image, points, warp, rng)
    place = cv2.perspectiveTransform(points.reshape(1, -1, 2), warp).reshape(points.shape)
    if rng.random() < 0.5:
        image, place = np.ascontiguousarray(image[:, ::-1]), place[:, ::-1] * [-1, 1] + [SIDE - 1, 0]
    values = degrade(image, rng).transpose(2, 0, 1).astype(np.float32) / np.float32(255)
    return values, _targets(place, data["covered"])


def _tight(
    image: NDArray[np.uint8], points: NDArray[np.float32], warp: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.uint8]:
    """Blank everything beyond a random rectangle near the board: letterboxes and frames of other programs."""
    place = cv2.perspectiveTransform(points.reshape(1, -1, 2), warp).reshape(-1, 2)
    low, high = place.min(axis=0) - rng.uniform(4, 40, 2), place.max(axis=0) + rng.uniform(4, 40, 2)
    framed = np.empty_like(image)
    framed[:] = rng.integers(0, 256, 3)
    x0, y0 = np.clip(low, 0, SIDE).astype(int)
    x1, y1 = np.clip(high, 0, SIDE).astype(int)
    framed[y0:y1, x0:x1] = image[y0:y1, x0:x1]
    return framed


def _view(shape: tuple[int, ...], points: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float64]:
    """A random homography from the picture to the square: whole picture, board filling it, or between; turned and
    tilted."""
    height, width = shape[:2]
    corners = points[[0, 0, -1, -1], [0, -1, -1, 0]]
    span = float(np.ptp(corners, axis=0).max())
    pitch = np.sqrt(cv2.contourArea(corners)) / (len(points) - 1)
    kind = rng.random()
    if kind < 0.3:
        scale, middle = SIDE / max(height, width), np.array([width, height]) / 2
    else:
        scale = SIDE / span * rng.uniform(0.4, 1.02 if kind < 0.9 else 1.3)
        middle = corners.mean(axis=0) + rng.normal(0, 0.05, 2) * span
    scale = float(np.clip(scale * np.exp(rng.normal(0, 0.05)), 5.5 / pitch, 64 / pitch))
    angle = rng.normal(0, 0.12) if rng.random() < 0.7 else rng.uniform(0, 6.28)
    if rng.random() < 0.3:
        angle += rng.integers(0, 4) * np.pi / 2
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]) @ np.diag(
        np.exp(rng.normal(0, 0.06, 2))
    )
    warp = np.eye(3)
    warp[:2, :2] = scale * turn
    warp[:2, 2] = (SIDE - 1) / 2 - warp[:2, :2] @ middle + rng.normal(0, 0.03, 2) * SIDE
    tilt = np.eye(3)
    tilt[2, :2] = rng.normal(0, 0.12, 2) / SIDE
    centre = np.array([[1, 0, -SIDE / 2], [0, 1, -SIDE / 2], [0, 0, 1.0]])
    view: NDArray[np.float64] = np.linalg.inv(centre) @ tilt @ centre @ warp
    return view


def _targets(place: NDArray[np.float32], covered: NDArray[np.float32]) -> NDArray[np.float32]:
    cells = SIDE // STRIDE
    spot = (place.astype(np.float64) + 0.5) / STRIDE - 0.5  # in cells, whose centres are integers
    size = len(place)
    steps = np.stack([np.linalg.norm(np.gradient(spot, axis=axis), axis=2) for axis in (0, 1)])
    pitch = np.sqrt(steps[0] * steps[1])
    out = np.zeros((7, cells, cells), np.float32)
    board = np.zeros((cells, cells), np.uint8)
    ring = spot[[0, 0, -1, -1], [0, -1, -1, 0]]
    cv2.fillPoly(board, [np.round(ring).astype(np.int32)], 1)
    out[1] = board
    strength = np.where(covered < 0.5, 1.0, 0.6)  # hidden points are asked for with less insistence
    edge = np.isin(np.arange(size), (0, size - 1))
    inside = np.all((spot >= -0.5) & (spot < cells - 0.5), axis=2)
    _mark(out, spot[inside], pitch[inside], strength[inside], (edge[:, None] & edge[None])[inside])
    return out


def _mark(
    out: NDArray[np.float32],
    spot: NDArray[np.float64],
    pitch: NDArray[np.float64],
    strength: NDArray[np.float64],
    corner: NDArray[np.bool_],
) -> None:
    """Draw points (n, 2) into the target maps: a hill each, and what is to be regressed around its top."""
    cells = out.shape[1]
    reach = np.arange(-3, 4)
    gx = np.round(spot[:, 0]).astype(int)[:, None, None] + reach[None, None, :] + 0 * reach[None, :, None]
    gy = np.round(spot[:, 1]).astype(int)[:, None, None] + reach[None, :, None] + 0 * reach[None, None, :]
    dx, dy = spot[:, 0, None, None] - gx, spot[:, 1, None, None] - gy
    sigma = np.clip(0.16 * pitch, 0.5, 1.5)[:, None, None]
    heat = strength[:, None, None] * np.exp(-(dx**2 + dy**2) / (2 * sigma**2))
    wide = np.where(corner[:, None, None], np.exp(-(dx**2 + dy**2) / (2 * (2 * sigma) ** 2)), 0)
    log_pitch = np.broadcast_to(np.log(pitch * STRIDE)[:, None, None], heat.shape)
    on = (gx >= 0) & (gx < cells) & (gy >= 0) & (gy < cells)
    order = np.argsort(heat[on])  # of two hills on one cell the higher is written last
    y, x = gy[on][order], gx[on][order]
    for channel, values in ((0, heat), (3, dx), (4, dy), (5, log_pitch), (6, heat > 0.3)):
        out[channel, y, x] = values[on][order]
    np.maximum.at(out[2], (y, x), wide[on][order])


def loss_of(maps: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """The training loss, and its part for points (1,)."""
    point = _focal(maps[:, 0], targets[:, 0])
    corner = _focal(maps[:, 2], targets[:, 2])
    board = functional.binary_cross_entropy_with_logits(maps[:, 1], targets[:, 1])
    use = targets[:, 6] > 0
    offset = functional.l1_loss(maps[:, 3:5].permute(0, 2, 3, 1)[use], targets[:, 3:5].permute(0, 2, 3, 1)[use])
    pitch = functional.l1_loss(maps[:, 5][use], targets[:, 5][use])
    return point + 0.3 * corner + 0.5 * board + 0.5 * offset + 0.2 * pitch, point[None]


def _focal(logits: Tensor, target: Tensor) -> Tensor:
    """Cross entropy with soft targets, weighed by how far off it is (after Li et al., Generalized Focal Loss, 2020),
    a peak."""
    weight = (torch.sigmoid(logits) - target).abs() ** 1.5
    loss = functional.binary_cross_entropy_with_logits(logits, target, reduction="none") * weight.detach()
    return loss.sum() / target.sum().clamp(min=1) * 0.5


def main() -> None:
    """Train the network for a number of minutes and write it."""
    run(
        Task(
            name="finder",
            net=FinderNet,
            width=16,
            batch=10,
            rate=2.5e-3,
            watched=("point",),
            prepare=prepare,
            draw=sample,
            loss=loss_of,
        ),
        __doc__,
    )


if __name__ == "__main__":
    main()
