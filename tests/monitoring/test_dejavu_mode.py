"""DejaVu's way to ask (F11): closed formulas of the past without times, told by indices, an event a time-point.

A closed formula is sliced by the open one, and the indices that slices tell are put together without a filter.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import cep_core as cep
from cep_core.events.logs.time_points import BY_EVENT, point_log_of, with_points
from cep_core.monitoring.first_order.evaluator import PolicyEvaluator
from cep_core.monitoring.first_order.whole_log import verdicts
from cep_core.policy_on_log import MonitorSettings, PolicyOnLog
from cep_core.slicing import make_plan, split, statistics_of

OPEN = {
    "star-past": ("(ONCE ((ONCE P(a, b)) AND Q(a, c))) AND R(a, d)", "a, b, c, d"),
    "linear-past": ("(ONCE ((ONCE P(a, b)) AND Q(b, c))) AND R(c, d)", "a, b, c, d"),
    "triangle-past": ("(ONCE ((ONCE P(a, b)) AND Q(b, c))) AND R(c, a)", "a, b, c"),
    "custom": ("(EXISTS x. (P(x, d) AND x = 0)) AND ONCE ((EXISTS y. (Q(y, d) AND R(y, z))) OR Q(z, d))", "d, z"),
}
"""Paper 01's formulas over the past, figure 6, with shorter names."""
SIGNATURE = "P(x: int, y: int) Q(x: int, y: int) R(x: int, y: int)"
logs = st.lists(st.tuples(st.sampled_from("PQR"), st.integers(0, 2), st.integers(0, 2)), max_size=14)


def table_of(events: list[tuple[str, int, int]]) -> pa.Table:
    columns = list(zip(*events, strict=True)) or [(), (), ()]
    return pa.table(
        {
            "event_type": pa.array(columns[0], pa.string()),
            "ts": pa.array([0] * len(events), pa.int64()),
            "seq": pa.array(range(len(events)), pa.int64()),
            "x": pa.array(columns[1], pa.int64()),
            "y": pa.array(columns[2], pa.int64()),
        }
    )


def indices(formula: str, events: list[tuple[str, int, int]]) -> list[int]:
    """The indices at which a formula holds, by the text that DejaVu would read."""
    text = "\n".join(f"{kind},{x},{y}" for kind, x, y in events)
    rows = cep.monitor(formula, SIGNATURE, text, end="closed")
    assert isinstance(rows, pa.Table)
    return [int(point) for point in rows["tp"].to_pylist()]


@settings(max_examples=25)
@given(name=st.sampled_from(sorted(OPEN)), events=logs, slices=st.integers(1, 6), seed=st.text(max_size=2))
def test_closed_formulas_tell_the_indices_of_the_open_one(
    name: str, events: list[tuple[str, int, int]], slices: int, seed: str
) -> None:
    formula, variables = OPEN[name]
    closed = f"EXISTS {variables}. ({formula})"
    of_open = indices(formula, events)
    assert indices(closed, events) == sorted(set(of_open))
    must_hold = f"-- policy: must hold\nNOT ({closed})"
    assert indices(must_hold, events) == sorted(set(of_open))
    log, points = with_points(table_of(events), BY_EVENT)
    settings = MonitorSettings(points=BY_EVENT, end="closed")
    open_policy, closed_policy = (PolicyOnLog(text, SIGNATURE, log, settings).policy for text in (formula, closed))
    evaluator = PolicyEvaluator(open_policy)
    named = sorted({variable for atom in evaluator.atoms for _, variable in atom.variables})
    plan = make_plan(
        {"open": evaluator.atoms}, named, statistics_of(log, evaluator.atoms), slices, seed, evaluator.reach, heavy=()
    )
    rows, numbers = split(plan, log)
    union: set[int] = set()
    for number in np.unique(numbers):
        part = log.take(pa.array(np.sort(rows[numbers == number])))
        own = point_log_of(part, PolicyEvaluator(closed_policy).looked_at, points)
        union |= {tp for batch in verdicts(closed_policy, own, closed=True) for tp in batch["tp"].to_pylist()}
    assert union == set(of_open)
