"""Rows of one slice are in the order of results, however they are handed on: each by itself, in any order."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cep_core.compile import compile_query
from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.matching.kernels import one_closure
from cep_core.matching.plan.match_plan import MatchPlan
from cep_core.matching.result.match_rows import PATH, with_paths

NUMBERS = {name: Attribute(name, AttributeType.INT, nullable=True) for name in "xy"}
LOG = LogSchema({"A": NUMBERS, "B": NUMBERS, "C": {"y": NUMBERS["y"]}})
QUERIES = (
    "PATTERN SEQ(A a, B b) WITHIN 5",
    "PATTERN SEQ(A a, B+ b[]) WITHIN 5",
    "PATTERN SEQ(A a, B+ b[], C c) WITHIN 5",
    "PATTERN SEQ(A a, B+ b[], C c) WHERE a.x = b.x WITHIN 5",  # a C is in the partition of every x
    "PATTERN SEQ(A a, B b, C c) WHERE a.x = b.x WITHIN 6 SLIDE 2",
    "PATTERN SEQ(A a, NOT B n, C c, NOT A m) WITHIN 4",
    "PATTERN SEQ(A a, B+ b[], C c) WHERE skip_till_next_match { a.x = b.x } WITHIN 5",
    "PATTERN (SEQ(A a, C c) OR SEQ(B b, C d)) WHERE skip_till_next_match WITHIN 5",
)
CHAINS = (
    *QUERIES[:7],
    "PATTERN SEQ(A a, B+ b[], C c) WHERE b[i].x >= b[i-1].x WITHIN 5",
    "PATTERN SEQ(A+ a[], B+ b[]) WHERE skip_till_next_match WITHIN 4",
    "PATTERN SEQ(A a, B+ b[], A+ c[]) WHERE strict_contiguity WITHIN 6 SLIDE 2",
    "PATTERN SEQ(A a, B b, C c) WHERE skip_till_next_match { a.x = b.x } WITHIN 6 AFTER MATCH SKIP TO NEXT EVENT",
)


@st.composite
def logs(draw: st.DrawFn) -> pa.Table:
    kinds = [*draw(st.lists(st.sampled_from("AABBC"), max_size=9)), "C"]
    steps = draw(st.lists(st.integers(0, 1), min_size=len(kinds), max_size=len(kinds)))
    keys = st.lists(st.integers(0, 1), min_size=len(kinds), max_size=len(kinds))
    columns = {"event_type": pa.array(kinds, pa.string()), "ts": pa.array([sum(steps[:k]) for k in range(len(steps))])}
    columns = {**columns, "seq": pa.array(range(len(kinds)), pa.int64()), "x": pa.array(draw(keys), pa.int64())}
    return pa.table({**columns, "y": pa.array(draw(keys), pa.int64())}).cast(
        pa.schema([("event_type", pa.string()), *((name, pa.int64()) for name in ("ts", "seq", "x", "y"))])
    )


@given(st.sampled_from(QUERIES), logs(), st.sampled_from((None, 0, 2)), st.booleans(), st.randoms())
def test_pieces_of_one_slice_merge_to_the_same_rows(
    text: str, log: pa.Table, most: int | None, collapsed: bool, random: object
) -> None:
    """One source may say that it lists in order; then its rows are not sorted, unless its batches come out of order."""
    evaluator = compile_query(text, LOG, max_matches=most, collapsed=collapsed)
    batches = list(evaluator.evaluate(log))
    rows = [batch.slice(k, 1).replace_schema_metadata(None) for batch in batches for k in range(batch.num_rows)]
    random.shuffle(rows)
    merged = evaluator.merge(batches)
    assert evaluator.merge([*rows, batches[-1].slice(0, 0)]).equals(merged, check_metadata=True)
    unsaid = batches[-1].replace_schema_metadata(
        {name: value for name, value in batches[-1].schema.metadata.items() if name != b"in_order"}
    )
    assert evaluator.merge([*batches[:-1], unsaid]).equals(merged, check_metadata=True)


@given(st.sampled_from(CHAINS), logs())
def test_columns_tell_the_paths_that_rows_leave_out(text: str, log: pa.Table) -> None:
    """A match of a chain binds one variable after another. Its row has no path, and else what it has with a path."""
    short = _rows(compile_query(text, LOG).evaluate(log))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MatchPlan, "columns_tell_paths", False)
        patch.setattr(one_closure, "MOST", 0)  # else position lists, which write no paths
        full = _rows(compile_query(text, LOG).evaluate(log))
    assert (short[PATH].null_count, full[PATH].null_count) == (short.num_rows, 0)
    assert with_paths(short).to_pylist() == full.to_pylist()


def _rows(batches: Iterable[pa.RecordBatch]) -> pa.Table:
    return pa.Table.from_batches([batch.replace_schema_metadata(None) for batch in batches])


def test_matches_of_several_partitions_that_end_at_one_event_mix() -> None:
    """The C is in the partitions of both x. The second match of one begins after the only match of the other."""
    log = pa.table(
        {
            "event_type": list("AAABBC"),
            "ts": range(6),
            "seq": range(6),
            "x": pa.array([0, 1, 0, 0, 1, None], pa.int64()),
            "y": pa.nulls(6, pa.int64()),
        }
    )
    for text in (QUERIES[3], QUERIES[3].replace("B+ b[]", "B b")):
        evaluator = compile_query(text, LOG)
        assert evaluator.merge(evaluator.evaluate(log))["a"].to_pylist() == [0, 1, 2]


def test_numbers_that_do_not_rise_with_time() -> None:
    """Partition after partition the events' numbers rise, and yet the first partition has the last match."""
    log = pa.table({"event_type": ["A"] * 3, "ts": [0, 0, 1], "seq": [0, 4, 2], "x": [0, 1, 0], "y": [0, 0, 0]})
    evaluator = compile_query("PATTERN A a WHERE skip_till_next_match { [x] } WITHIN 5", LOG)
    assert evaluator.merge(evaluator.evaluate(log))["a"].to_pylist() == [0, 4, 2]
