"""The one mapping from a kind of query to what reports say, list and draw.

A new kind needs a `Presentation` and a line here. Query pages, the Day page and the overview use it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from cep_core.language.bound_query import AGGREGATION, MATCHING, POLICY
from jobs.reports.answers.missing import is_missing, why_missing
from jobs.reports.kinds.aggregation_kind import AGGREGATIONS
from jobs.reports.kinds.matching_kind import MATCHES
from jobs.reports.kinds.policy_kind import VIOLATIONS
from jobs.reports.kinds.presentation import Presentation
from jobs.reports.lake_reader import LakeReader
from jobs.reports.query_report import EvaluatedDay, QueryReport, Records
from jobs.reports.questions import Question
from jobs.reports.words.clock import Clock, spoken
from jobs.workload.operating_days import OperatingDays

PRESENTATIONS: Mapping[str, Presentation] = {AGGREGATION: AGGREGATIONS, MATCHING: MATCHES, POLICY: VIOLATIONS}


def presentation_of(question: Question) -> Presentation:
    """The presentation of a question, chosen by its kind."""
    return PRESENTATIONS[question.kind]


def report_query(
    question: Question, records: Records, reader: LakeReader, days: OperatingDays, day: date, clock: Clock
) -> QueryReport:
    """The query's answer, comparison, listing, figure and notices for a day."""
    presentation = presentation_of(question)
    results = reader.read(question.name, day, day)
    record = records.of(question.name, day)
    if record is None or results is None:
        return QueryReport(question, (f"This query has not been evaluated for {spoken(day)}.",))
    if is_missing(record):
        return QueryReport(question, (why_missing(record),))
    answered = {on: row for on, row in records.by_query[question.name].items() if not is_missing(row)}
    evaluated = EvaluatedDay(question, answered, reader, days, day, clock)
    return presentation.report(evaluated, results)
