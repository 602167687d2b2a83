"""What `explain` says of a plan: which kernels evaluate it, why, and at what cost."""

from __future__ import annotations

from cep_core.trends.plan import Plan


def describe_plan(plan: Plan) -> tuple[str, ...]:
    """Which kernels evaluate the plan, why, and at what cost: n events of a partition, k windows over an event."""
    states = plan.names
    overlap = -(-plan.size // plan.slide)
    guarded = plan.guarded
    lines = []
    if guarded.diagram.repeats():
        lines.append(f"one path for each binding: {len(states)} states for {len(set(plan.variables))} variables")
    if plan.compared:
        edges = ", ".join(f"{states[edge.source]} -> {states[edge.target]}" for edge in plan.compared)
        cost = (
            "O(n log n)"
            if overlap == 1
            else f"O(k n log n), k = {overlap} overlapping windows side by side in each cell"
        )
        lines.append(f"counts in a Fenwick tree over the ranks of the compared values ({edges}): {cost}")
    elif overlap == 1:
        lines.append("one sum of counts a state, since no edge compares events: O(n)")
    elif guarded.forbidden:
        lines.append(
            "one sum of counts a state, since no edge compares events; window by window, since negated matches tell "
            f"windows apart: O(k n), k = {overlap}"
        )
    else:
        rows = 2 * (len(states) + 1)
        lines.append(
            f"one sum of counts a state, since no edge compares events; where windows overlap more than {rows} times, "
            f"they meet at the multiples of their length: O(n) whatever k = {overlap}; else window by window: O(k n)"
        )
    if guarded.between:
        edges = ", ".join(f"{states[source]} -> {states[target]}" for source, target in guarded.between)
        lines.append(
            f"negation between events ({edges}): a negated match that ended makes the sum forget what came before its "
            "start; what came since is entered again"
        )
    if guarded.before:
        lines.append("negation before a trend: none begins after the first negated match of a window has ended")
    if guarded.after:
        lines.append("negation after a trend: none ends before the last negated match of a window begins")
    lines.append(
        "counts are machine words with overflow detection; windows beyond 2^62 are counted again in 32-bit limbs"
    )
    return tuple(lines)
