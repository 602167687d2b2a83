"""Aggregates that users define: functions passed with a call and named in the query (SASE++, section 2.1).

A query is text and contains no code, so the function for a name is passed beside it: `cep.match(query, events,
aggregates={"spread": lambda values: values.max() - values.min()})` defines `spread(b[].x)`, `spread(b[..i-1].x)` and
`spread(b[..i].x)`. A workload is only text, so it has none.

Nothing is known about such a function, so a condition that uses one is checked on whole matches (paper's class:
inconsistent).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from cep_core.aggregates.registry import NAMED
from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.schema import AttributeType

_CLAUSES = ("return", "pattern", "where", "within", "slide", "seq", "any", "next", "prev")
_CONDITIONS = ("and", "or", "not", "in", "between", "like", "is", "null", "true", "false")


@dataclass(frozen=True)
class UserAggregate:
    """A user's aggregate: a function of the values of a list's events, at least one, in the order of time.

    NULLs are left out; without any value the aggregate is NULL. The function gets numbers and truth values as a NumPy
    array, so that NumPy functions and functions compiled by Numba can be used; it gets text as a list. `returns`: the
    type of the result (int, float, string, bool). A result of None means NULL.
    """

    function: Callable[[Any], Any]
    returns: AttributeType | str = AttributeType.FLOAT

    def of(self, values: list[Any]) -> Any:
        """The aggregate of values that contain no NULL; None means NULL."""
        if not values:
            return None
        return self.function(values if isinstance(values[0], str) else np.array(values))

    def column(self, name: str, results: list[Any]) -> pa.Array:
        """The results as a column. Raises ValueError for a result whose type is not `returns`."""
        kind = AttributeType(self.returns)
        fits = {
            AttributeType.INT: pa.types.is_integer,
            AttributeType.FLOAT: lambda number: pa.types.is_floating(number) or pa.types.is_integer(number),
            AttributeType.STRING: pa.types.is_string,
            AttributeType.BOOL: pa.types.is_boolean,
        }[kind]
        try:
            values = pa.array(results)
        except (pa.ArrowInvalid, pa.ArrowTypeError) as problem:
            raise ValueError(f"aggregate '{name}' returns {kind}: {problem}") from None
        if not pa.types.is_null(values.type) and not fits(values.type):
            raise ValueError(f"aggregate '{name}' returns {kind}, and gave {values.type}")
        return values.cast(ARROW_TYPES[kind], safe=False)


UserAggregates = Mapping[str, UserAggregate]


def user_aggregates(given: Mapping[str, UserAggregate | Callable[[Any], Any]] | None) -> UserAggregates:
    """The registered aggregates by name; a bare function returns a float.

    Raises ValueError for a name that cannot be used in a query, and for an unknown type.

    >>> float(user_aggregates({"spread": np.ptp})["spread"].of([3, 8, 5]))
    5.0
    """
    aggregates = {}
    for name, registered in (given or {}).items():
        if not re.fullmatch(r"[^\W\d]\w*", name) or name.lower() in (*NAMED, *_CLAUSES, *_CONDITIONS):
            raise ValueError(f"an aggregate cannot be named '{name}'")
        aggregate = registered if isinstance(registered, UserAggregate) else UserAggregate(registered)
        aggregates[name] = replace(aggregate, returns=AttributeType(aggregate.returns))
    return aggregates
