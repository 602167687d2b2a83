"""Results in order, computed over columns, are those of the definition, which compares row by row."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from cep_core.events.schema import Attribute, AttributeType, LogSchema
from cep_core.language.patterns.bind.binding import bind
from jobs.reports.answers.aggregations.ranking import (
    LETTERS,
    Ranking,
    best_of_periods,
    different,
    of_labels,
    rank,
    value_of,
)
from jobs.reports.answers.tallies import period_of
from jobs.reports.figures.windows import windows_figure
from jobs.reports.words.clock import Clock
from jobs.reports.words.quantities import Magnitude
from jobs.reports.words.values import shown

TYPES = {"who": AttributeType.STRING, "x": AttributeType.INT, "f": AttributeType.FLOAT}
SCHEMA = LogSchema({"A": {name: Attribute(name, kind) for name, kind in TYPES.items()}})
COUNTED = bind("RETURN who, x, COUNT(*) PATTERN A+ GROUP-BY who, x WITHIN 12 hours SLIDE 1 hour", SCHEMA)
HIGHEST = bind("RETURN who, x, MAX(A.f) PATTERN A+ GROUP-BY who, x WITHIN 12 hours SLIDE 1 hour", SCHEMA)
UNGROUPED = bind("RETURN COUNT(*) PATTERN A+ WITHIN 12 hours SLIDE 1 hour", SCHEMA)

COUNTS = st.one_of(st.none(), st.integers(0, 3), st.just(10**37), st.just(10**37 + 1)).map(
    lambda count: (None if count is None else Decimal(count), None if count else 40.0)
)
FLOATS = st.sampled_from([None, -1.5, -0.0, 0.0, 2.5, 1e300, float("inf")])
GROUPS = {
    "who": st.sampled_from([None, "a", "b", "longer than eighteen letters", "longer than eighteen birds"]),
    "x": st.sampled_from([None, -1, 0, 7]),
    "window_start": st.integers(0, 3),
}
LENGTH, INTERVAL, DAY = 4, (2, 50), date(2013, 3, 8)


@st.composite
def results(draw: st.DrawFn, *, counted: bool) -> pa.Table:
    rows: list[dict[str, Any]] = draw(st.lists(st.fixed_dictionaries(GROUPS), max_size=12))
    columns = {
        name: pa.array([row[name] for row in rows], pa.int64() if name != "who" else pa.string()) for name in GROUPS
    }
    columns["window_end"] = pa.array([row["window_start"] + LENGTH for row in rows], pa.int64())
    if counted:
        pairs = [draw(COUNTS) for _ in rows]
        columns["count"] = pa.array([count for count, _ in pairs], pa.decimal128(38, 0))
        columns["count_log10"] = pa.array([log10 for _, log10 in pairs], pa.float64())
    else:
        columns["max_A_f"] = pa.array([draw(FLOATS) for _ in rows], pa.float64())
    return pa.table(columns)


def check(query: Any, table: pa.Table) -> None:
    [item] = [item for item in query.returns if item.aggregate is not None]
    rows = table.to_pylist()

    def place(row: dict[str, Any]) -> tuple[Any, ...]:
        value = value_of(item, row)
        size, exact = value.key if value is not None else (float("-inf"), 0.0)
        return (-size, -exact, row["window_start"], tuple((row[n] is not None, row[n]) for n in query.group_by))

    expected = sorted(rows, key=place)
    ranking = rank(query, table)
    assert repr(ranking.rows(len(rows))) == repr(expected)  # 0.0 and -0.0 are written differently
    assert repr(ranking.values) == repr([value_of(item, row) for row in expected] or ())
    assert list(ranking.keys) == [tuple(row[name] for name in query.group_by) for row in expected]
    labels = [", ".join(shown(row[name], LETTERS) for name in query.group_by) or "all" for row in expected]
    assert list(ranking.labels) == labels
    for label in set(labels):
        of_label = [row for row, own in zip(expected, labels, strict=True) if own == label]
        assert repr(rank(query, of_labels(query, table, [label])).rows(len(rows))) == repr(of_label)
    check_periods(item, ranking)
    check_windows(query, item, ranking)
    beside = {(row["window_start"], value_of(item, row)) for row in rows}
    assert {(row["window_start"], value_of(item, row)) for row in different(query, table, "window_start")} == beside


def check_periods(item: Any, ranking: Ranking) -> None:
    """Each window counts in the part of the day that it ends in."""
    best: dict[int, Magnitude] = {}
    for row in ranking.table.to_pylist():
        period, value = period_of(row["window_end"] - 1, INTERVAL), value_of(item, row)
        if period is not None and value is not None and (period not in best or value.key > best[period].key):
            best[period] = value
    assert list(best_of_periods(ranking, INTERVAL).items()) == sorted(best.items())


def check_windows(query: Any, item: Any, ranking: Ranking) -> None:
    """The numbers behind the figure: groups as ranked, of those written alike the last in a window."""
    figure, ranked = windows_figure(query, "q", ranking, DAY, Clock()), ranking.table.to_pylist()
    windows: dict[str, dict[int, Magnitude]] = {}
    for row, label in zip(ranked, ranking.labels, strict=True):
        windows.setdefault(label, {})[row["window_start"]] = value_of(item, row) or Magnitude.of(0)
    expected = [
        (label, Clock().iso(start), start, value.exact, value.log10 if value.sign else None)
        for label, of_label in windows.items()
        for start, value in sorted(of_label.items())
    ]
    if len({row["window_start"] for row in ranked}) == 1:
        expected = [(label, *numbers) for label, _, _, *numbers in expected]
    assert repr([tuple(row) for row in figure.rows] if figure else []) == repr(expected)


@given(results(counted=True))
def test_counts_are_in_order(table: pa.Table) -> None:
    """Groups of two attributes, missing values, counts of which only the logarithm is known, windows, equal counts."""
    check(COUNTED, table)
    check(UNGROUPED, table)


@given(results(counted=False))
def test_floats_are_in_order(table: pa.Table) -> None:
    """Also where nothing was aggregated; zeros keep their signs."""
    check(HIGHEST, table)
