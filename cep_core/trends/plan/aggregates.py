"""What RETURN asks of all trends, as totals and minima (GRETA, section 4.2 and Theorem 9.1): AVG is a sum and a number.

Independent of how the trends are found, so that several ways to find them fill the same places.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from cep_core.events.schema import AttributeType
from cep_core.language.patterns.query import Aggregate, Query, ReturnItem

T = TypeVar("T")


@dataclass(frozen=True)
class Total:
    """A sum over all occurrences, in all trends, of events bound to `variables`: of 1, or of an attribute.

    `attribute` None counts occurrences; `values` True counts those whose attribute is known, else adds it up.
    """

    variables: tuple[str, ...]
    attribute: str | None = None
    values: bool = False
    asked: bool = False
    """Whether all that matters is whether it is 0: whether a sum has anything to add."""


@dataclass(frozen=True)
class Minimum:
    """The least, or largest, known value of an attribute over all occurrences of events bound to `variables`."""

    variables: tuple[str, ...]
    attribute: str
    largest: bool
    type: AttributeType


@dataclass(frozen=True)
class Item:
    """A column of the result with its places among the totals (`total`; AVG: divided by `divisor`) or minima.

    Total 0 is the number of trends. A SUM is null where its `divisor` is 0: no trend has a known value. A sum of
    doubles also has the places of their MIN and MAX (`bounds`), which tell whether all were finite.
    """

    source: ReturnItem
    total: int = 0
    divisor: int = 0
    minimum: int = 0
    bounds: tuple[int, int] | None = None

    @property
    def is_extreme(self) -> bool:
        """Whether it is a MIN or a MAX."""
        return self.source.aggregate in (Aggregate.MIN, Aggregate.MAX)


@dataclass(frozen=True)
class Aggregates:
    """The items of RETURN that aggregate, the totals from 1 on, and the minima."""

    items: tuple[Item, ...]
    totals: tuple[Total, ...]
    minima: tuple[Minimum, ...]

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
                replace(total, variables=_renamed(total.variables, names), asked=False) for total in self.totals
            ),
            minima=tuple(replace(minimum, variables=_renamed(minimum.variables, names)) for minimum in self.minima),
        )


def _renamed(variables: tuple[str, ...], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names[variable] for variable in variables if variable in names)


def aggregates_of(query: Query) -> Aggregates:
    """The aggregates of a query; items that need the same share its place."""
    totals: list[Total] = []
    minima: list[Minimum] = []
    items = [_item(item, totals, minima) for item in query.returns if item.aggregate is not None]
    return Aggregates(tuple(items), tuple(totals), tuple(minima))


def _item(item: ReturnItem, totals: list[Total], minima: list[Minimum]) -> Item:
    match item.aggregate:
        case Aggregate.COUNT:
            return Item(item, total=_place(Total(item.variables), totals) + 1)
        case Aggregate.SUM | Aggregate.AVG:
            total = _place(Total(item.variables, item.argument), totals) + 1
            asked = item.aggregate is Aggregate.SUM
            divisor = _place(Total(item.variables, item.argument, values=True, asked=asked), totals) + 1
            bounds = None
            if item.type is AttributeType.FLOAT:
                bounds = (_place(_extreme(item, False), minima), _place(_extreme(item, True), minima))
            return Item(item, total=total, divisor=divisor, bounds=bounds)
        case Aggregate.MIN | Aggregate.MAX:
            return Item(item, minimum=_place(_extreme(item, item.aggregate is Aggregate.MAX), minima))
        case _:
            return Item(item)


def _extreme(item: ReturnItem, largest: bool) -> Minimum:
    assert item.argument is not None
    assert item.type is not None
    return Minimum(item.variables, item.argument, largest, item.type)


def _place(wanted: T, places: list[T]) -> int:
    if wanted not in places:
        places.append(wanted)
    return places.index(wanted)
