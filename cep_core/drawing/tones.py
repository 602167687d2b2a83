"""Colours that people with any common colour blindness tell apart, and a look for each of a drawing's series.

The colours are those of Okabe and Ito (2008); markers differ too, so that a drawing survives being printed in grey.
`DARK` is what a colour becomes on a dark page.
"""

from __future__ import annotations

from dataclasses import dataclass

INK = "#1c1e21"
QUIET = "#66696e"
FAINT = "#d9dadc"

BLUE, ORANGE, GREEN, VERMILION = "#0072b2", "#e69f00", "#009e73", "#d55e00"
PURPLE, SKY, OLIVE, GREY = "#cc79a7", "#56b4e9", "#8a8500", "#767b82"

DARK = {
    INK: "#e6e7e9",
    QUIET: "#a5a9af",
    FAINT: "#3d4046",
    BLUE: "#4aa8e0",
    ORANGE: "#f0b43c",
    GREEN: "#2fbf97",
    VERMILION: "#f07f3a",
    PURPLE: "#dc9cc0",
    SKY: "#7fc8f2",
    OLIVE: "#c9c23a",
    GREY: "#9aa0a8",
}


@dataclass(frozen=True)
class Look:
    """How a series is drawn: its colour and its marker (`cep_core.drawing.markers`)."""

    colour: str
    marker: str


SERIES = (
    Look(BLUE, "o"),
    Look(VERMILION, "s"),
    Look(GREEN, "^"),
    Look(ORANGE, "D"),
    Look(PURPLE, "v"),
    Look(SKY, "P"),
    Look(OLIVE, "X"),
    Look(GREY, "*"),
)


def series(names: list[str]) -> dict[str, Look]:
    """A look for each of a figure's series, by their order; the ninth starts again.

    >>> series(["Arrival", "Departure"])["Departure"].marker
    's'
    """
    return {name: SERIES[index % len(SERIES)] for index, name in enumerate(names)}
