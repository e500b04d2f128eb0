"""What is hidden: where the network is sure of it, and among such points where it only may be."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from kifuwatch.calibration.hidden import hidden_by

SHARES = {"#": 0.9, "+": 0.3, "-": 0.05, ".": 0.001}


def hidden(rows: list[str]) -> list[str]:
    found = hidden_by(np.array([[SHARES[c] for c in row] for row in rows]))
    return ["".join("#" if h else "." for h in row) for row in found]


def test_plain_cloth_is_no_bare_wood_in_the_midst_of_it() -> None:
    assert hidden(["###...", "#+#...", "#-#...", "###..."]) == ["###...", "###...", "###...", "###..."]


def test_a_gap_of_several_points_closes_from_its_rim() -> None:
    assert hidden(["#####", "#---#", "#---#", "#####"]) == ["#####"] * 4


def test_what_may_be_hidden_beside_a_hand_stays_in_view() -> None:
    rows = ["##....", "##+...", "##+...", "##....", "...+..", "......"]
    assert hidden(rows) == ["##....", "##....", "##....", "##....", "......", "......"]


def test_what_is_surely_in_view_never_is_hidden() -> None:
    assert hidden(["###", "#.#", "###"]) == ["###", "#.#", "###"]


@given(arrays(np.float64, (5, 5), elements=st.floats(0, 1)))
def test_more_doubt_never_shows_more(share: NDArray[np.float64]) -> None:
    assert (hidden_by(share) <= hidden_by(np.minimum(share * 1.3, 1.0))).all()
