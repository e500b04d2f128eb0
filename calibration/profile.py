"""A board's place kept in a file, so that a camera that stays where it is needs no finding."""

from __future__ import annotations

import json
from pathlib import Path

from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.errors import FileFormatError, OutputError

FORMAT = "kifuwatch-profile"
VERSION = 1


def save_profile(path: Path, pose: BoardPose) -> None:
    """Write a pose as JSON; the file is whole or not there. Raises OutputError."""
    text = json.dumps({"format": FORMAT, "version": VERSION, "pose": pose.to_json()}, indent=1) + "\n"
    draft = path.with_name(path.name + ".part")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as fault:
        raise OutputError(f"cannot write the profile {path}: {fault.strerror}") from None


def load_profile(path: Path) -> BoardPose:
    """Read what :func:`save_profile` wrote. Raises FileFormatError, in one sentence, when it is not that."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as fault:
        raise FileFormatError(f"cannot read the profile {path}: {fault.strerror}") from None
    except ValueError:
        raise FileFormatError(f"the profile {path} is not JSON") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT or not isinstance(data.get("pose"), dict):
        raise FileFormatError(f"{path} is not a profile of kifuwatch")
    if data.get("version") != VERSION:
        raise FileFormatError(f"the profile {path} has version {data.get('version')}, this program reads {VERSION}")
    try:
        return BoardPose.from_json(data["pose"])
    except FileFormatError as fault:
        raise FileFormatError(f"the profile {path}: {fault}") from None
