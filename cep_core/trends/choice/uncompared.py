"""Windows whose edges compare nothing, by the kernels for the common templates, from panes, and by meeting points."""

from __future__ import annotations

import numpy as np
from numba import njit

from cep_core.arrays import NOTHING, Flags, Ints
from cep_core.numbers.words import LIMIT
from cep_core.trends.arrays.graph import Comparisons, Vertices
from cep_core.trends.choice.case import Case, Counts
from cep_core.trends.kernels.meeting_points import meet_windows
from cep_core.trends.kernels.panes import cut_panes, join_panes
from cep_core.trends.kernels.two_states import (
    BEGIN,
    aggregate_panes,
    count_beginning,
    count_beginning_cut,
    count_panes,
    two_states,
)
from cep_core.trends.plan.state_arrays import Automaton


def count_by_two_states(
    template: Automaton,
    comparisons: Comparisons,
    vertices: Vertices,
    first: Ints,
    last: Ints,
    totals: Ints,
    minima: Ints,
    overflowed: Flags,
) -> None:
    """As `window_sums.count_windows` without limits, for at most two states. Cut edges have no sums or minima."""
    masks = two_states(template)
    ends = np.flatnonzero(template.end)
    sums, extremes = vertices.weights.shape[1], vertices.codes.shape[1]
    if sums or extremes:
        by_state = np.zeros((len(first), 1, BEGIN, 1 + sums), dtype=np.int64)
        least = np.full((len(first), 1, BEGIN, extremes), NOTHING, dtype=np.int64)
        aggregate_panes(masks, vertices, first, last, 1, by_state, least, overflowed)
        minima[:] = least[:, 0, ends].min(axis=1, initial=NOTHING)
        totals[:] = by_state[:, 0, ends].sum(axis=1)
    else:
        counts = np.zeros((len(first), BEGIN), dtype=np.int64)
        if len(comparisons.source):
            count_beginning_cut(masks, comparisons, vertices, first, last, counts, overflowed)
        else:
            count_beginning(masks, vertices, first, last, counts, overflowed)
        totals[:, 0] = counts[:, ends].sum(axis=1)
    overflowed |= (totals < 0).any(axis=1) | (totals >= LIMIT).any(axis=1)


def count_by_panes(
    template: Automaton,
    vertices: Vertices,
    first: Ints,
    last: Ints,
    partition: Ints,
    totals: Ints,
    minima: Ints,
    overflowed: Flags,
) -> None:
    """The same for windows in time order, partition after partition, without cuts."""
    pane_first, pane_last, begin, end = cut_panes(first, last, partition)
    panes, sums, extremes = len(pane_first), vertices.weights.shape[1], vertices.codes.shape[1]
    by_state = np.zeros((panes, BEGIN + 1, BEGIN, 1 + sums), dtype=np.int64)
    least = np.full((panes, BEGIN + 1, BEGIN, extremes), NOTHING, dtype=np.int64)
    lost = np.zeros(panes, dtype=np.bool_)
    masks = two_states(template)
    if sums or extremes:
        aggregate_panes(masks, vertices, pane_first, pane_last, BEGIN + 1, by_state, least, lost)
    else:
        count_panes(masks, vertices, pane_first, pane_last, by_state[:, :, :, 0], lost)
    ends = np.zeros(BEGIN, dtype=np.bool_)
    ends[: len(template.end)] = template.end
    join_panes(begin, end, ends, by_state, least, lost, totals, minima, overflowed)


def count_at_meeting_points(case: Case, ranges: Ints, counts: Counts) -> None:
    """Windows that share a multiple of their length are put together from what precedes it and what follows."""
    plan, windows = case.plan, case.windows
    opener = windows.opener[ranges]
    partition = windows.partition[opener]
    moment = -(-windows.index[opener] * plan.slide // plan.size) * plan.size
    changes = np.ones(len(ranges), dtype=np.bool_)
    changes[1:] = (moment[1:] != moment[:-1]) | (partition[1:] != partition[:-1])
    point = np.cumsum(changes, dtype=np.int64)
    middle = _first_at(case.clock, case.offsets, partition, moment)
    first, last = windows.first[ranges], windows.last[ranges]
    meet_windows(plan.automaton, case.vertices, first, middle, last, point, *counts)


@njit(cache=True)
def _first_at(clock: Ints, offsets: Ints, partition: Ints, moment: Ints) -> Ints:
    """The first vertex of each partition at or after a moment."""
    firsts = np.empty(len(moment), np.int64)
    for k in range(len(moment)):
        low = offsets[partition[k]]
        firsts[k] = low + np.searchsorted(clock[low : offsets[partition[k] + 1]], moment[k])
    return firsts
