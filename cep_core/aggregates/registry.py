"""All aggregates of the language, in one list. To add one, write its file and add it here."""

from __future__ import annotations

from cep_core.aggregates.aggregate import Aggregate
from cep_core.aggregates.average import Average
from cep_core.aggregates.count import COUNT_TRENDS, Count
from cep_core.aggregates.first import First
from cep_core.aggregates.last import Last
from cep_core.aggregates.maximum import Maximum
from cep_core.aggregates.minimum import Minimum
from cep_core.aggregates.stddev import StandardDeviation
from cep_core.aggregates.sum import Sum

AGGREGATES: tuple[Aggregate, ...] = (
    Count(),
    Minimum(),
    Maximum(),
    Sum(),
    Average(),
    StandardDeviation(),
    First(),
    Last(),
)

NAMED = {aggregate.name: aggregate for aggregate in AGGREGATES}
"""The aggregates by their names in queries, in small letters."""
OVER_TRENDS = tuple(aggregate.name for aggregate in AGGREGATES if aggregate.over_trends)
"""The names of the aggregates that have a meaning over all trends."""

NOT_OVER_TRENDS = {
    "median": (
        "a median needs every value, and slices carry totals only",
        "AVG, STDDEV, MIN and MAX tell where values lie; cep.match takes a median of your own inside one match",
    ),
}
"""Aggregates that users expect but the language lacks: the reason, and what to write instead."""


def over_trends(name: str, target: str | None) -> Aggregate:
    """The aggregate of this name over all trends. Without a target it counts trends."""
    return COUNT_TRENDS if target is None else NAMED[name]
