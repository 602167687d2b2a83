"""A table of a query over a whole log, as one slice that owns everything fills it: what any slicing must give."""

from __future__ import annotations

import pyarrow as pa

from cep_core.language.evaluator import CERTAIN, RESULT, Evaluator, Ownership, of_table
from cep_core.language.totals import Days, rows_to_explain


def unsliced(
    evaluator: Evaluator, events: pa.Table, points: pa.Table, days: Days = None, suffix: str = RESULT
) -> pa.Table:
    """The table with this suffix, with `certain`; rows are explained from all events. `events` with `offset`."""
    [table] = [table for table in evaluator.tables if table.suffix == suffix]
    partials = list(evaluator.evaluate(events, Ownership(days=days), points))
    if table.explain is not None:
        rows = rows_to_explain(table, evaluator.merge(of_table(partials), days), partials, days)
        partials = list(table.explain(rows.drop_columns([CERTAIN]), events, points))
    return table.merge(of_table(partials, suffix), days)
