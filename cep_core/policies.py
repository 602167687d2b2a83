"""Asking a whole log in a notebook: where a policy is violated, and why (`docs/policies.md`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa

from cep_core.compile import UNNAMED
from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.signature import parse_signature
from cep_core.events.logs.time_points import BY_TIMESTAMP, OFFSET, offsets_of, point_log_of
from cep_core.events.table import log_schema_of, order
from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.text.parsing import parse

if TYPE_CHECKING:
    from cep_core.monitoring.first_order.why.causes import Causes

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
    from cep_core.events.logs.forms import stream_log  # with the engine: loading kernels takes time
    from cep_core.monitoring.first_order.blocks import block_verdicts
    from cep_core.monitoring.first_order.evaluator import PolicyEvaluator
    from cep_core.monitoring.first_order.whole_log import verdict_columns, verdicts

    closed = _is_closed(end)
    ordered = order(log) if isinstance(log, pa.Table) else log
    policy = _policy(formula, signature, ordered, rewrite, for_each, unit)
    columns = verdict_columns(policy)
    if batches and not isinstance(log, pa.Table):
        at_once = not isinstance(log, str | Path) and not log.seekable()
        rows = block_verdicts(policy, stream_log(log, policy.schema), closed=closed, at_once=at_once)
    else:
        whole = _point_log(ordered, policy, points, PolicyEvaluator(policy).looked_at)
        rows = verdicts(policy, whole, closed=closed)
    return pa.RecordBatchReader.from_batches(columns, rows) if batches else pa.Table.from_batches(rows, columns)


def why(
    formula: str | Path,
    signature: str | None,
    log: str | Path | pa.Table,
    at: tuple[int, int],
    valuation: Mapping[str, int | float | str] | None = None,
    *,
    end: str = "open",
    rewrite: bool = True,
    points: str = BY_TIMESTAMP,
    for_each: str | Sequence[str] | None = None,
    unit: str = "s",
) -> Causes:
    """Why a formula holds, or does not hold, at a point for values of its free variables: the smallest proof.

    `at`: the point's `ts`, and its index among the points of equal `ts`. `valuation`: a value for each free variable,
    and for each attribute of `for_each`, whose sub-log is then asked. All else as for `monitor`. The answer tells by
    `holds` whether the formula holds there, by `tree` the proof; `str` gives a text for people, `to_dict` plain values.

    Raises what `monitor` raises, and ValueError for a point that the log lacks or that is not decided yet, for values
    that are not those of the free variables, and where the verdict hangs on a term without value. Cost: reading the
    log, then the events of the verdict's reach.

    >>> late = "P(x) AND NOT ONCE[0,10] Q(x)"
    >>> print(why(late, "P(int) Q(int)", "@1 Q(7) @5 P(7)(8) @20 P(7)", (20, 0), {"x": 7}))
    P(x) AND NOT (ONCE[0,10] Q(x)) holds for x = 7 at 20
      P(7) at 20
      ONCE[0,10] Q(x) does not hold at 20
        no Q(7) at 20
    """
    from cep_core.monitoring.first_order.why.causes import causes_of, columns_of, point_at
    from cep_core.monitoring.shared.decided import decided_points
    from cep_core.monitoring.shared.sub_logs import sub_log_of

    closed = _is_closed(end)
    ordered = order(log) if isinstance(log, pa.Table) else log
    policy = _policy(formula, signature, ordered, rewrite, for_each, unit)
    whole = _point_log(ordered, policy, points, columns_of(policy))
    values = dict(valuation or {})
    if policy.for_each:
        missing = [name for name in policy.for_each if name not in values]
        if missing:
            raise ValueError(f"a value is needed for {', '.join(missing)}, whose values make the sub-logs")
        whole = sub_log_of(whole, policy.for_each, tuple(values.pop(name) for name in policy.for_each))
    if point_at(whole, at) >= decided_points(policy.plain, whole.stamps, closed=closed):
        raise ValueError(f"what holds at {at[0]} is not decided yet; end='closed' takes the log as complete")
    return causes_of(policy, whole, at, values)


def _is_closed(end: str) -> bool:
    if end not in ("open", "closed"):
        raise ValueError(f"end is 'open' or 'closed', not {end!r}")
    return end == "closed"


def _policy(
    formula: str | Path,
    signature: str | None,
    log: str | Path | BinaryIO | pa.Table,
    rewrite: bool,
    for_each: str | Sequence[str] | None,
    unit: str,
) -> Policy:
    """The bound policy of a text or a file, by the signature or the table's columns."""
    text, path = (
        (formula.read_text(encoding="utf-8"), str(formula)) if isinstance(formula, Path) else (formula, UNNAMED)
    )
    written = parse(text, path)
    if for_each is not None:
        written = replace(written, for_each=(for_each,) if isinstance(for_each, str) else tuple(for_each))
    if signature is not None:
        schema = parse_signature(signature)
    elif isinstance(log, pa.Table):
        schema = log_schema_of(log)
    else:
        raise ValueError("a log's text needs a signature")
    return bind_written(written, replace(schema, unit=unit), text, path, rewrite=rewrite)


def _point_log(
    log: str | Path | BinaryIO | pa.Table, policy: Policy, points: str, columns: Mapping[str, tuple[str, ...]]
) -> PointLog:
    """A log's text, or the columns of a table in (ts, seq) order, as points."""
    from cep_core.events.logs.forms import read_log

    if not isinstance(log, pa.Table):
        return read_log(log, policy.schema)
    chosen = POINT if POINT in log.column_names else points
    return point_log_of(log.append_column(OFFSET, pa.array(offsets_of(log, chosen))), columns)
