"""A clock beside a board that a camera really watches: from readings of the stage to alerts at the desk."""

from __future__ import annotations

from pathlib import Path

from kifuwatch.arbiter import AlertTable
from kifuwatch.reconstruct import Event, Incident
from kifuwatch.record.desk_journal import DeskJournal
from kifuwatch.record.events_log import event_line
from kifuwatch.record.journal import Journal
from tests.reconstruct.script import FOUR_IN_ATARI, place, remove, watch

TABLE = AlertTable.load()
CAPTURE = watch(FOUR_IN_ATARI, place(2.0, "B F5"), remove(4.0, "E6", "D6", "E5", "D5"), duration=10.0).events
"""Black captures four stones with F5: the hand leaves it after 2.2 s, the stones come off from 4 to 6 s."""


def desk(folder: Path, events: list[Event], press: float) -> DeskJournal:
    """The desk over these events, with Black pressing the clock once."""
    made = DeskJournal(Journal.create(folder / "game.db"), TABLE)
    made.begin(9, time="1h kept 5")
    made.add({"type": "board-found", "t": 0.0, "size": 9})
    made.add({"type": "clock", "do": "start", "t": 0.0, "color": "B"})
    made.add({"type": "clock", "do": "press", "t": press, "color": "B"})
    for event in events:
        made.add(event_line(TABLE.alert(event) if isinstance(event, Incident) else event))
    return made


def told(folder: Path, press: float) -> list[str]:
    """The codes of what is due."""
    return [str(row["code"]) for row in desk(folder, list(CAPTURE), press).raise_due()]


def test_pressed_while_the_hand_was_on_the_stone(tmp_path: Path) -> None:
    assert told(tmp_path, 1.9) == ["clock-before-stone"]


def test_pressed_when_two_of_four_stones_were_off(tmp_path: Path) -> None:
    made = desk(tmp_path, list(CAPTURE), 4.6)
    assert [row["code"] for row in made.raise_due()] == ["clock-before-clear"]
    alert = made.state().alerts[-1]
    assert (alert.facts["captured"], alert.facts["lying"], str(alert.at[0])) == ("4", "2", "F5")


def test_pressed_when_all_were_off(tmp_path: Path) -> None:
    assert told(tmp_path, 6.5) == []
