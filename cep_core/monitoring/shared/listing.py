"""Merges the violations that slices report: in order of (ts, offset, values), cut day by day, with exact totals.

A slice reports the first `most` rows of each of its days and counts all; so a merge of all slices has the first `most`
rows of each day, whatever the slicing. Cost: sorting the rows that the slices report.
"""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.language.evaluator import CERTAIN, TOTALS
from cep_core.language.totals import Days, Total, add, decode, encode, first_rows, parts
from cep_core.numbers.count_columns import all_digits


def with_certain(schema: pa.Schema) -> pa.Schema:
    """The columns of partial results: those of the result, and the moment at which each row became certain."""
    return schema.append(pa.field(CERTAIN, pa.int64(), False))


def partial(rows: pa.Table, numbers: Ints, days: Days, most: int | None) -> list[pa.RecordBatch]:
    """What one slice reports: the first `most` rows of each day, the totals in the last batch's metadata.

    `rows`: columns of `with_certain`, certain on one of the days. `numbers`: how many violations each day has.
    """
    totals = {day: Total(int(number)) for day, number in zip(parts(days), numbers, strict=True)}
    listed = first_of_each_day(in_order(rows), days, most)
    last = pa.RecordBatch.from_pylist([], rows.schema).replace_schema_metadata({TOTALS: encode(totals)})
    return [*listed.replace_schema_metadata(None).to_batches(), last]


def merge_partials(partials: Iterable[pa.RecordBatch], schema: pa.Schema, days: Days, most: int | None) -> pa.Table:
    """`schema` plus `certain`: the first `most` violations of each day over all slices (None: all), in order.

    Metadata: `totals` as in `evaluator.TOTALS`, `matches_total` over all days, and `truncated`.
    """
    totals, batches = [], []
    for batch in partials:
        metadata = batch.schema.metadata or {}
        if TOTALS in metadata:
            totals.append(decode(metadata[TOTALS]))
        if batch.num_rows:
            batches.append(batch.replace_schema_metadata(None))
    rows = first_of_each_day(in_order(pa.Table.from_batches(batches, with_certain(schema))), days, most)
    together = add(totals, days)
    everything = sum(total.at_least for total in together.values())
    return rows.replace_schema_metadata(
        {
            TOTALS: encode(together),
            b"matches_total": all_digits(everything).encode(),
            b"truncated": b"true" if everything > rows.num_rows else b"false",
        }
    )


def in_order(rows: pa.Table) -> pa.Table:
    """The rows in order of their columns, the first column first."""
    names = [name for name in rows.column_names if name != CERTAIN]
    return rows.sort_by([(name, "ascending") for name in names]) if rows.num_rows > 1 else rows


def first_of_each_day(rows: pa.Table, days: Days, most: int | None) -> pa.Table:
    """The first `most` rows of each day; None: all rows."""
    return rows if most is None else first_rows(rows, days, most)
