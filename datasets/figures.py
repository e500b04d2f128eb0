"""Figures: shares, costs, and results split by where the data comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

R = TypeVar("R")
F = TypeVar("F")


@dataclass(frozen=True)
class CpuCost:
    """Processor time, in seconds of all threads together: of the whole pipeline, and of only decoding the same."""

    pipeline: float
    decoding: float


def share(part: float, whole: float, digits: int = 4) -> float | None:
    """``part`` of ``whole``, rounded; None where there is no whole."""
    return round(part / whole, digits) if whole else None


def cost_ratio(costs: Sequence[CpuCost]) -> float | None:
    """How many times the processor time of decoding the pipeline takes; what was not decoded at all is left out."""
    decoded = [cost for cost in costs if cost.decoding > 0]
    return share(sum(cost.pipeline for cost in decoded), sum(cost.decoding for cost in decoded), digits=2)


def percentile(values: Sequence[float], percent: float) -> float | None:
    """The value below which ``percent`` of the values lie; None of no values."""
    return round(float(np.percentile(values, percent)), 3) if values else None


def by_group(
    results: Sequence[R], group: Callable[[R], str], add_up: Callable[[Sequence[R]], F]
) -> tuple[dict[str, F], F]:
    """The figures of each group, by name, and of all together."""
    names = sorted({group(each) for each in results})
    groups = {name: add_up([each for each in results if group(each) == name]) for name in names}
    return groups, add_up(results)
