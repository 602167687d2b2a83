"""Aggregations over a relation: `result <- function item; groups`, per group and point over the valuations that hold.

The rows of a relation in normal form are distinct valuations, so a sweep over the endpoints of their runs (CNT SUM AVG:
sums that grow and shrink; MIN MAX MED: an order-statistic tree) gives all results in O(runs log runs). Nothing depends
on the lengths of runs or on values.

- CNT is an integer, SUM has the item's type, AVG and MED are doubles, MIN and MAX have the item's type.
- Integers are exact; a SUM that int64 cannot hold is an EvaluationError. Sums and averages of doubles are exact totals,
  rounded once. MED of an even number of values is the mean of the two in the middle, rounded once.
- Without groups the result is 0 at the points where nothing holds, of texts the empty text: MonPoly's convention.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from cep_core.arrays import Flags, Floats, Ints
from cep_core.events.schema import AttributeType
from cep_core.language.temporal.formulas import Aggregation
from cep_core.monitoring.first_order.arrays.endpoints import Sweep, runs_of_steps, sweep_of
from cep_core.monitoring.first_order.arrays.errors import EvaluationError
from cep_core.monitoring.first_order.arrays.relation import Column, Relation, together
from cep_core.monitoring.first_order.arrays.setting import TermSetting, in_order
from cep_core.monitoring.first_order.kernels.exact_totals import float_totals, quotients
from cep_core.monitoring.first_order.kernels.grouping import order_of
from cep_core.monitoring.first_order.kernels.order_statistics import GREATEST, LEAST, MIDDLE, ranked_places
from cep_core.monitoring.first_order.operators.normal import ordered
from cep_core.numbers.groups import group_rows

_RANKS = {"MIN": LEAST, "MAX": GREATEST, "MED": MIDDLE}
TOGETHER = 1 << 18
"""The rows of groups that are swept together: memory beside the rows and the results is for so many."""
_EXACT = 1 << 20
"""Sums whose upper word is smaller than this are doubles without rounding."""


def aggregated(relation: Relation, aggregation: Aggregation, setting: TermSetting) -> Relation:
    """The results at all points of the setting, as variables `result`, then `groups`. Ordered by begin, in normal form.

    `relation`: the body's, in normal form, with all its free variables. Raises EvaluationError.
    """
    keys = [relation.column(group.name) for group in aggregation.groups]
    group, _ = group_rows([in_order(key) for key in keys]) if keys else _one_group(relation.rows)
    is_text = setting.types[aggregation.item.name] is AttributeType.STRING and aggregation.function in ("MIN", "MAX")
    empty = setting.texts.code("") if is_text else 0
    parts, errors = [], []
    for rows, own in _parts(group):
        try:
            parts.append(_of_groups(relation.of_rows(rows), own, aggregation, setting, empty))
        except EvaluationError as error:
            errors.append(error)
    if errors:
        raise min(errors, key=lambda error: error.stamp)
    return ordered(together(parts))


def _parts(group: Ints) -> Iterator[tuple[Ints | slice, Ints]]:
    """The rows of some groups at a time, about `TOGETHER`, and the group of each row, from 0."""
    if len(group) <= TOGETHER:
        yield slice(None), group
        return
    order = order_of(group)
    first = np.cumsum(np.bincount(group))
    wanted = np.arange(TOGETHER, len(group), TOGETHER)
    cuts = np.unique(first[np.searchsorted(first, wanted, "left")])
    for begin, end in pairwise(sorted({0, *cuts.tolist(), len(group)})):
        rows = order[begin:end]
        yield rows, group[rows] - group[rows[0]]


def _of_groups(relation: Relation, group: Ints, aggregation: Aggregation, setting: TermSetting, empty: int) -> Relation:
    """The results of some groups, group by group."""
    names = [key.name for key in aggregation.groups]
    sweep = sweep_of(group, relation.begin, relation.end)
    item = relation.column(aggregation.item.name)
    values, lost = _values(sweep, group, item, aggregation, setting)
    values = np.where(sweep.count == 0, values.dtype.type(empty), values)
    if lost.any():
        raise _too_large(relation, sweep, group, aggregation, setting, lost)
    step, begin, end = _runs(sweep, values, empty, not names, len(setting.stamps))
    sample = np.unique(group, return_index=True)[1][sweep.group[step]] if names else step
    columns = tuple(relation.column(name)[sample] for name in names)
    return Relation((aggregation.result.name, *names), (_with_empty(values, empty)[step], *columns), begin, end)


def _with_empty(values: Column, empty: int) -> Column:
    """The values of the steps, and for step -1, the time before the first endpoint, that of nothing."""
    if values.dtype == np.float64:
        return np.append(values.astype(np.float64, copy=False), float(empty))
    return np.append(values.astype(np.int64, copy=False), empty)


def _one_group(rows: int) -> tuple[Ints, Ints]:
    return np.zeros(rows, np.int64), np.zeros(min(rows, 1), np.int64)


def _runs(sweep: Sweep, values: Column, empty: int, whole: bool, points: int) -> tuple[Ints, Ints, Ints]:
    """The step, begin and end of each run of the result; if `whole`, from point 0 to the last, `empty` in the gaps."""
    step = np.arange(len(sweep.point))
    bits = in_order(values)
    before = in_order(np.full(1, empty, np.int64))[0]
    group, begin, held = sweep.group, sweep.point, sweep.count > 0
    if whole:
        step, group, begin, bits = (
            np.insert(column, 0, first)
            for column, first in zip((step, group, begin, bits), (-1, 0, 0, before), strict=True)
        )
        held = np.ones(len(step), np.bool_)
    end = np.append(begin[1:], np.full(min(len(begin), 1), points))
    run, begin, end = runs_of_steps(group, begin, end, bits, held)
    return step[run], begin, end


def _values(
    sweep: Sweep, group: Ints, item: Column, aggregation: Aggregation, setting: TermSetting
) -> tuple[Column, Flags]:
    """The result in each step, 0 where nothing holds; and the steps whose result int64 cannot hold."""
    kind, function = setting.types[aggregation.item.name], aggregation.function
    sure = np.zeros(len(sweep.point), np.bool_)
    if function == "CNT":
        return sweep.count, sure
    if function in _RANKS:
        return _ranked(sweep, group, item, setting.ordered(item, kind), function), sure
    if kind is AttributeType.FLOAT:
        bits = np.ascontiguousarray(item, np.float64).view(np.int64)
        return float_totals(sweep.order, sweep.last, sweep.count, bits, function == "AVG") + 0.0, sure
    numbers = item.astype(np.int64, copy=False)
    low = sweep.running(numbers & 0xFFFFFFFF)
    high = sweep.running(numbers >> 32) + (low >> 32)
    low &= 0xFFFFFFFF
    if function == "AVG":
        return _average(high, low, sweep.count), sure
    return (high << 32) | low, (high < -(1 << 31)) | (high >= 1 << 31)


def _average(high: Ints, low: Ints, count: Ints) -> Floats:
    """(high * 2^32 + low) / count, rounded once; 0 where the count is 0."""
    divisor = np.maximum(count, 1)
    average: Floats = ((high << 32) | low) / divisor
    large = np.flatnonzero(np.abs(high) >= _EXACT)
    average[large] = quotients(high[large], low[large], divisor[large])
    return average


def _ranked(sweep: Sweep, group: Ints, item: Column, codes: Ints, function: str) -> Column:
    if len(item) == 0:
        return item.astype(np.float64) if function == "MED" else item
    by_value = np.lexsort((codes, group))
    place_of = np.empty_like(by_value)
    place_of[by_value] = np.arange(len(by_value))
    first = np.searchsorted(group[by_value], np.arange(group.max() + 2))
    lower, upper = ranked_places(sweep.order, sweep.last, sweep.group, sweep.count, place_of, first, _RANKS[function])
    values = item[by_value]
    if function != "MED":
        return values[lower]
    return _means(values[lower], values[upper])


def _means(first: Column, second: Column) -> Floats:
    """(first + second) / 2 of pairs, rounded once."""
    if first.dtype == np.int64:
        a, b = first.astype(np.int64), second.astype(np.int64)
        low = (a & 0xFFFFFFFF) + (b & 0xFFFFFFFF)
        return _average((a >> 32) + (b >> 32) + (low >> 32), low & 0xFFFFFFFF, np.full(len(a), 2))
    with np.errstate(all="ignore"):
        total = first + second
        return np.where(np.isinf(total), first / 2 + second / 2, total / 2)


def _too_large(
    relation: Relation, sweep: Sweep, group: Ints, aggregation: Aggregation, setting: TermSetting, lost: Flags
) -> Exception:
    """The error for the earliest point at which a SUM does not fit int64; the values are those of the group."""
    steps = np.flatnonzero(lost)
    step = steps[sweep.point[steps].argmin()]
    of_group = relation.of_rows(np.flatnonzero(group == sweep.group[step])[:1])
    at = of_group.at(np.zeros(1, np.int64), sweep.point[step : step + 1], of_group.end)
    shown = at.of_variables([key.name for key in aggregation.groups])
    problem = f"the SUM of {sweep.count[step]} values of {aggregation.item.name} does not fit 64 bits"
    return setting.error(problem, aggregation.at, shown, 0)
