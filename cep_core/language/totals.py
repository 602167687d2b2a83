"""The number of matches of each operating day; all matches are one part if no days are given.

`matches_total` is exact, except where counting is not polynomial and the listing was cut. Then it is unknown, and
`matches_at_least` gives a lower bound (`docs/semantics.md` 3). A slice sends its totals as JSON in the metadata of its
last batch. The totals of each day are summed over slices.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints
from cep_core.language.evaluator import CERTAIN, ResultTable, of_table
from cep_core.numbers.count_columns import all_digits, from_digits

ALL_TIME = "all"
"""The key of the single part if no days are given."""

Days = tuple[int, ...] | None


@dataclass(frozen=True)
class Total:
    """The number of matches of one day: `at_least` this many, and exactly this many if `exact`."""

    at_least: int = 0
    exact: bool = True

    def __add__(self, other: Total) -> Total:
        return Total(self.at_least + other.at_least, self.exact and other.exact)


def parts(days: Days) -> list[str]:
    """The keys of the days, in order.

    >>> parts((0, 86400, 172800))
    ['0', '86400']
    """
    return [ALL_TIME] if days is None else [str(day) for day in days[:-1]]


def part_of(certain: Ints, days: Days) -> Ints:
    """The number of each moment's day: -1 before the first day, the number of days after the last."""
    return np.zeros(len(certain), np.int64) if days is None else np.searchsorted(days, certain, side="right") - 1


def owned_moments(certain: Ints, days: Days) -> Flags:
    """Whether each moment is in one of the days."""
    part = part_of(certain, days)
    return (part >= 0) & (part < len(parts(days)))


def encode(totals: dict[str, Total]) -> bytes:
    """The totals as JSON for the metadata.

    >>> encode({"0": Total(3), "10": Total(7, exact=False)})
    b'{"0": {"matches_total": "3"}, "10": {"matches_total": null, "matches_at_least": "7"}}'
    """
    by_day = ", ".join([f'"{day}": {_said(total)}' for day, total in totals.items()])
    return f"{{{by_day}}}".encode()


def _said(total: Total) -> str:
    """Written out, as days and numbers are digits: `json` takes ten times as long."""
    digits = all_digits(total.at_least)
    if total.exact:
        return f'{{"matches_total": "{digits}"}}'
    return f'{{"matches_total": null, "matches_at_least": "{digits}"}}'


def decode(said: bytes) -> dict[str, Total]:
    """The totals of one slice."""
    return {
        day: Total(from_digits(total["matches_total"] or total["matches_at_least"]), total["matches_total"] is not None)
        for day, total in json.loads(said.decode()).items()
    }


def add(slices: Iterable[dict[str, Total]], days: Days) -> dict[str, Total]:
    """The totals summed over all slices, for every day; a slice that owns part of a day adds to that day.

    >>> add([{"0": Total(3)}, {"0": Total(1), "5": Total(2)}], (0, 10, 20))
    {'0': Total(at_least=6, exact=True), '10': Total(at_least=0, exact=True)}
    """
    sums = {day: Total() for day in parts(days)}
    for totals in slices:
        for moment, total in totals.items():
            sums[day_of(moment, days)] += total
    return sums


def day_of(moment: str, days: Days) -> str:
    """The key of the day that contains a moment, which is given as a key; a slice may own only part of a day."""
    return ALL_TIME if days is None else str(days[bisect_right(days, int(moment)) - 1])


def first_of_each(part: Ints, most: int) -> Ints:
    """The places of the first `most` rows of each part, ascending: a listing cut day by day.

    >>> first_of_each(np.array([0, 1, 0, 0, 1]), 2).tolist()
    [0, 1, 2, 4]
    """
    order = np.argsort(part, kind="stable")
    sizes = np.bincount(part) if len(part) else np.zeros(0, np.int64)
    rank = np.arange(len(part)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(order[rank < most])


def first_rows(rows: pa.Table, days: Days, most: int) -> pa.Table:
    """The first `most` rows of each day; `rows` with `certain`.

    >>> first_rows(pa.table({"n": [1, 2, 3], CERTAIN: [4, 5, 12]}), (0, 10, 20), 1)["n"].to_pylist()
    [1, 3]
    """
    kept = first_of_each(part_of(rows[CERTAIN].to_numpy(), days), most)
    return rows if len(kept) == rows.num_rows else rows.take(pa.array(kept))


def rows_to_explain(table: ResultTable, result: pa.Table, partials: Iterable[pa.RecordBatch], days: Days) -> pa.Table:
    """The rows that a table's `explain` is asked about. `partials`: what came with the result, for any table."""
    if table.chosen is None:
        return first_rows(result, days, table.explained)
    return table.chosen(of_table(partials, table.suffix), days)
