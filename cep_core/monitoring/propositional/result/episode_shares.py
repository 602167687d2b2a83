"""What share of its sub-log's points each episode has: the column that propositional policies add to their episodes.

The points of a sub-log count on the day on which the verdict about them is certain, as violations do. Without
`-- for each` the sub-log is the whole log; of its points only those count that have an event that the policy reads, and
those that violate it: a slice without events is not evaluated, so nobody counts the others.

Ranges of time cut sub-logs. So slices report sizes beside pieces: the points of each sub-log in the part of a day that
they own. The merge adds them up. Of a day that no range cuts, only the sizes for listed pieces travel; of a day that is
cut, those of all sub-logs, as with edges. Cost: a sort of the sizes, and of the pieces, by their values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.candidates.grouping import combined
from cep_core.language.evaluator import CERTAIN
from cep_core.language.totals import Days, part_of, parts
from cep_core.monitoring.shared.episodes import codes_of, combine_episodes, merge_episodes

SHARE = pa.field("share", pa.float64(), False)
"""The points of an episode among those of its sub-log on its day: over 0, at most 1."""
_SIZES = b"sizes"


def size_schema(keys: Sequence[pa.Field]) -> pa.Schema:
    """The columns of sizes. `keys`: those of the sub-log."""
    return pa.schema([*keys, pa.field("points", pa.int64(), False), pa.field(CERTAIN, pa.int64(), False)])


def with_sizes(
    pieces: Sequence[pa.RecordBatch], sizes: pa.Table, keys: Sequence[str], days: Days, cut: tuple[bool, bool]
) -> list[pa.RecordBatch]:
    """What one slice reports of its pieces, as `partial_episodes` gives it, with the sizes that a merge may need.

    `sizes`: columns of `size_schema`, one row for each sub-log and part of a day. `cut`: as in `Ownership`.
    """
    listed = pa.Table.from_batches([batch for batch in pieces if not batch.schema.metadata], pieces[-1].schema)
    of_sizes, of_pieces = _numbered([sizes, listed], keys, days)
    part = part_of(sizes[CERTAIN].to_numpy(), days)
    kept = np.isin(of_sizes, of_pieces) | (cut[0] & (part == 0)) | (cut[1] & (part == len(parts(days)) - 1))
    needed = sizes.filter(pa.array(kept)).combine_chunks().replace_schema_metadata({_SIZES: b"true"})
    return [*needed.to_batches(), *pieces]


def combine_with_sizes(
    partials: Iterable[pa.RecordBatch],
    schema: pa.Schema,
    keys: Sequence[str],
    days: Days,
    most: int | None,
    cut: tuple[bool, bool],
) -> list[pa.RecordBatch]:
    """As `combine_episodes`, with the sizes of the joined parts."""
    pieces, sizes = _parted(partials, schema, keys)
    [number] = _numbered([sizes], keys, days)
    _, first = np.unique(number, return_index=True)
    points = _sums(number, sizes)[number[first]]
    place = sizes.schema.get_field_index("points")
    summed = sizes.take(pa.array(first)).set_column(place, sizes.schema.field(place), pa.array(points))
    return with_sizes(combine_episodes(pieces, schema, keys, days, most, cut), summed, keys, days, cut)


def merge_with_shares(
    partials: Iterable[pa.RecordBatch], schema: pa.Schema, keys: Sequence[str], days: Days, most: int | None
) -> pa.Table:
    """As `merge_episodes`, with `SHARE` before `certain`. `schema`: without it."""
    pieces, sizes = _parted(partials, schema, keys)
    episodes = merge_episodes(pieces, schema, keys, days, most)
    of_sizes, of_episodes = _numbered([sizes, episodes], keys, days)
    shares = episodes["points"].to_numpy() / _sums(of_sizes, sizes)[of_episodes]
    return episodes.add_column(len(schema), SHARE, pa.array(shares, pa.float64()))


def _parted(
    partials: Iterable[pa.RecordBatch], schema: pa.Schema, keys: Sequence[str]
) -> tuple[list[pa.RecordBatch], pa.Table]:
    """The batches of pieces and edges; the sizes."""
    pieces, sizes = [], []
    for batch in partials:
        if _SIZES in (batch.schema.metadata or {}):
            sizes.append(batch.replace_schema_metadata(None))
        else:
            pieces.append(batch)
    return pieces, pa.Table.from_batches(sizes, size_schema([schema.field(name) for name in keys]))


def _numbered(tables: Sequence[pa.Table], keys: Sequence[str], days: Days) -> list[Ints]:
    """A number from 0 on for each row of each table: the same where sub-log and day are."""
    moments = np.concatenate([table[CERTAIN].to_numpy() for table in tables])
    columns = [part_of(moments, days)]
    for name in keys:
        chunks = [chunk for table in tables for chunk in table[name].chunks]
        columns.append(codes_of(pa.chunked_array(chunks, tables[0].schema.field(name).type)))
    sizes = [int(column.max(initial=0)) + 1 for column in columns]
    number, _ = combined(columns, sizes)
    return np.split(number, np.cumsum([table.num_rows for table in tables])[:-1])


def _sums(number: Ints, sizes: pa.Table) -> Ints:
    """The points of each number."""
    sums = np.zeros(int(number.max(initial=-1)) + 1, np.int64)
    np.add.at(sums, number, sizes["points"].to_numpy())
    return sums
