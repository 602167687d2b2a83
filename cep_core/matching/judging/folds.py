"""User-defined aggregates over lists of events: one call for each list, or for each prefix of a list.

No state is carried from one call to the next. So a condition over all prefixes of a list of n events costs n calls
with up to n values each.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.language.patterns.user_aggregates import UserAggregate


def folded(aggregate: UserAggregate, name: str, values: pa.Array, begins: Ints, ends: Ints) -> pa.Array:
    """The aggregate of values[begins[k]:ends[k]] for each k, without NULLs; NULL if no values remain.

    >>> from cep_core.language.patterns.user_aggregates import UserAggregate
    >>> values = pa.array([1, None, 4, 9])
    >>> folded(UserAggregate(np.median), "median", values, np.array([0, 0, 1]), np.array([4, 1, 2])).to_pylist()
    [4.0, 1.0, None]
    """
    valid = values.is_valid().to_numpy(zero_copy_only=False)
    place = np.concatenate([[0], np.cumsum(valid)])
    present = values.drop_null()
    text = pa.types.is_string(present.type)
    plain = present.to_pylist() if text else present.to_numpy(zero_copy_only=False)
    spans = zip(place[begins].tolist(), place[ends].tolist(), strict=True)
    results = [aggregate.function(plain[begin:end]) if begin < end else None for begin, end in spans]
    return aggregate.column(name, results)
