"""Video files: exact times, phones held upright, damage that is skipped and told, files that are no videos."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable
from pathlib import Path

import cv2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kifuwatch.core.errors import SourceError, UsageError
from kifuwatch.vision.sources import FrameSource, open_source
from tests.vision.sources.clips import SIZE, Image, card, card_index, give_times, turn_clip, write_clip

NO_FRAME = "gives no frame: it holds none, is damaged, or has a format that cannot be decoded"
Opener = Callable[[list[float | None]], FrameSource]
SHARED_CLIP = Path(__file__).resolve().parents[4] / "shared" / "clips" / "inc-10.mp4"


def box(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I4s", len(body) + 8, name) + body


@given(steps=st.lists(st.integers(1, 4000), min_size=1, max_size=12))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_frames_of_variable_rate_keep_their_own_times(tmp_path: Path, steps: list[int]) -> None:
    """Whatever the pauses between frames, in milliseconds, each frame comes with its own time."""
    times = [sum(steps[:count]) / 1000 for count in range(len(steps) + 1)]
    clip = give_times(write_clip(tmp_path / "phone.mp4", len(times)), times)
    with open_source(clip) as source:
        frames = list(source)
    assert [card_index(frame.image) for frame in frames] == list(range(len(times)))
    assert [frame.time.seconds for frame in frames] == pytest.approx(times, abs=2e-4)


def test_sampling_follows_the_times_not_the_count(tmp_path: Path) -> None:
    """Ten frames in the first second, then one a second: at most two a second leaves these."""
    times = [0.1 * i for i in range(10)] + [1.05, 2.05, 3.05]
    clip = give_times(write_clip(tmp_path / "phone.mp4", len(times)), times)
    with open_source(clip) as source:
        chosen = [card_index(frame.image) for frame in source.frames(at_most_fps=2)]
    assert chosen == [0, 5, 10, 11, 12]


def test_a_constant_rate_can_replace_the_times(tmp_path: Path) -> None:
    with open_source(write_clip(tmp_path / "lapse.mp4", 4), fps=0.5) as source:
        assert [frame.time.seconds for frame in source] == [0, 2, 4, 6]
        assert source.nominal_fps == 0.5


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_the_rotation_flag_of_a_phone_is_obeyed(tmp_path: Path, degrees: int) -> None:
    clip = turn_clip(write_clip(tmp_path / "phone.mp4", 3), degrees)
    turns = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}
    with open_source(clip) as source:
        assert source.size == (SIZE if degrees in (0, 180) else SIZE[::-1])
        for frame in source:
            shown: Image = card(frame.index)
            if degrees:
                shown = cv2.rotate(shown, turns[degrees]).astype("uint8")
            assert frame.image.shape == shown.shape
            assert cv2.absdiff(frame.image, shown).mean() < 12


class ScriptedCapture:
    """Grabs by a script: a time in seconds, or None for a packet that cannot be decoded."""

    def __init__(self, script: list[float | None]) -> None:
        self.script = script
        self.at = -1

    def isOpened(self) -> bool:
        return True

    def grab(self) -> bool:
        self.at += 1
        return self.at < len(self.script) and self.script[self.at] is not None

    def retrieve(self) -> tuple[bool, Image]:
        return True, card(self.at)

    def get(self, prop: int) -> float:
        if prop == cv2.CAP_PROP_POS_MSEC:
            return 1000 * (self.script[self.at] or 0)
        return {cv2.CAP_PROP_FPS: 10.0, cv2.CAP_PROP_FRAME_COUNT: float(len(self.script))}.get(prop, 0.0)

    def release(self) -> None:
        return


@pytest.fixture
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opener:
    clip = write_clip(tmp_path / "clip.mp4", 1)

    def opened(script: list[float | None]) -> FrameSource:
        monkeypatch.setattr(cv2, "VideoCapture", lambda *_: ScriptedCapture(script))
        return open_source(clip)

    return opened


def test_reading_goes_on_behind_damage(scripted: Opener) -> None:
    with scripted([0.0, 0.1, None, None, 0.4, 0.5, None, 0.7]) as source:
        frames = list(source)
    assert [frame.index for frame in frames] == [0, 1, 4, 5, 7]
    assert [frame.time.seconds for frame in frames] == [0, 0.1, 0.4, 0.5, 0.7]
    assert [frame.index for frame in frames if frame.after_gap] == [4, 7]
    assert source.decode_failures == 3


def test_a_gap_is_told_even_when_the_frames_beside_it_are_left_out(scripted: Opener) -> None:
    with scripted([0.0, 0.1, None, 0.3, 0.4, 1.0, 1.1]) as source:
        frames = list(source.frames(at_most_fps=1))
    assert [(frame.index, frame.after_gap) for frame in frames] == [(0, False), (5, True)]


def test_times_that_go_back_still_grow(scripted: Opener) -> None:
    with scripted([5.0, 5.1, 5.1, 5.0, 5.4, 0.0, 0.1, 0.3]) as source:
        seconds = [frame.time.seconds for frame in source]
    assert seconds == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8])


def test_a_damaged_h264_clip_is_read_to_its_end(tmp_path: Path) -> None:
    if not SHARED_CLIP.exists():
        pytest.skip("the shared clips are not beside this project")
    data = bytearray(SHARED_CLIP.read_bytes())
    for at in range(len(data) // 3, len(data) // 3 + 60_000, 97):
        data[at] ^= 0x5A
    (tmp_path / "damaged.mp4").write_bytes(data)
    with open_source(tmp_path / "damaged.mp4") as source:
        frames = list(source)
    assert frames[-1].time.seconds == 19.875
    assert 140 <= len(frames) < 160
    assert source.decode_failures >= 160 - len(frames)
    assert any(frame.after_gap for frame in frames)


def test_a_clip_cut_off_at_its_end_gives_its_frames_and_a_warning(tmp_path: Path) -> None:
    """The index stands in front, as in clips made for the network, so the first frames can be read."""
    data = write_clip(tmp_path / "clip.mp4", 40).read_bytes()
    moov = data.index(b"moov") - 4
    length = int.from_bytes(data[moov : moov + 4], "big")
    index = bytearray(data[moov : moov + length])
    chunk = index.index(b"stco") + 12
    index[chunk : chunk + 4] = (int.from_bytes(index[chunk : chunk + 4], "big") + length).to_bytes(4, "big")
    in_front = data[:28] + bytes(index) + data[28:moov]
    (tmp_path / "stream.mp4").write_bytes(in_front[: len(in_front) * 2 // 3])
    with open_source(tmp_path / "stream.mp4") as source:
        assert source.warning == f"{source.name} is cut off: its end is missing"
        assert 5 < len(list(source)) < 40


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("empty.mp4", b"", "is empty"),
        ("letter.mp4", b"Dear arbiter,\nthe game was...\n" * 40, "is not a video"),
        ("letter.txt", b"Dear arbiter,\nthe game was...\n" * 40, "is not a video"),
        ("list.ffconcat", b"ffconcat version 1.0\nfile '/etc/hostname'\n", "is not a video"),
        ("list.m3u8", b"#EXTM3U\n#EXTINF:5,\nhttp://127.0.0.1:9/a.ts\n", "is not a video"),
        ("noise.mp4", box(b"ftyp", b"isom") + box(b"free", bytes(range(256))), NO_FRAME),
    ],
)
def test_what_is_no_video_is_refused(tmp_path: Path, name: str, data: bytes, sentence: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(SourceError) as refused:
        open_source(tmp_path / name)
    assert str(refused.value) == f"{tmp_path / name} {sentence}"


def test_a_truncated_clip_is_refused(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.mp4", 10)
    clip.write_bytes(clip.read_bytes()[:-500])
    with pytest.raises(SourceError, match="is cut off: its end is missing"):
        open_source(clip)


def test_a_video_without_frames_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=f"clip.mp4 {NO_FRAME}"):
        open_source(write_clip(tmp_path / "clip.mp4", 0))


def test_a_file_name_that_looks_like_a_protocol_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.move(write_clip(tmp_path / "clip.mp4", 3), tmp_path / "concat:game.mp4")
    monkeypatch.chdir(tmp_path)
    with open_source("concat:game.mp4") as source:
        assert len(list(source)) == 3


def test_a_senseless_rate_is_refused(tmp_path: Path) -> None:
    for fps in (0, -1, float("nan"), 5000):
        with pytest.raises(UsageError, match="frames a second make no source"):
            open_source(tmp_path, fps=fps)
