"""Verdicts on a whole log, or on each of its sub-logs: what `cep.monitor` reports.

Points are reported in order, up to the first whose verdicts a later event could change; all of them on a closed log.
What is decided depends on stamps and on the formula as its author wrote it (`decided`). Cost: that of `evaluation`, and
one row for each verdict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.logs.point_log import PointLog
from cep_core.events.schema import AttributeType
from cep_core.language.first_order.policy import Policy
from cep_core.monitoring.first_order.answering import satisfactions_of
from cep_core.monitoring.first_order.evaluator import PolicyEvaluator
from cep_core.monitoring.first_order.result.verdicts import TIME_POINT, row_batches
from cep_core.monitoring.shared.decided import decided_points
from cep_core.monitoring.shared.sub_logs import Values, sub_logs


def verdict_columns(policy: Policy) -> pa.Schema:
    """The columns of verdicts on a whole log: `ts`, `tp`, the attributes of `-- for each`, the free variables.

    A variable that is called like a column before it gets as many `_` behind its name as keep the two apart.
    """
    point = {"ts": AttributeType.INT, TIME_POINT: AttributeType.INT}
    fields: dict[str, pa.Field] = {}
    for group in (point, PolicyEvaluator(policy).sub_log_types, policy.variables):
        for name, kind in group.items():
            while name in fields:
                name += "_"
            fields[name] = pa.field(name, ARROW_TYPES[kind], False)
    return pa.schema(list(fields.values()))


def verdicts(policy: Policy, log: PointLog, *, closed: bool) -> Iterator[pa.RecordBatch]:
    """The verdicts on a whole log, or on each of its sub-logs, in batches of whole points."""
    columns = verdict_columns(policy)
    for values, own in sub_logs(log, policy.for_each) if policy.for_each else [((), log)]:
        relation, texts = satisfactions_of(policy, own)
        decided = decided_points(policy.plain, own.stamps, closed=closed)
        yield from named_rows(columns, row_batches(relation, own, texts, policy.variables, decided), values)


def named_rows(columns: pa.Schema, rows: Iterable[pa.RecordBatch], values: Values = ()) -> Iterator[pa.RecordBatch]:
    """Rows of a sub-log with its values before the free variables, under the names of `verdict_columns`."""
    for batch in rows:
        constants = [pa.repeat(value, batch.num_rows) for value in values]
        arrays = [*batch.columns[:2], *constants, *batch.columns[2:]]
        yield from pa.table(arrays, names=columns.names).cast(columns).to_batches()
