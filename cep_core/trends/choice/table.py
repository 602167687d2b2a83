"""The kernels that count trends, in one table: when each applies, and its cost in words and as a formula.

For each partition the evaluator takes the cheapest kernel that applies; if several cost the same, the first. `explain`
names the kernels that a plan may use. Each kernel has examples that reach it; `scripts/compile_kernels.py` evaluates
them. Another choice changes the cost, never the result. Costs are in units of a vertex visited by `two_states`.

Without comparisons on edges, each kernel is linear in the events that it visits. Kernels differ in how often they visit
an event: once for each window over it; once in all, plus two matrix products at the edge of each window (panes); or
twice for each row of the matrix, plus a few additions for each window (meeting points). With comparisons, counts are
kept by the ranks of values, for one window after another, or side by side if windows overlap. Windows that do not fit a
machine word, and edges that no other kernel handles, are counted in numbers of any size.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cep_core.candidates.kept import Kept
from cep_core.trends.arrays.ranges import Numbers, Places, no_numbers
from cep_core.trends.choice.case import Case
from cep_core.trends.choice.examples import Example
from cep_core.trends.choice.uncompared import count_at_meeting_points, count_by_panes, count_by_two_states
from cep_core.trends.kernels.ranked import count_compared_windows
from cep_core.trends.kernels.ring import count_overlapping_windows
from cep_core.trends.kernels.two_states import BEGIN
from cep_core.trends.kernels.window_sums import count_windows
from cep_core.trends.plan.trend_plan import TrendPlan

WALK = 5
"""The cost of a visit by the kernel for any number of states."""
PANE = 3
"""The cost of a visit that fills all rows of a pane's matrix."""
MEET = 2.5
"""The cost of visiting one row of the matrix on the way from or to a meeting point."""
PRODUCT = 130
"""The cost of joining a pane to its neighbours on both sides."""
RANKED = 20
"""The cost of a visit that looks up counts by rank."""
UNLIMITED = 1000
"""The cost of a visit in numbers of any size."""

Costs = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Kernel:
    """A way to count the trends of windows."""

    name: str
    words: str
    """How it counts, in the words of `explain`. {k}: the windows over an event."""
    order: str
    """Its cost in words. n: the events of a partition."""
    serves: Callable[[TrendPlan], bool]
    """Whether it can count the plan at all."""
    fits: Callable[[Case], bool]
    """Whether it can count this part of a slice."""
    cost: Callable[[Case], Costs]
    """The cost for each partition."""
    count: Callable[[Case, Places, Numbers], None]
    """Fills the numbers of the given ranges."""
    examples: tuple[Example, ...]
    shares: bool = False
    """Whether overlapping windows share work."""
    is_explained: bool = True
    """Whether `explain` names it for the plans that it serves."""


def costs_of(case: Case) -> Costs:
    """[kernels, partitions] The cost of each kernel in the table; infinite if it does not apply.

    Windows one after another share nothing. Then the costs ascend in the order of the table, so nothing is counted.
    """
    costs = np.full((len(KERNELS), case.partitions), np.inf)
    apart = case.plan.size == case.plan.slide
    for number in _SERVING.of(case.plan, _serving):
        if KERNELS[number].fits(case):
            costs[number] = number if apart else KERNELS[number].cost(case)
    return costs


_SERVING: Kept[list[int]] = Kept()


def _serving(plan: TrendPlan) -> list[int]:
    """The numbers of the kernels that can count a plan."""
    return [number for number, kernel in enumerate(KERNELS) if kernel.serves(plan)]


def count(case: Case) -> Numbers:
    """The numbers that the chosen kernels count. Ranges that overflow a machine word are flagged."""
    numbers = no_numbers(case.vertices, len(case.windows.first))
    of_partition = costs_of(case).argmin(axis=0)
    if len(of_partition) and (of_partition == of_partition[0]).all():
        KERNELS[of_partition[0]].count(case, slice(None), numbers)
        return numbers
    chosen = of_partition[case.partition]
    for number in np.unique(of_partition):
        ranges = np.flatnonzero(chosen == number)
        of_kernel = numbers.take(ranges)
        KERNELS[number].count(case, ranges, of_kernel)
        numbers.put(ranges, of_kernel)
    return numbers


# ---------------------------------------------------------------- conditions on a plan


def compares(plan: TrendPlan) -> bool:
    """Whether an edge compares the events that it joins."""
    return bool(plan.compared or plan.excused)


def _free(plan: TrendPlan) -> bool:
    return not compares(plan)


def _small(plan: TrendPlan) -> bool:
    """Whether the states fit the registers of the kernels for common templates."""
    return _free(plan) and len(plan.variables) <= BEGIN


def _divisible(plan: TrendPlan) -> bool:
    """Whether a window may be joined from parts: no negation restricts windows, and no border splits a moment."""
    parts_a_moment = plan.query.window.events and not plan.ordered
    return _free(plan) and not plan.guarded.forbidden and not parts_a_moment


# ---------------------------------------------------------------- the table


def _two_states_fit(case: Case) -> bool:
    return not case.limited and not (case.plan.guarded.forbidden and case.carries)


def _count_ranked(case: Case, ranges: Places, numbers: Numbers) -> None:
    count_compared_windows(case.graph.of_ranges(ranges), case.windows.ranges.take(ranges), numbers)


def _count_side_by_side(case: Case, ranges: Places, numbers: Numbers) -> None:
    count_overlapping_windows(case.graph, case.windows.ranges.take(ranges), numbers)


def _count_two_states(case: Case, ranges: Places, numbers: Numbers) -> None:
    count_by_two_states(case.graph, case.windows.ranges.take(ranges), numbers)


def _count_one_by_one(case: Case, ranges: Places, numbers: Numbers) -> None:
    count_windows(case.graph.of_ranges(ranges), case.windows.ranges.take(ranges), numbers)


def _count_panes(case: Case, ranges: Places, numbers: Numbers) -> None:
    count_by_panes(case.graph, case.windows.ranges.take(ranges), numbers)


def _leave(case: Case, ranges: Places, numbers: Numbers) -> None:
    numbers.overflowed[:] = True


KERNELS: tuple[Kernel, ...] = (
    Kernel(
        "ranked",
        "one window after another",
        "O(n log n)",
        serves=compares,
        fits=lambda case: not case.weights.wide and case.simply_compared and not case.overlapping,
        cost=lambda case: RANKED * case.visits,
        count=_count_ranked,
        examples=(
            Example("RETURN COUNT(*) PATTERN A+ WHERE A.x < NEXT(A).x WITHIN 20"),
            Example("RETURN COUNT(*), SUM(A.x), MIN(A.x) PATTERN SEQ(A+, B) WHERE A.x < NEXT(A).x WITHIN 20"),
        ),
    ),
    Kernel(
        "ring",
        "k = {k} overlapping windows side by side in each cell",
        "O(k n log n)",
        serves=compares,
        fits=lambda case: not case.weights.wide and case.simply_compared and case.overlapping and not case.limited,
        cost=lambda case: RANKED * case.visits,
        count=_count_side_by_side,
        examples=(
            Example("RETURN COUNT(*) PATTERN A+ WHERE A.x < NEXT(A).x WITHIN 20 SLIDE 5"),
            Example("RETURN COUNT(*), SUM(A.x), MIN(A.x) PATTERN A+ WHERE A.x < NEXT(A).x WITHIN 20 SLIDE 5"),
        ),
        shares=True,
    ),
    Kernel(
        "two states",
        "window by window",
        "O(k n)",
        serves=_small,
        fits=lambda case: not case.weights.wide and _two_states_fit(case),
        cost=lambda case: case.visits,
        count=_count_two_states,
        examples=(
            Example("RETURN COUNT(*) PATTERN (SEQ(A+, B))+ WITHIN 20"),
            Example("RETURN COUNT(*), SUM(A.x), MIN(A.x) PATTERN (SEQ(A+, B))+ WITHIN 20"),
            Example("RETURN COUNT(*) PATTERN (SEQ(A+, NOT B b, B))+ WITHIN 20"),
        ),
    ),
    Kernel(
        "one by one",
        "window by window",
        "O(k n)",
        serves=_free,
        fits=lambda case: not case.weights.wide,
        cost=lambda case: WALK * case.visits,
        count=_count_one_by_one,
        examples=(
            Example("RETURN COUNT(*), SUM(A.x), MIN(A.x) PATTERN SEQ(A+, B, A a2) WITHIN 20"),
            Example("RETURN COUNT(*) PATTERN SEQ(A+, NOT B) WITHIN 20"),
        ),
    ),
    Kernel(
        "panes",
        "are joined from panes",
        "O(n) whatever k = {k}",
        serves=lambda plan: _small(plan) and _divisible(plan),
        fits=lambda case: not case.weights.wide,
        cost=lambda case: PANE * case.span + PRODUCT * 2 * case.ranges,
        count=_count_panes,
        examples=(
            Example("RETURN COUNT(*) PATTERN SEQ(A, B) WITHIN 1000 SLIDE 100", events=3000),
            Example("RETURN COUNT(*), SUM(A.x), MIN(A.x) PATTERN SEQ(A, B) WITHIN 1000 SLIDE 100", events=3000),
        ),
        shares=True,
    ),
    Kernel(
        "meeting points",
        "meet at the multiples of their length",
        "O(n) whatever k = {k}",
        serves=_divisible,
        fits=lambda case: not case.weights.wide,
        cost=lambda case: 2 * (len(case.plan.variables) + 1) * MEET * (case.span + case.ranges),
        count=count_at_meeting_points,
        examples=(Example("RETURN COUNT(*), SUM(A.x), MIN(A.x) PATTERN SEQ(A, B, A a2) WITHIN 200 SLIDE 2"),),
        shares=True,
    ),
    Kernel(
        "unlimited",
        "in numbers of any size",
        "O(k n log n)",
        serves=lambda plan: True,
        fits=lambda case: True,
        cost=lambda case: UNLIMITED * case.visits,
        count=_leave,
        examples=(
            Example("RETURN SUM(A.x) PATTERN SEQ(A+, B) WITHIN 20", large=True),
            Example("RETURN COUNT(*) PATTERN A+ WHERE A.x < NEXT(A).x AND A.x * 2 != NEXT(A).x WITHIN 20 SLIDE 5"),
        ),
        is_explained=False,
    ),
)
"""Kernels of equal cost are preferred in this order."""
