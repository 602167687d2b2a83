"""The rows that a monitor reports: `ts`, `tp` and the variables, for each point and valuation that satisfies a policy.

Rows are ordered by point and then by the values of the variables: numbers by size, NaN last, texts by their characters.
They are made from runs a batch at a time, so a listing that is longer than memory can be streamed. Cost: O(rows), and
O(log m) for each of m runs that begin at one point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pyarrow as pa

from cep_core.arrays import Ints
from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.events.logs.point_log import PointLog
from cep_core.events.logs.time_points import OFFSET, offsets_in_stamp
from cep_core.events.schema import AttributeType
from cep_core.monitoring.first_order.arrays.relation import Column, Relation
from cep_core.monitoring.first_order.arrays.setting import in_order
from cep_core.monitoring.first_order.arrays.texts import Texts
from cep_core.monitoring.first_order.kernels.listing import Listing, next_rows

TIME_POINT = "tp"
"""The column for a point's index in the log."""
BATCH_ROWS = 1 << 16


def verdict_schema(variables: Mapping[str, AttributeType], place: str = TIME_POINT) -> pa.Schema:
    """The columns of the rows: `ts`, `tp` (or `offset`) and one for each variable, whose names may repeat these."""
    fields = [pa.field("ts", pa.int64(), False), pa.field(place, pa.int64(), False)]
    return pa.schema([*fields, *(pa.field(name, ARROW_TYPES[kind], False) for name, kind in variables.items())])


def rows(
    relation: Relation,
    log: PointLog,
    texts: Texts,
    variables: Mapping[str, AttributeType],
    decided: int | None = None,
    *,
    place: str = TIME_POINT,
) -> pa.Table:
    """All rows of the relation at the first `decided` points (None: at all points), in order.

    `relation`: in normal form, its columns in the order of `variables`.

    >>> relation = Relation(("x",), (np.array([7, 5]),), np.array([0, 1]), np.array([2, 3]))
    >>> log = PointLog(np.array([10, 10, 12]))
    >>> table = rows(relation, log, Texts(), {"x": AttributeType.INT}, place=OFFSET)
    >>> list(zip(*table.to_pydict().values()))
    [(10, 0, 7), (10, 1, 5), (10, 1, 7), (12, 0, 5)]
    """
    batches = row_batches(relation, log, texts, variables, decided, place=place)
    return pa.Table.from_batches(batches, verdict_schema(variables, place))


def row_batches(
    relation: Relation,
    log: PointLog,
    texts: Texts,
    variables: Mapping[str, AttributeType],
    decided: int | None = None,
    *,
    place: str = TIME_POINT,
    first: int = 0,
    most: int = BATCH_ROWS,
) -> Iterator[pa.RecordBatch]:
    """The same rows in batches of about `most`; the rows of one point are never cut. `first`: the log's first index."""
    schema = verdict_schema(variables, place)
    pairs = [_coded(column, kind, texts) for column, kind in zip(relation.columns, variables.values(), strict=True)]
    codes = np.empty((relation.rows, len(pairs)), np.int64)
    for number, (ordered, _) in enumerate(pairs):
        codes[:, number] = ordered
    places = offsets_in_stamp(log.stamps) if place == OFFSET else np.arange(log.points) + first
    limit = log.points if decided is None else min(decided, log.points)
    listing = Listing(np.zeros(0, np.int64), 0, 0)
    while listing.point < limit:
        runs, points, listing = next_rows(codes, relation.begin, relation.end, listing, limit, most)
        if len(runs):
            columns = [decode(runs) for _, decode in pairs]
            yield pa.record_batch([pa.array(log.stamps[points]), pa.array(places[points]), *columns], schema=schema)


def _coded(column: Column, kind: AttributeType, texts: Texts) -> tuple[Ints, Callable[[Ints], pa.Array]]:
    """A column as integers in the order of its values, and what gives the values of some runs."""
    if kind is not AttributeType.STRING:
        return in_order(column), lambda runs: pa.array(column[runs]).cast(ARROW_TYPES[kind])
    distinct, numbers = np.unique(column.astype(np.int64, copy=False), return_inverse=True)
    values = texts.texts_of(distinct)
    order = np.array(sorted(range(len(distinct)), key=values.to_pylist().__getitem__), np.int64)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    ranked, ranks = values.take(pa.array(order)), rank[numbers]
    return ranks, lambda runs: ranked.take(pa.array(ranks[runs]))
