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

from kifuwatch.datasets.networks import export

Sample = tuple[NDArray[np.float32], NDArray[np.float32]]
RELIST = 3000  # samples after which the folder is listed anew: scenes may still be arriving
REPORT = 200  # steps between two lines of progress, each with a checkpoint


@dataclass(frozen=True)
class Task:
    """One network to train.

    ``prepare(scenes, cache, number)`` stores a scene as the network needs it, ``draw(path, rng)`` makes a sample of
    it: a picture (3, h, w) in 0..1 and its targets. ``loss(maps, targets)`` gives the loss and a figure to watch.
    """

    name: str
    net: Callable[[int], nn.Module]
    width: int
    batch: int
    rate: float
    example: tuple[int, int]
    watched: str
    prepare: Callable[[Path, Path, str], None]
    draw: Callable[[Path, np.random.Generator], Sample]
    loss: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


class Samples(torch.utils.data.IterableDataset[Sample]):
    """Samples of random scenes; scenes are prepared when first met."""

    def __init__(self, task: Task, scenes: Path, cache: Path, seed: int) -> None:
        self.task, self.scenes, self.cache, self.seed = task, scenes, cache, seed

    def __iter__(self) -> Iterator[Sample]:
        cv2.setNumThreads(1)
        rng = np.random.default_rng(self.seed)
        numbers: list[str] = []
        for count in itertools.count():
            if count % RELIST == 0:
                numbers = sorted(path.stem for path in self.scenes.glob("*.json"))
            number = numbers[int(rng.integers(0, len(numbers)))]
            prepared = self.cache / f"{number}.npz"
            if not prepared.exists():
                self.task.prepare(self.scenes, self.cache, number)
            yield self.task.draw(prepared, rng)


def run(task: Task, description: str | None) -> None:
    """The command line of a training: train for some minutes, resume where a checkpoint lies, write the network."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("scenes", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--batch", type=int, default=task.batch)
    parser.add_argument("--rate", type=float, default=task.rate)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1, help="another one for each run that resumes")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    cache = options.scenes.parent / f"{options.scenes.name}-{task.name}"
    cache.mkdir(exist_ok=True)
    net = task.net(task.width).to(memory_format=torch.channels_last)
    checkpoint = options.out.with_suffix(".pt")
    if checkpoint.exists():
        net.load_state_dict(torch.load(checkpoint, weights_only=True))
    samples = Samples(task, options.scenes, cache, options.seed)
    loader = torch.utils.data.DataLoader(samples, batch_size=options.batch, num_workers=1, prefetch_factor=4)
    _learn(task, net, loader, options.minutes, options.rate, checkpoint)
    torch.save(net.state_dict(), checkpoint)
    export(net, torch.zeros(1, 3, *task.example), options.out)


def _learn(
    task: Task,
    net: nn.Module,
    loader: torch.utils.data.DataLoader[Sample],
    minutes: float,
    rate: float,
    checkpoint: Path,
) -> None:
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-4)
    begin, mean, watched_mean = time.monotonic(), 0.0, 0.0
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
        mean, watched_mean = 0.98 * mean + 0.02 * loss.item(), 0.98 * watched_mean + 0.02 * watched.item()
        if step % REPORT == 0:
            print(f"step {step} {done:.0%} loss {mean:.4f} {task.watched} {watched_mean:.5f}", flush=True)
            torch.save(net.state_dict(), checkpoint)
