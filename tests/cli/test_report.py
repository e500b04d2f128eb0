"""``kifuwatch report``: sheets of journals, records and events, and their print."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kifuwatch.record import pdf
from tests.cli.conftest import Run

GAME = "(;SZ[9]KM[7.5]PB[Li Hua]PW[王芳]RE[B+R];B[ee];W[cc];B[gg];W[gc])"
EVENTS = (
    {"type": "board-found", "t": 0.0, "size": 9, "corners": []},
    {"type": "move", "t": 3.0, "seen": 3.5, "number": 1, "color": "B", "at": "E5", "captures": [], "inferred": False},
    {"type": "move", "t": 9.0, "seen": 9.5, "number": 2, "color": "W", "at": "G7", "captures": [], "inferred": False},
    {"type": "position", "t": 12.0, "board": ["." * 9] * 9},
)


def record(folder: Path) -> Path:
    path = folder / "game.sgf"
    path.write_text(GAME, encoding="utf-8")
    return path


def events(folder: Path) -> Path:
    path = folder / "game.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in EVENTS), encoding="utf-8")
    return path


def test_of_a_record_beside_it(call: Run, tmp_path: Path) -> None:
    ended = call("report", record(tmp_path))
    sheet = tmp_path / "game.html"
    assert (ended.status, ended.out.strip()) == (0, f"Game sheet: {sheet}")
    assert "Black wins by resignation" in sheet.read_text(encoding="utf-8")
    again = call("report", tmp_path / "game.sgf", "--lang", "zh")
    assert again.status == 6
    assert call("report", tmp_path / "game.sgf", "--force", "--lang", "zh").out.strip() == f"棋局记录：{sheet}"
    assert "黑中盘胜" in sheet.read_text(encoding="utf-8")


def test_of_a_record_that_breaks_off_says_so_on_the_sheet(call: Run, tmp_path: Path) -> None:
    game = tmp_path / "half.sgf"
    game.write_text(GAME[:-4], encoding="utf-8")
    ended = call("report", game)
    assert ended.status == 0
    assert "The file: the file breaks off" in ended.err
    assert "The file: the file breaks off" in (tmp_path / "half.html").read_text(encoding="utf-8")
    assert call("report", game, "--lang", "zh", "--force").status == 0
    assert "文件问题：" in (tmp_path / "half.html").read_text(encoding="utf-8")
    assert "The file:" not in call("report", record(tmp_path)).err


def test_of_events_and_of_the_journal_that_is_made_of_them(call: Run, tmp_path: Path) -> None:
    source = events(tmp_path)
    assert call("report", source, "--black", "Li Hua", "--event", "Club championship", "--round", 3).status == 0
    sheet = (tmp_path / "game.html").read_text(encoding="utf-8")
    assert all(text in sheet for text in ("Li Hua", "Club championship", "E5", "0:09"))
    assert call("journal", tmp_path / "game.db", "--from", source, "--white", "王芳").status == 0
    assert call("rule", tmp_path / "game.db", "resign", "W").status == 0
    assert call("report", tmp_path / "game.db", "--out", tmp_path / "of.html").status == 0
    of_journal = (tmp_path / "of.html").read_text(encoding="utf-8")
    assert "王芳" in of_journal
    assert "White resigns" in of_journal


def test_pictures_of_the_folder_and_none_from_elsewhere(call: Run, tmp_path: Path) -> None:
    from kifuwatch.cli.report import _finder

    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "move-002.jpg").write_bytes(b"jpeg")
    (tmp_path / "secret.jpg").write_bytes(b"secret")
    assert call("report", events(tmp_path), "--pictures", tmp_path / "pictures").status == 0
    assert "data:image/jpeg;base64,anBlZw==" in (tmp_path / "game.html").read_text(encoding="utf-8")
    find = _finder(tmp_path / "pictures")
    assert (find("move-002.jpg"), find("../secret.jpg"), find("move-003.jpg")) == (b"jpeg", None, None)


def test_the_pictures_of_a_live_game_lie_beside_its_journal(call: Run, tmp_path: Path) -> None:
    call("journal", tmp_path / "game.db", "--from", events(tmp_path))
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "move-002.jpg").write_bytes(b"jpeg")
    assert call("report", tmp_path / "game.db").status == 0
    assert "data:image/jpeg;base64,anBlZw==" in (tmp_path / "game.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (("game.txt",), 4, "a sheet is made of a journal (*.db), a game record (*.sgf) or events (*.jsonl)"),
        (("game.sgf", "--pictures", "nowhere"), 4, "--pictures: there is no folder nowhere"),
        (("missing.sgf",), 4, "cannot read missing.sgf"),
    ],
)
def test_what_cannot_be(
    call: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], status: int, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    record(tmp_path)
    ended = call("report", *arguments)
    assert ended.status == status
    assert sentence in ended.sentence


def test_without_a_browser_there_is_no_pdf_and_one_sentence(
    call: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, "BROWSERS", ())
    ended = call("report", record(tmp_path), "--pdf", tmp_path / "game.pdf")
    assert ended.status == 6
    assert ended.sentence.startswith("kifuwatch: a PDF needs Chromium, Chrome or Edge on this machine")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.sgf"]


@pytest.mark.skipif(not any(map(shutil.which, pdf.BROWSERS)), reason="there is no browser on this machine")
def test_printed_by_a_browser(call: Run, tmp_path: Path) -> None:
    assert call("report", record(tmp_path), "--pdf", tmp_path / "game.pdf").status == 0
    assert (tmp_path / "game.pdf").read_bytes().startswith(b"%PDF")
    assert not (tmp_path / "game.html").exists(), "only what was asked for is written"
