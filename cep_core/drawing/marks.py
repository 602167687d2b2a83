"""What a plot shows, in the coordinates of its axes. Each mark knows its values, and how it and its key are drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from cep_core.drawing.axis import Scale
from cep_core.drawing.lettering import LINE, SIZE, width_of
from cep_core.drawing.markers import is_stroke, marker_path
from cep_core.drawing.svg import Stroke, box, course, filled, path, words
from cep_core.drawing.tones import INK

KEY = 18.0
"""The width of a mark's key, in points."""

Values = Sequence[float]
Edges = tuple[float, float, float, float]
"""Left, top, right and bottom, in points."""


class Mark(Protocol):
    """`label`: its words in the key; empty: it has none."""

    @property
    def label(self) -> str: ...

    def spread(self) -> tuple[Values, Values]:
        """Its values along both axes."""

    def drawn(self, x: Scale, y: Scale) -> str:
        """Its elements."""

    def key(self, x: float, y: float) -> str:
        """Its elements in the key, from `x` on and around `y`, in points."""


@dataclass(frozen=True)
class Marker:
    """How points are marked: shape, colour, size in points, opacity; `hollow`: only the rim."""

    shape: str
    colour: str
    size: float = 6.0
    opacity: float = 1.0
    hollow: bool = False

    @property
    def style(self) -> str:
        """Of its path."""
        if self.hollow or is_stroke(self.shape):
            return Stroke(self.colour, 1.4, opacity=self.opacity).style
        return filled(self.colour, self.opacity)

    def drawn(self, places: Sequence[tuple[float, float]]) -> str:
        """All points, in one shape; in one each if they shine through each other."""
        shapes = [marker_path(self.shape, x, y, self.size) for x, y in places]
        if self.opacity >= 1 or not shapes:
            return path("".join(shapes), self.style)
        return f'<g style="{self.style}">' + "".join(f'<path d="{shape}"/>' for shape in shapes) + "</g>\n"


@dataclass(frozen=True)
class Polyline:
    """Points, joined in their order by a line, or each with a marker, or both. A gap where a value is not a number."""

    xs: Values
    ys: Values
    stroke: Stroke | None = None
    marker: Marker | None = None
    label: str = ""

    def spread(self) -> tuple[Values, Values]:
        return self.xs, self.ys

    def drawn(self, x: Scale, y: Scale) -> str:
        runs: list[list[tuple[float, float]]] = [[]]
        for at, value in zip(self.xs, self.ys, strict=True):
            if math.isnan(value):
                runs.append([])
            else:
                runs[-1].append((x.at(at), y.at(value)))
        line = "" if self.stroke is None else path("".join(map(course, runs)), self.stroke.style)
        return line + ("" if self.marker is None else self.marker.drawn([place for run in runs for place in run]))

    def key(self, x: float, y: float) -> str:
        line = "" if self.stroke is None else path(course([(x, y), (x + KEY, y)]), self.stroke.style)
        return line + ("" if self.marker is None else self.marker.drawn([(x + KEY / 2, y)]))


@dataclass(frozen=True)
class Boxes:
    """Rectangles: left, right, and their two ends on the other axis. `opacities`: one for each, if they differ."""

    edges: Sequence[Edges]
    colour: str
    opacities: Values = ()
    label: str = ""

    def spread(self) -> tuple[Values, Values]:
        return [x for edge in self.edges for x in edge[:2]], [y for edge in self.edges for y in edge[2:]]

    def drawn(self, x: Scale, y: Scale) -> str:
        shapes = [box(x.at(left), y.at(low), x.at(right), y.at(high)) for left, right, low, high in self.edges]
        if not self.opacities:
            return path("".join(shapes), filled(self.colour))
        styles = [filled(self.colour, opacity) for opacity in self.opacities]
        return "".join(path(shape, style) for shape, style in zip(shapes, styles, strict=True))

    def key(self, x: float, y: float) -> str:
        return path(box(x + 2, y - 3.5, x + KEY - 2, y + 3.5), filled(self.colour))


@dataclass(frozen=True)
class Whiskers:
    """Upright lines from low to high values, no farther than the axis, with strokes of `cap` points at their ends."""

    xs: Values
    lows: Values
    highs: Values
    stroke: Stroke
    cap: float = 0.0
    label: str = ""

    def spread(self) -> tuple[Values, Values]:
        return self.xs, [*self.lows, *self.highs]

    def drawn(self, x: Scale, y: Scale) -> str:
        lines = []
        for at, low, high in zip(self.xs, self.lows, self.highs, strict=True):
            middle, ends = x.at(at), (y.at(y.nearest(low)), y.at(y.nearest(high)))
            lines.append(course([(middle, ends[0]), (middle, ends[1])]))
            if self.cap:
                lines += [course([(middle - self.cap, end), (middle + self.cap, end)]) for end in ends]
        return path("".join(lines), self.stroke.style)

    def key(self, x: float, y: float) -> str:
        return path(course([(x + KEY / 2, y - 4), (x + KEY / 2, y + 4)]), self.stroke.style)


def spread_bars(xs: Values, ys: Values, halves: Values, colour: str) -> Whiskers:
    """Bars around values, as far as `halves` on both sides."""
    lows = [y - half for y, half in zip(ys, halves, strict=True)]
    highs = [y + half for y, half in zip(ys, halves, strict=True)]
    return Whiskers(xs, lows, highs, Stroke(colour, 1.0), 2.5)


@dataclass(frozen=True)
class Area:
    """What lies between low and high values."""

    xs: Values
    lows: Values
    highs: Values
    colour: str
    opacity: float = 0.2
    label: str = ""

    def spread(self) -> tuple[Values, Values]:
        return self.xs, [*self.lows, *self.highs]

    def drawn(self, x: Scale, y: Scale) -> str:
        above = [(x.at(at), y.at(high)) for at, high in zip(self.xs, self.highs, strict=True)]
        below = [(x.at(at), y.at(low)) for at, low in zip(self.xs, self.lows, strict=True)]
        return path(course([*above, *reversed(below)]) + "z", filled(self.colour, self.opacity))

    def key(self, x: float, y: float) -> str:
        return path(box(x, y - 3.5, x + KEY, y + 3.5), filled(self.colour, self.opacity))


@dataclass(frozen=True)
class Across:
    """A line from edge to edge at a value of one axis: level, at a `y`, or upright, at an `x`."""

    at: float
    stroke: Stroke
    upright: bool = False
    label: str = ""

    def spread(self) -> tuple[Values, Values]:
        return ([self.at], []) if self.upright else ([], [self.at])

    def drawn(self, x: Scale, y: Scale) -> str:
        if self.upright:
            place = x.at(self.at)
            return path(course([(place, y.begin), (place, y.end)]), self.stroke.style)
        place = y.at(self.at)
        return path(course([(x.begin, place), (x.end, place)]), self.stroke.style)

    def key(self, x: float, y: float) -> str:
        return path(course([(x, y), (x + KEY, y)]), self.stroke.style)


@dataclass(frozen=True)
class Shade:
    """A part of the x axis, over the whole height."""

    begin: float
    end: float
    colour: str
    opacity: float = 0.5
    label: str = ""

    def spread(self) -> tuple[Values, Values]:
        return [self.begin, self.end], []

    def drawn(self, x: Scale, y: Scale) -> str:
        return path(box(x.at(self.begin), y.begin, x.at(self.end), y.end), filled(self.colour, self.opacity))

    def key(self, x: float, y: float) -> str:
        return path(box(x, y - 3.5, x + KEY, y + 3.5), filled(self.colour, self.opacity))


@dataclass(frozen=True)
class Words:
    """Text at a value of both axes, moved by some points; `side`: above it, around it or below it."""

    x: float
    y: float
    text: str
    colour: str = INK
    anchor: str = "start"
    side: str = "middle"
    moved: tuple[float, float] = (0.0, 0.0)
    size: float = SIZE
    label: str = ""

    def spread(self) -> tuple[Values, Values]:
        return [], []

    def drawn(self, x: Scale, y: Scale) -> str:
        place = x.at(self.x) + self.moved[0], y.at(self.y) + self.moved[1]
        lines = self.text.split("\n")
        return words(place, lines, colour=self.colour, anchor=self.anchor, side=self.side, size=self.size)

    def key(self, x: float, y: float) -> str:
        return ""

    def edges(self, x: Scale, y: Scale) -> Edges:
        """What it covers, in points."""
        lines = self.text.split("\n")
        wide, tall = max(width_of(line, self.size) for line in lines), LINE * self.size * len(lines)
        left = x.at(self.x) + self.moved[0] - wide * {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor]
        top = y.at(self.y) + self.moved[1] - tall * {"above": 1.0, "middle": 0.5, "below": 0.0}[self.side]
        return left, top, left + wide, top + tall
