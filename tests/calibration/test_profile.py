"""Profiles: saved whole, read back exactly, refused in one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kifuwatch.calibration.profile import load_profile, save_profile
from kifuwatch.calibration.spec import BoardSpec
from kifuwatch.core.errors import FileFormatError, OutputError

from .cameras import Pinhole


def test_saved_and_loaded(tmp_path: Path) -> None:
    pose = Pinhole(BoardSpec.preset("cn2002"), 40).pose()
    save_profile(tmp_path / "table.json", pose)
    again = load_profile(tmp_path / "table.json")
    np.testing.assert_array_equal(again.corners, pose.corners)
    assert [path.name for path in tmp_path.iterdir()] == ["table.json"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is not JSON"),
        ("[1, 2]", "is not a profile"),
        ('{"format": "kifuwatch-profile", "version": 9, "pose": {}}', "version 9"),
        ('{"format": "kifuwatch-profile", "version": 1, "pose": {"size": 19}}', "not the pose"),
    ],
)
def test_what_is_no_profile(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "bad.json").write_text(text)
    with pytest.raises(FileFormatError, match=sentence):
        load_profile(tmp_path / "bad.json")


def test_missing_and_unwritable(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"nothing\.json"):
        load_profile(tmp_path / "nothing.json")
    with pytest.raises(OutputError, match="cannot write"):
        save_profile(tmp_path / "no" / "folder.json", Pinhole(BoardSpec(9), 60).pose())
