"""The quality gate: Great Expectations, applied to each operating day by itself.

A day's rows are judged in memory, about 25 ms a day and data set, and those of a large day piece by piece
(`large_days.py`). The library takes seconds to import, so it is imported only here, when a day is judged.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from jobs.exits import WrongWorkload
from jobs.quality import large_days
from jobs.quality.frames import whole_frame
from jobs.quality.judged_rows import JudgedRows
from jobs.workload.sections.expectations import GateRule

if TYPE_CHECKING:
    import pandas as pd


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
    rules: Sequence[GateRule], datasets: Mapping[str, JudgedRows], days: Iterable[date]
) -> dict[date, tuple[Check, ...]]:
    """Each day's checks, in declared order. `datasets`: each rule's `over` -> its rows of all days.

    Raises WrongWorkload if a rule cannot be checked, e.g. for an argument that its expectation does not know.
    """
    days = list(days)
    if not rules:
        return dict.fromkeys(days, ())
    library = _Library()
    checks_by_day: dict[date, dict[str, Check]] = {day: {} for day in days}
    for over, rows in datasets.items():
        rules_over = [rule for rule in rules if rule.over == over]
        library.judge_of(rules_over)
        for day in days:
            checks_by_day[day].update(_checks(library, rules_over, rows, day))
    return {day: tuple(checks[rule.name] for rule in rules) for day, checks in checks_by_day.items()}


def _checks(library: _Library, rules: Sequence[GateRule], rows: JudgedRows, day: date) -> Mapping[str, Check]:
    """How many rows a day has decides how it is judged, so that its checks depend on the day alone."""
    if rows.count(day) <= large_days.HELD:
        results = library.judge(rules, whole_frame(rows, day))
        return {rule.name: _check(rule, results[rule.name]) for rule in rules}
    outcomes = large_days.judged_in_pieces(rules, rows, day, library.judge)
    return {rule.name: _of_pieces(rule, *outcomes[rule.name]) for rule in rules}


def _of_pieces(rule: GateRule, result: Any, counts: large_days.Counts | None) -> Check:
    if counts is None or result is not None:
        return _check(rule, result)
    passed = counts.passes(rule.arguments.get("mostly", 1.0))
    return Check(rule.name, rule.severity, passed, rule.reason, "", counts.rows, counts.unexpected)


def columns_of(rules: Iterable[GateRule], known: Iterable[str]) -> list[str]:
    """The columns that rules name in their arguments, so that only these are fetched; at least one.

    >>> columns_of([GateRule("r", "t", "events", {"column": "b", "min_value": 0}, "warn", "")], ["a", "b"])
    ['b']
    """
    texts = [str(value) for rule in rules for value in rule.arguments.values()]
    named = {word for text in texts for word in re.findall(r"\w+", text)}
    known = list(known)
    return [name for name in known if name in named] or known[:1]


class _Library:
    """Great Expectations, with a suite for each set of rules that it has judged."""

    def __init__(self) -> None:
        os.environ["GX_ANALYTICS_ENABLED"] = "false"
        import great_expectations

        logging.getLogger("great_expectations").setLevel(logging.ERROR)
        self._context = great_expectations.get_context(mode="ephemeral")
        self._context.variables.progress_bars = {"globally": False, "metric_calculations": False}
        self._judges: dict[tuple[int, ...], tuple[Any, Any, Sequence[GateRule]]] = {}

    def judge(self, rules: Sequence[GateRule], frame: pd.DataFrame) -> dict[str, Any]:
        """Each rule's name -> the library's result for these rows."""
        suite, batches, _ = self.judge_of(rules)
        judged = batches.get_batch(batch_parameters={"dataframe": frame}).validate(suite)
        return {result.expectation_config.meta["rule"]: result for result in judged.results}

    def judge_of(self, rules: Sequence[GateRule]) -> tuple[Any, Any, Sequence[GateRule]]:
        """The suite of some rules, which are kept with it. Raises WrongWorkload if the library refuses one."""
        key = tuple(map(id, rules))
        if key not in self._judges:
            self._judges[key] = (*self._suite(rules), rules)
        return self._judges[key]

    def _suite(self, rules: Sequence[GateRule]) -> tuple[Any, Any]:
        import great_expectations
        from great_expectations.expectations.registry import get_expectation_impl

        expectations = []
        for rule in rules:
            try:
                kind = get_expectation_impl(rule.type)
                expectations.append(kind(**rule.arguments, meta={"rule": rule.name}))
            except Exception as error:  # pydantic's and the library's own errors share no base but Exception
                raise WrongWorkload(f"expectations.yaml: gate rule '{rule.name}' cannot be judged: {error}") from error
        name = f"rules {len(self._judges)}"
        source = self._context.data_sources.add_pandas(name)
        batches = source.add_dataframe_asset("days").add_batch_definition_whole_dataframe("day")
        return great_expectations.ExpectationSuite(name, expectations=expectations), batches


def _check(rule: GateRule, result: Any) -> Check:
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
