"""Merges what slices found, range by range: the driver holds the rows of one range, however many rows a result has.

Where a table says by which column its partial rows may be merged apart (`ResultTable.apart`), a sample of this column
cuts the rows of all slices into ranges of about as many rows. Each range is read from the slices' batches, merged, and
handed on before the next. All other tables are merged at once; they say what bounds their rows (`ResultTable.bound`).

Cost: each batch is looked at once more, and once for each range that it lies in: slices give their rows in order, so
these are few. Memory: a range and the batches at its ends. All rows of one value of the column are in one range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.language.evaluator import TABLE, ResultTable, suffix_of
from jobs.stages.evaluating.reading import Moments

ROWS_AT_ONCE = 250_000
"""The rows of a range, about."""
SAMPLES = 256
"""Of a range's rows, about so many are in the sample."""

Read = Callable[[], pa.RecordBatch]
"""Gives a batch, as often as it is asked."""


def merged(table: ResultTable, reads: Sequence[Read], days: Moments, most: int | None = None) -> Iterator[pa.Table]:
    """The merge of batches, in tables of about `most` rows (None: ROWS_AT_ONCE), at least one.

    `found` may have batches of other tables, too. Each table's metadata has the totals of all. Raises what the merge
    raises, before the first table.
    """
    most = most or ROWS_AT_ONCE
    known = [batch for batch in (_Known.of(read, table, most) for read in reads) if batch is not None]
    cuts = _cuts(known, most) if table.apart else []
    for begin, end in zip([None, *cuts], [*cuts, None], strict=True):
        of_range = (batch.between(table.apart, begin, end) for batch in known)
        yield table.merge((batch for batch in of_range if batch is not None), days)


@dataclass(frozen=True)
class _Known:
    """A batch of the table that is merged: its rows, and some of the values by which they are cut, ascending."""

    read: Read
    rows: int
    metadata: pa.RecordBatch | None
    """The batch without rows, if its metadata says more than the name of its table."""
    first: int = 0
    last: int = 0
    sample: tuple[int, ...] = ()

    @staticmethod
    def of(read: Read, table: ResultTable, most: int) -> _Known | None:
        batch = read()
        if suffix_of(batch) != table.suffix:
            return None
        metadata = batch.schema.metadata or {}
        empty = pa.RecordBatch.from_pylist([], batch.schema) if metadata.keys() - {TABLE} else None
        if not table.apart or not batch.num_rows:
            return _Known(read, batch.num_rows, empty)
        values = batch.column(table.apart).to_numpy()
        sample = tuple(values[:: max(1, most // SAMPLES)].tolist())
        return _Known(read, batch.num_rows, empty, int(values.min()), int(values.max()), sample)

    def between(self, column: str, begin: int | None, end: int | None) -> pa.RecordBatch | None:
        """The batch with its rows in [begin, end); None if that says nothing."""
        if not self.rows or (begin is not None and self.last < begin) or (end is not None and end <= self.first):
            return self.metadata
        if (begin is None or begin <= self.first) and (end is None or self.last < end):
            return self.read()
        batch = self.read()
        return _rows_between(batch, batch.column(column).to_numpy(), begin, end)


def _rows_between(batch: pa.RecordBatch, values: Ints, begin: int | None, end: int | None) -> pa.RecordBatch:
    """The rows whose values are in [begin, end); not copied if the values ascend."""
    if (values[1:] >= values[:-1]).all():
        first = 0 if begin is None else int(np.searchsorted(values, begin))
        after = len(values) if end is None else int(np.searchsorted(values, end))
        return batch.slice(first, after - first)
    inside = np.ones(len(values), np.bool_)
    if begin is not None:
        inside &= values >= begin
    if end is not None:
        inside &= values < end
    return batch.filter(pa.array(inside))


def _cuts(known: Sequence[_Known], most: int) -> list[int]:
    """Where ranges of about `most` rows begin, but for the first."""
    rows = sum(batch.rows for batch in known)
    if rows <= most:
        return []
    sample = np.sort(np.concatenate([np.array(batch.sample, np.int64) for batch in known]))
    ranges = -(-rows // most)
    return sorted(set(sample[(np.arange(1, ranges) * len(sample)) // ranges].tolist()) - {int(sample[0])})
