"""A first-order policy and one whole log: the verdicts, the causes of each, and what evaluation did.

The public calls are `cep.monitor` and `cep.why` (`policies.py`); `trendmill monitor` asks several questions of one log.
A text is read in blocks if only verdicts are asked, so that memory holds what the formula looks back to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import pyarrow as pa

from cep_core.compile import UNNAMED
from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.signature import parse_signature
from cep_core.events.logs.time_points import BY_TIMESTAMP, point_log_of, with_offset
from cep_core.events.schema import AttributeType, LogSchema
from cep_core.events.table import attribute_type, log_schema_of, order
from cep_core.language.explanation import Explanation
from cep_core.language.first_order.bind.assumed_schema import schema_mentioned_by
from cep_core.language.first_order.bind.binding import bind_written
from cep_core.language.first_order.explain.explaining import explain_policy
from cep_core.language.first_order.policy import Policy
from cep_core.language.first_order.text.parsing import parse

if TYPE_CHECKING:
    from cep_core.monitoring.shared.scalars import Value
    from cep_core.monitoring.shared.why.verdict_causes import Causes

# The engine is imported where it is used: loading its kernels takes time.

TextLog = str | Path | BinaryIO
"""A log's text, the path of a file with it, or such a file that is open, which may be a pipe."""


@dataclass(frozen=True)
class MonitorSettings:
    """How a whole log is monitored; `cep.monitor` explains the first five."""

    end: str = "open"
    rewrite: bool = True
    points: str = BY_TIMESTAMP
    for_each: str | Sequence[str] | None = None
    unit: str = "s"
    negate: bool = False
    """Whether the formula is taken as what must hold, so that its violations are asked; as the file's own
    `-- policy: must hold`, which it undoes."""
    form: str | None = None
    """The form of a text: monpoly, dejavu or rv; None: as its first line looks."""
    with_causes: bool = False
    """Whether causes are asked, too: the whole log is then kept, and so are columns that only causes tell."""

    at_once: bool | None = None
    """Whether each verdict is told when it is decided, at the cost of more evaluations; None: of a pipe."""

    def __post_init__(self) -> None:
        if self.end not in ("open", "closed"):
            raise ValueError(f"end is 'open' or 'closed', not {self.end!r}")

    @property
    def closed(self) -> bool:
        return self.end == "closed"


class PolicyOnLog:
    """A bound policy and the log that it is asked of. Without a log it can only be explained.

    Arguments as for `cep.monitor`. Raises QueryError for a wrong policy, ValueError for a text without a signature.
    """

    def __init__(
        self,
        formula: str | Path,
        signature: str | None,
        log: TextLog | pa.Table | None,
        settings: MonitorSettings | None = None,
    ) -> None:
        self.settings = settings or MonitorSettings()
        self._log = order(log) if isinstance(log, pa.Table) else log
        self.policy = policy_of(formula, signature, self._log, self.settings)
        self._last: tuple[tuple[Value, ...], PointLog] | None = None

    def table(self) -> pa.Table:
        """All verdicts. Raises LogError and EvaluationError."""
        from cep_core.monitoring.first_order.whole_log import verdict_columns, verdicts

        rows = verdicts(self.policy, self._whole, closed=self.settings.closed)
        return pa.Table.from_batches(rows, verdict_columns(self.policy))

    def stream(self) -> pa.RecordBatchReader:
        """The verdicts as they are found; of a pipe, each as soon as it is decided."""
        from cep_core.events.logs.forms import stream_log
        from cep_core.monitoring.first_order.blocks import block_verdicts
        from cep_core.monitoring.first_order.whole_log import verdict_columns, verdicts

        closed, log = self.settings.closed, self._log
        if isinstance(log, pa.Table) or self.settings.with_causes:
            rows = verdicts(self.policy, self._whole, closed=closed)
        else:
            assert log is not None, "there is no log to ask"
            at_once = self.settings.at_once
            if at_once is None:
                at_once = not isinstance(log, str | Path) and not log.seekable()
            blocks = stream_log(log, self.policy.schema, self.settings.form)
            rows = block_verdicts(self.policy, blocks, closed=closed, at_once=at_once)
        return pa.RecordBatchReader.from_batches(verdict_columns(self.policy), rows)

    def causes(self, at: tuple[int, int], valuation: Mapping[str, Value]) -> Causes:
        """Why the policy is violated, or is not, at (ts, offset). Raises what `cep.why` raises."""
        from cep_core.monitoring.first_order.why.causes import causes_of
        from cep_core.monitoring.shared.decided import decided_points
        from cep_core.monitoring.shared.why.verdict_causes import point_at

        values = dict(valuation)
        missing = [name for name in self.policy.for_each if name not in values]
        if missing:
            raise ValueError(f"a value is needed for {', '.join(missing)}, whose values make the sub-logs")
        log = self._sub_log(tuple(values.pop(name) for name in self.policy.for_each))
        if point_at(log, at) >= decided_points(self.policy.plain, log.stamps, closed=self.settings.closed):
            raise ValueError(f"what holds at {at[0]} is not decided yet; end='closed' takes the log as complete")
        return causes_of(self.policy, log, at, values)

    def causes_of_verdict(self, row: Sequence[Value]) -> Causes:
        """The causes of a verdict, whose values are in the order of the columns.

        >>> asked = PolicyOnLog("P(x)", "P(int)", "@4 @4 P(7)", MonitorSettings(with_causes=True))
        >>> for row in asked.table().to_pylist():
        ...     print(asked.causes_of_verdict(tuple(row.values())))
        P(7) at 4, offset 1
        """
        from cep_core.monitoring.first_order.why.causes import causes_of_point

        of_sub_log = 2 + len(self.policy.for_each)
        values = dict(zip(self.policy.variables, row[of_sub_log:], strict=True))
        return causes_of_point(self.policy, self._sub_log(tuple(row[2:of_sub_log])), int(row[1]), values)

    def explain(self) -> Explanation:
        """How the policy is understood and evaluated; if there is a log, with the rows of each subformula on it."""
        from cep_core.monitoring.first_order.evaluator import PolicyEvaluator
        from cep_core.monitoring.first_order.row_counts import row_counts

        explanation = explain_policy(self.policy, PolicyEvaluator(self.policy).describe())
        if self._log is None:
            return explanation
        return replace(explanation, sections=(*explanation.sections, row_counts(self.policy, self._whole)))

    @cached_property
    def _whole(self) -> PointLog:
        from cep_core.events.logs.forms import read_log
        from cep_core.monitoring.first_order.evaluator import PolicyEvaluator
        from cep_core.monitoring.first_order.why.causes import columns_of

        log = self._log
        assert log is not None, "there is no log to ask"
        if not isinstance(log, pa.Table):
            return read_log(log, self.policy.schema, self.settings.form)
        own = columns_of(self.policy) if self.settings.with_causes else PolicyEvaluator(self.policy).looked_at
        _refuse_other_columns(log, self.policy.schema, own)
        coded = not self.policy.for_each and not self.settings.with_causes
        if coded and not any("seq" in names for names in own.values()):
            log = log.drop_columns(["seq"])
        return point_log_of(with_offset(log, self.settings.points), own, coded=coded)

    def _sub_log(self, values: tuple[Value, ...]) -> PointLog:
        """The sub-log of some values. Verdicts come in order of sub-logs, so the last one is kept."""
        from cep_core.monitoring.shared.sub_logs import sub_log_of

        if not self.policy.for_each:
            return self._whole
        if self._last is None or self._last[0] != values:
            self._last = values, sub_log_of(self._whole, self.policy.for_each, values)
        return self._last[1]


_FITTING = {(AttributeType.INT, AttributeType.FLOAT), (AttributeType.BOOL, AttributeType.INT)}
"""Types of a column that are read as another type of a signature."""


def _refuse_other_columns(log: pa.Table, schema: LogSchema, own: Mapping[str, Sequence[str]]) -> None:
    """Raises ValueError for a column that is looked at and breaks the signature that a table was given.

    >>> schema = parse_signature("P(x: string)")
    >>> _refuse_other_columns(pa.table({"x": [1]}), schema, {"P": ["x"]})
    Traceback (most recent call last):
    ...
    ValueError: x of P is of type string in the signature, and the table's column holds int64
    """
    for event_type, names in own.items():
        declared = schema.attributes_of(event_type)
        for name in (name for name in names if name in declared):
            wanted = declared[name].type
            if name not in log.column_names:
                raise ValueError(
                    f"{event_type} has the attribute {name} in the signature, and the table no such column"
                )
            stored = log.schema.field(name).type
            if (kind := attribute_type(stored)) != wanted and (kind, wanted) not in _FITTING:
                said = f"{name} of {event_type} is of type {wanted} in the signature"
                raise ValueError(f"{said}, and the table's column holds {stored}")


def policy_of(
    formula: str | Path, signature: str | LogSchema | None, log: TextLog | pa.Table | None, settings: MonitorSettings
) -> Policy:
    """The bound policy of a text or a file, by the signature or the table's columns; without both, by its own words."""
    text, path = (
        (formula.read_text(encoding="utf-8"), str(formula)) if isinstance(formula, Path) else (formula, UNNAMED)
    )
    written = parse(text, path)
    if (names := settings.for_each) is not None:
        written = replace(written, for_each=(names,) if isinstance(names, str) else tuple(names))
    written = replace(written, must_hold=written.must_hold != settings.negate)
    if isinstance(signature, LogSchema):
        schema = signature
    elif signature is not None:
        schema = parse_signature(signature)
    elif isinstance(log, pa.Table):
        schema = log_schema_of(log)
    elif log is None:
        schema = schema_mentioned_by(written)
    else:
        raise ValueError("a log's text needs a signature")
    return bind_written(written, replace(schema, unit=settings.unit), text, path, rewrite=settings.rewrite)
