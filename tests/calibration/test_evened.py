"""A picture in coloured or weak light, evened out."""

from __future__ import annotations

import numpy as np

from kifuwatch.calibration.evened import BRIGHTEST, DARKEST, evened


def test_each_channel_takes_the_whole_range() -> None:
    rng = np.random.default_rng(1)
    blue_light = np.stack(
        [rng.integers(40, 200, (90, 120)), rng.integers(5, 60, (90, 120)), rng.integers(8, 30, (90, 120))]
    )
    picture = evened(blue_light.transpose(1, 2, 0).astype(np.uint8))
    low, high = np.percentile(picture.reshape(-1, 3), [1, 99], axis=0)
    assert np.all(np.abs(low - DARKEST) <= 8)
    assert np.all(np.abs(high - BRIGHTEST) <= 8)


def test_what_was_brighter_stays_brighter() -> None:
    ramp = np.repeat(np.arange(30, 90, dtype=np.uint8)[None, :, None], 3, axis=2)
    picture = evened(np.repeat(ramp, 40, axis=0))
    assert np.all(np.diff(picture[0, :, 0].astype(int)) >= 0)


def test_a_black_picture_is_not_blown_up_to_noise() -> None:
    rng = np.random.default_rng(2)
    night = rng.integers(0, 4, (60, 80, 3)).astype(np.uint8)
    assert int(np.ptp(evened(night))) < 90
