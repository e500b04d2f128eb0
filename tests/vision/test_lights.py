"""When a change of light is told."""

from __future__ import annotations

import pytest

from kifuwatch.vision.lights import Lights


def told(levels: list[float]) -> list[float]:
    """The factors told, at two looks a second."""
    lights = Lights(0.7, 1.0, 30.0)
    factors = (lights.update(level, 0.5 * k) for k, level in enumerate(levels))
    return [round(each, 2) for each in factors if each is not None]


@pytest.mark.parametrize(
    ("levels", "factors"),
    [
        pytest.param([140.0] * 10 + [87.0] * 10, [0.62], id="a lamp goes out"),
        pytest.param([193.0] * 10 + [226.0] * 10, [1.17], id="a lamp goes on over a bright board: no room for more"),
        pytest.param([140.0] * 10 + [60.0] + [140.0] * 10, [], id="a moment"),
        pytest.param([140.0 - 0.5 * k for k in range(200)], [], id="dusk"),
        pytest.param([140.0] * 5 + [60.0] * 5 + [140.0] * 5 + [60.0] * 5, [0.43], id="a camera that hunts: once"),
        pytest.param([0.0] * 5 + [255.0] * 5, [62.75], id="from black to white"),
    ],
)
def test_light(levels: list[float], factors: list[float]) -> None:
    assert told(levels) == factors
