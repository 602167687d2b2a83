"""The record of a shedding strategy: its name, how it is drawn, who proposed it, what it drops, and its class.

Each record stands in the file of its class; `cep_core.shedding.strategies` lists them in one ordered table. Grids,
comparisons, figures and pages read that table, so a new strategy needs a file of its own and a line there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from cep_core.shedding.shedders.shedder import Shedder


class Origin(Enum):
    """Who proposed a strategy, and so whether anybody could use it."""

    UNSHED = "no shedding"
    PAPER = "the paper's"
    OWN = "our own"
    OUT_OF_REACH = "our own yardstick: it knows the future"


@dataclass(frozen=True)
class SheddingStrategy:
    """One strategy. `colour` and `marker` are names: the reports' palette knows their tones and shapes."""

    name: str
    drops: str
    """What it drops, as a phrase."""
    colour: str
    marker: str
    origin: Origin
    make: Callable[..., Shedder]
    """Builds the shedder; one that is out of reach is given the `Clairvoyance` of the unshed run."""
    spoken: str = ""
    """What a sentence calls it, where that is not its name."""
    random: bool = False
    """Whether it draws random numbers, so that it is run once for each seed."""

    @property
    def attainable(self) -> bool:
        """Whether somebody could use it: it sheds, and needs no knowledge of the future."""
        return self.origin in (Origin.PAPER, Origin.OWN)

    @property
    def out_of_reach(self) -> bool:
        """Whether it knows the future."""
        return self.origin is Origin.OUT_OF_REACH
