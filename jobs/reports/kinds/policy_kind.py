"""Reports of policies: the number of violations, whose they are, when, the first of them, and the longest episodes."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import pyarrow as pa

from jobs.reports.answers import episodes, violations
from jobs.reports.answers.changes import compare
from jobs.reports.kinds.matching_kind import totals_of
from jobs.reports.kinds.presentation import Presentation
from jobs.reports.lake_reader import LakeReader
from jobs.reports.query_report import EvaluatedDay, QueryReport, notices_of
from jobs.reports.questions import Question
from jobs.reports.words.quantities import Magnitude, counted


def _report(evaluated: EvaluatedDay, results: pa.Table) -> QueryReport:
    """`results`: the listed violations of the day."""
    totals = totals_of(evaluated.records[evaluated.day])
    runs = evaluated.reader.read(f"{evaluated.name}_episodes", evaluated.day, evaluated.day)
    number = None if runs is None else episodes.number_of(runs, totals.at_least)
    named = violations.titles(evaluated.question.bound.evaluator().atoms, evaluated.query.schema)
    answer = violations.answer(results, totals, evaluated.day, named, number)
    return QueryReport(
        evaluated.question,
        notices_of(evaluated, answer),
        answer,
        compare(evaluated.day, answer.headline, set(evaluated.records), _counts(evaluated.records)),
        violations.listing(results, evaluated.clock, named),
        periods=violations.by_period(results, evaluated.interval),
        episodes=None if runs is None else episodes.listing(runs, evaluated.clock, named),
        listed=results.num_rows if totals.truncated else None,
        peak=lambda most: f"at most {counted(most, 'violation')} in an hour",
    )


def _counts(records: Mapping[date, Mapping[str, Any]]) -> dict[date, Magnitude]:
    return {day: Magnitude.of(totals_of(record).at_least) for day, record in records.items()}


def _headlines(
    question: Question, records: Mapping[date, Mapping[str, Any]], reader: LakeReader
) -> dict[date, Magnitude]:
    return _counts(records)


VIOLATIONS = Presentation(_report, _headlines, lambda question: violations.UNIT)
