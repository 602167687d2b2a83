"""Which kernel counts a partition whose edges compare nothing: window by window, from panes, or by meeting points.

Each is linear in what it visits, and they differ in how often they visit an event: once for each window over it
(`window_sums`, and `two_states` for the common templates); once, but for two products of matrices at the edge of each
window (`panes`); or twice in each row of the matrix, at a few additions a window (`meeting_points`). The cheapest is
chosen for each partition by its events and windows, in units of what `two_states` takes for an event.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
import numpy.typing as npt
from numba import njit

from cep_core.arrays import NOTHING, Ints
from cep_core.numbers.words import LIMIT
from cep_core.trends.arrays.graph import Graph
from cep_core.trends.arrays.ranges import Numbers, Ranges, no_numbers
from cep_core.trends.arrays.window_vertices import Windows
from cep_core.trends.kernels.meeting_points import MeetingPoints, meet_windows
from cep_core.trends.kernels.panes import cut_panes, join_panes
from cep_core.trends.kernels.two_states import (
    BEGIN,
    aggregate_panes,
    count_beginning,
    count_beginning_cut,
    count_panes,
    two_states,
)
from cep_core.trends.kernels.window_sums import count_windows
from cep_core.trends.plan.trend_plan import Plan

WALK = 5
"""A visit by a kernel for any number of states."""
PANE = 3
"""A visit that fills all rows of a pane's matrix."""
MEET = 2.5
"""A visit of one row of the matrix on the way from, or to, a meeting point."""
PRODUCT = 130
"""Joining a pane to its neighbours on both sides."""


class Way(IntEnum):
    """How windows are counted."""

    ONE_BY_ONE = 0
    PANES = 1
    MEETING = 2


def count_uncompared(plan: Plan, graph: Graph, windows: Windows, clocks: tuple[Ints, Ints], numbers: Numbers) -> None:
    """Fill the numbers of each range of the windows, as `window_sums.count_windows`.

    `clocks`: what the windows are counted by, for each vertex, and the offsets of the partitions.
    """
    ranges = windows.ranges
    apart = bool(plan.guarded.forbidden)  # what a negation forbids tells windows apart
    small = len(plan.variables) <= BEGIN and len(graph.limits.starts_before) == 0
    if apart:
        small = small and graph.vertices.weights.shape[1] == graph.vertices.codes.shape[1] == 0
    costs = costs_of(plan, windows, ranges.partition, len(clocks[1]) - 1, small=small, apart=apart)
    chosen = costs.argmin(axis=0)[ranges.partition]
    for way in np.unique(chosen):
        places = np.flatnonzero(chosen == way)
        some, of_some = ranges.take(places), numbers.take(places)
        if way == Way.MEETING:
            meet_windows(graph, some, _meeting_points(plan, windows, clocks, places), of_some)
        elif way == Way.PANES:
            count_by_panes(graph, some, of_some)
        elif small:
            count_by_two_states(graph, some, of_some)
        else:
            count_windows(graph.of_ranges(places), some, of_some)
        numbers.put(places, of_some)


def count_by_two_states(graph: Graph, ranges: Ranges, numbers: Numbers) -> None:
    """As `window_sums.count_windows` without limits, for at most two states.

    A graph with sums or minima has no edge that is cut.
    """
    template, comparisons, vertices, _ = graph
    masks = two_states(template)
    first, last, _ = ranges
    ends = np.flatnonzero(template.end)
    if vertices.weights.shape[1] or vertices.codes.shape[1]:
        by_state = no_numbers(vertices, len(first), 1, BEGIN)._replace(overflowed=numbers.overflowed)
        aggregate_panes(masks, vertices, first, last, 1, by_state)
        numbers.minima[:] = by_state.minima[:, 0, ends].min(axis=1, initial=NOTHING)
        numbers.totals[:] = by_state.totals[:, 0, ends].sum(axis=1)
    else:
        counts = np.zeros((len(first), BEGIN), dtype=np.int64)
        if len(comparisons.source):
            count_beginning_cut(masks, comparisons, vertices, first, last, counts, numbers.overflowed)
        else:
            count_beginning(masks, vertices, first, last, counts, numbers.overflowed)
        numbers.totals[:, 0] = counts[:, ends].sum(axis=1)
    numbers.overflowed[:] |= (numbers.totals < 0).any(axis=1) | (numbers.totals >= LIMIT).any(axis=1)


def count_by_panes(graph: Graph, ranges: Ranges, numbers: Numbers) -> None:
    """The same for windows in time order, partition after partition, without cuts."""
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


def costs_of(
    plan: Plan, windows: Windows, partition: Ints, partitions: int, *, small: bool, apart: bool
) -> npt.NDArray[np.float64]:
    """What each way, by `Way`, costs for each partition; infinite where it does not serve."""
    visits = np.bincount(partition, windows.last - windows.first, minlength=partitions)
    count = np.bincount(partition, minlength=partitions)
    span = np.zeros(partitions)
    if len(partition):
        np.maximum.at(span, partition, windows.last)
        first = np.full(partitions, np.inf)
        np.minimum.at(first, partition, windows.first)
        span -= np.where(np.isfinite(first), first, 0)
    rows = len(plan.variables) + 1
    costs = np.full((len(Way), partitions), np.inf)
    costs[Way.ONE_BY_ONE] = (1 if small else WALK) * visits
    # Concurrent events that a border parts would be taken to follow each other.
    parted = plan.query.window.events and not plan.ordered
    if not apart and not parted:
        costs[Way.MEETING] = 2 * rows * MEET * (span + count)
        if small:
            costs[Way.PANES] = PANE * span + PRODUCT * 2 * count
    return costs


def _meeting_points(plan: Plan, windows: Windows, clocks: tuple[Ints, Ints], places: Ints) -> MeetingPoints:
    """Where the windows at these places meet."""
    opener = windows.opener[places]
    partition = windows.partition[opener]
    moment = -(-windows.index[opener] * plan.slide // plan.size) * plan.size
    changes = np.ones(len(places), dtype=np.bool_)
    changes[1:] = (moment[1:] != moment[:-1]) | (partition[1:] != partition[:-1])
    return MeetingPoints(_first_at(*clocks, partition, moment), np.cumsum(changes, dtype=np.int64))


@njit(cache=True)
def _first_at(clock: Ints, offsets: Ints, partition: Ints, moment: Ints) -> Ints:
    """The first vertex of each partition at or after a moment."""
    found = np.empty(len(moment), np.int64)
    for k in range(len(moment)):
        low = offsets[partition[k]]
        found[k] = low + np.searchsorted(clock[low : offsets[partition[k] + 1]], moment[k])
    return found
