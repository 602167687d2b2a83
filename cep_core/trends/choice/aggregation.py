"""Trends of every partition and window: builds the arrays that kernels read, and counts with the kernels of `table`.

Cost: see the table. Windows whose numbers do not fit a machine word are counted again in larger numbers (`exact`).

Memory: about 80 bytes for a candidate event; 24 more for a sum (16 more for each limb if values are fractions), 8 for a
MIN or MAX, and 16 for a comparison; 100 bytes for a window. For compared edges add, on each core, the trees of one
block of windows: `blocks.MEMORY` words, or the words of one window if it needs more. The candidates are those
of one stretch of a slice (`candidates/stretches.py`). So this bounds the whole memory, however long the log is.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from cep_core.arrays import NOTHING, Ints, side_by_side
from cep_core.candidates.candidates import Candidates
from cep_core.candidates.separating import Rows
from cep_core.events.arrow_types import ARROW_TYPES, in_type
from cep_core.language.patterns.bind.naming import always_bound
from cep_core.language.patterns.values.expressions import column
from cep_core.numbers.codes import encode, unknown
from cep_core.numbers.integers import Integers
from cep_core.trends.arrays.comparing import Comparing
from cep_core.trends.arrays.cuts import Cuts, with_cuts
from cep_core.trends.arrays.graph import Comparisons, Vertices, states_of
from cep_core.trends.arrays.line import Line
from cep_core.trends.arrays.weights import weights_of
from cep_core.trends.arrays.window_vertices import Windows, list_windows
from cep_core.trends.choice.case import Case
from cep_core.trends.choice.cores import count_in_parts
from cep_core.trends.choice.exact import count_exactly
from cep_core.trends.choice.table import count
from cep_core.trends.plan.aggregates import Aggregates, CarriedTotal
from cep_core.trends.plan.trend_plan import TrendPlan
from cep_core.trends.result.trends import Trends


def aggregate_trends(plan: TrendPlan, candidates: Candidates, days: tuple[int, ...] | None) -> Trends:
    """All trends of the candidates in the windows that belong to `days`, aggregated by partition and window."""
    clock = candidates.pos if plan.query.window.events else candidates.ts
    windows = list_windows(clock, candidates.offsets, plan.size, plan.slide, days)
    aggregates = plan.aggregates
    columns = aggregated_columns(aggregates, candidates.table)
    never_zero = [_never_zero(total, plan, candidates, columns) for total in aggregates.totals]
    added_totals = tuple(total for total, nonzero in zip(aggregates.totals, never_zero, strict=True) if not nonzero)
    weights = weights_of(
        added_totals, tuple(plan.states(total.variables) for total in added_totals), columns, len(candidates)
    )
    coded = [encode(columns[minimum.attribute], minimum.largest) for minimum in aggregates.minima]
    is_ranked = plan.ordered or plan.loose
    ranked = np.arange(len(candidates), dtype=np.int64) if is_ranked else candidates.ts
    vertices = Vertices(
        tick=ranked,
        states=states_of(plan.variables, candidates.variables, len(candidates)),
        weights=weights.words,
        weighted=weights.states,
        codes=side_by_side([codes for codes, _ in coded], len(candidates)),
        coded=np.array([plan.states(minimum.variables) for minimum in aggregates.minima], dtype=np.uint64),
    )
    comparing = Comparing(candidates)
    line = Line(candidates.offsets, ranked if plan.ordered else candidates.ts, candidates.variables, comparing)
    cuts = Cuts(plan.guarded, line)
    comparisons = _comparisons(plan, comparing, vertices, cuts)
    limits = cuts.limits(windows)

    def count_part(part: Windows, ranges: slice) -> tuple[list[Integers], Ints]:
        limited = limits.take(ranges)
        return _count(Case(plan, vertices, comparisons, limited, weights, part, clock, candidates.offsets))

    sums, minima = count_in_parts(windows, count_part)
    counted = zip(weights.totals(sums[1:]), weights.shifts, strict=True)
    totals, shifts = zip(
        (sums[0], 0), *((sums[0], 0) if nonzero else next(counted) for nonzero in never_zero), strict=True
    )
    counted_ranges = sums[0].nonzero()
    live = np.flatnonzero(counted_ranges if windows.one_each else counted_ranges[windows.range])
    rows = live if windows.one_each else windows.range[live]
    return Trends(
        windows.partition[live],
        windows.index[live],
        tuple(total.take(rows) for total in totals),
        shifts,
        tuple(np.ascontiguousarray(minima[rows, j]) for j in range(minima.shape[1])),
        tuple(coding for _, coding in coded),
    )


def _never_zero(total: CarriedTotal, plan: TrendPlan, numbers: Candidates, columns: Mapping[str, pa.Array]) -> bool:
    """Whether a total that is only compared with 0 is at least the number of trends.

    Then the number of trends takes its place, at no extra cost.
    """
    if not total.only_zero or total.attribute is None or not set(total.variables) & always_bound(plan.query.pattern):
        return False
    if not columns[total.attribute].null_count:
        return True
    missing = unknown(columns[total.attribute])
    return not any(bool((missing & numbers.variables[name]).any()) for name in total.variables)


def aggregated_columns(aggregates: Aggregates, rows: Rows) -> dict[str, pa.Array]:
    """The attributes that the totals and minima read, of some rows of the events."""
    if not aggregates.attributes:
        return {}
    table = rows(aggregates.attributes)
    return {
        name: in_type(column(table, name), ARROW_TYPES[kind], safe=False)
        for name, kind in aggregates.attributes.items()
    }


def _comparisons(plan: TrendPlan, comparing: Comparing, vertices: Vertices, cuts: Cuts) -> Comparisons:
    if not (plan.compared or plan.excused or plan.cut):
        return comparing.ranked([], vertices.states)
    compared = []
    for edge, alternatives in plan.alternatives.items():
        excuse = [cuts.comparison(edge)] if edge in plan.excused else []
        compared += [(*edge, [*comparisons, *excuse]) for comparisons in comparing.possible(alternatives)]
    cut = {edge: cuts.since(edge) for edge in plan.cut}
    return with_cuts(comparing.ranked(compared, vertices.states), cut, vertices.states)


def _count(case: Case) -> tuple[list[Integers], Ints]:
    """For each range of windows: the number of trends, then the sum of every weight column; and the minima [R, M]."""
    totals, minima, overflowed = count(case)
    totals[overflowed] = 0
    sums = [Integers(np.ascontiguousarray(totals[:, j])) for j in range(totals.shape[1])]
    overflows = np.flatnonzero(overflowed)
    if len(overflows):
        exact_minima = np.full((len(overflows), minima.shape[1]), NOTHING, dtype=np.int64)
        windows = case.windows.ranges.take(overflows)
        exact = count_exactly(case.graph.of_ranges(overflows), case.weights.limbs, windows, exact_minima)
        minima[overflows] = exact_minima
        sums = [column.put(overflows, numbers) for column, numbers in zip(sums, exact, strict=True)]
    return sums, minima
