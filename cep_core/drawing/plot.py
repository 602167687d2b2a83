"""A plot: marks between two axes, and the words around them. A figure fills it in; it becomes a drawing in SVG.

Room is found from the words: ticks and labels get what they need, the key to the marks stands in lines above, and what
is left belongs to the marks. Nothing is measured on a canvas, so a drawing takes about a millisecond.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cep_core.drawing.axis import Axis, Scale, Tick
from cep_core.drawing.lettering import LINE, SIZE, SMALL, shortened, width_of
from cep_core.drawing.marks import KEY, Boxes, Edges, Mark, Marker, Polyline, Values, Words
from cep_core.drawing.svg import Stroke, course, document, path, words
from cep_core.drawing.tones import FAINT, INK, QUIET

EDGE = 5.0
"""Points that are kept free at every edge."""
TICK, GAP = 3.5, 3.5
"""Lengths of a tick, and of the space between it and its words."""
WIDEST = 0.42
"""Of a drawing's width: the most that the words of rows may take; longer ones are cut."""
_KEY_LINE = 13.0
_LABEL = LINE * SIZE + 2.0


@dataclass
class Plot:
    """`width` and `height` are in points; `narrow`: it is drawn for a phone."""

    width: float
    height: float
    narrow: bool = False
    x: Axis = field(default_factory=lambda: Axis(room=55.0))
    y: Axis = field(default_factory=lambda: Axis(room=21.0))
    marks: list[Mark] = field(default_factory=list)
    has_key: bool = False
    bare: bool = False
    """Without axes: the marks' own coordinates are inches, from the limits of the axes on."""

    def add(self, *marks: Mark) -> None:
        """Draws marks above those that are there."""
        self.marks += marks

    def line(self, xs: Values, ys: Values, stroke: Stroke, *, marker: Marker | None = None, label: str = "") -> None:
        """A line through points, which may be marked."""
        self.add(Polyline(xs, ys, stroke, marker, label))

    def points(self, xs: Values, ys: Values, marker: Marker, *, label: str = "") -> None:
        """Marked points."""
        self.add(Polyline(xs, ys, None, marker, label))

    def columns(
        self, xs: Values, heights: Values, width: float, colour: str, *, floor: Values = (), label: str = ""
    ) -> None:
        """Bars around `xs`, from `floor` on or from 0."""
        under = floor or [0.0] * len(xs)
        edges = [
            (x - width / 2, x + width / 2, low, low + height) for x, height, low in zip(xs, heights, under, strict=True)
        ]
        self.add(Boxes(edges, colour, label=label))

    def rows(self, words: Sequence[str], *, above: float = 0.6, bold: Sequence[int] = ()) -> None:
        """Makes the y axis one of rows, the first on top; `above`: space over the first."""
        self.y.ticks(range(len(words)), words, bold=bold)
        self.y.limits(len(words) - 0.4, -above)
        self.y.grid = False

    def svg(self) -> str:
        """The drawing."""
        xs, ys = ([value for mark in self.marks for value in mark.spread()[axis]] for axis in (0, 1))
        across, up = self.x.reach(xs), self.y.reach(ys)
        if self.bare:
            side, over = 0.1 * 72, 0.05 * 72
            x = Scale(*across, side, self.width - side)
            y = Scale(*up, self.height - over, over)
            return document(self.width, self.height, self._marks(x, y))
        ticks = (
            self.x.ticks_for(*across, 0.85 * self.width),
            [self._fitting(tick) for tick in self.y.ticks_for(*up, 0.75 * self.height)],
        )
        key, key_height = self._key()
        edges = self._edges(ticks, key_height)
        for _ in range(2):
            x = Scale(*across, edges[0], self.width - edges[2], self.x.logarithmic)
            y = Scale(*up, self.height - edges[3], edges[1], self.y.logarithmic)
            edges = self._widened(edges, ticks[0], x, y)
        x = Scale(*across, edges[0], self.width - edges[2], self.x.logarithmic)
        y = Scale(*up, self.height - edges[3], edges[1], self.y.logarithmic)
        return document(
            self.width, self.height, self._grid(ticks, x, y) + self._marks(x, y) + self._frame(ticks, x, y) + key
        )

    def _marks(self, x: Scale, y: Scale) -> str:
        return "".join(mark.drawn(x, y) for mark in self.marks)

    def _fitting(self, tick: Tick) -> Tick:
        room = WIDEST * self.width
        return Tick(tick.at, tuple(shortened(line, room) for line in tick.lines), tick.bold)

    def _edges(self, ticks: tuple[list[Tick], list[Tick]], key_height: float) -> Edges:
        """The room around the marks: left, top, right, bottom."""
        along, up = ticks
        # bold letters are a tenth wider
        widest = max((width_of(line) * (1.1 if tick.bold else 1.0) for tick in up for line in tick.lines), default=0.0)
        lines = max((len(tick.lines) for tick in along), default=0)
        left = EDGE + (_LABEL if self.y.label else 0.0) + widest + (TICK + GAP if up else 0.0)
        bottom = EDGE + (_LABEL if self.x.label else 0.0) + lines * LINE * SIZE + (TICK + GAP if along else 0.0)
        return left, EDGE + max(key_height, LINE * SIZE / 2), EDGE + 1.0, bottom

    def _widened(self, edges: Edges, along: Sequence[Tick], x: Scale, y: Scale) -> Edges:
        """The room around the marks, if words among them reach beyond the drawing."""
        left, top, right, bottom = edges
        covered = [mark.edges(x, y) for mark in self.marks if isinstance(mark, Words)]
        half = [max(map(width_of, tick.lines), default=0.0) / 2 for tick in along]
        covered += [
            (x.at(tick.at) - wide, y.begin, x.at(tick.at) + wide, y.begin)
            for tick, wide in zip(along, half, strict=True)
        ]
        if not covered:
            return edges
        lefts, tops, rights, _ = zip(*covered, strict=True)
        return (
            left + max(0.0, EDGE - min(lefts)),
            top + max(0.0, EDGE - min(tops)),
            right + max(0.0, max(rights) + EDGE - self.width),
            bottom,
        )

    def _grid(self, ticks: tuple[list[Tick], list[Tick]], x: Scale, y: Scale) -> str:
        along, up = ticks
        lines = [course([(x.at(tick.at), y.begin), (x.at(tick.at), y.end)]) for tick in along if self.x.grid]
        lines += [course([(x.begin, y.at(tick.at)), (x.end, y.at(tick.at))]) for tick in up if self.y.grid]
        return path("".join(lines), Stroke(FAINT, 0.7).style)

    def _frame(self, ticks: tuple[list[Tick], list[Tick]], x: Scale, y: Scale) -> str:
        """Axes with their ticks and all words beside them."""
        along, up = ticks
        lines = [course([(x.begin, y.end), (x.begin, y.begin), (x.end, y.begin)])]
        texts, taken = [], -1e9
        for tick in along:
            at = x.at(tick.at)
            lines.append(course([(at, y.begin), (at, y.begin + TICK)]))
            half = max((width_of(line) for line in tick.lines), default=0.0) / 2
            if tick.lines and at - half > taken + GAP:
                texts.append(words((at, y.begin + TICK + GAP - 1), tick.lines, anchor="middle", side="below"))
                taken = at + half
        for tick in up:
            at = y.at(tick.at)
            lines.append(course([(x.begin, at), (x.begin - TICK, at)]))
            texts.append(words((x.begin - TICK - GAP, at), tick.lines, anchor="end", bold=tick.bold))
        if self.x.label:
            middle, room = (x.begin + x.end) / 2, self.width - 2 * EDGE
            label = shortened(self.x.label, room)
            half = width_of(label) / 2
            middle = min(max(middle, EDGE + half), self.width - EDGE - half)
            texts.append(words((middle, self.height - EDGE + 2), [label], anchor="middle", side="above"))
        if self.y.label:
            label = shortened(self.y.label, self.height - 2 * EDGE)
            half = width_of(label) / 2
            middle = min(max((y.begin + y.end) / 2, EDGE + half), self.height - EDGE - half)
            texts.append(words((EDGE + SIZE / 2, middle), [label], anchor="middle", turned=True))
        return path("".join(lines), Stroke(QUIET, 0.8).style) + f'<g style="fill: {INK}">\n{"".join(texts)}</g>\n'

    def _key(self) -> tuple[str, float]:
        """The key to the marks in as many lines as it needs, and its height."""
        labelled = {mark.label: mark for mark in reversed(self.marks) if mark.label}
        if not self.has_key or not labelled:
            return "", 0.0
        parts: list[str] = []
        left, line = EDGE, 0
        for mark in dict.fromkeys(mark.label for mark in self.marks if mark.label):
            wide = KEY + GAP + width_of(mark, SMALL)
            if left > EDGE and left + wide > self.width - EDGE:
                left, line = EDGE, line + 1
            middle = EDGE + (line + 0.5) * _KEY_LINE
            parts.append(labelled[mark].key(left, middle))
            parts.append(words((left + KEY + GAP, middle), [mark], colour=INK, size=SMALL))
            left += wide + 3 * GAP
        return "".join(parts), (line + 1) * _KEY_LINE + 2 * GAP
