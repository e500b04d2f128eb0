"""Probabilities that hold: what the few numbers of doubt do to points and boards."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kifuwatch.datasets.reliability import Curve, Looked, fit
from kifuwatch.vision.doubt import Doubt, shipped_doubt

Floats = NDArray[np.float64]
NONE = np.zeros((9, 9), bool)


def board(chance: float, doubtful: int = 0, low: float = 0.6) -> Floats:
    """Chances of a board of 9 lines on which the best reading has one chance everywhere, and ``low`` at some points."""
    best = np.full(81, chance)
    best[:doubtful] = low
    rest = (1 - best) / 2
    return np.stack([best, rest, rest], axis=-1).reshape(9, 9, 3)


@given(st.floats(0.34, 0.999999), st.floats(0.3, 4), st.floats(0.3, 4))
def test_temperature_keeps_the_best_reading_and_adds_up_to_one(chance: float, view: float, covered: float) -> None:
    mask = NONE.copy()
    mask[0] = True
    now = Doubt(view=view, covered=covered).of_points(board(chance), mask)
    np.testing.assert_allclose(now.sum(axis=2), 1)
    assert (now.argmax(axis=2) == 0).all()
    assert (now[1, 0, 0] > chance) == (view < 1) or now[1, 0, 0] == pytest.approx(chance, abs=1e-6)
    assert now[0, 0, 0] <= now[1, 0, 0] if covered > view else now[0, 0, 0] >= now[1, 0, 0]


def test_a_board_is_less_sure_the_more_points_are_doubtful() -> None:
    doubt = shipped_doubt()
    sure = [doubt.of_board(0.98, doubt.of_points(board(0.9999, count), NONE)) for count in (0, 2, 6, 20, 60)]
    assert sure == sorted(sure, reverse=True)
    assert sure[0] > 0.95
    assert sure[-1] < 0.5


def test_a_board_is_less_sure_the_less_the_finder_is() -> None:
    doubt = shipped_doubt()
    sure = [doubt.of_board(score, board(0.9999)) for score in (0.99, 0.9, 0.8)]
    assert sure == sorted(sure, reverse=True)


def looked(rng: np.random.Generator, number: int, truthful: float) -> Looked:
    """A board whose points claim a chance that is right only so often as ``truthful`` makes it."""
    claimed = board(0.97, 12, 0.7)
    wrong = rng.random((9, 9)) < (1 - claimed.max(axis=2)) * truthful
    truth = np.where(wrong, rng.integers(1, 3, (9, 9)), 0)
    return Looked(str(number), "made", number, 0.95, True, claimed, NONE, truth)


def test_fitting_makes_claims_hold() -> None:
    """Points that are wrong twice as often as they say get a temperature above 1, and then say so."""
    rng = np.random.default_rng(1)
    boards = [looked(rng, i, 2.0) for i in range(120)]
    doubt = fit(boards)
    assert doubt.view > 1.1
    chances = doubt.of_points(boards[0].raw, NONE)
    errors = float(np.mean([each.errors for each in boards]))
    assert (1 - boards[0].raw.max(axis=2)).sum() < 0.7 * errors
    assert (1 - chances.max(axis=2)).sum() == pytest.approx(errors, rel=0.25)
    assert doubt.of_board(0.95, chances) == pytest.approx(np.mean([each.good for each in boards]), abs=0.1)


def test_a_reliability_curve_of_claims_that_hold_lies_on_the_diagonal() -> None:
    rng = np.random.default_rng(2)
    believed = rng.uniform(0, 1, 20_000)
    curve = Curve.of(believed, rng.random(20_000) < believed, np.linspace(0, 1, 11))
    assert curve.error < 0.02
    assert curve.counts.sum() == 20_000
    assert Curve.of(believed, rng.random(20_000) < 0.5, np.linspace(0, 1, 11)).error > 0.2
