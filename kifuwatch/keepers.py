"""Who keeps a recording: the SGF file, the file of events, and pictures.

Each checks at once that it can write, but writes nothing before a board is found: a recording that comes to
nothing leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kifuwatch.arbiter import Alert
from kifuwatch.calibration.closeup import CloseUpReader
from kifuwatch.calibration.quality import ViewQuality, measure_view
from kifuwatch.core.errors import OutputError
from kifuwatch.overlay import draw_grid, draw_reading
from kifuwatch.reconstruct import BoardFound, PositionSeen
from kifuwatch.record import EventsLog, GameInfo, SgfFile, TimesFile, check_writable, times_path
from kifuwatch.recorder import Happening
from kifuwatch.rules import RuleSet
from kifuwatch.vision.images import save_image
from kifuwatch.watch import View

IN_THE_WAY = 0.25
"""Of the points: more is no hand."""


class FirstView:
    """Tells once how good the view of the board is: ``after`` so many seconds, when a camera has woken up and found its
    exposure, and no more than a hand is in the way."""

    def __init__(self, tell: Callable[[ViewQuality], None], after: float) -> None:
        self._tell, self._after = tell, after
        self._first: float | None = None
        self._told = False

    def look(self, view: View) -> None:
        """Measure the first view that counts."""
        now = view.frame.time.seconds
        self._first = now if self._first is None else self._first
        if self._told or now - self._first < self._after or view.observation.covered.mean() > IN_THE_WAY:
            return
        self._told, image = True, view.frame.image
        self._tell(measure_view(image, view.pose, CloseUpReader()(image, view.pose)))

    def keep(self, happening: Happening, view: View) -> None:
        """What happens does not matter."""

    def close(self) -> None:
        """All has been told."""


class SgfKeeper:
    """An SGF file that is whole after every move, and the times of the moves beside it.

    Raises OutputError when one of them exists, unless ``force``.
    """

    def __init__(self, path: Path, rules: RuleSet, info: GameInfo, force: bool = False) -> None:
        check_writable(path, force)
        check_writable(times_path(path), force)
        self._path, self._rules, self._info, self._force = path, rules, info, force
        self._file: SgfFile | None = None
        self._times: TimesFile | None = None

    def keep(self, happening: Happening, view: View) -> None:
        """Write the file anew where the game has changed."""
        if self._file is None:
            self._file = SgfFile(self._path, view.pose.size, self._rules, self._info, self._force)
            self._file.save()
        if self._times is None:
            self._times = TimesFile(times_path(self._path), view.pose.size, self._force)
            self._times.save()
        self._file.add(happening)
        self._times.add(happening)

    def close(self) -> None:
        """The files are whole already."""


class EventsKeeper:
    """One JSON object a line. Raises OutputError when the file exists, unless ``force``."""

    def __init__(self, path: Path, force: bool = False) -> None:
        check_writable(path, force)
        self._path, self._force = path, force
        self._log: EventsLog | None = None

    def keep(self, happening: Happening, view: View) -> None:
        """Append a line."""
        if self._log is None:
            self._log = EventsLog(self._path, self._force)
        self._log.write(happening)

    def close(self) -> None:
        """Close the file."""
        if self._log is not None:
            self._log.close()


class PictureKeeper:
    """Writes ``board.jpg``, ``alert-001-CODE.jpg`` and so on, and ``last.jpg`` into a folder, which it makes."""

    def __init__(self, folder: Path) -> None:
        if folder.exists() and not folder.is_dir():
            raise OutputError(f"cannot write pictures into {folder}: it is a file, not a folder")
        self._folder = folder
        self._alerts = 0

    def keep(self, happening: Happening, view: View) -> None:
        """Draw what an event is about over the frame on which it became known."""
        image, pose = view.frame.image, view.pose
        if isinstance(happening, BoardFound):
            self._make_folder()
            save_image(self._folder / "board.jpg", draw_grid(image, pose))
        elif isinstance(happening, Alert):
            self._alerts += 1
            name = f"alert-{self._alerts:03d}-{happening.code}.jpg"
            save_image(self._folder / name, draw_reading(image, pose, view.observation.layout(), happening.at))
        elif isinstance(happening, PositionSeen):
            save_image(self._folder / "last.jpg", draw_reading(image, pose, happening.board))

    def _make_folder(self) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"cannot make the folder {self._folder}: {error.strerror}") from error

    def close(self) -> None:
        """Every picture is written when it is drawn."""
