"""The colours of the reports, and the look of a strategy, which is the same on every page.

A strategy's own record names its colour and marker (`cep_core.shedding.strategies`,
`cep_core.experiments.slicing_strategies`); this file has the tones of the colours, and the looks of other series.

Colours are those of Okabe and Ito (2008), which people with any common colour blindness tell apart; markers differ too,
so that a figure survives being printed in grey. `DARK` is what a colour becomes on a dark page.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass

from cep_core.experiments.slicing_strategies import slicing_strategy_named
from cep_core.shedding.strategies import strategy_named

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

TODAY = BLUE
BEFORE = GREY
BOUND = INK


@dataclass(frozen=True)
class Look:
    """How a series is drawn: its colour and its marker (`jobs.reports.figures.drawing.markers`)."""

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


def stable_look(name: str) -> Look:
    """A look that depends on the name alone, for names that no list holds."""
    return SERIES[zlib.crc32(name.encode()) % len(SERIES)]


COLOURS = {
    "ink": INK,
    "blue": BLUE,
    "orange": ORANGE,
    "green": GREEN,
    "vermilion": VERMILION,
    "purple": PURPLE,
    "sky": SKY,
    "olive": OLIVE,
    "grey": GREY,
}
"""The tones of the colours that the records of strategies name."""


def strategy_look(name: str) -> Look:
    """A strategy's colour and marker from its record, the same on every page; unknown ones get theirs by name.

    >>> strategy_look("pSPICE")
    Look(colour='#0072b2', marker='o')
    """
    record = slicing_strategy_named(name) or strategy_named(name)
    return stable_look(name) if record is None else Look(COLOURS[record.colour], record.marker)
