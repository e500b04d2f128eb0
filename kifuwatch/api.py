"""The two things a program asks of kifuwatch: read a picture, record a game.

Everything heavy (picture and model libraries) is loaded when a function is called, not when this is imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kifuwatch.arbiter import Alert
    from kifuwatch.calibration.boards import BoardChoice
    from kifuwatch.calibration.finder import BoardFinder, FoundBoard
    from kifuwatch.calibration.pose import BoardPose
    from kifuwatch.calibration.quality import ViewQuality
    from kifuwatch.core.points import Layout
    from kifuwatch.evidence import EvidenceKeeper
    from kifuwatch.record import GameInfo
    from kifuwatch.recorder import Keeper, Progress, Recording
    from kifuwatch.rules import RuleSet
    from kifuwatch.vision.reading import Reading
    from kifuwatch.vision.sources import FrameSource
    from kifuwatch.watch import Watch

LOOKS_A_SECOND, LOOKING_SECONDS = 2.0, 20.0  # how often, and how long, a board is looked for to calibrate
WATCHES_A_SECOND, LEAST_SURE = 4.0, 0.6  # to see stones being put back; less sure than this is not judged
READINGS_A_SECOND = 10.0  # enough to see a stone between two hands in fast play
WAKES = 1.0  # seconds in which a camera wakes up and finds its exposure


def read(
    picture: str | Path | NDArray[np.uint8],
    *,
    size: int | None = None,
    corners: Sequence[Sequence[float]] | None = None,
    board: str | Sequence[float] | None = None,
) -> Reading:
    """Find the board in a picture and read what stands on it.

    ``picture`` is a file (JPEG, PNG, WebP; EXIF orientation is obeyed) or an array (h, w, 3) of BGR bytes; a grey
    one (h, w) will do.
    ``size``: lines of the board, found by itself when not given. ``corners``: four pixel positions (x, y) of the
    outermost grid points, in the order top-left, top-right, bottom-right, bottom-left; then nothing is searched for,
    and the board text has its top line between the first two. ``board``: which one is meant where several are in
    view: ``left``, ``right``, ``top``, ``bottom``, ``largest`` (by default), ``smallest``, or a pixel (x, y) on it.

    The reading holds ``size``, ``layout`` (what stands where), ``corners``, ``confidence``, the ``uncertain``
    points, and what ``others`` are in view. Raises NoBoardError when no board is found or none can be trusted,
    ImageError when the file is not a readable picture, UsageError for corners that make no board and for what is
    neither file nor such an array.

    >>> import kifuwatch
    >>> reading = kifuwatch.read(photo)
    >>> reading.size
    9
    >>> [str(point) for point in reading.layout.points("X")]
    ['E5', 'C3']
    >>> [str(point) for point in reading.layout.points("O")]
    ['G7']
    """
    from kifuwatch.vision.images import load_image
    from kifuwatch.vision.reading import BoardReader

    choice = _choice(board, corners)
    image = load_image(picture) if isinstance(picture, str | Path) else _as_picture(picture)
    return BoardReader(choice=choice).read(image, size, corners)


def _as_picture(given: object) -> NDArray[np.uint8]:
    """An array as the reader needs it. Raises UsageError for anything else."""
    import numpy as np

    from kifuwatch.core.errors import UsageError

    needed = "a picture is the name of a file or an array (h, w, 3) of uint8, BGR (or grey, (h, w))"
    if not isinstance(given, np.ndarray):
        raise UsageError(f"{needed}, not {'None' if given is None else f'of type {type(given).__name__}'}")
    if given.dtype != np.uint8:
        raise UsageError(f"{needed}; this array is of {given.dtype}")
    image = np.repeat(given[..., None], 3, axis=2) if given.ndim == 2 else given
    if image.ndim != 3 or image.shape[2] != 3 or 0 in image.shape:
        raise UsageError(f"{needed}; this array is of shape {given.shape}")
    return np.ascontiguousarray(image)


def record(
    source: str | Path | int | FrameSource,
    *,
    sgf: str | Path | None = None,
    events: str | Path | None = None,
    pictures: str | Path | None = None,
    journal: str | Path | None = None,
    pictures_limit: int | None = None,
    force: bool = False,
    rules: str = "cn2002",
    info: GameInfo | None = None,
    size: int | None = None,
    corners: Sequence[Sequence[float]] | None = None,
    profile: str | Path | None = None,
    board: str | Sequence[float] | None = None,
    fps: float | None = None,
    seen: Callable[[ViewQuality], None] | None = None,
    progress: Callable[[Progress], None] = lambda progress: None,
    stop: Callable[[], bool] = lambda: False,
) -> Recording:
    """Record the game that a source shows, to the end of the source.

    ``source``: a video file, a folder of photographs, the number of a camera or its device, an ``rtsp://`` or
    ``http://`` address, or a source that is open already (it is left open).
    ``sgf``, ``events``, ``pictures``: where to keep the game record, one JSON object for each event, and pictures of
    the board, of each move, and of each alert before, during and after it, with a short film; at most
    ``pictures_limit`` bytes of them (500 MB), the oldest removed first. Files that exist are overwritten only with
    ``force``. ``journal``: where the arbiter's
    desk finds every event before anybody is told of it; a journal is never overwritten.
    ``rules``: the name of a code of rules or an event's file of them (``EVENT.toml``); ``info``: players, event,
    date, komi, handicap.
    ``size``, ``corners``, ``profile``: what is known of the board; by default it is found. ``board``: which one is
    meant where several are in view, as :func:`read` takes it.
    ``fps``: how many photographs of a folder make a second (1 by default), a constant rate instead of the times in a
    video file, or the rate to ask of a camera at the machine.
    ``seen`` is told how good the view is, once the board is found; ``progress`` after each frame how far it is;
    ``stop`` is asked whether to end there.

    Raises SourceError when the source gives no frames, NoBoardError when no frame shows a board, OutputError when a
    file cannot be written, UsageError for rules or corners that are none, for one file that is to hold two things, and
    for one that would replace a journal, or what the recording comes from.

    >>> import kifuwatch
    >>> recording = kifuwatch.record(folder)
    >>> [(move.colour.value, str(move.at)) for move in recording.moves]
    [('B', 'E5'), ('W', 'G7')]
    >>> recording.alerts
    ()
    """
    from kifuwatch.arbiter import AlertTable
    from kifuwatch.calibration.finder import BoardFinder
    from kifuwatch.evidence import DEFAULT_LIMIT, EvidenceKeeper
    from kifuwatch.keepers import FirstView
    from kifuwatch.reconstruct import Reconstructor
    from kifuwatch.record.journal_keeper import JournalKeeper
    from kifuwatch.record.lease import Lease
    from kifuwatch.recorder import Recorder
    from kifuwatch.rules import ruleset
    from kifuwatch.rules.codefile import event_file
    from kifuwatch.vision.colours import load_ahead

    code = ruleset(rules)
    table = AlertTable.load()
    law = table.code(rules)
    finder = BoardFinder(choice=_choice(board, corners if profile is None else profile))
    places = {"the events": events, "the pictures": pictures, "the journal": journal}
    _check_places(source, sgf, places, [profile, event_file(rules)])
    keepers = _keepers(sgf, events, pictures, code, info, force)
    if journal is not None:
        keepers.insert(0, JournalKeeper(Path(journal), rules, info, table))
    with ExitStack() as stack:
        if journal is not None:
            lease = Path(journal).with_name(f"{Path(journal).name}.lease")
            stack.callback(Lease(lease, f"the journal {journal}").release)
        stream = stack.enter_context(_opened(source, fps))
        if stream.live:
            load_ahead()  # before the game, not in the middle of it
        if seen is not None:
            keepers.append(FirstView(seen, 0.0 if stream.settled else WAKES))
        evidence = None
        if pictures is not None:
            limit = DEFAULT_LIMIT if pictures_limit is None else pictures_limit
            evidence = EvidenceKeeper(Path(pictures), limit, not stream.settled)
            keepers.append(evidence)
        recorder = Recorder(
            _watch(stream, size, corners, profile, finder),
            lambda lines: Reconstructor(lines, code, settled_views=stream.settled),
            lambda incident: _asked(table.alert(incident, law), evidence),
            keepers,
            progress,
            stop,
        )
        recording = recorder.run(stream, None if stream.settled else READINGS_A_SECOND)
        warning = recording.warning or ("" if evidence is None else evidence.fault)
        return replace(recording, boards=finder.boards, warning=warning)


def _asked(alert: Alert, evidence: EvidenceKeeper | None) -> Alert:
    """The alert with the names of its pictures, where there are any."""
    return alert if evidence is None else evidence.named(alert)


@dataclass(frozen=True)
class Look:
    """One look at a board, ``t`` seconds from the start of its source. ``board``: what is seen, ``?`` where something
    covers it or it cannot be told; None where no board is seen. ``settled``: a photograph, not a moment of a film."""

    t: float
    board: Layout | None
    settled: bool


def looks(
    source: str | Path | int | FrameSource,
    *,
    size: int | None = None,
    corners: Sequence[Sequence[float]] | None = None,
    profile: str | Path | None = None,
    board: str | Sequence[float] | None = None,
    fps: float | None = None,
) -> Iterator[Look]:
    """What a source shows of a board, look after look, without making a game of it: some four times a second.

    All as :func:`record` takes it. Raises SourceError when the source gives no frames, UsageError for corners that
    make no board. A source that was opened here is closed when the looks are not asked for any more.
    """
    from kifuwatch.calibration.finder import BoardFinder

    finder = BoardFinder(choice=_choice(board, corners if profile is None else profile))
    with _opened(source, fps) as stream:
        watch = _watch(stream, size, corners, profile, finder)
        for frame in stream.frames(None if stream.settled else WATCHES_A_SECOND):
            view = watch.look(frame)
            seen = None if view is None else view.observation.layout(LEAST_SURE)
            yield Look(frame.time.seconds, seen, stream.settled)


@dataclass(frozen=True, eq=False)
class Calibration:
    """Where a board is in a picture, and how good a view of it that is.

    ``confidence`` is None where its corners were given; ``others`` are further boards in view.
    """

    image: NDArray[np.uint8]
    pose: BoardPose
    confidence: float | None
    quality: ViewQuality
    others: tuple[FoundBoard, ...] = ()


def calibrate(
    source: str | Path | int,
    *,
    size: int | None = None,
    corners: Sequence[Sequence[float]] | None = None,
    board: str | Sequence[float] | None = None,
) -> Calibration:
    """Where the board is in a photograph, or in the first frame of a source that shows it.

    ``board`` says which one is meant, as :func:`read` takes it; ``corners`` by hand are taken as they are, on the
    first frame. Raises NoBoardError when the board is not found within the first frames, and what opening a source
    raises.
    """
    from kifuwatch.calibration.closeup import CloseUpReader
    from kifuwatch.calibration.finder import BoardFinder
    from kifuwatch.calibration.given import pose_at
    from kifuwatch.calibration.quality import measure_view
    from kifuwatch.core.errors import NoBoardError

    finder, reason = BoardFinder(choice=_choice(board, corners)), "there is no picture"
    for image in _first_images(source):
        if corners is not None:
            closeup = CloseUpReader()
            pose = pose_at(corners, image, closeup, size)
            return Calibration(image, pose, None, measure_view(image, pose, closeup(image, pose)))
        try:
            found = finder.find(image, size)
        except NoBoardError as error:
            reason = str(error)
        else:
            quality = measure_view(image, found.pose, found.closeup)
            return Calibration(image, found.pose, found.confidence, quality, found.others)
    raise NoBoardError(f"{source}: no board was found ({reason})")


def _choice(board: str | Sequence[float] | None, known: object) -> BoardChoice:
    """Which board is meant. Raises UsageError for what chooses none, and where its place is ``known`` already."""
    from kifuwatch.calibration.boards import BoardChoice
    from kifuwatch.core.errors import UsageError

    choice = BoardChoice.parse(board)
    if known is not None and not choice.open:
        raise UsageError("a board is chosen although its place is given: leave out one of the two")
    return choice


def _first_images(source: str | Path | int) -> Iterator[NDArray[np.uint8]]:
    """A photograph, or frames of the first seconds of a source."""
    from kifuwatch.vision.images import EXTENSIONS, load_image

    if isinstance(source, str | Path) and Path(source).suffix.lower() in EXTENSIONS:
        yield load_image(Path(source))
        return
    with _opened(source, None) as stream:
        for frame in stream.frames(None if stream.settled else LOOKS_A_SECOND):
            yield frame.image
            if frame.time.seconds >= LOOKING_SECONDS:
                return


@contextmanager
def _opened(source: str | Path | int | FrameSource, fps: float | None) -> Iterator[FrameSource]:
    from kifuwatch.vision.sources import FrameSource, open_source

    if isinstance(source, FrameSource):
        yield source
    else:
        with open_source(source, fps) as stream:
            yield stream


def _keepers(
    sgf: str | Path | None,
    events: str | Path | None,
    pictures: str | Path | None,
    rules: RuleSet,
    info: GameInfo | None,
    force: bool,
) -> list[Keeper]:
    """The keepers asked for. Raises OutputError where one of them could not write."""
    from kifuwatch.evidence import Shelf
    from kifuwatch.keepers import EventsKeeper, PictureKeeper, SgfKeeper
    from kifuwatch.record import GameInfo

    keepers: list[Keeper] = []
    if sgf is not None:
        keepers.append(SgfKeeper(Path(sgf), rules, info or GameInfo(), force))
    if events is not None:
        keepers.append(EventsKeeper(Path(events), force))
    if pictures is not None:
        keepers.append(PictureKeeper(Path(pictures)))
        Shelf(Path(pictures)).check_free(force)
    return keepers


def _check_places(
    source: str | Path | int | FrameSource,
    sgf: str | Path | None,
    others: Mapping[str, str | Path | None],
    inputs: Sequence[str | Path | None],
) -> None:
    """Each thing is kept in a place of its own, and none where the recording comes from. Raises UsageError."""
    from kifuwatch.core.outputs import check_apart
    from kifuwatch.record import times_path
    from kifuwatch.vision.sources import FrameSource, files_read

    outputs: dict[str, Path | None] = {}
    if sgf is not None:
        outputs = {"the game record": Path(sgf), "the times of the moves": times_path(Path(sgf))}
    outputs |= {what: None if place is None else Path(place) for what, place in others.items()}
    read = files_read(source.name if isinstance(source, FrameSource) else source)
    check_apart(outputs, [*read, *(None if path is None else Path(path) for path in inputs)])


def _watch(
    stream: FrameSource,
    size: int | None,
    corners: Sequence[Sequence[float]] | None,
    profile: str | Path | None,
    finder: BoardFinder,
) -> Watch:
    from kifuwatch.calibration.closeup import CloseUpReader
    from kifuwatch.calibration.given import USUAL, board_between, lines_between
    from kifuwatch.calibration.profile import load_profile
    from kifuwatch.calibration.spec import BoardSpec
    from kifuwatch.film import FilmWatch
    from kifuwatch.vision.following import BoardFollower
    from kifuwatch.vision.stones import StoneReader
    from kifuwatch.watch import FixedWatch, FolderWatch, LateWatch

    def watch_at(pose: BoardPose | None) -> Watch:
        if stream.settled:
            return FolderWatch(finder, StoneReader(), size) if pose is None else FixedWatch(StoneReader(), pose)
        return FilmWatch(finder, BoardFollower(), size, pose)

    if corners is not None:

        def between(lines: int) -> Watch:
            return watch_at(board_between(corners, BoardSpec(lines), stream.size))

        if size is not None:
            return between(size)
        board_between(corners, BoardSpec(USUAL), stream.size)  # corners that make no board are refused at once
        closeup = CloseUpReader()
        return LateWatch(lambda image: lines_between(corners, image, closeup), between)
    return watch_at(None if profile is None else _fitted(load_profile(Path(profile)), stream.size, Path(profile)))


def _fitted(pose: BoardPose, size: tuple[int, int], profile: Path) -> BoardPose:
    """A stored pose in pictures of ``size`` (width, height): the same camera may give them larger or smaller."""
    from kifuwatch.core.errors import UsageError

    if pose.image_size == size:
        return pose
    factor = size[0] / pose.image_size[0]
    if abs(size[1] - pose.image_size[1] * factor) > 1:
        shape, other = "{}x{}".format(*pose.image_size), "{}x{}".format(*size)
        raise UsageError(
            f"the profile {profile} is for pictures of {shape} pixels, and these are {other}: calibrate again"
        )
    return pose.scaled(factor, size)
