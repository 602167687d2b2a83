"""One colour and marker for each strategy, and colours for other series, everywhere in the reports.

Colours are those of Okabe and Ito (2008), which people with any common colour blindness tell apart; markers differ too,
so that a figure survives being printed in grey. `DARK` is what a colour becomes on a dark page.
"""

from __future__ import annotations

import zlib
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

TODAY = BLUE
BEFORE = GREY
BOUND = INK


@dataclass(frozen=True)
class Look:
    """How a series is drawn: its colour and its marker (Matplotlib's name)."""

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


STRATEGIES = {
    "plan in use": Look(BLUE, "D"),
    "hypercube with heavy hitters": Look(GREEN, "^"),
    "hypercube without heavy hitters": Look(SKY, "v"),
    "composed single variables": Look(PURPLE, "P"),
    "best single variable": Look(ORANGE, "s"),
    "partition key": Look(OLIVE, "o"),
    "broadcast": Look(VERMILION, "X"),
    "time ranges": Look(GREY, "h"),
    "yesterday's plan": Look(BLUE, "d"),
}
"""Slicing strategies by the names that `cep_core.experiments` gives them; no two share both colour and marker."""

SHEDDERS = {
    "none": Look(GREY, "X"),
    "pSPICE": Look(BLUE, "o"),
    "pSPICE--": Look(SKY, "s"),
    "pSPICE by partition": Look(OLIVE, "p"),
    "PM-BL": Look(VERMILION, "^"),
    "E-BL": Look(ORANGE, "v"),
    "trend counts": Look(GREEN, "D"),
    "greedy look-ahead": Look(PURPLE, "*"),
    "clairvoyant": Look(INK, "P"),
}
"""Shedding strategies by the names of `cep_core.shedding.shedders`; likewise."""


def strategy_look(name: str) -> Look:
    """A strategy's colour and marker, the same on every page; unknown ones get theirs by name."""
    return STRATEGIES.get(name) or SHEDDERS.get(name) or stable_look(name)
