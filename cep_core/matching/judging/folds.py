"""Aggregates of the user's own over lists of events: one call for each list, or for each beginning of one.

Nothing can be carried from one call to the next, so a condition over all beginnings of a list of n events costs n calls
of up to n values each.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.language.patterns.user_aggregates import UserAggregate


def folded(aggregate: UserAggregate, name: str, values: pa.Array, begins: Ints, ends: Ints) -> pa.Array:
    """The aggregate of values[begins[k]:ends[k]] for each k, NULLs left out; NULL where nothing is left.

    >>> from cep_core.language.patterns.user_aggregates import UserAggregate
    >>> values = pa.array([1, None, 4, 9])
    >>> folded(UserAggregate(np.median), "median", values, np.array([0, 0, 1]), np.array([4, 1, 2])).to_pylist()
    [4.0, 1.0, None]
    """
    known = values.is_valid().to_numpy(zero_copy_only=False)
    place = np.concatenate([[0], np.cumsum(known)])
    given = values.drop_null()
    text = pa.types.is_string(given.type)
    plain = given.to_pylist() if text else given.to_numpy(zero_copy_only=False)
    spans = zip(place[begins].tolist(), place[ends].tolist(), strict=True)
    results = [aggregate.function(plain[begin:end]) if begin < end else None for begin, end in spans]
    return aggregate.column(name, results)
