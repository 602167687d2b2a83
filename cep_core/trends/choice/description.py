"""The sentences of `explain` about a plan: the kernels of the table that may count it, why, and at what cost."""

from __future__ import annotations

from cep_core.candidates.separating import limits
from cep_core.language.patterns.tree import Comparison
from cep_core.trends.choice.edges import EdgeKind, kind_of
from cep_core.trends.choice.table import KERNELS, Kernel, compares
from cep_core.trends.plan.alternatives import usual
from cep_core.trends.plan.rewrites import Of, rewrites_of
from cep_core.trends.plan.trend_plan import TrendPlan

ONE_SUM = "one sum of counts a state, since no edge compares events"


def describe_plan(plan: TrendPlan) -> tuple[str, ...]:
    """The kernels that may count the plan, why, and their cost: n events in a partition, k windows over an event."""
    k = -(-plan.size // plan.slide)
    serving = [kernel for kernel in KERNELS if kernel.serves(plan) and kernel.is_explained]
    return (
        *rewrites_of(plan, Of.DIAGRAM),
        *(_compared_lines(plan, serving, k) if compares(plan) else [_uncompared_line(plan, serving, k)]),
        *rewrites_of(plan, Of.GUARDS),
        "every digit of every number: a machine word where it fits, and as many as it needs where it does not",
    )


def _uncompared_line(plan: TrendPlan, serving: list[Kernel], k: int) -> str:
    """How often an event is visited: k times window by window, less often if windows are joined from parts."""
    if k == 1:
        return f"{ONE_SUM}: O(n)"
    by_window = next(kernel for kernel in serving if not kernel.shares)
    sharing = [kernel for kernel in serving if kernel.shares]
    if not sharing:
        reason = "negated matches tell windows apart"
        if not plan.guarded.forbidden:
            reason = "the border of a window of events may lie between concurrent ones"
        return f"{ONE_SUM}; {by_window.words}, since {reason}: {by_window.order}, k = {k}"
    ways = ", or ".join(kernel.words for kernel in sharing)
    order = sharing[-1].order.format(k=k)
    return f"{ONE_SUM}; where that costs less, they {ways}: {order}; else {by_window.words}: {by_window.order}"


def _compared_lines(plan: TrendPlan, serving: list[Kernel], k: int) -> list[str]:
    """One line for each kind of edge that compares events."""
    states = plan.names
    edges: dict[EdgeKind, dict[str, int]] = {}
    for (source, target), alternatives in plan.alternatives.items():
        for comparisons in filter(usual, alternatives):
            name = f"{states[source]} -> {states[target]}"
            names = edges.setdefault(_kind(plan, (source, target), comparisons), {})
            names[name] = names.get(name, 0) + 1
    shared = "".join(f", {kernel.words.format(k=k)}" for kernel in serving if kernel.shares and k > 1)
    return [
        kind.words.format(
            edges=", ".join(name if times == 1 else f"{name}, {times} alternatives" for name, times in names.items()),
            k="k " if k > 1 else "",
        )
        + shared
        for kind, names in edges.items()
    ]


def _kind(plan: TrendPlan, edge: tuple[int, int], comparisons: tuple[Comparison, ...]) -> EdgeKind:
    evaluated = [comparison for comparison in comparisons if not limits(comparison)]
    equalities = sum(comparison.operator == "=" for comparison in evaluated)
    number = len(evaluated) - max(0, equalities - 1)  # equal tuples of values are one comparison
    return kind_of(number + (edge in plan.excused), edge in plan.cut)
