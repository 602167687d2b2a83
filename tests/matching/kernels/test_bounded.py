"""Listings stream: however many matches there are, a batch holds so many rows and events, and nothing else is kept."""

from __future__ import annotations

import pyarrow as pa
import pytest

from cep_core.compile import compile_query
from cep_core.events.table import log_schema_of, order
from cep_core.matching.arrays.paths import LARGEST


@pytest.mark.parametrize(("clause", "events"), [("", 20), ("WITH CONFIDENCE > 0", 17)])
def test_a_million_matches_pass_in_small_batches(clause: str, events: int) -> None:
    """`A+` has 2^n - 1 matches; listing them takes the memory of a few batches, not of all."""
    log = order(pa.table({"event_type": ["A"] * events, "ts": range(events)}))
    evaluator = compile_query(f"PATTERN A+ a[] WITHIN 100 {clause}", log_schema_of(log))
    list(evaluator.evaluate(log.slice(0, 3)))
    before, most, rows, bound = pa.total_allocated_bytes(), 0, 0, 0
    for batch in evaluator.evaluate(log):
        most = max(most, pa.total_allocated_bytes() - before)
        rows += batch.num_rows
        assert batch.num_rows <= LARGEST.rows
        if batch.num_rows:
            bound += len(batch.column("a").flatten())
            assert len(batch.column("a").flatten()) <= LARGEST.events
    assert rows == 2**events - 1
    assert bound == events * 2 ** (events - 1)
    # a batch's events thrice, as seq and as (seq, state), and as much while it is made
    assert most < 6 * 8 * LARGEST.events + 100 * LARGEST.rows
