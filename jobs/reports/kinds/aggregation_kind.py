"""Reports of aggregations: the top groups and windows of the day, and the distribution of its results."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

import pyarrow as pa

from jobs.reports.answers.aggregations import aggregation
from jobs.reports.answers.aggregations.ranking import best_of_periods, headline_columns, rank
from jobs.reports.answers.changes import TRAILING, compare
from jobs.reports.figures.distribution import distribution_figure
from jobs.reports.figures.pattern_picture import automaton_figure
from jobs.reports.figures.windows import windows_figure
from jobs.reports.kinds.presentation import Presentation
from jobs.reports.lake_reader import LakeReader
from jobs.reports.query_report import EvaluatedDay, QueryReport, notices_of
from jobs.reports.questions import Question
from jobs.reports.words.quantities import Magnitude


def _report(evaluated: EvaluatedDay, results: pa.Table) -> QueryReport:
    query, before = evaluated.query, _before(evaluated)
    ranking = rank(query, results)
    answer = aggregation.answer(query, ranking, evaluated.day, evaluated.clock)
    drawn = (
        windows_figure(query, evaluated.name, ranking, evaluated.day, evaluated.clock),
        distribution_figure(query, evaluated.name, ranking, before, evaluated.day),
    )
    return QueryReport(
        evaluated.question,
        notices_of(evaluated, answer),
        answer,
        compare(evaluated.day, answer.headline, set(evaluated.records), aggregation.headlines(query, before)),
        aggregation.listing(query, ranking, evaluated.clock),
        tuple(figure for figure in drawn if figure is not None),
        best_of_periods(ranking, evaluated.interval),
        peak=lambda most: f"at most {aggregation.sized(query, most)} in one window",
    )


def _before(evaluated: EvaluatedDay) -> pa.Table:
    """The results of the days before, of each the headline, its group and the beginning of its window."""
    first, last = (evaluated.day - timedelta(days=back) for back in (TRAILING, 1))
    columns = ["day", *headline_columns(evaluated.query), *evaluated.query.group_by, "window_start"]
    before = evaluated.reader.read(evaluated.name, first, last, columns)
    assert before is not None, "the table has the results of the day"
    return before


def _headlines(
    question: Question, records: Mapping[date, Mapping[str, Any]], reader: LakeReader
) -> dict[date, Magnitude]:
    if not records:
        return {}
    results = reader.read(question.name, min(records), max(records), ["day", *headline_columns(question.query)])
    return {} if results is None else aggregation.headlines(question.query, results)


AGGREGATIONS = Presentation(
    _report,
    _headlines,
    lambda question: f"most {aggregation.unit(question.query)}",
    diagram=lambda question: automaton_figure(question.query, question.name),
)
