"""A day's results of a trend aggregation in order, computed once for all that a page says of them.

Values, groups and their words are computed once for each different one, since many results have equal ones. Cost: a
sort of numbers, and a few look-ups a row; 177,000 rows take half a second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from cep_core.language.patterns.query import Query, ReturnItem
from jobs.reports.answers.attributes import is_covered
from jobs.reports.answers.tallies import PERIODS
from jobs.reports.answers.variety.codes import Codes, coded
from jobs.reports.words.quantities import Magnitude
from jobs.reports.words.values import shown

Row = Mapping[str, Any]
LETTERS = 18
"""The most letters of a group's value in a figure."""


@dataclass(frozen=True)
class Ranking:
    """Results, largest headline first; those with equal headlines are ordered by window, then by groups.

    `values`: each result's headline, None if nothing was aggregated. `keys`: its group's values. `labels`: these as
    figures write them.
    """

    table: pa.Table
    values: Sequence[Magnitude | None]
    keys: Sequence[tuple[Any, ...]]
    labels: Sequence[str]

    def rows(self, at_most: int) -> list[dict[str, Any]]:
        """The first rows, with all columns."""
        rows: list[dict[str, Any]] = self.table.slice(0, at_most).to_pylist()
        return rows

    def starts(self) -> list[int]:
        """When each result's window begins."""
        begun: list[int] = self.table["window_start"].to_pylist()
        return begun


def rank(query: Query, results: pa.Table) -> Ranking:
    """Orders results."""
    if not results.num_rows:
        return Ranking(results, (), (), ())
    item = headline_item(query)
    codes, firsts = _first_of_each(results, _names_of(query, results))
    values = [value_of(item, row) for row in firsts.to_pylist()]
    places = _places([_least_of(value) for value in values])
    groups, members = _first_of_each(results, query.group_by)
    keys = [tuple(row[name] for name in query.group_by) for row in members.to_pylist()] or [()]
    by_group = _places([tuple((value is not None, value) for value in key) for key in keys])
    order = np.lexsort((by_group[groups], results["window_start"].to_numpy(), places[codes]))
    labels = [_label(key) for key in keys]
    codes, groups = codes[order], groups[order]
    return Ranking(
        results.take(pa.array(order)),
        [values[code] for code in codes.tolist()],
        [keys[code] for code in groups.tolist()],
        [labels[code] for code in groups.tolist()],
    )


def of_labels(query: Query, results: pa.Table, labels: Sequence[str]) -> pa.Table:
    """The results of the groups that figures call so."""
    groups, members = _first_of_each(results, query.group_by)
    wanted = set(labels)
    keys = [tuple(row[name] for name in query.group_by) for row in members.to_pylist()] or [()]
    chosen = np.array([_label(key) in wanted for key in keys])
    return results.filter(pa.array(chosen[groups]))


def best_of_periods(ranking: Ranking, interval: tuple[int, int]) -> dict[int, Magnitude]:
    """The largest headline of the windows that end in each part of the day."""
    if not ranking.values:
        return {}
    moments = ranking.table["window_end"].to_numpy() - 1
    known = np.fromiter((value is not None for value in ranking.values), np.bool_, len(ranking.values))
    start, end = interval
    inside = np.flatnonzero((start <= moments) & (moments < end) & known)
    periods, first = np.unique((moments[inside] - start) * PERIODS // (end - start), return_index=True)
    best = zip(periods.tolist(), inside[first].tolist(), strict=True)
    return {period: value for period, number in best if (value := ranking.values[number]) is not None}


def headline_item(query: Query) -> ReturnItem:
    """The aggregate that ranks results: COUNT(*) if it is returned, else the first that reports may show.

    `check` refuses a query of which they may show none.
    """
    aggregates = [item for item in query.returns if item.aggregate is not None]
    counts = (item for item in aggregates if item.aggregate is not None and item.aggregate.noun)
    return next(counts, None) or next(item for item in aggregates if not is_covered(query, item))


def value_of(item: ReturnItem, row: Row) -> Magnitude | None:
    """An aggregate's value in a row; None if nothing was aggregated."""
    column = item.column
    value, log10 = row.get(column), row.get(f"{column}_log10")
    if value is None and log10 is None and not (item.aggregate is not None and item.aggregate.is_count):
        return None
    return Magnitude.of(value, log10, row.get(f"{column}_sign"))


def different(query: Query, results: pa.Table, *beside: str) -> list[dict[str, Any]]:
    """The headline's columns, and those `beside` it, of results, each combination once."""
    names = [*beside, *_names_of(query, results)]
    rows: list[dict[str, Any]] = results.select(names).group_by(names).aggregate([]).to_pylist()
    return rows


def headline_columns(query: Query) -> list[str]:
    """The columns of results that tell their headline; tables lack those that no number needs."""
    column = headline_item(query).column
    return [column, f"{column}_log10", f"{column}_sign"]


def _names_of(query: Query, results: pa.Table) -> list[str]:
    return [name for name in headline_columns(query) if name in results.column_names]


def _least_of(value: Magnitude | None) -> tuple[float, int | float]:
    """Orders values, the largest first; none is last."""
    size, exact = value.key if value is not None else (float("-inf"), 0.0)
    return (-size, -exact)


def _label(key: tuple[Any, ...]) -> str:
    return ", ".join(shown(value, LETTERS) for value in key) or "all"


def _first_of_each(results: pa.Table, names: Sequence[str]) -> tuple[Codes, pa.Table]:
    """The combination of columns that each row has, and a row of each combination with these columns."""
    codes, firsts = coded(results, names)
    return codes, results.select(list(names)).take(pa.array(firsts))


def _places(keys: Sequence[Any]) -> Codes:
    """The place of each key in their order; equal keys have equal places."""
    places = np.zeros(len(keys), dtype=np.int64)
    place, before = -1, None
    for number in sorted(range(len(keys)), key=keys.__getitem__):
        if place < 0 or keys[number] != before:
            place, before = place + 1, keys[number]
        places[number] = place
    return places
