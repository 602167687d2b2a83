"""Verdicts on a whole log, or on each of its sub-logs: what `cep.monitor` reports.

Points are reported in order, up to the first whose verdicts a later event could change; all of them on a closed log.
What is decided depends on stamps and on the formula as its author wrote it (`decided`). Cost: that of `evaluation`, and
one row for each verdict.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.time_points import OFFSET
from cep_core.monitoring.first_order.evaluation import satisfied
from cep_core.monitoring.first_order.evaluator import PolicyEvaluator
from cep_core.monitoring.first_order.result.verdicts import Verdicts
from cep_core.monitoring.shared.decided import decided_points
from cep_core.monitoring.shared.sub_logs import sub_logs


def verdict_schema(evaluator: PolicyEvaluator) -> pa.Schema:
    """The columns of verdicts on a whole log: `tp`, the point's index, stands for `offset`."""
    return pa.schema([field.with_name("tp") if field.name == OFFSET else field for field in evaluator.schema])


def verdicts(evaluator: PolicyEvaluator, log: PointLog, *, closed: bool) -> Iterator[pa.RecordBatch]:
    """The verdicts on a whole log, or on each of its sub-logs, in blocks of points."""
    policy = evaluator.policy
    shape = verdict_schema(evaluator)
    for values, own in sub_logs(log, policy.for_each) if policy.for_each else [((), log)]:
        relation, texts = satisfied(policy.core, own, policy.variables)
        decided = decided_points(policy.core, own.stamps, closed=closed)
        for point, columns in Verdicts(relation, texts, policy.variables).blocks(0, decided):
            shared = {name: pa.repeat(value, len(point)) for name, value in zip(policy.for_each, values, strict=True)}
            rows = pa.table({"ts": own.stamps[point], "tp": point, **shared, **columns}).cast(shape)
            yield from rows.to_batches()
