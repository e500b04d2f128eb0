"""A game sheet as one HTML file that needs nothing beside it: diagrams and pictures are in it.

Names and notes come from people and files: all of them are escaped.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from html import escape
from importlib import resources
from importlib.metadata import version

from kifuwatch.arbiter.alerts import likelihood_text
from kifuwatch.core.points import HIDDEN, Colour, Layout, Point
from kifuwatch.record.board_svg import BoardPicture, Style, board_svg, count_picture
from kifuwatch.record.figures import Below, Figure, figures
from kifuwatch.record.sheet import IncidentLine, MoveLine, Sheet
from kifuwatch.record.sheet_words import SheetWords, clock_time

MOST_BYTES = 12_000_000
"""So much of pictures goes into one file; what is left out is named."""
FURTHEST = 4
"""A figure is shown with the photograph of its last move, or of one so many before it."""
MOMENTS = ("before", "during", "after")
Find = Callable[[str], bytes | None]
"""The bytes of a picture of this name, None where there is none."""


@dataclass
class Album:
    """The pictures of a game, as long as there is room for them in the file."""

    find: Find = lambda name: None
    room: int = MOST_BYTES
    left_out: list[str] = field(default_factory=list)

    def image(self, name: str, alt: str) -> str:
        """An ``<img>`` with the picture in it; empty where there is none, or no room."""
        data = self.find(name)
        if data is None:
            return ""
        if len(data) > self.room:
            self.left_out.append(name)
            return ""
        self.room -= len(data)
        source = base64.b64encode(data).decode("ascii")
        return f'<img src="data:image/jpeg;base64,{source}" alt="{escape(alt)}">'


def sheet_html(sheet: Sheet, language: str = "en", find: Find = lambda name: None, most: int = MOST_BYTES) -> str:
    """The sheet in ``en`` or ``zh``.

    ``find``: the pictures of the game by name (``move-050.jpg``, ``alert-001-two-moves-before.jpg``); at most ``most``
    bytes of them are taken in.
    """
    page = _Page(sheet, SheetWords.load(language), Album(find, most))
    names = " – ".join(filter(None, (sheet.info.get("black"), sheet.info.get("white"))))
    title = escape(f"{page.words('title')}: {names}" if names else page.words("title"))
    style = resources.files("kifuwatch.record").joinpath("sheet.css").read_text(encoding="utf-8")
    head = (
        f'<!DOCTYPE html>\n<html lang="{page.words("lang")}"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
        f"<style>\n{style}</style></head>\n<body>\n"
    )
    return head + "\n".join(page.parts()) + "\n</body></html>\n"


@dataclass
class _Page:
    sheet: Sheet
    words: SheetWords
    album: Album

    def parts(self) -> Iterator[str]:
        """The sections, in order."""
        yield self._head()
        yield self._count()
        yield self._figures()
        yield self._incidents()
        yield self._rulings()
        yield self._moves()
        yield self._foot()

    # Head and result

    def _head(self) -> str:
        sheet, words = self.sheet, self.words
        players = "".join(self._player(colour) for colour in Colour)
        facts = [(words(name), sheet.info.get(name, "")) for name in ("event", "round", "date", "board", "place")]
        facts.append((words("rules"), words.rules(sheet.code)))
        facts.append((words("komi"), words.komi(sheet.komi, sheet.code)))
        if sheet.handicap:
            facts.append((words("handicap"), words("handicap_stones", count=sheet.handicap)))
        if sheet.control is not None:
            facts.append((words("time"), sheet.control[words.language]))
        facts.append((words("moves"), str(len(sheet.moves))))
        facts.append((words("captured"), self._captured(sheet.captures[Colour.BLACK], sheet.captures[Colour.WHITE])))
        facts.append((words("arbiter"), sheet.info.get("arbiter", "")))
        told = "".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in facts if text)
        title = f"<h1>{escape(words('title'))}</h1>"
        return f'{title}<div class="players">{players}</div><dl class="facts">{told}</dl>{self._result()}'

    def _player(self, colour: Colour) -> str:
        name = "black" if colour is Colour.BLACK else "white"
        text = self.sheet.info.get(name) or self.words(name)
        rank = self.sheet.info.get(f"{name}_rank", "")
        small = f" <small>{escape(rank)}</small>" if rank else ""
        return f'<div class="player"><span class="stone {name}"></span>{escape(text)}{small}</div>'

    def _captured(self, black: int, white: int) -> str:
        return self.words("captured_of", black=black, white=white)

    def _result(self) -> str:
        if self.sheet.result is None:
            text, small = self.words("no_result"), ""
        else:
            text, small = self.sheet.result[1][self.words.language], self.sheet.result[0]
        small = f"<small>{escape(small)}</small>" if small and small != text else ""
        return f'<p class="result">{escape(self.words("result") + self.words("colon") + text)}{small}</p>'

    def _count(self) -> str:
        score, words = self.sheet.score, self.words
        if score is None:
            return ""
        zi = score.code.counting.count == "area"
        rows = []
        for colour in Colour:
            number = words("zi", count=f"{score.area[colour]:g}") if zi else str(score.territory[colour])
            rows.append((f"{words.colour(colour)}{words('colon')}{words('area' if zi else 'territory')}", number))
        if zi and score.count.shared:
            rows.append((words("shared"), words("half_each", count=len(score.count.shared))))
        dead = " ".join(str(point) for points in score.count.dead.values() for point in points)
        rows.append((words("dead"), dead or words("none")))
        for name in ("board", "komi", "handicap", "fines", "group_tax"):
            if score.parts.get(name) or name == "board":
                rows.append((words(f"{name}_part"), words("points", count=f"{score.parts[name]:+g}")))
        told = "".join(f"<tr><th>{escape(name)}</th><td class=number>{escape(text)}</td></tr>" for name, text in rows)
        margin = words("points", count=f"{score.margin:+g}")
        told += f'<tr class="sum"><th>{escape(words("margin"))}</th><td class=number>{escape(margin)}</td></tr>'
        drawing = board_svg(count_picture(score.count, words("counted")), Style.PRINT)
        table = f'<div class="count"><table>{told}</table><figure>{drawing}</figure></div>'
        return f"<h2>{escape(words('counted'))}</h2>{table}"

    # Diagrams

    def _figures(self) -> str:
        words, sheet = self.words, self.sheet
        found = figures(sheet.start, sheet.steps)
        parts = [self._figure(figure) for figure in found]
        if HIDDEN not in sheet.board.cells and not found:
            parts.append(self._plain(sheet.start, None, words("start")))
        elif sheet.score is None:
            parts.append(self._plain(sheet.board, sheet.last, words("final")))
        return "".join(parts)

    def _figure(self, figure: Figure) -> str:
        words = self.words
        title = words("figure", first=figure.first, last=figure.last)
        drawing = board_svg(replace(figure.picture, title=title), Style.PRINT)
        below = "".join(f"<span>{escape(text)}</span>" for text in self._below(figure.below))
        below = f'<span class="below">{below}</span>' if below else ""
        taken = ""
        if any(figure.captured.values()):
            black, white = figure.captured[Colour.BLACK], figure.captured[Colour.WHITE]
            taken = f'<span class="soft">{escape(words("taken", black=black, white=white))}</span>'
        caption = f"<figcaption><b>{escape(title)}</b>{below} {taken}{self._photo(figure)}</figcaption>"
        return f'<figure class="kifu">{drawing}{caption}</figure>'

    def _photo(self, figure: Figure) -> str:
        """The board as the camera saw it last in this figure: of a pass there is no picture."""
        behind = self.sheet.moves[max(figure.first - 1, figure.last - 1 - FURTHEST) : figure.last]
        for move in reversed(behind):
            name = "" if move.camera is None else f"move-{move.camera:03d}.jpg"
            if name and self.album.find(name) is not None:
                alt = self.words("photo", number=move.number)
                photo = self.album.image(name, alt)
                return f'{photo}<span class="soft">{escape(alt)}</span>' if photo else ""
        return ""

    def _below(self, below: Iterable[Below]) -> list[str]:
        """``158, 164 = at N4``: the moves that found the same point taken stand together."""
        found: dict[str, list[str]] = {}
        for each in below:
            found.setdefault(each.label, []).append(str(each.number))
        joined = {label: self.words("comma").join(numbers) for label, numbers in found.items()}
        return [
            self.words("at", number=numbers, label=label) if label else self.words("passes", number=numbers)
            for label, numbers in joined.items()
        ]

    def _plain(self, layout: Layout, last: Point | None, title: str) -> str:
        marked = last if last is not None and 0 <= last.col < layout.size and 0 <= last.row < layout.size else None
        drawing = board_svg(BoardPicture(layout, marked, title=title), Style.PRINT)
        return f'<figure class="kifu final">{drawing}<figcaption><b>{escape(title)}</b></figcaption></figure>'

    # Incidents

    def _incidents(self) -> str:
        words = self.words
        serious = [each for each in self.sheet.incidents if each.level != "info"]
        notices = [each for each in self.sheet.incidents if each.level == "info"]
        body = "".join(map(self._incident, serious)) or f"<p>{escape(words('no_incidents'))}</p>"
        told = [f"{self._when(each)}{words('colon')}{each.text[words.language]}" for each in notices]
        told += [
            words("gaps") + words("colon") + words("gap", start=clock_time(a), end=clock_time(b))
            for a, b in self.sheet.gaps
        ]
        told = [words("problem", problem=problem) for problem in self.sheet.problems] + told
        if told:
            body += f"<h3>{escape(words('notices'))}</h3>{_list(told)}"
        if self.album.left_out:
            names = " ".join(self.album.left_out)
            body += f'<p class="soft">{escape(words("left_out", names=names))}</p>'
        return f"<h2>{escape(words('incidents'))}</h2>{body}"

    def _when(self, each: IncidentLine) -> str:
        moment = [] if each.t is None else [clock_time(each.t)]
        place = self.words("move_at", number=each.move) if each.move else self.words("at_first")
        return self.words("comma").join([place, *moment])

    def _incident(self, each: IncidentLine) -> str:
        words = self.words
        state = words.of("state", each.state) if each.state else ""
        if each.actions:
            state += words("colon") + words.actions(each.actions)
        elif each.why and words.language == "en":
            state += f" ({each.why})"
        header = f"<h3>{escape(words('incident', number=each.number))}</h3><span>{escape(self._when(each))}</span>"
        told = f'<p>{escape(each.text[words.language])}</p><p class="state">{escape(state)}</p>'
        if each.hypotheses and each.state in {"", "open"}:
            told += f'<p class="soft">{escape(words("may_be") + words("colon") + self._hypotheses(each))}</p>'
        body = f"<header>{header}</header>{told}{self._boards(each)}{self._pictures(each)}"
        return f'<article class="incident {escape(each.state) or "none"}">{body}</article>'

    def _hypotheses(self, each: IncidentLine) -> str:
        said = []
        for one in each.hypotheses:
            name, likelihood = str(one.get(self.words.language, "")), one.get("likelihood")
            sure = "" if likelihood is None else self.words("brackets", text=likelihood_text(float(likelihood)))
            said.append(name + sure)
        return self.words("semicolon").join(said)

    def _boards(self, each: IncidentLine) -> str:
        """The board before, as it should lie (where that is another), as it lay: there the points that differ."""
        if set(each.boards) != {"before", "expected", "after"}:
            return ""
        before, expected, after = (each.boards[name] for name in ("before", "expected", "after"))
        wrong = {point for point, was, now in expected.changes(after) if HIDDEN not in (was, now)}
        wrong = wrong & set(each.at) or wrong
        pictures = [("expected", BoardPicture(expected)), ("lies", BoardPicture(after, differs=frozenset(wrong)))]
        if before != expected:
            pictures.insert(0, ("before", BoardPicture(before)))
        return self._strip((board_svg(picture, Style.PRINT), self.words(name)) for name, picture in pictures)

    def _pictures(self, each: IncidentLine) -> str:
        parts = []
        for moment in MOMENTS:
            name = next((name for name in each.files if name.endswith(f"-{moment}.jpg")), None)
            image = self.album.image(name, self.words(moment)) if name else ""
            if image:
                parts.append((image, self.words(moment)))
        films = [name for name in each.files if name.endswith(".mkv") and self.album.find(name) is not None]
        film = f'<p class="soft">{escape(self.words("film", name=" ".join(films)))}</p>' if films else ""
        return (self._strip(parts) if parts else "") + film

    def _strip(self, parts: Iterable[tuple[str, str]]) -> str:
        shown = "".join(f"<figure>{what}<figcaption>{escape(text)}</figcaption></figure>" for what, text in parts)
        return f'<div class="strip">{shown}</div>'

    # Rulings, moves

    def _rulings(self) -> str:
        words, body = self.words, ""
        if self.sheet.rulings:
            lines = []
            for each in self.sheet.rulings:
                when = f'<span class="soft">{escape(each.when[:16].replace("T", " "))}</span> ' if each.when else ""
                undone = f" ({words('undone')})" if each.undone else ""
                kind = ' class="undone"' if each.undone else ""
                lines.append(f"<li{kind}>{when}{escape(words.ruling(each) + undone)}</li>")
            body += f"<h2>{escape(words('rulings'))}</h2><ol>{''.join(lines)}</ol>"
        if self.sheet.ledger:
            body += f"<h2>{escape(words('ledger'))}</h2>{_list(map(words.ledger, self.sheet.ledger))}"
        if self.sheet.aside:
            told = [
                words("aside_line", after=e.after, colour=words.colour(e.colour), at=words.point(e.point), why=e.why)
                for e in self.sheet.aside
            ]
            body += f"<h2>{escape(words('aside'))}</h2>{_list(told)}"
        return body

    def _moves(self) -> str:
        words, moves = self.words, self.sheet.moves
        if not moves:
            return ""
        timed = any(each.t is not None for each in moves)
        note = words("time_note") if timed else words("times_unknown")
        totals = ""
        if self.sheet.totals:
            told = [f"{words.colour(c)} {clock_time(self.sheet.totals[c])}{self._slowest(c)}" for c in Colour]
            totals = f"<p>{escape(words('thinking') + words('colon') + words('semicolon').join(told))}</p>"
        lines = "".join(map(self._move, moves))
        title = f"<h2>{escape(words('move_list'))}</h2>"
        kind = "moves" if timed else "moves untimed"
        return f'{title}<p class="soft">{escape(note)}</p>{totals}<div class="{kind}">{lines}</div>'

    def _slowest(self, colour: Colour) -> str:
        own = [each for each in self.sheet.moves if each.colour is colour and each.thinking is not None]
        if not own:
            return ""
        most = max(own, key=lambda each: each.thinking or 0.0)
        told = self.words("slowest", number=most.number, time=clock_time(most.thinking or 0.0))
        return self.words("brackets", text=told)

    def _move(self, each: MoveLine) -> str:
        words = self.words
        taken = words("captures", count=each.captures) if each.captures else ""
        think = "" if each.thinking is None else clock_time(each.thinking)
        if each.clock is not None:
            main, period, periods = each.clock
            left = clock_time(main / 1000) if main else f"{periods}×{clock_time(period / 1000)}"
            think += f" [{left}]"
        cells = (
            ("n", str(each.number)),
            (f"dot {each.colour.value}", ""),
            ("at", words.point(each.point) + ("?" if each.inferred else "")),
            ("taken", taken),
            ("t", "" if each.t is None else clock_time(each.t)),
            ("think", think),
        )
        shown = "".join(f'<span class="{kind}">{escape(text)}</span>' for kind, text in cells)
        if each.faults:
            faults = ", ".join(fault.replace("_", " ") for fault in each.faults)
            shown += f'<span class="fault">{escape(words("although", faults=faults))}</span>'
        return f'<div class="move">{shown}</div>'

    def _foot(self) -> str:
        words = self.words
        signed = "".join(f"<div>{escape(text)}</div>" for text in (words("black"), words("white"), words("arbiter")))
        made = escape(words("made_by", version=version("kifuwatch")))
        return f'<div class="signatures">{signed}</div><footer>{made}</footer>'


def _list(lines: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"
