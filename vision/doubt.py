"""Doubt that means something: raw scores of the networks as probabilities that hold.

Of points said to be read right with a probability of 0.98, 98 of 100 should be; so with boards. A few numbers do that,
fitted on rendered scenes that no network was trained on (``python -m kifuwatch.datasets.reliability``), stored in
``weights/doubt.json`` together with what they were made from.

Points: temperature scaling (C. Guo et al., On Calibration of Modern Neural Networks, ICML 2017), apart for points in
view and for covered ones. Boards: a logistic regression on the finder's score and on how many errors the points
themselves expect.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FILE = "doubt.json"
SOME_ERRORS = 2  # a board with more errors than this counts as read wrongly
LEAST, MOST = 0.001, 0.9999


@dataclass(frozen=True)
class Doubt:
    """The numbers: temperatures (1 leaves things as they are) of points in ``view`` and ``covered`` ones; ``bias`` and
    weights of the board's ``score`` (its logit) and of the expected ``errors`` (their logarithm)."""

    view: float = 1.0
    covered: float = 1.0
    bias: float = 0.0
    score: float = 1.0
    errors: float = 0.0

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Doubt:
        """What a file of these numbers says."""
        return cls(**{name: float(data[name]) for name in ("view", "covered", "bias", "score", "errors")})

    def of_points(self, chances: NDArray[np.floating[Any]], covered: NDArray[np.bool_]) -> Floats:
        """Probabilities (..., 3) of empty, black and white from raw ones; ``covered`` (...) tells the kinds apart."""
        temperature = np.where(covered, self.covered, self.view)[..., None]
        scaled = np.log(np.clip(chances.astype(np.float64), 1e-12, 1)) / temperature
        scaled = np.exp(scaled - scaled.max(axis=-1, keepdims=True))
        return np.asarray(scaled / scaled.sum(axis=-1, keepdims=True))

    def of_board(self, score: float, chances: Floats) -> float:
        """Probability that a board of this size is there and at most two of its points are misread.

        ``score`` is the finder's (0..1), ``chances`` (n, n, 3) are probabilities that hold.
        """
        raw, expected = features(score, chances)
        logit = self.bias + self.score * raw + self.errors * expected
        return float(np.clip(1 / (1 + np.exp(-logit)), LEAST, MOST))


def features(score: float, chances: Floats) -> tuple[float, float]:
    """What speaks of a board's doubt: the logit of the finder's score, and the log of the errors that are expected."""
    sure = float(np.clip(score, LEAST, MOST))
    expected = float((1 - chances.max(axis=-1)).sum())
    return float(np.log(sure / (1 - sure))), float(np.log(expected + 0.01))


@cache
def shipped_doubt() -> Doubt:
    """The numbers that belong to the shipped networks."""
    text = (resources.files("kifuwatch.vision") / "weights" / FILE).read_text(encoding="utf-8")
    return Doubt.from_json(json.loads(text))
