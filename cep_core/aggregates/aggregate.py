"""The base class of aggregates: names and types for the language, arithmetic for engines, words for reports.

An aggregate has two readings. Over all trends, `SUM(E.x)` carries exact totals and extreme values. They merge in any
order of slices; the columns follow from the merged values. Inside one match, `sum(b[].x)` is computed for every
beginning of a list. `define` defines both readings on plain values, for the references.
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
    """The attribute types that an aggregate takes, and a word for them."""

    types: frozenset[AttributeType]
    noun: str


ANYTHING = Takes(frozenset(AttributeType), "values")
NUMBERS = Takes(frozenset({AttributeType.INT, AttributeType.FLOAT}), "numbers")
INTEGERS = Takes(frozenset({AttributeType.INT}), "integers")


class Summand(NamedTuple):
    """The measure that each occurrence adds to a total."""

    measure: Measure
    only_zero: bool = False
    """Whether it only matters if the total is 0."""


class Carried(NamedTuple):
    """The values that slices carry for an aggregate over all trends. Totals are added; the better extreme is kept."""

    totals: tuple[Summand, ...] = ()
    extremes: tuple[bool, ...] = ()
    """For each extreme value of the attribute: is it the largest (else the smallest)?"""


class Merged(NamedTuple):
    """The carried values, merged over all slices: one row for each group and window."""

    trends: Integers
    """The number of trends."""
    totals: tuple[Integers, ...]
    shifts: tuple[Ints, ...]
    """Total i is its number divided by 2**shift."""
    extremes: tuple[pa.Array, ...]


class Returned(NamedTuple):
    """The columns that an aggregate over all trends returns: their names, types and values."""

    columns: tuple[tuple[str, pa.DataType], ...]
    """For each column, the suffix after the item's name, and the type. The value is the first column."""
    values: Callable[[Merged], Sequence[pa.Array]]


class Aggregate(ABC):
    """One aggregate. Two aggregates of one class are equal."""

    name: ClassVar[str]
    """The name in queries, in small letters."""
    takes: ClassVar[Takes] = ANYTHING
    hint: ClassVar[str] = ""
    """Advice for attributes of another type."""
    over_trends: ClassVar[bool] = True
    """Whether it has a meaning over all trends. Inside a match every aggregate has one."""
    of_events: ClassVar[bool] = False
    """Whether it is about events, not about an attribute: `COUNT(E)`."""
    of_order: ClassVar[bool] = False
    """Whether it depends on the order of the events in a list."""
    grows: ClassVar[bool | None] = None
    """True: it never falls when events are added to a list. False: it never rises. None: neither."""
    of_none: ClassVar[int | None] = None
    """The value over an empty list in a match. None is NULL."""
    noun: ClassVar[str] = ""
    """The word of reports for what it counts, in the singular; empty if there is none."""
    word: ClassVar[str] = ""
    """The word of reports before the title of the attribute: the *highest* delay."""
    is_count: ClassVar[bool] = False
    """Whether it has a value even if neither the result nor its logarithm shows one."""
    rounded: ClassVar[bool] = False
    """Whether its value is a rounded quotient. Then nobody needs all its digits."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return type(self).__name__

    # ------------------------------------------------------------ language

    def column_name(self, target: str, attribute: str | None) -> str:
        """The name of its column if the query gives no name."""
        return "_".join(filter(None, (self.name, target, attribute)))

    def type_in_match(self, argument: AttributeType | None) -> AttributeType | None:
        """The type of its value inside a match, by the type of the attribute; None if that is unknown."""
        return argument

    @property
    def assumed(self) -> AttributeType | None:
        """The likely type of an attribute without a schema. None: any type."""
        if self.takes is ANYTHING:
            return None
        return AttributeType.FLOAT if self.takes is NUMBERS else AttributeType.INT

    def label(self, target: str, attribute: str | None) -> str:
        """The text of a query for it, over all trends: `MAX(E.x)`."""
        return f"{self.name.upper()}({target}.{attribute})"

    # ------------------------------------------------------------ over all trends

    def carried(self, argument: AttributeType | None) -> Carried:
        """The values that slices carry for it, for an attribute of this type."""
        raise NotImplementedError(f"{self.name} has no meaning over all trends")

    def returned(self, argument: AttributeType | None, *, exact: bool) -> Returned:
        """Its columns for an attribute of this type. `exact`: with all digits of unlimited numbers."""
        raise NotImplementedError(f"{self.name} has no meaning over all trends")

    # ------------------------------------------------------------ inside a match

    @abstractmethod
    def running(self, values: pa.Array, offsets: Ints, *, before: bool) -> pa.Array:
        """Its value over each list up to each element (`before`: up to the element before).

        List k has the elements `offsets[k]` to `offsets[k + 1] - 1` of the values.
        """

    # ------------------------------------------------------------ definition

    @abstractmethod
    def define(self, values: Sequence[Any]) -> Any:
        """Its exact value by definition, over the values of some events. None is NULL. Nothing is rounded."""


def known_among(values: Sequence[Any]) -> list[Any]:
    """The values that are not NULL."""
    return [value for value in values if value is not None]
