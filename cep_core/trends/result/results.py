"""The result of an aggregation from the merged totals: averages and number columns are formed last."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.language.evaluator import CERTAIN
from cep_core.language.patterns.query import Aggregate
from cep_core.numbers.integer_columns import decimals, digits, doubles, logarithms, quotients, signs
from cep_core.trends.plan.aggregates import Item
from cep_core.trends.plan.layout import Layout
from cep_core.trends.result.partials import Groups


def result_of(groups: Groups, layout: Layout) -> pa.Table:
    """The result's columns and `certain`, by window, then group."""
    arrays: list[pa.Array | pa.ChunkedArray] = list(groups.keys.columns)
    arrays += [pa.array(groups.start, pa.int64()), pa.array(groups.start + layout.size, pa.int64())]
    for item in layout.aggregates.items:
        arrays += _columns(item, groups, layout)
    arrays.append(pa.array(groups.start + layout.size - 1, pa.int64()))
    return pa.Table.from_arrays(arrays, schema=layout.result.append(pa.field(CERTAIN, pa.int64())))


def _columns(item: Item, groups: Groups, layout: Layout) -> list[pa.Array]:
    aggregate = item.source.aggregate
    if item.is_extreme:
        return [groups.minima[item.minimum]]
    total, shift = groups.totals[item.total], groups.shifts[item.total]
    if aggregate is Aggregate.AVG:
        average = quotients(total, groups.totals[item.divisor], shift)
        magnitude = pc.abs(average)
        sizes = pc.log10(pc.if_else(pc.equal(magnitude, 0.0), pa.scalar(None, pa.float64()), magnitude))
        return _with_infinities([average, sizes], item, groups)
    columns = layout.columns_of(item)
    whole = pa.types.is_decimal(columns[0][1])
    arrays = [decimals(total) if whole else doubles(total, shift), logarithms(total, shift)]
    if aggregate is Aggregate.SUM:
        arrays.append(signs(total))
    if whole and layout.exact:
        arrays.append(digits(total))
    some = pa.array(groups.totals[item.divisor].nonzero()) if aggregate is Aggregate.SUM else None
    if some is not None and pc.all(some).as_py() is False:
        arrays = [pc.if_else(some, array, pa.scalar(None, array.type)) for array in arrays]
    return _with_infinities(arrays, item, groups)


def _with_infinities(columns: list[pa.Array], item: Item, groups: Groups) -> list[pa.Array]:
    """A sum or average of doubles, with its size and sign, where some were infinite or NaN: so is it, without size."""
    if item.bounds is None:
        return columns
    low, high = (pc.fill_null(groups.minima[place], 0.0).to_numpy(zero_copy_only=False) for place in item.bounds)
    up, down = np.isposinf(high), np.isneginf(low)
    value = np.where(up, np.inf, np.where(down, -np.inf, 0.0))
    value = np.where(np.isnan(high) | (up & down), np.nan, value)
    special = pa.array(value != 0.0)
    signs = pa.array(np.where(value > 0, 1, -1), pa.int8(), mask=np.isnan(value))
    replacements = [pa.array(value, from_pandas=False), pa.nulls(len(value), pa.float64()), signs]
    return [pc.if_else(special, new, old) for new, old in zip(replacements, columns, strict=False)]
