"""The colours of the reports, and the look of a strategy, which is the same on every page.

A strategy's own record names its colour and marker (`cep_core.shedding.strategies`,
`cep_core.experiments.slicing_strategies`); `cep_core.drawing.tones` has the tones, and the looks of other series.
"""

from __future__ import annotations

import zlib

from cep_core.drawing.tones import BLUE, GREEN, GREY, INK, OLIVE, ORANGE, PURPLE, SERIES, SKY, VERMILION, Look
from cep_core.experiments.slicing_strategies import slicing_strategy_named
from cep_core.shedding.strategies import strategy_named

TODAY = BLUE
BEFORE = GREY
BOUND = INK


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
