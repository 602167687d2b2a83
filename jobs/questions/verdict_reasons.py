"""Why a policy is violated, or is not, at a point for some values: the proof of the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from cep_core.events.logs.time_points import OFFSET, point_log_of
from jobs.questions.asked_log import AskedLog

if TYPE_CHECKING:
    from cep_core.monitoring.shared.why.verdict_causes import Causes

# The engines are imported where they are used: loading their kernels takes time.

LINES = 40
"""Lines of a proof that are shown."""


def why_verdict(log: AskedLog, row: Mapping[str, Any]) -> Iterator[str]:
    """The proof of what holds where a row says; `row` has `ts` and a value for each free variable."""
    if row.get("ts") is None:
        return
    own = [name for name in log.evaluator.schema.names if name not in ("ts", OFFSET)]
    if missing := [name for name in own if row.get(name) is None]:
        yield f"not explained: no value is said for {', '.join(missing)}"
        return
    at, values = (int(row["ts"]), int(row.get(OFFSET) or 0)), {name: row[name] for name in own}
    propositional = log.bound.path.endswith(".mtl")
    try:
        causes = (_of_points if propositional else _of_values)(log, at, values)
    except ValueError as refusal:
        yield f"not explained: {refusal}"
        return
    lines = causes.text(log.clock.time).splitlines()
    yield "violated, as" if causes.is_violation else "not violated, as"
    yield from (f"  {line}" for line in lines[:LINES])
    if len(lines) > LINES:
        yield f"  ... {len(lines) - LINES} more lines"


def _of_values(log: AskedLog, at: tuple[int, int], values: Mapping[str, Any]) -> Causes:
    from cep_core.monitoring.first_order.why.causes import causes_of, columns_of
    from cep_core.monitoring.shared.decided import decided_points
    from cep_core.monitoring.shared.sub_logs import sub_log_of
    from cep_core.monitoring.shared.why.verdict_causes import point_at

    policy = log.bound.query
    events, points = log.pointed
    asked = point_log_of(events, columns_of(policy), points)
    if policy.for_each:
        asked = sub_log_of(asked, policy.for_each, tuple(values[name] for name in policy.for_each))
    if point_at(asked, at) >= decided_points(policy.plain, asked.stamps, closed=False):
        raise ValueError(f"what holds at {log.clock.time(at[0])} is not decided by these events; later ones may tell")
    return causes_of(policy, asked, at, {name: value for name, value in values.items() if name not in policy.for_each})


def _of_points(log: AskedLog, at: tuple[int, int], values: Mapping[str, Any]) -> Causes:
    from cep_core.propositional_on_log import PropositionalOnLog
    from cep_core.stream_settings import StreamSettings

    settings = StreamSettings(end="closed", points=log.workload.time.points)
    return PropositionalOnLog(log.bound.text, log.events, settings, log.workload.schema).causes(at, values)
