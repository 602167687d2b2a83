"""Compared edges as ranks: which earlier vertices an edge's comparison lets precede a vertex, as a range of ranks.

The values of an edge's earlier side are ranked among those of their partition. Integers of a small range, such as
prices in ticks, are ranked by counting, without sorting: O(vertices). Others by sorting: O(vertices * log vertices).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.trends.extremes import ordered_codes, unknown
from cep_core.trends.graph import Comparisons, Flags, Ints, no_cuts

SPARSE = 16
"""Count instead of sorting while there are at most so many cells a vertex."""


def compare(
    edges: list[tuple[int, int, str, pa.Array, pa.Array]],
    states: npt.NDArray[np.uint64],
    partition: Ints,
    partitions: int,
) -> Comparisons:
    """Ranks for edges (source, target, operator, left values, right values) over m vertices.

    The values are those of the m vertices on the comparison's earlier (left) and later (right) side; `states[m]` the
    states (bits) that a vertex may bind, `partition[m]` ascends. An edge that asks for different values becomes two,
    for smaller and for greater ones.
    """
    source: list[int] = []
    target: list[int] = []
    ranks: list[Ints] = []
    bounds: list[Ints] = []
    equal: list[bool] = []
    most = np.zeros(partitions, dtype=np.int64)
    for start, end, operator, left, right in edges:
        entering = (states >> np.uint64(start)) & np.uint64(1) != 0
        asking = (states >> np.uint64(end)) & np.uint64(1) != 0
        for single in ("<", ">") if operator == "!=" else (operator,):
            codes = _common_codes(left, right, descending=single in (">", ">="))
            rank, bound, top = _rank(
                codes, entering & ~unknown(left), asking & ~unknown(right), partition, partitions, single
            )
            source.append(start)
            target.append(end)
            equal.append(single == "=")
            ranks.append(rank)
            bounds.append(bound)
            most = np.maximum(most, top)
    return Comparisons(
        np.array(source, dtype=np.int64),
        np.array(target, dtype=np.int64),
        np.array(equal, dtype=np.bool_),
        np.stack(ranks, axis=1).astype(np.int32) if ranks else np.zeros((len(states), 0), np.int32),
        np.stack(bounds, axis=1).astype(np.int32) if bounds else np.zeros((len(states), 0), np.int32),
        most,
        np.zeros(len(source), dtype=np.bool_),
        no_cuts(),
    )


def _common_codes(left: pa.Array, right: pa.Array, *, descending: bool) -> tuple[Ints, Ints]:
    """Both sides' values as dense codes 0.. in one order."""
    if left.type != right.type:
        # integers beyond 2**53 are compared with doubles as SQL does it, rounded
        left, right = left.cast(pa.float64(), safe=False), right.cast(pa.float64(), safe=False)
    m = len(left)
    codes, _ = ordered_codes(pa.chunked_array([left, right]).combine_chunks())
    if descending:
        codes = ~codes
    low, high = int(codes.min(initial=0)), int(codes.max(initial=0))
    if high - low >= SPARSE * max(1, len(codes)):
        codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    else:
        codes = codes - low
    return codes[:m], codes[m:]


def _rank(
    codes: tuple[Ints, Ints], entering: Flags, asking: Flags, partition: Ints, partitions: int, operator: str
) -> tuple[Ints, Ints, Ints]:
    """Ranks 1.. of entering vertices, bounds of asking ones, and the number of ranks of each partition."""
    left, right = codes
    values = int(max(left.max(initial=0), right.max(initial=0))) + 2
    keys = partition * values + left  # a cell for each value of each partition, and one past the last
    wanted = partition * values + right
    past = operator in ("<=", ">=", "=")
    starts = np.arange(partitions + 1, dtype=np.int64) * values
    if partitions * values <= SPARSE * max(1, len(left)):
        present = np.zeros(partitions * values + 1, dtype=np.int64)
        present[keys[entering] + 1] = 1
        before = np.cumsum(present)  # before[key]: distinct values below key, over all partitions
        rank, bound, exact = before[keys] + 1, before[wanted + past], present[wanted + 1] == 1
        firsts = before[starts]
    else:
        distinct = np.unique(keys[entering])
        rank = np.searchsorted(distinct, keys) + 1
        bound = np.searchsorted(distinct, wanted, side="right" if past else "left")
        exact = np.zeros(len(wanted), dtype=np.bool_)
        exact[bound > 0] = distinct[bound[bound > 0] - 1] == wanted[bound > 0]
        firsts = np.searchsorted(distinct, starts)
    base = firsts[partition]
    if operator == "=":
        asking = asking & exact
    return np.where(entering, rank - base, 0), np.where(asking, bound - base, 0), np.diff(firsts)
