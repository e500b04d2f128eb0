"""Game sheets: what stands on them, in both languages, and that no name breaks out of the page."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kifuwatch.arbiter import AlertTable
from kifuwatch.arbiter.code import ACTIONS, load_code
from kifuwatch.arbiter.rulings import VERBS
from kifuwatch.core.errors import KifuwatchError
from kifuwatch.record.checking import check
from kifuwatch.record.sgf_game import game_of_bytes, read_game
from kifuwatch.record.sheet import Sheet, sheet_of_record, sheet_of_rows
from kifuwatch.record.sheet_html import sheet_html
from kifuwatch.record.sheet_words import clock_time
from tests.reconstruct.stage import SHARED

TABLE = AlertTable.load()
VOID = {"meta", "img", "path", "rect", "circle", "polygon", "stop"}


class Reader(HTMLParser):
    """Reads a page as a browser does: its tags, its text, and whether they are nested."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text.append(data)

    @classmethod
    def of(cls, page: str) -> Reader:
        reader = cls()
        reader.feed(page)
        reader.close()
        assert not reader._open, f"never closed: {reader._open}"
        return reader

    @property
    def words(self) -> str:
        """All the text but that of the style sheet."""
        return re.sub(r"\s+", " ", " ".join(self.text))


def rows(*more: dict[str, Any], **info: Any) -> list[dict[str, Any]]:
    """A journal of a game on five lines, its rows numbered."""
    head = {"type": "game", "size": 5, "rules": "cn2002", "black": "Li Hua", "white": "Wang Fang", **info}
    found = [head, {"type": "board-found", "t": 0.0, "size": 5, "corners": []}, *more]
    return [{**row, "id": number, "at_time": "2026-05-01T10:00:00+00:00"} for number, row in enumerate(found, 1)]


def played(text: str, start: float = 10.0, step: float = 7.0) -> list[dict[str, Any]]:
    """``B C3, W D3``, so many seconds apart."""
    found = []
    for number, move in enumerate(text.split(","), 1):
        colour, at = move.split()
        t = start + step * (number - 1)
        line = {"type": "move", "t": t, "seen": t, "number": number, "color": colour, "at": at, "not_before": t}
        found.append({**line, "left_after": t})
    return found


def ruled(**fields: Any) -> dict[str, Any]:
    return {"type": "ruling", **fields}


def alert(code: str, *at: str, **more: Any) -> dict[str, Any]:
    text = {"en": f"Move 4: {code}", "zh": f"第4手：{code}"}
    return {"type": "alert", "t": 40.0, "code": code, "level": "warning", "at": list(at), "text": text, **more}


TWO_MOVES = (
    *played("B C3, W D3, B B2, B B4"),
    alert(
        "two-moves",
        "B2",
        "B4",
        move=4,
        hypotheses=[{"name": "passed", "en": "the opponent passed", "zh": "对方弃权（虚着）", "likelihood": None}],
        boards={
            "before": [".....", ".....", "..XO.", ".X...", "....."],
            "expected": [".....", ".....", "..XO.", ".X...", "....."],
            "after": [".....", ".X...", "..XO.", ".X...", "....."],
        },
        evidence=["hand: B", "alert-001-two-moves-before.jpg", "alert-001-two-moves.mkv"],
    ),
)
FINISHED = (
    *TWO_MOVES,
    ruled(do="uphold", alert=1),
    ruled(do="warn", color="W", note="talking"),
    ruled(do="undo", row=9),
    ruled(do="propose-end", color="W"),
    ruled(do="agree-end"),
    ruled(do="dead", at=["D3"]),
    ruled(do="confirm"),
)


def sheet(journal: Iterable[dict[str, Any]]) -> Sheet:
    return sheet_of_rows(list(journal), load_code("cn2002"))


def page(of: Sheet, language: str = "en", **options: Any) -> Reader:
    return Reader.of(sheet_html(of, language, **options))


def test_a_whole_game_in_english() -> None:
    found = page(sheet(rows(*FINISHED, event="Club championship", black_rank="3d")))
    for words in (
        "Li Hua",
        "3d",
        "Wang Fang",
        "Club championship",
        "Chinese rules of 2002",
        "3 3/4 zi (7.5 points)",
        "Result: Black wins by",
        "Alert 1",
        "upheld: move void, one warning",
        "Alert 1 upheld: move void, one warning",
        "White: warning: talking (undone)",
        "Black: warning (Art. 17.2), alert 1",
        "after move 3: Black B4",
        "Dead stones",
        "Fines for warnings",
        "Result confirmed",
        "Thinking time, as far as known: Black 0:07",
    ):
        assert words in found.words, words


def test_the_same_game_in_chinese() -> None:
    found = page(sheet(rows(*FINISHED)), "zh")
    for words in (
        "棋局记录",
        "中国围棋规则",
        "贴3又3/4子（7.5目）",
        "结果：黑胜",
        "成立：着手无效，警告一次",
        "提示1成立",
    ):
        assert words in found.words, words
    english = {"Result", "Moves", "Black", "White", "Incidents", "Rulings", "Date", "Komi"}
    assert not english & set(re.findall(r"[A-Za-z]+", found.words))


def test_what_is_open_says_what_it_may_be_and_shows_the_boards() -> None:
    found = page(sheet(rows(*TWO_MOVES)))
    assert "no result yet" in found.words
    assert "May be: the opponent passed" in found.words
    assert "as it should lie" in found.words
    assert found.tags.count("svg") == 4, "moves 1 to 4, the last position, as it should lie, as it lay"


NAMES = ("<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "O'Hara & Söhne", "</title><b>", "{x} %s 王芳")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_names_and_notes_stand_on_the_page_as_they_are_and_break_nothing(name: str, language: str) -> None:
    journal = rows(
        *FINISHED[:-1],
        ruled(do="note", note=name),
        alert(f"takeback{name}", text={"en": name, "zh": name}, evidence=[f"{name}.mkv"]),
        black=name,
        event=name,
        round=name,
    )
    found = page(sheet(journal), language)
    assert found.words.count(re.sub(r"\s+", " ", name)) >= 5
    plain = page(sheet(rows(*FINISHED[:-1], alert("takeback"))), language)
    assert set(found.tags) <= set(plain.tags)
    assert not [key for key, _ in found.attributes if key.startswith("on")]


@settings(deadline=None, max_examples=40)
@given(st.text(max_size=30))
def test_no_name_at_all_breaks_the_page(name: str) -> None:
    text = name.replace("\r", "").replace("\0", "")
    found = page(sheet(rows(*played("B C3"), black=text)))
    assert "script" not in found.tags
    assert found.tags.count("body") == 1


def test_pictures_are_taken_in_as_long_as_there_is_room() -> None:
    kept = {"alert-001-two-moves-before.jpg": b"x" * 600, "move-004.jpg": b"y" * 500, "alert-001-two-moves.mkv": b""}
    found = page(sheet(rows(*TWO_MOVES)), find=kept.get, most=10_000)
    assert [value for key, value in found.attributes if key == "src"] == [
        "data:image/jpeg;base64," + text for text in ("eXl5" * 166 + "eXk=", "eHh4" * 200)
    ]
    assert "as the camera saw it" in found.words
    assert "Film: alert-001-two-moves.mkv" in found.words
    passed = page(sheet(rows(*FINISHED)), find={"move-003.jpg": b"z"}.get)
    assert "The board after move 3, as the camera saw it" in passed.words, "move 4 is a pass"
    inserted = sheet(rows(*played("B C3, B D3"), ruled(do="was-pass", number=2)))
    shown = page(inserted, find={"move-002.jpg": b"z"}.get)
    assert "The board after move 3, as the camera saw it" in shown.words, "the camera's second move is the third now"
    little = page(sheet(rows(*TWO_MOVES)), find=kept.get, most=1000)
    assert little.tags.count("img") == 1
    assert "Pictures not shown here: alert-001-two-moves-before.jpg" in little.words


def record(text: str, times: dict[str, Any] | None = None, rules: str = "cn2002", **info: str) -> Sheet:
    found = check(game_of_bytes(text.encode()), load_code(rules))
    return sheet_of_record(found, times, lambda each: {"en": f"irregular: {each.code}", "zh": each.code}, info)


RESULTS = [
    ("B+R", "Black wins by resignation", "黑中盘胜"),
    ("W+T", "White wins on time", "白超时胜"),
    ("W+0.5", "White wins by 1/4 zi (0.5 points)", "白胜1/4子"),
    ("0", "a draw", "和棋"),
    ("Void", "Void", "Void"),
]


@pytest.mark.parametrize(("written", "en", "zh"), RESULTS)
def test_a_result_in_words(written: str, en: str, zh: str) -> None:
    of = record(f"(;SZ[5]PB[Li]PW[Wang]RE[{written}];B[cc];W[dc])")
    assert f"Result: {en}" in page(of).words
    assert f"结果：{zh}" in page(of, "zh").words


def test_a_record_with_marked_territory_is_counted() -> None:
    marked = "(;SZ[5]KM[0]RE[B+25];B[cc];W[aa];B[bb];W[];B[]TB[aa][ab][ba])"
    found = page(record(marked))
    assert "Area" in found.words
    assert "25 zi" in found.words
    assert "Dead stones A5" in found.words


def test_what_is_irregular_in_a_record_is_an_incident() -> None:
    assert "irregular: two-moves" in page(record("(;SZ[5];B[cc];B[dc])")).words
    assert "There were none." in page(record("(;SZ[5];B[cc];W[dc])")).words


def test_times_beside_a_record_are_believed_only_where_they_are_of_its_line() -> None:
    def line(number: int, color: str, at: str, thinking: float | None) -> dict[str, Any]:
        return {"number": number, "color": color, "at": at, "t": 3.0 * number, "thinking": thinking}

    times = {"moves": [line(1, "B", "C3", None), line(2, "W", "D3", 65.0)]}
    found = page(record("(;SZ[5];B[cc];W[dc])", times))
    assert "1:05" in found.words
    assert "longest 1:05, move 2" in found.words
    assert "No times are known." in page(record("(;SZ[5];B[cc];W[dd])", times)).words


def test_stones_put_down_and_handicap() -> None:
    of = record("(;SZ[9]HA[2]AB[cc][gg]KM[0];W[ee];B[];AE[ee]AB[dd];W[ef])", place="Hall 2")
    assert "2 stones" in page(of).words
    assert "Hall 2" in page(of).words
    assert [move.number for move in of.moves] == [1, 2, 3]
    assert page(of).tags.count("svg") == 3


def test_both_languages_have_the_same_words() -> None:
    text = resources.files("kifuwatch.record").joinpath("sheet_texts.toml").read_text(encoding="utf-8")
    catalogue = tomllib.loads(text)
    english, chinese = catalogue["en"], catalogue["zh"]
    assert {name: set(part) for name, part in english.items()} == {name: set(part) for name, part in chinese.items()}
    for name, part in english.items():
        for key, sentence in part.items():
            assert set(re.findall(r"{(\w+)}", sentence)) == set(re.findall(r"{(\w+)}", chinese[name][key])), key
    assert set(ACTIONS) <= set(english["action"])
    assert set(VERBS) <= set(english["ruling"]), "every ruling is said in words"


def test_seconds_as_a_clock_shows_them() -> None:
    assert [clock_time(t) for t in (0, 59.9, 60, 3599, 36000)] == ["0:00", "0:59", "1:00", "59:59", "10:00:00"]


@pytest.mark.skipif(not (SHARED / "sgf" / "weird").is_dir(), reason="the strange files of ../shared are not here")
def test_the_strangest_files_make_a_sheet_or_one_sentence() -> None:
    made = 0
    for path in sorted((SHARED / "sgf" / "weird").rglob("*")):
        if not path.is_file() or path.suffix.lower() != ".sgf":
            continue
        try:
            found = check(read_game(Path(path)), load_code())
        except KifuwatchError:
            continue
        page(sheet_of_record(found, None, lambda each: {"en": each.code, "zh": each.code}, {}))
        made += 1
    assert made > 0


def test_what_a_clock_showed_stands_beside_the_moves() -> None:
    clock = [
        {"type": "clock", "t": 0.0, "do": "start", "color": "B"},
        *played("B C3", 30.0),
        {"type": "clock", "t": 31.0, "do": "press", "color": "B"},
    ]
    of = sheet(rows(*clock, time="1h kept 5"))
    assert "the last 5 × 1 min of it byo-yomi" in page(of).words
    assert "Thinking time" not in page(of).words, "none is known"
    assert "[54:29]" in page(of).words, "31 seconds of the 55 minutes before the kept ones are gone"
    assert "保留5次" in page(of, "zh").words
