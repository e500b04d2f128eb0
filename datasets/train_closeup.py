"""Train the close-up network on rendered scenes: ``python -m kifuwatch.datasets.train_closeup SCENES... OUT``.

Each sample is a window of 15 x 15 cells of a straightened board, a little off as a first fit leaves it; a few show
another grid. The network learns what lies at each point, whether something hides it, whether there is a point at all
(so that a grid off by a line shows), and how far the point is from the middle of its cell (so that the fit can be
refined).
"""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from kifuwatch.calibration.closeup import planes_of
from kifuwatch.calibration.rectify import Rectifier, camera_side
from kifuwatch.core.points import BLACK, EMPTY, WHITE
from kifuwatch.datasets.augment import degrade
from kifuwatch.datasets.make_scenes import load
from kifuwatch.datasets.networks import CloseUpNet
from kifuwatch.datasets.not_boards import CELL, no_board
from kifuwatch.datasets.surface import OnBoard, disturb
from kifuwatch.datasets.training import Task, run

PITCH, CELLS, STORED_PITCH, STORED_MARGIN = 16, 15, 24, 4
LABELS = {EMPTY: 0, BLACK: 1, WHITE: 2}
COVERED, IGNORED = 3, -1
HIDDEN_COUNTS = 2.0  # so much more than others counts a point that is hidden: a hand taken for a stone is a false alarm
NO_BOARDS = 0.03  # of the windows show another grid than a board's
FAR_COUNTS = 100.0  # so much more, per square pitch, does the place of a stone count that lies off its point


def prepare(scenes: Path, cache: Path, number: str) -> None:
    """Straighten one scene and store it with its labels, ready for :func:`window`."""
    scene = load(scenes / f"{number}.json")
    image = cv2.imread(str(scenes / f"{number}.jpg"))
    assert image is not None
    rng = np.random.default_rng(int(number))
    free = scene.pose.elevation > 65 or rng.random() < 0.1
    turn = int(rng.integers(0, 4)) if free else camera_side(scene.pose)
    pose, layout = scene.pose.turned(turn), scene.layout.turned(turn)
    covered, offsets = np.rot90(scene.covered, -turn), np.rot90(scene.offsets, -turn)
    for _ in range(turn):
        offsets = np.dstack([offsets[..., 1], -offsets[..., 0]])
    size = layout.size
    line, col = np.mgrid[0:size, 0:size]
    pixels = pose.project(np.column_stack([col.ravel(), line.ravel()])).reshape(size, size, 2)
    outside = np.any((pixels < 0) | (pixels > np.array(pose.image_size) - 1), axis=2)
    labels = np.array([LABELS[cell] for cell in layout.cells]).reshape(size, size)
    labels = np.where(covered > 0.12, IGNORED, labels)
    labels = np.where((covered > 0.5) | outside, COVERED, labels)
    picture = Rectifier(pose, STORED_PITCH, STORED_MARGIN)(np.asarray(image, dtype=np.uint8))
    np.savez(
        cache / f"{number}.npz", picture=picture, labels=labels.astype(np.int8), offsets=offsets.astype(np.float32)
    )


def window(path: Path, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """One sample: planes (24, side / 4, side / 4) in 0..1 and targets (7, CELLS, CELLS): label, point, offsets x y,
    stone x y, use of offsets."""
    if rng.random() < NO_BOARDS:
        return planes_of(degrade(_grid_that_is_none(rng), rng)), _nothing()
    data = np.load(path)
    picture, labels, stones = data["picture"], data["labels"], data["offsets"]
    size = len(labels)
    first = (
        rng.integers(-3, max(size + 3 - CELLS, -3) + 1, 2)
        if size + 6 > CELLS
        else np.array([-3, -3]) + rng.integers(-2, 3, 2)
    )
    wrong = rng.random() < 0.08
    lattice = _wrong_grid(rng, size) if wrong else _jitter(rng, first.astype(float))
    side = CELLS * PITCH
    to_cells = np.array([[1 / PITCH, 0, 0.5 / PITCH - 0.5], [0, 1 / PITCH, 0.5 / PITCH - 0.5], [0, 0, 1]])
    half = (STORED_PITCH - 1) / 2
    to_stored = np.array(
        [
            [STORED_PITCH, 0, STORED_MARGIN * STORED_PITCH + half],
            [0, STORED_PITCH, STORED_MARGIN * STORED_PITCH + half],
            [0, 0, 1.0],
        ]
    )
    warp = to_stored @ lattice @ to_cells
    image = cv2.warpPerspective(picture, warp, (side, side), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    targets = _nothing() if wrong else _targets(lattice, labels, stones)
    if not wrong:
        image = disturb(np.asarray(image, dtype=np.uint8), on_board(targets), rng)
    if rng.random() < 0.5:
        image, targets = image[:, ::-1], targets[:, :, ::-1].copy()
        targets[[2, 4]] *= -1
    image = degrade(np.ascontiguousarray(image), rng)
    return planes_of(image), targets


def _jitter(rng: np.random.Generator, first: NDArray[np.float64]) -> NDArray[np.float64]:
    """A homography from cells to lattice coordinates: the window's place, and the error of a first fit."""
    spread = 0.5 if rng.random() < 0.25 else 0.22
    angle, scale = rng.normal(0, 0.01), np.exp(rng.normal(0, 0.012, 2))
    linear = np.array(
        [[scale[0] * np.cos(angle), -np.sin(angle)], [np.sin(angle), scale[1] * np.cos(angle)]]
    ) + rng.normal(0, 0.006, (2, 2))
    middle = (CELLS - 1) / 2
    shift = first + middle - linear @ [middle, middle] + rng.uniform(-spread, spread, 2)
    homography = np.eye(3)
    homography[:2, :2], homography[:2, 2] = linear, shift
    homography[2, :2] = rng.normal(0, 0.0006, 2)
    return homography


def _wrong_grid(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    """A homography from cells to lattice coordinates that no board has: along diagonals, sheared, or of a wrong
    pitch."""
    kind = rng.integers(0, 4)
    linear = np.array([[1.0, -1.0], [1.0, 1.0]]) if kind == 0 else np.eye(2)
    if kind == 1:
        linear = np.array([[1.0, rng.choice([-1.0, 1.0])], [0.0, 1.0]])
    elif kind == 2:
        linear = linear * rng.choice([0.5, 2.0, rng.uniform(0.6, 0.78), rng.uniform(1.28, 1.7)])
    elif kind == 3:
        linear = np.diag(rng.permutation([1.0, rng.choice([0.5, 2.0, 1.5, 0.67])]))
    if rng.random() < 0.5:
        linear = linear.T
    homography = np.eye(3)
    middle = rng.uniform(0.2, 0.8, 2) * (size - 1)
    homography[:2, :2] = linear
    homography[:2, 2] = np.round(middle) - linear @ np.full(2, (CELLS - 1) // 2) + rng.uniform(-0.3, 0.3, 2)
    return homography


def _grid_that_is_none(rng: np.random.Generator) -> NDArray[np.uint8]:
    """A window (side, side, 3) onto a chessboard or the like, taken for a board as a first fit would."""
    side, cells = CELLS * PITCH, CELLS + 6
    lattice = _jitter(rng, np.zeros(2))
    to_cells = np.array([[1 / PITCH, 0, 0.5 / PITCH - 0.5], [0, 1 / PITCH, 0.5 / PITCH - 0.5], [0, 0, 1]])
    to_drawn = np.array([[CELL, 0, 3 * CELL - 0.5], [0, CELL, 3 * CELL - 0.5], [0, 0, 1.0]])
    picture = cv2.GaussianBlur(no_board(cells, rng), (0, 0), 0.5 * CELL / PITCH)
    warp = to_drawn @ lattice @ to_cells
    image = cv2.warpPerspective(picture, warp, (side, side), flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP)
    return np.asarray(image, dtype=np.uint8)


def _nothing() -> NDArray[np.float32]:
    targets = np.zeros((7, CELLS, CELLS), np.float32)
    targets[0] = IGNORED
    return targets


def _targets(
    lattice: NDArray[np.float64], labels: NDArray[np.int8], stones: NDArray[np.float32]
) -> NDArray[np.float32]:
    size = len(labels)
    j, i = np.meshgrid(np.arange(CELLS), np.arange(CELLS))
    cells = np.stack([j, i, np.ones_like(i)], axis=-1) @ lattice.T
    place = cells[..., :2] / cells[..., 2:]
    near = np.round(place).astype(int)
    off = near - place  # where the point is from the middle of the cell: right and down
    inside = np.all((near >= 0) & (near < size), axis=2)
    u, v = np.clip(near[..., 0], 0, size - 1), np.clip(near[..., 1], 0, size - 1)
    label = np.where(inside, labels[v, u], IGNORED)
    doubtful = np.any(np.abs(off) > 0.4, axis=2)
    label = np.where(doubtful, IGNORED, label)
    stone = off + stones[v, u] * [1, -1]
    use = inside & ~doubtful
    point = np.where(doubtful, IGNORED, inside)
    return np.stack([label, point, off[..., 0], off[..., 1], stone[..., 0], stone[..., 1], use]).astype(np.float32)


def on_board(targets: NDArray[np.float32]) -> OnBoard:
    """Where points and stones are in a window, in its pixels."""
    row, col = np.mgrid[0:CELLS, 0:CELLS]
    middles = (np.dstack([col, row]) + 0.5) * PITCH - 0.5
    point = (targets[6] > 0) & (targets[0] != COVERED)
    stone = (targets[0] == LABELS[BLACK]) | (targets[0] == LABELS[WHITE])
    places = [middles + PITCH * targets[k : k + 2].transpose(1, 2, 0) for k in (2, 4)]
    dark = targets[0][stone] == LABELS[BLACK]
    return OnBoard(places[0][point].astype(float), places[1][stone].astype(float), dark, PITCH)


def loss_of(maps: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """The training loss; the share of misread points, and that of hidden points read as a stone."""
    label = targets[:, 0].long()
    known = label >= 0
    logits = maps[:, :4].permute(0, 2, 3, 1)[known]
    reading = functional.cross_entropy(logits, label[known], reduction="none")
    hard = reading * (1 + 2 * (1 - torch.exp(-reading.detach())))  # what is misread counts up to three times
    hard = hard * torch.where(label[known] == COVERED, HIDDEN_COUNTS, 1.0)
    point = functional.binary_cross_entropy_with_logits(maps[:, 4], targets[:, 1].clamp(min=0), reduction="none")[
        targets[:, 1] >= 0
    ]
    use = targets[:, 6] > 0
    off = functional.smooth_l1_loss(
        maps[:, 5:7].permute(0, 2, 3, 1)[use], targets[:, 2:4].permute(0, 2, 3, 1)[use], beta=0.05
    )
    stone = use & ((label == 1) | (label == 2))
    place = targets[:, 2:6].permute(0, 2, 3, 1)[stone]
    centre = functional.smooth_l1_loss(
        maps[:, 7:9].permute(0, 2, 3, 1)[stone], place[:, 2:], beta=0.05, reduction="none"
    )
    # Nearly all stones lie on their points, so lines tell nearly as much as rims. Those that do not teach to see rims.
    away = (place[:, 2:] - place[:, :2]).square().sum(dim=1, keepdim=True)
    centre = torch.nan_to_num((centre * (1 + FAR_COUNTS * away)).mean())
    read, truth = logits.argmax(1), label[known]
    wrong = (read != truth).float().mean()
    taken = torch.nan_to_num(((read == 1) | (read == 2))[truth == COVERED].float().mean())
    return hard.mean() + 0.5 * point.mean() + 2 * off + centre, torch.stack([wrong, taken])


def main() -> None:
    """Train the network for a number of minutes and write it."""
    run(
        Task(
            name="closeup",
            net=CloseUpNet,
            width=24,
            batch=24,
            rate=3e-3,
            watched=("wrong", "hidden read as stones"),
            prepare=prepare,
            draw=window,
            loss=loss_of,
        ),
        __doc__,
    )


if __name__ == "__main__":
    main()
