"""What every source promises, asked of every kind of source."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest

from kifuwatch.core.errors import SourceError, UsageError
from kifuwatch.vision.sources import FrameSource, open_source
from tests.vision.sources.backends import BACKENDS, COUNT, HASTY, Backend, rtsp_server
from tests.vision.sources.clips import SIZE

ENOUGH = 8


@pytest.fixture(params=BACKENDS, ids=str)
def backend(request: pytest.FixtureRequest) -> Backend:
    chosen: Backend = request.param
    return chosen


@pytest.fixture(scope="module")
def rtsp_camera() -> Iterator[str]:
    with rtsp_server() as (url, _server):
        yield url


@pytest.fixture
def source(backend: Backend, request: pytest.FixtureRequest) -> Iterator[FrameSource]:
    with backend.opened(request) as opened:
        yield opened


def test_times_begin_near_zero_and_always_grow(source: FrameSource) -> None:
    frames = list(islice(source, ENOUGH))
    assert 0 <= frames[0].time.seconds < 0.5
    assert all(earlier.time < later.time for earlier, later in pairwise(frames))
    assert all(earlier.index < later.index for earlier, later in pairwise(frames))
    assert len(frames) == ENOUGH


def test_frames_are_upright_bgr_of_eight_bits(source: FrameSource) -> None:
    assert source.size == SIZE
    for frame in islice(source, ENOUGH):
        height, width = frame.image.shape[:2]
        assert (width, height) == source.size == SIZE
        assert frame.image.dtype == np.uint8
        assert frame.image.flags.c_contiguous
        row = frame.image[height // 4].astype(int)
        white, red, blue = row[width // 14], row[11 * width // 14], row[13 * width // 14]
        assert white.min() > 180
        assert red[2] > 180 > 90 > red[:2].max()
        assert blue[0] > 180 > 90 > blue[1:].max()


def test_no_frame_writes_into_an_earlier_one(source: FrameSource) -> None:
    frames = list(islice(source, 3))
    assert not any(np.shares_memory(a.image, b.image) for a, b in pairwise(frames))


def test_nothing_was_missed_when_nothing_went_wrong(source: FrameSource) -> None:
    assert not any(frame.after_gap for frame in islice(source, ENOUGH))
    assert source.decode_failures == 0
    assert source.warning is None


def test_it_says_what_it_is(source: FrameSource, backend: Backend) -> None:
    assert source.live is backend.live
    assert source.settled is backend.settled
    assert 1 <= source.nominal_fps <= 60
    assert source.frame_count == (None if backend.live else COUNT)
    assert source.name


def test_iterating_again_goes_on(source: FrameSource) -> None:
    first = list(islice(source, 3))
    second = list(islice(source, 3))
    assert first[-1].index < second[0].index
    assert first[-1].time < second[0].time


def test_iteration_ends(source: FrameSource, backend: Backend) -> None:
    """That of a file after its last frame; that of a camera when it is closed."""
    count = 0
    for _ in source:
        count += 1
        if backend.live and count == ENOUGH:
            source.close()
    assert count == (ENOUGH if backend.live else COUNT)


def test_at_most_so_many_frames_a_second(source: FrameSource) -> None:
    frames = list(islice(source.frames(at_most_fps=source.nominal_fps / 3), 3))
    spacing = 3 / source.nominal_fps
    slots = [int((frame.time - frames[0].time) / spacing + 1e-6) for frame in frames]
    assert len(frames) == 3
    assert len(set(slots)) == 3


def test_closing_twice_is_closing_once(source: FrameSource) -> None:
    source.close()
    source.close()


def test_a_closed_source_says_so(source: FrameSource) -> None:
    source.close()
    with pytest.raises(SourceError, match="has been closed"):
        next(iter(source))


def test_a_with_block_closes_it(backend: Backend, request: pytest.FixtureRequest) -> None:
    with backend.opened(request) as opened, opened as source:
        next(iter(source))
    with pytest.raises(SourceError, match="has been closed"):
        next(iter(source))


def test_no_frames_a_second_is_refused(source: FrameSource) -> None:
    with pytest.raises(UsageError, match="give a number above 0"):
        next(source.frames(at_most_fps=0))


def test_what_is_not_there_is_refused_in_one_sentence(backend: Backend, tmp_path: Path) -> None:
    address = backend.nowhere if "/" in backend.nowhere[:8] else str(tmp_path / backend.nowhere)
    with pytest.raises(SourceError) as refused:
        open_source(address, patience=HASTY)
    sentence = str(refused.value)
    assert "\n" not in sentence
    assert backend.nowhere.rpartition("/video")[2].rstrip("/") in sentence
