"""Everything in reports that depends on the kind of a query."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import pyarrow as pa

from jobs.reports.figures.drawing.figure import Figure
from jobs.reports.lake_reader import LakeReader
from jobs.reports.query_report import EvaluatedDay, QueryReport
from jobs.reports.questions import Question
from jobs.reports.words.quantities import Magnitude


@dataclass(frozen=True)
class Presentation:
    """What reports need for a kind of query. `jobs.reports.kinds.by_kind` has one for each kind."""

    report: Callable[[EvaluatedDay, pa.Table], QueryReport]
    """Sentence, change, listing and figures of a day, from its rows of the query's table."""
    headlines: Callable[[Question, Mapping[date, Mapping[str, Any]], LakeReader], dict[date, Magnitude]]
    """The number by which days are compared, for each day with a row of `result_days`; a day that is left out has 0."""
    unit: Callable[[Question], str]
    """What the headlines count."""
    noun: str = "query"
    """What the text of the question is called."""
    diagram: Callable[[Question], Figure | None] | None = None
    """A picture of the query itself."""
