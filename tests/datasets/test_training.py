"""What becomes of trained weights: their mean, and the files that are written. Needs the extra ``train``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs the extra kifuwatch[train]")
pytest.importorskip("onnx", reason="training needs the extra kifuwatch[train]")

from kifuwatch.calibration.closeup import PARTS  # noqa: E402
from kifuwatch.calibration.network import NetworkInParts  # noqa: E402
from kifuwatch.datasets.networks import PLANES, SHARPER, CloseUpNet  # noqa: E402
from kifuwatch.datasets.train_closeup import (  # noqa: E402
    CELLS,
    COVERED,
    HIDDEN_COUNTS,
    IGNORED,
    PITCH,
    loss_of,
    on_board,
)
from kifuwatch.datasets.training import average  # noqa: E402


def net(seed: int) -> CloseUpNet:
    torch.manual_seed(seed)
    return CloseUpNet(8)


def test_the_mean_of_networks_has_the_mean_weights_and_a_normalisation_of_its_own(tmp_path: Path) -> None:
    paths = [tmp_path / f"{seed}.pt" for seed in (1, 2, 3)]
    nets = [net(seed) for seed in (1, 2, 3)]
    for one, path in zip(nets, paths, strict=True):
        torch.save(one.state_dict(), path)
    mean = net(4)
    average(mean, paths, iter([torch.rand(4, PLANES, 16, 16) for _ in range(3)]))
    first = [one.state_dict()["parts.0.0.0.weight"] for one in (*nets, mean)]
    assert torch.allclose(first[3], (first[0] + first[1] + first[2]) / 3, atol=1e-6)
    assert mean.state_dict()["parts.0.0.1.num_batches_tracked"] == 3


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_written_network_says_what_the_trained_one_says_only_surer_of_stones(tmp_path: Path) -> None:
    trained = net(5).eval()
    trained.export(tmp_path, "closeup")
    planes = np.random.default_rng(1).random((PLANES, 24, 32), dtype=np.float32)
    written = NetworkInParts("closeup", PARTS, tmp_path)(planes)
    with torch.no_grad():
        said = trained(torch.from_numpy(planes)[None])[0].numpy()
    assert written.shape == (9, 6, 8)
    assert np.allclose(written[:4], SHARPER * said[:4], atol=0.02)
    assert np.allclose(written[4:], said[4:], atol=0.02)


def loss_of_one_point(truth: int, read: int) -> tuple[float, list[float]]:
    """The loss and the figures where only one point is to be read, and is taken for something else."""
    maps, targets = torch.zeros(1, 9, CELLS, CELLS), torch.zeros(1, 7, CELLS, CELLS)
    targets[:, :2] = IGNORED
    targets[0, 0, 3, 4], maps[0, read, 3, 4] = truth, 5.0
    targets[0, 1, 0, 0], targets[0, 6, 0, 0], maps[0, 4, 0, 0] = 1, 1, 50.0  # a point that is seen where it is
    loss, figures = loss_of(maps, targets)
    return loss.item(), figures.tolist()


def test_a_hand_taken_for_a_stone_is_worse_than_a_stone_taken_for_a_hand() -> None:
    taken, missed = loss_of_one_point(COVERED, 1), loss_of_one_point(1, COVERED)
    assert taken[0] == pytest.approx(HIDDEN_COUNTS * missed[0])
    assert (taken[1], missed[1]) == ([1.0, 1.0], [1.0, 0.0])


def test_points_and_stones_of_a_window_are_where_its_targets_say() -> None:
    targets = np.zeros((7, CELLS, CELLS), np.float32)
    targets[0], targets[6, 3:5, 4] = IGNORED, 1
    targets[0, 3, 4], targets[2:6, 3, 4] = 2, (0.25, -0.125, 0.5, 0.0)  # a white stone beside its point, right of it
    targets[0, 4, 4] = COVERED
    board = on_board(targets)
    middle = np.array([4.5, 3.5]) * PITCH - 0.5
    np.testing.assert_allclose(board.points, (middle + np.array([0.25, -0.125]) * PITCH)[None])
    np.testing.assert_allclose(board.stones, (middle + np.array([0.5, 0.0]) * PITCH)[None])
    assert board.black.tolist() == [False]
