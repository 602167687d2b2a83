"""Stream statistics in bounded memory, batch by batch: a frequent-items sketch for each slicing attribute.

For logs whose distinct values do not fit in memory (paper 01, section 5.4, names approximate algorithms). The sketch is
Apache DataSketches' (Misra-Gries with decrements by the median; Anderson et al. 2017), extra `sketch` of this project.
With 2^k entries and N events it keeps at most 0.75 * 2^k values, and every count is off by at most 3.5 / 2^k * N.
Counts are given as upper bounds, so no heavy value is missed as long as that error is below N / slices.

Cost: one grouping of each batch, then one update for each of its distinct values. Memory: O(2^k) for each attribute.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from datasketches import frequent_items_error_type, frequent_items_sketch

from cep_core.language.evaluator import Atom
from cep_core.slicing.statistics import Frequencies, Statistics, relations_of, statistics_of


def sketched_statistics(
    batches: Iterable[pa.Table], atoms: Sequence[Atom], slices: int, span: int = 1, log2_entries: int = 12
) -> Statistics:
    """Statistics of a log read in batches: exact event counts, and frequencies as upper bounds with their error.

    ValueError if 2^log2_entries are too few to find every value that is heavy for this number of slices.
    """
    worst = frequent_items_sketch.get_epsilon_for_lg_size(log2_entries)
    if worst * slices >= 1:
        raise ValueError(
            f"2^{log2_entries} entries may miss values heavier than a share of 1/{1 / worst:.0f}, and {slices} slices"
            f" need 1/{slices}: give more entries"
        )
    sketches: dict[tuple[Atom, str], frequent_items_sketch] = {}
    types: dict[tuple[Atom, str], pa.DataType] = {}
    counted = Statistics({}, {}, dict.fromkeys([*atoms, *relations_of(atoms)], 0), 0, 0)
    for batch in batches:
        exact = statistics_of(batch, atoms, span=0)
        for place, frequencies in exact.frequencies.items():
            types[place] = frequencies.values.type
            sketch = sketches.setdefault(place, frequent_items_sketch(log2_entries))
            for value, count in zip(frequencies.values.to_pylist(), frequencies.counts.tolist(), strict=True):
                sketch.update(value, count)
        counted = counted + Statistics(exact.events, {}, exact.matched, exact.relevant, 0)
    frequencies_of = {place: _frequencies(sketch, types[place]) for place, sketch in sketches.items()}
    return Statistics(counted.events, frequencies_of, counted.matched, counted.relevant, span)


def _frequencies(sketch: frequent_items_sketch, kind: pa.DataType) -> Frequencies:
    """The values that the sketch kept: upper bounds, their largest error, and how many events it did not keep."""
    items = sketch.get_frequent_items(frequent_items_error_type.NO_FALSE_NEGATIVES)
    values = pa.array([value for value, _, _, _ in items], kind)
    counts = np.array([upper for _, _, _, upper in items], np.int64)
    kept = sum(lower for _, _, lower, _ in items)
    error = max((upper - lower for _, _, lower, upper in items), default=0)
    return Frequencies(values, counts, sketch.total_weight - kept, error)
