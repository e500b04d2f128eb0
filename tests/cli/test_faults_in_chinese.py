"""Faults on the command line, in the language that is asked for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kifuwatch.cli.main import main


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["read", "no.jpg"], "no.jpg 不存在"),
        (["read", "no.jpg", "--size", "12"], "--size：不能识别 12 路棋盘：请选 9、13 或 19"),
        (["read", "no.jpg", "--corners", "1,2"], "--corners 要有四个 x,y，现有 1 个"),
        (["record", "no.mp4", "--sgf", "nowhere/a.sgf"], "没有文件夹"),
        (["check", "no.sgf"], "无法读取 no.sgf：没有这个文件或文件夹"),
        (["reed"], "没有命令 'reed'"),
        (["read"], "缺少参数"),
        (["read", "--sice", "9"], "没有选项 --sice"),
        (["read", "a.jpg", "b.jpg"], "多余的参数"),
        (["record", "a.mp4", "--fps", "many"], "'--fps' 的值无效："),
    ],
)
def test_the_command_line_says_faults_in_chinese(
    arguments: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KIFUWATCH_LANG", "zh")
    status = main(arguments)
    assert told in capsys.readouterr().err
    monkeypatch.setenv("KIFUWATCH_LANG", "en")
    assert main(arguments) == status != 0
    assert not re.search("[一-鿿]", capsys.readouterr().err)
