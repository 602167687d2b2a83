"""Heavy hitters: values that are too frequent for one slice's equal share of the events (paper 01, section 5.2).

A value is heavy in attribute i of type r if its frequency is strictly greater than rate(r) / slices. The heavy values
of a variable are those of all attributes that bind it. Exact statistics give exact heavy values. With sketched ones no
heavy value is missed, but a value may be called heavy that is below the limit by at most the sketch's error.

Cost: linear in the number of distinct values. Fewer than `slices` values of an attribute can be heavy.
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
    """The sorted heavy values of each variable that has any, coerced to the variable's type."""
    arrays_of: dict[str, list[pa.Array]] = {}
    for atom in atoms:
        for attribute, variable in atom.variables:
            if variable in types and (atom.event_type, attribute) in statistics.frequencies:
                values = heavy_hitters(statistics, atom.event_type, attribute, slices).values
                arrays_of.setdefault(variable, []).append(coerce(values, types[variable]))
    values_of = {variable: pa.concat_arrays(arrays).unique() for variable, arrays in arrays_of.items()}
    return {
        variable: values.take(pc.array_sort_indices(values)) for variable, values in values_of.items() if len(values)
    }
