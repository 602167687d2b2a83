"""Compact rows of `P AND Q`: all pairs that end at one event as one row (SASE++, section 5.2, collapsed format).

Pairs are gathered some at a time: of each row its number of pairs, and each side's matches once. The row holds for each
variable every event that one of these matches binds to it. Cost: sorting the pairs; memory: the rows, and for each the
matches of both sides that it is made of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.language.evaluator import CERTAIN
from cep_core.matching.arrays.paths import Bound
from cep_core.matching.result.match_rows import KEY, LAST_SEQ, PATH, event_column, lists_of
from cep_core.numbers.count_columns import COUNTS, count_columns

ROW = (LAST_SEQ, "window_start", "group", "part")
"""What the pairs of one row have in common: last event, window, values of the equivalences, operating day."""


class CompactPairs:
    """Gathers pairs (one, other) of matches of the left and of the right side."""

    def __init__(self) -> None:
        self._rows: list[pa.Table] = []
        self._sides: tuple[list[pa.Table], list[pa.Table]] = ([], [])

    def add(self, borders: Mapping[str, Ints], one: Ints, other: Ints) -> None:
        """`borders`: of each pair the columns of ROW, `first_ts`, `last_ts` and `certain`."""
        pairs = pa.table({**borders, "count": np.ones(len(one), np.int64), "one": one, "other": other})
        self._rows.append(_rows_of(pairs))
        for name, side in zip(("one", "other"), self._sides, strict=True):
            side.append(_distinct(pairs, name))

    def columns(
        self, variables: Sequence[tuple[bool, Bound]], events: pa.Table, key: pa.Array
    ) -> dict[str | int, pa.Array]:
        """Of each row, by last event: the columns of compact results, and by number those of the variables.

        `variables`: whether each belongs to the left side, and the rows of its events in each match of its side; `key`:
        by match of the left side the values of the equivalences.
        """
        if not self._rows:
            return {}
        rows = _rows_of(pa.concat_tables(self._rows))
        rows = rows.sort_by([(name, "ascending") for name in ("last_ts", *ROW)])
        numbered = rows.select(ROW).append_column("row", pa.array(np.arange(len(rows))))
        made_of = []
        for name, side in zip(("one", "other"), self._sides, strict=True):
            distinct = _distinct(pa.concat_tables(side), name).join(numbered, list(ROW))
            made_of.append((distinct["row"].to_numpy(), distinct[name].to_numpy()))
        columns: dict[str | int, pa.Array] = {
            name: rows[name].combine_chunks() for name in ("first_ts", "last_ts", LAST_SEQ, "window_start", CERTAIN)
        }
        counts = count_columns(rows["count"].to_numpy(), {})
        columns |= dict(zip(COUNTS, counts, strict=True))
        seq = events["seq"].to_numpy()
        bound = [_bound(its, *made_of[0 if left else 1], len(rows)) for left, its in variables]
        columns |= {number: event_column(its, seq, as_list=True) for number, its in enumerate(bound)}
        columns[PATH] = _paths(bound, events["ts"].to_numpy(), seq)
        row, a_place = np.unique(made_of[0][0], return_index=True)
        assert len(row) == len(rows)
        columns[KEY] = key.take(pa.array(made_of[0][1][a_place]))
        return columns


def _rows_of(pairs: pa.Table) -> pa.Table:
    """What pairs of each row add up to; `count` of them."""
    found = pairs.group_by(list(ROW), use_threads=False).aggregate(
        [("first_ts", "min"), ("last_ts", "min"), (CERTAIN, "min"), ("count", "sum")]
    )
    return found.rename_columns([name.removesuffix("_min").removesuffix("_sum") for name in found.column_names])


def _distinct(pairs: pa.Table, name: str) -> pa.Table:
    return pairs.group_by([*ROW, name], use_threads=False).aggregate([])


def _bound(its: Bound, row: Ints, match: Ints, rows: int) -> Bound:
    """The events of a variable in each row, each once, in the order of time."""
    lengths = its.lengths[match]
    ends = np.cumsum(lengths)
    places = np.repeat(its.offsets[match] - (ends - lengths), lengths) + np.arange(ends[-1] if len(ends) else 0)
    pairs = np.unique(np.stack([np.repeat(row, lengths), its.rows[places]]), axis=1)
    return Bound(np.searchsorted(pairs[0], np.arange(rows + 1)), pairs[1])


def _paths(bound: Sequence[Bound], ts: Ints, seq: Ints) -> pa.Array:
    """The (ts, seq, number of the variable) of the events of each row, in this order."""
    lengths = np.stack([its.lengths for its in bound], axis=1)
    owner = np.concatenate([np.repeat(np.arange(len(its.lengths)), its.lengths) for its in bound])
    variable = np.repeat(np.arange(len(bound)), lengths.sum(axis=0))
    rows = np.concatenate([its.rows for its in bound])
    order = np.lexsort((variable, rows, owner))
    nodes = np.stack([ts[rows], seq[rows], variable], axis=1)[order]
    return lists_of(nodes, np.concatenate([[0], np.cumsum(lengths.sum(axis=1))]))
