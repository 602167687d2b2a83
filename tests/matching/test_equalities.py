"""An equality means the same whether it partitions the events or is judged as any other condition.

`v.x = w.x` may become a key, `v.x + 0 = w.x` never does (docs/semantics.md, 3: a condition that mentions an absent
variable is dropped, so that it says nothing of what the others have in common).
"""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cep_core as cep

PATTERNS = [
    ("SEQ(A? v, B+ w[])", "v.x = w[i].x"),
    ("SEQ(B+ w[], A? v)", "v.x = w[i].x"),
    ("SEQ(A? v, B w)", "v.x = w.x"),
    ("SEQ(A v, B+ w[])", "v.x = w[i].x"),
    ("SEQ(A* v[], B+ w[])", "v[i].x = w[i].x"),
    ("SEQ(A? v, B+ w[], C u)", "v.x = w[i].x AND v.x = u.x"),
    ("SEQ(A? v, B+ w[], C u)", "w[i].x = u.x AND v.x = u.x"),
    ("SEQ(B+ w[], C u)", "w[i].x = u.x"),
    ("SEQ(A v, B w, C u)", "v.x = u.x AND w.x = u.x"),
    ("SEQ(A v, B+ w[], C u)", "v.x = u.x AND w[i].x = v.x"),
    ("SEQ(A v, B+ w[], C u)", "v.x = u.x AND w[i].x = u.x"),
    ("SEQ(B+ w[], C u)", "w[i].x = u.x AND w[i].x = w[i-1].x"),
    ("SEQ(ANY(2, A v, B w), C u)", "v.x = u.x AND w.x = u.x"),
    ("SEQ(ANY(2, A v, B w), C u)", "v.x = u.x AND w.x = v.x"),
    ("SEQ(A v, ANY(2, B w, C u))", "v.x = u.x AND w.x = v.x"),
    ("SEQ(A v, ANY(2, B w, C u))", "v.x = u.x AND w.x = u.x"),
    ("SEQ(A v, (SEQ(B w, C u))+)", "v.x = w[i].x AND v.x = u[i].x"),
    ("SEQ(A a, NOT C v, B+ w[])", "v.x = w[i].x"),
    ("SEQ(A w, NOT C v, B b)", "v.x = w.x"),
    ("SEQ(NOT C v, B+ w[])", "v.x = w[i].x"),
    ("SEQ((A v OR C u), B+ w[])", "v.x = w[i].x"),
    ("SEQ(A a, B+ w[])", "w[i].x = w[i-1].x"),
    ("SEQ(B w, (SEQ(A v, C u))?, B b)", "v.x = w.x AND u.x = b.x"),
]
STRATEGIES = ["skip_till_any_match", "skip_till_next_match", "strict_contiguity"]


def matches(pattern: str, condition: str, strategy: str, events: pa.Table) -> list[dict[str, object]]:
    return cep.match(f"PATTERN {pattern} WHERE {strategy} {{ {condition} }} WITHIN 8", events).to_pylist()


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(data=st.data())
def test_an_equality_is_a_condition(strategy: str, data: st.DataObject) -> None:
    """Patterns with optional, repeated and negated elements, logs with ties and NULLs."""
    pattern, condition = data.draw(st.sampled_from(PATTERNS))
    events = data.draw(
        st.lists(st.tuples(st.sampled_from("ABC"), st.integers(0, 2), st.sampled_from([0, 1, None])), max_size=9)
    )
    ts = [sum(step for _, step, _ in events[: n + 1]) for n in range(len(events))]
    table = pa.table(
        {
            "event_type": pa.array([kind for kind, _, _ in events], pa.string()),
            "ts": pa.array(ts, pa.int64()),
            "x": pa.array([x for _, _, x in events], pa.int64()),
        }
    )
    judged = " AND ".join(
        f"{left} + 0 = {right}" for left, right in (part.split(" = ") for part in condition.split(" AND "))
    )
    assert matches(pattern, condition, strategy, table) == matches(pattern, judged, strategy, table)


def test_events_of_a_closure_need_not_be_alike_where_what_they_equal_is_absent() -> None:
    """B(1) B(2) is a match of `A?`, then `B+`: without an A the condition says nothing."""
    events = pa.table({"event_type": ["B", "B"], "ts": [1, 2], "x": [1, 2]})
    rows = matches("SEQ(A? v, B+ w[])", "v.x = w[i].x", "skip_till_any_match", events)
    assert [row["w"] for row in rows] == [[0], [0, 1], [1]]
