"""``--board``: two boards on one photograph, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kifuwatch.vision.images import save_image
from tests.cli.conftest import Run
from tests.two_boards import on_one_table


@pytest.fixture(scope="module")
def photo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("boards") / "table.png"
    save_image(path, on_one_table(9, 13, 5, 75)[0])
    return path


def test_the_larger_board_is_read_and_that_is_said(call: Run, photo: Path) -> None:
    done = call("read", photo, "--json")
    assert done.status == 0
    assert "2 boards are in view: the largest was taken (right, 13 lines)" in done.sentence
    said = json.loads(done.out)
    assert said["size"] == 13
    assert [(board["size"], board["taken"]) for board in said["boards"]] == [(13, True), (9, False)]


def test_the_board_asked_for_is_read(call: Run, photo: Path) -> None:
    done = call("read", photo, "--json", "--board", "left")
    assert "the one asked for was taken (left, 9 lines)" in done.sentence
    assert json.loads(done.out)["size"] == 9


def test_in_chinese_too(call: Run, photo: Path) -> None:
    assert "画面中有 2 个棋盘" in call("read", photo, "--json", "--lang", "zh").sentence


def test_a_choice_that_is_none_is_refused(call: Run, photo: Path) -> None:
    assert call("read", photo, "--board", "nearest").status == 2
    corners = ("10,10", "90,10", "90,90", "10,90")
    done = call("read", photo, "--board", "left", "--corners", *corners)
    assert (done.status, "leave out one" in done.sentence) == (2, True)
