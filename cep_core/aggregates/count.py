"""COUNT: `COUNT(*)` counts trends; `COUNT(E)` counts events in all trends; `count(b[])` counts inside a match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from cep_core.aggregates.aggregate import Aggregate, Carried, Merged, Returned, Summand, known_among
from cep_core.aggregates.measures import occurrences
from cep_core.arrays import Ints
from cep_core.events.schema import AttributeType
from cep_core.numbers.integer_columns import DECIMAL, decimals, digits, logarithms
from cep_core.numbers.integers import Integers


class Count(Aggregate):
    """`COUNT(E)`: the number of bound events. An event counts once for each trend that has it."""

    name = "count"
    of_events = True
    grows = True
    of_none = 0
    is_count = True

    def type_in_match(self, argument: AttributeType | None) -> AttributeType | None:
        return AttributeType.INT

    def label(self, target: str, attribute: str | None) -> str:
        return f"COUNT({target})"

    def carried(self, argument: AttributeType | None) -> Carried:
        return Carried((Summand(occurrences),))

    def returned(self, argument: AttributeType | None, *, exact: bool) -> Returned:
        columns = (("", DECIMAL), ("_log10", pa.float64()), ("_exact", pa.string()))
        forms = (decimals, logarithms, digits)
        return Returned(
            columns if exact else columns[:2],
            lambda merged: [form(self._count(merged)) for form in (forms if exact else forms[:2])],
        )

    def _count(self, merged: Merged) -> Integers:
        return merged.totals[0]

    def running(self, values: pa.Array, offsets: Ints, *, before: bool) -> pa.Array:
        from cep_core.aggregates.running import known_so_far  # imports compiled kernels, which only matching needs

        return pa.array(known_so_far(values, offsets, before=before))

    def define(self, values: Sequence[Any]) -> int:
        return len(known_among(values))


class CountTrends(Count):
    """`COUNT(*)`: the number of trends."""

    noun = "trend"

    def column_name(self, target: str, attribute: str | None) -> str:
        return "count"

    def label(self, target: str, attribute: str | None) -> str:
        return "COUNT(*)"

    def carried(self, argument: AttributeType | None) -> Carried:
        return Carried()  # the number of trends is always carried

    def _count(self, merged: Merged) -> Integers:
        return merged.trends


COUNT_TRENDS = CountTrends()
