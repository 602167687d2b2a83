"""Pairs of matches as the columns of a result. Linear in the events of the pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints
from cep_core.language.evaluator import CERTAIN
from cep_core.language.patterns.query import Query
from cep_core.matching.arrays.paths import Bound
from cep_core.matching.judging.quantities import Matches
from cep_core.matching.pairs.pair_sides import PairSide, bound_in, rows_of
from cep_core.matching.result.match_columns import returned_columns
from cep_core.matching.result.match_rows import LAST_SEQ, PATH


class Pairs(NamedTuple):
    """n pairs: match of_left[k] of the left side with match of_right[k] of the right side."""

    left: PairSide
    right: PairSide
    of_left: Ints
    of_right: Ints

    def take(self, wanted: Ints | Flags) -> Pairs:
        """The pairs with these numbers."""
        return self._replace(of_left=self.of_left[wanted], of_right=self.of_right[wanted])

    @property
    def tables(self) -> tuple[pa.Table, pa.Table]:
        """The rows of both matches of each pair."""
        return self.left.table.take(pa.array(self.of_left)), self.right.table.take(pa.array(self.of_right))


def bound_events(query: Query, sides: tuple[pa.Table, pa.Table], events: pa.Table) -> dict[str, tuple[bool, Bound]]:
    """By variable, whether the left side binds it, and the rows of its events in each match of `sides`."""
    variables = {}
    for variable in query.positive:
        on_left = variable.name in sides[0].column_names
        bound = bound_in(sides[0] if on_left else sides[1], variable.name)
        variables[variable.name] = on_left, Bound(bound.offsets, rows_of(events, bound.rows))
    return variables


def pair_columns(query: Query, pairs: Pairs, events: pa.Table) -> tuple[dict[str, pa.Array], Matches]:
    """Every column of partial rows except the confidence, and the pairs as `Matches`, for conditions."""
    left, right = pairs.tables
    variables = bound_events(query, (left, right), events)
    lists = frozenset(variable.name for variable in query.positive if variable.kleene)
    matches = Matches(events, {name: bound for name, (_, bound) in variables.items()}, lists, len(pairs.of_left))
    columns = _borders(left, right)
    for name, (on_left, _) in variables.items():
        columns[name] = (left if on_left else right)[name].combine_chunks()
    return {**columns, **returned_columns(query, matches)}, matches


def _borders(left: pa.Table, right: pa.Table) -> dict[str, pa.Array]:
    """The columns of each pair for its first and last events and for the moment at which it becomes certain."""
    ends = {name: (left[name].to_numpy(), right[name].to_numpy()) for name in ("first_ts", "last_ts", LAST_SEQ)}
    later = (ends["last_ts"][1] > ends["last_ts"][0]) | (
        (ends["last_ts"][1] == ends["last_ts"][0]) & (ends[LAST_SEQ][1] > ends[LAST_SEQ][0])
    )
    columns: dict[str, pa.Array] = {
        "first_ts": pa.array(np.minimum(*ends["first_ts"])),
        "last_ts": pa.array(np.maximum(*ends["last_ts"])),
        LAST_SEQ: pa.array(np.where(later, ends[LAST_SEQ][1], ends[LAST_SEQ][0])),
        CERTAIN: pa.array(np.maximum(left[CERTAIN].to_numpy(), right[CERTAIN].to_numpy())),
        PATH: _concatenated(left[PATH].combine_chunks(), right[PATH].combine_chunks()),
    }
    if "window_start" in left.column_names:
        columns |= {name: left[name].combine_chunks() for name in ("window_start", "window_end")}
    return columns


def _concatenated(first: pa.ListArray, second: pa.ListArray) -> pa.ListArray:
    """For each row, the elements of both lists, one after another."""
    offsets, later = first.offsets.to_numpy(), second.offsets.to_numpy()
    lengths = np.stack([np.diff(offsets), np.diff(later)], axis=1)
    values = np.concatenate([first.flatten().to_numpy(), second.flatten().to_numpy()])
    begins = np.stack([offsets[:-1] - offsets[0], later[:-1] - later[0] + len(first.flatten())], axis=1)
    flat = lengths.reshape(-1)
    ends = np.cumsum(flat)
    places = np.arange(flat.sum()) - np.repeat(ends - flat, flat) + np.repeat(begins.reshape(-1), flat)
    starts = np.concatenate([[0], np.cumsum(lengths.sum(axis=1))])
    return pa.ListArray.from_arrays(pa.array(starts.astype(np.int32)), pa.array(values[places]))
