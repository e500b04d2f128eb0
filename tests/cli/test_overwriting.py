"""What no command writes over, not even with ``--force``: what it reads, a journal, its own other output."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import kifuwatch
from kifuwatch.core.errors import UsageError
from kifuwatch.core.outputs import is_journal
from kifuwatch.core.points import Layout
from kifuwatch.record.journal import Journal
from kifuwatch.vision.images import save_image
from tests.cli.conftest import Ended, Run
from tests.cli.test_bad_input import files_in
from tests.cli.test_report import events, record
from tests.material import photograph

USAGE, EXISTS = 2, 6
READ = "is what is read, and is not overwritten: name another file"
JOURNAL = "is a journal, and a journal is never overwritten: name another file"
TWICE = "give each a name of its own"
SCENARIO = {"size": 9, "seconds": 1, "fps": 5, "width": 320, "height": 240, "events": []}


@pytest.fixture
def hall(call: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one of everything that a command reads."""
    from kifuwatch.datasets.render import render

    monkeypatch.chdir(tmp_path)
    record(tmp_path)
    assert call("journal", "game.db", "--from", events(tmp_path)).status == 0
    save_image(tmp_path / "photo.png", render(photograph(Layout.from_rows(["..X......"] * 9))).image)
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "1.png").write_bytes((tmp_path / "photo.png").read_bytes())
    (tmp_path / "film.mp4").write_bytes(b"a film that nobody can replace")
    (tmp_path / "event.toml").write_text('base = "cn2002"\n')
    (tmp_path / "clock.jsonl").write_text("")
    (tmp_path / "place.times.json").write_text("{}")
    (tmp_path / "ko.scenario.json").write_text(json.dumps(SCENARIO))
    (tmp_path / "link.sgf").symlink_to("game.sgf")
    return tmp_path


def refused(call: Run, hall: Path, words: str) -> Ended:
    """A command that is refused, with ``--force`` and without, and changes nothing."""
    before = files_in(hall)
    assert call(*words.split()).status == USAGE
    ended = call(*words.split(), "--force")
    assert ended.status == USAGE
    assert files_in(hall) == before
    return ended


@pytest.mark.parametrize(
    "words",
    [
        "read photo.png --picture photo.png",
        "read photo.png --picture photos/../photo.png",
        "calibrate photo.png --picture photo.png",
        "calibrate photo.png --picture grid.png --profile photo.png",
        "calibrate photos --picture photos/1.png",
        "record film.mp4 --sgf film.mp4",
        "record film.mp4 --events film.mp4",
        "record photos --sgf photos/1.png",
        "record photos --pictures photos",
        "record film.mp4 --profile game.jsonl --sgf game.jsonl",
        "record film.mp4 --profile place.times.json --sgf place.sgf",
        "record film.mp4 --rules event.toml --events event.toml",
        "report game.db --out game.db",
        "report game.sgf --out game.sgf",
        "report game.sgf --out link.sgf",
        "report game.sgf --rules event.toml --pdf event.toml",
        "report game.jsonl --pictures photos --out photos/1.png",
        "journal new.db --from game.jsonl --sgf game.jsonl",
        "journal game.db --clock clock.jsonl --sgf clock.jsonl",
        "score game.sgf --diagram game.sgf",
        "restore game.sgf --diagram game.sgf",
        "restore game.sgf --photo photo.png --diagram photo.png",
    ],
)
def test_what_is_read_is_not_overwritten(call: Run, hall: Path, words: str) -> None:
    assert refused(call, hall, words).sentence.endswith(READ)


@pytest.mark.parametrize(
    "words",
    [
        "read photo.png --picture game.db",
        "calibrate photo.png --picture grid.png --profile game.db",
        "record film.mp4 --events game.db",
        "record film.mp4 --sgf game.db",
        "report game.sgf --out game.db",
        "score game.sgf --diagram game.db",
    ],
)
def test_a_journal_is_not_overwritten(call: Run, hall: Path, words: str) -> None:
    assert refused(call, hall, words).sentence.endswith(f"game.db {JOURNAL}")


@pytest.mark.parametrize(
    "words",
    [
        "report game.db --out game.html --pdf game.html",
        "calibrate photo.png --picture a.png --profile ./a.png",
        "record film.mp4 --sgf a --events a",
        "record film.mp4 --sgf a.sgf --events a.times.json",
        "record film.mp4 --journal a --events a",
        "journal game.db --sgf game.db",
        "journal new.db --from game.jsonl --sgf new.db",
    ],
)
def test_two_outputs_need_two_names(call: Run, hall: Path, words: str) -> None:
    assert refused(call, hall, words).sentence.endswith(TWICE)


def test_the_log_of_a_journal_holds_moves_as_well(tmp_path: Path) -> None:
    with Journal.create(tmp_path / "game.db") as journal:
        journal.append({"type": "move"})
        log = tmp_path / "game.db-wal"
        assert log.stat().st_size > 0
        assert is_journal(log)
        with pytest.raises(UsageError, match="never overwritten"):
            kifuwatch.record("film.mp4", sgf=log, force=True)
    (tmp_path / "notes-wal").write_text("of a game")
    assert not is_journal(tmp_path / "notes-wal")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_no_journal_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert not is_journal(tmp_path / "pipe")


def test_from_python_as_well(hall: Path) -> None:
    before = files_in(hall)
    with pytest.raises(UsageError, match=r"^the game record film.mp4 is what is read"):
        kifuwatch.record("film.mp4", sgf="film.mp4", force=True)
    assert files_in(hall) == before


def test_other_files_are_overwritten_with_force_alone(call: Run, hall: Path) -> None:
    for words in ("read photo.png --picture p.png", "calibrate photo.png --picture p.png --profile p.json"):
        (hall / "p.png").write_bytes(b"of somebody")
        ended = call(*words.split())
        assert (ended.status, ended.out) == (EXISTS, "")
        assert ended.sentence == "kifuwatch: --picture: p.png exists already: add --force to overwrite it"
        assert (hall / "p.png").read_bytes() == b"of somebody"
        assert call(*words.split(), "--force").status == 0
        assert (hall / "p.png").read_bytes() != b"of somebody"


def test_a_sheet_among_its_pictures_is_made_anew(call: Run, hall: Path) -> None:
    words = ("report", "game.jsonl", "--pictures", "photos", "--out", "photos/game.html")
    assert [call(*words).status, call(*words, "--force").status] == [0, 0]


def test_the_truth_of_a_clip_does_not_replace_its_scenario(call: Run, hall: Path) -> None:
    ended = refused(call, hall, "simulate ko.scenario.json ko.mp4")
    assert ended.sentence == (
        "kifuwatch: the truth of ko.mp4 would replace the scenario ko.scenario.json: name the clip ko-film.mp4, say"
    )


def test_a_truth_that_exists_is_named(call: Run, hall: Path) -> None:
    (hall / "ko-2.scenario.json").write_text("{}")
    ended = call("simulate", "ko.scenario.json", "ko-2.mp4", "--seed", 2)
    assert ended.status == EXISTS
    assert ended.sentence == "kifuwatch: the truth ko-2.scenario.json exists already: add --force to overwrite it"


def test_the_examples_of_simulate_work(call: Run, hall: Path) -> None:
    """Those of its help, one after the other, as somebody would try them."""
    from kifuwatch.cli.simulate import EXAMPLES

    examples = [line.partition("#")[0].split()[1:] for line in EXAMPLES.splitlines() if "kifuwatch" in line]
    assert [call(*words).status for words in examples] == [0, 0]
    assert json.loads((hall / "ko.scenario.json").read_text()) == SCENARIO
