"""The two laws of time: times always grow, and a sampler takes the first frame of each period."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.core.errors import UsageError
from kifuwatch.core.times import FrameTime
from kifuwatch.vision.sources.base import Sampler, Timeline

seconds = st.floats(-1e5, 1e5, allow_nan=False)


@given(st.lists(seconds, min_size=1), st.floats(0.1, 240))
def test_times_begin_at_zero_and_grow_whatever_comes(raw: list[float], fps: float) -> None:
    timeline = Timeline(fps)
    times = [timeline.place(one) for one in raw]
    assert times[0] == FrameTime(0)
    assert all(earlier < later for earlier, later in pairwise(times))


@given(st.lists(st.integers(1, 10**8), min_size=1), st.integers(-(10**9), 10**9))
def test_times_that_grow_are_only_moved_to_zero(steps: list[int], start: int) -> None:
    raw = [start + sum(steps[:count]) for count in range(len(steps) + 1)]
    timeline = Timeline(25)
    assert [timeline.place(one / 1e6).microseconds for one in raw] == [one - raw[0] for one in raw]


@pytest.mark.parametrize(
    ("raw", "placed"),
    [
        ([0, 1, 2, 0.5, 4, 5], [0, 1, 2, 2.1, 4, 5]),  # one odd frame
        ([0, 10, 0, 12, 11, 13], [0, 10, 10.1, 12, 12.1, 13]),  # two odd frames
        ([0, 1, 2, 2, 2, 3], [0, 1, 2, 2.1, 2.2, 3]),  # a time that repeats
        ([7, 8, 9, 0, 1, 2], [0, 1, 2, 2.1, 3.1, 4.1]),  # a clock that was set back
        ([0, 0, 0, 0], [0, 0.1, 0.2, 0.3]),  # a container without times
    ],
)
def test_a_clock_that_goes_back(raw: list[float], placed: list[float]) -> None:
    timeline = Timeline(10)
    assert [timeline.place(one).seconds for one in raw] == pytest.approx(placed)


@given(st.lists(st.integers(1, 2_000_000), min_size=1, max_size=60), st.floats(0.2, 100))
def test_a_sampler_takes_the_first_frame_of_each_period(steps: list[int], rate: float) -> None:
    times = [FrameTime(sum(steps[:count])) for count in range(len(steps) + 1)]
    sampler = Sampler(rate)
    taken = [time for time in times if sampler.wants(time)]
    assert taken[0] == times[0]
    assert len(taken) <= times[-1].seconds * rate + 1.001
    slots = [int((time.microseconds + 0.5) // (1e6 / rate)) for time in times]
    assert len(taken) == len(set(slots))


def test_a_source_of_just_this_rate_loses_nothing() -> None:
    for rate in (3, 7, 24000 / 1001, 29.97, 30, 60):
        sampler = Sampler(rate)
        assert all(sampler.wants(FrameTime.of_seconds(count / rate)) for count in range(1000))


def test_a_rate_that_changes_takes_effect_from_the_last_frame_on() -> None:
    """Thirty frames a second: five are wanted at first, ten from the middle of the second."""
    rates = iter([5.0] * 46 + [10.0] * 45)
    now = [5.0]
    sampler = Sampler(lambda: now[0])
    taken = []
    for index in range(91):
        now[0] = next(rates)
        if sampler.wants(FrameTime.of_seconds(index / 30)):
            taken.append(index)
    assert taken == [0, 6, 12, 18, 24, 30, 36, 42, 46, *range(48, 91, 3)]


def test_a_rate_of_nothing_is_refused_whenever_it_comes() -> None:
    with pytest.raises(UsageError, match="leaves none"):
        Sampler(lambda: 0.0)
