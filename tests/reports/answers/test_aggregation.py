"""Sentences about aggregations are made from RETURN, GROUP BY and result columns, for any query."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from cep_core.language.patterns.bind.binding import bind
from cep_core.language.patterns.query import Query
from jobs.reports.answers.aggregations import aggregation
from jobs.reports.answers.aggregations.ranking import rank
from jobs.reports.figures.drawing.figure import drawn
from jobs.reports.figures.windows import windows_figure
from jobs.reports.words.clock import Clock
from tests.reports.answers.travellers import DAY, HOUR, SCHEMA, START, TITLED


def aggregated(text: str, *rows: dict[str, Any]) -> tuple[Query, pa.Table]:
    query = bind(text, SCHEMA)
    names = list(dict.fromkeys(name for row in rows for name in row)) or ["window_start", "window_end"]
    return query, pa.Table.from_pylist(list(rows), pa.schema([(name, _type(name)) for name in names]))


def _type(name: str) -> pa.DataType:
    if name in ("who", "place"):
        return pa.string()
    if name.endswith("_log10") or name.startswith("avg"):
        return pa.float64()
    return pa.decimal128(38, 0) if name in ("count", "count_A", "n", "sum_A_x") else pa.int64()


def row(count: int | None, window: int = 0, log10: float | None = None, **groups: str) -> dict[str, Any]:
    start = START + window * HOUR
    size = {"count": None if count is None else Decimal(count), "count_log10": log10}
    return {**groups, "window_start": start, "window_end": start + 12 * HOUR, **size}


def said(text: str, *rows: dict[str, Any]) -> str:
    query, results = aggregated(text, *rows)
    return aggregation.answer(query, rank(query, results), DAY, Clock()).sentence


GROUPED = "RETURN who, COUNT(*) PATTERN A+ GROUP-BY who WITHIN 12 hours SLIDE 1 hour"
TWICE = "RETURN who, place, COUNT(*) PATTERN A+ GROUP-BY who, place WITHIN 12 hours SLIDE 1 hour"
PLAIN = "RETURN COUNT(*) PATTERN A+ WITHIN 12 hours SLIDE 1 hour"


def test_the_top_group_and_its_window_are_named() -> None:
    """The largest count over all groups and windows, with how many groups and windows have any."""
    assert said(GROUPED, row(3, who="u"), row(87, window=1, who="v"), row(5, window=1, who="u")) == (
        "Who v had the most trends on 8 March 2013: 87 in the 12 hours from 8 Mar 09:00. "
        "2 values of who had results, in 2 windows."
    )


def test_groups_of_several_attributes_are_named_whole() -> None:
    """Every grouping attribute is said with its value."""
    assert said(TWICE, row(2, who="u", place="p")).startswith(
        "Who u and place p had the most trends on 8 March 2013: 2 in"
    )


def test_equal_groups_are_counted() -> None:
    """Where groups are equal the first by window and name is named, with how many are like it."""
    sentence = said(GROUPED, row(4, who="w"), row(4, who="u"), row(4, window=2, who="u"), row(1, who="v"))
    assert sentence.startswith(
        "Who u had the most trends on 8 March 2013: 4 in the 12 hours from 8 Mar 08:00; 1 other had as many."
    )


def test_a_group_of_which_nothing_was_aggregated_has_not_as_many() -> None:
    """Neither as many as the largest, nor as a largest of zero; where there is nothing else, all are alike."""
    text = "RETURN who, MAX(A.x) PATTERN SEQ(A*, B) GROUP-BY who WITHIN 12 hours SLIDE 1 hour"
    highest = {"u": 3, "v": 3, "w": None}
    rows = [{"who": who, "window_start": START, "window_end": START + HOUR, "max_A_x": x} for who, x in highest.items()]
    assert "; 1 other had as many." in said(text, *rows)
    assert "had as many" not in said(text, rows[0], rows[2])
    assert "had as many" not in said(text, {**rows[0], "max_A_x": 0}, rows[2])
    assert "; 1 other had as many." in said(text, {**rows[0], "max_A_x": None}, rows[2])


def test_a_query_without_groups_names_the_window() -> None:
    """One window says how many it had; several say which is the fullest."""
    assert said(PLAIN, row(1)) == "The 12 hours from 8 Mar 08:00 had 1 trend on 8 March 2013."
    assert said(PLAIN, row(4), row(9, window=3)) == (
        "The 12 hours from 8 Mar 11:00 had the most trends on 8 March 2013: 9, of 2 windows."
    )


def test_a_day_without_results_is_a_sentence_too() -> None:
    """No row means no trend."""
    assert said(GROUPED) == "On 8 March 2013 there was no trend in any window."


@pytest.mark.parametrize(
    ("count", "log10", "text"),
    [
        (123_456_789, 8.09151, "123,456,789"),
        (1_234_567_890, 9.0915149, "1.2e9"),
        (10**37 * 9, 37.9542, "9.0e37"),
        (None, 46.9999, "1.0e47"),
        (None, 5000.5, "3.2e5000"),
    ],
)
def test_counts_of_any_size_are_written(count: int | None, log10: float, text: str) -> None:
    """Up to nine digits in full, then as 1.2e34, far beyond what a float holds."""
    assert f"had the most trends on 8 March 2013: {text} in" in said(GROUPED, row(count, log10=log10, who="u"))


def test_counts_beyond_38_digits_rank_above_those_within() -> None:
    """A row whose exact count is null is larger than any DECIMAL, and the larger logarithm wins."""
    rows = [row(10**37, log10=37.0, who="u"), row(None, log10=40.0, who="v"), row(None, log10=41.0, who="w")]
    assert said(GROUPED, *rows).startswith("Who w had")


def test_without_count_the_first_aggregate_is_the_headline() -> None:
    """It is called by what the query wrote."""
    query = "RETURN who, AVG(A.x) PATTERN A+ GROUP-BY who WITHIN 12 hours"
    base = {"window_start": START, "window_end": START + 12 * HOUR}
    rows = [{"who": "u", **base, "avg_A_x": -3.5}, {"who": "v", **base, "avg_A_x": -7.25}]
    assert said(query, *rows).startswith("Who u came first by AVG(A.x) on 8 March 2013: −3.5 in the 12 hours")


def test_a_null_group_is_shown() -> None:
    """Tables may hold null in a group; it sorts and prints."""
    assert "Who – had the most trends" in said(GROUPED, {**row(4), "who": None})


def test_pages_call_groups_and_aggregates_by_their_titles() -> None:
    """A title with a capital stays as it is written; COUNT(*) has no attribute."""
    text = "RETURN who, place, COUNT(*), MAX(A.x), COUNT(A) PATTERN A+ GROUP-BY who, place WITHIN 12 hours SLIDE 1 hour"
    query = bind(text, TITLED)
    _, results = aggregated(TWICE, row(2, who="u", place="p"), row(3, window=1, who="v", place="q"))
    answer = aggregation.answer(query, rank(query, results), DAY, Clock())
    assert answer.sentence == (
        "Traveller v and Airport of departure q had the most trends on 8 March 2013: 3 in the 12 hours from "
        "8 Mar 09:00. 2 combinations of traveller and Airport of departure had results, in 2 windows."
    )
    listing = aggregation.listing(query, rank(query, results), Clock())
    assert [heading.title for heading in listing.headings] == [
        "traveller",
        "Airport of departure",
        "COUNT(*)",
        "window",
        "highest delay in minutes of A",
        "COUNT(A)",
    ]
    assert listing.header[:2] == ["who", "place"]
    figure = windows_figure(query, "q", rank(query, results), DAY, Clock())
    assert figure is not None
    assert "each traveller and Airport of departure" in figure.caption
    assert figure.header[0] == "who and place"


def test_an_aggregate_with_a_title_is_the_headline_by_its_words() -> None:
    """The axis, the overview's unit and the sentence call it alike."""
    text = "RETURN who, MAX(A.x) PATTERN A+ GROUP-BY who WITHIN 12 hours"
    query = bind(text, TITLED)
    results = pa.Table.from_pylist(
        [{"who": "u", "window_start": START, "window_end": START + 12 * HOUR, "max_A_x": 29}]
    )
    answer = aggregation.answer(query, rank(query, results), DAY, Clock())
    assert answer.sentence.startswith(
        "Traveller u came first by highest delay in minutes of A on 8 March 2013: 29 in the 12 hours"
    )
    assert answer.unit == "highest delay in minutes of A in one window"
    figure = windows_figure(query, "q", rank(query, results), DAY, Clock())
    assert figure is not None
    assert figure.header == ["who", "MAX(A.x)", "log10 of MAX(A.x)"]
    assert "highest delay in minutes of A" in drawn(figure, narrow=False)
