"""Counts windows whose edges compare nothing: with kernels for common templates, from panes, or by meeting points."""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import Ints
from cep_core.numbers.words import LIMIT
from cep_core.trends.arrays.graph import Graph
from cep_core.trends.arrays.ranges import Numbers, Places, Ranges, no_numbers
from cep_core.trends.choice.case import Case
from cep_core.trends.kernels.meeting_points import MeetingPoints, meet_windows
from cep_core.trends.kernels.panes import cut_panes, join_panes
from cep_core.trends.kernels.two_state_sums import aggregate_panes
from cep_core.trends.kernels.two_states import BEGIN, count_beginning, count_beginning_cut, count_panes, two_states


def count_by_two_states(graph: Graph, ranges: Ranges, numbers: Numbers) -> None:
    """Like `window_sums.count_windows`, but without limits, and for at most two states.

    If the graph has sums or minima, no negation cuts an edge.
    """
    template, comparisons, vertices, _ = graph
    masks = two_states(template)
    first, last, _ = ranges
    if vertices.weights.shape[1] or vertices.codes.shape[1]:
        by_state = no_numbers(vertices, len(first), 1, BEGIN)._replace(overflowed=numbers.overflowed)
        aggregate_panes(masks, vertices, first, last, 1, by_state)
        for state in template.end.nonzero()[0].tolist():
            np.minimum(numbers.minima, by_state.minima[:, 0, state], out=numbers.minima)
            np.add(numbers.totals, by_state.totals[:, 0, state], out=numbers.totals)
        for total in numbers.totals.view(np.uint64).T:  # NumPy's `any` of each row takes ten times as long
            np.logical_or(numbers.overflowed, total >= np.uint64(LIMIT), out=numbers.overflowed)  # or negative
    elif len(comparisons.source):
        count_beginning_cut(masks, comparisons, vertices, first, last, numbers.totals, numbers.overflowed)
    else:
        count_beginning(masks, vertices, first, last, numbers.totals, numbers.overflowed)


def count_by_panes(graph: Graph, ranges: Ranges, numbers: Numbers) -> None:
    """Count windows in time order, partition after partition, from panes. No negation cuts an edge."""
    template, vertices = graph.template, graph.vertices
    panes = cut_panes(ranges)
    of_panes = no_numbers(vertices, len(panes.first), BEGIN + 1, BEGIN)
    masks = two_states(template)
    if vertices.weights.shape[1] or vertices.codes.shape[1]:
        aggregate_panes(masks, vertices, panes.first, panes.last, BEGIN + 1, of_panes)
    else:
        count_panes(masks, vertices, panes.first, panes.last, of_panes.totals[:, :, :, 0], of_panes.overflowed)
    ends = np.zeros(BEGIN, dtype=np.bool_)
    ends[: len(template.end)] = template.end
    join_panes(panes, ends, of_panes, numbers)


def count_at_meeting_points(case: Case, ranges: Places, numbers: Numbers) -> None:
    """Join each window from its part before a meeting point and its part after: a multiple of the window's length."""
    plan, windows = case.plan, case.windows
    opener = windows.opener[ranges]
    partition = windows.partition[opener]
    moment = -(-windows.index[opener] * plan.slide // plan.size) * plan.size
    changes = np.ones(len(opener), dtype=np.bool_)
    changes[1:] = (moment[1:] != moment[:-1]) | (partition[1:] != partition[:-1])
    point = np.cumsum(changes, dtype=np.int64)
    middle = _first_at(case.clock, case.offsets, partition, moment)
    meet_windows(case.graph, windows.ranges.take(ranges), MeetingPoints(middle, point), numbers)


@njit(cache=True)
def _first_at(clock: Ints, offsets: Ints, partition: Ints, moment: Ints) -> Ints:
    """The first vertex of each partition at or after a moment."""
    firsts = np.empty(len(moment), np.int64)
    for k in range(len(moment)):
        low = offsets[partition[k]]
        firsts[k] = low + np.searchsorted(clock[low : offsets[partition[k] + 1]], moment[k])
    return firsts
