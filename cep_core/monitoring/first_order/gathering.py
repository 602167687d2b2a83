"""Pieces of a projected policy: the runs of points that a slice finds for each valuation of the visible variables.

Several slices may find the same point for the same visible values, with other hidden ones. So pieces are unions of
runs, brought together by value, and counted, listed and joined to episodes only then. Cost: a sort of the runs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.time_points import offsets_in_stamp
from cep_core.events.schema import AttributeType
from cep_core.monitoring.first_order.arrays.relation import Column, Relation, plain_floats
from cep_core.monitoring.first_order.arrays.texts import Texts
from cep_core.monitoring.first_order.operators.normal import merged
from cep_core.monitoring.first_order.result.satisfactions import Satisfactions

_ENDS = ("first_ts", "first_offset", "last_ts", "last_offset")


def piece_schema(visible: Mapping[str, AttributeType]) -> pa.Schema:
    """The first and last point of a run, then the visible values."""
    fields = [pa.field(f"({name})", pa.int64(), False) for name in _ENDS]
    return pa.schema([*fields, *(pa.field(name, ARROW_TYPES[kind], False) for name, kind in visible.items())])


def pieces_of(
    held: Satisfactions, visible: Mapping[str, AttributeType], log: PointLog, first: int, last: int
) -> pa.Table:
    """The runs inside the points [first, last), the hidden variables of `held` projected away."""
    runs = projected(held, visible).between(first, last)
    offsets = offsets_in_stamp(log.stamps)
    ends = [log.stamps[runs.begin], offsets[runs.begin], log.stamps[runs.end - 1], offsets[runs.end - 1]]
    values = [held.values(name, column) for name, column in zip(visible, runs.columns, strict=True)]
    schema = piece_schema(visible)
    return pa.table([*map(pa.array, ends), *values], names=schema.names).cast(schema)


def projected(held: Satisfactions, visible: Mapping[str, AttributeType]) -> Relation:
    """The satisfactions without their hidden variables, in normal form."""
    return merged(held.relation.of_variables(tuple(visible)))


def gathered(
    pieces: Sequence[pa.RecordBatch], visible: Mapping[str, AttributeType], log: PointLog, *, negated: bool
) -> Satisfactions:
    """What the pieces of all slices say of a log of which only the points are known.

    `negated`, without variables: the points of which no piece tells.
    """
    table = pa.Table.from_batches(pieces, piece_schema(visible))
    first_ts, first_offset, last_ts, last_offset = (column.to_numpy() for column in table.columns[: len(_ENDS)])
    texts = Texts()
    columns = tuple(_column(table[name], kind, texts) for name, kind in visible.items())
    begin = np.searchsorted(log.stamps, first_ts) + first_offset
    end = np.searchsorted(log.stamps, last_ts) + last_offset + 1
    runs = merged(Relation(tuple(visible), columns, begin, end))
    return Satisfactions(_complement(runs, log.points) if negated else runs, texts, visible)


def _complement(runs: Relation, points: int) -> Relation:
    """The points of a log at which a relation without variables, in normal form, does not hold."""
    begin: Ints = np.append(0, runs.end)
    end: Ints = np.append(runs.begin, points)
    return Relation((), (), begin, end).of_rows(begin < end)


def _column(values: pa.ChunkedArray, kind: AttributeType, texts: Texts) -> Column:
    if kind is AttributeType.STRING:
        return texts.codes_of(values)
    column = values.to_numpy()
    return plain_floats(column) if kind is AttributeType.FLOAT else column.astype(np.int64)
