"""Heavy hitters: values that occur in an attribute more often than an even slice could hold (paper 01, section 5.2).

A value is heavy in attribute i of type r iff its frequency is strictly greater than rate(r) / slices; the heavy values
of a variable are those of all attributes that bind it. Exact with exact statistics; with sketched ones no heavy value
is missed, and a value may be called heavy that is less frequent by the sketch's error.

Cost: linear in the number of distinct values; fewer than `slices` values of an attribute can be heavy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom
from cep_core.slicing.hashing import coerce
from cep_core.slicing.statistics import Frequencies, Statistics


def heavy_hitters(statistics: Statistics, event_type: str, attribute: str, slices: int) -> Frequencies:
    """The heavy values of one attribute with their frequencies, most frequent first.

    >>> found = Statistics({"B": 4}, {("B", "x"): Frequencies(pa.array([7, 8, 9]), np.array([2, 1, 1]))})
    >>> heavy_hitters(found, "B", "x", slices=3).values.to_pylist()  # exactly a share of 4 / 2 would be light
    [7]
    """
    frequencies = statistics.frequencies[event_type, attribute]
    heavy = np.flatnonzero(frequencies.counts * slices > statistics.events.get(event_type, 0))
    order = heavy[np.argsort(-frequencies.counts[heavy], kind="stable")]
    return Frequencies(frequencies.values.take(pa.array(order)), frequencies.counts[order], 0, frequencies.error)


def heavy_values(
    atoms: Sequence[Atom], types: Mapping[str, AttributeType], statistics: Statistics, slices: int
) -> dict[str, pa.Array]:
    """The sorted heavy values of each variable that has any, as values of the variable's type."""
    collected: dict[str, list[pa.Array]] = {}
    for atom in atoms:
        for attribute, variable in atom.variables:
            if variable in types and (atom.event_type, attribute) in statistics.frequencies:
                values = heavy_hitters(statistics, atom.event_type, attribute, slices).values
                collected.setdefault(variable, []).append(coerce(values, types[variable]))
    merged = {variable: pa.concat_arrays(arrays).unique() for variable, arrays in collected.items()}
    return {variable: values.take(pc.array_sort_indices(values)) for variable, values in merged.items() if len(values)}
