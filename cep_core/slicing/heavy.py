"""Heavy hitters: values that are too frequent for one slice's equal share of the events (paper 01, section 5.2).

A value is heavy in attribute i of relation r if its frequency is strictly greater than rate(r) / slices. A relation is
an event type with an atom's constants (`relation_of`). The heavy values of a variable are those of all attributes that
bind it. Exact statistics give exact heavy values. With sketched ones no heavy value is missed, but a value may be
called heavy that is below the limit by at most the sketch's error.

Cost: linear in the number of distinct values. Fewer than `slices` values of an attribute can be heavy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.events.schema import AttributeType
from cep_core.language.evaluator import Atom
from cep_core.slicing.atom_rows import relation_of
from cep_core.slicing.hashing import coerce
from cep_core.slicing.statistics import Frequencies, Statistics


def heavy_hitters(statistics: Statistics, relation: Atom, attribute: str, slices: int) -> Frequencies:
    """The heavy values of one attribute with their frequencies, most frequent first.

    >>> known = Statistics({"B": 4}, {(Atom("B"), "x"): Frequencies(pa.array([7, 8, 9]), np.array([2, 1, 1]))})
    >>> heavy_hitters(known, Atom("B"), "x", slices=3).values.to_pylist()  # exactly a share of 4 / 2 would be light
    [7]
    """
    frequencies = statistics.frequencies[relation, attribute]
    heavy = np.flatnonzero(frequencies.counts * slices > statistics.matching(relation))
    order = heavy[np.argsort(-frequencies.counts[heavy], kind="stable")]
    return Frequencies(frequencies.values.take(pa.array(order)), frequencies.counts[order], 0, frequencies.error)


def heavy_values(
    atoms: Sequence[Atom], types: Mapping[str, AttributeType], statistics: Statistics, slices: int
) -> dict[str, pa.Array]:
    """The sorted heavy values of each variable that has any, coerced to the variable's type."""
    arrays_of: dict[str, list[pa.Array]] = {}
    for atom in atoms:
        for attribute, variable in atom.variables:
            place = relation_of(atom), attribute
            if variable in types and place in statistics.frequencies:
                values = heavy_hitters(statistics, *place, slices).values
                arrays_of.setdefault(variable, []).append(coerce(values, types[variable]))
    values_of = {variable: pa.concat_arrays(arrays).unique() for variable, arrays in arrays_of.items()}
    return {
        variable: values.take(pc.array_sort_indices(values)) for variable, values in values_of.items() if len(values)
    }


def heaviest(
    atoms: Sequence[Atom], statistics: Statistics, slices: int, heavy: Mapping[str, pa.Array], most: int
) -> list[str]:
    """Of the variables with heavy values, the `most` whose heavy values are in the most events; sorted by name."""
    events = dict.fromkeys(heavy, 0)
    for atom in atoms:
        for attribute, variable in atom.variables:
            place = relation_of(atom), attribute
            if variable in heavy and place in statistics.frequencies:
                events[variable] += int(heavy_hitters(statistics, *place, slices).counts.sum())
    return sorted(sorted(heavy, key=lambda variable: (-events[variable], variable))[:most])
