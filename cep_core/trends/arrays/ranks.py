"""Comparisons on edges as ranks: the earlier vertices that a comparison allows before a vertex are a range of ranks.

The values of an edge's earlier side are ranked among the values of their partition. Integers of a small range, such as
prices in ticks, are ranked by counting, without sorting: O(vertices). Other values are sorted: O(vertices * log
vertices).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cep_core.arrays import Flags, Ints, distinct, side_by_side
from cep_core.language.patterns.values.exact_order import in_one_order
from cep_core.numbers.codes import ordered_codes, unknown
from cep_core.trends.arrays.graph import Comparisons, no_cuts

SPARSE = 16
"""Values are counted, not sorted, if there are at most this many cells for each vertex."""


@dataclass(frozen=True)
class RankedSide:
    """One comparison of an edge: `rank[m]` of sources, `bound[m]` of targets, `most[p]` ranks in each partition."""

    rank: Ints
    bound: Ints
    most: Ints
    equal: bool


Compared = tuple[str, pa.Array, pa.Array]
"""An operator, and the m values on the earlier and on the later side of a comparison."""


def compare(
    edges: Sequence[tuple[int, int, Sequence[Compared]]],
    states: npt.NDArray[np.uint64],
    partition: Ints,
    partitions: int,
) -> Comparisons:
    """Ranks for edges (source, target, comparisons) over m vertices.

    `states[m]`: the states (bits) that a vertex may bind. `partition[m]` ascends. An edge that asks for different
    values becomes two edges, one for smaller and one for greater values. All equalities of an edge become one equality
    of tuples. The first comparison of an edge is the equality, or else the one with the fewest values, so that trees
    stay small.
    """
    source: list[int] = []
    target: list[int] = []
    sides_of_edges: list[list[RankedSide]] = []
    for start, end, compared in edges:
        binds_source = (states >> np.uint64(start)) & np.uint64(1) != 0
        binds_target = (states >> np.uint64(end)) & np.uint64(1) != 0
        for operators in product(*(("<", ">") if operator == "!=" else (operator,) for operator, _, _ in compared)):
            sides = []
            equalities = [(left, right) for op, (_, left, right) in zip(operators, compared, strict=True) if op == "="]
            if equalities:
                codes = _tuple_codes(equalities)
                ranked, bounded = (
                    mask & ~np.logical_or.reduce([unknown(pair[k]) for pair in equalities])
                    for k, mask in enumerate((binds_source, binds_target))
                )
                sides.append(_rank(codes, ranked, bounded, partition, partitions, "="))
            for operator, (_, left, right) in zip(operators, compared, strict=True):
                if operator != "=":
                    codes = _common_codes(left, right, descending=operator in (">", ">="))
                    ranked, bounded = binds_source & ~unknown(left), binds_target & ~unknown(right)
                    sides.append(_rank(codes, ranked, bounded, partition, partitions, operator))
            sides.sort(key=lambda side: (not side.equal, side.most.max(initial=0)))
            source.append(start)
            target.append(end)
            sides_of_edges.append(sides)
    others = [side for sides in sides_of_edges for side in sides[1:]]
    return Comparisons(
        np.array(source, dtype=np.int64),
        np.array(target, dtype=np.int64),
        np.array([sides[0].equal for sides in sides_of_edges], dtype=np.bool_),
        side_by_side([sides[0].rank for sides in sides_of_edges], len(states)).astype(np.int32),
        side_by_side([sides[0].bound for sides in sides_of_edges], len(states)).astype(np.int32),
        np.maximum.reduce([np.zeros(partitions, dtype=np.int64), *(sides[0].most for sides in sides_of_edges)]),
        np.cumsum([0, *(len(sides) - 1 for sides in sides_of_edges)], dtype=np.int64),
        side_by_side([side.rank for side in others], len(states)).astype(np.int32),
        side_by_side([side.bound for side in others], len(states)).astype(np.int32),
        np.zeros(len(source), dtype=np.bool_),
        no_cuts(),
    )


def _tuple_codes(pairs: Sequence[tuple[pa.Array, pa.Array]]) -> tuple[Ints, Ints]:
    """Codes for the tuples of values on the earlier and on the later side. Equal tuples have equal codes."""
    left, right = _common_codes(*pairs[0], descending=False)
    for pair in pairs[1:]:
        next_codes = _common_codes(*pair, descending=False)
        width = int(max(next_codes[0].max(initial=0), next_codes[1].max(initial=0))) + 1
        pairs_of_codes = np.concatenate([left, right]) * width + np.concatenate(next_codes)
        # dense codes again, so products stay small
        codes = np.unique(pairs_of_codes, return_inverse=True)[1].astype(np.int64)
        left, right = codes[: len(left)], codes[len(left) :]
    return left, right


def _common_codes(left: pa.Array, right: pa.Array, *, descending: bool) -> tuple[Ints, Ints]:
    """The values of both sides as dense codes 0.., in a common order."""
    is_one = left is right  # S.price > NEXT(S).price
    left, right = in_one_order(left, right)
    m = len(left)
    same_values = is_one or left.equals(right)  # then each value is coded once
    codes, _ = ordered_codes(left if same_values else pa.chunked_array([left, right]).combine_chunks())
    if descending:
        codes = ~codes
    low, high = int(codes.min(initial=0)), int(codes.max(initial=0))
    if high - low >= SPARSE * max(1, len(codes)):
        codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    else:
        codes = codes - low
    of_left = codes[:m]
    return of_left, of_left if same_values else codes[m:]


def _rank(
    codes: tuple[Ints, Ints], entering: Flags, asking: Flags, partition: Ints, partitions: int, operator: str
) -> RankedSide:
    """Ranks 1.. of `entering` vertices, bounds of `asking` vertices, and the number of ranks of each partition."""
    left, right = codes
    values = int(max(left.max(initial=0), right.max(initial=0))) + 2
    first = partition * values if partitions > 1 else 0
    keys = first + left  # one cell for each value of each partition, and one past the last
    bound_keys = keys if right is left else first + right
    inclusive = operator in ("<=", ">=", "=")
    starts = np.arange(partitions + 1, dtype=np.int64) * values
    if partitions * values <= SPARSE * max(1, len(left)):
        present = np.zeros(partitions * values + 1, dtype=np.int64)
        present[keys[entering] + 1] = 1
        before = np.cumsum(present)  # before[key]: distinct values below key, over all partitions
        rank, bound, exact = before[keys] + 1, before[bound_keys + inclusive], present[bound_keys + 1] == 1
        firsts = before[starts]
    else:
        known = distinct(keys[entering])
        place = np.searchsorted(known, keys)
        place_of_bound = place if right is left else np.searchsorted(known, bound_keys)
        exact = np.append(known, -1)[place_of_bound] == bound_keys
        rank, bound = place + 1, place_of_bound + exact if inclusive else place_of_bound
        firsts = np.searchsorted(known, starts)
    base = firsts[partition]
    if operator == "=":
        asking = asking & exact
    ranks, bounds = np.where(entering, rank - base, 0), np.where(asking, bound - base, 0)
    return RankedSide(ranks, bounds, np.diff(firsts), operator == "=")
