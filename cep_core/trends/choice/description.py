"""What `explain` says of a plan: which kernels evaluate it, why, and at what cost."""

from __future__ import annotations

from cep_core.candidates.separating import limits
from cep_core.language.patterns.tree import Comparison
from cep_core.trends.kernels.two_states import BEGIN
from cep_core.trends.plan.alternatives import usual
from cep_core.trends.plan.trend_plan import Plan


def describe_plan(plan: Plan) -> tuple[str, ...]:
    """Which kernels evaluate the plan, why, and at what cost: n events of a partition, k windows over an event."""
    states = plan.names
    overlap = -(-plan.size // plan.slide)
    guarded = plan.guarded
    lines = []
    if guarded.diagram.repeats():
        lines.append(f"one path for each binding: {len(states)} states for {len(set(plan.variables))} variables")
    if plan.compared or plan.excused:
        lines += _compared_lines(plan, overlap)
    elif overlap == 1:
        lines.append("one sum of counts a state, since no edge compares events: O(n)")
    elif guarded.forbidden:
        lines.append(
            "one sum of counts a state, since no edge compares events; window by window, since negated matches tell "
            f"windows apart: O(k n), k = {overlap}"
        )
    else:
        panes = "are joined from panes, or " if len(states) <= BEGIN else ""
        lines.append(
            "one sum of counts a state, since no edge compares events; where that costs less, "
            f"they {panes}meet at the multiples of their length: O(n) whatever k = {overlap}; "
            "else window by window: O(k n)"
        )
    if plan.excused:
        edges = ", ".join(f"{states[source]} -> {states[target]}" for source, target in plan.excused)
        lines.append(
            f"negation that what precedes it excuses, between events ({edges}): when the first negated match ends that "
            "follows an earlier event unexcused is compared with the later event's time"
        )
    if plan.cut:
        edges = ", ".join(f"{states[source]} -> {states[target]}" for source, target in plan.cut)
        lines.append(
            f"negation between events ({edges}): a negated match that ended makes the sum forget what came before its "
            "start; what came since is entered again"
            + ("" if all(one.ends_free for one in guarded.forbidden) else ", and all of it once the match is excused")
        )
    if guarded.before:
        lines.append("negation before a trend: none begins after the first negated match of a window has ended")
    if guarded.after:
        lines.append("negation after a trend: none ends before the last negated match of a window begins")
    lines.append("every digit of every number: a machine word where it fits, and as many as it needs where it does not")
    return tuple(lines)


def _compared_lines(plan: Plan, overlap: int) -> list[str]:
    """One line for each kind of edge that compares events, by what its comparisons ask for."""
    states = plan.names
    kinds: dict[str, dict[str, int]] = {}
    for (source, target), found in plan.alternatives.items():
        for compared in filter(usual, found):
            name = f"{states[source]} -> {states[target]}"
            names = kinds.setdefault(_kind(plan, (source, target), compared), {})
            names[name] = names.get(name, 0) + 1
    factor, where = (
        ("", "") if overlap == 1 else ("k ", f", k = {overlap} overlapping windows side by side in each cell")
    )
    return [
        kind.format(
            edges=", ".join(name if times == 1 else f"{name}, {times} alternatives" for name, times in names.items()),
            k=factor,
        )
        + where
        for kind, names in kinds.items()
    ]


def _kind(plan: Plan, edge: tuple[int, int], compared: tuple[Comparison, ...]) -> str:
    compared = tuple(one for one in compared if not limits(one))
    equalities = sum(one.operator == "=" for one in compared)
    comparisons = len(compared) - max(0, equalities - 1)  # equal tuples of values are one comparison
    comparisons += edge in plan.excused
    if comparisons == 1:
        return "counts in a Fenwick tree over the ranks of the compared values ({edges}): O({k}n log n)"
    if comparisons > 2:
        return "more than two comparisons between neighbours ({edges}): every pair of events, in tiles: O({k}n^2)"
    if edge in plan.cut:
        return "two comparisons, and a NOT, between neighbours ({edges}): every pair of events, in tiles: O({k}n^2)"
    return (
        "two comparisons between neighbours ({edges}): blocks of time divided and conquered, with a Fenwick tree over "
        "the one in the order of the other: O({k}n log^2 n)"
    )
