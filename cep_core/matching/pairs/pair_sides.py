"""The two sides of `P AND Q` as listed matches: which matches may form pairs, and which have the same binding.

Two matches may form a pair if they agree on every equivalence and, with SLIDE, on the window. A binding that both sides
find is one match. To compare bindings, variables of the right side have the names of the right side alone (without
suffix). Cost: sorting the matches.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from cep_core.arrays import Flags, Ints
from cep_core.events.arrow_types import ARROW_TYPES
from cep_core.language.errors import NotSupportedYet
from cep_core.language.patterns.bind.naming import RIGHT
from cep_core.language.patterns.query import Query
from cep_core.language.patterns.values.exact_order import equal_codes
from cep_core.language.patterns.values.expressions import column
from cep_core.matching.arrays.paths import Bound
from cep_core.matching.result.match_rows import PATH, key_texts

PAIRS = 1 << 18
"""The largest number of pairs compared at once; a single match may have more partners."""


@dataclass(frozen=True)
class PairSide:
    """n matches of one side, in order."""

    table: pa.Table
    binding: Ints
    """[match] a number that matches of both sides share if they have the same binding and window."""
    group: Ints
    """[match] its group; only matches of the same group form pairs."""
    key: pa.Array
    """[match] the values of the equivalences, as one text."""
    twin: Ints
    """[match] the match of the left side with the same binding, or -1."""


def sides_of(
    query: Query, variables: Sequence[Sequence[str]], tables: Sequence[pa.Table], events: pa.Table
) -> tuple[PairSide, PairSide]:
    """Both sides. `tables`: the partial results of each side, in order; `variables`: of each side, by number in paths.

    Raises NotSupportedYet for an equivalence that some match does not bind.
    """
    plain_names = list(dict.fromkeys(name.removesuffix(RIGHT) for names in variables for name in names))
    pieces, sizes = [], [table.num_rows for table in tables]
    for names, table in zip(variables, tables, strict=True):
        paths = table[PATH].combine_chunks()
        flat = paths.flatten().to_numpy().reshape(-1, 2).copy()
        flat[:, 1] = np.array([plain_names.index(name.removesuffix(RIGHT)) for name in names], np.int64)[flat[:, 1]]
        pieces.append((flat, np.diff(paths.offsets.to_numpy())))
    flat = np.concatenate([piece[0] for piece in pieces])
    offsets = np.concatenate([[0], np.cumsum(np.concatenate([piece[1] for piece in pieces]) * 8)])
    buffers = [None, pa.py_buffer(offsets.astype(np.int64)), pa.py_buffer(np.ascontiguousarray(flat))]
    keys = pa.LargeBinaryArray.from_buffers(pa.large_binary(), sum(sizes), buffers)
    columns = [keys.dictionary_encode().indices.to_numpy().astype(np.int64)]
    carried = [_key(query, number, tables, events) for number in range(len(query.key_classes))]
    groups = [numbers for numbers, _ in carried]
    key = key_texts([values for _, values in carried], sum(sizes))
    if query.window.slide is not None:
        starts = np.concatenate([table["window_start"].to_numpy() for table in tables])
        columns.append(starts)
        groups.append(starts)
    binding, group = _numbered(columns, sum(sizes)), _numbered(groups, sum(sizes))
    cut = sizes[0]
    on_left = np.full(int(binding.max(initial=-1)) + 1, -1, np.int64)
    on_left[binding[:cut]] = np.arange(cut)
    return (
        PairSide(tables[0], binding[:cut], group[:cut], key[:cut], np.arange(cut)),
        PairSide(tables[1], binding[cut:], group[cut:], key[cut:], on_left[binding[cut:]]),
    )


def candidates(left: PairSide, right: PairSide) -> Iterator[tuple[Ints, Ints]]:
    """All pairs of matches of the same group, by number, in batches."""
    order, lows, counts = _partners(left, right)
    ends = np.cumsum(counts)
    begin = 0
    while begin < len(counts):
        before = ends[begin - 1] if begin else 0
        end = max(int(np.searchsorted(ends, before + PAIRS, side="right")), begin + 1)
        partners = counts[begin:end]
        lefts = np.repeat(np.arange(begin, end), partners)
        place = (
            np.arange(partners.sum())
            - np.repeat(np.cumsum(partners) - partners, partners)
            + np.repeat(lows[begin:end], partners)
        )
        yield lefts, order[place]
        begin = end


def number_of_candidates(left: PairSide, right: PairSide) -> int:
    """The number of pairs that `candidates` yields."""
    return int(_partners(left, right)[2].sum())


def _partners(left: PairSide, right: PairSide) -> tuple[Ints, Ints, Ints]:
    """The right side's matches ordered by group; for each match of the left side, its first partner and their number.

    The numbers fit int64, because both sides are in memory.
    """
    order = np.argsort(right.group, kind="stable")
    lows = np.searchsorted(right.group[order], left.group, side="left")
    return order, lows, np.searchsorted(right.group[order], left.group, side="right") - lows


def are_different(left: PairSide, right: PairSide, left_rows: Ints, right_rows: Ints) -> Flags:
    """Whether each pair has two different bindings and is not the mirror image of an earlier pair.

    If both sides have both bindings, the pair exists in two directions, and only one of them is kept.
    """
    also_right = np.isin(left.binding, right.binding)
    twin = right.twin[right_rows]
    different: Flags = (twin != left_rows) & ~(also_right[left_rows] & (twin >= 0) & (twin < left_rows))
    return different


def bound_in(table: pa.Table, variable: str) -> Bound:
    """The `seq` of a variable's events in each match."""
    values = table[variable].combine_chunks()
    present = values.is_valid().to_numpy(zero_copy_only=False)
    if not pa.types.is_list(values.type):
        return Bound(np.concatenate([[0], np.cumsum(present)]), values.drop_null().to_numpy())
    lengths = np.where(present, np.diff(values.offsets.to_numpy()), 0)
    return Bound(np.concatenate([[0], np.cumsum(lengths)]), values.flatten().to_numpy())


def rows_of(events: pa.Table, seqs: Ints) -> Ints:
    """The rows of the events with these `seq`."""
    all_seqs = events["seq"].to_numpy()
    order = np.argsort(all_seqs, kind="stable")
    return order[np.searchsorted(all_seqs[order], seqs)] if len(all_seqs) else seqs


def _key(query: Query, number: int, tables: Sequence[pa.Table], events: pa.Table) -> tuple[Ints, pa.Array]:
    """For each match of both sides, the value of the equivalence: as a number, and the value itself."""
    key = query.key_classes[number]
    if not key.slices:
        message = f"an equivalence that some pair does not bind is not supported yet: {key.name}"
        raise NotSupportedYet(message, key.at)
    attributes = sorted({attribute for _, attribute in key.members})
    codes, by_code = equal_codes([column(events, name) for name in attributes])
    code_of = dict(zip(attributes, codes, strict=True))
    pieces = []
    for table in tables:
        numbers = np.full(table.num_rows, -1, np.int64)
        for variable, attribute in key.members:
            if variable in table.column_names:
                bound = bound_in(table, variable)
                rows = np.append(rows_of(events, bound.rows), -1)[bound.offsets[:-1]]
                own = np.where(bound.present, np.append(code_of[attribute], -1)[rows], -1)
                numbers = np.where(numbers < 0, own, numbers)
        pieces.append(numbers)
    joined = np.concatenate(pieces)
    return joined, by_code.take(pa.array(joined, mask=joined < 0)).cast(ARROW_TYPES[key.type], safe=False)


def _numbered(columns: list[Ints], size: int) -> Ints:
    """Numbers for rows; rows that agree in every column have the same number."""
    if not columns:
        return np.zeros(size, np.int64)
    numbers: Ints = np.unique(np.stack(columns), axis=1, return_inverse=True)[1].reshape(-1)
    return numbers
