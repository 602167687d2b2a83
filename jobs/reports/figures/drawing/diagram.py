"""Marks of a diagram without axes: frames with a name, and arrows that may be bent. Coordinates are inches."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cep_core.drawing.axis import Scale
from cep_core.drawing.marks import Values
from cep_core.drawing.svg import Stroke, course, filled, path

Place = tuple[float, float]

_HEAD = 5.4, 2.6
"""Length of an arrow's head and half of its width, in points."""
_ROUND = 7.2
"""The radius of a frame's corners, in points."""


@dataclass(frozen=True)
class Frame:
    """A rectangle with round corners around its middle. `colour`: of its rim; `inside`: empty for none."""

    middle: Place
    width: float
    height: float
    colour: str
    inside: str = ""
    rim: float = 1.2
    label: str = ""

    def spread(self) -> tuple[Values, Values]:
        return [self.middle[0]], [self.middle[1]]

    def drawn(self, x: Scale, y: Scale) -> str:
        left, right = (x.at(self.middle[0] + side * self.width / 2) for side in (-1, 1))
        top, bottom = (y.at(self.middle[1] + side * self.height / 2) for side in (1, -1))
        fill = f"fill: {self.inside}" if self.inside else "fill: none"
        return (
            f'<rect x="{left:.5g}" y="{top:.5g}" width="{right - left:.5g}" height="{bottom - top:.5g}" '
            f'rx="{_ROUND:g}" style="{fill}; stroke: {self.colour}; stroke-width: {self.rim:g}"/>\n'
        )

    def key(self, x: float, y: float) -> str:
        return ""


@dataclass(frozen=True)
class Arrow:
    """From `start` to `end`. `bend`: how far its middle leaves the straight line, in lengths of the line, to the left
    of the way if it is negative and to the right if it is positive.
    """

    start: Place
    end: Place
    colour: str
    bend: float = 0.0
    label: str = ""

    def spread(self) -> tuple[Values, Values]:
        return [self.start[0], self.end[0]], [self.start[1], self.end[1]]

    def drawn(self, x: Scale, y: Scale) -> str:
        begin, end = ((x.at(place[0]), y.at(place[1])) for place in (self.start, self.end))
        across, down = end[0] - begin[0], end[1] - begin[1]
        # the course pulls the line half as far as its own control point lies from it
        control = (begin[0] + end[0]) / 2 - self.bend * down, (begin[1] + end[1]) / 2 + self.bend * across
        ahead = math.atan2(end[1] - control[1], end[0] - control[0])
        length, half = _HEAD
        neck = end[0] - length * math.cos(ahead), end[1] - length * math.sin(ahead)
        side = half * math.sin(ahead), half * math.cos(ahead)
        head = [end, (neck[0] + side[0], neck[1] - side[1]), (neck[0] - side[0], neck[1] + side[1])]
        bent = f"{course([begin])}Q{control[0]:.5g} {control[1]:.5g} {neck[0]:.5g} {neck[1]:.5g}"
        return path(bent, Stroke(self.colour, 1.1).style) + path(course(head) + "z", filled(self.colour))

    def key(self, x: float, y: float) -> str:
        return ""
