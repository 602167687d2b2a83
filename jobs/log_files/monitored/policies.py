"""What `trendmill monitor` asks of a policy on a log, and who answers for each language."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from cep_core.compile import parse_text
from cep_core.events.logs.time_points import BY_EVENT, BY_TIMESTAMP, OFFSET, POINT
from cep_core.events.schema import LogSchema
from cep_core.language.explanation import Explanation
from cep_core.language.first_order.first_order_language import FIRST_ORDER
from cep_core.policy_on_log import MonitorSettings, PolicyOnLog, policy_of
from cep_core.progress.meter import Meter
from cep_core.stream_settings import Tally
from jobs.exits import WrongWorkload
from jobs.log_files.arguments import query_text
from jobs.log_files.log import Wanted
from jobs.log_files.monitored.opening import opened
from jobs.log_files.monitored.propositional import AskedTruths, is_propositional
from jobs.log_files.times.log_clock import LogClock
from jobs.workload.files.problems import nearest

if TYPE_CHECKING:
    from cep_core.monitoring.shared.why.verdict_causes import Sharing

Value = int | float | str
_FOR_TRUTHS = (("mode", "--mode"), ("resolved", "--resolved"), ("atom", "--atom"))


class ToldCauses(Protocol):
    """Why a verdict is as it is."""

    @property
    def is_violation(self) -> bool:
        """Whether the policy is violated there."""

    @property
    def sharing(self) -> Sharing | None:
        """Which points of its episode have the same explanation, where this is told."""

    def text(self, time: Callable[[int], str]) -> str:
        """For a person; `time` shows a stamp."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""


class AskedPolicy(Protocol):
    """A policy and the log of a command line. Every language that can be monitored offers this."""

    def stream(self) -> pa.RecordBatchReader:
        """The verdicts as they are found."""

    def causes(self, at: tuple[int, int], valuation: Mapping[str, Value]) -> ToldCauses:
        """Why the policy is violated, or is not, at (ts, offset). Raises ValueError for a question without answer."""

    def causes_of_verdict(self, row: Sequence[Value]) -> ToldCauses:
        """The causes of a verdict, whose values are in the order of the columns."""

    def explain(self) -> Explanation:
        """How the policy is understood; if there is a log, what evaluation did on it."""


@dataclass(frozen=True)
class Asked:
    """A policy on the log of the command line, and how this log's times are shown."""

    policy: AskedPolicy
    clock: LogClock
    tally: Tally | None = None
    """Of a propositional policy what was seen and told."""


def asked(options: argparse.Namespace, meter: Meter) -> Asked:
    """The policy of a command line on its log, if it names one. Raises QueryError, WrongWorkload, RunError."""
    if options.query.suffix == ".cep":
        raise WrongWorkload(f"{options.query} is a query, not a policy: trendmill match or aggregate evaluates it")
    query_text(options.query, "policy")
    if is_propositional(options.query):
        truths = AskedTruths(options, meter)
        return Asked(truths, truths.clock, truths.tally)
    for name, option in _FOR_TRUTHS:
        if getattr(options, name):
            raise WrongWorkload(f"{option} is for .mtl policies")
    if options.form in ("aerial", "hydra"):
        raise WrongWorkload(f"--as {options.form} is for .mtl policies; .mfotl policies are printed as monpoly does")
    return _first_order(options, meter)


def _first_order(options: argparse.Namespace, meter: Meter) -> Asked:
    settings = MonitorSettings(
        end=options.end,
        rewrite=not options.no_rewrite,
        points=options.points,
        for_each=options.for_each,
        unit=options.unit or "s",
        negate=options.negate,
        with_causes=options.why is not None or options.why_not is not None,
    )
    if options.log is None:
        signature = None if options.sig is None else query_text(options.sig, "signature")
        return Asked(PolicyOnLog(options.query, signature, None, settings), LogClock(None))
    log = opened(options, _wanted(options.query, settings), meter)
    by_column = settings.points not in (BY_TIMESTAMP, BY_EVENT)
    if by_column and isinstance(log.source, pa.Table) and settings.points not in log.source.column_names:
        hint = nearest(settings.points, [BY_TIMESTAMP, BY_EVENT, *log.source.column_names])
        raise WrongWorkload(f"--points: no column '{settings.points}'; {hint}")
    if isinstance(log.source, pa.Table) and OFFSET in log.source.column_names:
        raise WrongWorkload(f"{options.log}: '{OFFSET}' is the column of an event's time-point; rename the log's own")
    settings = replace(settings, unit=log.unit, form=log.form, at_once=log.at_once)
    return Asked(PolicyOnLog(options.query, log.signature, log.source, settings), log.clock)


def _wanted(path: Path, settings: MonitorSettings) -> Wanted:
    """What the policy wants of a table. Raises QueryError."""
    written = parse_text(path.read_text(encoding="utf-8"), str(path), FIRST_ORDER)
    mentioned = written.mentioned
    names = set(chain.from_iterable(mentioned.types.values()))
    for_each = written.written.for_each if settings.for_each is None else settings.for_each
    by_column = () if settings.points in (BY_TIMESTAMP, BY_EVENT) else (settings.points,)
    further = (POINT, *by_column, *([for_each] if isinstance(for_each, str) else for_each))

    def fits(schema: LogSchema) -> object:
        return policy_of(path, schema, None, settings)

    by_position = any(name.isdigit() for name in names)
    return Wanted(mentioned, fits, further, every_column=by_position, bare_spans=written.spans_without_unit)
