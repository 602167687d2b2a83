"""Episodes: longest runs of points at which one valuation violates a policy, cut at the ends of operating days.

Points that judge a valuation end its episodes, if they do not violate. Most policies judge at every point. A policy
that says `A IMPLIES B` judges where `A` holds; its other points neither end an episode nor count in it.

An engine gives the runs of violating points in each part of a day (`pieces`). A slice may own a part of a day only: a
range of time, or what fits its limit of rows. It then reports its piece of an episode, and `merge_episodes` joins the
pieces: two are joined if each touches its end of its part and no judging point lies between them. To know that, a slice
also reports the edges of the parts that are cut: their first and last judging points, by the columns on which judging
depends (`keys`: the sub-log, and the variables of `A`). Where every point judges, the points next to a part that the
slice knows are edges, too: a slice without events is not evaluated, though its points end episodes.

What reaches the merge: the first `most` pieces of each day and slice. If ranges of time cut a day, also the pieces at
the ends of its parts, and up to four edges for each key; parts that one slice evaluates apart are joined before
(`combine_episodes`), so that a slice of whole days sends no more than is listed. Cost: sorting these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from cep_core.arrays import Flags, Ints, distinct
from cep_core.events.chunks import one_array
from cep_core.language.evaluator import CERTAIN, TOTALS
from cep_core.language.totals import Days, Total, add, decode, encode, first_of_each, part_of, parts
from cep_core.monitoring.shared.listing import with_certain
from cep_core.numbers.count_columns import all_digits

EPISODES = "_episodes"
"""The suffix of the table."""
COUNTED_IN = "episodes"
"""The column of `result_days` that holds their exact number."""
_NUMBERS = ("first_ts", "first_offset", "last_ts", "last_offset", "points")
_TOUCHES = ("touches_begin", "touches_end")
RUN_COLUMNS = (*_NUMBERS, *_TOUCHES)
"""The columns of an episode beside its valuation."""
_EDGES = b"edges"

Judged = Callable[[Ints, Ints], Ints]
"""For the numbers of some runs and a point for each: how many judging points of the run's valuation lie before it."""


def at_every_point(_: Ints, points: Ints) -> Ints:
    """Every point judges (`Judged`)."""
    return points


@dataclass(frozen=True)
class Runs:
    """Runs of violating points in parts of days, in order of (`number`, `begin`).

    `number`: of the run's valuation, equal for runs of equal valuations of one sub-log. The run is [`begin`, `end`);
    its part of a day is [`first`, `last`).
    """

    number: Ints
    begin: Ints
    end: Ints
    first: Ints
    last: Ints


def pieces(runs: Runs, stamps: Ints, offsets: Ints, judged: Judged = at_every_point) -> tuple[pa.Table, Ints]:
    """The episodes of each part, with `RUN_COLUMNS`; and the run with which each begins.

    `stamps`, `offsets`: of the points. A part is touched if no judging point lies between its end and the episode.

    >>> runs = Runs(*(np.array(column) for column in ([5, 5], [0, 3], [1, 4], [0, 0], [5, 5])))
    >>> stamps, offsets = np.array([10, 20, 30, 40, 50]), np.zeros(5, np.int64)
    >>> [tuple(row.values()) for row in pieces(runs, stamps, offsets)[0].to_pylist()]
    [(10, 0, 10, 0, 1, True, False), (40, 0, 40, 0, 1, False, False)]
    >>> at_10_and_40 = np.array([0, 1, 1, 1, 2, 2])  # judging points before each point
    >>> [tuple(row.values()) for row in pieces(runs, stamps, offsets, lambda _, p: at_10_and_40[p])[0].to_pylist()]
    [(10, 0, 40, 0, 2, True, True)]
    """
    rows = np.arange(len(runs.begin))
    before, after = judged(rows, runs.begin), judged(rows, runs.end)
    begins = np.ones(len(rows), np.bool_)
    begins[1:] = (runs.number[1:] != runs.number[:-1]) | (runs.first[1:] != runs.first[:-1])
    begins[1:] |= before[1:] != after[:-1]
    start = np.flatnonzero(begins)
    stop = np.append(start[1:], len(rows))[: len(start)] - 1
    lengths = runs.end - runs.begin
    columns = {
        "first_ts": stamps[runs.begin[start]],
        "first_offset": offsets[runs.begin[start]],
        "last_ts": stamps[runs.end[stop] - 1],
        "last_offset": offsets[runs.end[stop] - 1],
        "points": np.add.reduceat(lengths, start) if len(start) else lengths,
        "touches_begin": before[start] == judged(start, runs.first[start]),
        "touches_end": after[stop] == judged(stop, runs.last[stop]),
    }
    return pa.table({name: pa.array(column) for name, column in columns.items()}), start


def episode_schema(values: Sequence[pa.Field]) -> pa.Schema:
    """The columns of episodes. `values`: those of the valuation."""
    numbers = [pa.field(name, pa.int64(), False) for name in _NUMBERS]
    return pa.schema([*numbers, *(pa.field(name, pa.bool_(), False) for name in _TOUCHES), *values])


def edge_schema(keys: Sequence[pa.Field]) -> pa.Schema:
    """The columns of edges: the values on which judging depends, and a judging point with its moment of certainty."""
    return pa.schema([*keys, *(pa.field(name, pa.int64(), False) for name in ("ts", "offset", CERTAIN))])


def edges_of_part(points: int, first: int, last: int) -> Ints:
    """Where every one of the `points` judges: the edges of the part [first, last), and the points beside it."""
    near = np.unique(np.array([first - 1, first, last - 1, last]))
    return near[(near >= 0) & (near < points)]


def partial_episodes(
    pieces: pa.Table, known: pa.Table, days: Days, most: int | None, cut: tuple[bool, bool] = (True, True)
) -> list[pa.RecordBatch]:
    """What one slice reports of its pieces `found`, with `certain`, and of its edges `known`.

    `cut`: as in `Ownership`.
    """
    part = part_of(pieces[CERTAIN].to_numpy(), days)
    numbers = np.bincount(part, minlength=len(parts(days)))
    totals = {day: Total(int(number)) for day, number in zip(parts(days), numbers, strict=True)}
    at_ends = _flags(pieces, "touches_begin") & (part == 0) & cut[0]
    at_ends |= _flags(pieces, "touches_end") & (part == len(numbers) - 1) & cut[1]
    order = _in_order(pieces)
    listed = np.arange(len(order)) if most is None else first_of_each(part[order], most)
    kept = distinct(np.concatenate([order[listed], np.flatnonzero(at_ends)]))
    last = pa.RecordBatch.from_pylist([], pieces.schema).replace_schema_metadata({TOTALS: encode(totals)})
    points = known.replace_schema_metadata({_EDGES: b"true"})
    return [*pieces.take(pa.array(kept)).replace_schema_metadata(None).to_batches(), *points.to_batches(), last]


def merge_episodes(
    partials: Iterable[pa.RecordBatch], schema: pa.Schema, keys: Sequence[str], days: Days, most: int | None
) -> pa.Table:
    """`schema` plus `certain`: the first `most` episodes of each day by (first_ts, first_offset, values).

    `keys`: the columns of `schema` on which judging depends. `certain` is the moment of the first point. Metadata:
    `totals`, the exact numbers of episodes as in `evaluator.TOTALS`.
    """
    episodes, _, together = joined_episodes(partials, schema, keys, days)
    order = _in_order(episodes)
    part = part_of(episodes[CERTAIN].to_numpy()[order], days)
    listed = order if most is None else order[first_of_each(part, most)]
    everything = sum(total.at_least for total in together.values())
    metadata = {TOTALS: encode(together), b"matches_total": all_digits(everything).encode()}
    return episodes.take(pa.array(listed)).replace_schema_metadata(metadata)


def combine_episodes(
    partials: Iterable[pa.RecordBatch],
    schema: pa.Schema,
    keys: Sequence[str],
    days: Days,
    most: int | None,
    cut: tuple[bool, bool],
) -> list[pa.RecordBatch]:
    """One partial result of the partial results of adjacent parts, which one slice owns: pieces are joined.

    `days`: the boundaries of the days that all parts are, `cut` as in `Ownership`. A merge takes it in their place.
    """
    episodes, known, together = joined_episodes(partials, schema, keys, days)
    outer = _outermost(known, keys, days, cut)
    *batches, last = partial_episodes(episodes, known.take(pa.array(outer)), days, most, cut)
    return [*batches, last.replace_schema_metadata({TOTALS: encode(together)})]


def joined_episodes(
    partials: Iterable[pa.RecordBatch], schema: pa.Schema, keys: Sequence[str], days: Days
) -> tuple[pa.Table, pa.Table, dict[str, Total]]:
    """The episodes that all pieces make, in no order; the edges; the exact numbers of the episodes."""
    totals = []
    pieces: list[pa.RecordBatch] = []
    known: list[pa.RecordBatch] = []
    for batch in partials:
        metadata = batch.schema.metadata or {}
        if TOTALS in metadata:
            totals.append(decode(metadata[TOTALS]))
        if batch.num_rows:
            (known if _EDGES in metadata else pieces).append(batch.replace_schema_metadata(None))
    rows = pa.Table.from_batches(pieces, with_certain(schema))
    edge_rows = pa.Table.from_batches(known, edge_schema([schema.field(name) for name in keys]))
    episodes, joints = _joined(rows, edge_rows, keys, days)
    together = add(totals, days)
    for place, day in enumerate(parts(days)):
        together[day] += Total(-int(joints[place]))
    return episodes, edge_rows, together


def _outermost(known: pa.Table, keys: Sequence[str], days: Days, cut: tuple[bool, bool]) -> Ints:
    """For each key the two first and the two last edges of what is cut: the parts' own, and those beside them."""
    names = [codes_of(known[name]) for name in keys]
    order = np.lexsort((*_columns(known, ("offset", "ts")), *names))
    new_key = np.ones(len(order), np.bool_)
    new_key[1:] = False
    for column in names:
        new_key[1:] |= column[order][1:] != column[order][:-1]
    new = new_key.copy()
    for column in _columns(known, ("ts", "offset")):
        new[1:] |= column[order][1:] != column[order][:-1]
    order, key = order[new], np.cumsum(new_key)[new]
    rank = np.arange(len(order))
    from_begin = rank - np.searchsorted(key, key)
    from_end = np.searchsorted(key, key, side="right") - 1 - rank
    return order[(cut[0] & (from_begin < 2)) | (cut[1] & (from_end < 2))]


def _joined(rows: pa.Table, known: pa.Table, keys: Sequence[str], days: Days) -> tuple[pa.Table, Ints]:
    """The episodes of some pieces, and how many times each day two pieces were joined."""
    none = np.zeros(len(parts(days)), np.int64)
    if not rows.num_rows:
        return rows, none
    values = [name for name in rows.column_names if name not in (*RUN_COLUMNS, CERTAIN)]
    codes = [codes_of(rows[name]) for name in values]
    order = np.lexsort((*_columns(rows, ("first_offset", "first_ts")), *codes))
    rows = rows.take(pa.array(order))
    part = part_of(rows[CERTAIN].to_numpy(), days)
    begin, end, before, after = _neighbours(rows, known, keys, days)
    at_begin, at_end = _flags(rows, "touches_begin"), _flags(rows, "touches_end")
    joint = np.zeros(rows.num_rows, np.bool_)
    joint[1:] = at_end[:-1] & at_begin[1:] & (end[:-1] + 1 == begin[1:]) & (part[:-1] == part[1:])
    for column in codes:
        joint[1:] &= column[order][:-1] == column[order][1:]
    first = np.flatnonzero(~joint)
    last = np.append(first[1:], rows.num_rows) - 1
    changed = {
        "last_ts": rows["last_ts"].to_numpy()[last],
        "last_offset": rows["last_offset"].to_numpy()[last],
        "points": np.add.reduceat(rows["points"].to_numpy(), first),
        "touches_begin": at_begin[first] & (before[first] != part[first]),
        "touches_end": at_end[last] & (after[last] != part[last]),
    }
    episodes = rows.take(pa.array(first))
    columns = [pa.array(changed[name]) if name in changed else episodes[name] for name in rows.column_names]
    return pa.table(columns, schema=rows.schema), none + np.bincount(part[joint], minlength=len(none))


def _neighbours(rows: pa.Table, known: pa.Table, keys: Sequence[str], days: Days) -> tuple[Ints, Ints, Ints, Ints]:
    """The numbers of the first and last points of pieces among the points that are known, in order of (keys, time).

    Also the days of the points before and after a piece, -2 if there is none. Where a piece touches the end of a part,
    the known point next to it is the next judging point. A gap in the numbers parts one key from the next.
    """
    after = rows[CERTAIN].to_numpy() - rows["first_ts"].to_numpy()
    last_certain = rows["last_ts"].to_numpy() + after
    stamps = np.concatenate([known["ts"].to_numpy(), *_columns(rows, ("first_ts", "last_ts"))])
    offsets = np.concatenate([known["offset"].to_numpy(), *_columns(rows, ("first_offset", "last_offset"))])
    day = part_of(np.concatenate([known[CERTAIN].to_numpy(), rows[CERTAIN].to_numpy(), last_certain]), days)
    names = [codes_of(pa.chunked_array([*known[name].chunks, *2 * rows[name].chunks])) for name in keys]
    order = np.lexsort((offsets, stamps, *names))
    begins_log = np.zeros(len(order), np.bool_)
    for column in names:
        begins_log[1:] |= column[order][1:] != column[order][:-1]
    new = begins_log.copy()
    for column in (stamps, offsets):
        new[1:] |= column[order][1:] != column[order][:-1]
    number = np.empty(len(order), np.int64)
    number[order] = np.cumsum(new.astype(np.int64) + begins_log) + 1
    day_of = np.full(int(number.max()) + 2, -2, np.int64)
    day_of[number] = day
    begin, end = number[known.num_rows :].reshape(2, -1)
    return begin, end, day_of[begin - 1], day_of[end + 1]


def _in_order(rows: pa.Table) -> Ints:
    """The rows in order of (first_ts, first_offset, values): an order that joining pieces keeps."""
    values = [name for name in rows.column_names if name not in (*RUN_COLUMNS, CERTAIN)]
    keys = [(name, "ascending") for name in ("first_ts", "first_offset", *values)]
    return one_array(pc.sort_indices(rows, sort_keys=keys)).to_numpy().astype(np.int64)


def codes_of(column: pa.ChunkedArray) -> Ints:
    """Integers that are equal where the values are."""
    values = one_array(column)
    if pa.types.is_string(values.type):
        return one_array(values.dictionary_encode().indices).to_numpy().astype(np.int64)
    return np.unique(values.to_numpy(), return_inverse=True)[1] if len(values) else np.zeros(0, np.int64)


def _columns(rows: pa.Table, names: Sequence[str]) -> list[Ints]:
    return [rows[name].to_numpy() for name in names]


def _flags(rows: pa.Table, name: str) -> Flags:
    flags: Flags = one_array(rows[name]).to_numpy(zero_copy_only=False)
    return flags
