"""The loop of recording: frames come in, and what became known of the game goes out to whoever keeps it.

A :class:`Recorder` knows none of its parts by name: how the board is followed, how readings become a story, what an
incident is to the arbiter, and where events are written are handed to it. So it runs with made-up parts as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from kifuwatch.arbiter import Alert
from kifuwatch.calibration.pose import BoardPose
from kifuwatch.core.errors import NoBoardError, SourceError
from kifuwatch.core.points import Layout
from kifuwatch.reconstruct import INFO, WARNING, BoardFound, Event, Incident, Move, PositionSeen, Retract
from kifuwatch.vision.observation import Observation
from kifuwatch.vision.sources import Frame, FrameSource
from kifuwatch.watch import Notice, Pause, View, Watch

Happening = Event | Alert
"""What a recording consists of: the events of the game, each incident as the alert it is to the arbiter."""
MANY_IN_A_ROW = 3  # one photograph of something else happens; so many one after another are a warning


class Story(Protocol):
    """Turns readings of one board into events."""

    def see(self, observation: Observation) -> Sequence[Event]:
        """The events that became known by one more reading."""

    def finish(self, time: float) -> Sequence[Event]:
        """The source has ended at ``time`` (seconds): what was still open, and last the position."""


@runtime_checkable
class WaitingStory(Story, Protocol):
    """A story that can be told that nothing is seen for a while."""

    def hold(self, time: float, reason: str) -> None:
        """From ``time`` on (seconds) the picture says nothing of the board."""

    def resume(self, time: float) -> Sequence[Event]:
        """The board is known to be in its place again: what the gap was."""


class Keeper(Protocol):
    """Keeps a recording somewhere: a file, a list, pictures."""

    def keep(self, happening: Happening, view: View) -> None:
        """Take in one event; ``view`` is what was seen when it became known. Raises OutputError."""

    def close(self) -> None:
        """Nothing more will come."""


@runtime_checkable
class Onlooker(Protocol):
    """A keeper that wants to see every look at the board, too, before what became known by it."""

    def look(self, view: View) -> None:
        """Take in one look."""


@runtime_checkable
class GroupKeeper(Keeper, Protocol):
    """A keeper that takes what became known at one moment as a whole, or not at all."""

    def keep_all(self, happenings: Sequence[Happening], view: View) -> None:
        """Take in all events of one moment. Raises OutputError."""


@dataclass(frozen=True)
class SoFar:
    """A recording that goes on: the story as it stands, and what has been told (and kept) of it, the board first."""

    story: Story
    events: Sequence[Happening]


@dataclass(frozen=True)
class Progress:
    """How far a recording is. ``frames`` of the source are behind, of ``frame_count`` where that is known."""

    frames: int
    frame_count: int | None
    seconds: float
    moves: int
    alerts: int
    board_found: bool


@dataclass(frozen=True)
class Recording:
    """What was recorded.

    ``size``: lines of the board. ``events``: everything, in the order in which it became known. ``moves``: those that
    stand at the end, corrections done. ``position`` is the board as it lies at the end, ``rules_board`` what the
    rules see. ``seconds``: from the start of the source to its end. ``interrupted``: it was stopped before; ``lost``:
    why the source broke off, where it did. ``without_board``: names of the photographs on which no board was found,
    of ``frames`` that were looked at. ``warning``: one sentence on what could not be read of the source. ``boards``:
    where all boards were that were in view when this one was found, it first; empty where its place was given.
    """

    size: int
    events: tuple[Happening, ...]
    moves: tuple[Move, ...]
    alerts: tuple[Alert, ...]
    position: Layout
    rules_board: Layout
    seconds: float
    interrupted: bool = False
    lost: str = ""
    without_board: tuple[str, ...] = ()
    frames: int = 0
    warning: str = ""
    boards: tuple[BoardPose, ...] = ()

    @classmethod
    def of(cls, events: Iterable[Happening], seconds: float, interrupted: bool = False, lost: str = "") -> Recording:
        """Fold events into what stands at the end. The first must say that a board was found, the last where it is."""
        events = tuple(events)
        moves: list[Move] = []
        for event in events:
            if isinstance(event, Move):
                moves.append(event)
            elif isinstance(event, Retract):
                del moves[event.number - 1 :]
        found = next(event for event in events if isinstance(event, BoardFound))
        last = next(event for event in reversed(events) if isinstance(event, PositionSeen))
        alerts = tuple(event for event in events if isinstance(event, Alert))
        return cls(found.size, events, tuple(moves), alerts, last.board, last.rules_board, seconds, interrupted, lost)


class Recorder:
    """Records one game from one source.

    ``begin`` makes the story for a board of so many lines; ``ask`` makes the alert of an incident. Each of
    ``keepers`` is told every event at once; ``progress`` is called after every frame, and before every frame ``stop``
    is asked whether that was enough. ``so_far``: what was recorded before, of the same game: it is not told again.
    """

    def __init__(
        self,
        watch: Watch,
        begin: Callable[[int], Story],
        ask: Callable[[Incident], Alert],
        keepers: Sequence[Keeper] = (),
        progress: Callable[[Progress], None] = lambda progress: None,
        stop: Callable[[], bool] = lambda: False,
        so_far: SoFar | None = None,
    ) -> None:
        self._watch, self._begin, self._ask = watch, begin, ask
        self._keepers, self._progress, self._stop = keepers, progress, stop
        self._events: list[Happening] = [] if so_far is None else list(so_far.events)
        self._moves = self._alerts = 0
        for event in self._events:
            self._count(event)
        self._story: Story | None = None if so_far is None else so_far.story
        self._view: View | None = None
        self._seconds = 0.0
        self._frames = 0
        self._without_board: list[str] = []
        self._unseen: list[float] = []  # times of the last photographs in a row without a board
        self._untold: list[Event] = []
        self._paused: Pause | None = None

    def run(self, source: FrameSource, at_most_fps: float | None = None) -> Recording:
        """Record a source to its end, or until it is stopped or breaks off, and end the record in order.

        Raises NoBoardError when no frame shows a board, SourceError when the source gives no frame, OutputError
        when what was recorded cannot be kept, KeyboardInterrupt when it is stopped before anything was recorded.
        """
        try:
            interrupted, lost = self._follow(source, at_most_fps)
            return self._end(source, interrupted, lost)
        finally:
            for keeper in self._keepers:
                keeper.close()

    def _follow(self, source: FrameSource, at_most_fps: float | None) -> tuple[bool, str]:
        """Take in the frames; whether that was interrupted, and why the source broke off if it did."""
        try:
            for frame in source.frames(None if at_most_fps is None else lambda: self._pace(at_most_fps)):
                self._seconds = frame.time.seconds
                self._frames += 1
                view = self._watch.look(frame)
                if view is not None and self._story is not None:
                    self._view = view
                self._note_pause(self._watch.pause)
                self._pass_on(self._watch.notices())
                if view is not None:
                    self._see(view)
                elif source.settled:
                    self._miss(frame)
                found = self._story is not None
                count = source.frame_count
                self._progress(Progress(frame.index + 1, count, self._seconds, self._moves, self._alerts, found))
                if self._stop():
                    return True, ""
        except KeyboardInterrupt:
            return True, ""
        except SourceError as error:
            if self._story is None:
                raise
            # What was seen until then is a record, and that it breaks off is the arbiter's to know.
            return False, str(error)
        return False, ""

    def _pace(self, most: float) -> float:
        """Frames a second: as many as the watch wants to look at, and not more than are asked for."""
        return min(most, self._watch.looks_a_second or most)

    def _see(self, view: View) -> None:
        self._view = view
        for keeper in self._keepers:
            if isinstance(keeper, Onlooker):
                keeper.look(view)
        if self._story is None:
            self._story = self._begin(view.pose.size)
            corners = tuple((float(x), float(y)) for x, y in view.pose.corners)
            untold, self._untold = self._untold, []
            self._tell([BoardFound(view.frame.time.seconds, view.pose.size, corners), *untold])
        self._unseen.clear()
        self._tell(self._story.see(view.observation))

    def _note_pause(self, pause: Pause | None) -> None:
        """While nobody knows where the board is, the story waits; the gap is told when it goes on."""
        if not isinstance(self._story, WaitingStory) or (pause is None) == (self._paused is None):
            return
        self._paused = pause
        if pause is not None:
            self._story.hold(pause.since, pause.reason)
        else:
            self._tell(self._story.resume(self._seconds))

    def _pass_on(self, notices: Iterable[Notice]) -> None:
        """What became known of the view is the arbiter's to know, once there is a game."""
        for each in notices:
            level = WARNING if each.serious else INFO
            incident = Incident(each.t, each.seen, each.code, (), self._moves, level, facts=each.facts)
            self._tell([incident])

    def _miss(self, frame: Frame) -> None:
        """A photograph shows no board: it says nothing of the game, and that is said. Before any board is known
        there is nobody to tell yet."""
        name, now = frame.label or str(frame.index), frame.time.seconds
        self._without_board.append(name)
        self._unseen.append(now)
        if len(self._unseen) not in (1, MANY_IN_A_ROW):
            return
        level = INFO if len(self._unseen) == 1 else WARNING
        incident = Incident(self._unseen[0], now, "board-lost", (), self._moves, level, facts={"picture": name})
        if self._story is None:
            self._untold.append(incident)
        else:
            self._tell([incident])

    def _tell(self, events: Iterable[Event]) -> None:
        """Give the events of one moment to all who keep them. Before the board has been seen they wait."""
        if self._view is None:
            self._untold += events
            return
        untold, self._untold = self._untold, []
        happenings = [self._note(event) for event in (*untold, *events)]
        for keeper in self._keepers if happenings else ():
            if isinstance(keeper, GroupKeeper):
                keeper.keep_all(happenings, self._view)
                continue
            for happening in happenings:
                keeper.keep(happening, self._view)

    def _note(self, event: Event) -> Happening:
        """What an event is to those who keep it."""
        happening = self._ask(event) if isinstance(event, Incident) else event
        self._events.append(happening)
        self._count(happening)
        return happening

    def _count(self, happening: Happening) -> None:
        if isinstance(happening, Move | Retract):
            self._moves = happening.number - isinstance(happening, Retract)
        self._alerts += isinstance(happening, Alert)

    def _end(self, source: FrameSource, interrupted: bool, lost: str) -> Recording:
        if self._story is None or self._view is None:
            if interrupted:
                raise KeyboardInterrupt
            raise NoBoardError(f"{source.name}: no board was found on any frame ({self._watch.reason})")
        if lost:
            self._tell([Incident(self._seconds, self._seconds, "camera-lost", (), self._moves)])
        self._tell(self._story.finish(self._seconds))
        recording = Recording.of(self._events, self._seconds, interrupted, lost)
        unseen = tuple(self._without_board)
        return replace(recording, without_board=unseen, frames=self._frames, warning=_unread(source))


def _unread(source: FrameSource) -> str:
    """What of a source could not be read, as one sentence; empty where all could."""
    if source.warning or not source.decode_failures:
        return source.warning or ""
    count = source.decode_failures
    return f"{source.name}: {count} {'picture' if count == 1 else 'pictures'} could not be decoded: left out"
