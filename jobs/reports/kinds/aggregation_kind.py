"""Reports of aggregations: the top groups and windows of the day, and the distribution of its results."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from jobs.reports.answers.aggregations import aggregation
from jobs.reports.answers.aggregations.ranking import best_of_periods, headline_item, rank
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
    """`results`: the rows of the day and of the days before."""
    query, today = evaluated.query, pc.field("day") == pa.scalar(evaluated.day, pa.date32())
    of_day, before = results.filter(today), results.filter(~today)
    ranking = rank(query, of_day)
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


def _headlines(
    question: Question, records: Mapping[date, Mapping[str, Any]], reader: LakeReader
) -> dict[date, Magnitude]:
    if not records:
        return {}
    column = headline_item(question.query).column
    columns = ["day", column, f"{column}_log10", f"{column}_sign"]
    results = reader.read(question.name, min(records), max(records), columns)
    return {} if results is None else aggregation.headlines(question.query, results)


AGGREGATIONS = Presentation(
    _report,
    _headlines,
    lambda question: f"most {aggregation.unit(question.query)}",
    TRAILING,
    diagram=lambda question: automaton_figure(question.query, question.name),
)
