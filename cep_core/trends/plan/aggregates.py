"""The totals and minima that the items of RETURN need (GRETA, section 4.2 and Theorem 9.1).

They do not depend on how trends are found, so every way to find trends fills the same columns. What an aggregate
carries stands in its own file (`cep_core/aggregates`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from cep_core.aggregates.measures import Measure
from cep_core.events.schema import AttributeType
from cep_core.language.patterns.query import Query, ReturnItem

T = TypeVar("T")


@dataclass(frozen=True)
class CarriedTotal:
    """A sum over all occurrences, in all trends, of events bound to `variables`. The measure gives each summand.

    `attribute` None: each occurrence adds 1.
    """

    variables: tuple[str, ...]
    attribute: str | None
    measure: Measure
    only_zero: bool = False
    """Whether it only matters if the total is 0, that is, if a sum has no value to add."""


@dataclass(frozen=True)
class CarriedMinimum:
    """The smallest (or largest) non-null value of an attribute over all occurrences of events bound to `variables`."""

    variables: tuple[str, ...]
    attribute: str
    largest: bool
    type: AttributeType


@dataclass(frozen=True)
class ReturnedItem:
    """An aggregating item of RETURN, and the numbers of its totals (counted from 1) and of its minima."""

    source: ReturnItem
    totals: tuple[int, ...]
    minima: tuple[int, ...]


@dataclass(frozen=True)
class Aggregates:
    """The aggregating items of RETURN, the totals that they need (numbered from 1), and the minima."""

    items: tuple[ReturnedItem, ...]
    totals: tuple[CarriedTotal, ...]
    minima: tuple[CarriedMinimum, ...]

    @property
    def attributes(self) -> dict[str, AttributeType]:
        """The attributes that totals and minima read, with their types."""
        sources = [item.source for item in self.items]
        return {item.argument: item.type for item in sources if item.argument is not None and item.type is not None}

    def renamed(self, names: Mapping[str, str]) -> Aggregates:
        """The same totals and minima for one side of AND: only over the variables in `names`, and renamed.

        Every total must be exact here (`only_zero` is off), because totals of the sides are subtracted from each other.
        """
        return replace(
            self,
            totals=tuple(
                replace(total, variables=_renamed(total.variables, names), only_zero=False) for total in self.totals
            ),
            minima=tuple(replace(minimum, variables=_renamed(minimum.variables, names)) for minimum in self.minima),
        )


def _renamed(variables: tuple[str, ...], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names[variable] for variable in variables if variable in names)


def aggregates_of(query: Query) -> Aggregates:
    """The aggregates of a query. Items that need the same total or minimum share it."""
    totals: list[CarriedTotal] = []
    minima: list[CarriedMinimum] = []
    items = [_item(item, totals, minima) for item in query.returns if item.aggregate is not None]
    return Aggregates(tuple(items), tuple(totals), tuple(minima))


def _item(item: ReturnItem, totals: list[CarriedTotal], minima: list[CarriedMinimum]) -> ReturnedItem:
    assert item.aggregate is not None
    carried = item.aggregate.carried(item.type)
    of_totals = [CarriedTotal(item.variables, item.argument, *summand) for summand in carried.totals]
    of_minima = [_extreme(item, largest) for largest in carried.extremes]
    return ReturnedItem(
        item,
        tuple(_place(total, totals) + 1 for total in of_totals),
        tuple(_place(minimum, minima) for minimum in of_minima),
    )


def _extreme(item: ReturnItem, largest: bool) -> CarriedMinimum:
    assert item.argument is not None
    assert item.type is not None
    return CarriedMinimum(item.variables, item.argument, largest, item.type)


def _place(wanted: T, places: list[T]) -> int:
    if wanted not in places:
        places.append(wanted)
    return places.index(wanted)
