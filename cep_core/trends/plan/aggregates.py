"""What RETURN asks of all trends, as totals and minima (GRETA, section 4.2 and Theorem 9.1).

Independent of how the trends are found, so that several ways to find them fill the same places. What each aggregate
carries is said in its own file (`cep_core/aggregates`).
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
    """A sum over all occurrences, in all trends, of events bound to `variables`: of what the measure gives.

    `attribute` None: of 1 for each occurrence.
    """

    variables: tuple[str, ...]
    attribute: str | None
    measure: Measure
    only_zero: bool = False
    """Whether all that matters is whether it is 0: whether a sum has anything to add."""


@dataclass(frozen=True)
class CarriedMinimum:
    """The least, or largest, known value of an attribute over all occurrences of events bound to `variables`."""

    variables: tuple[str, ...]
    attribute: str
    largest: bool
    type: AttributeType


@dataclass(frozen=True)
class ReturnedItem:
    """An item of RETURN that aggregates, with the places of what it carries among the totals (from 1) and minima."""

    source: ReturnItem
    totals: tuple[int, ...]
    minima: tuple[int, ...]


@dataclass(frozen=True)
class Aggregates:
    """The items of RETURN that aggregate, the totals from 1 on, and the minima."""

    items: tuple[ReturnedItem, ...]
    totals: tuple[CarriedTotal, ...]
    minima: tuple[CarriedMinimum, ...]

    @property
    def attributes(self) -> dict[str, AttributeType]:
        """The attributes that totals and minima read, with their types."""
        named = [item.source for item in self.items]
        return {one.argument: one.type for one in named if one.argument is not None and one.type is not None}

    def renamed(self, names: Mapping[str, str]) -> Aggregates:
        """The same places over the variables of `names` alone, renamed: for one side of several that are put together.

        There each total must be what it says, for totals of the sides are taken off each other.
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
    """The aggregates of a query; items that need the same share its place."""
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
