"""The rows of a matching result: columns, their types, and their order.

A partial result has two more columns: `certain` and `match_path`. The path has the (seq, state) pairs of the match's
events from first to last. It orders rows with the same last event and window, from whatever slice they come. It is null
if the variables' columns contain the same information. The path of a partial compact row has (ts, seq, state), and its
column `partition` has the values of the equivalences: matches that end at one event may become certain in several
slices, whose rows are then joined (`merging`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Flags, Ints
from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.language.evaluator import CERTAIN
from cep_core.language.patterns.query import Query
from cep_core.matching.arrays.paths import LARGEST, Bound, Paths
from cep_core.matching.kernels.path_order import sort_groups
from cep_core.numbers.count_columns import COUNT

EVENTS = pa.list_(pa.int64())
PATH = "match_path"
LAST_SEQ = "last_seq"
KEY = "partition"
CONFIDENCE = "confidence"
IN_ORDER = b"in_order"
"""Key in the schema metadata of a slice's last batch: the rows of all its batches are in the order of results."""


def result_schema(query: Query, *, collapsed: bool) -> pa.Schema:
    """The columns of `cep.match` (`docs/language.md`, Results)."""
    fields = [("first_ts", pa.int64()), ("last_ts", pa.int64())]
    if query.window.slide is not None:
        fields += [("window_start", pa.int64()), ("window_end", pa.int64())]
    if collapsed:
        fields += [(LAST_SEQ, pa.int64()), ("match_count", COUNT), ("match_count_log10", pa.float64())]
        fields += [("match_count_exact", pa.string())]
        return pa.schema(fields + [(variable.name, EVENTS) for variable in query.positive])
    if query.confidence is not None:
        fields.insert(2, (CONFIDENCE, pa.float64()))
    fields += [(variable.name, EVENTS if variable.kleene else pa.int64()) for variable in query.positive]
    fields += [(item.column, ARROW_TYPES[item.type] if item.type else pa.null()) for item in query.returns]
    return pa.schema(fields)


class RowSchemas(NamedTuple):
    """The columns of a result, of partial results, and of a result with the moments at which rows are certain."""

    result: pa.Schema
    partial: pa.Schema
    certain: pa.Schema

    @staticmethod
    def of(result: pa.Schema) -> RowSchemas:
        certain = result.append(pa.field(CERTAIN, pa.int64())).remove_metadata()
        return RowSchemas(result, partial_schema(result), certain)


def partial_schema(schema: pa.Schema) -> pa.Schema:
    """The columns of partial results: those of the result, then those by which `merge` orders and cuts."""
    collapsed = LAST_SEQ in schema.names
    if not collapsed:
        schema = schema.append(pa.field(LAST_SEQ, pa.int64()))
    schema = schema.append(pa.field(CERTAIN, pa.int64())).append(pa.field(PATH, EVENTS))
    return schema.append(pa.field(KEY, pa.string())) if collapsed else schema


def event_column(bound: Bound, seq: Ints, *, as_list: bool) -> pa.Array:
    """The events of one variable by seq: a list, or the single event; null if the variable is absent."""
    values = seq[bound.rows]
    if bound.one_each and not as_list:
        return pa.array(values)
    absent = ~bound.present
    if as_list:
        return pa.ListArray.from_arrays(
            pa.array(bound.offsets.astype(np.int32)),
            pa.array(values),
            mask=pa.array(absent) if absent.any() else None,
        )
    if not absent.any():
        return pa.array(values)
    places = np.where(absent, 0, bound.offsets[:-1])
    return pa.array(np.append(values, 0)[places], mask=absent)


def no_paths(rows: int) -> pa.Array:
    """The paths of rows whose columns tell them. Batches of usual sizes share their memory."""
    return _no_paths(max(rows, LARGEST.rows)).slice(0, rows)


@lru_cache(maxsize=1)
def _no_paths(rows: int) -> pa.Array:
    return pa.nulls(rows, EVENTS)


def path_column(paths: Paths, seq: Ints) -> pa.Array:
    """The (seq, state) pairs of each match, one after another."""
    return lists_of(np.stack([seq[paths.rows], paths.states], axis=1), paths.offsets)


def lists_of(rows: Ints, offsets: Ints) -> pa.Array:
    """One list for each k: the rows offsets[k]:offsets[k+1] of a matrix, one after another."""
    return pa.ListArray.from_arrays(
        pa.array((rows.shape[1] * offsets).astype(np.int32)), pa.array(np.ascontiguousarray(rows).reshape(-1))
    )


def key_texts(values: Sequence[pa.Array], rows: int) -> pa.Array:
    """The values of the equivalences of each row as one text, which is unique to these values; no value may be null.

    >>> key_texts([pa.array(["a", "a:1"]), pa.array([11, 1])], 2).to_pylist()
    ['1:a:2:11', '3:a:1:1:1']
    """
    texts = [column.cast(pa.string()) for column in values]
    parts = [part for text in texts for part in (pc.utf8_length(text).cast(pa.string()), text)]
    return pc.binary_join_element_wise(*parts, ":") if parts else pa.repeat("", rows)


def batch_of(columns: Mapping[str, pa.Array], schema: pa.Schema) -> pa.RecordBatch:
    """The columns in the order and the types of a schema."""
    return pa.RecordBatch.from_arrays([columns[name] for name in schema.names], schema=schema)  # casts, too


def ordered(table: pa.Table, rows: Ints | None = None) -> Ints:
    """The order of some partial rows (None: all): by last_ts, last seq, window, then path; a path comes before its
    extensions.

    Rows of one source are already in order, so usually this function only checks the order. Paths are looked at where
    rows are equal in all else.
    """
    rows = np.arange(table.num_rows) if rows is None else rows
    keys = [table.column(name).to_numpy()[rows] for name in _places(table)]
    order = np.arange(len(rows))
    same = np.ones(max(len(rows) - 1, 0), np.bool_)
    ascending = same.copy()
    for key in keys:
        ascending &= ~same | (key[1:] >= key[:-1])
        same &= key[1:] == key[:-1]
    if not ascending.all():
        order = np.lexsort(keys[::-1])
        same = np.logical_and.reduce([key[order][1:] == key[order][:-1] for key in keys])
    order = rows[order]
    tied = np.append(False, same)[: len(order)] | np.append(same, False)[: len(order)]
    if tied.any():
        new = np.append(True, ~same)[tied]
        order[tied] = order[tied][_by_path(table.take(pa.array(order[tied])), new)]
    return order


def _places(table: pa.Table) -> list[str]:
    """The columns by which rows are ordered before their paths are looked at: the last event, and the window."""
    return ["last_ts", LAST_SEQ, *(name for name in ("window_start",) if name in table.column_names)]


def _by_path(table: pa.Table, new: Flags) -> Ints:
    """The order of rows within groups. `new`: which rows begin a group."""
    paths = with_paths(table).column(PATH).combine_chunks()
    order, groups = np.arange(table.num_rows), np.append(np.flatnonzero(new), table.num_rows)
    sort_groups(order, groups, paths.offsets.to_numpy().astype(np.int64), paths.values.to_numpy())
    return order


def ascend(neighbours: Iterable[tuple[pa.RecordBatch, pa.RecordBatch]], *, strictly: bool) -> bool:
    """Whether batches that are in order each are in order one after another: their first and last rows are compared.

    `strictly`: no two of them share a last event and window.
    """
    for earlier, later in neighbours:
        ends = pa.Table.from_batches([earlier.slice(earlier.num_rows - 1), later.slice(0, 1)])
        if ordered(ends)[0] == 1:
            return False
        if strictly and all(len(ends.column(name).unique()) == 1 for name in _places(ends)):
            return False
    return True


def with_paths(table: pa.Table) -> pa.Table:
    """Fills in the paths that rows omit because their columns give them: one state for each variable, in order."""
    paths = table.column(PATH).combine_chunks()
    if not paths.null_count:
        return table
    fixed = ("first_ts", "last_ts", "window_start", "window_end", LAST_SEQ, CERTAIN, PATH)
    columns = [table.column(name).combine_chunks() for name in table.column_names if name not in fixed]
    lengths = np.empty((table.num_rows, len(columns)), np.int64)
    for state, values in enumerate(columns):
        lengths[:, state] = np.diff(values.offsets.to_numpy()) if pa.types.is_list(values.type) else 1
    ends = np.cumsum(lengths)
    begins = (ends - lengths.reshape(-1)).reshape(lengths.shape)
    pairs = np.empty((ends[-1] if len(ends) else 0, 2), np.int64)
    for state, values in enumerate(columns):
        counts = lengths[:, state]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        places = np.repeat(begins[:, state], counts) + within
        flat = values.flatten() if pa.types.is_list(values.type) else values
        pairs[places, 0], pairs[places, 1] = flat.to_numpy(), state
    offsets = np.concatenate([[0], 2 * ends[len(columns) - 1 :: len(columns)]]).astype(np.int32)
    filled = pa.ListArray.from_arrays(pa.array(offsets), pa.array(pairs.reshape(-1)))
    whole = pc.if_else(paths.is_valid(), paths, filled)
    return table.set_column(table.column_names.index(PATH), PATH, whole)


def window_columns(window_start: Ints | None, size: int) -> Mapping[str, pa.Array]:
    """With SLIDE, the columns `window_start` and `window_end`; otherwise none."""
    if window_start is None:
        return {}
    return {"window_start": pa.array(window_start), "window_end": pa.array(window_start + size)}
