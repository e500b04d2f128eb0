"""What counts as a change of the picture of a board, and what does not."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from kifuwatch.core.points import Layout
from kifuwatch.datasets.render import render
from kifuwatch.vision.changes import Blindness, ChangeGauge, blindness
from kifuwatch.vision.windows import windows_round
from tests.material import photograph

Image = NDArray[np.uint8]
MARGIN = 2
BEFORE = [
    ".........",
    "..X...O..",
    ".........",
    "....X....",
    ".........",
    "..O......",
    "......X..",
    ".........",
    ".........",
]
AFTER = [*BEFORE[:4], "......O..", *BEFORE[5:]]
PLAYED = (MARGIN + 4, MARGIN + 6)  # line and column of G5 in a gauge


@cache
def picture(rows: tuple[str, ...] = tuple(BEFORE)) -> Image:
    return render(photograph(Layout.from_rows(list(rows)))).image


def gauge() -> ChangeGauge:
    """A gauge that knows the board as it was before."""
    begun = ChangeGauge(photograph(Layout.from_rows(BEFORE)).pose, MARGIN)
    begun.look(picture())
    begun.take_over()
    return begun


def noisy(image: Image, strength: float = 3.0) -> Image:
    grain = np.random.default_rng(5).normal(0, strength, image.shape)
    return np.clip(image + grain, 0, 255).astype(np.uint8)


def shifted(image: Image, right: float, down: float) -> Image:
    height, width = image.shape[:2]
    move = np.array([[1.0, 0, right], [0, 1.0, down]])
    return np.asarray(cv2.warpAffine(image, move, (width, height), borderMode=cv2.BORDER_REPLICATE), np.uint8)


class TestNoChange:
    def test_noise(self) -> None:
        assert not gauge().look(noisy(picture())).changed.any()

    @pytest.mark.parametrize("gain", [0.6, 0.85, 1.1])
    def test_another_exposure(self, gain: float) -> None:
        change = gauge().look(np.clip(picture() * gain, 0, 255).astype(np.uint8))
        assert change.gain == pytest.approx(gain, abs=0.04)
        assert not change.changed.any()

    def test_a_trembling_by_a_part_of_a_pixel(self) -> None:
        """A twentieth of a pitch, which here has some fifty pixels."""
        assert not gauge().look(shifted(picture(), 1.2, -0.8)).changed.any()

    def test_light_that_creeps(self) -> None:
        """In a minute the left side becomes a third darker: no single look sees a change."""
        watched = gauge()
        fall = np.linspace(0.66, 1.0, picture().shape[1])[None, :, None]
        for part in np.linspace(0, 1, 120):
            dim = picture() * (1 - part + part * fall)
            assert not watched.look(dim.astype(np.uint8)).changed.any()


class TestChange:
    def test_the_first_look_sees_everything_anew(self) -> None:
        change = ChangeGauge(photograph(Layout.from_rows(BEFORE)).pose, MARGIN).look(picture())
        assert change.changed.all()

    @pytest.mark.parametrize("gain", [0.7, 1.0])
    def test_a_stone_changes_its_cell_and_nothing_far_away(self, gain: float) -> None:
        change = gauge().look(noisy(np.clip(picture(tuple(AFTER)) * gain, 0, 255).astype(np.uint8)))
        assert change.changed[PLAYED]
        far = np.ones_like(change.changed)
        far[PLAYED[0] - 2 : PLAYED[0] + 3, PLAYED[1] - 2 : PLAYED[1] + 3] = False
        assert not (change.changed & far).any()

    def test_it_goes_on_being_changed_but_moves_only_once(self) -> None:
        watched = gauge()
        first, second = watched.look(picture(tuple(AFTER))), watched.look(noisy(picture(tuple(AFTER))))
        assert first.moving[PLAYED]
        assert not second.moving.any()
        assert second.changed[PLAYED]

    def test_what_is_taken_over_is_changed_no_more(self) -> None:
        watched = gauge()
        watched.take_over(watched.look(picture(tuple(AFTER))).changed)
        assert not watched.look(picture(tuple(AFTER))).changed.any()
        assert watched.look(picture()).changed[PLAYED]

    def test_what_was_taken_over_can_be_taken_back(self) -> None:
        watched = gauge()
        watched.look(shifted(picture(), 60, 20))
        watched.take_over()
        watched.take_back()
        assert not watched.look(picture()).changed.any()

    def test_a_jump_changes_nearly_everything_but_bare_table(self) -> None:
        change = gauge().look(shifted(picture(), 25, 10))
        inner = change.moving[MARGIN:-MARGIN, MARGIN:-MARGIN]
        assert inner.mean() > 0.9


class TestBlindness:
    def test_a_room(self) -> None:
        assert blindness(picture()) is Blindness.SEES
        assert blindness((picture() * 0.3).astype(np.uint8)) is Blindness.SEES

    def test_the_lights_are_off(self) -> None:
        assert blindness(noisy((picture() * 0.03).astype(np.uint8))) is Blindness.DARK

    @pytest.mark.parametrize("colour", [(0, 0, 0), (255, 0, 0), (90, 90, 90)])
    def test_no_camera(self, colour: tuple[int, int, int]) -> None:
        assert blindness(np.full((480, 640, 3), colour, np.uint8)) is Blindness.BLANK


@given(st.sets(st.tuples(st.integers(0, 22), st.integers(0, 22)), min_size=1), st.integers(0, 4))
def test_windows_hold_all_that_is_wanted_and_what_surrounds_it(cells: set[tuple[int, int]], context: int) -> None:
    wanted = np.zeros((23, 23), np.bool_)
    wanted[tuple(np.array(sorted(cells)).T)] = True
    read, shown = np.zeros_like(wanted), np.zeros_like(wanted)
    windows = windows_round(wanted, context)
    for window in windows:
        left, top, right, bottom = window.wanted
        read[top:bottom, left:right] = True
        near = slice(max(top - context, 0), bottom + context), slice(max(left - context, 0), right + context)
        x0, y0, x1, y1 = window.shown
        shown[:] = False
        shown[y0:y1, x0:x1] = True
        assert shown[near].all()
    assert read[wanted].all()
    assert sum(window.cost for window in windows) <= 23 * 23 + 20
