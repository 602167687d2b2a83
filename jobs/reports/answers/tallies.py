"""A day's matches counted by key (the values of the equivalences), and by the part of the day in which they ended.

A cut listing holds the day's first matches, which does not show which key has the most, or when. So all matches are
counted by the compact rows of the day, which have the number of matches that end at each event. If these rows do not
know it, or mix values of an equivalence, only the listed matches are counted, and the tally says so.

Cost: for each compact row the events that it binds to one variable of each equivalence, each looked up once, and a few
additions; nothing is sorted. Compact rows come in pieces, as there may be more than memory holds; what is kept is a
number for each key and period.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.language.patterns.query import Query
from cep_core.numbers.count_columns import from_digits
from jobs.reports.answers.attributes import entity, latest_entity
from jobs.reports.answers.event_index import EventIndex
from jobs.reports.answers.variety.codes import combined

PERIODS = 24
"""The number of equal parts of an operating day."""

LARGEST = (1 << 63) - 1
"""Sums up to this are added up in machine words."""

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
    return list(dict.fromkeys([*needed, *(variable for variable, _ in latest_entity(query))]))


Piece = tuple[pa.Table, EventIndex]
"""Some of a day's compact rows, and the events that they name."""


def tallies_of(
    query: Query,
    results: pa.Table,
    compact: Iterable[Piece],
    totals: Totals,
    index: EventIndex,
    interval: tuple[int, int],
) -> Tallies:
    """From a day's listed matches and, if cut, its compact rows. `interval`: the operating day in log time.

    `index`: the events that listed matches name.
    """
    one_each, listed = np.zeros(results.num_rows, np.int64), results.num_rows if totals.truncated else None
    keys = Tally(_sums(keys_of(query, results, index), [1] * results.num_rows), listed)
    periods = Tally(_by_period(results, one_each, [1], interval), listed)
    if not totals.truncated:
        return Tallies(keys, periods)
    counted = _of_compact_rows(query, compact, totals, interval)
    if counted is None:
        return Tallies(keys, periods)
    by_key, by_period = counted
    return Tallies(keys if by_key is None else Tally(by_key), Tally(by_period))


def _of_compact_rows(
    query: Query, compact: Iterable[Piece], totals: Totals, interval: tuple[int, int]
) -> tuple[dict[Key, int] | None, dict[int, int]] | None:
    """The matches of compact rows by key and by period. None: they are not known, or are not all that the day has; or,
    in place of the keys: the matches of some row have different ones."""
    rows_seen, matches = 0, 0
    keys: Counter[Key] | None = Counter()
    periods: Counter[int] = Counter()
    for rows, index in compact:
        digits = rows["match_count_exact"].combine_chunks().dictionary_encode()
        if digits.null_count:
            return None
        code, counts = digits.indices.to_numpy().astype(np.int64), list(map(from_digits, digits.dictionary.to_pylist()))
        rows_seen += rows.num_rows
        matches += sum(_by_value(np.zeros(len(code), np.int64), code, counts).values())
        periods.update(_by_period(rows, code, counts, interval))
        keyed = _common_keys(query, rows, index)
        if keyed is None or keys is None:
            keys = None
            continue
        of_row, values = keyed
        for number, count in _by_value(of_row, code, counts).items() if values else ():
            keys[values[number]] += count
    if not rows_seen or (totals.total is not None and matches != totals.total):
        return None
    return None if keys is None else dict(keys), dict(sorted(periods.items()))


def _by_value(values: Ints, code: Ints, counts: Sequence[int]) -> dict[int, int]:
    """The sum of the counts of each value >= 0, ascending; the count of row k is counts[code[k]]. Exact.

    Memory: a number for each value up to the largest.

    >>> _by_value(np.array([3, 0, 3]), np.array([0, 1, 1]), [10**30, 1])
    {0: 1, 3: 1000000000000000000000000000001}
    >>> _by_value(np.array([3, 0, 3]), np.array([0, 1, 1]), [7, 1])
    {0: 1, 3: 8}
    """
    if max(counts, default=0) * max(len(values), 1) <= LARGEST:
        present = np.flatnonzero(np.bincount(values))
        totals = np.zeros(values.max(initial=-1) + 1, np.int64)
        np.add.at(totals, values, np.array(counts, np.int64)[code])
        return dict(zip(present.tolist(), totals[present].tolist(), strict=True))
    pairs, number = np.unique(values * len(counts) + code, return_counts=True)
    sums: Counter[int] = Counter()
    for pair, rows in zip(pairs.tolist(), number.tolist(), strict=True):
        value, place = divmod(pair, len(counts))
        sums[value] += rows * counts[place]
    return dict(sums)


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


def _common_keys(query: Query, compact: pa.Table, index: EventIndex) -> tuple[Ints, list[Key]] | None:
    """For each compact row the number of the key that all its matches share, and these keys as they first appear.

    None if the matches of some row have different keys. Without equivalences there are no keys and no numbers.
    """
    columns, values = [], []
    for variable, attribute in latest_entity(query):
        lists = compact[variable].combine_chunks()
        lengths = np.diff(lists.offsets.to_numpy())
        if lists.null_count or not lengths.all():
            return None
        values_of_events = index.attribute(attribute, lists.flatten().to_numpy()).dictionary_encode()
        different = values_of_events.dictionary.to_pylist()
        of_event = values_of_events.indices.fill_null(len(different)).to_numpy(zero_copy_only=False).astype(np.int64)
        if len(of_event) > len(lengths):
            begins = np.cumsum(lengths) - lengths
            if (np.minimum.reduceat(of_event, begins) != np.maximum.reduceat(of_event, begins)).any():
                return None
            of_event = of_event[begins]
        columns.append(of_event)
        values.append([*different, None])
    if not columns:
        return np.zeros(0, np.int64), []
    numbers, firsts = combined(columns, compact.num_rows)
    keys = zip(
        *([own[code] for code in column[firsts].tolist()] for own, column in zip(values, columns, strict=True)),
        strict=True,
    )
    return numbers, list(keys)


def _sums(values: Iterable[Value], counts: Sequence[int]) -> dict[Value, int]:
    sums: Counter[Value] = Counter()
    for value, count in zip(values, counts, strict=False):  # no values if a query has no key
        sums[value] += count
    return dict(sums)


def _by_period(rows: pa.Table, code: Ints, counts: Sequence[int], interval: tuple[int, int]) -> dict[int, int]:
    """Matches by the part of the day in which their last event is. `code`, `counts`: as in `_by_value`.

    Matches that ended before the day are not counted.
    """
    start, end = interval
    moments = rows["last_ts"].to_numpy()
    inside = (start <= moments) & (moments < end)
    return _by_value((moments[inside] - start) * PERIODS // (end - start), code[inside], counts)


def period_of(moment: int, interval: tuple[int, int]) -> int | None:
    """The number of a moment's part of the day; None outside it.

    >>> period_of(0, (0, 48)), period_of(47, (0, 48)), period_of(48, (0, 48))
    (0, 23, None)
    """
    start, end = interval
    return (moment - start) * PERIODS // (end - start) if start <= moment < end else None
