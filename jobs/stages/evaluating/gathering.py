"""Pieces of results that slices find apart, brought together by their values (`OpenForm`, docs/semantics.md 6).

A plan may slice by variables that a query's results do not have. Then several slices may find the same result, and each
gives pieces. Those with equal visible values get into one bucket, from whatever slice, and a bucket's pieces make one
partial result. Cost: one hash of each visible value of each piece.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from cep_core.language.open_form import Gather, OpenForm
from cep_core.slicing.hashing import common_type, coordinates, keys_of, seed_of
from cep_core.slicing.ranges import BEGINNING
from jobs.stages.evaluating.assignment import Assignment, compiled
from jobs.stages.evaluating.left_batches import from_bytes, to_bytes
from jobs.stages.evaluating.reading import between
from jobs.stages.evaluating.slices.slice_partial import FINISHED, SlicePartial, peak_memory


def in_buckets(
    whole: SlicePartial, pieces: Sequence[pa.RecordBatch], opened: OpenForm, count: int
) -> Iterator[SlicePartial]:
    """The pieces of a slice by the hash of their visible values; without such values all are in the first bucket."""
    table = pa.Table.from_batches([piece.replace_schema_metadata(None) for piece in pieces])
    bucket = np.zeros(table.num_rows, np.int64)
    for name in opened.visible:
        keys, _ = keys_of(table[name], common_type([table.schema.field(name).type]))
        bucket = coordinates(keys ^ bucket.astype(np.uint64), seed_of(name), count)
    for number in np.unique(bucket).tolist() if opened.visible else [0]:
        rows = table.filter(pa.array(bucket == number)).combine_chunks()
        batches = rows.to_batches() or [pa.RecordBatch.from_pylist([], rows.schema)]
        nothing = tuple(0 for _ in whole.events)
        yield replace(whole, batches=encoded(batches), events=nothing, rows=0, seconds=0.0, bucket=number)


def gather(assignment: Assignment, partials: Iterable[SlicePartial], points: pa.Table | None) -> Iterator[SlicePartial]:
    """The partials, those of one bucket made one partial that is ready for the merge."""
    buckets: dict[tuple[str, int, int], list[SlicePartial]] = {}
    for partial in partials:
        if partial.bucket == FINISHED:
            yield partial
        else:
            buckets.setdefault((partial.into, partial.block, partial.bucket), []).append(partial)
    for (into, block, number), own in buckets.items():
        begin = time.perf_counter()
        query = next(query for query in assignment.queries if query.into == into)
        days = assignment.blocks[into][block]
        since = assignment.since.get(into, (BEGINNING,) * (block + 1))[block]
        assert points is not None, "a query that projects reads time-points"
        seen = points.slice(*_span(between(points["ts"].to_numpy(), since, days[-1])))
        gathering: Gather = compiled(query, assignment.schema).gather  # type: ignore[attr-defined]
        batches = list(gathering([from_bytes(content) for part in own for content in part.batches], days, seen))
        yield replace(
            own[0],
            slice=number,
            batches=encoded(batches),
            seconds=time.perf_counter() - begin,
            peak_memory=peak_memory(),
            bucket=FINISHED,
        )


def _span(places: slice) -> tuple[int, int]:
    """The offset and the length of a slice."""
    return places.start, places.stop - places.start


def encoded(batches: Iterable[pa.RecordBatch]) -> tuple[bytes, ...]:
    """Each batch as an IPC stream."""
    return tuple(map(to_bytes, batches))
