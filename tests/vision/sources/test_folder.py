"""Folders of photographs: in the order in which a person counts, one a second."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kifuwatch.core.errors import SourceError
from kifuwatch.vision.images import save_image
from kifuwatch.vision.sources import open_source
from kifuwatch.vision.sources.folder import natural_key
from tests.vision.pictures import jpeg_with_exif, quarters
from tests.vision.sources.clips import card


def filled(folder: Path, *names: str) -> Path:
    for name in names:
        save_image(folder / name, card(1))
    return folder


def test_pictures_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    filled(tmp_path, "move_10.png", "move_9.png", "Move_2.jpg", "move_1.webp", "afterwards.png")
    with open_source(tmp_path) as source:
        frames = list(source)
    names = ["afterwards.png", "move_1.webp", "Move_2.jpg", "move_9.png", "move_10.png"]
    assert [frame.label for frame in frames] == names
    assert [frame.time.seconds for frame in frames] == [0, 1, 2, 3, 4]


@given(st.lists(st.integers(0, 10**6), unique=True))
def test_numbers_in_names_sort_as_numbers(numbers: list[int]) -> None:
    names = sorted((f"IMG{number}.jpg" for number in numbers), key=natural_key)
    assert names == [f"IMG{number}.jpg" for number in sorted(numbers)]


@given(st.text(), st.text())
def test_any_two_names_can_be_compared_and_differ(one: str, other: str) -> None:
    assert (natural_key(one) == natural_key(other)) is (one == other)
    assert (natural_key(one) < natural_key(other)) is not (natural_key(other) <= natural_key(one))


def test_the_rate_can_be_chosen(tmp_path: Path) -> None:
    with open_source(filled(tmp_path, "1.png", "2.png", "3.png"), fps=4) as source:
        assert [frame.time.seconds for frame in source] == [0, 0.25, 0.5]


def test_other_files_are_left_alone(tmp_path: Path) -> None:
    filled(tmp_path, "1.png", ".hidden.png")
    (tmp_path / "game.sgf").write_text("(;)")
    (tmp_path / "folder.png").mkdir()
    with open_source(tmp_path) as source:
        assert [frame.label for frame in source] == ["1.png"]
        assert source.frame_count == 1


def test_a_bad_picture_is_left_out_and_counted_and_its_second_stays(tmp_path: Path) -> None:
    filled(tmp_path, "1.png", "3.png")
    (tmp_path / "2.png").write_bytes((tmp_path / "1.png").read_bytes()[:-20])
    with open_source(tmp_path) as source:
        assert [(frame.index, frame.time.seconds) for frame in source] == [(0, 0), (2, 2)]
        assert source.decode_failures == 1
        assert source.warning == f"{tmp_path / '2.png'} is cut off: its end is missing: left out"


def test_each_picture_has_its_own_size_and_stands_upright(tmp_path: Path) -> None:
    filled(tmp_path, "1.png")
    (tmp_path / "2.jpg").write_bytes(jpeg_with_exif(quarters(), 6))
    with open_source(tmp_path) as source:
        sizes = [source.size for frame in source if frame.image is not None]
    assert sizes == [(320, 240), (40, 60)]


def test_a_folder_without_pictures_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no pictures")
    with pytest.raises(SourceError, match=r"holds no picture: its files should end with .jpg, .png or .webp"):
        open_source(tmp_path)


def test_a_folder_of_bad_pictures_is_refused_with_the_first_reason(tmp_path: Path) -> None:
    (tmp_path / "1.png").write_bytes(b"")
    (tmp_path / "2.png").write_bytes(b"letter")
    with pytest.raises(SourceError, match=r"no picture in .* can be read: .*1\.png is empty"):
        open_source(tmp_path)


def test_a_single_picture_is_no_source(tmp_path: Path) -> None:
    filled(tmp_path, "board.png")
    with pytest.raises(SourceError, match="is a single picture: give a video, or the folder"):
        open_source(tmp_path / "board.png")
