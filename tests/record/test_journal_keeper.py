"""A recording kept in a journal while it goes on: the same rows as ``kifuwatch journal --from`` makes of its events."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kifuwatch
from kifuwatch.arbiter import Alert, AlertTable
from kifuwatch.cli.main import main
from kifuwatch.core.errors import FileFormatError, KifuwatchError, OutputError, UsageError
from kifuwatch.core.points import Colour, Layout, Point
from kifuwatch.reconstruct.events import BoardFound, Event, Gap, Incident, Move, PositionSeen, Retract, Setup
from kifuwatch.record import EventsLog, GameInfo
from kifuwatch.record.desk_journal import DeskJournal
from kifuwatch.record.journal import Journal
from kifuwatch.record.journal_keeper import JournalKeeper
from tests.material import take_all

TABLE = AlertTable.load()
E5, G7, C3 = Point.parse("E5"), Point.parse("G7"), Point.parse("C3")
EMPTY = Layout.empty(9)
FIRST = EMPTY.replaced({E5: "X"})
SECOND = FIRST.replaced({G7: "O"})
ALERT = TABLE.alert(Incident(5.0, 5.5, "takeback", (G7, C3), 2, colour=Colour.WHITE, facts={"clear_frames": "4"}))
STORY: list[Event | Alert] = [
    BoardFound(0.0, 9, ((1.0, 2.0), (3.0, 4.0), (5.0, 6.0), (7.0, 8.0))),
    Setup(0.4, 0.4, (), ()),
    Move(1.0, 1.5, 1, Colour.BLACK, E5, left_after=0.9),
    Move(3.0, 3.5, 2, Colour.WHITE, G7),
    Retract(5.0, 5.5, 2, "the stone was taken back"),
    ALERT,
    Move(5.0, 5.5, 2, Colour.WHITE, C3, not_before=4.0, inferred=True),
    Gap(6.0, 8.0, 8.1, "a hand"),
    PositionSeen(9.0, SECOND, FIRST),
]


def rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a journal, without the moment when each was written."""
    with Journal.open(path) as journal:
        return [{key: value for key, value in row.items() if key != "at_time"} for row in journal.rows()]


@pytest.fixture
def keeper(tmp_path: Path) -> Iterator[JournalKeeper]:
    made = JournalKeeper(tmp_path / "game.db", info=GameInfo(black="Li Hua", handicap=2), table=TABLE)
    yield made
    made.close()


def test_the_same_rows_as_a_journal_made_of_the_events(keeper: JournalKeeper, tmp_path: Path) -> None:
    with EventsLog(tmp_path / "game.jsonl") as log:
        for happening in STORY:
            keeper.keep(happening)
            log.write(happening)
    later = tmp_path / "later.db"
    made = ["journal", later, "--from", tmp_path / "game.jsonl", "--black", "Li Hua", "--handicap", "2", "--json"]
    assert main(list(map(str, made))) == 0
    assert rows(keeper.path) == rows(later)
    assert [row["type"] for row in rows(later)][:2] == ["game", "board-found"]


def test_a_recording_of_photographs_both_ways(tmp_path: Path) -> None:
    folder = take_all(tmp_path / "photos", [EMPTY, FIRST, SECOND])
    path, events = tmp_path / "game.db", tmp_path / "game.jsonl"
    recording = kifuwatch.record(folder, rules="cn1988", journal=path, events=events)
    lines = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
    found = [{key: value for key, value in row.items() if key != "id"} for row in rows(path)]
    assert found == [{"type": "game", "size": 9, "rules": "cn1988"}, *lines]
    with Journal.open(path) as journal:
        state = DeskJournal(journal).state()
    assert [entry.point for entry in state.moves] == [move.at for move in recording.moves] == [E5, G7]


def test_a_row_lasts_once_it_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "game.db"
    keeper = JournalKeeper(path, table=TABLE)
    for number, happening in enumerate(STORY, 2):  # after the row of the game
        keeper.keep(happening)
        with sqlite3.connect(path) as other:
            assert other.execute("SELECT MAX(id) FROM events").fetchone() == (number,)
    keeper.close()


def test_nothing_is_written_before_a_board_is_found(keeper: JournalKeeper, tmp_path: Path) -> None:
    assert list(tmp_path.iterdir()) == []


def test_a_journal_begun_for_this_game_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "game.db"
    with Journal.create(path) as journal:
        DeskJournal(journal).begin(9, black="Li Hua", komi=0.0)
    keeper = JournalKeeper(path, info=GameInfo(black="Li Hua", komi=0.0), table=TABLE)
    keeper.keep(STORY[0])
    keeper.close()
    assert [row["type"] for row in rows(path)] == ["game", "board-found"]


@pytest.mark.parametrize(
    ("info", "rules", "sentence"),
    [
        (GameInfo(black="Wang"), "cn2002", "game.db is the journal of another game: its black is Li Hua"),
        (GameInfo(), "cn2002", "game.db is the journal of another game: its black is Li Hua"),
        (GameInfo("Li Hua", handicap=3), "cn2002", "game.db is the journal of another game: its handicap is not given"),
        (GameInfo("Li Hua"), "jp", "game.db is the journal of another game: its rules is cn2002"),
    ],
)
def test_a_journal_of_another_game_is_refused(info: GameInfo, rules: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "game.db"
    with Journal.create(path) as journal:
        DeskJournal(journal).begin(9, black="Li Hua")
    before = rows(path)
    with pytest.raises(OutputError) as caught:
        JournalKeeper(path, rules, info, TABLE)
    assert str(caught.value).endswith(sentence)
    assert rows(path) == before


def test_a_journal_that_holds_a_recording_is_not_written_on(keeper: JournalKeeper) -> None:
    keeper.keep(STORY[0])
    with pytest.raises(OutputError, match="holds a recording already"):
        JournalKeeper(keeper.path, info=GameInfo(black="Li Hua", handicap=2), table=TABLE)


def test_a_board_of_another_size_than_was_announced_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "game.db"
    with Journal.create(path) as journal:
        DeskJournal(journal).begin(19)
    with pytest.raises(OutputError, match="of a game on 19 lines, and this board has 9"):
        JournalKeeper(path, table=TABLE).keep(STORY[0])


@pytest.mark.parametrize(
    ("name", "rules", "kind"),
    [
        ("letter.txt", "cn2002", FileFormatError),
        ("missing/game.db", "cn2002", OutputError),
        ("new.db", "chess", UsageError),
    ],
)
def test_what_cannot_be_is_told_before_anything_is_recorded(
    name: str, rules: str, kind: type[KifuwatchError], tmp_path: Path
) -> None:
    (tmp_path / "letter.txt").write_text("Dear arbiter", encoding="utf-8")
    with pytest.raises(kind):
        JournalKeeper(tmp_path / name, rules, table=TABLE)
    assert [each.name for each in tmp_path.iterdir()] == ["letter.txt"]
