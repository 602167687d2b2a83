"""One result from the partial results of all slices: in order, cut day by day, with the totals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cep_core.language.budget import Budget
from cep_core.language.evaluator import CERTAIN, TOTALS
from cep_core.matching.network import Ints
from cep_core.matching.numbers import all_digits
from cep_core.matching.rows import PATH, ordered, partial_schema, with_paths
from cep_core.matching.spending import WORK, check
from cep_core.matching.totals import Days, Total, add, decode, encode, part_of, parts


@dataclass(frozen=True)
class Cut:
    """How a listing is cut: the first `max_matches` of each of the days (None: all); within which budget of work.

    `countable`: matches can be counted without listing them.
    """

    days: Days
    max_matches: int | None
    countable: bool
    budget: Budget


def merge_partials(partials: Iterable[pa.RecordBatch], schema: pa.Schema, cut: Cut) -> pa.Table:
    """`schema` plus `certain`: the first `max_matches` rows of each day, of all slices (None: all rows).

    Unless matches are countable without listing them, no more is said of a day that was cut than that there was more:
    what else the slices saw depends on the slicing. Metadata: `totals` as in `evaluator.TOTALS`; `matches_total` over
    all days, or `matches_at_least` where it is unknown; `truncated`, "true" if rows were left out. Raises WorkExhausted
    where the budget did not suffice. Cost: sorting the rows that the slices listed.
    """
    days, max_matches = cut.days, cut.max_matches
    totals = []
    spent = []
    batches = []
    for batch in partials:
        metadata = batch.schema.metadata or {}
        if TOTALS in metadata:
            totals.append(decode(metadata[TOTALS]))
        if WORK in metadata:
            spent.append(metadata[WORK])
        if batch.num_rows:
            batches.append(batch.replace_schema_metadata(None))
    check(spent, cut.budget, days, max_matches)
    table = pa.Table.from_batches(batches, partial_schema(schema))
    as_listed = len(totals) == 1 and table.column(PATH).null_count == len(table)  # by one source, which lists in order
    order = np.arange(len(table)) if as_listed else ordered(with_paths(table))
    part = part_of(table.column(CERTAIN).to_numpy()[order], days)
    if max_matches is not None:
        kept = _first(part, max_matches)
        order, part = order[kept], part[kept]
    together = add(totals, days)
    if max_matches is not None and not cut.countable:
        most = Total(max_matches + 1, exact=False)
        together = {day: most if total.at_least > max_matches else total for day, total in together.items()}
    listed = np.bincount(part, minlength=len(parts(days))).tolist()
    truncated = max_matches is not None and any(
        not together[day].exact or together[day].at_least > rows for day, rows in zip(parts(days), listed, strict=True)
    )
    everything = sum(total.at_least for total in together.values())
    exact = all(total.exact for total in together.values())
    told = {
        TOTALS: encode(together),
        b"matches_total" if exact else b"matches_at_least": all_digits(everything).encode(),
        b"truncated": b"true" if truncated else b"false",
    }
    result = table.select([*schema.names, CERTAIN])
    if len(order) < len(result) or not np.array_equal(order, np.arange(len(order))):
        result = result.take(pa.array(order))
    return result.cast(schema.append(pa.field(CERTAIN, pa.int64()))).replace_schema_metadata(told)


def _first(part: Ints, most: int) -> Ints:
    """The places of the first so many of each part, ascending.

    >>> _first(np.array([0, 1, 0, 0, 1]), 2).tolist()
    [0, 1, 2, 4]
    """
    order = np.argsort(part, kind="stable")
    sizes = np.bincount(part) if len(part) else np.zeros(0, np.int64)
    rank = np.arange(len(part)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(order[rank < most])
