"""Each script is played with several seeds of noise."""

from __future__ import annotations

import pytest


@pytest.fixture(params=[1, 2, 3])
def seed(request: pytest.FixtureRequest) -> int:
    return int(request.param)
