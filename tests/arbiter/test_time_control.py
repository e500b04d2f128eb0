"""Time controls: as organisers write them, as SGF keeps them, and back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kifuwatch.arbiter.clock import Kind, TimeControl, control_of_sgf, parse_control
from kifuwatch.core.errors import UsageError

SECOND, MINUTE, HOUR = 1000, 60_000, 3_600_000
SHARED = Path(__file__).resolve().parents[3] / "shared" / "sgf"
FIVE_KEPT = TimeControl(Kind.KEPT, 115 * MINUTE, 5, MINUTE)
THREE_OF_30 = TimeControl(Kind.BYO_YOMI, HOUR, 3, 30 * SECOND)
CANADIAN = TimeControl(Kind.CANADIAN, 30 * MINUTE, period=10 * MINUTE, moves=25)


@pytest.mark.parametrize(
    ("texts", "control"),
    [
        (["90m", "1h30m", "1:30:00", "包干90分", "包干 1小时30分钟"], TimeControl(Kind.ABSOLUTE, 90 * MINUTE)),
        (["2h kept 5", "2h (kept 5m)", "2小时，保留5分钟读秒", "2小时保留5次60秒读秒"], FIVE_KEPT),
        (["1h+3x30s", "60m + 3x30s byo-yomi", "1小时+3次30秒读秒", "每方1小时，3次30秒"], THREE_OF_30),
        (["40:00(5x1:00)"], TimeControl(Kind.BYO_YOMI, 40 * MINUTE, 5, MINUTE)),
        (["3x30s"], TimeControl(Kind.BYO_YOMI, 0, 3, 30 * SECOND)),
        (["30m+25/10m", "30m 25/10:00 canadian", "30分 每10分钟25手"], CANADIAN),
        (
            ["30m+15/10m carry", "30分 每10分钟15步 节余可延至下一节"],
            TimeControl(Kind.CANADIAN, 30 * MINUTE, period=10 * MINUTE, moves=15, carry=True),
        ),
        (
            ["1h+20s", "1h + 20s per move", "1小时 每手加20秒", "1h+20s fischer"],
            TimeControl(Kind.FISCHER, HOUR, increment=20_000),
        ),
    ],
)
def test_what_organisers_write(texts: list[str], control: TimeControl) -> None:
    assert [parse_control(text) for text in texts] == [control] * len(texts)


@pytest.mark.parametrize("text", ["", "soon", "90", "3x", "1h+", "2h kept", "25/10", "1h 30x", "-5m", "0m", "9999h"])
def test_what_is_none_is_one_sentence(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_control(text)
    assert "\n" not in str(caught.value)


def test_more_cannot_be_kept_than_there_is() -> None:
    with pytest.raises(UsageError, match="5 periods of 1m cannot be kept within 3m"):
        parse_control("3m kept 5")


def test_in_words() -> None:
    assert (FIVE_KEPT.en, FIVE_KEPT.zh) == (
        "2h, the last 5 × 1 min of it byo-yomi",
        "每方2小时，保留5次1分钟读秒",
    )
    assert (THREE_OF_30.en, THREE_OF_30.zh) == ("1h and 3 × 30 s byo-yomi", "每方1小时，3次30秒读秒")
    assert CANADIAN.en == "30 min, then 25 moves every 10 min"
    assert parse_control("90m").zh == "包干每方1小时30分钟"
    assert parse_control("1h+20s").en == "1h and 20 s more after each move"


times = st.integers(1, 40_000).map(lambda seconds: seconds * SECOND)
controls = st.one_of(
    st.builds(lambda main: TimeControl(Kind.ABSOLUTE, main), times),
    st.builds(lambda main, n, each: TimeControl(Kind.KEPT, main, n, each), times, st.integers(1, 30), times),
    st.builds(lambda main, n, each: TimeControl(Kind.BYO_YOMI, main, n, each), times, st.integers(1, 30), times),
    st.builds(
        lambda main, n, each, carry: TimeControl(Kind.CANADIAN, main, period=each, moves=n, carry=carry),
        times,
        st.integers(1, 99),
        times,
        st.booleans(),
    ),
    st.builds(lambda main, more: TimeControl(Kind.FISCHER, main, increment=more), times, times),
)


@given(controls)
@example(TimeControl(Kind.KEPT, 1000, 28, 35_715_000))
@example(TimeControl(Kind.ABSOLUTE, 5_400_125))
def test_what_is_written_is_read_back(control: TimeControl) -> None:
    assert parse_control(str(control)) == control
    assert control_of_sgf(*control.to_sgf()) == (control, "")


@pytest.mark.parametrize(
    ("limit", "over", "text"),
    [
        ("3600", "5x30 byo-yomi", "1h+5x30s"),
        ("1200", "25/600 Canadian", "20m+25/10m"),
        ("5400", "", "1h30m"),
        ("1800", "10 fischer", "30m+10s"),
        ("40:00(5x1:00)", "", "40m+5x1m"),
        ("1:00:00", "", "1h"),
        ("7200", "保留5分钟读秒", "2h kept 5"),
        ("", "3x60 byo-yomi", "0m+3x1m"),
    ],
)
def test_what_files_say(limit: str, over: str, text: str) -> None:
    found, problem = control_of_sgf(limit, over)
    assert (str(found), problem) == (text, "")


def test_what_a_file_says_that_cannot_be_understood_is_one_sentence() -> None:
    assert control_of_sgf("600", "8 xyz 16") == (
        None,
        "the time control TM[600] OT[8 xyz 16] is not understood",
    )
    assert control_of_sgf("-", "") == control_of_sgf(None, None) == (None, "")


@pytest.mark.skipif(not SHARED.is_dir(), reason="the game records of ../shared are not here")
def test_the_time_controls_of_real_files() -> None:
    odd = set()
    for path in sorted(SHARED.rglob("*.sgf")):
        text = path.read_bytes().decode("utf-8", errors="replace")
        given = [re.search(rf"\b{name}\[([^\]]*)\]", text) for name in ("TM", "OT")]
        limit, over = (found.group(1) if found else None for found in given)
        _, problem = control_of_sgf(limit, over)
        odd |= {path.name} if problem else set()
    assert odd <= {"gogui_time-settings-unknown-ot.sgf", "sabakisgf_nihon-kiin.sgf"}
