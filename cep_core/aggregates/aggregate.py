"""What the house asks of an aggregate: the language its names and types, engines the arithmetic, reports the words.

An aggregate has two readings. Over all trends, `SUM(E.x)` carries exact totals and least values, which merge in any
order of slices, and forms its columns from what is merged. Inside one match, `sum(b[].x)` is computed for the
beginnings of lists. `define` is the definition of both, on plain values, for the references.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import pyarrow as pa

from cep_core.aggregates.measures import Measure
from cep_core.arrays import Ints
from cep_core.events.schema import AttributeType
from cep_core.numbers.integers import Integers


class Takes(NamedTuple):
    """The attribute types that an aggregate takes, and the word for them."""

    types: frozenset[AttributeType]
    noun: str


ANYTHING = Takes(frozenset(AttributeType), "values")
NUMBERS = Takes(frozenset({AttributeType.INT, AttributeType.FLOAT}), "numbers")
INTEGERS = Takes(frozenset({AttributeType.INT}), "integers")


class Summand(NamedTuple):
    """What each occurrence adds to a total."""

    measure: Measure
    only_zero: bool = False
    """Whether all that matters is whether the total is 0."""


class Carried(NamedTuple):
    """What slices carry of an aggregate over all trends: totals add up, of two extremes the better one remains."""

    totals: tuple[Summand, ...] = ()
    extremes: tuple[bool, ...] = ()
    """For each extreme value of the attribute whether it is the largest (else the least)."""


class Merged(NamedTuple):
    """What was carried, merged over all slices: a row for each group and window."""

    trends: Integers
    """The number of trends."""
    totals: tuple[Integers, ...]
    shifts: tuple[Ints, ...]
    """Total i is its number over 2**shift."""
    extremes: tuple[pa.Array, ...]


class Returned(NamedTuple):
    """The columns that an aggregate over all trends returns: what they are called, and what is in them."""

    columns: tuple[tuple[str, pa.DataType], ...]
    """For each the end of its name, after the item's own, and its type; the value first."""
    values: Callable[[Merged], Sequence[pa.Array]]


class Aggregate(ABC):
    """One aggregate. Two of a kind are equal."""

    name: ClassVar[str]
    """As a query calls it, in small letters."""
    takes: ClassVar[Takes] = ANYTHING
    hint: ClassVar[str] = ""
    """What to do where the attribute is of another type."""
    over_trends: ClassVar[bool] = True
    """Whether it has a meaning over all trends; inside a match each one has."""
    of_events: ClassVar[bool] = False
    """Whether it is about events, whatever their attributes: `COUNT(E)`."""
    of_order: ClassVar[bool] = False
    """Whether it depends on the order of the events in a list."""
    grows: ClassVar[bool | None] = None
    """Whether it never falls (True) or never rises (False) as events are added to a list; None: neither."""
    of_none: ClassVar[int | None] = None
    """Its value over no event of a match; None is NULL."""
    noun: ClassVar[str] = ""
    """What it counts, in the singular, where a report has a word for it."""
    word: ClassVar[str] = ""
    """How a report calls it before the title of its attribute: the *highest* delay."""
    is_count: ClassVar[bool] = False
    """Whether it has a value even if that is neither in the result nor told by its logarithm."""
    rounded: ClassVar[bool] = False
    """Whether its value is a quotient that was rounded, so that nobody asks for all of its digits."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return type(self).__name__

    # ------------------------------------------------------------ language

    def column_name(self, target: str, attribute: str | None) -> str:
        """The name of its column where the query gives none."""
        return "_".join(filter(None, (self.name, target, attribute)))

    def type_in_match(self, argument: AttributeType | None) -> AttributeType | None:
        """The type of its value inside a match, from that of the attribute; None where that is unknown."""
        return argument

    @property
    def assumed(self) -> AttributeType | None:
        """The type that an attribute likely has of which no schema tells; None: any."""
        if self.takes is ANYTHING:
            return None
        return AttributeType.FLOAT if self.takes is NUMBERS else AttributeType.INT

    def label(self, target: str, attribute: str | None) -> str:
        """How a query writes it over all trends: `MAX(E.x)`."""
        return f"{self.name.upper()}({target}.{attribute})"

    # ------------------------------------------------------------ over all trends

    def carried(self, argument: AttributeType | None) -> Carried:
        """What slices carry of it, for an attribute of this type."""
        raise NotImplementedError(f"{self.name} has no meaning over all trends")

    def returned(self, argument: AttributeType | None, *, exact: bool) -> Returned:
        """Its columns for an attribute of this type; `exact`: with all digits of what has no limit."""
        raise NotImplementedError(f"{self.name} has no meaning over all trends")

    # ------------------------------------------------------------ inside a match

    @abstractmethod
    def running(self, values: pa.Array, offsets: Ints, *, before: bool) -> pa.Array:
        """Its value over each list up to each element (`before`: without the element).

        List k has the elements `offsets[k]` to `offsets[k + 1] - 1` of the values.
        """

    # ------------------------------------------------------------ definition

    @abstractmethod
    def define(self, values: Sequence[Any]) -> Any:
        """Its exact value, by definition, over the values of some events; None is NULL. Nothing is rounded."""


def known_among(values: Sequence[Any]) -> list[Any]:
    """The values that are not NULL."""
    return [value for value in values if value is not None]
