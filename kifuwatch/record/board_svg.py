"""A board as a picture to print or to show: SVG, made of nothing but text.

Lines, letters and numbers, stones, the last move, move numbers, and what is not yet right. The picture has no size of
its own but a shape: whoever shows it says how wide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from html import escape
from pathlib import Path

from kifuwatch.core.errors import UsageError
from kifuwatch.core.points import BLACK, COLUMNS, EMPTY, HIDDEN, WHITE, Colour, Layout, Point, star_points
from kifuwatch.record.files import write_whole
from kifuwatch.rules.count import BoardCount

PITCH = 24.0
"""Units from line to line; all others are parts of it."""
RIM = 1.15 * PITCH
"""From the outermost line to the letters."""
EDGE = 1.75 * PITCH
"""From the outermost line to the edge of the picture, with letters; half of it without."""
STONE = 0.478 * PITCH
LINE = 0.75 * PITCH
"""From one line of the captions to the next."""
FONT = "Helvetica, Arial, 'Liberation Sans', 'Noto Sans CJK SC', sans-serif"
ALARM = "#c8102e"


class Style(Enum):
    """How the board looks: ``wood`` for a screen, ``print`` for paper."""

    WOOD = "wood"
    PRINT = "print"


class Mark(Enum):
    """What a point can be marked with."""

    SQUARE = "square"
    TRIANGLE = "triangle"
    CIRCLE = "circle"
    CROSS = "cross"


@dataclass(frozen=True)
class _Ink:
    board: str
    line: str
    letters: str
    black: str
    white: str
    white_edge: str


_INKS = {
    Style.WOOD: _Ink("#e3b65f", "#3a2a10", "#4a3718", "url(#kw-black)", "url(#kw-white)", "#8a8474"),
    Style.PRINT: _Ink("#ffffff", "#000000", "#333333", "#000000", "#ffffff", "#000000"),
}
_SHADES = (
    '<defs><radialGradient id="kw-black" cx=".36" cy=".32" r=".75"><stop offset="0" stop-color="#6b6b70"/>'
    '<stop offset=".45" stop-color="#26262a"/><stop offset="1" stop-color="#08080a"/></radialGradient>'
    '<radialGradient id="kw-white" cx=".36" cy=".32" r=".8"><stop offset="0" stop-color="#ffffff"/>'
    '<stop offset=".6" stop-color="#f1efe8"/><stop offset="1" stop-color="#c9c5b8"/></radialGradient></defs>'
)


@dataclass(frozen=True)
class BoardPicture:
    """What a diagram shows.

    ``layout``: the stones. ``last``: the point of the last move. ``labels``: words on points, mostly move numbers.
    ``lies``: points that are not as they should be, with the cell that lies there now; ``layout`` says what should.
    ``differs``: points that are framed because something is wrong with them. ``marks``: further marks.
    ``territory``: cells (``X``, ``O``, or ``?`` for a shared point) drawn small on points that are counted; ``dead``:
    stones drawn pale. ``quarters``: turned clockwise by so many quarter turns.
    ``title``: what it is, for people who do not see it. ``captions``: lines under the board.
    """

    layout: Layout
    last: Point | None = None
    labels: Mapping[Point, str] = field(default_factory=dict)
    lies: Mapping[Point, str] = field(default_factory=dict)
    differs: frozenset[Point] = frozenset()
    marks: Mapping[Point, Mark] = field(default_factory=dict)
    territory: Mapping[Point, str] = field(default_factory=dict)
    dead: frozenset[Point] = frozenset()
    quarters: int = 0
    coordinates: bool = True
    title: str = ""
    captions: tuple[str, ...] = ()


def board_svg(picture: BoardPicture, style: Style = Style.PRINT, width: str | None = None) -> str:
    """A diagram as one ``<svg>`` element, to be written to a file or put into a page.

    ``width``: as CSS writes lengths (``12cm``); without it the picture fills what it is put into. Raises ValueError
    for a point that is not on the board.
    """
    sheet = _Sheet(picture, style)
    for points in (picture.labels, picture.lies, picture.differs, picture.marks, picture.territory, picture.dead):
        for point in points:
            picture.layout.index(point)
    side, height = f"{sheet.side:g}", f"{sheet.side + sheet.foot:g}"
    size = f' width="{escape(width)}"' if width else ""
    name = escape(picture.title)
    title = f"<title>{name}</title>" if name else ""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {height}"{size} role="img" font-family="{FONT}">'
    )
    shades = _SHADES if style is Style.WOOD else ""
    return head + title + shades + "".join(sheet.parts()) + "</svg>"


def count_picture(count: BoardCount, title: str = "", captions: tuple[str, ...] = ()) -> BoardPicture:
    """A counted board: dead stones pale, whose each empty point is, and what both share."""
    territory = {point: colour.cell for colour in Colour for point in count.enclosed[colour]}
    territory |= dict.fromkeys(count.shared, HIDDEN)
    dead = {point: colour.cell for colour in Colour for point in count.dead[colour]}
    layout = count.layout.replaced(dead)
    return BoardPicture(layout, territory=territory, dead=frozenset(dead), title=title, captions=captions)


def write_diagram(path: Path, picture: BoardPicture, style: Style = Style.PRINT) -> None:
    """Write a diagram as a file of its own, as wide as an A4 page lets it be. Raises OutputError, and UsageError for a
    name that promises another kind of picture."""
    if path.suffix.lower() != ".svg":
        raise UsageError(f"{path}: a diagram is written as SVG: give it a name that ends in .svg")
    write_whole(path, ('<?xml version="1.0" encoding="UTF-8"?>\n' + board_svg(picture, style, "17cm") + "\n").encode())


@dataclass(frozen=True)
class _Sheet:
    """One diagram being drawn. Places are units from the upper left corner."""

    picture: BoardPicture
    style: Style

    @property
    def size(self) -> int:
        return self.picture.layout.size

    @property
    def margin(self) -> float:
        return EDGE if self.picture.coordinates else EDGE / 2

    @property
    def side(self) -> float:
        return 2 * self.margin + (self.size - 1) * PITCH

    @property
    def foot(self) -> float:
        """How high the captions are."""
        return LINE * len(self.picture.captions) + (LINE / 2 if self.picture.captions else 0)

    @property
    def ink(self) -> _Ink:
        return _INKS[self.style]

    def place(self, point: Point) -> tuple[float, float]:
        """Where a point is on the turned board."""
        col, line, last = point.col, self.size - 1 - point.row, self.size - 1
        for _ in range(self.picture.quarters % 4):
            col, line = last - line, col
        return self.margin + col * PITCH, self.margin + line * PITCH

    def parts(self) -> Iterator[str]:
        """Everything, from below to above."""
        yield f'<rect width="{self.side:g}" height="{self.side + self.foot:g}" fill="{self.ink.board}"/>'
        for place, text in enumerate(self.picture.captions, 1):
            x, y = self.side / 2, self.side + LINE * (place - 0.35)
            yield f'<text x="{x:g}" y="{y:g}" font-size="13" text-anchor="middle" fill="#111111">{escape(text)}</text>'
        yield from self._grid()
        if self.picture.coordinates:
            yield from self._letters()
        layout = self.picture.layout
        for index, cell in enumerate(layout.cells):
            if cell != EMPTY:
                yield self._stone(layout.point(index), cell)
        for point, cell in self.picture.territory.items():
            yield self._counted(point, cell)
        for point, text in self.picture.labels.items():
            yield self._label(point, text)
        for point, mark in self.picture.marks.items():
            yield self._mark(point, mark)
        if self.picture.last is not None and self.picture.last not in self.picture.labels:
            yield self._last(self.picture.last)
        for point, lies in self.picture.lies.items():
            yield from self._wrong(point, lies)
        for point in sorted(self.picture.differs):
            yield self._frame(point)

    def _grid(self) -> Iterator[str]:
        low, high = self.margin, self.side - self.margin
        steps = [low + place * PITCH for place in range(self.size)]
        lines = "".join(f"M{low:g} {at:g}H{high:g}M{at:g} {low:g}V{high:g}" for at in steps)
        yield f'<path d="{lines}" fill="none" stroke="{self.ink.line}" stroke-width=".8"/>'
        frame = f'x="{low:g}" y="{low:g}" width="{high - low:g}" height="{high - low:g}"'
        yield f'<rect {frame} fill="none" stroke="{self.ink.line}" stroke-width="1.8"/>'
        for point in sorted(star_points(self.size)):
            x, y = self.place(point)
            yield f'<circle cx="{x:g}" cy="{y:g}" r="2.6" fill="{self.ink.line}"/>'

    def _letters(self) -> Iterator[str]:
        """Letters and numbers on all four sides, upright however the board is turned."""
        out = []
        for place in range(self.size):
            sides = (
                (Point(place, 0), COLUMNS[place], Point(place, 1)),
                (Point(place, self.size - 1), COLUMNS[place], Point(place, self.size - 2)),
                (Point(0, place), str(place + 1), Point(1, place)),
                (Point(self.size - 1, place), str(place + 1), Point(self.size - 2, place)),
            )
            for point, text, inward in sides:
                (x, y), (u, v) = self.place(point), self.place(inward)
                x, y = x + (x - u) / PITCH * RIM, y + (y - v) / PITCH * RIM
                out.append(f'<text x="{x:g}" y="{y + 4.2:g}">{text}</text>')
        yield f'<g font-size="12" text-anchor="middle" fill="{self.ink.letters}">' + "".join(out) + "</g>"

    def _stone(self, point: Point, cell: str) -> str:
        x, y = self.place(point)
        if cell == HIDDEN:
            return self._patch(x, y) + (
                f'<text x="{x:g}" y="{y + 6:g}" font-size="17" text-anchor="middle" fill="{ALARM}">?</text>'
            )
        pale = ' opacity=".42"' if point in self.picture.dead else ""
        return self._disc(x, y, cell, STONE, pale)

    def _disc(self, x: float, y: float, cell: str, radius: float, extra: str = "") -> str:
        fill = self.ink.black if cell == BLACK else self.ink.white
        edge = "#000000" if cell == BLACK else self.ink.white_edge
        return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:.4g}" fill="{fill}" stroke="{edge}" stroke-width="1"{extra}/>'

    def _patch(self, x: float, y: float) -> str:
        return f'<circle cx="{x:g}" cy="{y:g}" r="{0.4 * PITCH:g}" fill="{self.ink.board}"/>'

    def _counted(self, point: Point, cell: str) -> str:
        x, y = self.place(point)
        if cell == HIDDEN:
            return _polygon([(x, y - 5), (x + 5, y), (x, y + 5), (x - 5, y)], "#8a8a8a")
        fill, edge = ("#111111", "#ffffff") if cell == BLACK else ("#ffffff", "#111111")
        return (
            f'<rect x="{x - 4:g}" y="{y - 4:g}" width="8" height="8" fill="{fill}" stroke="{edge}" stroke-width="1"/>'
        )

    def _ink_on(self, point: Point) -> str:
        """A colour that shows on what lies on a point."""
        return "#ffffff" if self.picture.layout[point] == BLACK and point not in self.picture.dead else "#111111"

    def _label(self, point: Point, text: str) -> str:
        x, y = self.place(point)
        patch = ""
        if self.picture.layout[point] not in (BLACK, WHITE):  # the lines would run through the figures
            patch = self._patch(x, y)
        font = {1: 14.0, 2: 13.0, 3: 10.5}.get(len(text), 8.0)
        weight = "bold" if point == self.picture.last else "normal"
        ink = ALARM if point == self.picture.last and self.picture.layout[point] == WHITE else self._ink_on(point)
        return (
            f'{patch}<text x="{x:g}" y="{y + 0.355 * font:.4g}" font-size="{font:g}" font-weight="{weight}" '
            f'text-anchor="middle" fill="{ink}">{escape(text)}</text>'
        )

    def _mark(self, point: Point, mark: Mark) -> str:
        x, y = self.place(point)
        ink, r = self._ink_on(point), 0.24 * PITCH
        if mark is Mark.CIRCLE:
            return f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="none" stroke="{ink}" stroke-width="2"/>'
        if mark is Mark.CROSS:
            return _cross(x, y, r, ink)
        if mark is Mark.TRIANGLE:
            corners = [(x, y - 1.25 * r), (x + 1.08 * r, y + 0.65 * r), (x - 1.08 * r, y + 0.65 * r)]
        else:
            corners = [(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)]
        return _polygon(corners, "none", ink)

    def _last(self, point: Point) -> str:
        x, y = self.place(point)
        return f'<circle cx="{x:g}" cy="{y:g}" r="{0.2 * PITCH:g}" fill="{ALARM}"/>'

    def _wrong(self, point: Point, lies: str) -> Iterator[str]:
        """A frame around a point that is not right: crossed where a stone has to go, with a plus where one has to
        come; a stone of the wrong colour lies small beside the one that should be there."""
        x, y = self.place(point)
        should = self.picture.layout[point]
        if should == EMPTY and lies in (BLACK, WHITE):
            yield self._disc(x, y, lies, STONE, ' opacity=".55"')
            yield _cross(x, y, 0.36 * PITCH, ALARM, 3)
        elif should in (BLACK, WHITE) and lies in (BLACK, WHITE):
            yield self._disc(x + 0.3 * PITCH, y - 0.3 * PITCH, lies, 0.24 * PITCH)
            yield _cross(x + 0.3 * PITCH, y - 0.3 * PITCH, 0.15 * PITCH, ALARM)
        elif should in (BLACK, WHITE):
            d = 0.26 * PITCH
            yield f'<path d="M{x - d:g} {y:g}H{x + d:g}M{x:g} {y - d:g}V{y + d:g}" stroke="{ALARM}" stroke-width="3"/>'
        yield self._frame(point)

    def _frame(self, point: Point) -> str:
        (x, y), r = self.place(point), 0.5 * PITCH
        corners = [(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)]
        return _polygon(corners, "none", ALARM, 2.4)


def _polygon(corners: list[tuple[float, float]], fill: str, stroke: str = "none", width: float = 2) -> str:
    points = " ".join(f"{x:.4g},{y:.4g}" for x, y in corners)
    return f'<polygon points="{points}" fill="{fill}" stroke="{stroke}" stroke-width="{width:g}"/>'


def _cross(x: float, y: float, r: float, ink: str, width: float = 2) -> str:
    path = f"M{x - r:g} {y - r:g}L{x + r:g} {y + r:g}M{x + r:g} {y - r:g}L{x - r:g} {y + r:g}"
    return f'<path d="{path}" stroke="{ink}" stroke-width="{width:g}" fill="none"/>'
