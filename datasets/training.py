"""What both trainings share: samples from a folder of rendered scenes, for ever, and the loop that learns from them."""

from __future__ import annotations

import argparse
import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from kifuwatch.datasets.networks import CloseUpNet, FinderNet

Sample = tuple[NDArray[np.float32], NDArray[np.float32]]
RELIST = 3000  # samples after which the folder is listed anew: scenes may still be arriving
MEASURED = 25  # batches from which the normalisation of a mean of networks is measured
REPORT = 200  # steps between two lines of progress, each with a checkpoint


@dataclass(frozen=True)
class Task:
    """One network to train.

    ``prepare(scenes, cache, number)`` stores a scene as the network needs it, ``draw(path, rng)`` makes a sample of
    it: a picture (channels, h, w) in 0..1 and its targets. ``loss(maps, targets)`` gives the loss and as many figures
    to watch as ``watched`` names.
    """

    name: str
    net: Callable[[int], CloseUpNet | FinderNet]
    width: int
    batch: int
    rate: float
    watched: tuple[str, ...]
    prepare: Callable[[Path, Path, str], None]
    draw: Callable[[Path, np.random.Generator], Sample]
    loss: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


class Samples(torch.utils.data.IterableDataset[Sample]):
    """Samples of random scenes, as many of each folder; scenes are prepared when first met."""

    def __init__(self, task: Task, folders: list[Path], seed: int) -> None:
        self.task, self.folders, self.seed = task, folders, seed

    def __iter__(self) -> Iterator[Sample]:
        cv2.setNumThreads(1)
        rng = np.random.default_rng(self.seed)
        numbers: list[list[str]] = []
        for count in itertools.count():
            if count % RELIST == 0:
                numbers = [sorted(path.stem for path in folder.glob("*.json")) for folder in self.folders]
            which = int(rng.integers(len(self.folders)))
            folder, number = self.folders[which], numbers[which][int(rng.integers(len(numbers[which])))]
            prepared = folder.parent / f"{folder.name}-{self.task.name}" / f"{number}.npz"
            if not prepared.exists():
                prepared.parent.mkdir(exist_ok=True)
                self.task.prepare(folder, prepared.parent, number)
            yield self.task.draw(prepared, rng)


def run(task: Task, description: str | None) -> None:
    """The command line of a training: train for some minutes, resume where a checkpoint lies, write the network."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("scenes", type=Path, nargs="+", help="folders; who is named twice is drawn twice as often")
    parser.add_argument("out", type=Path, help="a folder: the network, and from where another run goes on")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--batch", type=int, default=task.batch)
    parser.add_argument("--rate", type=float, default=task.rate)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1, help="another one for each run that resumes")
    parser.add_argument(
        "--mean",
        type=Path,
        nargs="+",
        metavar="CHECKPOINT",
        help="instead of training, write the mean of these networks",
    )
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    net = task.net(task.width).to(memory_format=torch.channels_last)
    checkpoint = options.out / f"{task.name}.pt"
    options.out.mkdir(parents=True, exist_ok=True)
    if checkpoint.exists():
        net.load_state_dict(torch.load(checkpoint, weights_only=True))
    samples = Samples(task, options.scenes, options.seed)
    loader = torch.utils.data.DataLoader(samples, batch_size=options.batch, num_workers=1, prefetch_factor=4)
    if options.mean:
        average(net, options.mean, (images for images, _ in loader))
    else:
        _learn(task, net, loader, options.minutes, options.rate, checkpoint)
    torch.save(net.state_dict(), checkpoint)
    net.eval().export(options.out, task.name)


def average(net: nn.Module, checkpoints: list[Path], batches: Iterator[Tensor]) -> None:
    """Give a network the mean weights of checkpoints of one training, and measure its normalisation anew.

    The mean of the ends of several runs errs less than each of them (P. Izmailov and others, "Averaging Weights Leads
    to Wider Optima and Better Generalization", 2018). ``batches`` are pictures as it sees them in training.
    """
    states = [torch.load(path, weights_only=True) for path in checkpoints]
    mean = {name: sum(state[name].double() for state in states) / len(states) for name in states[0]}
    net.load_state_dict({name: value.to(states[0][name].dtype) for name, value in mean.items()})
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.reset_running_stats()
            module.momentum = None  # the plain mean over all batches
    net.train()
    with torch.no_grad():
        for pictures in itertools.islice(batches, MEASURED):
            net(pictures)


def _learn(
    task: Task,
    net: nn.Module,
    loader: torch.utils.data.DataLoader[Sample],
    minutes: float,
    rate: float,
    checkpoint: Path,
) -> None:
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-4)
    begin, mean, watched_mean = time.monotonic(), 0.0, np.zeros(len(task.watched))
    net.train()
    for step, (images, targets) in enumerate(loader):
        done = (time.monotonic() - begin) / 60 / minutes
        if done >= 1:
            return
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1, step / 100 + 0.01) * (0.5 + 0.5 * np.cos(np.pi * done)) + 1e-6
        with torch.autocast("cpu", torch.bfloat16):
            maps = net(images.to(memory_format=torch.channels_last))
        loss, watched = task.loss(maps.float(), targets)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        mean, watched_mean = 0.98 * mean + 0.02 * loss.item(), 0.98 * watched_mean + 0.02 * watched.detach().numpy()
        if step % REPORT == 0:
            figures = " ".join(f"{name} {value:.5f}" for name, value in zip(task.watched, watched_mean, strict=True))
            print(f"step {step} {done:.0%} loss {mean:.4f} {figures}", flush=True)
            torch.save(net.state_dict(), checkpoint)
