"""Readers of labelled data: photographs with their boards, games frame by frame, scenarios of clips.

The formats are lists of photographs (``manifest.jsonl``, one object a line), sequences (``*.json``) and
scenarios (``*.scenario.json``). Whatever is not in its format raises FileFormatError with one sentence that
names the file, the line and the field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from kifuwatch.core.errors import FileFormatError, InputError
from kifuwatch.core.points import HIDDEN, Colour, Layout, Point
from kifuwatch.datasets.fields import Fields, read_json, read_text

Corners = tuple[tuple[float, float], ...]
PASS = "pass"


@dataclass(frozen=True)
class LabelledPhoto:
    """A photograph and what it shows.

    ``layout``: the true board, ``?`` where it cannot be told. ``corners``: four pixel positions (x, y) of the
    outermost grid intersections, in the order of the board text: top-left, top-right, bottom-right,
    bottom-left. ``source``: where the picture comes from; figures are split by it.
    """

    id: str
    file: Path
    source: str
    layout: Layout
    corners: Corners
    confidence: str
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """One point that differs from the frame before."""

    at: Point
    was: str
    now: str


@dataclass(frozen=True)
class LabelledFrame:
    """One picture of a sequence, the board on it, and what changed since the one before."""

    file: Path
    layout: Layout
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class LabelledSequence:
    """A real game, frame by frame."""

    name: str
    source: str
    frames: tuple[LabelledFrame, ...]

    @property
    def size(self) -> int:
        """Lines of the board."""
        return self.frames[0].layout.size


@dataclass(frozen=True)
class Move:
    """A stone at a point, or a pass (``at`` is None)."""

    colour: Colour
    at: Point | None


@dataclass(frozen=True)
class ExpectedAlert:
    """An alert that a recorder must raise; ``at`` empty: no point is asked. ``notice``: a notice of level ``info`` is
    enough."""

    code: str
    seconds: float
    at: frozenset[Point]
    notice: bool = False


@dataclass(frozen=True)
class ScenarioEvent:
    """Something that happens on the board: ``do`` names it, ``fields`` holds the rest as it was written."""

    seconds: float
    do: str
    fields: Mapping[str, object]


@dataclass(frozen=True)
class Scenario:
    """What happens in a clip, and what a recorder must report of it.

    ``path``: the scenario itself; where ``video`` does not exist, the clip is filmed from it. ``group``: what kind of
    clip it is; figures are split by it. ``conditions``: what else they can be split by (camera, light).
    ``visible``: for each move the seconds from which its stone can be seen without a hand on it, where that is said.
    """

    id: str
    size: int
    rules: str
    seconds: float
    events: tuple[ScenarioEvent, ...]
    setup: Mapping[Colour, frozenset[Point]]
    moves: tuple[Move, ...]
    final: Layout | None
    alerts: tuple[ExpectedAlert, ...]
    video: Path
    path: Path | None = None
    group: str = ""
    conditions: Mapping[str, str] = field(default_factory=dict)
    visible: tuple[float | None, ...] = ()

    @property
    def start(self) -> Layout:
        """The board before the first event."""
        stones = {point: colour.cell for colour, points in self.setup.items() for point in points}
        return Layout.empty(self.size).replaced(stones)


def read_photos(manifest: Path) -> list[LabelledPhoto]:
    """The photographs of a ``manifest.jsonl``, in its order."""
    return [_photo(fields, manifest.parent) for fields in _lines(manifest)]


def _lines(manifest: Path) -> Iterator[Fields]:
    for number, line in enumerate(read_text(manifest).splitlines(), 1):
        if line.strip():
            yield Fields(read_json(line, f"{manifest}, line {number}"), f"{manifest}, line {number}")


def _photo(fields: Fields, folder: Path) -> LabelledPhoto:
    layout = fields.layout("board")
    if layout.size != fields.integer("board_size"):
        raise FileFormatError(f"{fields.where}: board_size and the lines of the board disagree")
    return LabelledPhoto(
        id=fields.text("id"),
        file=folder / fields.text("file"),
        source=fields.text("source"),
        layout=layout,
        corners=fields.corners("corners"),
        confidence=fields.text("confidence", "high"),
        tags=tuple(str(tag) for tag in fields.items("tags", [])),
    )


def read_sequence(path: Path) -> LabelledSequence:
    """A game frame by frame. The pictures and the list that holds its first board lie in the folder above."""
    fields = Fields(read_json(read_text(path), str(path)), str(path))
    folder = path.parent.parent
    boards = {photo.id: photo.layout for photo in read_photos(folder / "manifest.jsonl")}
    frames: list[LabelledFrame] = []
    layout: Layout | None = None
    for entry in fields.entries("frames"):
        if layout is None:
            layout = boards.get(entry.text("id"), Layout.empty(fields.integer("board_size")))
            changes: tuple[Change, ...] = ()
        else:
            changes = tuple(_change(each) for each in entry.entries("changes", []))
            layout = _changed(layout, changes, entry.where)
        frames.append(LabelledFrame(folder / entry.text("file"), layout, changes))
    if not frames:
        raise FileFormatError(f"{path}: a sequence needs at least one frame")
    return LabelledSequence(fields.text("name"), fields.text("source"), tuple(frames))


def _change(fields: Fields) -> Change:
    return Change(fields.point("at"), fields.text("was"), fields.text("now"))


def _changed(layout: Layout, changes: tuple[Change, ...], where: str) -> Layout:
    for change in changes:
        if layout[change.at] not in {change.was, HIDDEN}:
            raise FileFormatError(f"{where}: {change.at} was {layout[change.at]!r}, not {change.was!r}")
    return layout.replaced({change.at: change.now for change in changes})


def read_scenario(path: Path) -> Scenario:
    """A ``*.scenario.json``. Its video is the one it names, or the one of the same name beside it."""
    fields = Fields(read_json(read_text(path), str(path)), str(path))
    name = path.name.removesuffix(".scenario.json")
    expect = fields.sub("expect")
    events = tuple(_event(each) for each in fields.entries("events"))
    size = fields.integer("size")
    last = max((event.seconds for event in events), default=0.0)
    conditions = fields.sub("conditions", {})
    id = fields.text("id", name)
    return Scenario(
        id=id,
        size=size,
        rules=fields.text("rules", "cn2002"),
        seconds=fields.number("dur", last),
        events=events,
        setup=_setup(expect.sub("setup", {}) if "setup" in expect else fields.sub("setup", {})),
        moves=tuple(_move(each) for each in expect.rows("moves")),
        final=expect.layout("final") if "final" in expect else None,
        alerts=tuple(_alert(each) for each in expect.entries("alerts", [])),
        video=path.parent / fields.text("video", f"{name}.mp4"),
        path=path,
        group=fields.text("group", id.split("-")[0]),
        conditions={key: conditions.text(key) for key in conditions.record},
        visible=_visible(expect),
    )


def _visible(expect: Fields) -> tuple[float | None, ...]:
    times = expect.items("visible", [])
    by_place = Fields({str(place): time for place, time in enumerate(times)}, f"{expect.where}, visible")
    return tuple(None if time is None else by_place.number(str(place)) for place, time in enumerate(times))


def _event(fields: Fields) -> ScenarioEvent:
    rest = {key: value for key, value in fields.record.items() if key not in {"t", "do"}}
    return ScenarioEvent(fields.number("t"), fields.text("do"), rest)


def _setup(fields: Fields) -> dict[Colour, frozenset[Point]]:
    return {colour: frozenset(fields.points(colour.value, [])) for colour in Colour}


def _move(row: Fields) -> Move:
    at = row.text("1")
    return Move(row.colour("0"), None if at == PASS else row.point("1"))


def _alert(fields: Fields) -> ExpectedAlert:
    notice = fields.text("level", "warning") == "info"
    return ExpectedAlert(fields.text("code"), fields.number("t"), frozenset(fields.points("at", [])), notice)


@dataclass(frozen=True)
class LabelledData:
    """All labelled data that was found under some paths."""

    photos: tuple[LabelledPhoto, ...] = ()
    sequences: tuple[LabelledSequence, ...] = ()
    scenarios: tuple[Scenario, ...] = ()


def find_labelled(paths: list[Path]) -> LabelledData:
    """Everything labelled under these folders and files, each kind in the order of its path.

    A folder counts whole, its folders too: ``manifest.jsonl``, ``sequences/*.json`` and ``*.scenario.json``.
    """
    photos: list[LabelledPhoto] = []
    sequences: list[LabelledSequence] = []
    scenarios: list[Scenario] = []
    for path in _data_files(paths):
        if path.name.endswith(".scenario.json"):
            scenarios.append(read_scenario(path))
        elif path.suffix == ".json":
            sequences.append(read_sequence(path))
        else:
            photos.extend(read_photos(path))
    if not (photos or sequences or scenarios):
        raise InputError(f"no labelled data under {', '.join(map(str, paths))}")
    return LabelledData(tuple(photos), tuple(sequences), tuple(scenarios))


def _data_files(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(path.rglob("manifest.jsonl"))
            yield from sorted(each for each in path.resolve().rglob("*.json") if each.parent.name == "sequences")
            yield from sorted(path.rglob("*.scenario.json"))
        elif path.is_file():
            yield path
        else:
            raise InputError(f"{path}: there is no such file or folder")
