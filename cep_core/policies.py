"""Asking a whole log in a notebook: where a policy is violated (`docs/policies.md`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa

from cep_core.compile import UNNAMED
from cep_core.events.logs.signature import parse_signature
from cep_core.events.logs.time_points import BY_TIMESTAMP, OFFSET, offsets_of, point_log_of
from cep_core.events.table import log_schema_of, order
from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.text.parsing import parse

POINT = "point"
"""A table's column of time-points: points of equal `ts` are in order of its values."""


def monitor(
    formula: str | Path,
    signature: str | None,
    log: str | Path | BinaryIO | pa.Table,
    *,
    end: str = "open",
    rewrite: bool = True,
    points: str = BY_TIMESTAMP,
    for_each: str | Sequence[str] | None = None,
    unit: str = "s",
    batches: bool = False,
) -> pa.Table | pa.RecordBatchReader:
    """The satisfactions of a first-order formula on a whole log: `ts`, `tp`, then one column for each free variable.

    `formula`: MonPoly's text, or the path of a file. `signature`: MonPoly's text; it may be None for a table, whose
    columns are then the arguments. `log`: MonPoly's text, the path of a text (MonPoly's, DejaVu's, or the RV
    competition's CSV), an open binary file with such a text, which may be a pipe, or a table with `event_type`, `ts`
    and attributes. Time-points of a table are by its column `point` if it has one, else by `points`: `by_timestamp`,
    `by_event` or another column.
    `end="open"` reports what no later event can change, `"closed"` takes the log as complete. `rewrite` False judges
    safety on the formula as written. `for_each`: attributes; every combination of their values is a log of its own,
    with `tp` of its own. Rows are in order of `tp`, then of values.
    `batches` True gives a stream of record batches. A text is then read in blocks, and memory holds what the formula
    looks back to, not the log (`docs/policies.md`); of a pipe, verdicts come as soon as they are decided.

    Raises QueryError (UnsafeFormula if the formula is not monitorable), LogError for a log that breaks its signature,
    EvaluationError where a term has no value. Cost: reading, then that of each operator's rows.

    >>> late = "P(x) AND NOT ONCE[0,10] Q(x)"
    >>> monitor(late, "P(int) Q(int)", "@1 Q(7) @5 P(7)(8) @20 P(7)").to_pylist()
    [{'ts': 5, 'tp': 1, 'x': 8}, {'ts': 20, 'tp': 2, 'x': 7}]
    """
    from cep_core.events.logs.forms import read_log, stream_log  # with the engine: loading kernels takes time
    from cep_core.monitoring.first_order.blocks import block_verdicts
    from cep_core.monitoring.first_order.evaluator import PolicyEvaluator
    from cep_core.monitoring.first_order.whole_log import verdict_columns, verdicts

    if end not in ("open", "closed"):
        raise ValueError(f"end is 'open' or 'closed', not {end!r}")
    text, path = _text_of(formula)
    written = parse(text, path)
    if for_each is not None:
        written = replace(written, for_each=(for_each,) if isinstance(for_each, str) else tuple(for_each))
    ordered = order(log) if isinstance(log, pa.Table) else None
    if signature is None and ordered is None:
        raise ValueError("a log's text needs a signature")
    schema = parse_signature(signature) if signature is not None else log_schema_of(ordered)
    policy = bind_written(written, replace(schema, unit=unit), text, path, rewrite=rewrite)
    columns, closed = verdict_columns(policy), end == "closed"
    if not isinstance(log, pa.Table) and batches:
        at_once = not isinstance(log, str | Path) and not log.seekable()
        rows = block_verdicts(policy, stream_log(log, schema), closed=closed, at_once=at_once)
    elif not isinstance(log, pa.Table):
        rows = verdicts(policy, read_log(log, schema), closed=closed)
    else:
        assert ordered is not None
        chosen = POINT if POINT in ordered.column_names else points
        offset = pa.array(offsets_of(ordered, chosen))
        whole = point_log_of(ordered.append_column(OFFSET, offset), PolicyEvaluator(policy).looked_at)
        rows = verdicts(policy, whole, closed=closed)
    return pa.RecordBatchReader.from_batches(columns, rows) if batches else pa.Table.from_batches(rows, columns)


def _text_of(formula: str | Path) -> tuple[str, str]:
    return (formula.read_text(encoding="utf-8"), str(formula)) if isinstance(formula, Path) else (formula, UNNAMED)
