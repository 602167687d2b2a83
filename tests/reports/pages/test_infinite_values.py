"""Figures and sentences of values at the ends of numbers: the largest, infinite ones, and what is no number."""

from __future__ import annotations

import math
from datetime import timedelta

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from cep_core.language.patterns.bind.binding import bind
from jobs.reports.answers.aggregations import aggregation
from jobs.reports.answers.aggregations.ranking import rank
from jobs.reports.answers.changes import Change, compare
from jobs.reports.answers.series import series_of
from jobs.reports.figures.distribution import distribution_figure
from jobs.reports.figures.drawing.figure import Figure, csv_text, drawn
from jobs.reports.figures.over_days import over_days_figure
from jobs.reports.figures.trailing import trailing_figure
from jobs.reports.figures.when import when_figure
from jobs.reports.figures.windows import windows_figure
from jobs.reports.history.sparkline import sparkline
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import Magnitude, quantity
from tests.counts import few
from tests.reports.answers.travellers import DAY, HOUR, SCHEMA, START

INTERVAL = (START, START + 24 * HOUR)
CLOCK = Clock()
QUERY = bind("RETURN who, MAX(A.x) PATTERN A+ GROUP-BY who WITHIN 1 hour SLIDE 1 hour", SCHEMA)
ENDS = (math.inf, -math.inf, math.nan, 1.7976931348623157e308, -1.7976931348623157e308, 5e-324, -5.0, 0.0, 3.5, 1e9)
values = st.lists(st.sampled_from(ENDS), min_size=2, max_size=12)


def check(figure: Figure | None) -> None:
    """Every place of a drawing is a number, and its numbers can be written."""
    if figure is not None:
        csv_text(figure.header, figure.rows)
        for narrow in (False, True):
            text = drawn(figure, narrow=narrow)
            assert "nan" not in text
            assert "inf" not in text.replace("infinity", "")


@few(60)
@given(values, st.integers(1, 3))
def test_an_aggregation_of_any_numbers_has_its_figures(maxima: list[float], groups: int) -> None:
    rows = [
        {
            "day": DAY,
            "who": f"u{number % groups}",
            "window_start": START + number // groups * HOUR,
            "window_end": START + (number // groups + 1) * HOUR,
            "max_A_x": value,
        }
        for number, value in enumerate(maxima)
    ]
    results = pa.Table.from_pylist(rows)
    ranking = rank(QUERY, results)
    check(windows_figure(QUERY, "q", ranking, DAY, CLOCK))
    check(distribution_figure(QUERY, "q", ranking, results, DAY))
    assert aggregation.answer(QUERY, ranking, DAY, CLOCK).sentence


@few(60)
@given(values)
def test_days_of_any_numbers_have_their_figures(numbers: list[float]) -> None:
    magnitudes = [Magnitude.of(number) for number in numbers]
    days = {DAY - timedelta(days=back): value for back, value in enumerate(magnitudes)}
    change = compare(DAY, magnitudes[0], set(days), {on: value for on, value in days.items() if on != DAY})
    check(trailing_figure({"q": change, "r": Change(magnitudes[-1], {DAY - timedelta(days=1): magnitudes[0]})}, DAY))
    check(when_figure({"q": dict(enumerate(magnitudes))}, {"q": quantity}, [], INTERVAL, DAY, CLOCK))
    record = {"complete": True, "definition": "a", "matches_at_least": None, "exhausted": None}
    series = series_of({on: dict(record) for on in days}, days)
    check(over_days_figure("q", series, "largest x"))
    line = sparkline(series)
    assert line is not None
    assert "nan" not in line.line
    assert "inf" not in line.line
