"""Of which values a policy judges some point on a day: an episode goes on over days on which nothing judges its values.

A policy that says `A IMPLIES B` judges at the points at which `A` holds, and a policy with `-- for each` at those of
the sub-log. Whether a point judges depends on some columns of the values (`keys`). A table lists, for each day, the
values of these for which some point judges, violated or not; the view of episodes over days reads it. It is cut as
violations are, and says so. Where every point of the log judges, there are no such columns: a day with a point has one
row. Such a policy is evaluated on slices without events, too, since any event of the log makes a point.

Each slice reports one row more than are listed, so that a merge of all knows what is cut. Cost: a sort of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from cep_core.language.evaluator import CERTAIN
from cep_core.language.totals import Days, first_of_each, part_of
from cep_core.monitoring.shared.listing import with_certain

JUDGED = "_judged"
"""The suffix of the table."""
IS_CUT = "is_cut"
"""The column that says of each row whether its day has more values than are listed."""


def judged_schema(keys: Sequence[pa.Field]) -> pa.Schema:
    """The columns of the table."""
    return pa.schema([pa.field(IS_CUT, pa.bool_(), False), *keys])


def partial_judged(values: pa.Table, days: Days, most: int | None) -> list[pa.RecordBatch]:
    """What one slice reports of the values `found`, with `certain`, a moment of a day on which they are judged."""
    return _first_values(values, days, None if most is None else most + 1).to_batches()


def merge_judged(
    partials: Iterable[pa.RecordBatch], keys: Sequence[pa.Field], days: Days, most: int | None
) -> pa.Table:
    """`judged_schema` plus `certain`, the day's begin: the first `most` values of each day, in order of the values.

    >>> batch = pa.RecordBatch.from_pydict({"x": [8, 7, 8, 8], "certain": [3, 4, 5, 11]})
    >>> keys = [pa.field("x", pa.int64(), False)]
    >>> [tuple(row.values()) for row in merge_judged([batch], keys, (0, 10, 20), 1).to_pylist()]
    [(True, 7, 0), (False, 8, 10)]
    """
    reported = with_certain(pa.schema(keys))
    batches = [batch.replace_schema_metadata(None).cast(reported) for batch in partials]
    rows = _first_values(pa.Table.from_batches(batches, reported), days, None)
    part = part_of(rows[CERTAIN].to_numpy(), days)
    cut = np.bincount(part)[part] > most if most is not None else np.zeros(len(part), np.bool_)
    kept = np.arange(len(part)) if most is None else first_of_each(part, most)
    whole = rows.add_column(0, IS_CUT, pa.array(cut)).take(pa.array(kept))
    return whole.cast(with_certain(judged_schema(keys)))


def _first_values(rows: pa.Table, days: Days, most: int | None) -> pa.Table:
    """The first `most` different values of each day in order, with the day's begin."""
    part = part_of(rows[CERTAIN].to_numpy(), days)
    begins = np.zeros(len(part), np.int64) if days is None else np.array(days, np.int64)[part]
    values = [name for name in rows.column_names if name != CERTAIN]
    of_days = rows.select(values).append_column(rows.schema.field(CERTAIN), pa.array(begins))
    order = [CERTAIN, *values]
    distinct = of_days.group_by(order).aggregate([]).sort_by([(name, "ascending") for name in order])
    distinct = distinct.select(rows.column_names).cast(rows.schema)
    if most is None:
        return distinct
    return distinct.take(pa.array(first_of_each(part_of(distinct[CERTAIN].to_numpy(), days), most)))
