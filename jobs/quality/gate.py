"""The quality gate: Great Expectations, applied to each operating day by itself.

Every rule's data set comes as one Arrow table with a column `day`; it is cut by day and judged in memory, about 25 ms a
day and data set. The library takes seconds to import, so it is imported only here, when a day is judged.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from jobs.exits import WrongWorkload
from jobs.workload.sections.expectations import GateRule

if TYPE_CHECKING:
    import great_expectations as gx


@dataclass(frozen=True)
class Check:
    """A rule's outcome on one day. If the rule checks values, `unexpected` of `rows` values failed."""

    rule: str
    severity: str
    passed: bool
    reason: str
    observed: str = ""
    rows: int | None = None
    unexpected: int | None = None

    @property
    def refuses(self) -> bool:
        return not self.passed and self.severity == "fatal"

    def __str__(self) -> str:
        counted = f"{self.unexpected:,} of {self.rows:,}" if self.unexpected is not None and self.rows else ""
        evidence = self.observed or counted
        return f"{self.rule} ({evidence}): {self.reason}" if evidence else f"{self.rule}: {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def judge(
    rules: Sequence[GateRule], datasets: Mapping[str, pa.Table], days: Iterable[date]
) -> dict[date, tuple[Check, ...]]:
    """Each day's checks, in declared order. `datasets`: each rule's `over` -> its rows of all days.

    Raises WrongWorkload if a rule cannot be checked, e.g. for an argument that its expectation does not know.
    """
    days = list(days)
    if not rules:
        return dict.fromkeys(days, ())
    context = _context()
    checks_by_day: dict[date, dict[str, Check]] = {day: {} for day in days}
    for over, table in datasets.items():
        rules_over = [rule for rule in rules if rule.over == over]
        suite, batches = _suite(context, over, rules_over)
        for day in days:
            frame = table.filter(pc.equal(table["day"], pa.scalar(day, pa.date32()))).drop_columns("day").to_pandas()
            judged = batches.get_batch(batch_parameters={"dataframe": frame}).validate(suite)
            for result in judged.results:
                check = _check(rules_over, result)
                checks_by_day[day][check.rule] = check
    return {day: tuple(checks[rule.name] for rule in rules) for day, checks in checks_by_day.items()}


def columns_of(rules: Iterable[GateRule], known: Iterable[str]) -> list[str]:
    """The columns that rules name in their arguments, so that only these are fetched; at least one.

    >>> columns_of([GateRule("r", "t", "events", {"column": "b", "min_value": 0}, "warn", "")], ["a", "b"])
    ['b']
    """
    texts = [str(value) for rule in rules for value in rule.arguments.values()]
    named = {word for text in texts for word in re.findall(r"\w+", text)}
    known = list(known)
    return [name for name in known if name in named] or known[:1]


def _context() -> gx.data_context.EphemeralDataContext:
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    import great_expectations

    logging.getLogger("great_expectations").setLevel(logging.ERROR)
    context = great_expectations.get_context(mode="ephemeral")
    context.variables.progress_bars = {"globally": False, "metric_calculations": False}
    return context


def _suite(context: Any, over: str, rules: Sequence[GateRule]) -> tuple[Any, Any]:
    import great_expectations
    from great_expectations.expectations.registry import get_expectation_impl

    expectations = []
    for rule in rules:
        try:
            kind = get_expectation_impl(rule.type)
            expectations.append(kind(**rule.arguments, meta={"rule": rule.name}))
        except Exception as error:  # pydantic's and the library's own errors share no base but Exception
            raise WrongWorkload(f"expectations.yaml: gate rule '{rule.name}' cannot be judged: {error}") from error
    name = f"source of {over}"
    source = context.data_sources.add_pandas(name)
    batches = source.add_dataframe_asset("days").add_batch_definition_whole_dataframe("day")
    return great_expectations.ExpectationSuite(name, expectations=expectations), batches


def _check(rules: Sequence[GateRule], result: Any) -> Check:
    named = result.expectation_config.meta["rule"]
    rule = next(rule for rule in rules if rule.name == named)
    trouble = _trouble(result.exception_info)
    if trouble:
        raise WrongWorkload(f"expectations.yaml: gate rule '{rule.name}' cannot be judged: {trouble}")
    details = result.result
    observed = details.get("observed_value")
    return Check(
        rule.name,
        rule.severity,
        bool(result.success),
        rule.reason,
        "" if observed is None else str(observed),
        details.get("element_count"),
        details.get("unexpected_count"),
    )


def _trouble(info: Mapping[str, Any] | None) -> str:
    """The library's exception. It gives one directly, or one for each metric."""
    for item in [info or {}, *[value for value in (info or {}).values() if isinstance(value, dict)]]:
        if item.get("raised_exception"):
            return str(item.get("exception_message"))
    return ""
