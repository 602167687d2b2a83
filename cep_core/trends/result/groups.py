"""The totals of each group and window, from the totals of each partition and window of one slice."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

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


def group_trends(trends: Trends, keys: pa.Table, group_by: Sequence[str], slide: int) -> Groups:
    """Merge the partitions of each group. `keys`: the values that the events of each partition share.

    If a grouped attribute is not among the keys, no event of these trends has it: its group is null.
    """
    shared = [name for name in group_by if name in keys.column_names]
    differ = keys.num_columns == 1  # each partition has another key
    key = [code for name in shared for code in column_codes(keys.column(name), differ=differ)]
    if key:
        partition_group, group_partition = group_rows(key)
        groups, firsts = group_rows([trends.window, partition_group[trends.partition]])
        chosen = pa.array(group_partition[partition_group[trends.partition[firsts]]])
    else:
        groups, firsts = group_rows([trends.window])
    count, start, totals, least = len(firsts), trends.window, trends.totals, trends.minima
    if groups is not firsts:  # else the rows are the groups as they are
        start = start[firsts]
        if count == len(groups):  # each row is a group, so nothing is added
            totals = tuple(total.take(firsts) for total in totals)
            least = tuple(codes[firsts] for codes in least)
        else:
            totals = tuple(total.sum_by(groups, count) for total in totals)
            least = tuple(least_by(codes, groups, count) for codes in least)
    columns = [keys.column(name).take(chosen) if name in shared else pa.nulls(count) for name in group_by]
    return Groups(
        pa.table(columns, names=list(group_by)),
        start * slide,
        totals,
        tuple(np.full(count, shift, dtype=np.int64) for shift in trends.shifts),
        tuple(map(decode, least, trends.codings)),
    )


def joined(parts: Sequence[Groups]) -> Groups | None:
    """Parts whose windows follow each other as one, with a common shift of each total; None where windows mix.

    >>> part = Groups(pa.table({"k": [7]}), np.array([10]), (Integers.of([3]),), (np.array([1]),), ())
    >>> later = replace(part, start=np.array([20]), shifts=(np.array([0]),))
    >>> joined([part, later]).totals[0].to_list(), joined([later, part])
    ([3, 6], None)
    """
    if len(parts) == 1:
        (part,) = parts
        alone = tuple(total.alone() for total in part.totals)
        return part if all(map(operator.is_, alone, part.totals)) else replace(part, totals=alone)
    filled = [part for part in parts if len(part.start)]
    if not filled or any(earlier.start[-1] >= later.start[0] for earlier, later in pairwise(filled)):
        return None
    totals, shifts = [], []
    for i in range(len(filled[0].totals)):
        shift = np.concatenate([part.shifts[i] for part in filled])
        largest = shift.max()
        totals.append(Integers.concatenate([part.totals[i] for part in filled]).shifted(largest - shift).alone())
        shifts.append(np.full(len(shift), largest, dtype=np.int64))
    minima = [pa.concat_arrays([part.minima[i] for part in filled]) for i in range(len(filled[0].minima))]
    return Groups(
        pa.concat_tables([part.keys for part in filled], promote_options="default"),  # a part may know no key
        np.concatenate([part.start for part in filled]),
        tuple(totals),
        tuple(shifts),
        tuple(minima),
    )


def least_by(codes: Ints, groups: Ints, count: int) -> Ints:
    """The least code of each group."""
    least = np.full(count, NOTHING, dtype=np.int64)
    keep_least(least, read_only(groups), read_only(codes))
    return least
