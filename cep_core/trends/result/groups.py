"""The totals of each group and window, from the totals of each partition and window of one slice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from cep_core.arrays import NOTHING, Ints, read_only
from cep_core.numbers.codes import decode
from cep_core.numbers.group_sums import keep_least
from cep_core.numbers.groups import column_codes, group_rows
from cep_core.numbers.integers import Integers
from cep_core.trends.result.trends import Trends


@dataclass(frozen=True)
class Groups:
    """One row for each group and window, ordered by window, then group."""

    keys: pa.Table
    """The grouped attributes, under their own names."""
    start: Ints
    """The start of each window."""
    totals: tuple[Integers, ...]
    """The number of trends, then the other totals."""
    shifts: tuple[Ints, ...]
    """Total i is its number divided by 2**shift."""
    minima: tuple[pa.Array, ...]

    def negative(self) -> Groups:
        """The same groups with negative totals. Merging adds rows, so this subtracts the groups from other rows."""
        return replace(self, totals=tuple(total.negative() for total in self.totals))


def group_trends(trends: Trends, keys: pa.Table, partitions: int, group_by: Sequence[str], slide: int) -> Groups:
    """Merge the partitions of each group. `keys`: the values that the events of each partition share.

    If a grouped attribute is not among the keys, no event of these trends has it: its group is null.
    """
    shared = [name for name in group_by if name in keys.column_names]
    key = [code for name in shared for code in column_codes(keys.column(name))]
    partition_group, group_partition = group_rows(key or [np.zeros(partitions, dtype=np.int64)])
    groups, firsts = group_rows([partition_group[trends.partition], trends.window])
    count = len(firsts)
    chosen = pa.array(group_partition[partition_group[trends.partition[firsts]]])
    columns = [keys.column(name).take(chosen) if name in shared else pa.nulls(count) for name in group_by]
    minima = zip(trends.minima, trends.codings, strict=True)
    return Groups(
        pa.table(columns, names=list(group_by)),
        trends.window[firsts] * slide,
        tuple(total.sum_by(groups, count) for total in trends.totals),
        tuple(np.full(count, shift, dtype=np.int64) for shift in trends.shifts),
        tuple(decode(least_by(codes, groups, count), coding) for codes, coding in minima),
    )


def least_by(codes: Ints, groups: Ints, count: int) -> Ints:
    """The least code of each group."""
    least = np.full(count, NOTHING, dtype=np.int64)
    keep_least(least, read_only(groups), read_only(codes))
    return least
