"""FIRST: the value of a list's first event, even if it is NULL. It has no meaning over all trends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from cep_core.aggregates.aggregate import Aggregate
from cep_core.arrays import Ints


class First(Aggregate):
    """`first(b[].x)`."""

    name = "first"
    over_trends = False
    of_order = True

    def running(self, values: pa.Array, offsets: Ints, *, before: bool) -> pa.Array:
        from cep_core.aggregates.running import end_so_far

        return end_so_far(values, offsets, last=False, before=before)

    def define(self, values: Sequence[Any]) -> Any:
        return values[0] if values else None
