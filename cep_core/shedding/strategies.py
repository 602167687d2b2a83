"""All shedding strategies, in the order in which a reader meets them.

>>> [strategy.name for strategy in STRATEGIES if strategy.out_of_reach]
['greedy look-ahead', 'clairvoyant']
"""

from __future__ import annotations

from cep_core.shedding.shedders.chance import AT_RANDOM
from cep_core.shedding.shedders.clairvoyant import CLAIRVOYANT
from cep_core.shedding.shedders.events import EVENTS_BY_TYPE
from cep_core.shedding.shedders.look_ahead import LOOK_AHEAD
from cep_core.shedding.shedders.nothing import UNSHED
from cep_core.shedding.shedders.partition import BY_PARTITION
from cep_core.shedding.shedders.pspice import PSPICE, TIMELESS
from cep_core.shedding.shedders.strategy import SheddingStrategy
from cep_core.shedding.shedders.trend_counts import TREND_COUNTS

STRATEGIES: tuple[SheddingStrategy, ...] = (
    UNSHED,
    PSPICE,
    TIMELESS,
    BY_PARTITION,
    AT_RANDOM,
    EVENTS_BY_TYPE,
    TREND_COUNTS,
    LOOK_AHEAD,
    CLAIRVOYANT,
)
"""No two have the same name, nor both the same colour and the same marker."""


def strategy_named(name: str) -> SheddingStrategy | None:
    """The strategy of that name; None for a name that no record has, such as one of a former version.

    >>> strategy_named("PM-BL").drops
    'partial matches at random'
    """
    return next((strategy for strategy in STRATEGIES if strategy.name == name), None)


def place_of(name: str) -> int:
    """Where a strategy stands in the table; names that it does not hold come last."""
    names = [strategy.name for strategy in STRATEGIES]
    return names.index(name) if name in names else len(names)
