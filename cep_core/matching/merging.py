"""One result from the partial results of all slices: in order, cut day by day, with the totals."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from cep_core.language.evaluator import CERTAIN, TOTALS
from cep_core.matching.network import Ints
from cep_core.matching.numbers import all_digits
from cep_core.matching.rows import PATH, ordered, partial_schema, with_paths
from cep_core.matching.totals import Days, Total, add, decode, encode, part_of, parts


def merge_partials(
    partials: Iterable[pa.RecordBatch], schema: pa.Schema, days: Days, max_matches: int | None, *, countable: bool
) -> pa.Table:
    """`schema` plus `certain`: the first `max_matches` rows of each day, of all slices (None: all rows).

    Unless matches are `countable` without listing them, no more is said of a day that was cut than that there was more:
    what else the slices saw depends on the slicing. Metadata: `totals` as in `evaluator.TOTALS`; `matches_total` over
    all days, or `matches_at_least` where it is unknown; `truncated`, "true" if rows were left out. Cost: sorting the
    rows that the slices listed.
    """
    totals = []
    batches = []
    for batch in partials:
        said = (batch.schema.metadata or {}).get(TOTALS)
        if said is not None:
            totals.append(decode(said))
        if batch.num_rows:
            batches.append(batch.replace_schema_metadata(None))
    table = pa.Table.from_batches(batches, partial_schema(schema))
    as_listed = len(totals) == 1 and table.column(PATH).null_count == len(table)  # by one source, which lists in order
    order = np.arange(len(table)) if as_listed else ordered(with_paths(table))
    part = part_of(table.column(CERTAIN).to_numpy()[order], days)
    if max_matches is not None:
        kept = _first(part, max_matches)
        order, part = order[kept], part[kept]
    together = add(totals, days)
    if max_matches is not None and not countable:
        most = Total(max_matches + 1, exact=False)
        together = {day: most if total.at_least > max_matches else total for day, total in together.items()}
    listed = np.bincount(part, minlength=len(parts(days))).tolist()
    cut = max_matches is not None and any(
        not together[day].exact or together[day].at_least > rows for day, rows in zip(parts(days), listed, strict=True)
    )
    everything = sum(total.at_least for total in together.values())
    exact = all(total.exact for total in together.values())
    metadata = {
        TOTALS: encode(together),
        b"matches_total" if exact else b"matches_at_least": all_digits(everything).encode(),
        b"truncated": b"true" if cut else b"false",
    }
    result = table.select([*schema.names, CERTAIN])
    if len(order) < len(result) or not np.array_equal(order, np.arange(len(order))):
        result = result.take(pa.array(order))
    return result.cast(schema.append(pa.field(CERTAIN, pa.int64()))).replace_schema_metadata(metadata)


def _first(part: Ints, most: int) -> Ints:
    """The places of the first so many of each part, ascending.

    >>> _first(np.array([0, 1, 0, 0, 1]), 2).tolist()
    [0, 1, 2, 4]
    """
    order = np.argsort(part, kind="stable")
    sizes = np.bincount(part) if len(part) else np.zeros(0, np.int64)
    rank = np.arange(len(part)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return np.sort(order[rank < most])
