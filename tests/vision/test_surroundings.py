"""Whether the camera still looks at the same place."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from kifuwatch.vision.surroundings import Surroundings

TABLE, WOOD, DRESS = (90, 80, 75), (120, 170, 210), (60, 90, 60)


def room(shift: int = 0) -> NDArray[np.uint8]:
    """A board with some stones on a table, a bowl beside it."""
    image = np.full((480, 640, 3), TABLE, np.uint8)
    cv2.rectangle(image, (150 + shift, 80), (470 + shift, 420), WOOD, -1)
    for line in range(9):
        cv2.line(image, (180 + shift, 110 + 35 * line), (440 + shift, 110 + 35 * line), (20, 30, 40), 1)
    for col, row in ((2, 3), (4, 4), (6, 2)):
        cv2.circle(image, (180 + shift + 33 * col, 110 + 35 * row), 15, (20, 20, 20), -1)
    cv2.circle(image, (560 + shift, 300), 50, (40, 60, 100), -1)
    return image


def seen(image: NDArray[np.uint8], gain: float = 1.0) -> NDArray[np.uint8]:
    noise = np.random.default_rng(1).normal(0.0, 4.0, image.shape)
    return np.clip(image * gain + noise, 0, 255).astype(np.uint8)


def leaning(share: float) -> NDArray[np.uint8]:
    image = room()
    image[:, : round(640 * share)] = DRESS
    return image


@pytest.mark.parametrize(
    ("now", "elsewhere"),
    [
        pytest.param(room(), False, id="nothing has changed"),
        pytest.param(leaning(0.65), False, id="somebody leans over most of the board"),
        pytest.param(np.full((480, 640, 3), TABLE, np.uint8), True, id="the camera looks at the bare table"),
        pytest.param(room(-300), True, id="the camera was turned aside"),
        pytest.param(cv2.resize(room(), (1280, 720)), True, id="the picture has another shape"),
    ],
)
@pytest.mark.parametrize("gain", [1.0, 0.7, 1.3])
def test_whether_the_camera_looks_elsewhere(now: NDArray[np.uint8], elsewhere: bool, gain: float) -> None:
    around = Surroundings()
    assert not around.elsewhere(now), "before anything is known nothing is said"
    around.remember(seen(room()))
    assert around.elsewhere(seen(now, gain)) is elsewhere
