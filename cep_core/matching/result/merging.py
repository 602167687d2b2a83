"""Merges the partial results of all slices into one result: in order, cut day by day, with the totals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Ints
from cep_core.language.budget import Budget
from cep_core.language.evaluator import CERTAIN, TOTALS
from cep_core.language.totals import Days, Total, add, decode, encode, first_of_each, part_of, parts
from cep_core.matching.arrays.paths import Bound
from cep_core.matching.result.match_rows import (
    IN_ORDER,
    KEY,
    LAST_SEQ,
    PATH,
    RowSchemas,
    ascend,
    event_column,
    lists_of,
    ordered,
)
from cep_core.matching.result.spending import WORK, check
from cep_core.numbers.count_columns import COUNTS, all_digits, count_columns, from_digits, unknown_counts
from cep_core.numbers.lanes import LIMIT


@dataclass(frozen=True)
class Cut:
    """How a listing is cut: to the first `max_matches` matches of each day (None: all), within a budget of work.

    `countable`: matches can be counted without listing them.
    """

    days: Days
    max_matches: int | None
    countable: bool
    budget: Budget


def merge_partials(
    partials: Iterable[pa.RecordBatch], schemas: RowSchemas, cut: Cut, *, whole: bool = False
) -> pa.Table:
    """The result plus `certain`, without it if `whole`: the first `max_matches` rows (None: all) of each day.

    If matches are not countable without listing them, a day whose listing was cut has no exact total. It has only a
    lower bound, which does not depend on the slicing. Metadata: `totals` as in `evaluator.TOTALS`; `matches_total` over
    all days, or `matches_at_least` if the total is unknown; `truncated`, "true" if rows were left out. Compact rows of
    the same last event, window, day and key become one row: the matches of one last event may become certain in the
    time ranges of several slices. `whole`: the slices are stretches of a whole log, one after the other. Cost: sorting
    the rows that the slices listed. Raises WorkExhausted if the budget was not sufficient.
    """
    days, max_matches = cut.days, cut.max_matches
    totals = []
    spent = []
    batches = []
    ends = []
    in_order = 0
    for batch in partials:
        metadata = batch.schema.metadata or {}
        if batch.num_rows:
            batches.append(batch.replace_schema_metadata(None))
        if TOTALS in metadata:
            totals.append(decode(metadata[TOTALS]))
            ends.append(len(batches))
        in_order += IN_ORDER in metadata
        if WORK in metadata:
            spent.append(metadata[WORK])
    check(spent, cut.budget, days, max_matches)
    table = pa.Table.from_batches(batches, schemas.partial)
    compact = KEY in schemas.partial.names
    between = ends if whole else range(1, len(batches))
    neighbours = ((batches[place - 1], batches[place]) for place in between if 0 < place < len(batches))
    as_listed = 0 < len(totals) == in_order and ascend(neighbours, strictly=compact)
    rows = None
    if compact and len(totals) > 1 and not as_listed:
        table, rows = _joined(table, days)
    order = None if as_listed else ordered(table, rows)
    if days is None and max_matches is None:  # columns as long as the listing would be a third more memory
        listed = [table.num_rows if order is None else len(order)]
    else:
        certain = table.column(CERTAIN).to_numpy()
        part = part_of(certain if order is None else certain[order], days)
        if max_matches is not None:
            kept = first_of_each(part, max_matches)
            if len(kept) < len(part):
                order, part = kept if order is None else order[kept], part[kept]
        listed = np.bincount(part, minlength=len(parts(days))).tolist()
    together = add(totals, days)
    if max_matches is not None and not cut.countable:
        most = Total(max_matches + 1, exact=False)
        together = {day: most if total.at_least > max_matches else total for day, total in together.items()}
    truncated = max_matches is not None and any(
        not together[day].exact or together[day].at_least > rows for day, rows in zip(parts(days), listed, strict=True)
    )
    schema = schemas.result if whole else schemas.certain
    result = table.select(schema.names)
    if order is not None and (len(order) < len(result) or not np.array_equal(order, np.arange(len(order)))):
        result = result.take(pa.array(order))
    if not result.schema.equals(schema, check_metadata=True):
        result = result.cast(schema)
    return result.replace_schema_metadata(result_metadata(together, truncated=truncated))


def result_metadata(totals: dict[str, Total], *, truncated: bool) -> dict[bytes, bytes]:
    """The metadata of a result. `truncated`: rows were left out."""
    everything = sum(total.at_least for total in totals.values())
    exact = all(total.exact for total in totals.values())
    return {
        TOTALS: encode(totals),
        b"matches_total" if exact else b"matches_at_least": all_digits(everything).encode(),
        b"truncated": b"true" if truncated else b"false",
    }


def _joined(table: pa.Table, days: Days) -> tuple[pa.Table, Ints | None]:
    """Compact rows in which rows of several sources with the same last event, window, key and day are one row.

    The second value: the places of these rows; None: all. Rows that stand alone are not copied.
    """
    key = table[KEY].combine_chunks().dictionary_encode().indices.to_numpy()
    names = [LAST_SEQ, *(name for name in ("window_start",) if name in table.column_names)]
    same = [key, part_of(table[CERTAIN].to_numpy(), days), *(table[name].to_numpy() for name in names)]
    order = np.lexsort(same)
    new = np.append(True, np.logical_or.reduce([np.diff(column[order]) != 0 for column in same]))[: len(order)]
    if new.all():
        return table, None
    row = np.cumsum(new) - 1
    several = np.bincount(row)[row] > 1
    joined = _merged_pieces(table.take(pa.array(order[several])).combine_chunks(), np.cumsum(new[several]) - 1)
    alone = np.sort(order[~several])
    rows = np.append(alone, np.arange(table.num_rows, table.num_rows + joined.num_rows))
    return pa.concat_tables([table, joined]), rows


def _merged_pieces(table: pa.Table, row: Ints) -> pa.Table:
    """Joins the pieces of each row; `row` is the number of each piece's row and ascends from 0 without gaps."""
    rows = int(row[-1]) + 1
    first = np.searchsorted(row, np.arange(rows))
    columns = {name: table[name].take(pa.array(first)) for name in table.column_names}
    for name in ("first_ts", CERTAIN):
        columns[name] = pa.array(np.minimum.reduceat(table[name].to_numpy(), first))
    columns |= _sums(table["match_count_exact"].to_pylist(), row, rows)
    paths = table[PATH].combine_chunks()
    owner = np.repeat(row, np.diff(paths.offsets.to_numpy()) // 3)
    nodes = np.unique(np.column_stack([owner, paths.flatten().to_numpy().reshape(-1, 3)]), axis=0)
    columns[PATH] = lists_of(nodes[:, 1:], np.searchsorted(nodes[:, 0], np.arange(rows + 1)))
    seq = np.unique(nodes[:, 1:3], axis=0)[:, 1]  # in time order
    by_seq = np.argsort(seq)
    for name, values in zip(table.column_names, table.columns, strict=True):
        if name == PATH or not pa.types.is_list(values.type):
            continue
        lists = values.combine_chunks()
        place = by_seq[np.searchsorted(seq[by_seq], lists.flatten().to_numpy())]
        owner = np.repeat(row, pc.fill_null(pc.list_value_length(lists), 0).to_numpy())
        owner, place = np.unique(np.stack([owner, place]), axis=1)
        bound = Bound(np.searchsorted(owner, np.arange(rows + 1)), place)
        columns[name] = event_column(bound, seq, as_list=True)
    return pa.table(columns, schema=table.schema)


def _sums(digits: list[str | None], row: Ints, rows: int) -> dict[str, pa.Array]:
    """The count columns, summed over the pieces of each row; unknown if the counts of the pieces are unknown."""
    sums = [0] * rows
    if None in digits:
        columns = unknown_counts(rows)
    else:
        for place, count in zip(row.tolist(), digits, strict=True):
            sums[place] += from_digits(str(count))
        beyond = {place: count for place, count in enumerate(sums) if count >= LIMIT}
        columns = count_columns(np.array([min(count, LIMIT) for count in sums], np.int64), beyond)
    return dict(zip(COUNTS, columns, strict=True))
