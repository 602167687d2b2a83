"""A day's matches counted by key (the values of the equivalences), and by the part of the day in which they ended.

A cut listing holds the day's first matches, which does not show which key has the most, or when. So all matches are
counted by the compact rows of the day, which have the number of matches that end at each event. If these rows do not
know it, or mix values of an equivalence, only the listed matches are counted, and the tally says so.

Cost: for each compact row the events that it binds to one variable of each equivalence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import pyarrow as pa

from cep_core.language.patterns.query import Query
from cep_core.numbers.count_columns import from_digits
from jobs.reports.answers.attributes import entity
from jobs.reports.answers.event_index import EventIndex

PERIODS = 24
"""The number of equal parts of an operating day."""

Key = tuple[Any, ...]
"""A value for each equivalence."""

Value = TypeVar("Value", bound=Hashable)


@dataclass(frozen=True)
class Totals:
    """What `result_days` says about a day: the exact total or a lower bound, and whether the listing is cut."""

    total: int | None
    at_least: int
    truncated: bool


@dataclass(frozen=True)
class Tally(Generic[Value]):
    """How many matches have each value. `listed`: how many listed matches were counted; None: all of the day."""

    counts: Mapping[Value, int]
    listed: int | None = None

    @property
    def of(self) -> str:
        """What a sentence must add to a number of this tally.

        >>> Tally({"a": 3}).of, Tally({"a": 3}, 1000).of
        ('', ' of the 1,000 listed')
        """
        return "" if self.listed is None else f" of the {self.listed:,} listed"


@dataclass(frozen=True)
class Tallies:
    """A day's matches by key, and by the part of the day in which they ended."""

    keys: Tally[Key]
    periods: Tally[int]


def compact_columns(query: Query) -> list[str]:
    """The columns of a query's compact rows that tallies need."""
    needed = ["first_ts", "last_ts", "match_count", "match_count_exact"]
    return list(dict.fromkeys([*needed, *(variable for _, variable, _ in entity(query))]))


def tallies_of(
    query: Query,
    results: pa.Table,
    compact: pa.Table | None,
    totals: Totals,
    index: EventIndex,
    interval: tuple[int, int],
) -> Tallies:
    """From a day's listed matches and, if cut, its compact rows. `interval`: the operating day in log time."""
    counts = counts_of(compact, totals) if totals.truncated else [1] * results.num_rows
    if counts is None:
        return Tallies(
            Tally(_sums(keys_of(query, results, index), [1] * results.num_rows), results.num_rows),
            Tally(_by_period(results, [1] * results.num_rows, interval), results.num_rows),
        )
    rows = results if compact is None or not totals.truncated else compact
    periods = Tally(_by_period(rows, counts, interval))
    whose = _common_keys(query, rows, index) if totals.truncated else keys_of(query, rows, index)
    if whose is None:
        listed = Tally(_sums(keys_of(query, results, index), [1] * results.num_rows), results.num_rows)
        return Tallies(listed, periods)
    return Tallies(Tally(_sums(whose, counts)), periods)


def counts_of(compact: pa.Table | None, totals: Totals) -> list[int] | None:
    """The matches of each compact row; None if they are not known, or are not all that the day has."""
    if compact is None or compact.num_rows == 0:
        return None
    digits = compact["match_count_exact"].to_pylist()
    if None in digits:
        return None
    counts = [from_digits(number) for number in digits]
    return counts if totals.total is None or sum(counts) == totals.total else None


def keys_of(query: Query, results: pa.Table, index: EventIndex) -> list[Key]:
    """The key of every listed match, in the table's order; empty for a query without equivalences."""
    columns = []
    for _, variable, attribute in entity(query):
        firsts = [bound(value)[:1] or [-1] for value in results[variable].to_pylist()]
        seqs = np.array([first for [first] in firsts], dtype=np.int64)
        columns.append(index.attribute(attribute, seqs).to_pylist())
    return list(zip(*columns, strict=True)) if columns else []


def bound(value: Any) -> list[int]:
    """The events that a cell of a variable's column names."""
    return [] if value is None else value if isinstance(value, list) else [value]


def _common_keys(query: Query, compact: pa.Table, index: EventIndex) -> list[Key] | None:
    """For each compact row, the key that all its matches share; None if the matches of some row have different keys."""
    columns = []
    for _, variable, attribute in entity(query):
        lists = compact[variable].combine_chunks()
        lengths = np.diff(lists.offsets.to_numpy())
        if lists.null_count or not lengths.all():
            return None
        values = index.attribute(attribute, lists.flatten().to_numpy()).dictionary_encode()
        codes = values.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        begins = np.cumsum(lengths) - lengths
        if (np.minimum.reduceat(codes, begins) != np.maximum.reduceat(codes, begins)).any():
            return None
        columns.append(values.take(pa.array(begins)).to_pylist())
    return list(zip(*columns, strict=True))


def _sums(values: Iterable[Value], counts: Sequence[int]) -> dict[Value, int]:
    sums: Counter[Value] = Counter()
    for value, count in zip(values, counts, strict=False):  # no values if a query has no key
        sums[value] += count
    return dict(sums)


def _by_period(rows: pa.Table, counts: Sequence[int], interval: tuple[int, int]) -> dict[int, int]:
    """Matches by the part of the day in which their last event is.

    Matches that ended before the day are not counted.
    """
    places = [period_of(moment, interval) for moment in rows["last_ts"].to_pylist()]
    sums = _sums(places, counts)
    return {period: sums[period] for period in sorted(place for place in sums if place is not None)}


def period_of(moment: int, interval: tuple[int, int]) -> int | None:
    """The number of a moment's part of the day; None outside it.

    >>> period_of(0, (0, 48)), period_of(47, (0, 48)), period_of(48, (0, 48))
    (0, 23, None)
    """
    start, end = interval
    return (moment - start) * PERIODS // (end - start) if start <= moment < end else None
