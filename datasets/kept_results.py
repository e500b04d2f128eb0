"""Results of games that are kept in a file, one JSON object a line: an evaluation that was broken off goes on.

A result is known by its scenario, letter by letter, and by the product that gave it: after a change of either it is
found again by nobody, and the game is recorded anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict
from functools import cache
from pathlib import Path

import kifuwatch.calibration
import kifuwatch.vision
from kifuwatch.core.errors import FileFormatError, OutputError
from kifuwatch.datasets.evaluate_games import GameResult
from kifuwatch.datasets.fields import Fields, read_json, read_text
from kifuwatch.datasets.figures import CpuCost
from kifuwatch.datasets.labelled import Scenario
from kifuwatch.datasets.matching import ReportedAlert

LEFT_OUT = ("cli", "demo", "__pycache__")
"""Folders of the product that have no part in what is recorded."""


class KeptResults:
    """The results in a file. Raises FileFormatError when it holds something else, InputError when it cannot be read,
    OutputError when it cannot be written; a last line that is cut off is passed over."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known: dict[str, GameResult] = {}
        lines = read_text(path).splitlines() if path.is_file() else []
        for number, line in enumerate(lines, 1):
            try:
                fields = Fields(read_json(line, f"{path}, line {number}"), f"{path}, line {number}")
            except FileFormatError:
                if number == len(lines):
                    continue
                raise
            self._known[fields.text("key")] = _result(fields.sub("result"))

    def of(self, scenario: Scenario) -> GameResult | None:
        """The result of a scenario, where it is known."""
        return self._known.get(key_of(scenario))

    def keep(self, scenario: Scenario, result: GameResult) -> None:
        """Add a result to the file at once."""
        key = key_of(scenario)
        self._known[key] = result
        line = json.dumps({"key": key, "result": _record(result)}, ensure_ascii=False)
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(line + "\n")
        except OSError as error:
            raise OutputError(f"{self._path}: cannot be written ({error.strerror or error})") from error


def key_of(scenario: Scenario) -> str:
    """By what the result of a scenario is known."""
    digest = hashlib.sha256(fingerprint().encode())
    if scenario.path is not None:
        digest.update(scenario.path.read_bytes())
    if scenario.video.is_file():
        digest.update(f"{scenario.video.stat().st_size} {scenario.video.stat().st_mtime_ns}".encode())
    return f"{scenario.id}-{digest.hexdigest()[:20]}"


@cache
def fingerprint() -> str:
    """A digest of the code, networks and tables that record a game, and of what films one."""
    rooms = (kifuwatch, kifuwatch.calibration, kifuwatch.vision)
    folders = [Path(room.__file__ or "").parent for room in rooms]
    files = {file for folder in folders for file in _parts(folder)}
    files |= set(Path(__file__).parent.glob("clip_*.py"))
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _parts(folder: Path) -> Iterable[Path]:
    for file in folder.rglob("*"):
        inside = file.relative_to(folder).parts
        if file.suffix in (".py", ".onnx", ".toml") and not set(inside) & set(LEFT_OUT):
            yield file


def _record(result: GameResult) -> dict[str, object]:
    record = asdict(result)
    record["false_alerts"] = [{**asdict(alert), "at": sorted(map(str, alert.at))} for alert in result.false_alerts]
    return record


def _result(fields: Fields) -> GameResult:
    """The other way round."""
    record = dict(fields.record)
    false = [
        ReportedAlert(
            each.text("code"),
            each.text("level"),
            each.number("seconds"),
            each.number("seen"),
            frozenset(each.points("at", [])),
        )
        for each in fields.entries("false_alerts")
    ]
    cost = fields.sub("cost")
    record |= {
        "false_alerts": tuple(false),
        "delays": tuple(Fields({"at": d}, fields.where).number("at") for d in fields.items("delays")),
        "missed": tuple(map(str, fields.items("missed"))),
        "cost": CpuCost(cost.number("pipeline"), cost.number("decoding")),
    }
    try:
        return GameResult(**record)  # type: ignore[arg-type]
    except TypeError as error:
        raise FileFormatError(f"{fields.where}: is not the result of a game") from error
